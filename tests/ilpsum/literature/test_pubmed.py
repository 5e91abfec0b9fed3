"""PubMed abstracts in their three forms."""

import gzip
import json

import pytest

from ilpsum.errors import InputError
from ilpsum.files.start import Start
from ilpsum.literature import intake, pubmed
from tests.measures import peak

ARTICLE = """<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">{pmid}</PMID>
<Article><Journal><JournalIssue><PubDate><Year>2015</Year><Month>Mar</Month><Day>9</Day></PubDate></JournalIssue></Journal>
<ArticleTitle>Newts <i>sing</i> &amp; hum.</ArticleTitle>
<Abstract><AbstractText Label="METHODS" NlmCategory="METHODS">We   played H<sub>2</sub>O music.</AbstractText>
<AbstractText Label="UNLABELLED" NlmCategory="UNASSIGNED">They &lt;sang&gt;.</AbstractText>
</Abstract></Article></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="pubmed">1</ArticleId></ArticleIdList></PubmedData></PubmedArticle>"""
DOCTYPE = '<?xml version="1.0"?><!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2019//EN" "x.dtd">'


def article_set(*articles):
    return f"{DOCTYPE}<PubmedArticleSet>{''.join(articles)}</PubmedArticleSet>"


@pytest.mark.parametrize("zipped", [False, True])
def test_article_set(tmp_path, zipped):
    path = tmp_path / "set.xml"
    data = article_set(ARTICLE.format(pmid=42), ARTICLE.format(pmid="")).encode()
    path.write_bytes(gzip.compress(data) if zipped else data)
    assert pubmed.is_article_set(Start.of(path))
    first, told = intake.read(path)
    document = first.document
    assert document.id == "42"
    assert document.title == "Newts sing & hum."
    assert document.text == "Newts sing & hum.\nWe played H2O music.\nThey <sang>."
    assert document.date == "2015-03-09"
    assert [(s.title, s.kind, document.text[s.start : s.end]) for s in document.sections] == [
        ("", "title", "Newts sing & hum."),
        ("METHODS", "abstract", "We played H2O music."),
        ("", "abstract", "They <sang>."),
    ]
    assert [s.category for s in document.sections] == ["", "METHODS", ""]
    assert "an article without a PMID" in told.problems[0]


def test_a_long_set_needs_the_memory_of_a_short_one(tmp_path):
    path = tmp_path / "set.xml.gz"
    with gzip.open(path, "wt") as stream:
        stream.write("<PubmedArticleSet>")
        stream.writelines(ARTICLE.format(pmid=n) + "\n" for n in range(1, 3001))
        stream.write("</PubmedArticleSet>")
    documents = intake.documents(path)
    read = [int(next(documents).id) for _ in range(100)]
    assert peak(lambda: read.extend(int(d.id) for d in documents)) < 1_000_000
    assert read[-1] == 3000


def test_a_set_that_breaks_off(tmp_path):
    path = tmp_path / "set.xml"
    path.write_text("<PubmedArticleSet>\n" + ARTICLE.format(pmid=1) + "\n<PubmedArticle>")
    documents = intake.documents(path)
    assert next(documents).id == "1"
    with pytest.raises(InputError, match=r"set\.xml:\d+: not well-formed"):
        next(documents)


def test_entities_of_its_own_are_refused(tmp_path):
    path = tmp_path / "set.xml"
    path.write_text('<!DOCTYPE x [<!ENTITY a "aaaa">]><PubmedArticleSet>&a;</PubmedArticleSet>')
    with pytest.raises(InputError, match="entities"):
        list(intake.documents(path))


LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 9}">' for n in range(1, 9))
DECLARED = f'<!DOCTYPE x [<!ENTITY a0 "newts">{LAUGHS}<!ENTITY f SYSTEM "file:///etc/hostname">]>'
SET = "<PubmedArticleSet>" + ARTICLE.format(pmid=1) + "{}" + ARTICLE.format(pmid=2)
SET += "</PubmedArticleSet>"


@pytest.mark.parametrize(
    "encoding", ["utf-7", "utf-16", "utf-32", "cp037", "unicode_escape", "hex"]
)
def test_an_encoding_that_could_hide_markup_is_refused(tmp_path, encoding):
    path = tmp_path / "set.xml"
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?>{SET.format("")}')
    with pytest.raises(InputError, match="cannot be decoded"):
        list(intake.documents(path))


def test_declarations_within_a_set_are_never_read(tmp_path):
    path = tmp_path / "set.xml"
    path.write_text(SET.format(DECLARED))
    assert [document.id for document in intake.documents(path)] == ["1", "2"]
    hostile = ARTICLE.format(pmid=3).replace("<Article>", f"<Article>{DECLARED}")
    path.write_text(SET.format(hostile))
    *found, told = intake.read(path, titles=True)
    assert [record.document.id for record in found] == ["1", "2"]
    assert "skipped 1 record that cannot be read" in told.problems[0]


@pytest.mark.parametrize("name", ["a8", "f", "nothing"])
def test_an_entity_that_is_not_of_xml_stays_as_written(tmp_path, name):
    path = tmp_path / "set.xml"
    path.write_text(SET.format(DECLARED).replace("</ArticleTitle>", f" &{name};</ArticleTitle>", 1))
    assert next(intake.documents(path)).title.endswith(f"&{name};")


def test_medline(tmp_path):
    path = tmp_path / "pubmed.txt"
    path.write_text(
        "\nPMID- 7\nOWN - NLM\nDP  - 2015 Mar-Apr\nTI  - Newts sing in the\n      rain.\nAB  - They sing: PMID- 9 is\n"
        "      no record.\nAU  - Newt A\nAU  - Toad B\n\nPMID- 08\nTI  - Toads.\nDP  - 2016 Jan 5\n"
    )
    assert [(d.id, d.text, d.date) for d in intake.documents(path)] == [
        ("7", "Newts sing in the rain.\nThey sing: PMID- 9 is no record.", "2015-03"),
        ("8", "Toads.", "2016-01-05"),
    ]


def test_json_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = [
        {"pmid": 7, "title": "T.", "abstract": None},
        {"pmid": "x"},
        {"pmid": "8", "abstract": "A.", "title": "\ud800"},
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n{\n")
    first, third, told = intake.read(path, titles=True)
    assert (first.document.id, first.document.text) == ("7", "T.")
    assert (third.document.title, third.document.text) == ("�", "�\nA.")
    (problem,) = told.problems
    assert "skipped 2 records that cannot be read; the first" in problem
    assert "a.jsonl:2: " in problem


def test_all_abstracts_of_the_data(real_data):
    counts = {}
    for name in ("bioasq/abstracts.jsonl.gz", "pubmed-text/other_abstracts.jsonl.gz"):
        counts[name] = sum(bool(d.text) for d in intake.documents(real_data / name))
    assert list(counts.values()) == [6272, 9703]
