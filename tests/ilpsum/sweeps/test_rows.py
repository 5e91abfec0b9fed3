"""Rows of a sweep that are not what a sweep writes."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ilpsum.errors import InputError
from ilpsum.pipeline.system import System
from ilpsum.sweeps.journal import read_rows
from ilpsum.sweeps.results import read_outcomes, read_paths
from ilpsum.sweeps.rows import FoldRow, Result

SCORES = {"ROUGE-2": [0.1, 0.2, 0.15]}


def result() -> dict[str, Any]:
    config = {"system": msgspec.to_builtins(System.load("ilp-sum-1")), "words": 50, "lambda": 0.5}
    return {"run": "r", "config": config, "score": 0.1, "scores": SCORES, "topics": {"D1": SCORES}}


def path(**changed: Any) -> dict[str, Any]:
    objective = {"relevance": 0.1, "coverage": 0.2, "costs": 0.0}
    whole = {"start": 0.0, "end": 1.0, "chosen": [["d", 0, 9]], "objective": objective, "scores": SCORES}
    return {"run": "r", "topic": "D1", "segments": [whole | changed]}


def write(file: Path, row: dict[str, Any]) -> Path:
    file.write_text(json.dumps(row) + "\n")
    return file


def test_rows_of_a_sweep_are_read(tmp_path: Path) -> None:
    (row,) = read_rows(write(tmp_path / "rows.jsonl", result()), Result)
    assert (row.score, row.lambda_, row.values()["system"]) == (0.1, 0.5, "ilp-sum-1")
    write(tmp_path / "path.jsonl", path())
    assert read_paths(tmp_path)["r"][0].at(0.3).end == 1.0
    outcome = {"topic": "D1", "scores": {"r": SCORES}, "chosen": {"r": [["d", 0, 9]]}, "seconds": {"r": 0.1}}
    write(tmp_path / "topics.jsonl", outcome)
    assert read_outcomes(tmp_path)["r", "D1"].chosen == (("d", 0, 9),)


@pytest.mark.parametrize(
    "values", [{"lambda": "0.5", "threshold": "-"}, {"lambda": "0.5"}, {"lambda": "", "threshold": "-"}]
)
def test_choices_without_a_lambda_or_threshold_are_refused(tmp_path: Path, values: dict[str, str]) -> None:
    choice = {"run": "r", "values": values, "lambda": 0.5, "score": 0.1, "topics": {}}
    file = write(tmp_path / "nested.jsonl", {"key": "k", "choices": {"ilp": choice}})
    if values == {"lambda": "0.5", "threshold": "-"}:
        assert read_rows(file, FoldRow)[0].choices["ilp"].values == values
    else:
        with pytest.raises(InputError, match=r"nested\.jsonl:1: .* lambda and threshold in values"):
            read_rows(file, FoldRow)


def test_a_folder_without_rows_has_none(tmp_path: Path) -> None:
    assert read_rows(tmp_path / "rows.jsonl", Result) == []
    assert read_paths(tmp_path) == {}


@pytest.mark.parametrize(
    "changed",
    [{"score": "x"}, {"score": 2.0}, {"scores": {}}, {"topics": {"D1": {}}}, {"run": 3}, {"config": {}}, {"best": 1}],
)
def test_other_rows_are_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"rows\.jsonl:1: expected a row of a sweep, but .*; delete the line"):
        read_rows(write(tmp_path / "rows.jsonl", result() | changed), Result)


@pytest.mark.parametrize(
    "changed",
    [{"end": 0.5}, {"start": 0.5}, {"end": "x"}, {"chosen": [["d", 0]]}, {"objective": {}}, {"scores": {"R": [1]}}],
)
def test_other_paths_are_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    write(tmp_path / "path.jsonl", path(**changed))
    with pytest.raises(InputError, match=r"path\.jsonl:1: expected a row of a sweep, but"):
        read_paths(tmp_path)


@pytest.mark.parametrize("line", ["[" * 10_000, '{"a": ' + "9" * 5000 + "}", '{"a": 1e999}', "[]", '{"a": NaN}'])
def test_other_lines_are_refused(tmp_path: Path, line: str) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"a": 1}) + f"\n{line}\n")
    with pytest.raises(InputError, match=r"rows\.jsonl:2: expected a row of a sweep"):
        read_rows(rows, dict)
