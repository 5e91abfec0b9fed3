"""The score of how well abstracts hold a question's words, and the reason for no answer."""

import gzip
import itertools
import json
import math
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from features.retrieval import idf
from features.sentences import split_sentences
from ilpsum.io.idf import load_idf, singular
from ilpsum.records import Alternative, Document, SearchResult, Topic
from ilpsum.retrieval import AbstractSearch, Attaching, answerability, with_documents
from ilpsum.retrieval.analysis import terms
from ilpsum.retrieval.answerability import ANSWERED, Answerability, evidence
from ilpsum.retrieval.weights import smoothed_idf

POND = "Grey newts sing in cold ponds. Mirolone heals the leg ulcers of newts. Newts rest in winter."
MOOR = "Toads hum on the moor at dusk. Their songs last for hours. Herons listen in silence."
EVERYDAY = Path(__file__).parents[3] / "experiments" / "everyday.txt"


def search(*texts):
    return AbstractSearch.of_documents(Document(str(i), text) for i, text in enumerate(texts, start=1))


def judged(question, *texts, least_coverage=None):
    return with_documents(Topic("q", question), search(*texts), least_coverage=least_coverage).search


def naive(question, texts):
    """The formulas of the module in loops, for questions of plain words without stop words."""
    table, asked = load_idf(), terms(question)
    word = dict(zip(asked, question.rstrip("?").split(), strict=True))
    weight = {}
    for term in asked:
        known = sum(term in terms(text) for text in texts) + table.counts.get(singular(word[term]), 0)
        weight[term] = math.log((len(texts) + table.documents + 1) / (known + 0.5))
        if len(word[term]) == 1:
            weight[term] = min(weight[term], 3.0)
    whole = sum(w**2 for w in weight.values())
    subject = 0.0
    for text in texts:
        times = {term: terms(text).count(term) for term in weight}
        subject = max(subject, sum(weight[t] ** 2 * n / (n + 0.5) for t, n in times.items()) / whole)
    pairs, total, held = [p for p in itertools.pairwise(asked) if p[0] != p[1]], 0.0, 0.0
    for one, other in {tuple(sorted(pair)) for pair in pairs}:
        total += weight[one] * weight[other]
        sentences = [terms(text[start:end]) for text in texts for start, end in split_sentences(text)]
        for sentence in sentences:
            places = [(i, j) for i, a in enumerate(sentence) for j, b in enumerate(sentence) if (a, b) == (one, other)]
            if any(abs(i - j) <= 2 for i, j in places):
                held += weight[one] * weight[other]
                break
    near = held / total if total else 1.0
    logit = answerability.INTERCEPT + answerability.SUBJECT * subject + answerability.NEAR * near
    logit += answerability.WORDS * math.log(len(weight)) + answerability.SEARCHED * math.log(len(texts) + 1)
    held = {term for text in texts for term in terms(text)}
    if any(t not in held and singular(word[t]) not in table.counts and len(word[t]) > 1 for t in asked):
        logit += answerability.MISSING
    return 1 / (1 + math.exp(-logit)) if subject else 0.0


CONTENT = st.lists(
    st.sampled_from("newts toads ponds frost moths sing hum grey gene zygor k".split()), min_size=1, max_size=9
)
SENTENCE = CONTENT.map(lambda found: " ".join(found).capitalize() + ".")
TEXTS = st.lists(st.lists(SENTENCE, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=6)


@settings(deadline=None)
@given(CONTENT.filter(lambda found: len(set(found)) == len(found)), TEXTS)
def test_the_score_is_that_of_the_formulas(question, texts):
    asked = " ".join(question) + "?"
    assert judged(asked, *texts).answerable == pytest.approx(naive(asked, texts), abs=1e-9)


@settings(deadline=None)
@given(CONTENT, TEXTS, st.integers(0, 5))
def test_a_question_whose_words_an_abstract_says_together_is_answered(question, texts, place):
    sentence = " ".join(question).capitalize() + "."
    texts.insert(min(place, len(texts)), sentence)
    assert not judged(f"Do {' '.join(question)}?", *texts).unanswered


def test_a_name_that_no_abstract_has_leaves_the_question_unanswered():
    assert not judged("Does mirolone heal leg ulcers?", POND, MOOR).unanswered
    found = judged("Does Zanthexol-7 heal leg ulcers?", POND, MOOR)
    assert found.unanswered == "no text mentions 'Zanthexol-7'"
    assert found.answerable < ANSWERED
    assert [each.document for each in found.found] == ["1"]
    two = judged("Are Quibbet's newts and frobosis grey?", POND, MOOR)
    assert two.unanswered == "no text mentions 'Quibbet's' or 'frobosis'"


def test_words_that_only_different_abstracts_have_leave_the_question_unanswered():
    many = SearchResult(searched=20_000, query="Herons or ulcers?")
    found = answerability.judged(many, [POND, MOOR], {"heron": 9, "ulcer": 9})
    assert found.unanswered == "none of the abstracts found mentions 'Herons' and 'ulcers' together"
    assert judged("Who baked the pie?", POND, MOOR).unanswered == "no text contains a word of the question"
    assert judged("Why?", POND, MOOR).unanswered == "the question has no word to search for"


def test_the_words_of_an_instruction_do_not_count():
    assert judged("Please list newts.", POND, MOOR).answerable == judged("Newts?", POND, MOOR).answerable > ANSWERED


def test_another_form_of_a_word_counts_for_less():
    question, words = "Do newts hum?", {"hum": 1}
    alternative = (Alternative(("newts",), ("triton",), 0.5),)
    texts = ["Tritons hum. Mosses grow."]
    plain = evidence(SearchResult(searched=1, query=question), texts, words)
    other = evidence(SearchResult(searched=1, query=question, alternatives=alternative), texts, words)
    own = evidence(SearchResult(searched=1, query=question), ["Newts hum."], {"hum": 1, "newt": 0})
    assert plain.subject < other.subject < own.subject


def test_a_long_text_is_judged_in_parts():
    filler = "Moss grows on wet stones. " * 25
    apart = evidence(SearchResult(searched=1, query="Do newts hum?"), [f"Newts rest. {filler}Toads hum."], {})
    together = evidence(SearchResult(searched=1, query="Do newts hum?"), ["Newts rest. Toads hum."], {})
    assert apart.subject < together.subject
    assert apart.near == together.near == 0.0


def test_the_score_falls_with_the_collection_and_rises_with_the_question():
    assert Answerability(0.6, 0.5, False, 4, 20).score > Answerability(0.6, 0.5, False, 4, 20_000).score
    assert Answerability(0.6, 0.5, False, 4, 20).score > Answerability(0.6, 0.5, False, 2, 20).score
    assert Answerability(0.6, 0.5, False, 4, 20).score > Answerability(0.6, 0.5, True, 4, 20).score
    assert Answerability(0.0, 1.0, False, 4, 0).score == 0.0


def test_a_least_coverage_decides_alone():
    topic = Topic("q", "Does Zanthexol-7 heal leg ulcers?")
    assert with_documents(topic, search(POND, MOOR), least_coverage=0.0).documents
    refused = with_documents(topic, search(POND, MOOR), least_coverage=0.9)
    assert refused.documents
    assert refused.search.outcome == "nothing"
    assert refused.search.unanswered.endswith("of the question, below --coverage 0.9")
    attached = Attaching(search(POND, MOOR))(topic)
    assert attached.search.unanswered == "no text mentions 'Zanthexol-7'"


@pytest.mark.parametrize("others", [0, 1, 4, 19, 199])
def test_given_documents_are_judged_too(others):
    draw = random.Random(others)
    sentences = [
        f"{a} {b} by {c}." for a in ("Toads", "Moths") for b in ("hum", "shed") for c in ("day", "night", "sea")
    ]
    texts = [POND] + [" ".join(draw.sample(sentences, 3)) for _ in range(others)]
    documents = tuple(Document(str(i), text) for i, text in enumerate(texts))
    search = AbstractSearch.of_documents(documents)
    assert with_documents(Topic("q", "Does mirolone heal leg ulcers?"), search).documents[0] == documents[0]
    other = Topic("q", "Does zanthexol heal leg ulcers?")
    refused = with_documents(other, search)
    assert (refused.search.outcome, refused.search.unanswered) == ("nothing", "no text mentions 'zanthexol'")
    assert with_documents(other, search, least_coverage=0.0).documents


def test_everyday_questions_are_refused_and_those_of_the_abstracts_answered(real_data, tmp_path):
    abstracts = real_data / "bioasq" / "abstracts.jsonl.gz"
    real = AbstractSearch([abstracts], tmp_path)
    with gzip.open(abstracts, "rt", encoding="utf-8") as lines:
        there = {str(json.loads(line)["pmid"]) for line in lines}
    asked = []
    for file in sorted((real_data / "bioasq").glob("7B*_golden.json.gz")):
        questions = json.loads(gzip.decompress(file.read_bytes()))["questions"]
        held = (len({url.rpartition("/")[2] for url in question["documents"]} & there) for question in questions)
        asked += [question["body"] for question, number in zip(questions, held, strict=True) if number >= 3]
    asked = random.Random(1).sample(asked, 60)
    everyday = EVERYDAY.read_text(encoding="utf-8").splitlines()[::4]

    def refused(questions):
        return sum(bool(with_documents(Topic("q", text), real).search.unanswered) for text in questions)

    assert refused(everyday) >= 0.85 * len(everyday)
    assert refused(asked) <= 0.05 * len(asked)


def test_in_a_small_collection_a_rare_verb_weighs_less_than_the_subject():
    texts = [f"Aspirin relieves headache {n}." for n in range(9)] + ["Gloves prevent frostbite."]
    weight = dict(judged("Does aspirin prevent headache?", *texts).weights)
    assert weight["aspirin"] > weight["prevent"]


@given(st.sampled_from(["aspirin", "cell", "zanthexol"]), st.integers(100, 10**4))
def test_among_many_texts_the_background_hardly_counts(word, holding):
    searched = 100 * holding
    few, many = (
        abs(smoothed_idf(word, n * holding, n * searched) - idf(n * searched, 1.0 * n * holding)) for n in (1, 1000)
    )
    assert many <= few
    assert many < 0.1
    assert smoothed_idf("7", holding, searched) == idf(searched, float(holding))


@pytest.mark.parametrize(
    ("question", "unnamed"),
    [
        ("Do residents sing in RESID ponds?", "'RESID'"),
        ("Which gene is lost with p.21.3 in newts of 1p21.3?", "'p.21.3' or '1p21.3'"),
        ("Do newts-like toads of Moorfield hum?", "'Moorfield'"),
        ("Do BRAG1-deficient newts sing?", "'BRAG1'"),
    ],
)
def test_a_name_must_stand_in_a_text_as_it_is_written(question, unnamed):
    texts = [
        "Newts like toads sing and hum where residents reside in ponds, moors and fields.",
        "A gene lost at 1 p 21.",
    ]
    texts.append("Deficient newts lack BRAG 2 and 1 gene.")
    found = answerability.judged(SearchResult(3, question), texts, dict.fromkeys(terms(question), 1))
    assert found.unanswered == f"no abstract found mentions {unnamed}"


@pytest.mark.parametrize(
    "question",
    [
        "Is BRAG-2 lost in Moorfield's newts (BRN)?",
        "Do moorfield newts of type II hum?",
        "Does IL-6 drive the song of newts?",
    ],
)
def test_a_name_may_be_written_in_other_ways(question):
    texts = ["In Moorfields newts lose BRAG2.", "Moorfield newts of type 2 hum.", "IL6 drives the song of newts."]
    search = SearchResult(3, question, alternatives=(Alternative(("il-6",), ("interleukin", "6"), 0.4),))
    assert not list(answerability._unnamed(search, texts))
