"""A sentence is a candidate only once, however often it is quoted."""

from ilpsum.pipeline.candidates import candidates
from ilpsum.pipeline.system import CandidateTable
from ilpsum.records import Document, Topic


def texts(*documents: Document) -> list[tuple[str, str]]:
    return [(s.document, s.text) for s in candidates(Topic("t", documents=documents), CandidateTable())]


def test_overlapping_snippets_of_one_source_give_each_sentence_once() -> None:
    whole = Document("1-1", "Newts sing at the pond. Toads croak all night long.", source="1")
    piece = Document("1-2", "sing at the pond. Toads croak all night long.", source="1")
    after = Document("1-3", "Toads croak all night long. Frogs are silent in winter.", source="1")
    assert texts(piece, whole, after) == [
        ("1-2", "Toads croak all night long."),
        ("1-1", "Newts sing at the pond."),
        ("1-3", "Frogs are silent in winter."),
    ]


def test_fragments_of_other_sources_are_kept_and_equal_sentences_dropped() -> None:
    first = Document("1", "Newts sing at the pond in spring.", source="1")
    second = Document("2", "Sing at the pond. NEWTS sing at the pond in spring.", source="2")
    assert texts(first, second) == [("1", "Newts sing at the pond in spring."), ("2", "Sing at the pond.")]
