"""What opens an answer: a sentence that is likely to hold what a question asks for."""

from dataclasses import replace

import numpy as np
import pytest

from features.answer_words import COLUMNS
from features.context import Context
from ilpsum import Document, Topic
from ilpsum.answers.attaching import with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.steps import KIND, PROTOCOL, Summarizer, answer_probabilities, load, shipped
from ilpsum.errors import ModelError
from ilpsum.files import persistence
from ilpsum.learning.boosted_trees import BoostedTrees, TreeParameters
from ilpsum.learning.stored import flatten
from ilpsum.pipeline.text import arrange
from ilpsum.records import Rules, Sentence

TEXTS = (
    "Newts of many ponds sing at night.",
    "The song of newts depends on VELIN7.",
    "Newts sing, as VELIN7 is there.",
)
QUESTION = "Which gene makes newts sing?"
RELEVANCE = np.array([0.6, 0.5, 0.4])


@pytest.fixture(scope="module")
def trees() -> BoostedTrees:
    """Trees by which a word with a digit is the answer, and no other."""
    rows = np.zeros((200, len(COLUMNS)))
    rows[:100, COLUMNS.index("digits")] = 1
    return TreeParameters(rounds=40, rate=0.5, leaves=2, least=5, share=1.0, members=1).fit(
        rows, rows.max(axis=1)
    )


def candidates() -> tuple[Sentence, ...]:
    pairs = enumerate(zip(TEXTS, RELEVANCE.tolist(), strict=True))
    return tuple(Sentence(t, str(i), 0, len(t), 6, relevance=r) for i, (t, r) in pairs)


def probabilities(question, relevance, context, trees):
    return answer_probabilities(question, relevance, context, range(len(relevance)), trees)


def first(sentences: tuple[Sentence, ...]) -> str:
    return arrange(sentences, "answer")[0].text


def test_the_sentence_that_names_what_is_asked_for_opens(trees):
    held = probabilities(QUESTION, RELEVANCE, Context.of_texts(QUESTION, [*TEXTS]), trees)
    assert held == pytest.approx([0.001, 1, 1], abs=1e-3)
    assert first(candidates()) == TEXTS[0]
    assert (
        first(tuple(replace(s, holds_answer=p) for s, p in zip(candidates(), held, strict=True)))
        == TEXTS[1]
    )


def test_of_yes_no_questions_a_sentence_that_takes_a_side_opens(trees):
    question, texts = "Do newts sing?", ["Newts do not sing.", "Newts and toads."]
    context = Context.of_texts(question, texts)
    assert probabilities(question, RELEVANCE[:2], context, trees) == [1.0, 0.5]


def test_an_aim_or_a_method_opens_half_as_well(trees):
    roles = np.array([[0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.5, 0.4, 0.1, 0.0]])
    context = replace(Context.of_texts("Do newts sing?", ["Newts sing."] * 2), roles=roles)
    assert probabilities("Do newts sing?", RELEVANCE[:2], context, trees) == [1.0, 0.5]


def test_background_takes_no_side():
    roles = np.array([[0.9, 0.0, 0.0, 0.1, 0.0], [0.7, 0.0, 0.0, 0.3, 0.0]])
    context = replace(Context.of_texts("Do newts sing?", ["Newts sing."] * 2), roles=roles)
    assert probabilities("Do newts sing?", RELEVANCE[:2], context, None) == [0.5, 1.0]


def test_a_finding_on_animals_opens_half_as_well_unless_they_are_asked_for():
    texts = ["Velin cures mice of gout.", "Velin cures patients of gout, as it did mice."]
    for question, expected in (
        ("Does velin cure gout?", [0.5, 1.0]),
        ("Does velin cure mice of gout?", [1.0, 1.0]),
    ):
        context = Context.of_texts(question, texts)
        assert probabilities(question, RELEVANCE[:2], context, None) == expected


def test_where_a_definition_is_asked_for_other_sentences_open_half_as_well(trees):
    question, texts = "What is velin7?", ["Velin7 is a gene of newts.", "Newts have velin7 and T8."]
    context = Context.of_texts(question, texts)
    asked_otherwise = Context.of_texts("Which gene is velin7?", texts)
    full = probabilities("Which gene is velin7?", RELEVANCE[:2], asked_otherwise, trees)
    assert probabilities(question, RELEVANCE[:2], context, trees) == [full[0], 0.5 * full[1]]
    assert full[1] > 0.9


def test_what_tells_nothing_of_the_aspect_asked_for_opens_half_as_well():
    texts = ["Velin is a gift of newts.", "Velin blocks the songs of newts."]
    roles = np.tile([0.0, 0.0, 0.0, 1.0, 0.0], (2, 1))
    context = replace(Context.of_texts("Does velin have a mechanism?", texts), roles=roles)
    question = "Do you know the mechanism of velin?"
    assert probabilities(question, RELEVANCE[:2], context, None) == [0.25, 0.5]


@pytest.mark.parametrize("question", ["Newts sing by VELIN7.", ""])
def test_what_asks_nothing_predicts_nothing(question, trees):
    assert (
        probabilities(question, RELEVANCE, Context.of_texts(question, [*TEXTS]), trees)
        == [None] * 3
    )


def test_only_the_most_relevant_are_read(trees):
    texts = [TEXTS[1]] * 14
    held = probabilities(QUESTION, 1 - np.arange(14) / 20, Context.of_texts(QUESTION, texts), trees)
    assert [(value or 0.0) > 0.5 for value in held] == [True] * 12 + [False] * 2


@pytest.mark.parametrize("question", [QUESTION, "Do newts sing?"])
def test_those_of_some_are_those_of_all(question, trees):
    context = Context.of_texts(question, [*TEXTS])
    of_all = probabilities(question, RELEVANCE, context, trees)
    of_some = answer_probabilities(question, RELEVANCE, context, [2, 1], trees)
    assert of_some == [of_all[2], of_all[1]]


def test_no_candidates(trees):
    assert probabilities(QUESTION, np.zeros(0), Context.of_texts(QUESTION, []), trees) == []


def test_what_cannot_stand_alone_has_half():
    def opens(held: float) -> str:
        hanging = Sentence("They sing by VELIN7.", "1", 0, 20, 4, relevance=0.5, holds_answer=held)
        return first((hanging, Sentence(TEXTS[0], "2", 0, 34, 7, relevance=0.5, holds_answer=0.4)))

    assert opens(0.79) == TEXTS[0]
    assert opens(0.81) == "They sing by VELIN7."


def test_one_that_lost_its_connective_is_the_last_choice():
    texts = TEXTS[0], f"However, {TEXTS[1]}"
    sentences = [
        Sentence(t, str(i), 0, len(t), 6, relevance=0.5, holds_answer=0.1 + i)
        for i, t in enumerate(texts)
    ]
    assert arrange(sentences, "answer", (0, 1), Rules(connected=((1, None),)))[0].text == TEXTS[0]


def test_answers_to_searched_questions_are_told_and_ordered_by_it():
    search = AbstractSearch.of_documents([Document(str(i), text) for i, text in enumerate(TEXTS)])
    pipeline = Summarizer.load("concepts-searched", explained=False).for_kind("searched")

    def held(question: str) -> list[bool]:
        topic = with_documents(Topic("q", question), search, least_coverage=0.0)
        opened = pipeline.opened(pipeline.prepare(topic), [0, 2])
        return [s.holds_answer is not None for s in opened.sentences]

    assert held(QUESTION) == [True, False, True]
    assert held("Do newts sing by VELIN7 in ponds?") == [True, False, True]
    assert held("Newts sing by VELIN7 in ponds.") == [False] * 3


def test_trees_that_ship_and_others(tmp_path, trees):
    assert shipped().reads(len(COLUMNS))
    wide = np.zeros((200, len(COLUMNS) + 1))
    wide[:100, -1] = 1
    wider = TreeParameters(rounds=1, least=5, share=1.0, members=1).fit(wide, wide[:, -1])
    description, arrays = flatten(wider)
    persistence.save(tmp_path / "m.npz", KIND, PROTOCOL, {"trees": description}, arrays)
    with pytest.raises(ModelError, match=r"invalid .*; reinstall ilpsum"):
        load(tmp_path / "m.npz")
    with pytest.raises(ModelError, match="no such model file; reinstall ilpsum"):
        load(tmp_path / "none.npz")
    description, arrays = flatten(trees)
    persistence.save(tmp_path / "m.npz", KIND, PROTOCOL, {"trees": description}, arrays)
    rows = np.eye(len(COLUMNS))
    assert load(tmp_path / "m.npz").predict(rows).tolist() == trees.predict(rows).tolist()
