"""Summaries of the demo topics and of odd ones."""

import math
import shutil
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ilpsum import resources
from ilpsum.answers.steps import Summarizer
from ilpsum.errors import ModelError, UsageError, ordinal
from ilpsum.files.idf import DocumentFrequencies
from ilpsum.learning import embeddings
from ilpsum.pipeline.candidates import CITANCE, candidates
from ilpsum.pipeline.objective import alphas, least_loss
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.summarizer import load_model
from ilpsum.pipeline.system import System
from ilpsum.records import Document, Section, Topic
from ilpsum.records.tables import CandidateTable
from ilpsum.selection import Problem, Selection
from ilpsum.tasks import read_topics
from tests.systems import LEAD, ORACLE, RANDOM


@pytest.fixture(scope="module")
def topics() -> list[Topic]:
    return [t for t in read_topics([resources.demo()], "tac") if isinstance(t, Topic)]


@pytest.fixture(scope="module")
def task2() -> Summarizer:
    return Summarizer.load("task2")


@pytest.mark.parametrize("words", [1, 7, 30, 100, 250])
@pytest.mark.parametrize("system", ["task2", "concepts", LEAD, RANDOM, ORACLE])
def test_no_summary_is_longer_than_its_limit(topics, system, words):
    summarizer = Summarizer.load(system)
    for topic in topics:
        summary = summarizer(topic, words)
        assert len(summary.text.split()) <= words
        if words >= 100:
            assert len(summary.text.split()) > 0.6 * words


def test_every_sentence_is_unchanged_from_its_document(topics):
    as_published = Summarizer.load("ilp-sum-2")
    for topic in topics:
        documents = {d.id: d.text for d in topic.documents}
        summary = as_published(topic)
        for sentence in summary:
            source = documents[sentence.document][sentence.start : sentence.end]
            assert " ".join(source.split()) == sentence.text
        assert summary.text.split("\n") == [s.text for s in summary]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(1, 9), st.frozensets(st.integers(0, 6))), min_size=1, max_size=6
    ),
    st.floats(0.3, 3.0),
)
def test_if_no_sentence_is_worth_its_words_the_answer_is_the_best_non_empty_selection(rows, cost):
    problem = Problem.build(
        [sorted(held) for _, held in rows],
        [words for words, _ in rows],
        [0.1] * len(rows),
        12,
        price=lambda concept: 0.1 + concept / 10,
        word_cost=cost,
    )
    nothing = Selection(chosen=(), status="optimal", objective=0.0, bound=0.0, gap=0.0)
    sets = [
        c
        for k in range(1, len(rows) + 1)
        for c in combinations(range(len(rows)), k)
        if problem.allows(c)
    ]
    values = [problem.value(c) for c in sets]
    assume(max(values) <= 0.0)
    best = least_loss(problem, nothing)
    assert best.objective == pytest.approx(max(values))
    assert problem.value(best.chosen) == best.objective
    assert "every sentence scores below its length cost" in best.warnings[0]


def test_a_word_cost_shortens_an_answer_but_never_empties_it(topics):
    system = System.load("concepts-short").for_kind("papers")
    lengths = []
    for cost in (0.0, 0.2, 50.0):
        priced = msgspec.structs.replace(system.selection, word_cost=cost)
        summarizer = Summarizer.load(msgspec.structs.replace(system, selection=priced))
        summary = summarizer(topics[0])
        assert (summary.settings.selection.word_cost, summary.gap) == (cost, 0.0)
        lengths.append(len(summary.sentences))
    assert lengths[0] > lengths[1] >= lengths[2] == 1


def test_gold_affects_only_the_oracle(topics, task2):
    for topic in topics:
        blind = replace(
            topic,
            summaries=(),
            citances=tuple(
                replace(
                    c,
                    annotations=tuple(
                        replace(a, spans=(), facets=(), text="") for a in c.annotations
                    ),
                )
                for c in topic.citances
            ),
        )
        assert task2(blind).text == task2(topic).text
        with pytest.raises(UsageError, match="the oracle needs gold"):
            Summarizer.load(ORACLE)(blind)


def test_the_oracle_is_best_and_lambda_matters(topics):
    from ilpsum.metrics.rouge import rouge

    def score(summarizer: Summarizer) -> float:
        return sum(
            rouge(summarizer(t).text, t.summaries, ("ROUGE-2",), stem=True)["ROUGE-2"].recall
            for t in topics
        )

    best = score(Summarizer.load(ORACLE))
    assert best > score(Summarizer.load("task2"))
    assert best > score(Summarizer.load(LEAD))
    texts = {Summarizer.load("task2", lambda_=value)(topics[0]).text for value in (0.0, 1.0)}
    assert len(texts) == 2


def test_citances_are_candidates_only_if_the_system_says_so(topics):
    with_citances = candidates(topics[0], CandidateTable(citances=True))
    without = candidates(topics[0], CandidateTable())
    assert {s.section for s in with_citances} - {s.section for s in without} == {CITANCE}
    assert {s.document for s in without} == {topics[0].reference.id}


@pytest.mark.parametrize("system", ["task2", "concepts", LEAD, RANDOM])
def test_a_topic_without_documents_has_an_empty_answer_with_a_warning(system):
    summary = Summarizer.load(system)(Topic("empty", query="What?"))
    assert summary.text == ""
    assert summary.sentences == ()
    assert any("empty" in warning for warning in summary.warnings)


@pytest.mark.parametrize(
    "text",
    ["", "One sentence stands alone here.", "tiny", "x " * 400, "αβγ δεζ ηθι.\x00 Null bytes."],
)
def test_odd_documents_do_not_fail(text):
    for system in ("task2", "concepts"):
        topic = Topic("t", query="alone?", documents=(Document("d", text),))
        summary = Summarizer.load(system)(topic, words=50)
        assert len(summary.text.split()) <= 50
        assert math.isnan(summary.objective) or summary.objective >= 0


def test_alpha_is_clipped_or_stretched_over_the_topic():
    import numpy as np

    assert alphas(np.array([-0.5, 0.5, 1.5]), "clip").tolist() == [0, 0.5, 1]
    assert alphas(np.array([-0.5, 0.5, 1.5]), "topic").tolist() == [0, 0.5, 1]
    assert alphas(np.array([0.2, 0.3]), "topic").tolist() == [0, 1]
    assert alphas(np.array([0.2, 0.2]), "topic").tolist() == [1, 1]


def test_wrong_names_and_models_are_refused(tmp_path):
    said = r"unknown system 'ilp-sum-9' \(did you mean ilp-sum-2\?\); there are: .*gr-sum-2.*task2"
    with pytest.raises(UsageError, match=said):
        Summarizer.load("ilp-sum-9")
    with pytest.raises(ModelError, match="no such model file"):
        Summarizer.load("task2", "nowhere.npz")
    with pytest.raises(ModelError, match="trained on other features"):
        Summarizer.load("ilp-sum-1-tuned", resources.models() / "task2.npz")
    with pytest.raises(UsageError, match=r"lambda_: expected a number from 0 to 1, got 2"):
        Summarizer.load("task2", lambda_=2)


def test_files_are_named_from_the_folder_of_the_system(tmp_path):
    file = tmp_path / "mine.toml"
    table = '[relevance]\nembeddings = "own.npz"\n'
    file.write_text(f'base = "ilp-sum-2-tuned"\nmodel = "../mine.npz"\n{table}')
    system = System.load(file)
    assert system.relevance.embeddings == str(tmp_path / "own.npz")
    assert Path(system.model) == tmp_path / "../mine.npz"


def test_a_model_is_refused_with_other_word_vectors(tmp_path):
    included = embeddings.load()
    counts = DocumentFrequencies(2, {})
    embeddings.save(tmp_path / "other.npz", ["moss"], included.vectors[:1], counts, {})
    shutil.copy(resources.embeddings(), tmp_path / "copy.npz")
    file = tmp_path / "mine.toml"
    text = 'base = "ilp-sum-2-tuned"\n[relevance]\nembeddings = "other.npz"\n'
    file.write_text(text)
    for kind in ("snippets", "papers"):
        model = load_model(System.load("ilp-sum-2-tuned").for_kind(kind))
        assert model.metadata.vectors == embeddings.digest()
        for one in (None, model):
            with pytest.raises(ModelError, match="other word vectors than the system has; train"):
                load_model(System.load(file).for_kind(kind), one)
    # The same vectors under another name, a model that does not say, features without vectors.
    file.write_text(text.replace("other", "copy"))
    assert (
        load_model(System.load(file)).metadata
        == load_model(System.load("ilp-sum-2-tuned")).metadata
    )
    file.write_text(text)
    silent = replace(model, metadata=msgspec.structs.replace(model.metadata, vectors=""))
    assert load_model(System.load(file), silent) is silent
    file.write_text(text.replace("ilp-sum-2-tuned", "ilp-sum-1-tuned"))
    assert load_model(System.load(file)).metadata.vectors == ""


def test_ordinals_of_the_teens():
    assert [ordinal(n) for n in (11, 12, 13, 111, 113)] == [
        "11th",
        "12th",
        "13th",
        "111th",
        "113th",
    ]


@pytest.mark.parametrize("method", ["ilp", "lexrank", "lead"])
def test_titles_of_abstracts_are_left_out_where_a_system_says_so(method):
    title, body = "Newts sing in cold ponds.", "We heard newts. They sang in ponds at night."
    sections = (
        Section("", "title", 0, len(title)),
        Section("", "abstract", len(title) + 1, len(title) + 1 + len(body)),
    )
    document = Document("d", f"{title}\n{body}", title, sections=sections)
    question = Topic("q", "Do newts sing?", (document,))
    values = {"selection.method": method, "candidates.titles": False}
    untitled = Summarizer.load(with_settings(System.load("ilp-sum-1-tuned"), values), words=60)
    titled = Summarizer.load("ilp-sum-1-tuned", method=method, words=60)
    assert title in titled(question).text
    summary = untitled(question)
    assert "cold" not in summary.text
    assert summary.text.split() == body.split()
    for sentence in summary:
        # Offsets are those of the document as it is.
        assert document.text[sentence.start : sentence.end] == sentence.text
    assert summary.topic_digest == titled(question).topic_digest
