"""The settings of a run in words."""

import re

from ilpsum.pages.page import page
from ilpsum.records import InputSettings, ObjectiveSettings, RunSettings, SolverSettings, SystemSettings, TextSettings
from ilpsum.runs.described import described

FULL = RunSettings(
    words=250,
    format="tac",
    support=0.7,
    system=SystemSettings(method="ilp", features="concepts", model="0a1b"),
    objective=ObjectiveSettings(0.02, "topic", "stems", 0.5),
    text=TextSettings(("anaphora", "focus"), True, 0.75, "facet", True),
    solver=SolverSettings("highs", "compact", 1000, 2.5, True),
    input=InputSettings(pool="merged", found=20, coverage=0.5),
)


def test_what_differs_from_the_defaults_is_named_as_in_the_provenance():
    assert described(RunSettings()) == ()
    assert described(FULL) == (
        "words 250",
        "format tac",
        "support 0.7",
        "system.method ilp",
        "system.features concepts",
        "system.model 0a1b",
        "objective.lambda 0.02",
        "objective.alpha topic",
        "objective.concepts stems",
        "objective.word_cost 0.5",
        "text.coherence anaphora, focus",
        "text.strict yes",
        "text.overlap 0.75",
        "text.order facet",
        "text.labels yes",
        "solver.name highs",
        "solver.formulation compact",
        "solver.node_limit 1000",
        "solver.time_limit 2.5",
        "solver.fallback yes",
        "input.pool merged",
        "input.found 20",
        "input.coverage 0.5",
    )


def test_the_page_has_the_settings(report):
    (first, second) = re.findall('<div class="settings">(.*?)</div>', page(report))
    assert first == second
    assert first == "words 20; system.name one; system.method ilp; objective.lambda 0.5; solver.name highs"
