"""One article in every format that people have: each reader finds the same of it."""
# ruff: noqa: W291  # records as programs write them

import json
from dataclasses import replace

import pytest
from msgspec import structs

from ilpsum.errors import InputError
from ilpsum.literature import intake
from ilpsum.literature.gate import publication
from ilpsum.literature.identity import united
from ilpsum.literature.people import author, authors_of
from ilpsum.literature.raw import Raw
from ilpsum.records import Author
from ilpsum.records.notices import LeftOut
from ilpsum.tasks.texts import documents

TITLE, TEXT = (
    "Song of the grey newt: a randomised trial",
    "Newts sang at dusk in 5% of 40 ponds. Song < 3 dB is lost.",
)
DOI, PMCID = "10.1234/newts.7", "PMC1234567"
MESH = ("Humans", "Salamandridae")

XML = f"""<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>23</PMID><Article><Journal><JournalIssue>
<Volume>3</Volume><Issue>2</Issue><PubDate><Year>2014</Year><Month>Mar</Month></PubDate></JournalIssue>
<Title>The Journal of Newts</Title><ISOAbbreviation>J Newts</ISOAbbreviation></Journal><ArticleTitle>{TITLE}</ArticleTitle>
<Pagination><MedlinePgn>1-9</MedlinePgn></Pagination><Abstract><AbstractText>{TEXT.replace("<", "&lt;")}</AbstractText>
</Abstract><AuthorList><Author><LastName>van Eft</LastName><ForeName>Ann B</ForeName></Author><Author><CollectiveName>
Pond, Lake Group</CollectiveName></Author></AuthorList><Language>eng</Language><PublicationTypeList><PublicationType>
Journal Article</PublicationType><PublicationType>Randomized Controlled Trial</PublicationType></PublicationTypeList>
</Article><MeshHeadingList>{"".join(f"<MeshHeading><DescriptorName>{h}</DescriptorName></MeshHeading>" for h in MESH)}
</MeshHeadingList></MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="doi">{DOI.upper()}</ArticleId>
<ArticleId IdType="pmc">{PMCID}</ArticleId></ArticleIdList></PubmedData></PubmedArticle></PubmedArticleSet>"""
MEDLINE = f"""PMID- 23
TI  - {TITLE}
AB  - {TEXT}
FAU - van Eft, Ann B
AU  - van Eft AB
CN  - Pond, Lake Group
LA  - eng
PT  - Journal Article
PT  - Randomized Controlled
      Trial
DP  - 2014 Mar
TA  - J Newts
VI  - 3
IP  - 2
PG  - 1-9
MH  - *Humans
MH  - Salamandridae/physiology
LID - {DOI} [doi]
AID - S1234(14)00001 [pii]
PMC - {PMCID}
"""
RIS = f"""TY  - JOUR
TI  - {TITLE}
AU  - van Eft, Ann B
PY  - 2014/03
AB  - {TEXT}
T2  - J Newts
VL  - 3
IS  - 2
SP  - 1
EP  - 9
DO  - https://doi.org/{DOI}
AN  - 23
C2  - {PMCID}
LA  - eng
M3  - Randomized Controlled Trial
KW  - Humans
KW  - Salamandridae/physiology
ER  - 
"""
CSV = f"""PMID,Title,Abstract,Authors,Journal,Volume,Issue,Pages,Publication Year,DOI,PMCID,Language,Publication Type,MeSH Terms
23,{TITLE},{TEXT},"van Eft, Ann B;",J Newts,3,2,1-9,2014-03,{DOI},{PMCID},eng,Randomized Controlled Trial,Humans; Salamandridae
"""
RESULT = {
    "id": "23", "source": "MED", "pmid": "23", "pmcid": PMCID, "doi": DOI, "title": TITLE,
    "authorString": "van Eft AB, Pond, Lake Group.",
    "authorList": {"author": [
        {"fullName": "van Eft AB", "firstName": "Ann B", "lastName": "van Eft", "initials": "AB"},
        {"collectiveName": "Pond, Lake Group"},
    ]},
    "journalInfo": {
        "issue": "2", "volume": "3", "yearOfPublication": 2014,
        "journal": {"title": "The Journal of Newts", "isoabbreviation": "J Newts"},
    },
    "pubYear": "2014", "pageInfo": "1-9", "language": "eng",
    "abstractText": f"<h4>Results</h4>{TEXT.replace('<', '&lt;')}",
    "pubTypeList": {"pubType": ["randomized controlled trial", "journal article"]},
    "meshHeadingList": {
        "meshHeading": [{"descriptorName": h, "majorTopic_YN": "N"} for h in MESH]
    },
}  # fmt: skip
EUROPE_PMC = {
    "version": "6.9", "hitCount": 1, "request": {"query": "newts"}, "resultList": {"result": [RESULT]},
}  # fmt: skip
CSL = [{
    "id": "eft2014", "type": "article-journal", "title": TITLE,
    "abstract": TEXT.replace("<", "&lt;"),
    "author": [
        {"family": "Eft", "given": "Ann B", "non-dropping-particle": "van"},
        {"literal": "Pond, Lake Group"},
    ],
    "issued": {"date-parts": [["2014", 3]]},
    "container-title": "The Journal of Newts", "container-title-short": "J Newts",
    "volume": 3, "issue": "2", "page": "1-9", "DOI": DOI.upper(),
    "note": f"PMID: 23\nPMCID: {PMCID}", "language": "eng",
    "genre": "Randomized Controlled Trial", "keyword": "Humans; Salamandridae",
}]  # fmt: skip
JATS = f"""<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS 1.2//EN" "JATS-archivearticle1.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="research-article" xml:lang="en"><front><journal-meta>
<journal-title-group><journal-title>J Newts</journal-title></journal-title-group></journal-meta><article-meta>
<article-id pub-id-type="pmid">23</article-id><article-id pub-id-type="pmc">1234567</article-id>
<article-id pub-id-type="doi">{DOI}</article-id><article-categories><subj-group><subject>Randomized Controlled Trial
</subject></subj-group></article-categories><title-group><article-title>{TITLE}</article-title></title-group><contrib-group>
<contrib contrib-type="author"><name><surname>van Eft</surname><given-names>Ann B</given-names></name></contrib>
<contrib contrib-type="author"><collab>Pond, Lake Group</collab></contrib></contrib-group><pub-date><month>3</month>
<year>2014</year></pub-date><volume>3</volume><issue>2</issue><fpage>1</fpage><lpage>9</lpage><abstract><sec>
<title>Results</title><p>{TEXT.replace("<", "&lt;")}</p></sec></abstract><abstract abstract-type="teaser"><p>Newts!</p>
</abstract></article-meta></front><body><sec sec-type="intro"><title>1. Of newts</title><p>Newts sing.<sup><xref
ref-type="bibr" rid="b1">1</xref>,<xref ref-type="bibr" rid="b2">2</xref></sup> Toads hum [<xref ref-type="bibr"
rid="b3">3</xref>] (<xref ref-type="fig">Fig. 1</xref>).<fig><label>1</label><caption><p>A newt.</p></caption></fig></p>
<sec><title>Ponds</title><p>Ponds are cold.</p></sec></sec><sec><title>Methods</title><p>We listened.</p><table-wrap><table>
<tr><td>7</td></tr></table></table-wrap></sec></body><back><ref-list><ref>Moss 1999</ref></ref-list></back></article>"""
TEI = f"""<?xml version="1.0"?><TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader xml:lang="en"><fileDesc><titleStmt>
<title level="a" type="main">{TITLE}</title></titleStmt><sourceDesc><biblStruct><analytic><author><persName>
<forename type="first">Ann</forename><forename type="middle">B</forename><surname>van Eft</surname></persName></author>
<idno type="DOI">{DOI}</idno><idno type="PMID">23</idno><idno type="PMCID">{PMCID}</idno></analytic><monogr>
<title level="j">J Newts</title><imprint><biblScope unit="volume">3</biblScope><biblScope unit="issue">2</biblScope>
<biblScope unit="page" from="1" to="9"/><date type="published" when="2014-03"/></imprint></monogr></biblStruct></sourceDesc>
</fileDesc><profileDesc><abstract><div><p>{TEXT.replace("<", "&lt;")}</p></div></abstract></profileDesc></teiHeader><text><body>
<div><head n="1.">Methods</head><p>We listened <ref type="bibr" target="#b1">[1]</ref>. They sang.<ref type="bibr">2</ref>
</p></div><figure><head>Fig. 1</head><figDesc>A newt.</figDesc></figure></body></text></TEI>"""

BIBTEX = f"""@article{{eft2014,
  title = {{{TITLE}}}, author = {{van Eft, Ann B and {{Pond, Lake Group}}}}, journal = {{J Newts}},
  year = {{2014}}, month = mar, volume = 3, number = 2, pages = {{1--9}}, doi = {{{DOI}}}, pmid = {{23}},
  pmcid = {{{PMCID}}}, language = {{eng}}, type = {{Randomized Controlled Trial}},
  keywords = {{Humans; Salamandridae}}, abstract = {{{TEXT}}}
}}
"""
ENDNOTE = f"""%0 Journal Article
%T {TITLE}
%A van Eft, Ann B
%D 2014
%X {TEXT}
%J J Newts
%V 3
%N 2
%P 1-9
%R {DOI}
%M 23
%W PubMed
%2 {PMCID}
%G eng
%9 Randomized Controlled Trial
%K Humans
Salamandridae
"""
WEB_OF_SCIENCE = f"""FN Clarivate Analytics Web of Science
VR 1.0
PT J
AF van Eft, Ann B
TI Song of the grey newt:
   a randomised trial
AB {TEXT}
PY 2014
PM 23
DI {DOI}
J9 J Newts
VL 3
IS 2
BP 1
EP 9
LA English
DT Randomized Controlled Trial
DE Humans; Salamandridae
ER

EF
"""
ENDNOTE_XML = f"""<?xml version="1.0" encoding="UTF-8"?><xml><records><record><ref-type name="Journal Article">17</ref-type>
<contributors><authors><author><style face="normal">van Eft, Ann B</style></author></authors></contributors><titles><title>
<style face="normal">{TITLE}</style></title><secondary-title><style>J Newts</style></secondary-title></titles><pages>1-9
</pages><volume>3</volume><number>2</number><keywords><keyword>Humans</keyword><keyword>Salamandridae</keyword></keywords>
<dates><year>2014</year></dates><accession-num>23</accession-num><electronic-resource-num>{DOI}</electronic-resource-num>
<custom2>{PMCID}</custom2><abstract><style>{TEXT.replace("<", "&lt;")}</style></abstract><work-type>
Randomized Controlled Trial</work-type><remote-database-name>PubMed</remote-database-name><language>eng</language></record>
</records></xml>"""
EUROPE_PMC_XML = f"""<responseWrapper><resultList><result><id>23</id><source>MED</source><pmid>23</pmid><pmcid>{PMCID}</pmcid>
<doi>{DOI}</doi><title>{TITLE}</title><authorList><author><fullName>van Eft AB</fullName><firstName>Ann B</firstName><lastName>
van Eft</lastName></author><author><collectiveName>Pond, Lake Group</collectiveName></author></authorList><journalInfo><issue>2
</issue><volume>3</volume><yearOfPublication>2014</yearOfPublication><journal><title>The Journal of Newts</title>
<isoabbreviation>J Newts</isoabbreviation></journal></journalInfo><pubYear>2014</pubYear><pageInfo>1-9</pageInfo><abstractText>
{TEXT.replace("<", "&amp;lt;")}</abstractText><language>eng</language><pubTypeList><pubType>randomized controlled trial</pubType>
</pubTypeList><meshHeadingList><meshHeading><descriptorName>Humans</descriptorName></meshHeading><meshHeading>
<descriptorName>Salamandridae</descriptorName></meshHeading></meshHeadingList></result></resultList></responseWrapper>"""
ZOTERO = [{"key": "K", "data": {
    "itemType": "journalArticle", "title": TITLE, "abstractNote": TEXT, "publicationTitle": "J Newts",
    "creators": [{"creatorType": "author", "firstName": "Ann B", "lastName": "van Eft"},
                 {"creatorType": "author", "name": "Pond, Lake Group"}],
    "date": "2014-03", "volume": "3", "issue": "2", "pages": "1-9", "DOI": DOI, "language": "eng",
    "extra": f"PMID: 23\nPMCID: {PMCID}", "genre": "Randomized Controlled Trial",
    "tags": [{"tag": "Humans"}, {"tag": "Salamandridae"}],
}}]  # fmt: skip
CROSSREF = {"message": {"items": [{
    "type": "journal-article", "title": [TITLE], "DOI": DOI.upper(),
    "abstract": f"<jats:p>{TEXT.replace('<', '&lt;')}</jats:p>", "short-container-title": ["J Newts"],
    "author": [{"family": "van Eft", "given": "Ann B"}, {"name": "Pond, Lake Group", "sequence": "additional"}],
    "published-print": {"date-parts": [[2014, 3]]}, "volume": "3", "issue": "2", "page": "1-9",
    "language": "en", "pmid": "23", "pmcid": PMCID,
}]}}  # fmt: skip
OPENALEX = {"results": [{
    "title": TITLE, "doi": f"https://doi.org/{DOI}",
    "ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/23", "pmcid": f"https://www.ncbi.nlm.nih.gov/pmc/articles/{PMCID}"},
    "abstract_inverted_index": {word: [place for place, other in enumerate(TEXT.split()) if other == word]
                                for word in TEXT.split()},
    "authorships": [{"author": {"display_name": "van Eft, Ann B"}}], "publication_date": "2014-03-09",
    "biblio": {"volume": "3", "issue": "2", "first_page": "1", "last_page": "9"}, "language": "en",
    "primary_location": {"source": {"display_name": "J Newts"}}, "is_retracted": False,
    "mesh": [{"descriptor_name": heading, "is_major_topic": False} for heading in MESH],
}]}  # fmt: skip
OBJECT = {
    "pmid": 23, "title": TITLE, "abstract": TEXT, "authors": ["van Eft, Ann B"], "journal": "J Newts",
    "volume": 3, "issue": 2, "pages": "1-9", "year": 2014, "doi": DOI, "pmcid": PMCID, "language": "eng",
    "types": ["Randomized Controlled Trial"], "mesh": list(MESH),
}  # fmt: skip

FORMATS = {
    "xml": XML,
    "medline": MEDLINE,
    "ris": RIS,
    "csv": CSV,
    "europe-pmc": json.dumps(EUROPE_PMC),
    "europe-pmc-list": json.dumps(EUROPE_PMC["resultList"]["result"]),
    "csl": json.dumps(CSL, indent=1),
    "jats": JATS,
    "tei": TEI,
    "bibtex": BIBTEX,
    "endnote": ENDNOTE,
    "web-of-science": WEB_OF_SCIENCE,
    "endnote-xml": ENDNOTE_XML,
    "europe-pmc-xml": EUROPE_PMC_XML,
    "zotero": json.dumps(ZOTERO),
    "crossref": json.dumps(CROSSREF),
    "openalex": json.dumps(OPENALEX),
    "object": json.dumps(OBJECT, indent=1),
}


def read(folder, text, name="export"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(intake.documents(path))


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_tells_the_same_of_an_article(tmp_path, form):
    (found,) = read(tmp_path, FORMATS[form])
    assert (found.id, found.title) == ("23", TITLE)
    abstract = next(s for s in found.sections if s.kind == "abstract")
    assert found.text[abstract.start : abstract.end] == TEXT
    assert abstract.title == (
        "Results" if form in ("europe-pmc", "europe-pmc-list", "jats") else ""
    )
    known = found.publication
    assert known.authors[0] == Author("van Eft", "Ann B")
    # The others have no field for groups.
    groups = "xml medline europe-pmc csl jats bibtex europe-pmc-xml zotero crossref"
    if form in groups.split():
        assert known.authors[1:] == (Author("Pond, Lake Group"),)
    assert (known.journal, known.volume, known.issue, known.pages, known.year) == (
        "J Newts",
        "3",
        "2",
        "1-9",
        "2014",
    )
    assert (known.pmid, known.doi, known.notice) == ("23", DOI, "")
    assert known.pmcid == ("" if form == "web-of-science" else PMCID)
    # Crossref and OpenAlex have a type of their own.
    if form not in ("tei", "crossref", "openalex"):
        assert (known.kinds, known.language[:2].lower()) == (("randomised", "trial"), "en")
    if form not in ("tei", "jats", "crossref"):
        assert known.mesh == MESH


def test_sections_of_an_article(tmp_path):
    (jats,), (tei,) = read(tmp_path, JATS), read(tmp_path, TEI)
    parts = [(s.kind, s.title, jats.text[s.start : s.end]) for s in jats.sections]
    assert parts[2:] == [
        ("introduction", "1. Of newts", "Newts sing. Toads hum [3] (Fig. 1)."),
        ("introduction", "Ponds", "Ponds are cold."),
        ("methods", "Methods", "We listened."),
    ]
    assert [(s.kind, tei.text[s.start : s.end]) for s in tei.sections][2:] == [
        ("methods", "We listened [1]. They sang.")
    ]


@pytest.mark.parametrize(
    ("types", "mesh", "kinds"),
    [
        (
            ["Systematic Review", "Meta-Analysis"],
            [],
            ("meta-analysis", "systematic-review", "review"),
        ),
        (["Randomised Controlled Trial"], ["Follow-Up Studies", "Humans"], ("randomised", "trial")),
        (["Journal Article"], ["Cohort Studies", "Animals", "Humans"], ("cohort",)),
        (["Journal Article"], ["Animals", "Rats", "Cells, Cultured"], ("animal", "in-vitro")),
        (["case-report"], ["Animals"], ("case-report", "animal")),
        (["posted-content"], [], ("preprint",)),
        (["Practice Guideline"], [], ("guideline",)),
        ([], [], ()),
    ],
)
def test_kinds_of_study(types, mesh, kinds):
    assert publication(Raw(types=types, mesh=mesh)).kinds == kinds


@pytest.mark.parametrize(
    ("title", "kinds"),
    [
        ("Velin: a systematic review and meta-analysis of randomised trials",
         ("meta-analysis", "systematic-review", "review")),
        ("Velin in newts: a randomized, controlled phase II trial", ("randomised", "trial")),
        ("Protocol of a randomised trial of velin", ()),
        ("A newt that sang: case report and review of the literature", ("case-report",)),
        ("Velin. An evidence-based review.", ("review",)),
        ("Newts under review", ()),
        ("META ANALYSES OF SONG", ("meta-analysis",)),
        ("Song of newts: a case series", ("case-report",)),
        ("A guideline on velin", ("guideline",)),
        ("Velin in newts, Phase III", ("trial",)),
        ("Velin randomised in ponds: a pilot study", ("randomised", "trial")),
        ("Song in ponds: a cohort analysis", ("cohort",)),
        ("A narrative review: song", ("review",)),
    ],
)  # fmt: skip
def test_kinds_of_study_that_a_title_names(title, kinds):
    assert publication(Raw(title=title)).kinds == kinds
    # What the source itself says comes first.
    assert publication(Raw(title=title, types=["Editorial"])).kinds == ("editorial",)


@pytest.mark.parametrize(
    ("journal", "doi", "preprint"),
    [
        ("medRxiv", "", True),
        ("bioRxiv : the preprint server for biology", "", True),
        ("Research Square", "", True),
        ("", "10.1101/2023.01.01.23284567", True),
        ("", "10.1101/123456", True),
        ("", "10.21203/rs.3.rs-12345/v1", True),
        ("Genome Research", "10.1101/gr.123456.111", False),
        ("Preprints and their readers", "10.5555/newt.1", False),
    ],
)
def test_preprints_are_known_by_their_server(journal, doi, preprint):
    found = publication(Raw(journal=journal, doi=doi, types=["JOUR"]))
    assert found.kinds == (("preprint",) if preprint else ())


@pytest.mark.parametrize(
    ("more", "notice"),
    [
        ({"types": ["Retracted Publication"]}, "retracted"),
        ({"title": "RETRACTED: Song of newts"}, "retracted"),
        ({"title": "Retracted article: song"}, "retracted"),
        ({"title": "Retraction: song of newts"}, "retraction notice"),
        ({"title": "RETRACTION: Song of newts"}, "retraction notice"),
        (
            {"title": 'Retraction notice to "Song of newts" [J Newts 3 (2014) 1-9]'},
            "retraction notice",
        ),
        ({"title": "Retraction Note to: Song of newts"}, "retraction notice"),
        ({"title": "Retraction to: Song of newts"}, "retraction notice"),
        ({"title": "Retraction of newts' limbs: a trial"}, ""),
        ({"title": "Retraction notices of newt research"}, ""),
        ({"title": "Retracted gums heal"}, ""),
        ({"title": "WITHDRAWN: Tacrine for newts"}, "retracted"),
        ({"types": ["Retraction of Publication"]}, "retraction notice"),
        # JATS links a notice to the "retracted-article".
        ({"types": ["retraction"], "retracted": True}, "retraction notice"),
        ({"types": ["Retracted Publication"], "title": "Retraction: song of newts"}, "retracted"),
        ({"concern": True}, "expression of concern"),
    ],
)
def test_notices(more, notice):
    published = publication(Raw(**more))
    assert published.notice == notice
    assert published.is_evidence == (notice in ("", "expression of concern"))


@pytest.mark.parametrize(
    ("form", "before", "after"),
    [
        ("xml", "</Article>", '</Article><CommentsCorrectionsList><CommentsCorrections RefType="RetractionIn"/>'
         "</CommentsCorrectionsList>"),
        ("medline", "LA  - ", "RIN - J Newts. 2015\nLA  - "),
        ("ris", "TI  - ", "TI  - RETRACTED: "),
        ("europe-pmc", '"pubYear"', '"commentCorrectionList": {"commentCorrection": [{"type": "Retraction in"}]}, "pubYear"'),
        ("jats", "<contrib-group>", '<related-article related-article-type="retraction-forward"/><contrib-group>'),
    ],
)  # fmt: skip
def test_retractions_are_seen_in_every_format(tmp_path, form, before, after):
    (found,) = read(tmp_path, FORMATS[form].replace(before, after, 1))
    assert found.publication.retracted


def test_names():
    assert author("Müller-Moss J.-P.") == Author("Müller-Moss", "J.-P.")
    assert list(authors_of("Newt A., Moss B.C.")) == [Author("Newt", "A."), Author("Moss", "B.C.")]
    assert list(authors_of("Newt, Ann and van Eft, C B")) == [
        Author("Newt", "Ann"),
        Author("van Eft", "C B"),
    ]
    assert list(authors_of("van Eft, Cornelia Bertha")) == [Author("van Eft", "Cornelia Bertha")]


LABELLED = [
    (
        "Objective To count newts. RESULTS Forty newts sang.",
        ["Objective", "RESULTS"],
        "To count newts.\nForty newts sang.",
    ),
    (
        "Background: Newts.\nMethods: We listened.",
        ["Background", "Methods"],
        "Newts.\nWe listened.",
    ),
    (
        "BACKGROUND AND PURPOSE: Newts.\nPatients and Methods CD4.",
        ["BACKGROUND AND PURPOSE", "Patients and Methods"],
        "Newts.\nCD4.",
    ),
    ("<jats:title>Abstract</jats:title><jats:p>Newts sing.</jats:p>", [""], "Newts sing."),
    (
        "<jats:sec><jats:title>Aims</jats:title><jats:p>To sing.</jats:p></jats:sec>",
        ["Aims"],
        "To sing.",
    ),
    ("ABSTRACT Newts sing.", [""], "Newts sing."),
    (
        "Results Newts like were rare. Results Newts like are.",
        [""],
        "Results Newts like were rare. Results Newts like are.",
    ),
    (
        "Zn<sup>2+</sup>, 4 x 10<sup>9</sup>/L, IC<sub>50</sub>, p<b",
        [""],
        "Zn2+, 4 x 10^9/L, IC50, p<b",
    ),
]


@pytest.mark.parametrize("form", ["ris", "csl", "europe-pmc"])
@pytest.mark.parametrize(("given", "labels", "text"), LABELLED)
def test_labels_and_tags_of_abstracts_are_no_text(tmp_path, form, given, labels, text):
    record = {
        "ris": f"TY  - JOUR\nTI  - Song\nAB  - {given}\nER  - \n",
        "csl": json.dumps([{"type": "article-journal", "title": "Song", "abstract": given}]),
        "europe-pmc": json.dumps(
            [{"source": "MED", "authorString": "", "title": "Song", "abstractText": given}]
        ),
    }
    (found,) = read(tmp_path, record[form])
    assert [section.title for section in found.sections[1:]] == labels
    assert found.text == f"Song\n{text}"


def test_exponents_do_not_run_into_numbers(tmp_path):
    xml = XML.replace(TITLE, "CD4<sup>+</sup> at 10<sup>9</sup>/L and H<sub>2</sub>O")
    jats = "<article><front><article-meta><title-group><article-title>CD4<sup>+</sup> at 10<sup>9</sup>/L and H<sub>2</sub>O"
    jats += "</article-title></title-group><abstract><p>Newts.</p></abstract></article-meta></front></article>"
    for number, text in enumerate((xml, jats)):
        assert read(tmp_path, text, f"f{number}")[0].title == "CD4+ at 10^9/L and H2O"


@pytest.mark.parametrize(
    ("issued", "date"),
    [
        ({"raw": "Spring 2022"}, "2022"),
        ({"literal": "Winter 1998"}, "1998"),
        ({"date-parts": [["2003", "11", "2"]]}, "2003-11-02"),
        ({"date-parts": [[2003, 11, 0]]}, "2003-11"),
        ({"literal": "in press"}, ""),
    ],
)
def test_dates_of_csl(tmp_path, issued, date):
    item = {"type": "article-journal", "title": "Song", "abstract": "Newts sing.", "issued": issued}
    assert read(tmp_path, json.dumps([item]))[0].date == date


def test_groups_others_and_books(tmp_path):
    ris = "TY  - CHAP\nTI  - Song\nAU  - The NEWT Study Group\nAU  - Eft, Bo\nBT  - Book of Newts\nPB  - Pond\nAB  - x.\nER  - \n"
    (chapter,) = read(tmp_path, ris)
    assert chapter.publication.authors == (Author("The NEWT Study Group"), Author("Eft", "Bo"))
    assert chapter.publication.journal == "Book of Newts"


def test_a_record_that_is_no_object_is_an_error_of_its_own(tmp_path):
    good = json.dumps(CSL)[1:-1]
    path = tmp_path / "export"
    path.write_text(f'[{{"type": "x", "title": ""}},\n7,\n{good}]')
    found, told = intake.read(path)
    assert found.document.id == "23"
    assert "skipped 2 records that cannot be read; the first" in told.problems[0]
    assert "export:1: " in told.problems[0]


@pytest.mark.parametrize("depth", [300, 3000])
def test_xml_that_is_nested_too_deeply_is_one_line_and_other_files_are_read(tmp_path, depth):
    deep = f"{'<i>' * depth}Newts sing.{'</i>' * depth}"
    jats = JATS.replace("<p>We listened.</p>", f"<p>{deep}</p>")
    pubmed = f"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><Abstract><AbstractText>{deep}"
    pubmed += (
        "</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    )
    for text in (jats, pubmed):
        with pytest.raises(InputError, match="nested more than 200 deep"):
            read(tmp_path, text)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "deep.xml").write_text(pubmed)
    (folder / "good.txt").write_text("Newts sing.")
    kept = documents([folder])
    assert [each.text for each in kept.documents] == ["Newts sing."]
    (told,) = kept.problems
    assert "nested more than 200 deep" in told
    assert isinstance(told, LeftOut)


def test_the_fuller_record_takes_what_the_others_know(tmp_path):
    (short,), (full,) = (
        read(tmp_path, RIS.replace(" Song < 3 dB is lost.", "")),
        read(tmp_path, CSV),
    )
    flagged = united([short, full])
    assert flagged.text == full.text
    assert flagged.publication.mesh == MESH
    retracted = replace(short, publication=structs.replace(short.publication, retracted=True))
    assert united([full, retracted]).publication.notice == "retracted"
    assert united([full, full]) is full
