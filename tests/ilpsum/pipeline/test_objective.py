"""The price of a word that maximises expected F1, and the first sentences that are kept, against all subsets."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from features.context import Context
from ilpsum import Document, Summarizer, Topic
from ilpsum.errors import ArgumentError
from ilpsum.learning.log_linear import OF_KIND
from ilpsum.pipeline.objective import at_best_ratio, ilp_problem, led, named
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
@given(ROWS, st.floats(0.5, 60.0))
def test_no_allowed_set_has_a_better_ratio(
    rows: list[tuple[int, frozenset[int]]], gold: float
) -> None:
    problem = problem_of(rows)
    priced = at_best_ratio(problem, gold, select)
    chosen = select(priced).chosen
    sets = [
        c
        for k in range(1, len(rows) + 1)
        for c in combinations(range(len(rows)), k)
        if problem.allows(c)
    ]
    ratios = {c: problem.value(c) / (gold + sum(rows[i][0] for i in c)) for c in sets}
    assume(max(ratios.values()) > 0.0)
    assert ratios[chosen] == pytest.approx(max(ratios.values()), rel=1e-6)
    assert priced.word_cost == pytest.approx(max(ratios.values()), rel=1e-6)


@settings(deadline=None)
@given(ROWS, st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.lists(st.integers(0, 6), max_size=2))
def test_the_first_sentences_that_fit_are_kept(
    rows: list[tuple[int, frozenset[int]]], share: float, barred: list[int]
) -> None:
    exclude = tuple(i for i in barred if i < len(rows))
    problem = problem_of(rows, exclude=exclude)
    expected, words = [], 0
    for i in (i for i in range(len(rows)) if i not in exclude):
        words += rows[i][0]
        if words > share * 20:
            break
        expected.append(i)
    kept = led(problem, share)
    assert list(kept.include) == expected
    assert set(expected) <= set(select(kept).chosen)


def test_what_a_constraint_forbids_is_not_kept() -> None:
    rows = [(3, frozenset({1})), (3, frozenset({2})), (3, frozenset({3})), (3, frozenset({4}))]
    assert led(problem_of(rows, groups=((0, 1),), requires=((2, 3),)), 0.5).include == (0, 3)
    assert led(problem_of(rows, include=(3,)), 0.15).include == (0, 3)
    assert led(problem_of(rows, sentence_limit=2), 1.0).include == (0, 1)


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


def test_summaries_of_snippets_keep_the_first_sentences() -> None:
    summary = Summarizer.load("concepts")(snippets(), 36)
    assert summary.settings.selection.lead == 0.5
    first = [
        s for s in summary.sentences if s.why.endswith("one of the first sentences, which are kept")
    ]
    assert [s.text for s in first] == [summary.candidates[0].text]
    kept = {s.text for s in first}
    assert all((s.text in kept) == ("which are kept" in s.why) for s in summary.sentences)


def test_short_answers_maximise_their_expected_f1() -> None:
    summarizer = Summarizer.load("concepts-short").for_kind("snippets")
    prepared = summarizer.prepare(snippets())
    assert prepared.gold_words is not None
    assert summarizer.settings(200).selection.maximise == "f1"
    problem = summarizer.problem(prepared, 200)
    chosen = summarizer.select(prepared, 200).chosen
    free = replace(problem, word_cost=0.0)
    lengths, n = np.array([s.words for s in prepared.sentences]), len(prepared.sentences)
    sets = (c for k in range(1, n + 1) for c in combinations(range(n), k))
    best = max(sets, key=lambda c: free.value(c) / (prepared.gold_words + lengths[list(c)].sum()))
    assert chosen == best
    longer = replace(prepared, gold_words=10 * prepared.gold_words)
    words = [
        sum(s.words for s in summarizer.summary(p, summarizer.select(p, 200), 200))
        for p in (prepared, longer)
    ]
    assert words[0] < words[1]


def test_the_type_of_a_question_multiplies_the_length_of_its_answer() -> None:
    summarizer = Summarizer.load("concepts-short").for_kind("snippets")
    kinds = ("", "poem", "factoid", "summary")
    words = [summarizer.prepare(replace(snippets(), kind=kind)).gold_words or 0.0 for kind in kinds]
    assert words[0] == words[1]
    assert words[2] / words[0] == pytest.approx(OF_KIND["factoid"])
    assert words[3] / words[0] == pytest.approx(OF_KIND["summary"])
    assert words[2] < words[0] < words[3]


def test_where_no_length_is_learned_the_price_of_words_holds() -> None:
    summarizer = Summarizer.load("concepts-short").for_kind("searched")
    assert (
        summarizer.settings(200).selection.maximise,
        summarizer.settings(200).selection.word_cost,
    ) == ("value", 0.15)
    short = summarizer.system.selection
    assert (short.maximise, short.lead) == ("f1", 0.0)
    with pytest.raises(ArgumentError, match=r"selection\.lead: expected a number of at most 1"):
        changed(short, "selection", {"selection.lead": 1.5})


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
def test_names_are_covered_where_a_list_is_asked_for(
    question: str, weight: float, chosen: tuple[int, ...]
) -> None:
    around, relevance = Context.of_texts(question, OFFERED), [0.9, 0.8, 0.7, 0.5]
    lengths = [len(s.words) for s in around.sentences]
    problem = ilp_problem(np.array(relevance), lengths, around, 9, alpha="clip", kind="stems").at(
        0.5
    )
    changed = named(replace(problem, weights=problem.weights * 0.0), around, relevance, weight)
    best = max(
        (c for k in range(5) for c in combinations(range(4), k) if changed.allows(c)),
        key=lambda c: changed.value(c),
    )
    assert select(changed).chosen == best == chosen
    if chosen == (0, 3):
        # Velin and Mirolone by the best sentence that has them, then Frostol.
        assert sorted(changed.weights.tolist()) == pytest.approx([0.5, 0.9, 0.9])
