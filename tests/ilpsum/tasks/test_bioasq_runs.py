"""BioASQ submissions and JSON lines: written, resumed, checked."""

import json

import pytest

from ilpsum.cli import main
from ilpsum.errors import InputError, UsageError
from ilpsum.records import Sentence, Summary
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.reading import read_run
from ilpsum.runs.writer import RunWriter
from ilpsum.tasks.bioasq import BioasqWriter
from ilpsum.tasks.jsonl import JsonlWriter
from ilpsum.tasks.registry import FORMATS
from tests.json_lines import read_lines

check = FORMATS["bioasq"].check


def summary(topic, text):
    sentences = (Sentence(text, "11-1", 0, len(text), len(text.split())),)
    return Summary(topic, sentences, text, candidates=sentences, chosen=(0,))


def test_a_submission_keeps_the_order_in_which_it_was_written(tmp_path):
    assert FORMATS["bioasq"].writer is BioasqWriter
    with RunWriter(tmp_path, BioasqWriter("OLM1")) as run:
        run.write(summary("q9", "Newts sing.\nLoud\tnewts."))
        run.fail("q5", "no reason")
        run.write(summary("q1", 'Caf\xe9 "olms" \ud800.'))
    text = (tmp_path / "OLM1.json").read_text(encoding="utf-8")
    assert json.loads(text) == {
        "questions": [
            {"id": "q9", "ideal_answer": "Newts sing. Loud newts."},
            {"id": "q5", "ideal_answer": ""},
            {"id": "q1", "ideal_answer": 'Caf\xe9 "olms" ?.'},
        ]
    }
    assert read_run(tmp_path / "OLM1.json").texts["q9"] == "Newts sing. Loud newts."
    findings = check(tmp_path / "OLM1.json")
    assert [str(finding) for finding in findings] == [
        f"{tmp_path / 'OLM1.json'}:3: question q5: warning: empty ideal answer"
    ]
    assert sum(1 for _ in read_provenance(tmp_path / "OLM1.provenance.jsonl")) == 3


def test_a_resumed_run_retries_failed_topics(tmp_path):
    with RunWriter(tmp_path, BioasqWriter("OLM1")) as run:
        run.fail("q1", "a lost page")
        run.write(summary("q2", "Toads."))
    with RunWriter(tmp_path, BioasqWriter("OLM1"), resume=True) as run:
        assert "q2" in run.finished
        run.write(summary("q1", "Newts."))
        run.fail("q2", "a second q2")
    questions = json.loads((tmp_path / "OLM1.json").read_text())["questions"]
    assert questions == [
        {"id": "q2", "ideal_answer": "Toads."},
        {"id": "q1", "ideal_answer": "Newts."},
    ]


def test_json_lines(tmp_path):
    with RunWriter(tmp_path, JsonlWriter("OLM1")) as run:
        run.write(summary("t", "Newts sing."))
        run.fail("u", "no reason")
    assert read_lines(tmp_path / "OLM1.jsonl") == [
        {
            "id": "t",
            "summary": "Newts sing.",
            "sentences": [{"text": "Newts sing.", "document": "11-1", "start": 0, "end": 11}],
        },
        {"id": "u", "summary": "", "sentences": []},
    ]


def test_an_empty_run(tmp_path):
    with RunWriter(tmp_path, BioasqWriter("OLM1")):
        pass
    assert json.loads((tmp_path / "OLM1.json").read_text()) == {"questions": []}
    assert check(tmp_path / "OLM1.json") == []


def test_the_topics_of_a_run_may_be_several_files(tmp_path):
    run, *topics = (tmp_path / name for name in ("run.json", "first.json", "second.json"))
    run.write_text(json.dumps({"questions": [{"id": name, "ideal_answer": "x"} for name in "abc"]}))
    for path, name in zip(topics, "ab", strict=True):
        path.write_text(json.dumps({"questions": [{"id": name, "body": "?"}]}))
    (finding,) = check(run, topics=topics)
    assert finding.message == f"no topic 'c' in {topics[0]}, {topics[1]}"
    run.write_text(json.dumps({"questions": [{"id": name, "ideal_answer": "x"} for name in "ab"]}))
    assert main(["check", str(run), "--as", "bioasq", "--topics", *map(str, topics)]) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cut off"),
        ("[]", 'expected an object with a list "questions"'),
        ("{}", 'expected an object with a list "questions"'),
        ('{"questions": 3}', 'expected an object with a list "questions"'),
        ('{"questions": [3]}', "expected an object"),
        ('{"questions": [{"ideal_answer": "x"}]}', "the key id is missing"),
        ('{"questions": [{"id": "a"}]}', 'a list of texts as "ideal_answer"'),
        ('{"questions": [{"id": "a", "ideal_answer": []}]}', 'a list of texts as "ideal_answer"'),
        (
            '{"questions": [{"id": "a", "ideal_answer": ["x", 3]}]}',
            "ideal_answer[1]: expected text",
        ),
        (
            '{"questions": [{"id": "a", "ideal_answer": "x", "exact_answer": 3}]}',
            "exact_answer: expected text",
        ),
        ('{"questions": [{"id": "b", "ideal_answer": "x"}]}', "no topic 'b'"),
        (
            '{"questions": [{"id": "a", "ideal_answer": "x"}, {"id": "a", "ideal_answer": "x"}]}',
            "a second answer",
        ),
        (json.dumps({"questions": [{"id": "a", "ideal_answer": "x " * 201}]}), "201 words"),
        ('{"questions": [{"id": "a", "ideal_answer": "x"}', "not valid JSON"),
    ],
)
def test_each_rule_on_its_own(tmp_path, text, message):
    path, topics = tmp_path / "run.json", tmp_path / "topics.json"
    path.write_text(text)
    topics.write_text('{"questions": [{"id": "a", "body": "?"}]}')
    findings = [finding for finding in check(path, topics=topics) if not finding.warning]
    assert len(findings) == 1
    assert message in findings[0].message


def test_exact_answers_are_said_to_be_unchecked(tmp_path, capsys):
    path = tmp_path / "run.json"
    answers = [
        {"id": "a", "ideal_answer": "x", "exact_answer": "y"},
        {"id": "b", "ideal_answer": "x"},
    ]
    path.write_text(json.dumps({"questions": answers}))
    (finding,) = check(path)
    assert finding.warning
    assert finding.message == "1 exact answer not checked: this checks ideal answers only"
    assert main(["check", str(path), "--as", "bioasq"]) == 0
    path.write_text(json.dumps({"questions": answers[1:]}))
    assert check(path) == []


def test_unusable_arguments(tmp_path):
    with pytest.raises(InputError, match="no such run"):
        check(tmp_path / "nothing")
    with pytest.raises(UsageError, match="--pmids"):
        check(tmp_path, pmids=tmp_path)
