"""Read PubMed's article sets in XML, `.gz` or not; and PMIDs, and the numbers of PubMed's files.

A document's id is its PMID. Its text is the title and, from the next line on, the abstract, one
paragraph per labelled part. The labels (`METHODS`) are not part of the text but become section
titles. Files are streamed.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from msgspec import structs

from ilpsum.files.numbers import whole_number
from ilpsum.files.start import Start
from ilpsum.files.xml import read_elements
from ilpsum.literature.raw import Parsed, Problem, Raw, Withdrawn, is_no_title, raw_of
from ilpsum.literature.tables import PUBMED_XML
from ilpsum.literature.xml_text import at, date_of, text_of, texts_at
from ilpsum.records import Author

# In a `MedlineCitationSet` a citation stands alone.
_TAGS = ("PubmedArticle", "PubmedBookArticle", "MedlineCitation", "DeleteCitation")
_START = re.compile(r"<(?:Pubmed(?:Book)?Article(?:Set)?|MedlineCitation(?:Set)?|DeleteCitation)\b")
_TITLES = ("ArticleTitle", "VernacularTitle", "Book/BookTitle")
_DATES = ("Journal/JournalIssue/PubDate", "ArticleDate", "ContributionDate", "Book/PubDate")
_FILE = re.compile(r"pubmed([0-9]{2})n([0-9]{4,6})\.xml(?:\.gz)?")


def is_article_set(start: Start) -> bool:
    """Return whether a file starts like PubMed's XML."""
    return start.text.startswith("<") and _START.search(start.text) is not None


def read(source: str | Path | Start) -> Iterator[Parsed]:
    """Yield the articles of an article set, and the PMIDs that it withdraws; also from standard
    input.
    """
    path = source.path if isinstance(source, Start) else source
    for line, element, problem in read_elements(path, *_TAGS):
        if problem:
            yield Problem(problem, line, is_lost=element is None)
        if element is None:
            continue
        if element.tag == "DeleteCitation":
            yield Withdrawn(tuple(as_pmid(pmid.text) for pmid in element.iter("PMID")))
        else:
            yield _article(element, line)


def as_pmid(value: object) -> str:
    """Return a PMID, given as a number or digits, without leading zeros; empty if the value is not
    a PMID.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    # Programs that treat numbers as numeric write 23.0.
    text = str(value).strip().removesuffix(".0")
    return text.lstrip("0") if text.isascii() and text.isdigit() else ""


def _article(record: Element, line: int) -> Raw | Problem:
    """Return the raw record of an article or of a chapter of a book."""
    is_book = record.tag == "PubmedBookArticle"
    is_alone = record.tag == "MedlineCitation"
    citation = record if is_alone else record.find("BookDocument" if is_book else "MedlineCitation")
    pmid = "" if citation is None else as_pmid(citation.findtext("PMID"))
    if citation is None or not pmid:
        message = (
            "an article without a PMID; expected <PMID>number</PMID> in each <MedlineCitation>"
        )
        return Problem(message, line, is_lost=True)
    article = citation if is_book else citation.find("Article")
    if article is None:
        return Problem(f"article {pmid} has no <Article>", line, is_lost=True)

    ids = _ids(record, article)
    links = citation.iterfind("CommentsCorrectionsList/CommentsCorrections")
    notices = [str(link.get("RefType")) for link in links]
    titles = (text_of(at(article, path)) for path in _TITLES)
    dates = (_date(at(article, path)) for path in _DATES)
    types = [*article.iterfind("PublicationTypeList/*"), *article.findall("PublicationType")]
    raw = raw_of(PUBMED_XML, lambda path: texts_at(article, path)[:1])
    return structs.replace(
        raw,
        labelled=False,
        id=pmid,
        pmid=pmid,
        doi=ids.get("doi", ""),
        pmcid=ids.get("pmc", ""),
        title=next((title for title in titles if not is_no_title(title)), ""),
        date=next(filter(None, dates), ""),
        abstract=_abstract(citation, article),
        authors=tuple(_author(author) for author in article.iterfind("AuthorList/Author")),
        types=[kind.text or "" for kind in types],
        mesh=_texts(citation, "MeshHeadingList/MeshHeading/DescriptorName"),
        links=notices,
        about=notices,
    )


def _texts(element: Element, path: str) -> list[str]:
    return [child.text or "" for child in element.iterfind(path)]


def _ids(record: Element, article: Element) -> dict[str | None, str]:
    """Return the identifiers of an article or a chapter by their type; the last of each counts."""
    data = "PubmedData" if record.tag == "PubmedArticle" else "PubmedBookData"
    ids = [*article.findall("ELocationID"), *article.iterfind("ArticleIdList/ArticleId")]
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
        parts = [(part, text_of(part)) for part in abstract.findall("AbstractText")]
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


def _author(element: Element) -> Author:
    family = element.findtext("LastName") or element.findtext("CollectiveName") or ""
    return Author(family, element.findtext("ForeName") or element.findtext("Initials") or "")


def number_of(path: Path) -> tuple[int, int] | None:
    """Return year and number of a PubMed file, where higher numbers have newer records; None for
    any other file.

    >>> number_of(Path("pubmed26n1335.xml.gz"))
    (26, 1335)
    """
    match = _FILE.fullmatch(path.name)
    return (whole_number(match[1]) or 0, whole_number(match[2]) or 0) if match else None


def pmid_of(url: Any) -> str:
    """Return the PMID at the end of a document's URL; empty if there is none.

    >>> pmid_of("http://www.ncbi.nlm.nih.gov/pubmed/23365410")
    '23365410'
    """
    return as_pmid(url.strip().rstrip("/").rpartition("/")[2]) if isinstance(url, str) else ""
