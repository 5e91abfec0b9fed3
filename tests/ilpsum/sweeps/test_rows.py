"""Rows of a sweep that are not what a sweep writes."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ilpsum.errors import InputError
from ilpsum.pipeline.system import System
from ilpsum.sweeps.journal import read_rows
from ilpsum.sweeps.results import Result, read_outcomes, read_paths

SCORES = {"ROUGE-2": [0.1, 0.2, 0.15]}


def result() -> dict[str, Any]:
    config = {"system": msgspec.to_builtins(System.load("ilp-sum-1")), "words": 50, "lambda": 0.5}
    return {"run": "r", "config": config, "score": 0.1, "scores": SCORES, "topics": {"D1": SCORES}}


def path(**changed: Any) -> dict[str, Any]:
    objective = {"relevance": 0.1, "coverage": 0.2, "costs": 0.0}
    whole = {"start": 0.0, "end": 1.0, "chosen": [["d", 0, 9]], "objective": objective, "scores": SCORES}
    return {"run": "r", "topic": "D1", "segments": [whole | changed]}


def test_rows_of_a_sweep_are_read() -> None:
    assert Result.of(result()).score == 0.1
    assert read_paths([path()])["r"][0].at(0.3).end == 1.0
    outcome = {"topic": "D1", "scores": {"r": SCORES}, "chosen": {"r": [["d", 0, 9]]}, "seconds": {"r": 0.1}}
    assert read_outcomes([outcome])["r", "D1"].chosen == (("d", 0, 9),)


@pytest.mark.parametrize(
    "changed",
    [{"score": "x"}, {"score": 2.0}, {"scores": {}}, {"topics": {"D1": {}}}, {"run": 3}, {"config": {}}, {"best": 1}],
)
def test_other_rows_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"rows\.jsonl: expected a row of a sweep, but .*; delete the line"):
        Result.of(result() | changed)


@pytest.mark.parametrize(
    "changed",
    [{"end": 0.5}, {"start": 0.5}, {"end": "x"}, {"chosen": [["d", 0]]}, {"objective": {}}, {"scores": {"R": [1]}}],
)
def test_other_paths_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"path\.jsonl:1: expected a row of a sweep, but"):
        read_paths([path(**changed)])


@pytest.mark.parametrize("line", ["[" * 10_000, '{"a": ' + "9" * 5000 + "}", '{"a": 1e999}', "[]", '{"a": NaN}'])
def test_other_lines_are_refused(tmp_path: Path, line: str) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"a": 1}) + f"\n{line}\n")
    with pytest.raises(InputError, match=r"rows\.jsonl:2: expected a row of a sweep"):
        read_rows(rows)
