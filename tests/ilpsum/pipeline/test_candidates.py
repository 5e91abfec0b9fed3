"""A sentence is a candidate only once, however often it is quoted; what papers hold beside prose is none."""

from dataclasses import replace

import pytest

from ilpsum.pipeline.candidates import CITANCE, MOST_CHARACTERS, bounded, candidates
from ilpsum.records import Citance, Document, SearchResult, Section, Span, Topic
from ilpsum.records.tables import CandidateTable


def texts(*documents: Document) -> list[tuple[str, str]]:
    return [
        (s.document, s.text) for s in candidates(Topic("t", documents=documents), CandidateTable())
    ]


def test_overlapping_snippets_of_one_source_give_each_sentence_once():
    whole = Document("1-1", "Newts sing at the pond. Toads croak all night long.", source="1")
    piece = Document("1-2", "sing at the pond. Toads croak all night long.", source="1")
    after = Document("1-3", "Toads croak all night long. Frogs are silent in winter.", source="1")
    assert texts(piece, whole, after) == [
        ("1-2", "Toads croak all night long."),
        ("1-1", "Newts sing at the pond."),
        ("1-3", "Frogs are silent in winter."),
    ]


def test_fragments_of_other_sources_are_kept_and_equal_sentences_dropped():
    first = Document("1", "Newts sing at the pond in spring.", source="1")
    second = Document("2", "Sing at the pond. NEWTS sing at the pond in spring.", source="2")
    assert texts(first, second) == [
        ("1", "Newts sing at the pond in spring."),
        ("2", "Sing at the pond."),
    ]


def test_of_equal_sentences_the_first_whole_one_is_kept():
    cut = Document("1", "newts sing, at the pond in spring", source="1")
    whole = Document("2", "Newts sing at the pond in spring.", source="2")
    again = Document("3", "NEWTS sing at the pond, in spring!", source="3")
    assert texts(cut, whole, again) == [("2", "Newts sing at the pond in spring.")]


def paper(*sentences: str) -> Document:
    """A paper whose source marks sentences and one section."""
    text, spans = "", []
    for sentence in sentences:
        spans.append(Span(len(text), len(text) + len(sentence)))
        text += sentence + "\n"
    return Document(
        "p",
        text,
        role="reference",
        sentences=tuple(spans),
        sections=(Section("", "other", 0, len(text)),),
    )


def test_headings_rows_and_cut_sentences_of_a_paper():
    source = paper(
        "4.1 The Pond and the Newts.",
        "2 We counted eÆciently.",
        "Unlike Newt et al.",
        "(1997) newts sing.",
        "Newt 1 2 3 4 5.",
    )
    assert texts(source) == [
        ("p", "We counted efficiently."),
        ("p", "Unlike Newt et al. (1997) newts sing."),
    ]


def test_a_citance_that_speaks_of_its_own_paper_is_no_candidate():
    lines = "Newts sing at night (Newt 1997).\nWe heard newts at night (Newt 1997).\n"
    citing = Document("c", lines, role="citing")
    place = lines.index("\n")
    citances = (
        Citance(1, "c", 0, place, lines[:place]),
        Citance(2, "c", place + 1, len(lines) - 1, lines[place + 1 : -1]),
    )
    topic = Topic("t", documents=(paper("Newts sing low songs."), citing), citances=citances)
    found = candidates(topic, CandidateTable(citances=True))
    assert [s.text for s in found] == ["Newts sing low songs.", "Newts sing at night (Newt 1997)."]


def test_citances_whose_paper_is_missing_are_candidates():
    paper = Document("ref", "Newts sing at the pond in spring.", role="reference")
    citances = tuple(
        Citance(number, "gone", 0, 0, f"The {kind} of that pond sing too (Eft 2004).")
        for number, kind in enumerate(("toads", "frogs"), 1)
    )
    found = candidates(
        Topic("t", documents=(paper,), citances=citances), CandidateTable(citances=True)
    )
    assert [s.text for s in found if s.section == CITANCE] == [c.text for c in citances]


def test_clean_candidates_lose_labels_and_pointers_and_keep_their_spans():
    document = Document("1", "RESULTS: Newts sing at the pond [3] (Fig. 2). Toads croak (12, 14).")
    topic = Topic("t", documents=(document,))
    found = candidates(topic, CandidateTable(clean=True))
    assert [(s.text, s.words, s.start) for s in found] == [
        ("Newts sing at the pond.", 5, 0),
        ("Toads croak (12, 14).", 4, 46),
    ]
    assert [s.text for s in candidates(topic, CandidateTable())] == [
        document.text[:45],
        document.text[46:],
    ]


@pytest.mark.parametrize(("role", "stop"), [("snippet", "."), ("merged", "."), ("source", "")])
def test_clean_snippets_that_lack_their_stop_get_it(role, stop):
    topic = Topic(
        "t", documents=(Document("1", "Newts have a virus\nToads have a dise", role=role),)
    )
    found = candidates(topic, CandidateTable(clean=True))
    assert [(s.text, s.end) for s in found] == [
        (f"Newts have a virus{stop}", 18),
        ("Toads have a dise", 36),
    ]
    assert candidates(topic, CandidateTable())[0].text == "Newts have a virus"


def test_of_very_many_candidates_the_first_of_each_document_are_kept_in_proportion():
    long = Document("long", " ".join(f"Newt {i} sings at the pond." for i in range(90)))
    short = Document("short", " ".join(f"Toad {i} croaks all night." for i in range(9)))
    last = Document("last", "Frogs are silent in winter.")
    found = candidates(Topic("t", documents=(long, short, last)), CandidateTable())
    kept = bounded(found, 50)
    assert kept == (*found[:45], *found[90:94], found[99])
    assert bounded(found, 100) == found


def test_a_list_that_counts_as_one_word_is_no_candidate():
    genes = "<br>".join(f"G{number}" for number in range(MOST_CHARACTERS))
    listed = Document("1", f"Newts have the genes {genes} as a rule. Toads hum all night long.")
    assert texts(listed) == [("1", "Toads hum all night long.")]


@pytest.mark.parametrize(
    "notice",
    ["Contact: ada@ponds.example.org for the songs.", "J. Newts 12: 15-25, 2017. © 2016 Pond Press, Inc.",
     "Copyright 2012 Pond Press of the North.", "Pond Press (c) 2012, of the North."],
)  # fmt: skip
def test_addresses_and_copyright_lines_of_searched_abstracts_are_no_candidates(notice):
    document = Document("1", f"Newts sing at the pond in spring. {notice}")
    topic = Topic("t", documents=(document,))
    assert len(candidates(topic, CandidateTable())) > 1
    searched = replace(topic, search=SearchResult())
    found = [s.text for s in candidates(searched, CandidateTable())]
    assert found[0] == "Newts sing at the pond in spring."
    assert not any(word in text for text in found for word in ("@", "2012", "©"))
