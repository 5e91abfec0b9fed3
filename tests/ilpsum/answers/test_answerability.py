"""What texts lack of a question, and the weights of its words."""

import gzip
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.retrieval import idf
from ilpsum import Summarizer
from ilpsum.answers import asked
from ilpsum.answers.attaching import Attaching, with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.weights import smoothed_idf
from ilpsum.pipeline.terms import tokens
from ilpsum.records import Alternative, Document, SearchResult, Topic
from tests.systems import RANDOM

POND = (
    "Grey newts sing in cold ponds. Mirolone heals the leg ulcers of newts. Newts rest in winter."
)
MOOR = "Toads hum on the moor at dusk. Their songs last for hours. Herons listen in silence."
EVERYDAY = Path(__file__).parents[3] / "experiments" / "everyday.txt"


def search(*texts):
    return AbstractSearch.of_documents(
        Document(str(i), text) for i, text in enumerate(texts, start=1)
    )


def test_a_least_coverage_decides_alone():
    topic = Topic("q", "Does Zanthexol-7 heal leg ulcers?")
    assert with_documents(topic, search(POND, MOOR), least_coverage=0.0).documents
    refused = with_documents(topic, search(POND, MOOR), least_coverage=0.9)
    assert refused.documents
    assert refused.search.outcome == "nothing"
    assert refused.search.unanswered.endswith("of the question, below the required 90%")
    attached = Attaching(search(POND, MOOR))(topic)
    assert (attached.search.outcome, attached.search.unnamed) == (
        "answer",
        ("Zanthexol-7",),
    )


def test_a_long_question_is_scanned_once(monkeypatch):
    read = []
    monkeypatch.setattr(asked, "tokens", lambda chunk: read.append(chunk) or tokens(chunk))
    query = " ".join(f"word{n}" for n in range(500))
    assert [asked.as_written(f"word{n}", query) for n in range(500)] == query.split()
    assert asked.as_written("absent", query) == "absent"
    assert len(read) == 500


def test_everyday_questions_are_refused_and_those_of_the_abstracts_answered(real_data, tmp_path):
    abstracts = real_data / "bioasq" / "abstracts.jsonl.gz"
    real = AbstractSearch([abstracts], tmp_path)
    with gzip.open(abstracts, "rt", encoding="utf-8") as lines:
        there = {str(json.loads(line)["pmid"]) for line in lines}
    asked = []
    for file in sorted((real_data / "bioasq").glob("7B*_golden.json.gz")):
        questions = json.loads(gzip.decompress(file.read_bytes()))["questions"]
        held = (
            len({url.rpartition("/")[2] for url in question["documents"]} & there)
            for question in questions
        )
        asked += [
            question["body"]
            for question, number in zip(questions, held, strict=True)
            if number >= 3
        ]
    asked = random.Random(1).sample(asked, 60)
    everyday = EVERYDAY.read_text(encoding="utf-8").splitlines()[::4]

    ask = Summarizer.load(RANDOM)

    def refused(questions):
        return sum(
            not ask(with_documents(Topic("q", text), real), 50).sentences for text in questions
        )

    assert refused(everyday) >= 0.85 * len(everyday)
    assert refused(asked) <= 0.05 * len(asked)


def test_in_a_small_collection_a_rare_verb_weighs_less_than_the_subject():
    texts = [f"Aspirin relieves headache {n}." for n in range(9)] + ["Gloves prevent frostbite."]
    weight = dict(
        with_documents(Topic("q", "Does aspirin prevent headache?"), search(*texts)).search.weights
    )
    assert weight["aspirin"] > weight["prevent"]


@given(st.sampled_from(["aspirin", "cell", "zanthexol"]), st.integers(100, 10**4))
def test_among_many_texts_the_background_hardly_counts(word, holding):
    searched = 100 * holding
    few, many = (
        abs(smoothed_idf(word, n * holding, n * searched) - idf(n * searched, 1.0 * n * holding))
        for n in (1, 1000)
    )
    assert many <= few
    assert many < 0.1
    assert smoothed_idf("7", holding, searched) == idf(searched, float(holding))


@pytest.mark.parametrize(
    ("question", "unnamed"),
    [
        ("Do residents sing in RESID ponds?", ("RESID",)),
        ("Which gene is lost with p.21.3 in newts of 1p21.3?", ("p.21.3", "1p21.3")),
        ("Do newts-like toads of Moorfield hum?", ("Moorfield",)),
        ("Do BRAG1-deficient newts sing?", ("BRAG1",)),
    ],
)
def test_a_name_must_stand_in_a_text_as_it_is_written(question, unnamed):
    texts = [
        "Newts like toads sing and hum where residents reside in ponds, moors and fields.",
        "A gene lost at 1 p 21.",
    ]
    texts.append("Deficient newts lack BRAG 2 and 1 gene.")
    assert asked.not_as_written(SearchResult(3, question), texts) == unnamed


@pytest.mark.parametrize(
    "question",
    [
        "Is BRAG-2 lost in Moorfield's newts (BRN)?",
        "Do moorfield newts of type II hum?",
        "Does IL-6 drive the song of newts?",
        "WHAT DO ALL NEWTS HUM?",
    ],
)
def test_a_name_may_be_written_in_other_ways(question):
    texts = [
        "In Moorfields newts lose BRAG2.",
        "Moorfield newts of type 2 hum.",
        "IL6 drives the song of newts.",
    ]
    search = SearchResult(
        3, question, alternatives=(Alternative(("il-6",), ("interleukin", "6"), 0.4),)
    )
    assert not asked.not_as_written(search, texts)
