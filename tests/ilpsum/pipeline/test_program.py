"""The ILP that provenance stores is that of the summary: another solver proves its optimum again."""

import json
from dataclasses import replace

import numpy as np
import pytest

from ilpsum import Summarizer, resources
from ilpsum.errors import InputError
from ilpsum.pipeline.objective import program_of
from ilpsum.records import Rules
from ilpsum.runs.provenance import read_provenance, summary_line
from ilpsum.selection import Problem, select
from ilpsum.tasks import read_topics


@pytest.fixture(scope="module")
def topic():
    return next(iter(read_topics([resources.demo()], "tac")))


def restored(line):
    """The problem of a line of provenance, from what docs/reference/provenance.md says of its keys."""
    program, candidates = line["program"], line["candidates"]
    settings = line["settings"]
    rows = [[i] for i in range(len(candidates))]
    weights = [*program["own"]]
    for weight, holders in program["shared"]:
        for i in holders:
            rows[i].append(len(weights))
        weights.append(weight)
    rules = program["stages"][-1]
    relevance = np.array([candidate["relevance"] for candidate in candidates])
    problem = Problem.build(
        rows,
        [candidate["words"] for candidate in candidates],
        (relevance - relevance.min()) / np.ptp(relevance),
        settings["words"],
        price=weights.__getitem__,
        lambda_=settings["objective"]["lambda_"],
    )
    return replace(
        problem,
        exclude=tuple(rules["exclude"]),
        requires=tuple(map(tuple, rules["requires"])),
        groups=tuple(map(tuple, rules["groups"])),
        word_cost=settings["selection"]["word_cost"] / settings["words"],
    )


@pytest.mark.parametrize("solver", ["highs", "highs-paper"])
def test_the_optimum_is_proved_again_from_the_provenance(topic, solver):
    summary = Summarizer.load("concepts")(topic, 60)
    again = select(restored(json.loads(summary_line(summary))), solver=solver)
    assert again.chosen == summary.chosen
    assert again.objective == pytest.approx(summary.objective, abs=1e-9)


def test_merged_concepts_leave_every_value_unchanged():
    """Of three concepts two are in one sentence alone, and two in the same pair of sentences."""
    rows = [[0, 1, 2, 3], [2, 3], [4, 4]]
    weights = [0.1, 0.2, 0.4, 0.8, 1.6]
    problem = Problem.build(rows, [1, 1, 1], np.zeros(3), 3, price=weights.__getitem__, lambda_=0.0)
    program = program_of(problem, [Rules()], learned=True)
    assert program.own == pytest.approx((0.3, 0.0, 1.6))
    assert program.shared == ((pytest.approx(1.2), (0, 1)),)


def test_no_program_without_an_objective(topic):
    assert Summarizer.load("gr-sum-2")(topic, 60).program is None


def test_a_program_that_does_not_fit_is_refused(topic, tmp_path):
    summary = Summarizer.load("ilp-sum-1")(topic, 60)
    line = json.loads(summary_line(summary))
    path = tmp_path / "p.jsonl"
    for name, value in (("own", [0.1]), ("shared", [[0.1, [0, 10**6]]])):
        path.write_text(json.dumps(line | {"program": line["program"] | {name: value}}))
        with pytest.raises(InputError, match=r"p\.jsonl"):
            list(read_provenance(path))


def test_program_and_features_outlive_the_provenance(topic, tmp_path):
    summary = Summarizer.load("ilp-sum-1")(topic, 60)
    path = tmp_path / "p.jsonl"
    path.write_bytes(summary_line(summary))
    (read,) = read_provenance(path)
    assert read.sentences == summary.sentences
    assert read.candidates == summary.candidates
    assert read.program == summary.program
