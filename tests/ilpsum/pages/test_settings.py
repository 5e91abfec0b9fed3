"""The settings of a run in words."""

import re
from typing import get_args, get_type_hints

from ilpsum.pages.page import page
from ilpsum.pages.settings import _ORDERS, described
from ilpsum.pipeline.system import OrderTable
from ilpsum.records import InputSettings, ObjectiveSettings, RunSettings, SolverSettings, SystemSettings, TextSettings

FULL = RunSettings(
    words=250,
    format="tac",
    support=0.7,
    system=SystemSettings(method="ilp", features="concepts", model="0a1b"),
    objective=ObjectiveSettings(0.02, "topic", "stems", 0.5),
    text=TextSettings(("anaphora", "focus"), True, 0.75, "facet", True, ("dt",)),
    solver=SolverSettings("highs", "compact", 1000, 2.5, True),
    input=InputSettings(pool="merged", found=20, coverage=0.5),
)


def test_every_setting_has_its_phrase():
    assert described(FULL) == (
        "exact ILP, solved by highs",
        "lambda 0.02",
        "bigrams of stems",
        "relevance scaled to 0 to 1 in each topic",
        "word cost 0.5",
        "features concepts",
        "model 0a1b",
        "at most 250 words",
        "coherence rules anaphora, focus, strict",
        "redundant above an overlap of 0.75",
        "sentences by facet with labels",
        "compression by dt",
        "cites other abstracts above a similarity of 0.7",
        "format tac",
        "proofs of at most 1000 nodes",
        "proofs of at most 2.5 s",
        "greedy if the solver fails",
        "pool merged",
        "20 abstracts retrieved per question",
        "questions below a coverage of 0.5 unanswered",
    )
    assert described(RunSettings()) == ()
    assert described(RunSettings(system=SystemSettings(method="random", seed=3))) == ("baseline random, random seed 3",)
    assert described(RunSettings(system=SystemSettings(method="ilp"), solver=SolverSettings("glpk", "paper"))) == (
        "the ILP as published, solved by glpk",
    )


def test_every_order_has_its_words():
    assert set(_ORDERS) == set(get_args(get_type_hints(OrderTable)["by"]))


def test_the_page_has_the_settings_in_words(report):
    (first, second) = re.findall('<div class="settings">(.*?)</div>', page(report))
    assert first == second == "exact ILP, solved by highs; lambda 0.5; at most 20 words"
