"""CL-SciSumm topics: the real ones by counts and chosen records, and an invented one with every oddity."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum.errors import InputError, UsageError
from ilpsum.papers.layout import SECTION_KINDS
from ilpsum.records import BrokenTopic, Topic
from ilpsum.tasks import ReaderOptions, guess, read_topics
from ilpsum.tasks.paper_xml import parse_paper

PAPER = """<PAPER>
<S sid="0">Counting reeds by sound</S>
<ABSTRACT>
  <S sid ="1" ssid = "1">Reeds hum when the wind is over p &lt; 3.</S>
  <S sid ="2" ssid = "2">We count them by ear.</S>
</ABSTRACT>
<SECTION title="Introduction" number = "1">
  <S sid ="3" ssid = "1">Nobody has counted
     reeds before.</S>
</SECTION>
<SECTION title="Counting "by ear" &amp; eye. " number = "2">
  <SUBSECTION>2.1 Microphones.</SUBSECTION>
  <S sid ="4" ssid = "1">A microphone stands in the pond.</S>
</SECTION>
<SECTION title="Summary. " number = "3">
  <S sid ="5" ssid = "1">Reeds can be counted.</S>
</SECTION>
</PAPER>
"""
CITING = """<PAPER>
<S sid ="1" ssid = "1">Ponds are quiet.</S>
<S sid ="2" ssid = "2">Others have counted reeds (Moss, 1999).</S>
<S sid ="3" ssid = "3">They used a microphone.</S>
</PAPER>
"""
LINES = """Citance Number: 1 | Reference Article:  R01.xml | Citing Article:  C01.txt | Citation Marker Offset:  ['2'] \
| Citation Marker:  Moss, 1999 | Citation Offset:  ['2','3'] | Citation Text:  <S sid ="2" ssid = "2">Others have \
counted reeds (Moss, 1999).</S><S sid ="3" ssid = "3">They used a microphone.</S> | Reference Offset:  ['4', '1','2'] \
| Reference Text:  <S sid ="4" ssid = "1">A microphone stands in the pond.</S><S sid ="1" ssid = "1">Reeds hum when \
the wind is over p &lt; 3.</S><S sid ="2" ssid = "2">We count them by ear.</S> | Discourse Facet:  \
['Method citation','Aim_Citation'] | Annotator:  Ada Moss, RCI |


Citance Number: 2 | Reference Article:  R01 | Citing Article:  C01 | Citation Marker Offset:  ['1'] | Citation \
Marker:  none | Citation Offset:  '1' | Citation Text:  <S sid ="1" ssid = "1">Ponds are quiet.</S> | Reference \
Offset:  ['5'] | Reference Text:  <S sid ="5" ssid = "1">Reeds can be counted.</S> | Discourse Facet:  Result_Citation |
"""


@pytest.fixture
def topic_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "topics" / "R01"
    for part in ("Reference_XML", "Citance_XML", "annotation", "summary"):
        (folder / part).mkdir(parents=True)
    (folder / "Reference_XML" / "R01.xml").write_text(PAPER, encoding="utf-8")
    (folder / "Citance_XML" / "C01.xml").write_text(CITING, encoding="utf-8")
    (folder / "annotation" / "R01.annv3.txt").write_text(LINES, encoding="utf-8")
    (folder / "summary" / "R01.human").write_text(
        "A paper on reeds.\r\nIt counts them.\n", encoding="utf-8"
    )
    (folder / "summary" / "Z9_abstract.txt").write_text(
        '<S sid ="1" ssid = "1">We count by ear.</S>', encoding="utf-8"
    )
    (folder / "summary" / "R01.summary.xml").write_text(
        '<COMMUNITY>\n<S sid ="5">Reeds can be counted.</S>\n</COMMUNITY>'
    )
    return folder


def one(path: Path, **options: str) -> Topic:
    (topic,) = read_topics([path], options=ReaderOptions(**options))
    assert isinstance(topic, Topic), topic
    return topic


# --- real topics
# ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def real(real_data: Path) -> list[Topic]:
    topics = list(read_topics([real_data / "scisumm"]))
    assert not [t for t in topics if isinstance(t, BrokenTopic)]
    return [t for t in topics if isinstance(t, Topic)]


def test_real_topics_by_counts(real):
    assert len(real) == 20
    citances = [c for t in real for c in t.citances]
    assert len(citances) == 328
    annotations = [a for c in citances for a in c.annotations]
    assert sum(not a.annotator for a in annotations) == 42
    assert Counter(f for a in annotations for f in a.facets) == {
        "method": 231, "results": 47, "aim": 36, "implication": 29, "hypothesis": 1
    }  # fmt: skip
    assert Counter(len(t.summaries) for t in real) == {3: 20}
    assert sum(len(t.documents) for t in real) == 283


def test_what_was_repaired_of_real_papers_is_said(real):
    warnings = [r for t in real for r in t.warnings]

    def count(message: str, part: str = "") -> int:
        return sum(message in r and part in r for r in warnings)

    assert count("not UTF-8", "Reference_XML") == 7
    assert count("not UTF-8", "Citance_XML") == 45
    assert count("has no brackets") == 2
    assert count("no sentences") == 2
    assert count("not .xml, skipped") == 5
    assert count("repeats other summaries") == 4


def test_real_spans_hold_whole_sentences(real):
    for topic in real:
        documents = {d.id: d for d in topic.documents}
        reference = topic.reference
        assert reference is not None
        starts, ends = (
            {getattr(s, side) for s in reference.sentences} for side in ("start", "end")
        )
        for citance in topic.citances:
            assert documents[citance.document].text[citance.start : citance.end] == citance.text
            for a in citance.annotations:
                assert a.spans
                assert all(s.start in starts and s.end in ends for s in a.spans)


def test_real_documents_are_their_sentences_in_sections(real):
    kinds: Counter[str] = Counter()
    for document in (d for t in real for d in t.documents):
        assert (
            "\n".join(document.text[s.start : s.end] for s in document.sentences) == document.text
        )
        assert [s.start for s in document.sections] == [
            0,
            *(s.end + 1 for s in document.sections[:-1]),
        ]
        assert document.sections[-1].end == len(document.text)
        kinds.update(s.kind for s in document.sections)
    assert set(kinds) <= set(SECTION_KINDS)
    assert (kinds["abstract"], kinds["title"]) == (268, 20)


def test_a_chosen_real_topic(real):
    first = real[0]
    assert first.id == "C00-2123"
    assert (len(first.documents), len(first.citances)) == (17, 18)
    assert [(s.kind, s.title, s.start, s.end) for s in first.documents[0].sections[:3]] == [
        ("title", "", 0, 71), ("abstract", "", 72, 670), ("introduction", "Introduction", 671, 2396)
    ]  # fmt: skip
    assert [len(s.split()) for s in first.summaries] == [95, 465, 168]


@pytest.mark.parametrize("kind", ["human", "community", "abstract"])
def test_real_summaries_of_one_kind(kind, real_data, real):
    topics = list(read_topics([real_data / "scisumm"], options=ReaderOptions(summaries=kind)))
    rank = ("abstract", "community", "human").index(kind)
    assert [t.summaries for t in topics if isinstance(t, Topic)] == [
        (t.summaries[rank],) for t in real
    ]


# --- invented ones
# ----------------------------------------------------------------------------------------------------


def test_what_a_topic_holds(topic_folder):
    assert guess(topic_folder) == guess(topic_folder.parent) == "scisumm"
    topic = one(topic_folder)
    reference = topic.reference
    assert reference is not None
    assert (topic.id, reference.id, reference.title) == ("R01", "R01", "Counting reeds by sound")
    assert reference.text.split("\n") == [
        "Counting reeds by sound",
        "Reeds hum when the wind is over p < 3.",
        "We count them by ear.",
        "Nobody has counted reeds before.",
        "A microphone stands in the pond.",
        "Reeds can be counted.",
    ]
    assert [(s.kind, s.title) for s in reference.sections] == [
        ("title", ""), ("abstract", ""), ("introduction", "Introduction"), ("other", 'Counting "by ear" & eye.'),
        ("conclusion", "Summary."),
    ]  # fmt: skip
    first, second = topic.citances
    assert first.text == "Others have counted reeds (Moss, 1999).\nThey used a microphone."
    assert first.marker is not None
    assert topic.documents[1].text[first.marker.start : first.marker.end] == "Moss, 1999"
    (annotation,) = first.annotations
    # The neighbours 1 and 2 are one span; spans stand in the order of the text.
    assert [reference.text[s.start : s.end] for s in annotation.spans] == [
        "Reeds hum when the wind is over p < 3.\nWe count them by ear.",
        "A microphone stands in the pond.",
    ]
    assert annotation.facets == ("method", "aim")
    assert annotation.annotator == "Ada Moss, RCI"
    assert (second.marker, second.annotations[0].facets, second.annotations[0].annotator) == (
        None,
        ("results",),
        "",
    )
    assert [r.split("R01/")[1].split(" (")[0] for r in topic.warnings] == [
        "annotation/R01.annv3.txt:4: the Citation Offset has no brackets"
    ]


def test_kinds_of_summary_in_a_fixed_order(topic_folder):
    kinds = {
        "abstract": "We count by ear.",
        "community": "Reeds can be counted.",
        "human": "A paper on reeds.\nIt counts them.",
    }
    assert one(topic_folder).summaries == tuple(kinds.values())
    for kind, text in kinds.items():
        assert one(topic_folder, summaries=kind).summaries == (text,)
    with pytest.raises(
        UsageError,
        match="unknown kind of summary 'x'; expected one of all, abstract, community, human",
    ):
        one(topic_folder, summaries="x")
    (topic_folder / "summary" / "R01.combined.summary.txt").write_text("all of them")
    topic = one(topic_folder)
    assert len(topic.summaries) == 3
    assert "R01.combined.summary.txt: repeats other summaries" in topic.warnings[-1]


def test_gold_is_not_needed(topic_folder):
    gold = one(topic_folder)
    file = topic_folder / "annotation" / "R01.annv3.txt"
    file.write_text("\n".join(line.split("Reference Offset")[0] for line in LINES.splitlines()))
    for summary in (topic_folder / "summary").iterdir():
        summary.unlink()
    blind = one(topic_folder)
    assert (blind.documents, blind.query) == (gold.documents, gold.query)
    assert not any(a.spans or a.facets for c in blind.citances for a in c.annotations)


@pytest.mark.parametrize("place", ["citing_sentences.json", "Citance_XML/citing_sentences.json"])
def test_citances_from_a_list(place, topic_folder, tmp_path):
    (topic_folder / "annotation" / "R01.annv3.txt").unlink()
    entry = {
        "citance_number": 4,
        "citing_paper_id": "C01",
        "raw_text": "Others have coun- ted reeds",
        "keep_for_gold": 0,
    }
    entries = [
        {**entry, "clean_text": "Others have counted reeds (Moss 1999)"},
        {**entry, "citance_number": 5},
    ]
    (topic_folder / place).write_text(
        json.dumps([*entries, {**entry, "citance_number": 6, "citing_paper_id": "C77"}])
    )
    topic = one(topic_folder)
    assert [c.number for c in topic.citances] == [4, 5, 6]
    # Found in the citing paper by its words, else quoted.
    assert topic.citances[0].text == "Others have counted reeds (Moss, 1999)."
    assert topic.citances[2].text == "Others have coun- ted reeds"
    assert any("'C77' is missing" in r for r in topic.warnings)


def replaced(file: str, old: str, new: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text
        (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")

    return damage


def cut(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: data.rindex(b"</")])


ANNOTATION, REFERENCE = "annotation/R01.annv3.txt", "Reference_XML/R01.xml"
BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "no reference paper": (lambda f: (f / REFERENCE).unlink(), "no Reference_XML/*.xml"),
    "a reference paper without sentences": (lambda f: (f / REFERENCE).write_text("<PAPER/>"), "no sentences"),
    "a reference paper cut off": (lambda f: cut(f / REFERENCE), "R01.xml: the XML is cut off (no </PAPER>)"),
    "a gold summary cut off": (lambda f: cut(f / "summary/R01.summary.xml"), "cut off (no </COMMUNITY>)"),
    "no citances": (lambda f: (f / ANNOTATION).unlink(), "no citances"),
    "NUL bytes": (lambda f: (f / "Citance_XML/C01.xml").write_bytes(b"<S sid='1'>\0"), "C01.xml: expected text"),
    "a number that is none": (replaced(ANNOTATION, "Citance Number: 2", "Citance Number: b"), ":4: the Citance"),
    "a sentence number that is none": (replaced(ANNOTATION, "['4', '1'", "['4', 'x'"), ":1: the Reference Offset 'x'"),
    "a list not closed": (replaced(ANNOTATION, "'1','2'] |", "'1','2' |"), ":1: the Reference Offset"),
    "a path for a paper": (replaced(ANNOTATION, "C01.txt", "../C01.txt"), ":1: the Citing Article '../C01.txt'"),
    "a citance in two papers": (replaced(ANNOTATION, "Number: 2 | Reference Article:  R01 | Citing Article:  C01",
                                         "Number: 1 | Reference Article:  R01 | Citing Article:  C02"), ":4: citance"),
    "a field twice": (replaced(ANNOTATION, "| Citation Marker:  none", "| Citance Number: 2"), ":4: duplicate field C"),
}  # fmt: skip


@pytest.mark.parametrize("damage", BROKEN)
def test_damage_that_breaks_a_topic(damage, topic_folder):
    inflict, message = BROKEN[damage]
    inflict(topic_folder)
    (broken,) = read_topics([topic_folder], "scisumm")
    assert isinstance(broken, BrokenTopic)
    assert broken.id == "R01"
    assert message in str(broken.error)
    assert str(topic_folder) in str(broken.error)


@pytest.mark.parametrize("content", ["{", "[1]", '{"a": 1}', "[" * 100_000])
def test_a_damaged_list_of_citances(content, topic_folder):
    (topic_folder / ANNOTATION).unlink()
    (topic_folder / "citing_sentences.json").write_text(content)
    (broken,) = read_topics([topic_folder])
    assert isinstance(broken, BrokenTopic)
    assert 'citing_sentences.json: expected a list of {"citance_number"' in str(broken.error)


def test_a_citing_paper_cut_off_is_left_out(topic_folder):
    cut(topic_folder / "Citance_XML/C01.xml")
    topic = one(topic_folder)
    assert [document.id for document in topic.documents] == ["R01"]
    assert any("C01.xml: the XML is cut off (no </PAPER>)" in said for said in topic.warnings)


def test_odd_annotations_are_remarks(topic_folder):
    replaced(ANNOTATION, "['5']", "['5','99']")(topic_folder)
    replaced(ANNOTATION, "Result_Citation", "Praise_Citation")(topic_folder)
    replaced(ANNOTATION, "Reeds can be counted", "Nothing of this kind stands there")(topic_folder)
    topic = one(topic_folder)
    assert topic.citances[1].annotations[0].facets == ()
    said = "\n".join(topic.warnings)
    assert "R01 has no sentence 99; left out" in said
    assert "unknown facet 'Praise_Citation'" in said
    assert "the quoted sentence differs from sentence 5 of R01" in said


# --- the XML
# ----------------------------------------------------------------------------------------------------------


def test_entities_are_not_expanded():
    bomb = '<!DOCTYPE PAPER [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    paper = parse_paper(
        f'{bomb}<PAPER><S sid="1">x &b; &f; &lt;&#65;&#xD800;&#x110000;</S></PAPER>'.encode(),
        "f",
        "d",
    )
    assert paper.document.text == "x &b; &f; <A"


def test_damaged_xml_is_read_by_its_tags():
    data = '<PAPER><S sid="1">a < b & c</S><S sid="2">not closed <S sid="2">again</S><SECTION title="x>y">Loose<S sid=7>z</PAPER>'
    paper = parse_paper(data.encode(), "f", "d")
    assert paper.document.text == "a < b & c\nnot closed\nagain\nz"
    assert {n: paper.document.text[s.start : s.end] for n, s in paper.spans.items()} == {
        1: "a < b & c",
        2: "not closed",
        7: "z",
    }
    said = "\n".join(paper.warnings)
    assert "5 characters outside sentences" in said
    assert "1 number of several sentences;" in said


def test_symbols_in_angle_brackets_are_text():
    paper = parse_paper(b'<S sid="1">the start symbol <s> and <Sx> or <S-BAR></S>', "f", "d")
    assert paper.document.text == "the start symbol <s> and <Sx> or <S-BAR>"


PIECES = ('<S sid="1">', "<S sid=''>", '<S sid="2" ssid = "2">', "</S>", '<SECTION title="', "<ABSTRACT>", "</PAPER>",
          '"', ">", "<", "&amp;", "&#1;", "\x01", "a", " b\n")  # fmt: skip


@settings(deadline=None, max_examples=150)
@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_whatever_comes_the_document_is_whole(pieces):
    try:
        document = parse_paper("".join(pieces).encode(), "f", "d").document
    except InputError:
        return
    assert "\n".join(document.text[s.start : s.end] for s in document.sentences) == document.text
    assert all(s.start < s.end for s in document.sentences)
    assert [s.start for s in document.sections] == [0, *(s.end + 1 for s in document.sections[:-1])]
    assert document.text.replace("\n", "").isprintable()
