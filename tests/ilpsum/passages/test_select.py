"""`ilpsum.select`: verbatim, in source order, never over budget, and best among all subsets."""

import math
import re
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilpsum
from features.sentences import split_sentences
from ilpsum import Document, Passage, Passages, Summarizer, select
from ilpsum.answers.attaching import as_found
from ilpsum.errors import ArgumentError, IlpsumError
from tests.measures import peak

QUESTION = "What does velin 2 do in the wings of the tarn moth?"
TEXTS = [
    "Tarn moths live beside mountain lakes. Velin 2 binds the scales of the tarn moth to its wing at low temperature. "
    "The lakes freeze in November.",
    "Frost switches velin 2 off, and the wings of the tarn moth lose their scales.\nBeetles have  no velins at all.",
    "The museum is open on Sundays. It shows nine stuffed owls and a boat.",
]


def tokens(text: str) -> int:
    """Pieces of words and stops."""
    return len(re.findall(r"\w{1,4}|[^\w\s]", text))


def special(text: str) -> int:
    """A tokenizer that adds two special tokens to every text."""
    return tokens(text) + 2


def steep(text: str) -> int:
    """A joined text costs far more than its parts."""
    return len(text.split()) ** 2


def halves(text: str) -> float:
    """A price: fractions."""
    return 0.07 * len(text)


def merging(text: str) -> int:
    """Letters merge over a join with what follows: neither more nor less than the parts throughout."""
    return len(re.findall(r"[a-z.]+ ?[A-Z]?|\S", text))


def shared(text: str) -> int:
    """A word costs once, however often it occurs."""
    return len(set(text.casefold().split()))


COUNTS = [tokens, special, steep, halves, merging, shared, len]


@pytest.mark.parametrize("count", COUNTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("separator", [" ", "\n\n", " | "])
def test_never_over_budget_verbatim_and_in_order(count, separator):
    for budget in (0, 1, 7, 13.5, 20, 60, 170, 400, 5000):
        chosen = select(QUESTION, TEXTS, budget, count, separator=separator)
        assert chosen.text == separator.join(p.text for p in chosen)
        assert not chosen or count(chosen.text) == pytest.approx(chosen.cost)
        assert chosen.cost <= budget
        assert all(TEXTS[int(p.source)][p.start : p.end] == p.text for p in chosen)
        places = [(int(p.source), p.start) for p in chosen]
        assert places == sorted(set(places))
        fitting = [s for t in TEXTS for s in re.split(r"(?<=[.])\s+", t) if count(s) <= budget]
        assert bool(chosen) == bool(fitting), budget
        assert chosen.warnings or chosen


WORDS = "newts sing Moths shed scales in winter frost while Beetles dig deep".split()
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(
    lambda words: " ".join(words).capitalize()
)


@given(
    st.lists(st.lists(SENTENCES, min_size=1, max_size=3), min_size=1, max_size=4),
    st.integers(0, 60),
    st.sampled_from(COUNTS),
    st.sampled_from([" ", "\n"]),
)
def test_never_over_budget_on_any_texts(texts, budget, count, separator):
    given = [". ".join(sentences) + "." for sentences in texts]
    chosen = select(
        "", given, budget, count, separator=separator, relevance=lambda text: len(set(text))
    )
    assert not chosen or count(separator.join(p.text for p in chosen)) <= budget
    assert all(given[int(p.source)][p.start : p.end] == p.text for p in chosen)
    alone = [count(text[start:end]) for text in given for start, end in split_sentences(text)]
    # The sentence of the least relevance has relevance 0, and without a bigram no value.
    if "no sentence is worth taking" not in chosen.warnings:
        assert bool(chosen) == (min(alone) <= budget)


def bigrams(text: str) -> set[tuple[str, str]]:
    words = re.findall(r"\w+", text.lower())
    return set(pairwise(words))


@pytest.mark.parametrize("lambda_", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("budget", [12, 20, 33])
def test_own_scores_are_the_published_model(lambda_, budget):
    """Equation 1 over all subsets: min-max relevance per word of the limit, bigrams at 1/n."""
    sentences = [s for t in TEXTS for s in re.split(r"(?<=[.])\s+", t)]
    scores = {s: 3.0 + len(s) % 7 for s in sentences}
    low, high = min(scores.values()), max(scores.values())

    def value(subset: tuple[str, ...]) -> float:
        relevance = sum((scores[s] - low) / (high - low) * len(s.split()) / budget for s in subset)
        covered = set().union(*map(bigrams, subset))
        return lambda_ * relevance + (1 - lambda_) * len(covered) / len(sentences)

    subsets = (c for k in range(len(sentences) + 1) for c in combinations(sentences, k))
    best = max(value(c) for c in subsets if sum(len(s.split()) for s in c) <= budget)
    chosen = select("unused", TEXTS, budget, relevance=lambda text: scores[text], lambda_=lambda_)
    assert chosen.objective == pytest.approx(best)
    assert value(tuple(p.text for p in chosen)) == pytest.approx(best)
    assert (chosen.bound, chosen.gap, chosen.status) == (chosen.objective, 0.0, "optimal")
    assert [p.relevance for p in chosen] == [scores[p.text] for p in chosen]


def test_own_concepts_with_and_without_weights():
    def of(text: str) -> list[str]:
        return ["velin"] * text.lower().count("velin 2") + ["owl"] * text.count("owls")

    covering = select("?", TEXTS, 25, relevance=lambda text: 0.5, concepts=of, lambda_=0.0)
    assert {"owl", "velin"} == {concept for p in covering for concept in of(p.text)}
    assert len(covering) == 2
    heavy = select(
        "?",
        TEXTS,
        10,
        relevance=lambda text: 0.5,
        concepts=lambda t: {"owl": t.count("owls") * 9.0},
    )
    assert [p.text for p in heavy] == ["It shows nine stuffed owls and a boat."]
    assert "covers 1 concept that no other" in heavy[0].why
    with_model = select(QUESTION, TEXTS, 25, concepts=of)
    assert with_model.gap == 0.0


def test_the_default_is_the_system_concepts():
    topic = ilpsum.Topic(
        id="t",
        query=QUESTION,
        documents=tuple(Document(str(i), text) for i, text in enumerate(TEXTS)),
    )
    summary = Summarizer.load("concepts")(as_found(topic), words=30)
    chosen = select(QUESTION, TEXTS, 30)
    places = {(int(s.document), s.start, s.end): s.why for s in summary}
    assert [(p.source, p.start, p.end) for p in chosen] == sorted(places)
    assert summary.settings.system.kind == "searched"
    assert chosen.objective == pytest.approx(summary.objective)
    assert [p.why for p in chosen] == [places[place] for place in sorted(places)]
    assert list(select(QUESTION, TEXTS, 30, system=Summarizer.load("concepts"))) == list(chosen)


def test_documents_and_mappings_are_named_by_their_ids():
    given = [
        Document("pmid-1", TEXTS[0]),
        {"text": TEXTS[1], "id": "b", "score": 3},
        {"text": TEXTS[2], "title": "Notes"},
    ]
    chosen = select(QUESTION, given, 200, relevance=lambda text: 1.0)
    assert list(dict.fromkeys(p.source for p in chosen)) == ["pmid-1", "b", 2]
    papers = [Document("a", TEXTS[0], role="reference"), Document("b", TEXTS[1], role="citing")]
    assert {p.source for p in select(QUESTION, papers, 200)} == {"a", "b"}


def test_constraints():
    def score(text: str) -> float:
        return float("velin" in text)

    kept = select("?", TEXTS, 20, relevance=score, keep=lambda p: "museum" in p.text)
    assert any("museum" in p.text for p in kept)
    barred = select(
        "?", TEXTS, 60, relevance=score, bar=lambda p: p.source == 1 or "lakes" in p.text
    )
    assert {p.source for p in barred} == {0, 2}
    assert not any("lakes" in p.text for p in barred)
    one = select("?", TEXTS, 60, relevance=score, per_source=1)
    assert sorted(int(p.source) for p in one) == [0, 1, 2]
    # Passages to keep are kept even if the estimate of their joined cost leaves too little room.
    both = select("?", TEXTS, 13**2, steep, relevance=score, keep=lambda p: "lakes" in p.text)
    assert [p.text for p in both] == [
        "Tarn moths live beside mountain lakes.",
        "The lakes freeze in November.",
    ]


def test_an_empty_question_and_no_texts():
    assert select("", TEXTS, 30).gap == 0.0
    for texts in ([], [""], ["   \n"]):
        nothing = select(QUESTION, texts)
        assert (len(nothing), nothing.text, nothing.cost) == (0, "", 0.0)
        assert nothing.warnings == ("no text holds a sentence",)
    assert select(QUESTION, TEXTS, 2).warnings == ("no candidate fits a budget of 2",)


def test_equal_sentences_count_once():
    chosen = select(
        "?", ["Newts sing.", "Newts  sing. Owls do not."], 100, relevance=lambda text: 1.0
    )
    assert [(p.source, p.text) for p in chosen] == [(0, "Newts sing."), (1, "Owls do not.")]


def test_a_sequence_with_its_proof():
    chosen = select(QUESTION, TEXTS, 40, tokens)
    assert isinstance(chosen, Passages)
    assert isinstance(chosen[0], Passage)
    assert [*chosen][-1] == chosen[-1]
    assert str(chosen) == chosen.text
    assert chosen.cost <= chosen.limit <= chosen.budget == 40
    assert all(p.cost == tokens(p.text) for p in chosen)


def test_a_solve_with_a_lower_limit_says_so():
    def count(text: str) -> int:
        # From the third sentence on each costs more, which no pair of sentences shows.
        return len(text.split()) + 5 * max(0, text.count(".") - 2)

    chosen = select("?", TEXTS, 40, count, relevance=lambda text: 1.0)
    assert chosen.cost <= 40
    assert chosen.limit < 40
    assert chosen.warnings[0].startswith("joined passages cost more")


def test_the_node_limit_leaves_a_gap_and_never_the_clock():
    texts = [
        f"{' '.join(WORDS[(i * j) % 11] for j in range(1, 5 + i % 3))} {i} newts."
        for i in range(60)
    ]
    few = select("?", texts, 60, relevance=lambda text: len(text) % 5, nodes=1)
    assert (few.status, few.gap > 0) == ("limit", True)
    assert few.bound >= select("?", texts, 60, relevance=lambda text: len(text) % 5).objective
    assert few == select("?", texts, 60, relevance=lambda text: len(text) % 5, nodes=1)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"budget": -1}, "budget: expected a number from 0 to 1,000,000, got -1"),
        ({"budget": math.nan}, "budget: .* got nan"),
        ({"budget": math.inf}, "budget"),
        ({"budget": "300"}, "budget"),
        ({"budget": True}, "budget"),
        ({"count": 3}, "count: expected a function"),
        (
            {"count": lambda text: -1},
            "count returned -1 for 'Tarn moths live beside mountain lakes.'",
        ),
        ({"count": lambda text: math.nan}, "count returned nan"),
        ({"count": lambda text: math.inf}, "count returned inf"),
        ({"count": str.split}, "count returned .*expected a finite number"),
        ({"count": lambda text: None}, "count returned None"),
        ({"question": None}, "question: expected text, got None"),
        (
            {"texts": "one text"},
            "texts: expected a list of text, a Document or a mapping, got 'one text'",
        ),
        ({"texts": None}, "texts: expected a list"),
        (
            {"texts": {"text": "one"}},
            "texts: expected a list of text, a Document or a mapping, got dict",
        ),
        ({"texts": ["a", 3]}, r"texts\[1\]: expected text, a Document or a mapping, got 3"),
        (
            {"texts": [{"content": "a"}]},
            r"texts\[0\]: expected a string under the key 'text', got NoneType",
        ),
        ({"texts": [{"text": "a", "title": 3}]}, "'title', got int"),
        ({"texts": [{"text": "a", "id": 0.5}]}, "as id, got float"),
        ({"texts": [{"text": "a", "id": True}]}, "as id, got bool"),
        (
            {"texts": [Document("a", "x"), {"text": "y", "id": "a"}]},
            r"texts\[0\] and texts\[1\] have one id, 'a'",
        ),
        ({"separator": None}, "separator"),
        ({"lambda_": 1.5}, "lambda_: expected a number from 0 to 1, got 1.5"),
        ({"per_source": 0}, "per_source: expected a whole number, 1 or more, got 0"),
        ({"nodes": 2.5}, "nodes"),
        ({"nodes": None}, "nodes: expected a whole number, 1 or more, got None"),
        ({"system": "none"}, "system: unknown name 'none'; expected one of "),
        ({"system": 3}, "system: expected text or a Summarizer, got 3"),
        ({"system": "gr-sum-2"}, "system: gr-sum-2 does not select with the ILP"),
        ({"relevance": lambda text: math.nan}, "relevance returned nan; expected a finite number"),
        ({"relevance": lambda text: "3"}, "relevance returned '3'"),
        ({"concepts": lambda text: "abc"}, "concepts returned 'abc'; expected an iterable"),
        ({"concepts": lambda text: 3}, "concepts returned 3"),
        ({"concepts": lambda text: {"a": -1}}, "concepts gave 'a' the weight -1"),
        ({"keep": lambda p: True, "bar": lambda p: True}, "keep and bar both select 'Tarn moths"),
        (
            {"keep": lambda p: True, "budget": 5},
            "the passages to keep cost 61 of a budget of 5; keep fewer",
        ),
        ({"budget": 1_000_001}, "budget: expected a number from 0 to 1,000,000, got 1000001"),
    ],
)
def test_wrong_arguments_get_one_clear_line(wrong, says):
    arguments = {"question": QUESTION, "texts": TEXTS, "budget": 50} | wrong
    with pytest.raises(ArgumentError, match=says) as caught:
        select(**arguments)  # type: ignore[arg-type]
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, IlpsumError)
    assert "\n" not in str(caught.value)


def test_half_of_a_surrogate_pair_is_a_wrong_argument():
    broken = "\ud800 newts sing in ponds."
    cases = (
        (broken, TEXTS),
        (QUESTION, [broken]),
        (QUESTION, [{"text": broken}]),
        (QUESTION, [Document("1", broken)]),
    )
    for question, texts in cases:
        with pytest.raises(ArgumentError, match="half of a surrogate pair at 0"):
            select(question, texts)


@pytest.mark.parametrize("dear", [1e2, 1e4])
def test_prices_in_small_units_take_little_memory_and_have_the_same_optimum(dear):
    """A word costs about `dear` units; what fits best does not change with the unit, and neither does the proof."""
    texts = [
        " ".join(f"Moth{i} velin{k} binds {'scales ' * (k % 5)}in {i}." for k in range(8))
        for i in range(12)
    ]
    cheap = select(QUESTION, texts, 100, lambda text: len(text.split()), concepts=str.split)

    def at_this_price():
        return select(
            QUESTION, texts, 100 * dear, lambda text: len(text.split()) * dear, concepts=str.split
        )

    # The exact table has 4 million entries at the most.
    assert peak(at_this_price) < 140e6
    chosen = at_this_price()
    assert (chosen.status, chosen.gap) == ("optimal", 0.0)
    assert chosen.cost <= 100 * dear
    assert chosen.objective == pytest.approx(cheap.objective, rel=1e-9)
    assert [p.text for p in chosen] == [p.text for p in cheap]


@pytest.mark.parametrize("huge", [10**400, 1e300])
def test_numbers_beyond_what_a_float_holds(huge):
    def count(text: str) -> float:
        return huge if "Frost" in text else len(text)

    if huge > 1e308:
        for wrong in (
            {"count": count},
            {"budget": huge},
            {"relevance": count},
            {"concepts": lambda _: {"a": huge}},
        ):
            with pytest.raises(ArgumentError):
                select(QUESTION, TEXTS, **{"budget": 100, **wrong})  # type: ignore[arg-type]
    else:
        chosen = select(QUESTION, TEXTS, 170, count)
        assert chosen
        assert "Frost" not in chosen.text


def test_a_reranker_gets_the_question_and_all_sentences_at_once():
    asked = []

    def rerank(question, sentences):
        asked.append((question, len(sentences)))
        return np.array([float("museum" in text) for text in sentences], np.float32)

    assert "museum" in select(QUESTION, TEXTS, 20, relevance=rerank, lambda_=1.0).text
    assert asked == [(QUESTION, 7)]
    own = select(QUESTION, TEXTS, 20, relevance=lambda text: float("museum" in text), lambda_=1.0)
    assert select(QUESTION, TEXTS, 20, relevance=rerank, lambda_=1.0).text == own.text
    with pytest.raises(ValueError, match="returned 1 number; expected one for each of"):
        select(QUESTION, TEXTS, 20, relevance=lambda question, sentences: [1.0])
