"""What is read of a searched document before any question."""

import gzip
import itertools

import pytest

from features.answer_cues import cues_of
from features.matching import ROLES
from ilpsum.answers.entries import IDENTITY, any_of, identity
from ilpsum.answers.indexing import index_files
from ilpsum.answers.open_index import OpenIndex
from ilpsum.literature import intake
from ilpsum.pipeline import reading
from ilpsum.pipeline.coherence.statements import serves_reader
from ilpsum.pipeline.reading import keep, packed, read, reading_of, rows_of, unpacked
from ilpsum.pipeline.terms import terms
from ilpsum.records import Document, Sentence

ABSTRACT = Document(
    "7",
    "Song of newts.\nMETHODS: We heard β-newts [3]. RESULTS: They sing. Copyright 2012 by the Newt Society.",
)


def test_a_reading_has_clean_sentences_with_their_roles_and_terms():
    found = read(ABSTRACT)
    assert [s.text for s in found.sentences] == [
        "Song of newts.",
        "We heard β-newts.",
        "They sing.",
    ]
    assert [ABSTRACT.text[s.start : s.end] for s in found.sentences][2] == "RESULTS: They sing."
    assert found.rows[1].roles == tuple(name == "method" for name in ROLES)
    assert found.rows[2].roles == tuple(name == "result" for name in ROLES)
    assert [row.terms for row in found.rows] == ["song newt", "heard beta newt", "sing"]
    assert [row.cues for row in found.rows] == [cues_of(s.text) for s in found.sentences]
    assert [row.serves for row in found.rows] == [serves_reader(s) for s in found.sentences]
    assert found.terms.split() == terms(ABSTRACT.text)


def test_what_no_reading_has_is_read_by_itself():
    other = Sentence("Newts sing at dusk.", "7", 3, 9, 4)
    known, read_alone = rows_of([ABSTRACT], (read(ABSTRACT).sentences[2], other))
    assert (known.terms, read_alone.terms) == ("sing", "newt sing dusk")
    assert known.roles == (0, 0, 0, 1, 0)
    assert sum(read_alone.roles) == pytest.approx(1)


def test_of_a_long_document_only_the_candidates_are_read(monkeypatch):
    whole = read(ABSTRACT)
    monkeypatch.setattr(reading, "_recent", {})
    monkeypatch.setattr(reading, "_LONGEST", len(ABSTRACT.text) - 1)
    monkeypatch.setattr(reading, "read", None)
    assert rows_of([ABSTRACT], whole.sentences[1:]) == list(whole.rows[1:])
    assert reading.terms_of(ABSTRACT) == whole.terms.split()


def test_recent_readings_are_kept_and_old_ones_are_not(monkeypatch):
    monkeypatch.setattr(reading, "_MOST", 2)
    documents = [Document(str(n), "Newts sing.") for n in range(3)]
    marked = [keep(document, read(ABSTRACT)) for document in documents]
    assert reading_of(documents[2]) is marked[2]
    assert reading_of(documents[0]) == read(documents[0])


def test_damaged_bytes_are_a_value_error():
    whole = read(ABSTRACT)
    data = packed(ABSTRACT, whole)
    assert unpacked(ABSTRACT, whole.terms, data) == whole
    for place in range(len(data)):
        with pytest.raises(ValueError):  # noqa: PT011
            unpacked(ABSTRACT, whole.terms, data[:place])


def test_an_index_gives_the_readings_that_its_abstracts_have(real_data, tmp_path):
    with gzip.open(real_data / "bioasq" / "abstracts.jsonl.gz") as lines:
        (tmp_path / "a.jsonl").write_bytes(b"".join(itertools.islice(lines, 200)))
    index = OpenIndex(*index_files([tmp_path / "a.jsonl"], tmp_path / "index"))
    documents = [d for d in intake.documents(tmp_path / "a.jsonl") if isinstance(d, Document)]
    entries = index.placed(any_of(IDENTITY, [identity(d.id) for d in documents])).values()
    assert len(entries) == len(documents) > 190
    for entry in entries:
        assert unpacked(entry.document, entry.terms, entry.packed) == read(entry.document)
