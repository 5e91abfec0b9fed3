"""The table of a sweep: what is read, and what is refused in one line."""

import json
from pathlib import Path
from typing import Any

import pytest

from ilpsum.errors import InputError
from ilpsum.evaluation.sweeps.table import TABLE, is_sweep, read_sweep
from tests.json_lines import lines_of

SCORES = {"ROUGE-2": {"recall": 0.1, "precision": 0.2, "f1": 0.15}}
SCORING = {
    "kind": "scoring",
    "metrics": ["ROUGE-2"],
    "measure": "recall",
    "stem": False,
    "folds": 0,
    "nested": 0,
    "seed": 1,
    "without_gold": 0,
    "versions": {},
}
TOPIC = {"kind": "topic", "id": "D1", "query": "", "title": "", "gold": ["Newts sing."]}
ROW = {
    "kind": "row",
    "run": "r",
    "group": 0,
    "words": 50,
    "lambda": 0.5,
    "values": {"system": "ilp-sum-1", "words": "50", "lambda": "0.5"},
    "scores": SCORES,
    "score": 0.1,
    "curve": {"ROUGE-2": [[0.0, 0.1], [0.5, 0.2]]},
    "breakpoints": [0.5],
}


def write(folder: Path, *lines: dict[str, Any]) -> None:
    (folder / TABLE).write_text(lines_of(lines))


def test_the_table_of_a_sweep_is_read(tmp_path):
    assert not is_sweep(tmp_path)
    write(tmp_path, SCORING, ROW, ROW | {"run": "s", "lambda": None}, TOPIC)
    assert is_sweep(tmp_path)
    table = read_sweep(tmp_path)
    first, second = table.rows
    assert (first.curve["ROUGE-2"][1], second.lambda_) == ((0.5, 0.2), None)
    assert table.value(first, "ROUGE-2") == 0.1
    assert table.topics[0].topic.summaries == ("Newts sing.",)


def test_a_sweep_by_an_earlier_version_is_to_be_run_again(tmp_path):
    (tmp_path / "rows.jsonl").write_text("{}\n")
    with pytest.raises(InputError, match="a sweep by an earlier version of ilpsum; run it again"):
        is_sweep(tmp_path)


@pytest.mark.parametrize(
    "changed",
    [
        {"run": 3},
        {"words": "x"},
        {"words": -1},
        {"lambda": 2.0},
        {"scores": {"ROUGE-2": {"recall": 1}}},
        {"curve": {"ROUGE-2": [[0.0]]}},
        {"breakpoints": [2.0]},
        {"score": None},
        {"kind": "rows"},
    ],
)
def test_other_rows_are_refused(tmp_path, changed):
    write(tmp_path, SCORING, ROW | changed, TOPIC)
    place = r"sweep\.jsonl:2: expected a line of the table of a sweep, but .*; delete the file"
    with pytest.raises(InputError, match=place):
        read_sweep(tmp_path)


def test_rows_of_other_metrics_are_refused(tmp_path):
    write(tmp_path, SCORING, ROW, ROW | {"scores": {"ROUGE-1": SCORES["ROUGE-2"]}}, TOPIC)
    with pytest.raises(InputError, match="the same metrics in all rows"):
        read_sweep(tmp_path)


@pytest.mark.parametrize("left_out", range(3))
def test_a_table_without_a_part_is_refused(tmp_path, left_out):
    lines = [SCORING, ROW, TOPIC]
    del lines[left_out]
    write(tmp_path, *lines)
    with pytest.raises(InputError, match="expected scoring, rows and topics of a sweep"):
        read_sweep(tmp_path)


@pytest.mark.parametrize(
    "line", ["[" * 10_000, '{"a": ' + "9" * 5000 + "}", '{"a": 1e999}', "[]", '{"a": NaN}']
)
def test_other_lines_are_refused(tmp_path, line):
    (tmp_path / TABLE).write_text(json.dumps(SCORING) + f"\n{line}\n")
    with pytest.raises(InputError, match=r"sweep\.jsonl:2: expected a line of the table"):
        read_sweep(tmp_path)
