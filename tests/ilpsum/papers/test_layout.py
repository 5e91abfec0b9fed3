"""The layout of papers: invented pages in the publishers' manners, real ones by counts, every character once."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum.papers import headings
from ilpsum.papers.layout import SECTION_KINDS, abstract_start, outline, sentences
from ilpsum.records import Document, Section, Span

LONG = "The owls of the northern barn were counted at night, and the count was repeated in every week of the spring. "
PROSE = (
    LONG
    + "There were more of them than in the year before, as the farmers of the valley had expected and hoped."
)
OTHER = PROSE.replace("owls", "bats")

ELSEVIER = f"""\ufeffOwls Count Mice in Old Barns
Ada Ulm1, 2, Corresponding author contact information, Bo Olm2
Show more
http://dx.doi.org/10.1000/x
  Open Archive
Summary
{PROSE}

Author Keywords
OWLS; BARNS
Introduction
{PROSE}

Results
Owls Outnumber Mice
{OTHER}

Full-size image (56 K)
Figure 1.\u00a0
A barn at night
(A) A row of owls sits in the dark.
(B) A row of mice sits there no more.
Figure options
{PROSE}

Table 1.
Owls of the valley
Barn	Owls
North	3
This table lists owls.
Table options
Are Mice Counted by Owls?
{PROSE}
Experimental Procedures
Barns
{PROSE}
Acknowledgments
{PROSE}

Supplemental Data

Document S1. A Map of the Barns.
Help with PDF filesOptions
References
Olm and Ulm, 2000
B. Olm, A. Ulm
Counting the owls of one barn
Owl Lett., 3 (2000), pp. 5–6

View Record in Scopus | Cited By in Scopus (2)
Corresponding author contact information
4
Copyright © 2001 Owls Inc. All rights reserved.
"""

PMC = f"""Barn Res. 2013; 8(12): e1.
Published online Dec 16, 2013. doi:  10.1000/y
PMCID: PMC1
Bats Sleep in Old Barns

Ada Ulm,#1 Bo Olm,2
Author information ► Article notes ► Copyright and License information ►
Go to:
Abstract
Background

{PROSE}

Methods

{PROSE}

Conclusions

{PROSE}

Go to:
Background
{PROSE}

Go to:
Results
Bats sleep

{PROSE}

Figure 2
Figure 2
Bats sleep in rows.
{OTHER}

Go to:
Methods
Barns. {PROSE}
Go to:
Supporting Information
Figure S1

Bats sleep elsewhere.

(TIF)

Click here for additional data file.(974K, tif)
Go to:
References
1. Olm B (2000) Counting bats. Owl Lett 3: 5–6 [PubMed]
"""

REVIEW = f"""Owls: Past and Present
Ada Ulm
Show more
{PROSE}

{PROSE}

{PROSE}

Early Owls
{PROSE}

Later Owls
{PROSE}

References
Olm, 2000
"""

NUMBERED = f"""Owls and their barns
Abstract
{PROSE}
{OTHER}
1. Introduction
{PROSE}
2. Barns of the valley
{PROSE}
2.1. North barns
{PROSE}
3. Concluding remarks
{PROSE}
REFERENCES
[1] B. Olm, Owl Lett. 3 (2000) 5.
"""

HIGHWIRE = f"""Owls eat mice
Ada Ulm
+ Author Affiliations
Next Section
Abstract
{PROSE}
owls mice barns
{OTHER}
{PROSE}
Previous Section
Next Section
Results
Owls Eat in Barns. {PROSE}
Fig. 1.
View larger version:
In this page In a new window
Fig. 1.
Owls eat. {PROSE}

{OTHER}
The number of mice is then
Formula
where m is a mouse.
Previous Section
Next Section
Footnotes
To whom correspondence should be addressed. E-mail: ulm@barn.org.
Previous Section
References
Olm B (2000) Counting owls. Google Scholar
"""


def layout(text):
    """(section, role, first words) of every block."""
    return [(b.section, b.role, text[b.start : b.end][:24]) for b in outline(Document("x", text))]


def lines(text, role):
    return [text[b.start : b.end] for b in outline(Document("x", text)) if b.role == role]


def kinds(text):
    """The sections of the sentences, each once, in order."""
    return list(dict.fromkeys(s.section for s in sentences(Document("x", text))))


def test_a_page_with_figure_options():
    found = layout(ELSEVIER)
    assert found[0] == ("title", "title", "Owls Count Mice in Old B")
    assert lines(ELSEVIER, "heading") == [
        *("Summary", "Author Keywords", "Introduction", "Results", "Owls Outnumber Mice"),
        *("Are Mice Counted by Owls?", "Experimental Procedures", "Barns", "Acknowledgments"),
        *("Supplemental Data", "References"),
    ]
    assert [line.split()[0] for line in lines(ELSEVIER, "caption")] == ["Figure", "A", "(A)", "(B)"]
    tables = [line.split()[0] for line in lines(ELSEVIER, "table")]
    assert tables == ["Table", "Owls", "Barn", "North", "This"]
    assert kinds(ELSEVIER) == ["abstract", "introduction", "results", "methods"]
    assert all(s.text in PROSE + OTHER for s in sentences(Document("x", ELSEVIER)))
    assert [s for s, role, _ in found if role == "caption"] == ["figure"] * 4
    assert {s for s, role, _ in found if role == "reference"} == {"references"}
    blocks = [b for b in outline(Document("x", ELSEVIER)) if b.role == "prose"]
    assert next(b.heading for b in blocks if b.section == "methods") == "Barns"


def test_captions_are_kept_on_demand():
    found = sentences(Document("x", ELSEVIER), include=("caption",))
    assert [(s.text, s.section) for s in found] == [
        ("A barn at night", "figure"),
        ("(A) A row of owls sits in the dark.", "figure"),
        ("(B) A row of mice sits there no more.", "figure"),
    ]


def test_a_page_with_breaks_and_a_structured_abstract():
    assert layout(PMC)[3] == ("title", "title", "Bats Sleep in Old Barns")
    assert [x for x in layout(PMC) if x[0] == "abstract"] == [
        ("abstract", "heading", "Abstract"),
        ("abstract", "heading", "Background"),
        ("abstract", "prose", PROSE[:24]),
        ("abstract", "heading", "Methods"),
        ("abstract", "prose", PROSE[:24]),
        ("abstract", "heading", "Conclusions"),
        ("abstract", "prose", PROSE[:24]),
        ("abstract", "meta", "Go to:"),
    ]
    assert kinds(PMC) == ["abstract", "introduction", "results", "methods"]
    assert lines(PMC, "caption") == [
        "Figure 2",
        "Figure 2",
        "Bats sleep in rows.",
        "Figure S1",
        "Bats sleep elsewhere.",
    ]
    assert lines(PMC, "reference") == ["1. Olm B (2000) Counting bats. Owl Lett 3: 5–6 [PubMed]"]


@pytest.mark.parametrize("page", [ELSEVIER, PMC, HIGHWIRE])
def test_an_abstract_without_a_heading_is_the_same(page):
    def abstract(text):
        return [s.text for s in sentences(Document("x", text)) if s.section == "abstract"]

    bare = page.replace("\nSummary\n", "\n").replace("\nAbstract\n", "\n")
    assert bare != page
    assert abstract(bare) == abstract(page) != []


def test_an_abstract_without_a_heading_after_it_is_one_paragraph():
    assert [x[:2] for x in layout(HIGHWIRE) if x[2] in (PROSE[:24], OTHER[:24])][:3] == [
        ("abstract", "prose"),
        ("introduction", "prose"),
        ("introduction", "prose"),
    ]


def test_fragments_run_in_headings_and_captions_below_links():
    texts = [s.text for s in sentences(Document("x", HIGHWIRE))]
    assert "Owls Eat in Barns." not in texts
    fragments = ("owls mice", "The number", "Owls eat.", "To whom")
    assert not any(text.startswith(fragments) for text in texts)
    assert lines(HIGHWIRE, "caption") == ["Fig. 1.", "Fig. 1.", f"Owls eat. {PROSE}"]
    methods = [s.text for s in sentences(Document("x", PMC)) if s.section == "methods"]
    assert methods[0] == LONG.strip()


def test_a_review_without_headings_at_its_head():
    prose = [x[0] for x in layout(REVIEW) if x[1] == "prose"]
    assert prose == ["abstract", "introduction", "introduction", "other", "other"]


def test_numbered_sections():
    assert [x[0] for x in layout(NUMBERED) if x[1] == "prose"] == [
        *("abstract", "introduction", "introduction", "other", "other", "conclusion")
    ]


def test_a_plain_abstract_is_prose_with_labels():
    text = "BACKGROUND:\nOwls are known.\nMETHODS: They were counted, not weighed.\nIt is so"
    assert layout(text) == [
        ("abstract", "heading", "BACKGROUND:"),
        ("abstract", "prose", "Owls are known."),
        ("abstract", "prose", "METHODS: They were count"),
        ("abstract", "prose", "It is so"),
    ]
    assert layout("Results") == [("abstract", "prose", "Results")]
    document = Document("x", "Owls of old\nThey are no more.", title="Owls of old")
    assert [b.role for b in outline(document)] == ["title", "prose"]


NEWS = """By Ada Ulm, Staff Reporter
TARNFORD, March 3 (Agency) -
The newts of Tarnford sang on Monday, a week later than last year.
What went wrong
"They sing louder than ever," said the warden of the pond.
• a bath for newts
Follow us on the pond.
"""


def test_lines_beside_the_prose_of_plain_texts_are_no_sentences():
    document = Document("d", NEWS)
    found = sentences(document)
    written = NEWS.splitlines()
    assert [s.text for s in found] == [written[2], written[4], "a bath for newts"]
    assert all(document.text[s.start : s.end].endswith(s.text) for s in found)
    # Passages of experts, and notes without stops, are prose as they are.
    assert len(sentences(Document("d", NEWS, role="snippet"))) == 7
    notes = "Newts sing at night\nToads croak all day\nFrogs are silent.\n"
    assert len(sentences(Document("d", notes))) == 3


def test_marks_of_the_source_are_kept():
    parts = [
        "Owls",
        "They  are old. They were.",
        "Methods",
        "Counting took a\nyear. Or so.",
        "• It is done.",
        "We thank owls.",
    ]
    text = "\n".join(parts)
    places = [Span(text.index(part), text.index(part) + len(part)) for part in parts]
    sections = (
        Section("", "title", places[0].start, places[0].end),
        Section("", "abstract", places[1].start, places[1].end),
        Section("Methods", "methods", places[2].start, places[4].end),
        Section("Thanks", "acknowledgements", places[5].start, places[5].end),
    )
    marked = tuple(place for part, place in zip(parts, places, strict=True) if part != "Methods")
    paper = Document("x", text, role="reference", sections=sections, sentences=marked)
    assert [(b.section, b.role) for b in outline(paper)] == [
        ("title", "title"),
        ("abstract", "prose"),
        ("methods", "heading"),
        ("methods", "prose"),
        ("acknowledgements", "meta"),
    ]
    found = sentences(paper)
    assert [s.text for s in found] == [
        "They are old. They were.",
        "Counting took a year. Or so.",
        "It is done.",
    ]
    assert [Span(s.start, s.end) for s in found] == [places[1], places[3], places[4]]
    assert [s.text for s in sentences(paper, include=("meta",))] == ["We thank owls."]
    assert abstract_start(paper) == places[1].start
    # The documents of a question are made of titles too.
    assert outline(Document("x", text, sections=sections))[0].role == "prose"


def test_what_lies_between_sections_is_prose_of_no_section():
    text = "One owl sat here. Two owls sat there. Three sat."
    found = sentences(Document("x", text, sections=(Section("", "results", 18, 37),)))
    assert [(s.text, s.section) for s in found] == [
        ("One owl sat here.", "other"),
        ("Two owls sat there.", "results"),
    ]


def test_sentences_know_their_place():
    document = Document("paper", ELSEVIER.replace("counted at night", "counted  at\u00a0night"))
    for sentence in sentences(document):
        raw = document.text[sentence.start : sentence.end]
        assert " ".join(raw.split()) == sentence.text
        assert (sentence.document, sentence.words) == ("paper", len(sentence.text.split()))
        assert sentence.section in SECTION_KINDS


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("2. Materials and Methods", "methods"),
        ("RESULTS AND DISCUSSION", "results"),
        ("Patients and methods:", "methods"),
        ("IV. Discussion", "discussion"),
        ("Concluding Remark", "conclusion"),
        ("Conflict of interest", "acknowledgements"),
        ("Supplementary data.", "supplement"),
        ("Literature cited", "references"),
        ("Author Summary", "highlights"),
        ("Mice and methods of counting", ""),
        ("Results of the count", ""),
        ("2.1. North barns", ""),
    ],
)
def test_kinds_of_headings(heading, kind):
    assert headings.section_kind(heading) == kind


VOCABULARY = [
    *"Abstract Introduction Results Methods References Highlights Keywords Acknowledgements".split(),
    *"Go to:|Show more|Figure 1|Figure 1.|Table 2. Owls|Figure options|Table options".split("|"),
    *"a\tb|4|Owls Eat Mice|owls eat mice|Owls eat mice.|(A) An owl.|Main Text".split("|"),
    *("", " ", "\ufeff", "\u200b", "\r", PROSE, "• " + LONG),
    *"3. Owls|3.1. Barns|http://barn.org|Background|Conclusions|© 2000".split("|"),
]


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(VOCABULARY), max_size=25).map("\n".join))
def test_every_character_is_in_exactly_one_block(text):
    at = 0
    for block in outline(Document("x", text)):
        assert at <= block.start < block.end <= len(text)
        assert not text[at : block.start].strip(" \t\r\n\ufeff\u200b")
        assert block.section in SECTION_KINDS
        at = block.end
    assert not text[at:].strip(" \t\r\n\ufeff\u200b")


def test_lines_of_two_million_characters_have_one_block():
    for unit in ("owl ", ".", "\t", "Figure 1 "):
        blocks = outline(Document("x", "Go to:\n" + unit * (2_000_000 // len(unit))))
        assert len(blocks) <= 2


# Topic: (file, sentences, those of the abstract, where the abstract's first begins and its last
# ends).
REFERENCE_PAPERS = {
    "D1401": ("Voorhoeve.txt", 248, 6, 547, 1548),
    "D1402": ("Westbrook.txt", 216, 9, 455, 1641),
    "D1403": ("Serrano.txt", 230, 7, 343, 1229),
    "D1404": ("Agami,Bernards.txt", 241, 6, 304, 1225),
    "D1405": ("Campbell.txt", 191, 8, 452, 2275),
    "D1406": ("Hanahan.txt", 319, 2, 209, 770),
    "D1407": ("Toji.txt", 247, 9, 318, 1378),
    "D1408": ("Lewis.txt", 206, 6, 386, 1412),
    "D1409": ("Sherr.txt", 186, 4, 226, 931),
    "D1410": ("Wang,Tang.txt", 175, 11, 394, 1968),
    "D1411": ("Fazi.txt", 209, 6, 503, 1575),
    "D1412": ("Cho.txt", 219, 9, 468, 1605),
    "D1413": ("Figueroa.txt", 234, 6, 916, 1891),
    "D1414": ("vanDelft.txt", 196, 8, 694, 1595),
}


@pytest.fixture(scope="module")
def tac(real_data):
    """(topic, paper, gold spans) of all 154 papers."""
    from experiments.layout_survey import papers

    return list(papers(real_data / "tac2014"))


def test_reference_papers(tac):
    found = {}
    for topic, paper, _ in tac:
        if paper.role == "reference":
            whole = sentences(paper)
            abstract = [s for s in whole if s.section == "abstract"]
            start, end = abstract[0].start, abstract[-1].end
            found[topic[:5]] = (paper.id, len(whole), len(abstract), start, end)
    assert found == REFERENCE_PAPERS


def test_gold_spans_lie_in_prose(tac):
    inside = total = 0
    for _, document, spans in tac:
        found = sentences(document) if spans else ()
        total += sum(end - start for start, end in spans)
        inside += sum(
            max(0, min(end, s.end) - max(start, s.start)) for start, end in spans for s in found
        )
    assert inside / total > 0.984


def test_citing_papers_have_a_title_and_sections(tac):
    assert len(tac) == 154
    for _, document, _ in tac:
        blocks = outline(document)
        assert [b.role for b in blocks].count("title") == 1
        assert {"prose", "reference"} <= {b.role for b in blocks}
        known = {s.section for s in sentences(document)}
        assert "abstract" in known or document.id == "Ventura.txt"
        assert known & {"results", "other"}


def test_papers_with_marks_of_their_own(real_data):
    from ilpsum.tasks import loaded, scisumm

    papers = [
        d
        for t in map(loaded, scisumm.read(real_data / "scisumm"))
        for d in t.documents
        if d.role == "reference"
    ]
    assert len(papers) == 20
    for paper in papers:
        found = sentences(paper)
        assert {(s.start, s.end) for s in found} <= {(s.start, s.end) for s in paper.sentences}
        assert len(found) > 0.7 * len(paper.sentences)
        assert next(s for s in found if s.section == "abstract").start == abstract_start(paper)
