"""Rows of a sweep that are not what a sweep writes."""

import json
from pathlib import Path
from typing import Any

import pytest

from ilpsum.errors import InputError
from ilpsum.evaluation.sweeps.results import read_rows, write_rows
from tests.json_lines import lines_of

SCORES = {"ROUGE-2": {"recall": 0.1, "precision": 0.2, "f1": 0.15}}


def row(**changed: Any) -> dict[str, Any]:
    whole = {"start": 0.0, "end": 1.0, "chosen": [["d", 0, 9]], "scores": SCORES}
    whole |= {"relevance": 0.1, "coverage": 0.2, "costs": 0.0}
    named = {"run": "r", "system": "ilp-sum-1-tuned", "words": 50, "lambda": "path"}
    return named | {"summaries": {"topic": "D1", "stretches": [whole | changed]}}


def write(folder: Path, *rows: dict[str, Any]) -> None:
    (folder / "topics.jsonl").write_text(lines_of(rows))


def test_rows_of_a_sweep_are_read(tmp_path):
    write(tmp_path, row(), row() | {"run": "s", "lambda": 0.5})
    path, other = read_rows(tmp_path)
    assert path.summaries.at(0.3).chosen == (("d", 0, 9),)
    assert other.lambda_ == 0.5


def test_a_folder_without_rows_has_none(tmp_path):
    assert read_rows(tmp_path) == []


@pytest.mark.parametrize(
    "changed", [{"run": 3}, {"words": "x"}, {"words": -1}, {"lambda": 2.0}, {"summaries": {}}]
)
def test_other_rows_are_refused(tmp_path, changed):
    write(tmp_path, row() | changed)
    with pytest.raises(
        InputError, match=r"topics\.jsonl:1: expected a row of a sweep, but .*; delete the file"
    ):
        read_rows(tmp_path)


@pytest.mark.parametrize(
    "changed",
    [
        {"end": 0.5},
        {"start": 0.5},
        {"end": "x"},
        {"chosen": [["d", 0]]},
        {"relevance": None},
        {"scores": {}},
        {"scores": {"ROUGE-2": {"recall": 1}}},
    ],
)
def test_other_paths_are_refused(tmp_path, changed):
    write(tmp_path, row(**changed))
    with pytest.raises(InputError, match=r"topics\.jsonl:1: expected a row of a sweep, but"):
        read_rows(tmp_path)


def test_rows_of_other_metrics_are_refused(tmp_path):
    write(tmp_path, row(), row(scores={"ROUGE-1": SCORES["ROUGE-2"]}))
    with pytest.raises(InputError, match="the same metrics in all rows"):
        read_rows(tmp_path)


@pytest.mark.parametrize(
    "line", ["[" * 10_000, '{"a": ' + "9" * 5000 + "}", '{"a": 1e999}', "[]", '{"a": NaN}']
)
def test_other_lines_are_refused(tmp_path, line):
    (tmp_path / "topics.jsonl").write_text(json.dumps(row()) + f"\n{line}\n")
    with pytest.raises(InputError, match=r"topics\.jsonl:2: expected a row of a sweep"):
        read_rows(tmp_path)


def test_neither_file_of_a_sweep_appears_before_both_are_whole(tmp_path):
    class Interrupted:
        @property
        def configuration(self) -> None:
            raise KeyboardInterrupt

    results: Any = [Interrupted()]
    nothing: Any = None
    with pytest.raises(KeyboardInterrupt):
        write_rows(tmp_path, results, nothing, nothing)
    assert list(tmp_path.iterdir()) == []
