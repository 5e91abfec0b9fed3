"""How many topics there are, before they are read."""

import gzip
from pathlib import Path

import pytest

from ilpsum import resources
from ilpsum.formats import counting, read_topics
from ilpsum.formats.counting import count_lines, count_topics


@pytest.mark.parametrize("piece", [3, 7, 2**20])
def test_lines_and_questions_in_pieces(tmp_path, monkeypatch, piece):
    monkeypatch.setattr(counting, "_PIECE", piece)
    (tmp_path / "a.jsonl").write_text("one\ntwo\nthree")
    (tmp_path / "b.jsonl").write_text("one\ntwo\n")
    (tmp_path / "c.jsonl").write_text("")
    assert [count_topics(tmp_path / f"{name}.jsonl", "jsonl") for name in "abc"] == [3, 2, 0]
    (tmp_path / "q.json.gz").write_bytes(gzip.compress(b'{"questions": [{"body": "a"}, {"body" : "b"}]}'))
    assert count_topics(tmp_path / "q.json.gz", "bioasq") == 2


def test_what_cannot_be_told_cheaply(tmp_path, monkeypatch):
    (tmp_path / "a.jsonl").write_text("one\n")
    assert count_topics(Path("-"), "jsonl") is None
    assert count_topics(tmp_path / "none", "jsonl") is None
    assert count_topics(tmp_path, "duc") is None
    monkeypatch.setattr(counting, "_MOST_BYTES", 2)
    assert count_lines(tmp_path / "a.jsonl") is None


def test_topic_folders():
    assert count_topics(resources.demo(), "tac") == 3
    assert count_topics(resources.demo() / "D9001_DEMO", "tac") == 1


def test_real_data(real_data):
    for path, form in (("tac2014", "tac"), ("scisumm", "scisumm"), ("bioasq/3B1_golden.json.gz", "bioasq")):
        assert count_topics(real_data / path, form) == sum(1 for _ in read_topics([real_data / path], form))
