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
    "pandas": f"PMID,Title,Abstract\n['7654321'],{TITLE},{TEXT}\n",
    "Ovid's table": f"UI,DB,TI,AB\n7654321,Ovid MEDLINE(R),{TITLE},{TEXT}\n",
    "Web of Science's MEDLINE": f"FN Clarivate\nVR 1.0\nPT J\nTI {TITLE}\nAB {TEXT}\nUT MEDLINE:7654321\nER\n",
    "a note": RIS.format(t=TITLE, a=TEXT, more="N1  - PubMed ID: 7654321\n"),
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
    RIS.format(t=TITLE, a=TEXT, more="N1  - Retraction in: J Newts. 2016;4:2\n"),
    RIS.format(t=TITLE, a=TEXT, more="N1  - This article has been retracted.\n"),
    RIS.format(t=f"{TITLE} (retracted article)", a=TEXT, more=""),
    RIS.format(t=f"{TITLE} RETRACTED", a=TEXT, more=""),
    RIS.format(t=f"{TITLE} [Retraction in: J Newts. 2016]", a=TEXT, more=""),
    f"Title,Abstract,is_retracted\n{TITLE},{TEXT},1.0\n",
    f"<xml><records><record><titles><title>{TITLE}</title></titles><abstract>{TEXT}</abstract>"
    "<notes>12&#xD;Retracted Publication&#xD;England</notes></record></records></xml>",
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
        (f"{TEXT} ABSTRACT FROM AUTHOR", TEXT),
        (f"{TEXT} (journal abstract)", TEXT),
        (f"<p>Abstract</p><p>{TEXT}</p>", TEXT),
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


ROW = {"title": TITLE, "abstract": TEXT, "doi": "10.5555/v"}
OTHER = {"title": "Olms", "abstract": "Olms glow.", "doi": "10.5555/o"}
SEVERAL = {
    "objects on one line": json.dumps(ROW) + json.dumps(OTHER),
    "objects on many lines": json.dumps(ROW, indent=1) + "\n" + json.dumps(OTHER, indent=1) + "\n",
    "lines ended by CR": json.dumps(ROW) + "\r" + json.dumps(OTHER) + "\r",
    "no number": json.dumps({**ROW, "pmid": float("nan")}) + "\n" + json.dumps(OTHER),
    "a list with no number": json.dumps([{**ROW, "pmid": float("nan")}, OTHER]),
    "table ended by CR": f"Title,Abstract\r{TITLE},{TEXT}\rOlms,Olms glow.\r",
    "PubTator ended by CR": f"7|t|{TITLE}\r7|a|{TEXT}\r\r8|t|Olms\r8|a|Olms glow.\r",
    "EndNote without %0": f"%T {TITLE}\n%X {TEXT}\n\n%T Olms\n%X Olms glow.\n",
    "MEDLINE below a heading": "Results of a search\n\n" + MEDLINE.format(t=TITLE, a=TEXT, more="")
    + "\nPMID- 8\nTI  - Olms\nAB  - Olms glow.\n",
    "BibTeX below a heading": f"My library\n\n@article{{v, title = {{{TITLE}}}, abstract = {{{TEXT}}}}}\n"
    "@article{o, title = {Olms}, abstract = {Olms glow.}}\n",
}  # fmt: skip


@pytest.mark.parametrize("form", SEVERAL)
def test_every_record_of_an_unusual_file_is_read(tmp_path, form):
    first, second = read(tmp_path, SEVERAL[form])
    assert (first.title, first.text) == (TITLE, f"{TITLE}\n{TEXT}")
    assert (second.title, second.text) == ("Olms", "Olms\nOlms glow.")
    assert first.publication.pmid in ("", "7")


def test_null_in_a_list_is_one_record_less(tmp_path):
    (document,) = read(tmp_path, json.dumps([None, ROW]))
    assert document.publication.doi == "10.5555/v"


TABLES = {
    "German": f"Titel;Zusammenfassung;Jahr;Zeitschrift\n{TITLE};{TEXT};2015;J Newts\n",
    "Spanish": f"Título,Resumen,Año,Revista\n{TITLE},{TEXT},2015,J Newts\n",
    "French": f"Titre;Résumé;Année;Revue\n{TITLE};{TEXT};2015;J Newts\n",
    "spaces": f'Title, Abstract, Year, Journal\n{TITLE}, "{TEXT}", 2015, J Newts\n',
    "a name twice": f"Title,Abstract,Abstract,Year,Journal\n{TITLE},,{TEXT},2015,J Newts\n",
    "a date without a year": "Title,Abstract,Publication Date,Publication Year,Journal\n"
    f"{TITLE},{TEXT},MAR 9,2015,J Newts\n",
    "trials": f"NCT Number,Study Title,Brief Summary,First Posted,Journal\nNCT1,{TITLE},{TEXT},2015-03-09,J Newts\n",
}


@pytest.mark.parametrize("table", TABLES)
def test_headers_and_cells_of_other_tables(tmp_path, table):
    (document,) = read(tmp_path, TABLES[table])
    assert (document.text, document.date[:4]) == (f"{TITLE}\n{TEXT}", "2015")
    assert document.publication.journal == "J Newts"


def test_quotation_marks_between_tabs_may_be_text(tmp_path):
    (document,) = read(tmp_path, f'Title\tAbstract\n"Velin" in newts\t{TEXT}\n')
    assert document.title == '"Velin" in newts'


def test_pages_in_two_columns(tmp_path):
    (document,) = read(tmp_path, f"PT\tTI\tAB\tBP\tEP\nJ\t{TITLE}\t{TEXT}\t11\t19\n")
    assert document.publication.pages == "11-19"


@pytest.mark.parametrize("types", ["Journal Article, Meta-Analysis", "['x', 'Meta-Analysis']"])
def test_types_with_commas(tmp_path, types):
    table = f'Title,Abstract,Publication Type\n{TITLE},{TEXT},"{types}"\n'
    assert "meta-analysis" in read(tmp_path, table)[0].publication.kinds


def test_a_type_may_be_a_line_of_a_note(tmp_path):
    text = RIS.format(t=TITLE, a=TEXT, more="N1  - 12\nMeta-Analysis\nEngland\n")
    assert "meta-analysis" in read(tmp_path, text)[0].publication.kinds


def test_labels_of_an_abstract_in_several_lines(tmp_path):
    text = RIS.format(t=TITLE, a="METHODS: Newts sang\nAB  - RESULTS: Efts slept.", more="")
    (document,) = read(tmp_path, text)
    assert document.text == f"{TITLE}\nNewts sang\nEfts slept."
    assert [section.title for section in document.sections[1:]] == ["METHODS", "RESULTS"]


def test_of_dublin_core_in_several_languages_the_english_is_read(tmp_path):
    (document,) = read(
        tmp_path,
        "<oai_dc:dc xmlns:oai_dc='x' xmlns:dc='y'><dc:title xml:lang='pt-BR'>Um ensaio</dc:title>"
        f"<dc:title xml:lang='en-US'>{TITLE}</dc:title><dc:description xml:lang='pt-BR'>Tritões."
        f"</dc:description><dc:description xml:lang='en-US'>{TEXT}</dc:description></oai_dc:dc>",
    )
    assert document.text == f"{TITLE}\n{TEXT}"


@pytest.mark.parametrize(
    ("value", "journal"),
    [('jn # " of Ponds"', "Newts of Ponds"), ('"All " # jn', "All Newts"), ("jn", "Newts")],
)
def test_macros_of_bibtex_are_joined(tmp_path, value, journal):
    entry = f"@article{{v, title = {{{TITLE}}}, abstract = {{{TEXT}}}, journal = {value}}}\n"
    (document,) = read(tmp_path, f"@string{{jn = {{Newts}}}}\n{entry}")
    assert document.publication.journal == journal


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("CO$_2$ and H$_{2}$O", "CO2 and H2O"),
        ("Ca$^{2+}$ at 10$^{9}$", "Ca2+ at 10^9"),
        ("{\\textquotedblleft}no{\\textquotedblright}", "“no”"),
    ],
)
def test_formulas_and_quotation_marks_of_tex(tmp_path, given, said):
    (document,) = read(tmp_path, RIS.format(t=TITLE, a=f"Newts need {given}.", more=""))
    assert document.text == f"{TITLE}\nNewts need {said}."


def test_authors_of_whom_the_last_is_joined(tmp_path):
    table = f'Title,Abstract,Authors\n{TITLE},{TEXT},"Ann Newt, Bo Eft and Cy Olm"\n'
    authors = read(tmp_path, table)[0].publication.authors
    assert [author.family for author in authors] == ["Newt", "Eft", "Olm"]
