"""Article identifiers (PMID, PMCID, DOI and arXiv id) in lists and in references pasted from
anywhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import quote, unquote

from features.patterns import regex
from ilpsum.records import Publication

IdKind = Literal["pmid", "pmcid", "doi", "arxiv"]
# How references print each identifier, and the URL of the article's page.
_SHOWN: dict[IdKind, tuple[str, str]] = {
    "pmid": ("PMID {}", "https://pubmed.ncbi.nlm.nih.gov/{}/"),
    "pmcid": ("{}", "https://pmc.ncbi.nlm.nih.gov/articles/{}/"),
    "doi": ("DOI {}", "https://doi.org/{}"),
    "arxiv": ("arXiv {}", "https://arxiv.org/abs/{}"),
}
_ARXIV = r"\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[A-Z]{2})?/\d{7}"
# In order of precedence where two matches begin at the same place. Old Wiley DOIs have a part in
# angle brackets.
_NAMED = regex(
    rf"""(?:\barxiv[:.]\s?|\barxiv\.org/(?:abs|pdf)/)(?P<arxiv>{_ARXIV})(?:v\d{{1,2}}(?:\.pdf)?\b)?
    |\b(?P<doi>10\.\d{{4,9}}/(?:[^\s"<>|]|<\d[^\s"<>|]{{1,40}}>){{1,200}})
    |(?:\bPMID:?\s{{0,3}}|\bPubMed(?:\sID)?:\s{{0,3}}|/pubmed/|pubmed\.ncbi\.nlm\.nih\.gov/|/MED/)
    (?P<pmid>\d{{1,8}})\b
    |\b(?P<pmcid>PMC\d{{3,9}})\b""",
    re.VERBOSE | re.IGNORECASE,
)
# A DOI whose slash is written as in an address or in JSON.
_ESCAPED_SLASH = regex(r"\b(10\.\d{4,9})(?:%2F|\\/)", re.IGNORECASE)
_ADDRESS, _LONGEST_ADDRESS = regex(r"https?://(?!(?:dx\.)?doi\.org/)\S*\Z", re.IGNORECASE), 300
_TAIL = regex(
    r"(?:/(?:abstract|e?pdf(?:plus|direct)?|full(?:[ -]?text)?|fullpdf|html?|meta|summary"
    r"|references|figures|tables|citations?|issuetoc|download|export))+/?\Z",
    re.IGNORECASE,
)
_FILE_TAIL = regex(
    r"(?:(?<=\d)v\d{1,2}(?=\.|\Z))?"
    r"(?:\.(?:full(?:-text)?|abstract|pdf|html?|short|long|article-info"
    r"|supplementary-material))*/?\Z",
    re.IGNORECASE,
)
_ARXIV_DOI = regex(rf"10\.48550/arxiv\.({_ARXIV})", re.IGNORECASE)
_BARE = regex(r"(?:PMID[:#‐‑–-]?)?0{0,8}([1-9]\d{0,7})(?:(?<=\d{5})\.)?", re.IGNORECASE)
_LABEL = regex(
    r"[][,;\"]|(?<![\w./-])(?:doi|pmc?ids?)\b:?(?!\S)|(?<!\S)(?:and|&)(?!\S)",
    re.IGNORECASE,
)
_NUMBER = regex(r"(?:[•*·▪◦–-]\s{0,9})?(?:(?:\[\d{1,4}\]|\(?\d{1,4}[.)])\s+(?=\S))?")
# Found in PubMed's "Abstract (text)" format, but not in reference lists.
_ABSTRACTS = regex(r"^(?:Author information:|PMID: \d{1,8} {2}\[)", re.MULTILINE)
_CLOSES = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class ArticleIds:
    """The identifiers of one article, empty where unknown, and the first line that names it, from
    1.
    """

    line: int = 0
    pmid: str = ""
    pmcid: str = ""
    doi: str = ""
    arxiv: str = ""

    def __str__(self) -> str:
        """Return the article's first identifier."""
        return next((name for name, _ in links(self)), "")


class IdList(NamedTuple):
    """The articles named in a list, and the numbers of its lines without an identifier, from 1."""

    articles: tuple[ArticleIds, ...]
    without: tuple[int, ...]


def ids_of(article: ArticleIds | Publication) -> tuple[str, ...]:
    """Return the identifiers of an article; values of different kinds are never equal."""
    return tuple(value for kind in _SHOWN if (value := str(getattr(article, kind))))


def links(article: ArticleIds | Publication) -> list[tuple[str, str]]:
    """Return each identifier as references print it, with the URL of its page; the best-known kind
    first.

    >>> links(ArticleIds(pmid="7", arxiv="2101.00001"))[1]
    ('arXiv 2101.00001', 'https://arxiv.org/abs/2101.00001')
    """
    links = []
    for kind, (name, url) in _SHOWN.items():
        value = str(getattr(article, kind))
        if value:
            links.append((name.format(value), url.format(quote(value, "/():;."))))
    return links


def find_ids(text: str) -> ArticleIds:
    """Return the first identifier of each kind in a text; bare numbers are ignored.

    >>> ids_of(find_ids("J Newts 2010;3:1-9 (doi:10.1234/NEWT(10)7). PMID: 23; PMC1234"))
    ('23', 'PMC1234', '10.1234/newt(10)7')
    """
    first: dict[str, str] = {}
    for kind, value in _identifiers(text):
        first.setdefault(kind, value)
    return ArticleIds(0, **first)


def listed_ids(text: str) -> IdList:
    """Return the articles named in a list with identifiers, or references that contain them, one
    per line.

    Identifiers of different kinds on one line belong to one article. A repeated article is listed
    once. Lines that begin with `#` are comments.
    """
    listed, without = dict[tuple[str, ...], ArticleIds](), list[int]()
    for number, line in _lines(text):
        articles: list[dict[str, str]] = [{}]
        for kind, value in _bare(line) or _identifiers(line):
            if articles[-1].get(kind, value) != value:
                articles.append({})
            articles[-1][kind] = value
        for article in filter(None, articles):
            made = ArticleIds(number, **article)
            listed.setdefault(ids_of(made), made)
        without += [number] * (not any(articles))
    return IdList(tuple(listed.values()), tuple(without))


def is_id_list(text: str) -> bool:
    """Return whether a text is a list of identifiers or of references with identifiers, rather than
    prose.

    A list of references needs two with identifiers, and identifiers in at least half; one bare
    identifier is a list.
    """
    lines = [line for _, line in _lines(text)]
    others = [line for line in lines if not _bare(line)]
    without = sum(not any(_identifiers(line)) for line in others)
    named = len(lines) - without
    listed = bool(lines and not others) or (named > 1 and named >= without)
    return listed and not _ABSTRACTS.search(text)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each line that is neither blank nor a comment."""
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.strip()


def _identifiers(text: str) -> Iterator[tuple[IdKind, str]]:
    text = _ESCAPED_SLASH.sub(r"\1/", text)
    for match in _NAMED.finditer(text):
        kind, value = match.lastgroup, match[match.lastgroup or 0]
        if kind == "doi":
            begin = text[max(0, match.start() - _LONGEST_ADDRESS) : match.start()]
            is_address = _ADDRESS.search(begin) is not None
            value = _trimmed(_without_tail(unquote(value), is_address=is_address)).lower()
            if arxiv := _ARXIV_DOI.fullmatch(value):
                yield "arxiv", arxiv[1]
            yield "doi", value
        elif kind == "pmid":
            if value := value.lstrip("0"):
                yield "pmid", value
        elif kind == "pmcid":
            yield "pmcid", value.upper()
        elif kind == "arxiv":
            yield "arxiv", value.lower()


def _bare(line: str) -> list[tuple[IdKind, str]]:
    """Return the identifiers of a line that holds nothing else, bare PMIDs included; empty for any
    other line.
    """
    identifiers: list[tuple[IdKind, str]] = []
    for token in _LABEL.sub(" ", _NUMBER.sub("", line.partition(" #")[0], count=1)).split():
        if bare := _BARE.fullmatch(token):
            identifiers.append(("pmid", bare[1]))
        elif named := list(_identifiers(token)):
            identifiers += named
        else:
            return []
    return identifiers


def _without_tail(doi: str, *, is_address: bool) -> str:
    """Remove what follows a DOI in the address of an article: the form of its text, and a query."""
    if is_address:
        doi = re.split(r"[?#&]|;jsession", doi, maxsplit=1)[0]
        doi = _FILE_TAIL.sub("", doi)
    return _TAIL.sub("", doi)


def _trimmed(doi: str) -> str:
    """Strip trailing punctuation from a DOI; a closing bracket only if the DOI does not open it."""
    while doi and (
        doi[-1] in ".,;:'’”*"
        or (doi[-1] in _CLOSES and doi.count(doi[-1]) > doi.count(_CLOSES[doi[-1]]))
    ):
        doi = doi[:-1]
    return doi
