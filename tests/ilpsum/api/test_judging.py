"""A file of candidates, graded: its scores give the answers that the judge itself gives."""

import json

import pytest

from ilpsum import ask
from ilpsum.cli import main
from tests.ilpsum.learning.judging.conftest import standin  # noqa: F401  # a fixture
from tests.ilpsum.learning.judging.standin import Fault
from tests.ilpsum.pipeline.test_judged import GRADED, QUESTION, TEXTS


@pytest.fixture
def candidates(tmp_path):
    """A file of the candidates of a question, twice, by two topics."""
    topic = ask(QUESTION, TEXTS, words=60)
    lines = []
    for name in (topic.topic.id, "other"):
        for s in topic.summary.candidates:
            place = {"document": s.document, "start": s.start, "end": s.end, "text": s.text}
            row = {"topic": name, "question": QUESTION, **place, "relevance": s.relevance}
            lines.append(json.dumps({**row, "features": {"words": 1.0}}))
    path = tmp_path / "candidates.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def grade(standin, candidates, *more):  # noqa: F811
    out = candidates.with_name("scores.jsonl")
    named = ["--judge", standin.url, "--judge-model", "newt-7b", "-o", str(out), "--force"]
    status = main(["judge", str(candidates), *named, *more])
    return status, [json.loads(line) for line in out.read_text().splitlines()]


def test_scores_give_the_answers_of_the_judge(standin, candidates):  # noqa: F811
    standin.grade = lambda _question, sentence: GRADED.get(sentence, 0)
    status, rows = grade(standin, candidates)
    assert status == 0
    assert {row["text"]: row["grade"] for row in rows} == {
        row["text"]: GRADED.get(row["text"], 0) for row in rows
    }
    assert {row["judge"] for row in rows} == {f"newt-7b at {standin.host}"}
    assert "features" not in rows[0]
    scores = {"relevance.scores": str(candidates.with_name("scores.jsonl"))}
    judged = {"judge.url": standin.url, "judge.model": "newt-7b"}
    by_scores = ask(QUESTION, TEXTS, words=60, settings=scores)
    by_judge = ask(QUESTION, TEXTS, words=60, settings=judged)
    assert str(by_scores.summary) == str(by_judge.summary) != ""
    assert by_scores.outcome == by_judge.outcome == "answer"
    for given, graded in zip(
        by_scores.summary.candidates, by_judge.summary.candidates, strict=True
    ):
        assert given.relevance == graded.relevance
    assert [s.why for s in by_scores.summary] == [s.why for s in by_judge.summary]


def test_a_reranker_gives_scores_and_no_grades(standin, candidates):  # noqa: F811
    status, rows = grade(standin, candidates, "--set", f"judge.url={standin.reranker}")
    assert status == 0
    assert all("grade" not in row and 0 <= row["score"] <= 1 for row in rows)


def test_a_topic_without_grades_is_named_and_the_others_are_written(standin, candidates, capsys):  # noqa: F811
    standin.faults = [Fault(401, b'{"error": "bad key"}')]
    status, rows = grade(standin, candidates)
    assert status == 1
    assert {row["topic"] for row in rows} == {"other"}
    assert "has no grades: the judge newt-7b at" in capsys.readouterr().err


def test_a_judge_that_gives_no_grades_leaves_no_file(standin, candidates, capsys):  # noqa: F811
    standin.faults = [Fault(401, b'{"error": "bad key"}')] * 2
    out = candidates.with_name("scores.jsonl")
    named = ["--judge", standin.url, "--judge-model", "newt-7b", "-o", str(out)]
    assert main(["judge", str(candidates), *named]) == 1
    error = capsys.readouterr().err
    assert error.startswith("ilpsum: the judge newt-7b at")
    assert "'bad key'" in error
    assert not out.exists()


def test_an_address_without_a_host_is_named(candidates, capsys):
    named = ["--judge", "localhost", "--judge-model", "newt-7b"]
    assert main(["judge", str(candidates), *named, "-o", str(candidates.with_name("s"))]) == 2
    assert "the address of the judge newt-7b: expected https" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{}", "candidates.jsonl:1: the key topic is missing; expected the candidates of"),
        ('{"topic": "a", "question": "b", "document": "c", "start": -1, "end": 2, "text": "d"}', "start"),
        ("no JSON", "candidates.jsonl:1: not valid JSON"),
        ("", "no candidates"),
    ],
)  # fmt: skip
def test_a_file_of_anything_else_is_one_line(standin, tmp_path, capsys, line, expected):  # noqa: F811
    path = tmp_path / "candidates.jsonl"
    path.write_text(f"{line}\n")
    named = ["--judge", standin.url, "--judge-model", "newt-7b"]
    out = tmp_path / "scores.jsonl"
    assert main(["judge", str(path), *named, "-o", str(out)]) == 2
    assert expected in capsys.readouterr().err
    assert not out.exists()
    assert standin.asked == []


def test_a_judge_must_be_named(candidates, capsys):
    assert main(["judge", str(candidates), "-o", str(candidates.with_name("s.jsonl"))]) == 2
    assert "name the address of the judge" in capsys.readouterr().err
