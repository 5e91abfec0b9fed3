"""Relevance from anywhere: a function, a file of scores, a scorer of one's own."""

import json
import pickle
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from features.context import Context
from ilpsum import Document, Summarizer, Topic
from ilpsum.answers.attaching import with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.errors import ArgumentError, IlpsumError, InputError, ScoresError, UsageError
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.relevance import Candidates, ModelScorer, Scorer, Scores, question_of
from ilpsum.pipeline.scores import ScoreFile, text_digest
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.system import System
from ilpsum.records import Citance, Outcome, SearchResult
from ilpsum.records.tables import RelevanceTable

TEXT = (
    "Newts of many ponds sing at night. The song of newts depends on frost. Toads sleep in the "
    "mud of old ponds. Efts walk slowly through the wet wood. Herons eat newts and toads in spring."
)
TOPIC = Topic("pond", "Do newts sing at night?", (Document("1", TEXT),))
WORDS = 15


def overlap(query, sentences):
    words = set(query.lower().split())
    return [len(words & set(s.lower().split())) for s in sentences]


@pytest.fixture
def scores(tmp_path):
    """Writes a file of scores of the topic's sentences; None for a sentence without one."""

    def write(values, name="scores.jsonl", **more):
        sentences = Summarizer.load("ilp-sum-2", relevance=overlap).candidates(TOPIC).sentences
        lines = []
        for s, value in zip(sentences, values, strict=True):
            row = {"topic": "pond", "document": "1", "start": s.start, "end": s.end} | more
            if value is not None:
                lines.append(json.dumps(row | {"score": value, "text": s.text}) + "\n")
        (tmp_path / name).write_text("".join(lines))
        return tmp_path / name

    return write


@pytest.mark.parametrize("method", ["ilp", "gain", "greedy"])
def test_the_relevance_of_a_function_is_that_of_the_summary_and_needs_no_model(method, monkeypatch):
    monkeypatch.setattr(SystemModel, "load", None)
    asked = []

    def noted(query, sentences):
        asked.append((query, list(sentences)))
        return overlap(query, sentences)

    summary = Summarizer.load("ilp-sum-2", method=method, relevance=noted)(TOPIC, WORDS)
    texts = [s.text for s in summary.candidates]
    assert asked == [(TOPIC.query, texts)]
    assert [s.relevance for s in summary.candidates] == overlap(TOPIC.query, texts)
    assert summary.sentences[0].text == texts[0]
    assert summary.seen == {"relevance from noted": None}
    assert summary.settings.system.relevance == "noted"
    assert not summary.sentences[0].features


def test_any_scale_gives_the_same_summary():
    def scaled(query, sentences):
        return 3 * np.array(overlap(query, sentences)) - 100

    for method in ("ilp", "gain", "greedy"):
        one, other = (
            Summarizer.load("ilp-sum-2", method=method, relevance=f)(TOPIC, WORDS).text
            for f in (overlap, scaled)
        )
        assert one == other


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda q, s: [1.0], "topic pond: .*shape .1,.; expected a number for each of 5 sentences"),
        (lambda q, s: [0.0] * 4 + [float("nan")], "topic pond: .*returned nan for sentence 4"),
        (lambda q, s: 1 / 0, "topic pond: .*ZeroDivisionError"),
        (lambda q, s: ["high"] * 5, "topic pond: .*ValueError"),
        (lambda q, s: None, "topic pond"),
    ],
)
def test_what_a_function_does_wrong_names_the_topic(function, why):
    with pytest.raises(ArgumentError, match=why):
        Summarizer.load("ilp-sum-2", relevance=function)(TOPIC, WORDS)


def test_only_functions_files_and_scorers_give_relevance():
    with pytest.raises(ArgumentError, match="expected a function"):
        Summarizer.load("ilp-sum-2", relevance=3)
    with pytest.raises(InputError, match=r"none\.jsonl"):
        Summarizer.load("ilp-sum-2", relevance="none.jsonl")
    with pytest.raises(UsageError, match="the system lexrank uses no relevance"):
        Summarizer.load("ilp-sum-2", method="lexrank", relevance=overlap)


def test_learned_weights_stay_those_of_the_model():
    system = System.load("concepts")
    given = Summarizer.load(system, relevance=overlap).for_kind("abstracts")
    prepared = given.prepare(TOPIC)
    assert prepared.weights == Summarizer.load(system).for_kind("abstracts").prepare(TOPIC).weights
    assert prepared.relevance.tolist() == overlap(TOPIC.query, [s.text for s in prepared.sentences])
    assert not prepared.sentences[0].features


def test_a_file_scores_by_place(scores):
    values = [0.25, -2, 7.5, 0, 1e-3]
    summarizer = Summarizer.load("ilp-sum-2", relevance=scores(values))
    summary = summarizer(TOPIC, WORDS)
    assert [s.relevance for s in summary.candidates] == values
    assert summary.settings.system.relevance.startswith("scores.jsonl sha256:")
    assert pickle.loads(pickle.dumps(summarizer))(TOPIC, WORDS).text == summary.text


def test_a_sentence_without_a_score_is_not_chosen(scores):
    values = [None, 0.5, 0.1, None, 0.3]
    summary = Summarizer.load("ilp-sum-2", relevance=scores(values))(TOPIC, 100)
    assert summary.chosen == (1, 2, 4)
    assert [s.relevance for s in summary.candidates] == [0.1, 0.5, 0.1, 0.1, 0.3]
    assert {s.why for s in summary.candidates if s.relevance == 0.1} >= {"no score in scores.jsonl"}
    assert summary.gap == 0


def test_a_topic_without_scores_fails(scores):
    summarizer = Summarizer.load("ilp-sum-2", relevance=scores([1, 2, 3, 4, 5]))
    with pytest.raises(IlpsumError, match=r"no candidate has a score in scores\.jsonl"):
        summarizer(replace(TOPIC, id="other"))


def test_scores_of_another_text_are_not_used(scores):
    path = scores([1, 2, 3, 4, 5], digest=text_digest(TEXT))
    summarizer = Summarizer.load("ilp-sum-2", relevance=path)
    assert summarizer(TOPIC, WORDS).chosen
    other = replace(TOPIC, documents=(Document("1", TEXT.replace("slowly", "slow")),))
    with pytest.raises(IlpsumError, match=r"the text of 1 has changed since scores\.jsonl was"):
        summarizer(other, WORDS)


def test_a_place_beyond_its_document_is_an_error(scores):
    summarizer = Summarizer.load("ilp-sum-2", relevance=scores([1, 2, 3, 4, 5]))
    short = replace(TOPIC, documents=(Document("1", TEXT[:130]),))
    with pytest.raises(ScoresError, match=r"scores\.jsonl:4: the place .* is not in document 1"):
        summarizer(short, WORDS)


GOOD = '{"topic": "pond", "document": "1", "start": 0, "end": 34, "score": 1}'
BAD = {
    "nan": (GOOD.replace("1}", "NaN}"), "not valid JSON"),
    "infinite": (GOOD.replace("1}", "1e999}"), "scores.jsonl:2"),
    "text": (GOOD.replace("1}", '"high"}'), "score: expected a number"),
    "number in a text": (GOOD.replace("1}", '"1"}'), "score: expected a number"),
    "key": ('{"topic": "pond", "score": 1}', "the key document is missing; expected the fields"),
    "twice": (GOOD.replace("1}", "2}"), "the sentence has a score in line 1, too"),
    "list": ("[1]", "expected a JSON object"),
    "negative": (GOOD.replace("0,", "-1,"), "start"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_named(tmp_path, name):
    line, why = BAD[name]
    path = tmp_path / "scores.jsonl"
    path.write_text(f"{GOOD}\n{line}\n")
    with pytest.raises(InputError, match=rf"scores\.jsonl:2: .*{why}|{why}.*") as caught:
        ScoreFile.read(path)
    assert caught.value.line == 2


def test_tables_are_files_of_scores_too(tmp_path):
    (tmp_path / "s.tsv").write_text(
        'topic\tdocument\ttext\tstart\tend\tscore\npond\t1\t"Newts\t0\t34\t.5\n'
    )
    (tmp_path / "s.csv").write_text(
        'score,topic,document,start,end,text\n0.5,pond,1,0,34,"Newts, ""sing"""\n'
    )
    (tmp_path / "s.jsonl").write_text(GOOD.replace('"1"', "1").replace('": 1}', '": 0.5}'))
    found = [
        ScoreFile.read(tmp_path / f"s.{kind}").scores["pond"] for kind in ("tsv", "csv", "jsonl")
    ]
    assert [{place: score.value for place, score in one.items()} for one in found] == [
        {("1", 0, 34): 0.5}
    ] * 3
    (tmp_path / "s.tsv").write_text("topic\tdocument\tstart\tend\tscore\npond\t1\t0\n")
    with pytest.raises(InputError, match=r"s\.tsv:2: expected 5 fields"):
        ScoreFile.read(tmp_path / "s.tsv")
    (tmp_path / "s.csv").write_text("topic,document,start,end,score\npond,1,0,34,nan\n")
    with pytest.raises(InputError, match=r"s\.csv:2: score"):
        ScoreFile.read(tmp_path / "s.csv")
    (tmp_path / "s.jsonl").write_text("")
    with pytest.raises(InputError, match="no scores"):
        ScoreFile.read(tmp_path / "s.jsonl")


def test_a_system_names_its_file_from_its_folder(tmp_path, scores):
    scores([0, 0, 9, 0, 0])
    (tmp_path / "mine.toml").write_text(
        'base = "ilp-sum-2"\n[relevance]\nscores = "scores.jsonl"\n[selection]\nlambda = 1.0\n'
    )
    summary = Summarizer.load(tmp_path / "mine.toml")(TOPIC, 10)
    assert summary.chosen == (2,)
    assert summary.settings.origins["relevance.scores"] == "mine.toml"


def test_a_system_without_features_takes_scores(tmp_path, scores):
    scores([0, 0, 9, 0, 0])
    (tmp_path / "bare.toml").write_text(
        'description = "x"\n[relevance]\nscores = "scores.jsonl"\n[selection]\nlambda = 1.0\n'
    )
    summarizer = Summarizer.load(tmp_path / "bare.toml")
    assert summarizer(TOPIC, 10).chosen == (2,)
    assert summarizer.candidates(TOPIC).features.shape == (5, 0)
    with pytest.raises(UsageError, match="has no relevance: add features, or scores"):
        Pipeline(System("x", relevance=RelevanceTable()))


def test_candidates_have_features_and_relevance():
    summarizer = Summarizer.load("ilp-sum-2")
    found = summarizer.candidates(TOPIC)
    summary = summarizer(TOPIC, WORDS)
    assert len(found) == 5
    assert [TEXT[start:end] for start, end in found.offsets] == found.texts
    assert found.relevance.tolist() == [s.relevance for s in summary.candidates]
    assert found.features.shape == (5, len(found.columns))
    for sentence, i in zip(summary.sentences, summary.chosen, strict=True):
        values = [float(f"{value:.6g}") for value in found.features[i].tolist()]
        assert [f.value for f in sentence.features] == values
    given = Summarizer.load("ilp-sum-2", relevance=overlap).candidates(TOPIC)
    assert given.relevance.tolist() == overlap(TOPIC.query, given.texts)
    assert (given.features == found.features).all()
    assert np.isnan(
        Summarizer.load("ilp-sum-2", method="lexrank").candidates(TOPIC).relevance
    ).all()


def test_what_papers_are_asked_is_what_their_citances_say():
    cited = Topic("p", citances=(Citance(1, "x", 0, 4, "Velin."), Citance(2, "y", 0, 4, "Newts.")))
    assert question_of(cited) == "Velin. Newts."
    assert question_of(TOPIC) == TOPIC.query


class Graded(Scorer):
    """Grades as a judge would, with all that a scorer may say."""

    name, digest, in_units, reads_model = "grader", "v1", True, True

    def __init__(self, grades, outcome=None):
        self.grades, self.outcome = grades, outcome

    def score(self, candidates: Candidates) -> Scores:
        assert candidates.predicted is not None
        grades = np.array(self.grades, dtype=float)
        assert candidates.predicted.relevance.shape == grades.shape
        return Scores(
            grades / 3,
            excluded={i: f"graded {g:.0f}" for i, g in enumerate(grades) if g < 2},
            why={i: f"graded {g:.0f} by grader" for i, g in enumerate(grades)},
            opening=grades / 3,
            outcome=self.outcome,
            notes={"requests": 1},
            warnings=("slow",),
        )


def test_a_scorer_excludes_explains_and_opens():
    topic = with_documents(TOPIC, AbstractSearch.of_documents(list(TOPIC.documents)))
    summary = Summarizer.load("concepts", relevance=Graded([2, 0, 1, 2, 3]))(topic, 100)
    assert set(summary.chosen) <= {0, 3, 4}
    assert summary.sentences[0].text.startswith("Herons")
    assert summary.sentences[0].why.startswith("graded 3 by grader")
    assert summary.sentences[0].holds_answer == 1.0
    assert "graded 0" in summary.candidates[1].why
    assert summary.notes == {"requests": 1}
    assert "slow" in summary.warnings
    assert summary.seen["relevance from grader"] is None


@pytest.mark.parametrize("outcome", [Outcome.ANSWER, Outcome.WEAK, Outcome.NOTHING])
def test_a_scorer_decides_whether_there_is_an_answer(outcome):
    topic = with_documents(TOPIC, AbstractSearch.of_documents(list(TOPIC.documents)))
    summary = Summarizer.load("concepts", relevance=Graded([3] * 5, outcome))(topic, 100)
    assert summary.search.outcome.is_answer == outcome.is_answer == bool(summary.sentences)
    if outcome.is_answer:
        assert summary.search.outcome is outcome


def test_a_rule_that_is_relaxed_lets_no_sentence_without_a_score_in(scores):
    values = {"coherence.fragments": True, "coherence.relax": ("fragments",)}
    system = with_settings(System.load("ilp-sum-2"), values)
    summary = Summarizer.load(system, relevance=scores([5, 4, None, None, None]))(TOPIC, 100)
    assert [s.relevance for s in summary.sentences] == [5, 4]


def test_sentences_that_tell_nothing_of_the_aspect_count_less_once_the_outcome_is_known():
    text = "Velin blocks songs. Velin is a salt of old ponds and newts. Velin binds frost."
    topic = Topic("velin", "mechanism of action of velin", (Document("1", text),))
    system = System.load("concepts-searched")
    sentences = Summarizer.load("ilp-sum-2", relevance=overlap).candidates(topic).sentences
    candidates = Candidates(topic, sentences, Context.of_texts(topic.query, [text]))
    model = SimpleNamespace(predict=lambda _features, _context: np.full(len(sentences), 0.8))
    scorer = ModelScorer(model, aspect=system.selection.aspect)
    assert scorer.score(candidates).relevance.tolist() == [0.8] * 3
    searched = replace(topic, search=SearchResult(query=topic.query))
    scores = scorer.score(replace(candidates, topic=searched))
    assert scores.relevance.tolist() == [0.8, 0.4, 0.8]
    assert scores.before_discount.tolist() == [0.8] * 3
