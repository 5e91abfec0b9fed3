"""The price of a word, and the first sentences that are kept, against all subsets."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from features.context import Context
from ilpsum import Document, Summarizer, Topic
from ilpsum.errors import ArgumentError
from ilpsum.pipeline.objective import ilp_problem, with_lead, with_names
from ilpsum.pipeline.settings import changed
from ilpsum.selection import Problem, select

ROWS = st.lists(
    st.tuples(st.integers(1, 9), st.frozensets(st.integers(0, 8), max_size=5)),
    min_size=1,
    max_size=7,
)


def problem_of(rows: list[tuple[int, frozenset[int]]], **options: object) -> Problem:
    lengths, held = [words for words, _ in rows], [sorted(numbers) for _, numbers in rows]
    relevance = [0.1 * (i % 4) for i in range(len(rows))]
    price = [0.05 * (concept + 1) for concept in range(9)].__getitem__
    return Problem.build(held, lengths, relevance, 20, price=price, lambda_=0.1, **options)


@settings(deadline=None)
@given(ROWS, st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.lists(st.integers(0, 6), max_size=2))
def test_the_first_sentences_that_fit_are_kept(rows, share, barred):
    exclude = tuple(i for i in barred if i < len(rows))
    problem = problem_of(rows, exclude=exclude)
    expected, words = [], 0
    for i in (i for i in range(len(rows)) if i not in exclude):
        words += rows[i][0]
        if words > share * 20:
            break
        expected.append(i)
    kept = with_lead(problem, share)
    assert list(kept.include) == expected
    assert set(expected) <= set(select(kept).chosen)


def test_what_a_constraint_forbids_is_not_kept():
    rows = [(3, frozenset({1})), (3, frozenset({2})), (3, frozenset({3})), (3, frozenset({4}))]
    assert with_lead(problem_of(rows, groups=((0, 1),), requires=((2, 3),)), 0.5).include == (0, 3)
    assert with_lead(problem_of(rows, include=(3,)), 0.15).include == (0, 3)
    assert with_lead(problem_of(rows, sentence_limit=2), 1.0).include == (0, 1)


def snippets() -> Topic:
    texts = (
        "Crested newts sing at night in the ponds of the north. Toads were not heard in any of them.",
        "A song of newts lasts for seven minutes. In spring crested newts sing every night until the ponds freeze.",
        "Newts sing. The song of crested newts is a series of clicks and hums of low pitch.",
    )
    documents = [
        Document(str(i), text, role="snippet", source=str(i)) for i, text in enumerate(texts)
    ]
    return Topic("q", "Do crested newts sing?", tuple(documents))


def test_summaries_of_snippets_keep_the_first_sentences():
    summary = Summarizer.load("concepts")(snippets(), 36)
    assert summary.settings.selection.lead == 0.5
    first = [
        s for s in summary.sentences if s.why.endswith("one of the first sentences, which are kept")
    ]
    assert [s.text for s in first] == [summary.candidates[0].text]
    kept = {s.text for s in first}
    assert all((s.text in kept) == ("which are kept" in s.why) for s in summary.sentences)


def test_words_of_short_answers_have_a_price():
    summarizer = Summarizer.load("concepts-short").for_kind("snippets")
    own = summarizer.settings(200).selection
    assert (own.word_cost, own.lead) == (0.15, 0.0)
    summary, whole = summarizer(snippets(), 200), Summarizer.load("concepts")(snippets(), 200)
    assert 0 < len(summary) < len(whole)
    with pytest.raises(ArgumentError, match=r"selection\.lead: expected a number of at most 1"):
        changed(own, "selection", {"selection.lead": 1.5})


LIST = "Which drugs are used for newt pox?"
OFFERED = [
    "Newts get Velin or Mirolone.",
    "They get Velin.",
    "They also get nothing.",
    "Some newts get Frostol.",
]


@pytest.mark.parametrize(
    ("question", "weight", "chosen"),
    [(LIST, 1.0, (0, 3)), (LIST, 0.0, (0, 2)), ("Is newt pox treated?", 1.0, (0, 2))],
)
def test_names_are_covered_where_a_list_is_asked_for(question, weight, chosen):
    around, relevance = Context.of_texts(question, OFFERED), [0.9, 0.8, 0.7, 0.5]
    lengths = [len(s.words) for s in around.sentences]
    problem = ilp_problem(np.array(relevance), lengths, around, 9, alpha="clip", kind="stems").at(
        0.5
    )
    changed = with_names(replace(problem, weights=problem.weights * 0.0), around, relevance, weight)
    best = max(
        (c for k in range(5) for c in combinations(range(4), k) if changed.allows(c)),
        key=lambda c: changed.value(c),
    )
    assert select(changed).chosen == best == chosen
    if chosen == (0, 3):
        # Velin and Mirolone by the best sentence that has them, then Frostol.
        assert sorted(changed.weights.tolist()) == pytest.approx([0.5, 0.9, 0.9])
