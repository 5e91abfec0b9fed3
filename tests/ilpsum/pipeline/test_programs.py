"""The ILP of a provenance is that of the summary: at the run's own settings, at other ones, and where rules yield."""

import json
from dataclasses import replace

import msgspec
import pytest

from ilpsum import Summarizer, resources
from ilpsum.errors import InputError
from ilpsum.pipeline.objective import Programs
from ilpsum.pipeline.system import System
from ilpsum.records import Document, Topic
from ilpsum.runs.provenance import read_provenance, summary_line
from ilpsum.selection import Limits, segment_at, select
from ilpsum.tasks import read_topics


@pytest.fixture(scope="module")
def topic():
    return next(iter(read_topics([resources.demo()], "tac")))


@pytest.mark.parametrize("system", ["concepts", "ilp-sum-1", "ilp-sum-2"])
@pytest.mark.parametrize("words", [100, 60])
def test_every_position_is_what_the_summarizer_chooses_there(topic, tmp_path, system, words):
    """The record of a summary of 100 words gives the summary of any length and lambda, with its objective."""
    summarizer = Summarizer.load(system)
    path = tmp_path / "p.jsonl"
    path.write_bytes(summary_line(summarizer(topic, 100)))
    (summary,) = read_provenance(path)
    programs = Programs(summary)
    lambdas = (0.03, summary.settings.objective.lambda_, 0.5, 0.97)
    found = [*programs.path(words, Limits())]
    for lambda_ in lambdas:
        expected = summarizer.for_kind("papers").with_options(lambda_=lambda_)(topic, words)
        at = segment_at([segment for segment, _ in found], lambda_)
        assert at.value(lambda_) == pytest.approx(expected.objective, abs=1e-9)
        rules = next(rules for segment, rules in found if segment is at)
        assert [s.text for s in programs.arranged(at.chosen, rules)] == [
            s.text for s in expected.sentences
        ]


def test_a_selection_with_unused_words_is_filled_where_a_rule_is_relaxed():
    """Two documents with little to say: questions come in, and the path has them as the summarizer has."""
    texts = {
        "31": "Grey newts sing in cold ponds.\nWhy do newts sing?",
        "5": "Newts and the song of ponds.\nAre they loud?",
    }
    topic = Topic(
        "q", "Do newts sing in ponds?", tuple(Document(name, text) for name, text in texts.items())
    )
    system = System.load("concepts-general")
    rules = msgspec.structs.replace(system.coherence, statements=True, relax=("statements",))
    summarizer = Summarizer.load(msgspec.structs.replace(system, coherence=rules)).for_kind(
        "general"
    )
    summary = summarizer(topic, 40)
    assert len(summary.program.stages) == 2
    found = [*Programs(summary).path(40, Limits())]
    at = segment_at([segment for segment, _ in found], summarizer.lambda_)
    assert at.chosen == summary.chosen
    assert Programs(summary).at(40, 0).exclude != Programs(summary).at(40, 1).exclude


def test_the_optimum_is_proved_again_from_the_provenance_by_another_solver(topic):
    pytest.importorskip("highspy")
    summary = Summarizer.load("concepts")(topic, 60)
    problem = Programs(summary).at(60).at(summary.settings.objective.lambda_)
    again = select(problem, solver="highs-paper")
    assert again.chosen == summary.chosen
    assert again.objective == pytest.approx(summary.objective, abs=1e-9)


def test_no_program_without_an_objective(topic):
    assert Summarizer.load("greedy")(topic, 60).program is None


def test_a_program_that_does_not_fit_is_refused(topic, tmp_path):
    summary = Summarizer.load("ilp-sum-1")(topic, 60)
    short = replace(summary, program=replace(summary.program, own=summary.program.own[1:]))
    with pytest.raises(InputError, match="does not fit"):
        Programs(short)
    line = json.loads(summary_line(summary))
    for name, value in (("own", [0.1]), ("shared", [[0.1, [0, 10**6]]])):
        path = tmp_path / "p.jsonl"
        path.write_text(json.dumps(line | {"program": line["program"] | {name: value}}))
        with pytest.raises(InputError, match=r"p\.jsonl"):
            list(read_provenance(path))
