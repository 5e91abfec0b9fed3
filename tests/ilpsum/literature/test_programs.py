"""Files as other programs write them: where each puts what, in our own words."""

import json

import pytest

from ilpsum.errors import InputError
from ilpsum.files.identifiers import find_ids
from ilpsum.files.start import Start
from ilpsum.literature import intake
from ilpsum.literature.abstracts import reader_of
from ilpsum.papers.plain import without_line_numbers

TITLE, TEXT = "A trial of velin in newts", "Velin cured 62% of newts in ponds. Efts slept."
ITEM = {"title": [TITLE], "abstract": f"<jats:p>{TEXT}</jats:p>", "DOI": "10.5555/v", "type": "x"}
WORDS = {word: [place] for place, word in enumerate(TEXT.split())}
RIS = "TY  - JOUR\nTI  - {t}\nAB  - {a}\n{more}ER  - \n"
MEDLINE = "PMID- 7\nTI  - {t}\nAB  - {a}\n{more}"
XML = (
    "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article><ArticleTitle>{t}"
    "</ArticleTitle><Abstract><AbstractText>{a}</AbstractText></Abstract></Article>"
    "</MedlineCitation></PubmedArticle></PubmedArticleSet>"
)
FORMS = {
    "bibtex": f"@article{{v, title = {{{TITLE}}}, abstract = {{{TEXT}}}}}\n@article{{broken, a\n",
    "endnote": f"%0 Journal Article\n%T {TITLE}\n%A Newt, A.\n%X {TEXT}\n",
    "web-of-science": f"FN Clarivate\nVR 1.0\nPT J\nAU Newt, A\n   Eft, B\nTI {TITLE}\nAB {TEXT}\nER\n\nEF\n",
    "endnote-xml": f"<xml><records><record><titles><title><style>{TITLE}</style></title></titles>"
    f"<abstract><style>{TEXT}</style></abstract></record></records></xml>",
    "europe-pmc-xml": f"<responseWrapper><resultList><result><title>{TITLE}</title><abstractText>"
    f"{TEXT}</abstractText></result></resultList></responseWrapper>",
    "bioc": "<collection><document><id>7</id><passage><infon key='type'>title</infon><text>"
    f"{TITLE}</text></passage><passage><infon key='type'>abstract</infon><text>{TEXT}</text>"
    "</passage></document></collection>",
    "list": json.dumps([{"pmid": 7, "title": TITLE, "abstract": TEXT}]),
    "object": json.dumps({"pmid": 7, "title": TITLE, "abstract": TEXT}, indent=1),
    "doi-lines": json.dumps({"title": TITLE, "abstract": TEXT, "doi": "10.5555/v"}) + "\n",
    "crossref": json.dumps({"message": {"items": [ITEM]}}),
    "csl-items": json.dumps({"items": [{**ITEM, "title": TITLE}]}),
    "openalex": json.dumps(
        {"results": [{"title": TITLE, "abstract_inverted_index": WORDS, "doi": "10.5555/v"}]}
    ),
    "zotero": json.dumps(
        [{"key": "K", "data": {"itemType": "journalArticle", "title": TITLE, "abstractNote": TEXT}}]
    ),
    "dimensions": json.dumps(
        {"publications": [{"id": "p", "title": TITLE, "abstract": TEXT, "doi": "10.5555/v"}]}
    ),
    "biorxiv": json.dumps(
        {"collection": [{"title": TITLE, "abstract": TEXT, "doi": "10.1101/2020.01.02.123456"}]}
    ),
    "elastic": json.dumps(
        {"hits": {"hits": [{"_source": {"title": TITLE, "abstract": TEXT, "pmid": "7"}}]}}
    ),
    "by-pmid": json.dumps({"7": {"title": TITLE, "abstract": TEXT}}),
    "plos": json.dumps(
        {"response": {"docs": [{"title_display": TITLE, "abstract": [TEXT], "doi": "10.5555/v"}]}}
    ),
    "bars": f"Title|Abstract\n{TITLE}|{TEXT}\n",
    "dublin-core": "<OAI-PMH><record><metadata><oai_dc:dc xmlns:oai_dc='x' xmlns:dc='y'><dc:title>"
    f"{TITLE}</dc:title><dc:description>{TEXT}</dc:description></oai_dc:dc></metadata></record></OAI-PMH>",
    "atom": "<feed xmlns='http://www.w3.org/2005/Atom'><title>q</title><entry><id>x</id>"
    f"<title>{TITLE}</title><summary>{TEXT}</summary></entry></feed>",
    "scopus-bibtex": f"Scopus\nEXPORT DATE: 9 March 2020\n\n@ARTICLE{{v, title = {{{TITLE}}}, abstract = {{{TEXT}}}}}\n",
    "endnote-tabs": f"*Generic\nReference Type\tTitle\tAbstract\nJournal Article\t{TITLE}\t{TEXT}\n",
    "pubtator": f"7|t|{TITLE}\n7|a|{TEXT}\n7\t0\t7\tA trial\tDisease\tD1\n",
    "ris-two-spaces": f"TY  -  JOUR\nTI  -  {TITLE}\nAB  -  {TEXT}\nER  -  \n",
    "ris-tabs": f"TY\t-\tJOUR\nTI\t-\t{TITLE}\nAB\t-\t{TEXT}\nER\t-\n",
    "ris-tight": f"TY-JOUR\nTI-{TITLE}\nAB-{TEXT}\nER-\n",
    "header-below": f"Search: newts\n\nTitle,Abstract\n{TITLE},{TEXT}\n",
    "medline-pmc-first": f"PMC - PMC900\n{MEDLINE.format(t=TITLE, a=TEXT, more='')}",
    "in-a-page": f"<!DOCTYPE html>\n<pre>\n{MEDLINE.format(t=TITLE, a=TEXT, more='')}</pre>\n",
    "citation-set": XML.format(t=TITLE, a=TEXT)
    .replace("PubmedArticleSet", "MedlineCitationSet")
    .replace("<PubmedArticle>", "")
    .replace("</PubmedArticle>", ""),
    "message-first": f"id: 9 Error occurred: none\n\n{MEDLINE.format(t=TITLE, a=TEXT, more='')}",
    "control-character": XML.format(t=TITLE, a=f"{TEXT}\x0b"),
    "bare-ampersand": XML.format(t=TITLE, a=TEXT).replace("<PMID>", "<X>a & b &nbsp;</X><PMID>"),
}


def read(folder, text):
    path = folder / "export"
    path.write_text(text)
    return list(intake.documents(path))


@pytest.mark.parametrize("form", FORMS)
def test_each_form_gives_title_and_abstract(tmp_path, form):
    (document,) = read(tmp_path, FORMS[form])
    assert document.text == f"{TITLE}\n{TEXT}"


PMIDS = {
    "Embase": RIS.format(t=TITLE, a=TEXT, more="C5  - 7654321\nU2  - L60000001\nDB  - Embase\n"),
    "Scopus": RIS.format(t=TITLE, a=TEXT, more="C2  - 7654321\n"),
    "Cochrane": RIS.format(t=TITLE, a=TEXT, more="C3  - PUBMED 7654321,EMBASE 600000001\n"),
    "MEDLINE": RIS.format(t=TITLE, a=TEXT, more="AN  - MEDLINE:7654321\n"),
    "Embase's table": f"Title,Abstract,Medline PMID\n{TITLE},{TEXT},7654321\n",
    "OpenAlex": json.dumps([{**ITEM, "ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/7654321"}}]),
    "PMC": RIS.format(t=TITLE, a=TEXT, more="U1  - 7654321[pmid]\nU2  - PMC900[pmcid]\n"),
    "EBSCO": f"Title,Abstract,Accession Number,PLink\n{TITLE},{TEXT},7654321,https://e.org/?db=mdc&AN=7654321\n",
    "Web of Science's BibTeX": f"@article{{v, title = {{{TITLE}}}, abstract = {{{TEXT}}}, PubMed-ID = {{{{7654321}}}}}}",
    "BibLaTeX": f"@article{{v, title = {{{TITLE}}}, abstract = {{{TEXT}}}, eprint = {{7654321}}, eprinttype = {{pubmed}}}}",
    "Lens": json.dumps(
        {"data": [{**ITEM, "external_ids": [{"type": "pmid", "value": "7654321"}]}]}
    ),
    "Excel": f'PMID,Title,Abstract\n="7654321",{TITLE},{TEXT}\n',
}


@pytest.mark.parametrize("program", PMIDS)
def test_where_programs_put_the_pmid(tmp_path, program):
    (document,) = read(tmp_path, PMIDS[program])
    assert document.publication.pmid == "7654321"


@pytest.mark.parametrize(
    "text",
    [
        f"Title,Abstract,Accession Number,PLink\n{TITLE},{TEXT},7654321,https://e.org/?db=aph\n",
        f"Title,Abstract,Accession Number\n{TITLE},{TEXT},7654321\n",
        RIS.format(t=TITLE, a=TEXT, more="AN  - 7654321\nDB  - aph\n"),
        f"PMID,Title,Abstract\n0,{TITLE},{TEXT}\n",
        json.dumps({"pmid": 0, "title": TITLE, "abstract": TEXT}),
    ],
)
def test_numbers_that_are_no_pmid(tmp_path, text):
    (document,) = read(tmp_path, text)
    assert document.publication.pmid == ""


RETRACTED = [
    RIS.format(t=TITLE, a=TEXT, more="KW  - retracted article\n"),
    RIS.format(t=TITLE, a=TEXT, more="N1  - 12\nRetracted Publication\nEngland\n"),
    RIS.format(t=f"REMOVED: {TITLE}", a=TEXT, more=""),
    MEDLINE.format(t=TITLE, a=TEXT, more="PRIN- J Newts. 2016\n"),
    f"Title,Abstract,is_retracted\n{TITLE},{TEXT},TRUE\n",
    f"Title,Abstract,RetractionNature\n{TITLE},{TEXT},Retraction\n",
    json.dumps([{**ITEM, "updated-by": [{"type": "retraction"}]}]),
]
NOTICES = [
    RIS.format(t=f"Statement of Retraction: {TITLE}", a=TEXT, more=""),
    MEDLINE.format(t=TITLE, a=TEXT, more="ROF - J Newts. 2016\n"),
    json.dumps([{**ITEM, "update-to": [{"type": "retraction"}]}]),
]
JATS = (
    "<article article-type='research-article'><front><article-meta><title-group><article-title>{t}"
    "</article-title></title-group><related-article related-article-type='{kind}'/><abstract><p>{a}"
    "</p></abstract></article-meta></front></article>"
)


@pytest.mark.parametrize("text", RETRACTED)
def test_retraction_is_seen_wherever_it_is_told(tmp_path, text):
    assert read(tmp_path, text)[0].publication.notice == "retracted"


@pytest.mark.parametrize("text", NOTICES)
def test_notices_of_retraction(tmp_path, text):
    assert read(tmp_path, text)[0].publication.notice == "retraction notice"


@pytest.mark.parametrize(
    ("kind", "notice"),
    [
        ("retracted-article", ""),
        ("retraction-forward", "retracted"),
        ("expression-of-concern", "expression of concern"),
        ("object-of-concern", ""),
    ],
)
def test_links_of_jats(tmp_path, kind, notice):
    made = JATS.format(t=TITLE, a=TEXT, kind=kind)
    assert read(tmp_path, made)[0].publication.notice == notice


def test_a_record_without_a_pmid_is_not_fused_with_its_neighbour(tmp_path):
    first = MEDLINE.format(t=TITLE, a=TEXT, more="")
    second = "OWN - NLM\nTI  - Olms\nAB  - Olms glow.\n"
    assert [d.title for d in read(tmp_path, f"{first}\n{second}")] == [TITLE, "Olms"]


@pytest.mark.parametrize(
    ("address", "doi"),
    [
        ("https://ponds.org/doi/10.5555/newt.1/abstract", "10.5555/newt.1"),
        ("https://ponds.org/articles/10.5555/newt.1/full", "10.5555/newt.1"),
        (
            "https://ponds.org/content/10.1101/2020.01.02.123456v1.full.pdf",
            "10.1101/2020.01.02.123456",
        ),
        ("10.5555%2Fnewt.1", "10.5555/newt.1"),
        ("https://ponds.org/10.5555/newt.1?download=true", "10.5555/newt.1"),
        ("https://doi.org/10.21203/rs.3.rs-12345/v1", "10.21203/rs.3.rs-12345/v1"),
    ],
)
def test_dois_lose_the_tail_of_an_address(address, doi):
    assert find_ids(address).doi == doi


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (f"{TEXT} (ABSTRACT TRUNCATED AT 250 WORDS)", TEXT),
        (f"{TEXT} [ABSTRACT FROM AUTHOR]", TEXT),
        (f"{TEXT} (PsycINFO Database Record (c) 2016 APA, all rights reserved)", TEXT),
    ],
)
def test_notices_of_databases_are_no_abstract(tmp_path, given, kept):
    (document,) = read(tmp_path, RIS.format(t=TITLE, a=given, more=""))
    assert document.text == f"{TITLE}\n{kept}"


@pytest.mark.parametrize("step", [1, 5])
def test_numbers_of_lines_go_and_those_of_a_text_stay(step):
    lines = [f"newts sing {n} times" for n in range(21)]
    numbered = [f"{n} {line}" if n % step == 0 else line for n, line in enumerate(lines, 1)]
    assert without_line_numbers("\n".join(numbered)) == "\n".join(lines)
    assert (
        without_line_numbers("12 newts\nsang in\n7 ponds\nat dusk")
        == "12 newts\nsang in\n7 ponds\nat dusk"
    )


def test_structured_prose_is_no_record_of_an_unknown_form(tmp_path):
    (tmp_path / "a.txt").write_text("AIM: To sing.\nMETHODS: We sang.\nRESULTS: Newts sang.\n")
    assert reader_of(Start.of(tmp_path / "a.txt")) is None


def test_a_damaged_record_costs_only_itself(tmp_path):
    broken = XML.format(t="Olms", a="Olms glow.</i>")
    path = tmp_path / "a.xml"
    path.write_text(f'{broken}\n{{"error":"API rate limit"}}\n{XML.format(t=TITLE, a=TEXT)}')
    first, told = intake.read(path)
    assert first.document.title == TITLE
    assert "skipped 1 record that cannot be read; the first" in told.problems[0]
    path.write_text(XML.format(t=TITLE, a=TEXT)[:-30])
    with pytest.raises(InputError, match="the file is cut off"):
        list(intake.documents(path))


def test_pubtator_has_a_record_for_each_number_and_no_annotations(tmp_path):
    text = f"7|t|{TITLE}\n7|a|{TEXT}\n7\t0\t7\tA trial\tDisease\tD1\n7\tCID\tD1\tD2\n\n8|t|Olms\n8|a|Olms glow.\n"
    first, second = read(tmp_path, text)
    assert (first.id, first.text) == ("7", f"{TITLE}\n{TEXT}")
    assert (second.id, second.text) == ("8", "Olms\nOlms glow.")


def test_authors_whose_initials_come_first(tmp_path):
    (document,) = read(tmp_path, f'Title,Abstract,Author(s)\n{TITLE},{TEXT},"A Newt, B Eft"\n')
    assert [author.family for author in document.publication.authors] == ["Newt", "Eft"]


@pytest.mark.parametrize("places", [[["newts"]], "newts", [0.5], 3, None])
def test_places_of_words_that_are_none_lose_their_record_in_one_line(tmp_path, places):
    works = [
        {"title": TITLE, "abstract_inverted_index": {"Newts": places}},
        {
            "title": TITLE,
            "abstract_inverted_index": {"Newts": [0], "sing.": [1]},
            "doi": "10.5555/v",
        },
    ]
    (tmp_path / "works.json").write_text(json.dumps({"results": works}))
    read = list(intake.read(tmp_path / "works.json"))
    (document,) = [each.document for each in read if each.document]
    assert document.text == f"{TITLE}\nNewts sing."
    (problem,) = [problem for each in read for problem in each.problems]
    assert "abstract_inverted_index: " in problem
