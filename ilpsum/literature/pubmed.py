"""Read PubMed abstracts as `Document`s: article-set XML, MEDLINE text or JSON, `.gz` or not.

JSON is one object per line, `{pmid,title,abstract}`, or BioASQ's Task A document, `{"articles":
[{pmid,title, abstractText}]}`. An object may also have `year`, `journal`, `authors`, `doi`,
`pmcid`, `language`, `types` (publication types), `mesh` and `retracted`.

A document's id is its PMID. Its text is the title and, from the next line on, the abstract, one
paragraph per labelled part. The labels (`METHODS`) are not part of the text but become section
titles. Files are streamed.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from ilpsum.errors import InputError
from ilpsum.files.json_text import list_items, read_json_lines
from ilpsum.files.reading import elements, text_lines
from ilpsum.files.start import Start
from ilpsum.literature.gate import admitted
from ilpsum.literature.raw import Notice, Read, author, authors_of, keys, raw_of, tagged
from ilpsum.literature.xml_text import date_of, text_of
from ilpsum.records import Author, Document

_TEXTS = ("title", "abstract", "abstractText")
# Links from an article to a notice about it.
_RETRACTIONS = ("RetractionIn", "PartialRetractionIn", "RetractedandRepublishedIn")
_CONCERN = "ExpressionOfConcernIn"
_JSON = keys(
    "title: title; abstract: abstract abstractText; date: year; pmcid: pmcid; doi: doi; journal: "
    "journal; language: "
    "language; "
    "types: types publication_types publicationTypes; mesh: mesh meshMajor"
)
_MEDLINE = keys(
    "title: TI BTI; abstract: AB OAB; date: DP DEP; pmcid: PMC; journal: TA JT; volume: VI; "
    "issue: IP; pages: PG; language: LA; types: PT; mesh: MH"
)
_XML = keys(
    "journal: Journal/ISOAbbreviation Journal/Title Book/BookTitle; "
    "volume: Journal/JournalIssue/Volume; issue: Journal/JournalIssue/Issue; "
    "pages: Pagination/MedlinePgn; language: Language"
)
_TITLES = ("ArticleTitle", "VernacularTitle", "Book/BookTitle")
_DATES = ("Journal/JournalIssue/PubDate", "ArticleDate", "ContributionDate", "Book/PubDate")
_EXPECTED = 'an object {"pmid": number, "title": text, "abstract": text}'
# Fields of MEDLINE of which all lines count.
_REPEATED = ("PT", "MH", "AB")
_FILE = re.compile(r"pubmed([0-9]{2})n([0-9]{4,6})\.xml(?:\.gz)?")
_MEDLINE_FIELD = re.compile(r"([A-Z0-9]{1,4}) *- (.*)")


def documents(source: str | Path | Start) -> Iterator[Read]:
    """Yield the abstracts of a file, in file order, and a notice of the PMIDs that it withdraws.

    `InputError` if the file cannot be read, has none of the formats, or is truncated.
    """
    start = Start.of(source)
    reader = reader_of(start)
    if reader is None:
        formats = "PubMed article-set XML, MEDLINE text (`PMID- ...`), or JSON with pmid, title"
        raise InputError(f"expected {formats} and abstract", start.path)
    return reader(start.path)


def reader_of(start: Start) -> Callable[[Path], Iterator[Read]] | None:
    """Return the reader of a file of PubMed's records; None for any other file."""
    text = start.text
    if text.startswith("<"):
        return from_xml if re.search(r"<PubmedArticle(Set)?\b", text) else None
    if re.match(r"PMID *- ?\d", text):
        return _from_medline
    if re.match(r'\{\s*"articles"\s*:\s*\[', text):
        return _from_articles
    record = start.record if text.startswith("{") else {}
    has_text = not record.keys().isdisjoint(_TEXTS)
    return _from_json_lines if "pmid" in record and has_text else None


def _from_medline(path: Path) -> Iterator[Read]:
    for line, fields in tagged(path, text_lines(path), _MEDLINE_FIELD, "PMID"):
        yield _medline_document(fields, path, line)


def _from_articles(path: Path) -> Iterator[Read]:
    for line, value in list_items(path, "articles", '{"articles": [...]}'):
        yield _json_document(value, path, line)


def _from_json_lines(path: Path) -> Iterator[Read]:
    for line, value in read_json_lines(path):
        yield value if isinstance(value, InputError) else _json_document(value, path, line)


def _json_document(value: Any, path: str | Path, line: int) -> Document | InputError:
    if not isinstance(value, dict):
        return InputError(f"expected {_EXPECTED}", path, line)
    pmid = as_pmid(value.get("pmid"))
    if not pmid:
        got = "nothing" if value.get("pmid") is None else repr(value["pmid"])[:50]
        return InputError(f"pmid: expected a number, got {got}", path, line)
    for key in _TEXTS:
        if not isinstance(value.get(key) or "", str):
            got = repr(value[key])[:50]
            return InputError(f"{key}: expected text, got {got}", path, line)

    def texts(key: str) -> list[str]:
        """Return the strings of a field; values of other types are ignored."""
        content = value.get(key)
        if not content:
            return []
        if key == "year":
            content = str(content)
        listed = content if isinstance(content, list) else [content]
        return [text for text in listed if isinstance(text, str)]

    authors = texts("authors") or texts("author")
    people = map(author, authors) if len(authors) != 1 else authors_of(authors[0])
    raw = raw_of(
        _JSON,
        texts,
        id=pmid,
        pmid=pmid,
        authors=tuple(people),
        retracted=value.get("retracted") is True,
    )
    return admitted(raw)


def as_pmid(value: object) -> str:
    """Return a PMID, given as a number or digits, without leading zeros; empty if the value is not
    a PMID.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    # Programs that treat numbers as numeric write 23.0.
    text = str(value).strip().removesuffix(".0")
    return text.lstrip("0") if text.isascii() and text.isdigit() else ""


def _medline_document(
    fields: Mapping[str, list[str]],
    path: str | Path,
    line: int,
) -> Document | InputError:
    def values(name: str) -> list[str]:
        return fields.get(name, [])

    pmid = as_pmid("".join(values("PMID")[:1]))
    if not pmid:
        return InputError("expected `PMID- number` at the beginning of a record", path, line)
    ids = (*values("LID"), *values("AID"))
    people = map(author, values("FAU") or values("AU"))
    raw = raw_of(
        _MEDLINE,
        lambda name: values(name) if name in _REPEATED else values(name)[:1],
        id=pmid,
        pmid=pmid,
        doi=next((value for value in ids if value.endswith("[doi]")), ""),
        authors=[*people, *map(Author, values("CN"))],
        retracted="RIN" in fields,
        concern="ECI" in fields,
    )
    return admitted(raw)


def from_xml(path: str | Path) -> Iterator[Read]:
    """Yield the articles of an article set as `documents` does; also from standard input."""
    for element in elements(path, "PubmedArticle", "DeleteCitation", "PubmedBookArticle"):
        if element.tag == "DeleteCitation":
            yield Notice(withdrawn=tuple(as_pmid(pmid.text) for pmid in element.iter("PMID")))
        else:
            yield _xml_document(element, path)


def _xml_document(record: Element, path: str | Path) -> Document | InputError:
    """Return the document of an article or of a chapter of a book."""
    is_book = record.tag == "PubmedBookArticle"
    citation = record.find("BookDocument" if is_book else "MedlineCitation")
    pmid = "" if citation is None else as_pmid(citation.findtext("PMID"))
    if citation is None or not pmid:
        return InputError(
            "an article without a PMID; expected <PMID>number</PMID> in each <MedlineCitation>",
            path,
        )
    article = citation if is_book else citation.find("Article")
    if article is None:
        return InputError(f"article {pmid} has no <Article>", path)

    ids = _ids(record, article)
    links = citation.iterfind("CommentsCorrectionsList/CommentsCorrections")
    notices = {link.get("RefType") for link in links}
    titles = (text_of(article.find(tag)) for tag in _TITLES)
    dates = (_date(article.find(path)) for path in _DATES)
    types = (*_texts(article, "PublicationTypeList/*"), *_texts(article, "PublicationType"))
    raw = raw_of(
        _XML,
        lambda path: _texts(article, path)[:1],
        id=pmid,
        pmid=pmid,
        doi=ids.get("doi", ""),
        pmcid=ids.get("pmc", ""),
        title=next(filter(None, titles), ""),
        date=next(filter(None, dates), ""),
        abstract=_abstract(citation, article),
        authors=[_xml_author(author) for author in article.iterfind("AuthorList/Author")],
        types=types,
        mesh=_texts(citation, "MeshHeadingList/MeshHeading/DescriptorName"),
        retracted=not notices.isdisjoint(_RETRACTIONS),
        concern=_CONCERN in notices,
    )
    return admitted(raw)


def _texts(element: Element, path: str) -> list[str]:
    return [child.text or "" for child in element.iterfind(path)]


def _ids(record: Element, article: Element) -> dict[str | None, str]:
    """Return the identifiers of an article or a chapter by their type; the last of each counts."""
    data = "PubmedData" if record.tag == "PubmedArticle" else "PubmedBookData"
    ids = [*article.iterfind("ELocationID"), *article.iterfind("ArticleIdList/ArticleId")]
    ids += record.iterfind(f"{data}/ArticleIdList/ArticleId")
    by_type: dict[str | None, str] = {}
    for element in ids:
        kind = element.get("IdType") or element.get("EIdType")
        by_type[kind] = element.text or ""
    return by_type


def _abstract(citation: Element, article: Element) -> list[tuple[str, str, str]]:
    """Return the parts of the abstract, or of another one in English."""
    abstracts = article.findall("Abstract")[:1]
    for abstract in citation.findall("OtherAbstract"):
        if abstract.get("Language", "eng") == "eng":
            abstracts.append(abstract)
    for abstract in abstracts:
        parts = [(part, text_of(part)) for part in abstract.iterfind("AbstractText")]
        if any(text for _, text in parts):
            return [
                (_given(part, "Label"), text, _given(part, "NlmCategory")) for part, text in parts
            ]
    return []


def _given(part: Element, attribute: str) -> str:
    value = str(part.get(attribute) or "").strip()
    return "" if value.upper() in ("UNLABELLED", "UNASSIGNED") else value


def _date(element: Element | None) -> str:
    """Return a date as year, month and day, or as in
    <MedlineDate>1998 Dec-1999 Jan</MedlineDate>.
    """
    if element is None:
        return ""
    return date_of(element, "Year", "Month", "Day") or element.findtext("MedlineDate") or ""


def _xml_author(element: Element) -> Author:
    family = element.findtext("LastName") or element.findtext("CollectiveName") or ""
    return Author(family, element.findtext("ForeName") or element.findtext("Initials") or "")


def number_of(path: Path) -> tuple[int, int] | None:
    """Return year and number of a PubMed file, where higher numbers have newer records; None for
    any other file.

    >>> number_of(Path("pubmed26n1335.xml.gz"))
    (26, 1335)
    """
    match = _FILE.fullmatch(path.name)
    return (int(match[1]), int(match[2])) if match else None


def pmid_of(url: Any) -> str:
    """Return the PMID at the end of a document's URL; empty if there is none.

    >>> pmid_of("http://www.ncbi.nlm.nih.gov/pubmed/23365410")
    '23365410'
    """
    return as_pmid(url.strip().rstrip("/").rpartition("/")[2]) if isinstance(url, str) else ""
