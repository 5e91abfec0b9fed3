"""Runs written from Python."""

import dataclasses
import json

import pytest

import ilpsum
from ilpsum import Document, Topic, resources
from ilpsum.api.inputs import Inputs
from ilpsum.cli import main
from ilpsum.errors import InputError, UsageError
from ilpsum.runs.reading import provenance_path
from ilpsum.tasks import ReaderOptions
from tests.json_lines import lines_of, read_lines
from tests.systems import LEAD


def test_a_run_is_that_of_the_command_line(tmp_path):
    said = []
    settings = {"selection.lambda": 0.7, "order.by": "score"}
    topics = resources.demo() / "questions.json"
    written = ilpsum.write_run(
        topics, out=tmp_path / "a", words=60, settings=settings, warn=said.append
    )
    assert (written.path, written.summaries, written.kept) == (tmp_path / "a" / "SYS1.json", 3, 0)
    options = "--words 60 --lambda 0.7 --order score --quiet --out".split()
    assert main(["summarize", str(topics), *options, str(tmp_path / "b")]) == 0
    assert written.path.read_bytes() == (tmp_path / "b" / "SYS1.json").read_bytes()
    assert (
        ilpsum.write_run(topics, out=tmp_path / "a", words=60, settings=settings, resume=True).kept
        == 3
    )
    other = settings | {"selection.lambda": 0.6}
    with pytest.raises(UsageError, match=r"objective\.lambda 0\.7, now 0\.6"):
        ilpsum.write_run(topics, out=tmp_path / "a", words=60, settings=other, resume=True)


def test_topics_in_memory_are_json_lines_unless_a_format_is_named(tmp_path):
    topic = Topic(
        "q1",
        "Do newts sing?",
        documents=[Document("1", "Newts sing in ponds at night. Toads hum.")],
    )
    twin = dataclasses.replace(topic, query="Do toads hum?")
    written = ilpsum.write_run([topic], LEAD, tmp_path, words=20)
    assert json.loads(written.path.read_text())["id"] == "q1"
    assert written.path.name == "SYS1.jsonl"
    assert ilpsum.write_run([topic], LEAD, tmp_path, to="bioasq", team="B").path.name == "B1.json"
    (failed,) = ilpsum.write_run([topic, twin], LEAD, tmp_path, team="C").failed
    assert failed.id == "q1"


@pytest.mark.parametrize("none", [[], (), iter([])], ids=["list", "tuple", "iterator"])
def test_no_topics_are_refused_and_leave_no_run(tmp_path, none):
    with pytest.raises(InputError, match="no topics are in the input"):
        ilpsum.write_run(none, LEAD, tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_settings_that_a_call_does_not_use_are_refused(tmp_path):
    newts = Document("1", "Newts sing in ponds.")
    for key in ("source.since", "run.bytes"):
        with pytest.raises(UsageError, match=f"{key} is not a setting here"):
            ilpsum.ask("Do newts sing?", newts, settings={key: 2000})
    with pytest.raises(UsageError, match=r"source\.since is not"):
        ilpsum.write_run(
            [Topic("q1", documents=[newts])], LEAD, tmp_path, settings={"source.since": 2000}
        )


def test_a_model_for_another_kind_of_topic_is_said_once(tmp_path):
    text = " ".join(f"Newts sing in pond {n} at night." for n in range(9))
    topics = [
        Topic(f"q{n}", "Do newts sing?", documents=[Document("1", text)], kind="news")
        for n in range(3)
    ]
    said = []
    ilpsum.write_run(topics, "ilp-sum-1-tuned", tmp_path, words=20, warn=said.append)
    assert sum("the model is for topics of the kind" in str(each) for each in said) == 1


def test_folders_of_abstracts_are_searched_as_their_files_are(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "abstracts").mkdir()
    file = tmp_path / "abstracts" / "newts.jsonl"
    file.write_text(lines_of([{"pmid": "7", "title": "Newts", "abstract": "Newts sing in ponds."}]))
    topics = tmp_path / "topics.json"
    topics.write_text(json.dumps([{"id": "q1", "question": "Do newts sing?", "narrative": ""}]))
    made = []
    for name, documents in (("a", file), ("b", file.parent)):
        sources = ilpsum.Sources(documents=[documents])
        inputs = Inputs.of([str(topics)], "biogen", ReaderOptions(), sources)
        path = ilpsum.write_run(inputs, LEAD, tmp_path / name).path
        made.append((path.read_bytes(), read_lines(provenance_path(path))[0]["settings"]))
    assert made[0] == made[1]
    assert made[0][1]["input"]["documents"]
