"""Odd fields, of the kinds that people report, in every format: each passes the one gate."""

import csv
import gzip
import io
import json
from html import escape

import pytest

from ilpsum.errors import InputError
from ilpsum.literature import intake
from ilpsum.literature.gate import iso_date, iso_date_in, parts_of, to_document
from ilpsum.literature.markup import without_markup
from ilpsum.literature.raw import Raw

TITLE, TEXT = "A trial of velin in newts", "Velin cured 62% of newts. Ponds froze."


def jsonl(title, text, date):
    return json.dumps({"pmid": "11", "title": title, "abstract": text, "year": date})


def articles(title, text, date):
    record = {"pmid": "11", "title": title, "abstractText": text, "year": date}
    return json.dumps({"articles": [record]})


def medline(title, text, date):
    return f"PMID- 11\nTI  - {title}\nAB  - {text}\nDP  - {date}\n"


def ris(title, text, date):
    return f"TY  - JOUR\nTI  - {title}\nAB  - {text}\nPY  - {date}\nER  - \n"


def table(title, text, date):
    out = io.StringIO()
    csv.writer(out).writerows([["PMID", "Title", "Abstract", "Year"], ["11", title, text, date]])
    return out.getvalue()


def csl(title, text, date):
    item = {"type": "article", "title": title, "abstract": text, "issued": {"raw": date}}
    return json.dumps([item])


def europe_pmc(title, text, date):
    record = {"id": "11", "source": "MED", "title": title, "abstractText": text, "pubYear": date}
    return json.dumps({"resultList": {"result": [record]}})


def pubmed(title, text, date):
    return (
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>11</PMID><Article><Journal>"
        f"<JournalIssue><PubDate><MedlineDate>{date}</MedlineDate></PubDate></JournalIssue>"
        f"</Journal><ArticleTitle>{title}</ArticleTitle><Abstract><AbstractText>{text}"
        "</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    )


def book(title, text, date):
    return (
        "<PubmedArticleSet><PubmedBookArticle><BookDocument><PMID>11</PMID><Book><BookTitle>Ponds"
        f"</BookTitle><PubDate><MedlineDate>{date}</MedlineDate></PubDate></Book><ArticleTitle>"
        f"{title}</ArticleTitle><Abstract><AbstractText>{text}</AbstractText></Abstract>"
        "</BookDocument></PubmedBookArticle></PubmedArticleSet>"
    )


def jats(title, text, date):
    return (
        f"<article><front><article-meta><title-group><article-title>{title}</article-title>"
        f"</title-group><pub-date><year>{date}</year></pub-date><abstract><p>{text}</p></abstract>"
        "</article-meta></front></article>"
    )


JSON_AND_TEXT = (jsonl, articles, medline, ris, table, csl, europe_pmc)
XML = (pubmed, book, jats)


def read(folder, make, title=TITLE, text=TEXT, date="2015"):
    path = folder / "export"
    path.write_text(make(title, text, date), "utf-8")
    (document,) = intake.documents(path)
    return document


def abstract_of(document):
    return "\n".join(
        document.text[s.start : s.end] for s in document.sections if s.kind == "abstract"
    )


TAGGED = [
    ("CO<sub>2</sub> rose.", "CO2 rose."),
    ("TiO<inf>2</inf> rose.", "TiO2 rose."),
    ('<a href="x">Velin</a> <styled-content style="b">cured</styled-content>.', "Velin cured."),
    ("10<sup>3</sup> newts.", "10^3 newts."),
    ("<p>Newts sing.</p><p>Toads hum.</p>", "Newts sing.\nToads hum."),
    (
        "<mml:math><mml:mfrac><mml:mn>1</mml:mn><mml:mn>2</mml:mn></mml:mfrac></mml:math> sang.",
        "1/2 sang.",
    ),
    (
        "<alternatives><tex-math>\\alpha</tex-math><mml:math><mml:mi>α</mml:mi></mml:math>"
        "</alternatives> rose.",
        "α rose.",
    ),
]


@pytest.mark.parametrize("make", JSON_AND_TEXT)
@pytest.mark.parametrize(("given", "said"), TAGGED)
def test_tags_go_and_their_text_stays(tmp_path, make, given, said):
    assert abstract_of(read(tmp_path, make, text=given)) == said
    assert abstract_of(read(tmp_path, make, text=escape(given, quote=False))) == said
    twice = escape(escape(given, quote=False))
    assert abstract_of(read(tmp_path, make, text=twice)) == said


@pytest.mark.parametrize("make", XML)
@pytest.mark.parametrize(("given", "said"), TAGGED)
def test_tags_of_xml_go_as_escaped_ones_do(tmp_path, make, given, said):
    declared = given.replace("<mml:math>", '<mml:math xmlns:mml="http://www.w3.org/1998/M">')
    assert abstract_of(read(tmp_path, make, text=declared)) == said
    assert abstract_of(read(tmp_path, make, text=escape(given, quote=False))) == said


@pytest.mark.parametrize("make", JSON_AND_TEXT)
def test_signs_of_order_are_no_tags(tmp_path, make):
    text = "Song was lower (p<0.05 and n>20; a < b) with velin & water."
    assert abstract_of(read(tmp_path, make, text=text)) == text


@pytest.mark.parametrize("make", [*JSON_AND_TEXT, *XML])
@pytest.mark.parametrize("sign", ["\u00ad", "\u200b", "\u2060", "\ufeff"])
def test_invisible_characters_are_not_quoted(tmp_path, make, sign):
    document = read(tmp_path, make, f"Ve{sign}lin", f"Ve{sign}lin cured 62% of newts.")
    assert (document.title, abstract_of(document)) == ("Velin", "Velin cured 62% of newts.")


@pytest.mark.parametrize("make", [*JSON_AND_TEXT, *XML])
@pytest.mark.parametrize(
    "nothing",
    ["nan", "NA", "n/a", "-", "Abstract not available.", "[No abstract available]",
     "This article has no abstract.", "No abstract is available for this article.",
     "Summary not available",
     "An abstract is not available for this article so a preview has been provided."],
)  # fmt: skip
def test_placeholders_are_no_abstract(tmp_path, make, nothing):
    document = read(tmp_path, make, text=nothing)
    assert not intake.has_abstract(document)
    assert document.text == TITLE


RETRACTED = [
    "[Retracted] {}", "RETRACTED: {}", "Retracted article: {}", "RETRACTED ARTICLE {}",
    "【RETRACTED】{}", "WITHDRAWN: {}", "{} [Retracted]", "{} (Retracted)", "{} - RETRACTED",
    "{} (Retracted article. See vol. 40, pg. 2, 2019)", "(Retracted) {}", "RETRACTED {}",
    "Retracted: {}", "{} [RETRACTED ARTICLE]", "{} (Withdrawn Publication. See vol. 3, 2001)",
]  # fmt: skip


@pytest.mark.parametrize("make", [*JSON_AND_TEXT, *XML])
@pytest.mark.parametrize("mark", RETRACTED)
def test_retractions_are_known_by_the_title_in_every_format(tmp_path, make, mark):
    assert read(tmp_path, make, mark.format(TITLE)).publication.notice == "retracted"


@pytest.mark.parametrize(
    "title",
    ["Retracted tendons heal in newts", "Withdrawn newts sing", "RETRACTED TENDONS OF NEWTS",
     "Songs of retracted newts", "Newts withdrawn from ponds: a trial", "A study of retraction"],
)  # fmt: skip
def test_titles_about_what_is_retracted_are_titles(title):
    assert to_document(Raw(title=title)).publication.notice == ""


@pytest.mark.parametrize(
    ("given", "date"),
    [("2015 Mar 9", "2015-03-09"), ("Winter 2016", "2016"), ("2015/03", "2015-03"),
     ("1998 Dec-1999 Jan", "1998-12"), ("2015.0", "2015"), ("20150309", "2015-03-09"),
     ("2015-13-01", "2015"), ("2015 Feb 30", "2015-02"), ("in press", ""), ("0000", "")],
)  # fmt: skip
def test_dates(given, date):
    assert iso_date_in(given) == date


def test_a_date_that_is_in_no_calendar_is_cut():
    assert iso_date("2015", "3", "45") == "2015-03"
    assert iso_date("2016", "2", "29") == "2016-02-29"
    assert iso_date("2015", "2", "29") == "2015-02"
    assert iso_date("2015", "13", "1") == "2015"


@pytest.mark.parametrize(
    ("note", "pmid"),
    [("PMID: 7654321", "7654321"), ("PMID: 7654321\nPMCID: PMC12345", "7654321"),
     ("see PMID: 7654321", ""), ("Commented on in PMID: 7654321", ""),
     ("Read.\nPMID: 7654321\nGood.", "7654321"), ("doi:10.5555/x, PMID: 7654321 and others", "")],
)  # fmt: skip
def test_only_a_line_of_its_own_in_a_note_names_an_identifier(note, pmid):
    assert to_document(Raw(title=TITLE, notes=[note])).publication.pmid == pmid


def test_an_accession_number_counts_if_pubmed_s(tmp_path):
    record = "TY  - JOUR\nTI  - T\nAB  - A.\nID  - 12345678\nDB  - {}\nER  - \n"
    for base, pmid in (("PubMed", "12345678"), ("Scopus", "")):
        (tmp_path / "a.ris").write_text(record.format(base))
        (document,) = intake.documents(tmp_path / "a.ris")
        assert document.publication.pmid == pmid


ODD_RIS = {
    "tags before TY": "ID  - 5\nTY  - JOUR\nTI  - A\nAB  - Newts.\nER  - \n",
    "tags between ER and TY": "TY  - JOUR\nTI  - A\nAB  - Newts.\nER  - \nN1  - x\n",
    "an abstract with ER": "TY  - JOUR\nTI  - A\nAB  - Newts are\nER  - positive tumours.\nPY  - 2001\nER  - \n",
    "lower case": "ty  - jour\nti  - A\nab  - Newts.\ner  - \n",
    "indented": "  TY  - JOUR\n  TI  - A\n  AB  - Newts.\n  ER  - \n",
    "old Mac": "TY  - JOUR\rTI  - A\rAB  - Newts.\rER  - \r",
    "no end": "TY  - JOUR\nTI  - A\nAB  - Newts.\n",
}


@pytest.mark.parametrize("name", ODD_RIS)
@pytest.mark.parametrize("times", [1, 3])
def test_no_record_of_an_odd_ris_is_lost(tmp_path, name, times):
    (tmp_path / "a.ris").write_text(ODD_RIS[name] * times, newline="")
    documents = [d for d in intake.documents(tmp_path / "a.ris") if intake.has_abstract(d)]
    assert len(documents) == times
    assert all(d.text.startswith("A\nNewts") for d in documents)
    if name == "an abstract with ER":
        assert documents[0].text == "A\nNewts are ER - positive tumours."


@pytest.mark.parametrize("make", [medline, ris])
def test_line_ends_of_old_macs(tmp_path, make):
    (tmp_path / "export").write_text(make(TITLE, TEXT, "2015").replace("\n", "\r"), newline="")
    (document,) = intake.documents(tmp_path / "export")
    assert document.text == f"{TITLE}\n{TEXT}"


@pytest.mark.parametrize("between", ["", "\n", "\n<?xml version='1.0'?>\n", " " * 2**16])
def test_joined_files_of_pubmed_are_read_one_after_the_other(tmp_path, between):
    (tmp_path / "a.xml").write_text(between.join([pubmed(TITLE, TEXT, "2015")] * 3))
    assert len(list(intake.documents(tmp_path / "a.xml"))) == 3


def test_xml_without_a_record_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("ilpsum.files.xml.MAX_TEXT", 2**20)
    record = pubmed(TITLE, TEXT, "2015")
    (tmp_path / "a.xml").write_text(
        record.replace("</PubmedArticle>", "</PubmedArticle>" + "<a/>" * 2**19)
    )
    with pytest.raises(InputError, match="expected records, got 1 MB of XML without one"):
        list(intake.documents(tmp_path / "a.xml"))


def test_elements_of_a_record_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr("ilpsum.files.xml.MOST_ELEMENTS", 50)
    record = pubmed(TITLE, TEXT, "2015")
    (tmp_path / "a.xml").write_text(record.replace(TEXT, TEXT + "<i/>" * 20))
    assert len(list(intake.documents(tmp_path / "a.xml"))) == 1
    (tmp_path / "a.xml").write_text(record.replace(TEXT, TEXT + "<i/>" * 200))
    with pytest.raises(InputError, match="expected records, got one of more than 50 elements"):
        list(intake.documents(tmp_path / "a.xml"))


@pytest.mark.parametrize("make", [medline, ris, jsonl])
@pytest.mark.parametrize("junk", ["\n", "      sing\n"])
def test_lines_without_a_record_are_bounded(tmp_path, monkeypatch, make, junk):
    for module in ("files.json_text", "literature.tagged", "files.reading"):
        monkeypatch.setattr(f"ilpsum.{module}.MOST_LINES", 40)
    if make is jsonl:
        junk = "\n"
    record = make(TITLE, TEXT, "2015").rstrip("\n") + "\n"
    (tmp_path / "a").write_text(record + junk * 10 + record)
    assert list(intake.documents(tmp_path / "a"))
    (tmp_path / "a").write_text(record + junk * 60 + record)
    with pytest.raises(InputError, match=r"a:\d+: expected records, got 40 lines without one"):
        list(intake.documents(tmp_path / "a"))


def test_a_long_list_of_authors_does_not_hide_the_kind(tmp_path):
    people = [{"family": f"Newt{n}", "given": "Ann"} for n in range(5000)]
    item = {"author": people, "id": "a", "title": TITLE, "type": "article", "abstract": TEXT}
    (tmp_path / "a.json").write_text(json.dumps([item]))
    (document,) = intake.documents(tmp_path / "a.json")
    assert len(document.publication.authors) == 5000


@pytest.mark.parametrize(
    ("record", "said"),
    [({"pmid": 12.5, "title": "T"}, "pmid: expected a number, got 12.5"),
     ({"pmid": 12, "abstract": 3.5}, "abstract: expected text, got 3.5")],
)  # fmt: skip
def test_the_real_reason_is_told(tmp_path, record, said):
    (tmp_path / "a.jsonl").write_text(json.dumps({"title": "T", "abstract": None, **record}))
    with pytest.raises(InputError, match="no record can be read") as error:
        list(intake.read(tmp_path / "a.jsonl"))
    assert said in str(error.value)


def test_a_file_of_junk_after_a_record_is_given_up(tmp_path):
    path = tmp_path / "a.json"
    record = json.dumps({"source": "MED", "pmid": "1", "title": "T", "abstractText": "Newts sing."})
    path.write_text(f"[{record}{', 1' * 100}]")
    assert len(list(intake.documents(path))) == 1
    path.write_text(f"[{record}{', 1' * 10_002}]")
    with pytest.raises(InputError, match=r"a\.json: too many records cannot be read; the first"):
        list(intake.read(path))


def test_numbers_that_programs_write_with_a_point_are_pmids(tmp_path):
    (tmp_path / "a.jsonl").write_text(jsonl(TITLE, TEXT, "2015").replace('"11"', "11.0"))
    (document,) = intake.documents(tmp_path / "a.jsonl")
    assert document.id == "11"


PUBMED_TEXT = """1. J Newts. 2015 Mar;3(2):11-9. doi: 10.5555/x.

A trial of velin in
newts.

Eft C(1), Olm D(2).

Author information:
(1)Department of Caves.

BACKGROUND: Newts are ill.
RESULTS: Velin cured 62% of newts.

DOI: 10.5555/x
PMID: 7000011 [Indexed for MEDLINE]

Conflict of interest statement: None declared.


2. J Toads. 2016;4:1.

Toads hum.

Olm D.

Toads hum at dusk.

PMID: 7000012
"""


def test_pubmed_s_text(tmp_path):
    (tmp_path / "a.txt").write_text(PUBMED_TEXT)
    first, second = intake.documents(tmp_path / "a.txt")
    assert first.text == "A trial of velin in newts.\nNewts are ill.\nVelin cured 62% of newts."
    published = first.publication
    assert (published.journal, published.volume, published.issue) == ("J Newts", "3", "2")
    assert (first.date, first.id, published.doi, published.pages) == (
        "2015-03", "7000011", "10.5555/x", "11-9",
    )  # fmt: skip
    assert [author.family for author in published.authors] == ["Eft", "Olm"]
    assert (second.id, second.text) == ("7000012", "Toads hum.\nToads hum at dusk.")


def test_web_of_science_s_table(tmp_path):
    rows = 'PT\tAU\tTI\tSO\tAB\tPY\tDI\nJ\tEft, C\tSong of "newts\tJ Newts\tNewts sing.\t2015\t10.5/x\n'
    (tmp_path / "savedrecs.txt").write_text("\ufeff" + rows)
    (document,) = intake.documents(tmp_path / "savedrecs.txt")
    assert (document.text, document.date) == ('Song of "newts\nNewts sing.', "2015")


@pytest.mark.parametrize(
    ("text", "name"),
    [("RT Journal Article\nSR Electronic\nT1 Song\n", "RefWorks"), ("<1>\nUnique Identifier\n7\n", "Ovid"),
     ("Scopus\nEXPORT DATE: 1 May\n\nEft, C.\n", "Scopus"), ("Record #1 of 2\nID: CN-1\nTI: Song\n", "Cochrane")],
)  # fmt: skip
def test_texts_of_other_databases_are_named_with_what_to_export(tmp_path, text, name):
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(InputError, match=f"{name}.* not read; export"):
        intake.documents(tmp_path / "a.txt")


def test_an_abstract_in_english_is_preferred(tmp_path):
    made = jats(TITLE, "Los tritones cantan.", "2015").replace(
        "<article>", '<article xml:lang="es">'
    )
    other = '<trans-abstract xml:lang="en"><p>Newts sing.</p></trans-abstract></article-meta>'
    (tmp_path / "a.xml").write_text(made.replace("</article-meta>", other))
    (document,) = intake.documents(tmp_path / "a.xml")
    assert abstract_of(document) == "Newts sing."


def test_headings_and_blocks_end_sentences():
    assert parts_of("<h4>Results</h4>Velin cured.<h4>Conclusions</h4>More.") == [
        ("Results", ["Velin cured."]),
        ("Conclusions", ["More."]),
    ]
    assert without_markup("Newts<br/>sing") == "Newts\u2029sing"


def test_a_gzip_file_that_is_cut_off_is_not_an_empty_one(tmp_path):
    rows = "".join(jsonl(f"Song {i}", TEXT, "2015") + "\n" for i in range(9))
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(rows.encode())[:-12])
    with pytest.raises(InputError, match="cut off; copy or download the file again"):
        list(intake.documents(tmp_path / "cut.jsonl.gz"))
