"""A sentence is a candidate only once, however often it is quoted."""

from ilpsum.pipeline.candidates import CITANCE, candidates
from ilpsum.pipeline.system import CandidateTable
from ilpsum.records import Citance, Document, Topic


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


def test_citances_whose_paper_is_missing_are_candidates() -> None:
    paper = Document("ref", "Newts sing at the pond in spring.", role="reference")
    citances = tuple(
        Citance(number, "gone", 0, 0, f"The {kind} of that pond sing too (Eft 2004).")
        for number, kind in enumerate(("toads", "frogs"), 1)
    )
    found = candidates(Topic("t", documents=(paper,), citances=citances), CandidateTable(citances=True))
    assert [s.text for s in found if s.section == CITANCE] == [c.text for c in citances]
