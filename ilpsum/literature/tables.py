"""Where each field of an article may stand, by format: a row for each.

A row names, for a field of `Raw`, the keys that databases and programs use for it, the most telling
first. Whatever is not the same everywhere is told by the database: whose an accession number is,
and which of its user-defined fields has the PMID (`PMID_FIELDS`).
"""

from ilpsum.literature.raw import Fields


def _row(**fields: str) -> Fields:
    """Return a row, given the keys of each field with spaces between them."""
    return tuple((field, tuple(keys.split())) for field, keys in fields.items())


# Columns of tables and keys of JSON objects, reduced to lower-case letters; nested keys are joined.
NAMED: Fields = _row(
    title="title titledisplay articletitle documenttitle primarytitle translatedtitle titles ti "
    "displayname originaltitle documenttitles studytitle titel titre titulo titolo",
    subtitle="subtitle",
    abstract="abstract abstractnote abstracttext abstracts ab description summary "
    "abstracttextinenglish briefsummary zusammenfassung resume resumen resumo riassunto",
    date="issueddateparts issuedraw issuedliteral publishtime publicationdate datepublished "
    "publisheddateparts publishedprintdateparts publishedonlinedateparts publicationyear "
    "publishedyear year pubyear yearofpublication journalinfoyearofpublication yearpublished "
    "pubdate date py issueddate issued publisheddate onlinedate coverdate yr firstposted jahr "
    "erscheinungsjahr annee anneedepublication ano anodepublicacion anodepublicacao anno",
    pmid="pmid originalpaperpubmedid pubmedid medlinepmid pm idspmid externalidspubmed pubmedpmid "
    "medlineid pubmedidpmid externalidspmid pmids",
    accession="accessionnumber accessionnumbers an ut utuniquewosid ui",
    database="database databasename databaseprovider nameofdatabase db librarycatalog "
    "sourcedatabase",
    doi="doi originalpaperdoi di idsdoi externalidsdoi doinumber doiurl "
    "digitalobjectidentifier doilink",
    pmcid="pmcid pmc idspmcid externalidspubmedcentral pmcids",
    named="url urls link plink links pdfurl fulltextlink linkstofulltext doilink articleurl "
    "identifiers ids idspmid idsdoi sourceurl pubmedlink id",
    notes="extra notes note",
    authors="authors author authornames au authorstring authorfullnames authorsnames "
    "authorshipsauthordisplayname authorlist creators authordisplay autor autoren auteur auteurs "
    "autores autore autori",
    journal="containertitleshort shortcontainertitle journalinfojournalisoabbreviation "
    "journalabbreviation jabbrv journal journalbook journaltitle journalname publicationtitle "
    "sourcetitle publicationname containertitle journalinfojournaltitle "
    "primarylocationsourcedisplayname hostvenuedisplayname secondarytitle booktitle parenttitle "
    "fulljournalname pubtitle sourcefulltitle venue so source "
    "bookorreportdetailspublisher zeitschrift revue revista rivista publisher",
    volume="volume vl journalvolume journalinfovolume bibliovolume",
    issue="issue issuenumber number journalissue journalinfoissue biblioissue is",
    pages="pages page pageinfo pagerange articlepages pagination",
    language="language languageoforiginaldocument languages lang la",
    types="publicationtype publicationtypes documenttype documenttypes typeofwork dt doctype "
    "doctypes typeofreference itemtype genre type types pubtype pubtypelistpubtype "
    "articletype",
    mesh="meshterms mesh meshmajor keywords keyword indexkeywords manualtags de "
    "meshheadinglistmeshheadingdescriptorname meshdescriptorname authorkeywords subjects tags "
    "tagstag",
    status="isretracted retracted retractionstatus",
    links="updatedbytype commentcorrectionlistcommentcorrectiontype retractionnature",
    about="updatetotype",
)
# Pages that are told by the first and the last one.
FIRST_PAGE = "bibliofirstpage pagestart startpage firstpage beginningpage bp".split()
LAST_PAGE = "bibliolastpage pageend endpage lastpage endingpage ep".split()

# RIS, with the fields that databases define themselves: in M3, C2, C3, U1 and others stand
# identifiers, types and anything else.
RIS: Fields = _row(
    title="TI T1 CT",
    abstract="AB N2",
    date="PY Y1 DA Y2",
    authors="AU A1",
    accession="AN",
    database="DB DP",
    doi="DO DI",
    named="C2 C3 UR L1 L2 L3 L4 LK M3 AN U1 M1 ID",
    numbers="numbers",
    notes="N1 M1 RN",
    journal="JO JF T2 BT JA J2 J1 PB",
    volume="VL",
    issue="IS CP",
    pages="pages",
    language="LA",
    types="M3 PT",
    mesh="KW",
)
MEDLINE: Fields = _row(
    title="TI BTI TT",
    abstract="AB OAB",
    date="DP DEP",
    pmid="PMID",
    pmcid="PMC",
    named="LID AID",
    journal="TA JT",
    volume="VI",
    issue="IP",
    pages="PG",
    language="LA",
    types="PT",
    mesh="MH OT",
)
ENDNOTE: Fields = _row(
    title="%T",
    abstract="%X",
    date="%D %8",
    authors="%A",
    accession="%M",
    database="%W %~",
    doi="%R",
    named="%U %2",
    notes="%Z %<",
    journal="%J %B %I",
    volume="%V",
    issue="%N",
    pages="%P",
    language="%G",
    types="%9 %0",
    mesh="%K",
)
WEB_OF_SCIENCE: Fields = _row(
    title="TI",
    abstract="AB",
    date="PY PD EA",
    authors="AF AU",
    pmid="PM",
    doi="DI",
    accession="UT",
    journal="J9 JI SO",
    volume="VL",
    issue="IS",
    language="LA",
    types="DT",
    mesh="MH DE ID",
)
BIBTEX: Fields = _row(
    title="title",
    subtitle="subtitle",
    abstract="abstract",
    date="date year",
    pmid="pmid pubmed pubmedid pubmed_id pubmed-id",
    pmcid="pmcid pmc",
    doi="doi",
    named="url eprint ee",
    notes="note annote extra",
    journal="shortjournal journal journaltitle booktitle publisher",
    volume="volume",
    issue="number issue",
    pages="pages",
    language="language langid",
    types="type entrysubtype document_type",
    mesh="keywords mesh",
)

# Paths in the XML of each format; text by path.
PUBMED_XML: Fields = _row(
    journal="Journal/ISOAbbreviation Journal/Title Book/BookTitle",
    volume="Journal/JournalIssue/Volume",
    issue="Journal/JournalIssue/Issue",
    pages="Pagination/MedlinePgn",
    language="Language",
)
JATS: Fields = _row(
    volume="volume",
    issue="issue",
    doi="article-id[@pub-id-type='doi']",
    pmid="article-id[@pub-id-type='pmid']",
    pmcid="article-id[@pub-id-type='pmc'] article-id[@pub-id-type='pmcid']",
    types="article-categories//subject",
)
_SOURCE = "fileDesc/sourceDesc/biblStruct"
_IMPRINT = f"{_SOURCE}/monogr/imprint"
TEI: Fields = _row(
    title="fileDesc/titleStmt/title[@type='main'] fileDesc/titleStmt/title "
    f"{_SOURCE}/analytic/title",
    subtitle="fileDesc/titleStmt/title[@type='sub']",
    journal=f"{_SOURCE}/monogr/title",
    volume=f"{_IMPRINT}/biblScope[@unit='volume']",
    issue=f"{_IMPRINT}/biblScope[@unit='issue']",
)
ENDNOTE_XML: Fields = _row(
    title="titles/title",
    abstract="abstract",
    date="dates/year dates/pub-dates/date",
    authors="contributors/authors/author",
    accession="accession-num",
    database="remote-database-name",
    doi="electronic-resource-num",
    pmcid="custom2",
    named="urls/related-urls/url urls/web-urls/url",
    notes="notes research-notes",
    journal="titles/secondary-title periodical/full-title periodical/abbr-1 publisher",
    volume="volume",
    issue="number",
    pages="pages",
    language="language",
    types="work-type",
    mesh="keywords/keyword",
)
EUROPE_PMC_XML: Fields = _row(
    title="title",
    abstract="abstractText",
    date="firstPublicationDate pubYear journalInfo/yearOfPublication",
    pmid="pmid",
    accession="id",
    database="source",
    pmcid="pmcid",
    doi="doi",
    authors="authorString",
    journal="journalInfo/journal/ISOAbbreviation journalInfo/journal/isoabbreviation "
    "journalInfo/journal/title journalTitle",
    volume="journalInfo/volume journalVolume",
    issue="journalInfo/issue issue",
    pages="pageInfo",
    language="language",
    types="pubTypeList/pubType pubType",
    mesh="meshHeadingList/meshHeading/descriptorName",
    links="commentCorrectionList/commentCorrection/type",
)
# Dublin Core, as OAI services give it, and Atom, as arXiv does.
DUBLIN_CORE: Fields = _row(
    title="title",
    abstract="abstract description",
    date="date issued",
    authors="creator",
    named="identifier relation",
    journal="source publisher",
    language="language",
    types="type",
    mesh="subject",
)
ATOM: Fields = _row(
    title="title",
    abstract="summary",
    date="published updated",
    authors="author/name",
    doi="doi",
    named="id",
    journal="journal_ref",
)
# What BioC tells of the first passage, and the number of the document.
BIOC: Fields = _row(
    date="date year",
    pmid="article-id_pmid id",
    pmcid="pmcid article-id_pmc",
    doi="article-id_doi",
    authors="authors",
    journal="journal journal-title",
    volume="volume",
    issue="issue",
    mesh="kwd",
)

# The number of digits that a PMID has at least in the fields that databases define themselves, by
# the field: Embase's C5, Scopus' C2, Cochrane's C3, Dimensions' U1, and others' C7, where EndNote
# has numbers of articles.
PMID_DIGITS = {"C2": 6, "C3": 6, "C5": 6, "U1": 8, "U2": 8, "C7": 8, "M1": 8}
