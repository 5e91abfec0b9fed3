"""Whether what was found answers a question: the decision, its three outcomes, and what a reader sees of them."""

import json

import pytest

from features.context import Context
from ilpsum import Summarizer
from ilpsum.cli import main
from ilpsum.pipeline.answering import NEAREST, decided
from ilpsum.records import Document, Sentence, Topic
from ilpsum.report.reading import answer_of
from ilpsum.retrieval import AbstractSearch, with_documents
from ilpsum.runs.provenance import read_provenance, summary_line

POND = "Grey newts sing in cold ponds. Mirolone heals the leg ulcers of newts. Newts rest in winter."
MOOR = "Toads hum on the moor at dusk. Their songs last for hours. Herons listen in silence."


def searched(question, **options):
    documents = [Document("1", POND), Document("2", MOOR)]
    return with_documents(Topic("q", question), AbstractSearch.of_documents(documents), **options)


@pytest.mark.parametrize(
    ("question", "outcome"),
    [
        ("Does zanthexol heal ulcers of newts?", "related"),
        ("Do zanthexols heal?", "nothing"),
        ("Who bakes?", "nothing"),
    ],
)
def test_a_refused_question_is_related_or_nothing(question, outcome):
    summary = Summarizer.load("concepts")(searched(question), 50)
    assert (summary.search.outcome, summary.text, summary.sentences, summary.status) == (outcome, "", (), "refused")
    assert bool(summary.search.nearest) == (outcome == "related")
    assert len(summary.search.nearest) <= NEAREST
    assert all(near.text in POND or near.text in MOOR for near in summary.search.nearest)
    assert summary.search.unanswered
    # What was found stays in the provenance.
    assert len(summary.candidates) == (0 if question == "Who bakes?" else len(POND.split(". ")))


def test_an_answered_question_has_no_nearest_sentences():
    search = Summarizer.load("concepts")(searched("Does mirolone heal leg ulcers?"), 50).search
    assert (search.outcome, search.unanswered, search.uncovered, search.nearest) == ("answer", "", "", ())


def test_a_least_coverage_decides_whether_the_question_is_answered():
    question = "Does mirolone heal the ulcers of zanthexols?"
    assert Summarizer.load("concepts")(searched(question, least_coverage=0.0), 50).sentences
    refused = Summarizer.load("concepts")(searched(question, least_coverage=0.9), 50)
    assert not refused.sentences
    assert refused.search.outcome == "related"
    assert "below --coverage 0.9" in refused.search.unanswered


def test_a_system_without_a_model_decides_by_words():
    topic = searched("Does zanthexol heal leg ulcers?")
    summary = Summarizer.load("random")(topic, 50)
    assert summary.search.answerable == topic.search.answerable
    assert (summary.text, summary.search.outcome) == ("", "related")
    assert [near.text for near in summary.search.nearest] == ["Mirolone heals the leg ulcers of newts."]


def test_topics_that_were_not_searched_for_are_not_judged():
    topic = Topic("q", "Why?", (Document("1", POND),))
    assert decided(topic, (Sentence("a", "1", 0, 1, 1),), Context.of_texts("Why?", ["a"])) is topic


def test_provenance_keeps_the_outcome(tmp_path):
    summary = Summarizer.load("random")(searched("Does zanthexol heal leg ulcers?"), 50)
    (tmp_path / "p.jsonl").write_bytes(summary_line(summary))
    (record,) = read_provenance(tmp_path / "p.jsonl")
    assert record.search == summary.search
    assert record.candidates == summary.candidates


def test_a_reader_is_told_the_outcome_and_sees_the_nearest_sentences(tmp_path, capsys):
    texts = [tmp_path / "pond.txt", tmp_path / "moor.txt"]
    for path, text in zip(texts, (POND, MOOR), strict=True):
        path.write_text(text)
    page = tmp_path / "a.html"
    ask = ["ask", "Does zanthexol heal leg ulcers?", *map(str, texts), "--system", "random", "--quiet"]
    said = "Related, not an answer: no text mentions 'zanthexol'."
    near = "Mirolone heals the leg ulcers of newts."
    assert main([*ask, "--html", str(page)]) == 0
    assert capsys.readouterr().out.startswith(f'{said}\n"{near}" [1]\n\n[1] ')
    assert said in page.read_text("utf-8").replace("&#x27;", "'").replace("&#39;", "'")
    assert near in page.read_text("utf-8")
    assert main([*ask, "--markdown"]) == 0
    assert f"\n> {near} [1]" in capsys.readouterr().out
    assert main([*ask, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["outcome"], answer["sentences"]) == ("related", [])
    assert [s["text"] for s in answer["nearest"]] == [near]
    assert answer["sources"][0]["number"] == answer["nearest"][0]["source"] == 1


def test_an_answer_without_sentences_for_another_reason_is_nothing():
    topic = searched("Do newts sing?", least_coverage=0.0)
    summary = Summarizer.load("concepts")(topic, 1)
    assert summary.search.outcome == "answer"
    assert answer_of(summary, topic).outcome == "nothing"
