"""The settings of a run in words."""

from dataclasses import replace

import pytest

from ilpsum.records import (
    InputSettings,
    ObjectiveSettings,
    RunSettings,
    SolverSettings,
    SystemSettings,
    TextSettings,
)
from ilpsum.records.tables import (
    CandidateTable,
    CoherenceTable,
    OrderTable,
    RelevanceTable,
    SelectionTable,
)
from ilpsum.runs.run_settings import described, shared

FULL = RunSettings(
    words=250,
    format="tac",
    support=0.7,
    system=SystemSettings(method="ilp", model="0a1b"),
    objective=ObjectiveSettings(0.02),
    text=TextSettings("score"),
    candidates=CandidateTable(citances=True),
    relevance=RelevanceTable(features="concepts"),
    selection=SelectionTable(lambda_=0.02, concepts="stems", word_cost=0.5),
    coherence=CoherenceTable(anaphora=True, focus=True, strict=True, overlap=0.75),
    order=OrderTable(by="score"),
    solver=SolverSettings("highs", "compact", 1000, 2.5),
    input=InputSettings(pool="merged", found=20, coverage=0.5),
    origins={"selection.lambda": "mine.toml", "candidates.citances": "option"},
)


def test_what_differs_from_the_defaults_is_named_as_in_the_provenance():
    assert described(RunSettings()) == ()
    assert described(FULL) == (
        "words 250",
        "format tac",
        "support 0.7",
        "system.method ilp",
        "system.model 0a1b",
        "objective.lambda 0.02 (mine.toml)",
        "text.order score",
        "candidates.citances yes (option)",
        "relevance.features concepts",
        "relevance.scores not given",
        "relevance.embeddings not given",
        "relevance.claims 0.0",
        "selection.word_cost 0.5",
        "selection.concepts stems",
        "coherence.anaphora yes",
        "coherence.focus yes",
        "coherence.strict yes",
        "coherence.overlap 0.75",
        "solver.name highs",
        "solver.formulation compact",
        "solver.node_limit 1000",
        "solver.time_limit 2.5",
        "input.pool merged",
        "input.found 20",
        "input.coverage 0.5",
    )


def test_the_settings_that_all_summaries_of_a_run_share():
    other = replace(FULL, words=100)
    assert shared([FULL, FULL])[2] == "; ".join(described(FULL))
    assert shared([FULL, other])[2] == "; ".join(described(FULL)[1:])
    assert (
        shared([FULL, replace(other, objective=ObjectiveSettings(0.5))])[1]
        == "lambda 0.02, mine.toml; lambda 0.5, mine.toml"
    )
    origins = {"selection.threshold": "mine.toml"}
    greedy = RunSettings(system=SystemSettings("gr", threshold=0.4), origins=origins)
    described_ = "system.name gr; system.threshold 0.4 (mine.toml)"
    assert shared([greedy]) == ("gr", "threshold 0.4, mine.toml", described_)
    assert shared([]) == ("", "", "no provenance")


@pytest.mark.parametrize(
    ("system", "file", "named"),
    [
        ("concepts", "concepts-papers.toml", "system concepts"),
        ("mine", "concepts-papers.toml", "system concepts"),
        ("concepts-papers", "concepts-papers.toml", "system concepts-papers"),
        ("task2", "task2.toml", "system task2"),
        ("mine-papers", "mine-papers.toml", "mine-papers.toml"),
    ],
)
def test_a_value_of_an_included_system_is_named_by_the_system(system, file, named):
    settings = RunSettings(
        system=SystemSettings(system),
        objective=ObjectiveSettings(0.1),
        origins={"selection.lambda": file},
    )
    assert f"objective.lambda 0.1 ({named})" in described(settings)
    assert shared([settings])[1] == f"lambda 0.1, {named}"
