"""Claims: told from questions, and answered by findings rather than background."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.context import Context
from ilpsum import Document, Topic
from ilpsum.answers.attaching import with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.steps import Summarizer
from ilpsum.pipeline.claims import for_claim, is_claim
from ilpsum.pipeline.system import System

ROLES = np.array(
    [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0.5, 0.5, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1.0]]
)
AROUND = replace(Context.of_texts("", list("abcde")), roles=ROLES)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Mirolone heals leg ulcers.", True),
        ("32% of newts received no song.", True),
        ("Velin is bound by IL-6", True),
        ("  Velin inhibits the wing of newts", True),
        ("Does mirolone heal leg ulcers?", False),
        ("Mirolone heals leg ulcers, doesn't it?", False),
        ("In newts, which receptor does velin bind?", False),
        ("List drugs that heal ulcers.", False),
        ("Please name the receptors of frost.", False),
        ("Which is the receptor of velin", False),
        ("leg ulcers and mirolone", False),
        ("", False),
    ],
)
def test_what_states_something_and_asks_nothing_is_a_claim(text, claims):
    assert is_claim(text) is claims


def test_background_aims_and_methods_lose_their_share_under_a_claim():
    relevance = np.full(5, 0.8)
    lowered = for_claim("Velin binds newts.", relevance, AROUND, 0.75)
    assert lowered == pytest.approx([0.2, 0.2, 0.5, 0.8, 0.8])
    assert relevance.tolist() == [0.8] * 5, "the prediction is not changed in place"


@given(st.floats(0, 1), st.lists(st.floats(0, 1), min_size=5, max_size=5))
def test_a_share_of_a_probability_is_one(share, given_):
    relevance = np.array(given_)
    lowered = for_claim("Velin binds newts.", relevance, AROUND, share)
    assert (lowered >= -1e-12).all()
    assert (lowered <= relevance).all()
    for unchanged in (
        for_claim("Does velin bind newts?", relevance, AROUND, share),
        for_claim("Velin binds newts.", relevance, replace(AROUND, roles=None), share),
    ):
        assert unchanged is relevance


def test_the_finding_comes_before_the_background_for_a_claim():
    texts = (
        "BACKGROUND: Mirolone is used to heal leg ulcers of newts in many ponds. RESULTS: Mirolone healed leg ulcers in"
        " 62% of newts, and placebo in 45% (p < .01). CONCLUSION: Mirolone heals leg ulcers.",
        "We aimed to assess whether mirolone heals leg ulcers of newts. Leg ulcers of newts are common in spring.",
    )
    search = AbstractSearch.of_documents([Document(str(i), text) for i, text in enumerate(texts)])

    def relevance(question: str, share: float) -> dict[str, float]:
        system = System.load("concepts-searched")
        assert system.relevance is not None
        changed = msgspec.structs.replace(
            system, relevance=msgspec.structs.replace(system.relevance, claims=share)
        )
        topic = with_documents(Topic("q", question), search, least_coverage=0.0)
        return {
            s.text: s.relevance
            for s in Summarizer.load(changed, explained=False)
            .for_kind("searched")
            .prepare(topic)
            .sentences
        }

    claim, question = (
        "Mirolone heals leg ulcers of newts.",
        "Does mirolone heal leg ulcers of newts?",
    )
    plain, lowered = relevance(claim, 0.0), relevance(claim, 0.7)
    background = next(text for text in plain if "many ponds" in text)
    finding = next(text for text in plain if "62%" in text)
    assert lowered[background] < 0.7 * plain[background]
    assert lowered[finding] > 0.7 * plain[finding]
    assert relevance(question, 0.7) == relevance(question, 0.0)
