"""Features, readers and writers of another installed package, found by their entry points."""

import json
import os
import subprocess
import sys

import pytest

from ilpsum.selection import SELECTORS
from tests.json_lines import read_lines

MODULE = """
from typing import Annotated

import newts_reader
import numpy as np

from features.sets import Feature
from ilpsum.evaluation.run_scores import TextMetric
from ilpsum.tasks.registry import Format, Reader
from ilpsum.tasks.jsonl import JsonlWriter
from ilpsum.selection import Help, Parameters, Selector, one_by_one


def share_of_numbers(context):
    return np.array([np.mean([w.isdigit() for w in s.words]) if s.words else 0.0 for s in context.sentences])


BREVITY = TextMetric("a text", lambda text, topic: 1 / (1 + len(text.split())))
NUMBERS = Feature(("share-of-numbers",), share_of_numbers)


class ShoutingWriter(JsonlWriter):
    def fields(self, summary):
        return {**super().fields(summary), "summary": summary.text.upper()}


SHOUTED = Format("shouted", writer=ShoutingWriter)
NEWT = Format("newt", Reader(newts_reader.recognises, newts_reader.read))
ASKED = Format("asked", Reader(read=newts_reader.questions, searched=True))


class ShortestParameters(Parameters, frozen=True):
    least: Annotated[int, Help("fewest words of a sentence", ge=1)] = 1


class Shortest(Selector):
    name = "shortest"
    needs_relevance = True
    parameters = ShortestParameters

    def select(self, pool, settings):
        chosen = []
        least = settings.of(ShortestParameters).least
        some = [i for i in pool.problem.alone() if pool.sentences[i].words >= least]
        for i in sorted(some, key=lambda i: pool.sentences[i].words):
            if pool.may_add(chosen, i):
                chosen.append(i)
        return one_by_one(self.name, chosen)
"""
READER = """
from ilpsum.records import Document, Topic

def recognises(start):
    return start.path.suffix == ".newt"


def read(path):
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        query, text = line.strip().split(" | ")
        gold = (text.split(". ")[0] + ".",)
        yield Topic(f"newt{number}", query, (Document("d", text),), summaries=gold)


def questions(path):
    yield Topic("q", open(path, encoding="utf-8").read().strip())
"""
POINTS = """[ilpsum.features]
numbers = newts:NUMBERS
gone = newts:NOTHING

[ilpsum.formats]
newt = newts:NEWT
asked = newts:ASKED
adrift = newts:NO_FORMAT
shouted = newts:SHOUTED

[ilpsum.metrics]
brevity = newts:BREVITY

[ilpsum.selectors]
shortest = newts:Shortest
"""
TOPICS = """Do newts sing? | Newts sing at 10 in the night. Toads hum in 14 ponds. Frogs croak loudly.
Do toads hum? | Toads hum at dusk. Newts were heard 3 times. Snails are mute.
"""


@pytest.fixture
def place(tmp_path):
    (tmp_path / "newts.py").write_text(MODULE)
    (tmp_path / "newts_reader.py").write_text(READER)
    info = tmp_path / "newts-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: newts\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    (tmp_path / "topics.newt").write_text(TOPICS)
    return tmp_path


# Several calls share a process: it takes longer to start than to work.
CALLS = """
import contextlib, io, json, sys
from ilpsum.cli import main
for arguments in json.loads(sys.argv[1]):
    with contextlib.redirect_stderr(io.StringIO()) as told, contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            status = main(arguments)
        except SystemExit as end:
            status = end.code
    print(json.dumps([status, told.getvalue()]))
"""


def call(place, *commands, printed=False):
    """The exit status of each command, and what it wrote to standard error, or printed."""
    # The installed package is a folder on the path.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(place), *sys.path])}
    calls = CALLS.replace("told.getvalue", "out.getvalue") if printed else CALLS
    command = [sys.executable, "-c", calls, json.dumps(commands)]
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return read_lines(done.stdout)


def test_a_metric_scores_runs(place):
    lead = ["summarize", "topics.newt", "--method", "lead", "--to", "jsonl", "--out", "runs"]
    scoring = ["evaluate", "runs/SYS1.jsonl", "topics.newt", "--metrics", "brevity"]
    called = call(place, [*lead, "--words", "9"], scoring, printed=True)
    assert [status for status, _ in called] == [0, 0], called
    rows = [line.split("\t") for line in called[1][1].splitlines() if line.startswith("newt")]
    text = json.loads((place / "runs" / "SYS1.jsonl").read_text().splitlines()[0])["summary"]
    assert float(rows[0][2]) == pytest.approx(1 / (1 + len(text.split())), abs=1e-6)


def test_the_command_line_finds_a_reader_and_a_writer(place):
    common = ["summarize", "topics.newt", "--method", "lead"]
    called = call(
        place,
        [*common, "--to", "shouted", "--out", "runs"],
        [*common, "--from", "newt", "--out", "named"],
    )
    assert [status for status, _ in called] == [0, 0], called
    lines = (place / "runs" / "SYS1.jsonl").read_text().splitlines()
    assert [json.loads(line)["summary"] for line in lines] == [
        "NEWTS SING AT 10 IN THE NIGHT. TOADS HUM IN 14 PONDS. FROGS CROAK LOUDLY.",
        "TOADS HUM AT DUSK. NEWTS WERE HEARD 3 TIMES. SNAILS ARE MUTE.",
    ]


def test_abstracts_are_searched_for_questions_without_documents(place):
    (place / "q.txt").write_text("Do grey newts sing at dusk?\n")
    (place / "a.jsonl").write_text(
        json.dumps({"pmid": "7", "title": "Newts", "abstract": "Grey newts sing at dusk."})
    )
    common = ["summarize", "q.txt", "--from", "asked", "--coverage", "0", "--out", "runs"]
    without, found = call(place, common, [*common, "--documents", "a.jsonl", "--index", "index"])
    assert (without[0], found[0]) == (2, 0), (without, found)
    assert "--documents FILE... is needed" in without[1]
    assert (
        json.loads((place / "runs" / "SYS1.jsonl").read_text())["summary"]
        == "Grey newts sing at dusk."
    )


def test_a_system_uses_a_feature_beside_those_of_ilpsum(place):
    system = """description = "with numbers"
    [relevance]
    features = "news + numbers + length"
    [recipe]
    C = [1.0]
    gamma = [0.1]
    epsilon = [0.1]
    """
    (place / "numbered.toml").write_text(system)
    common = ["topics.newt", "--system", "numbered.toml"]
    called = call(
        place,
        ["train", *common, "--out", "model.npz", "--jobs", "2"],
        ["summarize", *common, "--model", "model.npz", "--words", "8", "--out", "runs"],
    )
    assert [status for status, _ in called] == [0, 0], called
    record = json.loads((place / "runs" / "SYS1.provenance.jsonl").read_text().splitlines()[0])
    assert "share-of-numbers" in json.dumps(record)


def test_a_selector_is_named_by_a_system_or_on_the_command_line(place):
    """It takes the shortest sentences, and its run says so."""
    (place / "short.toml").write_text(
        'base = "ilp-sum-1-tuned"\ndescription = "x"\n[selection]\nmethod = "shortest"\n'
    )
    common = ["summarize", "topics.newt", "--out", "runs"]
    *called, (longest, told), (oracle, _) = call(
        place,
        [*common, "--system", "short.toml", "--words", "7", "--run", "1"],
        [*common, "--system", "task2", "--method", "shortest", "--words", "7", "--run", "2"],
        [*common, "--method", "longest"],
        [*common, "--method", "oracle"],
    )
    assert [status for status, _ in called] == [0, 0], called
    for number in (1, 2):
        records = (place / "runs" / f"SYS{number}.provenance.jsonl").read_text().splitlines()
        assert [json.loads(line)["text"] for line in records] == [
            "Frogs croak loudly.",
            "Toads hum at dusk.\nSnails are mute.",
        ]
        record = json.loads(records[1])
        assert (record["status"], record["settings"]["system"]["method"], record["objective"]) == (
            "shortest",
            "shortest",
            None,
        )
        assert any("no room" in entry.get("why", "") for entry in record["candidates"])
    assert (longest, oracle) == (2, 2)
    assert f"unknown selector 'longest'; there are: {', '.join(SELECTORS.own)}, shortest" in told


def test_a_selector_of_another_package_has_parameters(place):
    """They are set in a file or by an option, told by provenance, and listed."""
    (place / "short.toml").write_text(
        'base = "ilp-sum-1-tuned"\ndescription = "x"\n[selection]\nmethod = "shortest"\n'
        "[shortest]\nleast = 5\n"
    )
    (place / "wrong.toml").write_text(
        'base = "ilp-sum-1-tuned"\ndescription = "x"\n[shortest]\nleast = 0\n'
    )
    common = ["summarize", "topics.newt", "--out", "runs", "--words", "12"]
    called = call(
        place,
        [*common, "--system", "short.toml", "--run", "1"],
        [*common, "--system", "short.toml", "--set", "shortest.least=4", "--run", "2"],
        [*common, "--system", "wrong.toml", "--run", "3"],
        [*common, "--system", "short.toml", "--set", "shortest.most=4", "--run", "4"],
    )
    assert [status for status, _ in called] == [0, 0, 2, 2], called
    for number, least, origin in ((1, 5, "short.toml"), (2, 4, "option")):
        records = (place / "runs" / f"SYS{number}.provenance.jsonl").read_text().splitlines()
        for record in map(json.loads, records):
            assert record["settings"]["system"]["parameters"] == {"least": least}
            assert record["settings"]["origins"]["shortest.least"] == origin
            assert all(c["words"] >= least for c in record["candidates"] if c["chosen"])
    assert "shortest: least: expected" in called[2][1]
    assert "unknown setting 'shortest.most'" in called[3][1]
    assert "there are: shortest.least" in called[3][1]
    ((_, told),) = call(place, ["systems", "--settings", "--json"], printed=True)
    assert '"shortest.least"' in told
    assert "fewest words of a sentence" in told


def test_what_is_not_there_is_an_error_of_one_line(place):
    for name in ("gone", "none"):
        (place / f"{name}.toml").write_text(
            f'description = "x"\n[relevance]\nfeatures = "news + {name}"\n'
        )
    summarize = ["summarize", "topics.newt", "--method", "lead", "--out", "runs"]
    called = call(
        place,
        ["train", "topics.newt", "--system", "gone.toml", "--out", "model.npz"],
        ["train", "topics.newt", "--system", "none.toml", "--out", "model.npz"],
        [*summarize, "--to", "whispered"],
        [*summarize, "--from", "toad"],
    )
    complaints = (
        "'gone' of newts cannot be loaded",
        "unknown feature set or feature 'none'",
        "shouted",
        "newt",
    )
    for (status, told), complaint in zip(called, complaints, strict=True):
        assert status == 2
        assert complaint in told
    assert [told.count("\n") for _, told in called[:2]] == [1, 1]


def test_a_plug_in_that_cannot_be_loaded_is_an_error_only_where_it_is_wanted(place):
    """`adrift` is installed for all of these tests, and reads nothing."""
    wanted = ["summarize", "topics.newt", "--method", "lead", "--out", "adrift"]
    (place / "unread.json").write_text("[1]")
    called = call(
        place,
        [*wanted, "--from", "adrift"],
        [*wanted, "--to", "adrift"],
        ["systems", "--features"],
        ["ask", "Do newts sing?", "unread.json"],
    )
    for status, told in called[:2]:
        assert (status, told.count("\n")) == (2, 1)
        assert "the format 'adrift' of newts cannot be loaded: " in told
        assert "; update or uninstall newts\n" in told
    assert [status for status, _ in called[2:]] == [0, 2]
    assert "adrift" not in called[3][1]
