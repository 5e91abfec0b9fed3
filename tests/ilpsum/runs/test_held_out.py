"""A held-out run is a run like any other, whose models have not seen its topics."""

import json
import re

import pytest

import ilpsum
from ilpsum.api.inputs import topics_of
from ilpsum.cli import main
from ilpsum.errors import UsageError
from ilpsum.learning.seen import topic_key, without_folds
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.folds import folds_of
from ilpsum.records import Topic
from ilpsum.runs.held_out import needs_folds
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.reading import provenance_path

SEEN = re.compile(r"(\d+) of (\d+) topics\b.*\btrain", re.I)


@pytest.fixture(scope="module")
def topics(demo):
    return sorted(str(path) for path in (demo / "topics").iterdir())


@pytest.fixture(scope="module")
def run(topics, tmp_path_factory):
    folder = tmp_path_factory.mktemp("held")
    call = ["summarize", *topics, "--system", "ilp-sum-0-tuned", "--folds", "3", "--team", "H"]
    assert main([*call, "--out", str(folder), "--quiet"]) == 0
    return folder / "H1"


def test_each_summary_is_by_a_model_of_the_other_topics(run, topics):
    read, fold_of = topics_of(topics), folds_of(topics_of(topics), 3)
    summaries = {summary.topic: summary for summary in read_provenance(provenance_path(run))}
    for i, topic in enumerate(read):
        others = [other for j, other in enumerate(read) if fold_of[j] != fold_of[i]]
        alone = ilpsum.Summarizer.load("ilp-sum-0-tuned", ilpsum.train(others, "ilp-sum-0-tuned"))(
            topic
        )
        summary = summaries[topic.id]
        assert (summary.text, summary.objective) == (alone.text, alone.objective)
        assert summary.settings.system.fold == f"{fold_of[i] + 1}/3"
        assert summary.seen == {"settings": False, "ilp-sum-0-tuned-on-papers": False}


def test_its_scores_are_held_out(run, topics, tmp_path, capsys):
    for call in (
        ["evaluate", str(run), *topics],
        ["compare", str(run), str(run), "--gold", *topics],
        ["report", str(run), "--gold", *topics, "--out", str(tmp_path / "r.html")],
    ):
        status = main(call)
        printed = capsys.readouterr()
        assert status == (2 if call[0] == "compare" else 0)  # a run is not compared with itself
        assert not SEEN.search(printed.out + printed.err)
        if call[0] == "evaluate":
            assert "|trained:0/3|" in printed.out


@pytest.mark.long
def test_jobs_do_not_change_it(run, topics, tmp_path):
    ilpsum.write_run(topics, "ilp-sum-0-tuned", tmp_path, team="H", folds=3, jobs=2)
    for file in run.iterdir():
        assert (tmp_path / "H1" / file.name).read_bytes() == file.read_bytes()


def test_it_is_resumed_with_the_same_folds_only(run, topics, tmp_path):
    call = {"out": tmp_path, "team": "H"}
    ilpsum.write_run(topics, "ilp-sum-0-tuned", folds=3, **call)
    path = tmp_path / "H1.provenance.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    with pytest.raises(UsageError, match=r"started with system\.fold 1/3, now"):
        ilpsum.write_run(topics, "ilp-sum-0-tuned", folds=2, resume=True, **call)
    with pytest.raises(UsageError, match=r"started with system\.fold 1/3, now not given"):
        ilpsum.write_run(topics, "ilp-sum-0-tuned", resume=True, **call)
    assert ilpsum.write_run(topics, "ilp-sum-0-tuned", folds=3, resume=True, **call).kept == 2
    assert [json.loads(line)["text"] for line in path.read_bytes().splitlines()] == [
        json.loads(line)["text"] for line in lines
    ]


def test_a_system_with_kinds_is_trained_for_each(topics, tmp_path, monkeypatch):
    """Questions and papers in one run: each kind has models of its own."""
    from ilpsum.pipeline.training import folds

    trained = []
    monkeypatch.setattr(
        folds,
        "fit",
        lambda system, examples, **_: (
            trained.append((system.model, [e.topic for e in examples]))
            or ilpsum.pipeline.summarizer.load_model(system)
        ),
    )
    questions = [
        ilpsum.Topic(
            f"q{i}",
            f"Do newts of pond {i} sing?",
            (ilpsum.Document("d", f"Newts of pond {i} sing at night. Toads of pond {i} hum."),),
            summaries=(f"Newts of pond {i} sing.",),
        )
        for i in range(4)
    ]
    everything = [*topics_of(topics), *questions]
    written = ilpsum.write_run(everything, "concepts", tmp_path, folds=2, to="jsonl")
    assert written.summaries == 7
    names = [name for name, _ in trained]
    assert names == ["concepts-papers"] * 2 + ["concepts-abstracts"] * 2
    assert not {*trained[0][1]} & {*trained[1][1]}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--method", "lead"], "lead has no model to train; leave out --folds"),
        (["--model", "task2"], "--folds trains models and --model names one: choose one"),
    ],
)
def test_what_cannot_be_held_out_is_refused(topics, tmp_path, capsys, arguments, complaint):
    call = ["summarize", *topics, "--folds", "2", "--out", str(tmp_path / "o"), *arguments]
    assert main(call) == 2
    assert complaint in capsys.readouterr().err
    assert not list((tmp_path / "o").glob("SYS1*"))


def test_too_many_folds_are_refused_with_the_number_of_topics(topics, tmp_path, capsys):
    call = ["summarize", *topics, "--folds", "4", "--system", "task2", "--out", str(tmp_path)]
    assert main(call) == 2
    assert "folds is 4, for 3 topics" in capsys.readouterr().err


@pytest.fixture(scope="module")
def linked(topics, tmp_path_factory):
    file = tmp_path_factory.mktemp("linked") / "L1.txt"
    call = ["link", *topics, "--query", "citance", "--folds", "3", "--out", str(file), "--quiet"]
    assert main(call) == 0
    return file


def test_links_are_by_models_of_the_other_topics(linked, topics):
    from ilpsum.task1.linker import Linker, Query, train
    from ilpsum.tasks import task1

    read, fold_of, query = topics_of(topics), folds_of(topics_of(topics), 3), Query.load("citance")
    links = {(link.topic, link.citance): link for link in task1.read(linked)}
    for i, topic in enumerate(read):
        others = [other for j, other in enumerate(read) if fold_of[j] != fold_of[i]]
        for link in Linker(query, train(query, others))(topic, "SYS1"):
            written = links.pop((link.topic, link.citance))
            assert (written.spans, written.facet) == (link.spans, link.facet)
    assert not links


def test_links_say_what_their_models_have_seen(linked, topics, tmp_path, capsys):
    """Task 1's facets, by a model of all topics, against the held-out run."""
    model = tmp_path / "mine.npz"
    ilpsum.train_links(topics, "citance").save(model)
    call = ["link", *topics, "--query", "citance", "--model", str(model)]
    assert main([*call, "--out", str(tmp_path / "M1.txt"), "--run-id", "M1"]) == 0
    assert SEEN.search(capsys.readouterr().err).groups() == ("3", "3")
    for run, seen in ((tmp_path / "M1.txt", "3/3"), (linked, "0/3")):
        assert main(["evaluate", str(run), *topics]) == 0
        printed = capsys.readouterr()
        assert f"|trained:{seen}|" in printed.out
        assert bool(SEEN.search(printed.err)) == (seen == "3/3")
    assert main(["compare", str(tmp_path / "M1.txt"), str(linked), "--gold", *topics]) == 0
    assert SEEN.search(capsys.readouterr().err).groups() == ("3", "3")


def test_folds_are_said_not_to_be_needed_for_topics_that_no_model_has_seen(topics, tmp_path):
    said = []
    ilpsum.write_run(topics, "ilp-sum-0-tuned", tmp_path, folds=3, warn=said.append)
    what = "the included model of ilp-sum-0-tuned has seen none of these topics"
    assert [line for line in said if line.startswith(what)]


def test_links_say_that_folds_are_not_needed(topics, tmp_path):
    said = []
    links = tmp_path / "L1.txt"
    ilpsum.link(topics, "citance", folds=3, out=links, run="L1", warn=said.append)
    what = "the included model task1-facets has seen none of these topics"
    assert any(line.startswith(what) for line in said)


def test_no_advice_on_folds_for_topics_that_the_included_model_has_seen(real_data):
    seen, other = topics_of(real_data / "tac2014")[0], Topic("q", "Do newts sing?")
    assert without_folds("task1-facets", [topic_key(other)])
    assert not without_folds("task1-facets", [topic_key(other), topic_key(seen)])
    assert not without_folds("no-such", [topic_key(other)])


def test_folds_are_needed_for_topics_that_the_model_has_seen(real_data):
    seen = topics_of(real_data / "tac2014")
    system = System.load("ilp-sum-0-tuned")
    assert needs_folds(system, seen[:1])
    # It has not seen one question that it was not given, and a system without a model is not known.
    assert not needs_folds(system, [Topic("q", "Do newts sing at night in spring?")])
    assert needs_folds(System.load("baseline-1"), seen[:1])
