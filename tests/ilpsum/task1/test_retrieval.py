"""The index of spans, the rankings against textbook loops, and the choice of three spans."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.sentences import split_sentences
from features.text import STOP_WORDS, Passage, porter
from ilpsum.records import Document, Section
from ilpsum.task1.retrieval import RANKINGS, SpanIndex, bm25, choose, vector_space
from ilpsum.task1.terms import Analysis
from ilpsum.tasks import read_topics
from ilpsum.tasks.task1 import MAX_SENTENCES

TEXT = (
    "Alder bark slows moss. Birch sap feeds moss and fern. Cedar oil harms fern spores badly. "
    "Willow bark eases fever in mice. Moss needs shade and water. Fern spores need water too. Mice eat willow bark."
)


@pytest.fixture
def index():
    return SpanIndex.of(Document("paper.txt", TEXT, role="reference"))


def test_the_index_has_all_spans_of_one_to_five_consecutive_sentences(index):
    expected = {(a, b) for a in range(7) for b in range(a + 1, min(a + 5, 7) + 1)}
    assert {tuple(span) for span in index.spans.tolist()} == expected
    assert len(index.spans) == len(expected)


def test_counts_of_a_span_are_those_of_its_text(index):
    for (first, last), row in zip(index.spans.tolist(), index.span_counts, strict=True):
        words = Counter(stem for p in index.passages[first:last] for stem in p.content_stems)
        assert {stem: row[j] for stem, j in index.vocabulary.items() if row[j]} == words


def test_the_characters_of_a_span_are_those_of_its_sentences(index):
    span = index.characters(1, 3)
    assert (
        TEXT[span.start : span.end]
        == "Birch sap feeds moss and fern. Cedar oil harms fern spores badly."
    )


def test_no_span_crosses_a_caption():
    parts = [
        "Moss grows in shade.",
        "Counts of spores in every plot over summer. " * 6,
        "Fern grows in light.",
    ]
    kinds = ["results", "figure", "results"]
    starts = [sum(len(p) for p in parts[:i]) for i in range(3)]
    sections = tuple(
        Section("", k, a, a + len(p)) for k, a, p in zip(kinds, starts, parts, strict=True)
    )
    index = SpanIndex.of(Document("paper.xml", "".join(parts), role="reference", sections=sections))
    assert [s.text for s in index.sentences] == [parts[0], parts[2]]
    assert index.joins == (False, False)


def test_no_span_crosses_a_heading():
    text = "Abstract\nMoss grows in deep shade. Fern grows in bright light.\n\nResults\nBirch sap feeds moss in spring."
    index = SpanIndex.of(Document("paper.txt", text, role="reference"))
    assert [s.text for s in index.sentences][-1] == "Birch sap feeds moss in spring."
    assert index.joins == (False, True, False)


def test_no_span_has_more_than_five_sentences_as_check_counts_them(real_data):
    for topic in read_topics([real_data / "tac2014"]):
        index = SpanIndex.of(topic.reference)
        text = topic.reference.text
        longest = [
            index.characters(a, b) for a, b in index.spans.tolist() if b - a == MAX_SENTENCES
        ]
        assert longest
        assert max(len(split_sentences(text[s.start : s.end])) for s in longest) <= MAX_SENTENCES


@pytest.mark.parametrize("weighting", ["tf-idf", "counts"])
@pytest.mark.parametrize("stop_words", [True, False])
@pytest.mark.parametrize("stem", [True, False])
def test_vector_space_equals_the_textbook_cosine(weighting, stop_words, stem):
    def terms(text):
        words = [w for w in Passage(text).words if stop_words or w not in STOP_WORDS]
        return Counter(map(porter, words) if stem else words)

    def norm(vector):
        return math.sqrt(sum(v * v for v in vector.values()))

    def weighted(counts):
        if weighting == "counts":
            return counts
        return {term: (1 + math.log(n)) * idf[term] for term, n in counts.items() if term in idf}

    analysis = Analysis(weighting=weighting, stop_words=stop_words, stem=stem)
    index = SpanIndex.of(Document("paper.txt", TEXT, role="reference"), analysis=analysis)
    query = terms("Moss and moss eases fern spores unheard")
    spans = [terms(" ".join(p.text for p in index.passages[a:b])) for a, b in index.spans.tolist()]
    idf = {
        term: math.log(1 + len(spans) / sum(term in span for span in spans))
        for term in index.vocabulary
    }
    own = weighted({term: n for term, n in query.items() if term in idf})
    for score, vector in zip(vector_space(index, query), map(weighted, spans), strict=True):
        dot = sum(weight * vector.get(term, 0) for term, weight in own.items())
        assert score == pytest.approx(dot / norm(own) / norm(vector))


def test_bm25_equals_the_textbook_formula(index):
    scores = bm25(index, {"moss": 1.0, "water": 1.0})
    spans = [
        Counter(s for p in index.passages[a:b] for s in p.content_stems)
        for a, b in index.spans.tolist()
    ]
    mean = sum(sum(span.values()) for span in spans) / len(spans)
    for score, span in zip(scores, spans, strict=True):
        expected = 0.0
        for stem in ("moss", "water"):
            df = sum(stem in other for other in spans)
            damped = span[stem] + 1.2 * (0.25 + 0.75 * sum(span.values()) / mean)
            expected += (
                math.log(1 + (len(spans) - df + 0.5) / (df + 0.5)) * span[stem] * 2.2 / damped
            )
        assert score == pytest.approx(expected)


@pytest.mark.parametrize("name", list(RANKINGS))
def test_every_ranking_prefers_the_sentence_that_says_the_same(index, name):
    query = {"willow": 1.0, "bark": 1.0, "eas": 1.0, "fever": 1.0, "mice": 1.0}
    best = index.spans[int(RANKINGS[name](index, query).argmax())]
    assert best[0] <= 3 < best[1]


@pytest.mark.parametrize("name", list(RANKINGS))
def test_a_query_of_unknown_words_finds_nothing(index, name):
    assert len(choose(index, RANKINGS[name](index, {"unheard": 1.0}))) == 0


@given(st.lists(st.floats(0, 1), min_size=25, max_size=25), st.integers(1, 25), st.booleans())
def test_chosen_spans_are_at_most_three_disjoint_and_short(scores, top, rerank):
    index = SpanIndex.of(Document("paper.txt", TEXT, role="reference"))
    spans = choose(index, np.array(scores[: len(index.spans)]), top=top, rerank=rerank).tolist()
    assert len(spans) <= 3
    assert all(0 < b - a <= 5 for a, b in spans)
    assert all(b <= c or d <= a for i, (a, b) in enumerate(spans) for c, d in spans[:i])


def test_overlapping_spans_are_merged_into_their_union(index):
    scores = np.zeros(len(index.spans))
    places = {tuple(span): i for i, span in enumerate(index.spans.tolist())}
    scores[places[0, 2]], scores[places[1, 3]], scores[places[5, 6]] = 0.9, 0.8, 0.7
    assert choose(index, scores).tolist() == [[0, 3], [5, 6]]


def test_the_index_of_real_papers_covers_the_annotations(real_data):
    inside = total = 0
    for topic in read_topics([real_data / "tac2014"]):
        index = SpanIndex.of(topic.reference)
        covered = set()
        for s in index.sentences:
            covered.update(range(s.start, s.end))
        for citance in topic.citances:
            for span in (span for a in citance.annotations for span in a.spans):
                text = topic.reference.text
                letters = [i for i in range(span.start, span.end) if not text[i].isspace()]
                total += len(letters)
                inside += sum(i in covered for i in letters)
    assert inside / total > 0.95


def test_published_merging_exceeds_five_sentences(index):
    spans = {tuple(span): i for i, span in enumerate(index.spans.tolist())}
    scores = np.zeros(len(spans))
    for rank, span in enumerate([(0, 3), (2, 7), (5, 6)]):
        scores[spans[span]] = 3.0 - rank
    chosen = choose(index, scores, rerank=False)
    assert chosen.tolist() == [[0, 3], [5, 6]]
    assert choose(index, scores, rerank=False, longest=None).tolist() == [[0, 7]]
