"""Our own JSON lines, and what is handed over with a question."""

import io
import json
from types import SimpleNamespace

import pytest

from ilpsum.errors import InputError
from ilpsum.files.start import Start
from ilpsum.records import BrokenTopic, Document, Topic
from ilpsum.tasks import guess, jsonl, texts


@pytest.fixture
def write(tmp_path):
    def writer(*lines, name="topics.jsonl"):
        path = tmp_path / name
        path.write_text(
            "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
        )
        return path

    return writer


def test_a_topic_a_line(write):
    document = {"id": "d", "title": "Newts", "text": "They sing.\nLoud.", "date": "2001-02-03"}
    path = write(
        {"id": "a", "query": "Who?", "documents": [document], "summaries": ["Newts."]},
        "",
        {"id": "b", "documents": [], "kind": "texts"},
    )
    assert jsonl.recognises(Start.of(path))
    assert list(jsonl.read(path)) == [
        Topic(
            "a",
            "Who?",
            (Document("d", "They sing.\nLoud.", "Newts", "2001-02-03"),),
            summaries=("Newts.",),
        ),
        Topic("b", kind="texts"),
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not valid JSON"),
        ("[1]", "a JSON object"),
        ({"id": 3, "documents": []}, "id: expected text"),
        ({"id": " ", "documents": []}, "empty"),
        ({"id": "x"}, "the key documents is missing"),
        ({"id": "x", "documents": ["d"]}, "documents[0]: expected an object"),
        ({"id": "x", "documents": [{"id": "d"}]}, "documents[0]: the key text is missing"),
        (
            {"id": "x", "documents": [{"id": "d", "text": "t", "date": 7}]},
            "documents[0].date: expected text",
        ),
        ({"id": "x", "documents": [{"id": "d", "text": "t"}] * 2}, "two documents"),
        ({"id": "x", "documents": [], "summaries": "s"}, "summaries: expected a list"),
        ({"id": "x", "documents": [], "query": ["q"]}, "query: expected text"),
        ({"id": "x", "documents": [], "summary": "s"}, 'did you mean "summaries"?'),
        ({"id": "x", "documents": [], "Querry": "q"}, '"Querry" is not a key of a topic'),
        ('{"id": 1e999999, "documents": NaN}', "not valid JSON"),
        ("9" * 5000, "a number that fits in a double"),
        ("[" * 10**5, "nested too deeply"),
    ],
)
def test_a_broken_line_is_told_and_the_next_follows(write, line, said):
    broken, good = jsonl.read(write(line, {"id": "good", "documents": []}))
    assert isinstance(broken, BrokenTopic)
    assert said in str(broken.error)
    assert "topics.jsonl:1: " in str(broken.error)
    assert good.id == "good"


def test_keys_of_the_user_are_left_alone(write):
    """Also where they are close to a key that is there."""
    line = {"id": "x", "documents": [], "summaries": ["s"], "summary": "s", "index": 3, "year": 1}
    (topic,) = jsonl.read(write(line))
    assert topic.summaries == ("s",)


def test_bytes_that_are_no_utf8(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"id": "\xff", "documents": []}\n{"id": "b", "documents": []}')
    broken, good = jsonl.read(path)
    assert "not UTF-8" in str(broken.error)
    assert good.id == "b"


def test_documents_of_plain_texts_keep_their_offsets(tmp_path):
    first, second = tmp_path / "a.txt", tmp_path / "other" / "a.txt"
    second.parent.mkdir()
    first.write_bytes(b"\xef\xbb\xbfNewts sing\r\nin the rain.\r\n\r\nFrogs do not.")
    second.write_bytes("caf\xe9".encode("cp1252"))
    one, two = texts.documents([first, second]).documents
    assert (one.id, one.text) == ("a.txt", "Newts sing in the rain.\n\nFrogs do not.")
    assert (two.id, two.text) == ("a.txt-2", "caf\xe9")


def test_documents_of_abstracts_topics_and_standard_input(tmp_path, monkeypatch, write):
    abstracts = write({"pmid": "7", "title": "T.", "abstract": "A."}, name="abstracts.jsonl")
    topics = write({"id": "x", "documents": [{"id": "d", "text": "Text."}]})
    monkeypatch.setattr(
        "sys.stdin",
        SimpleNamespace(buffer=io.BytesIO(b"PMID- 8\nTI  - From\n      a pipe.\nAB  - A.\n")),
    )
    assert [(d.id, d.text) for d in texts.documents([abstracts, topics, "-"]).documents] == [
        ("7", "T.\nA."),
        ("d", "Text."),
        ("8", "From a pipe.\nA."),
    ]


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"%PDF-1.4 x", "not a valid PDF"), (b"a\x00b", "not text"), (b" \n", "the file is empty")],
)
def test_what_is_no_text(tmp_path, data, said):
    path = tmp_path / "x"
    path.write_bytes(data)
    with pytest.raises(InputError, match=said):
        list(texts.documents([path]).documents)


def test_a_topic_whose_long_query_comes_first_is_known(tmp_path):
    file = tmp_path / "topics.jsonl"
    line = {
        "id": "t",
        "query": "newts sing " * 10_000,
        "documents": [{"id": "1", "text": "Newts sing at dusk."}],
    }
    file.write_text(json.dumps(line) + "\n")
    assert guess(file) == "jsonl"
    file.write_text(
        json.dumps({"id": "t", "query": "newts sing " * 10_000}) + '\n{"documents": []}\n'
    )
    assert not jsonl.recognises(Start.of(file))
