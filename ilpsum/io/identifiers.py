"""Identifiers of articles: PMID, PMCID, DOI and arXiv id, in lists and in references pasted from anywhere."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, Protocol
from urllib.parse import quote, unquote

IdKind = Literal["pmid", "pmcid", "doi", "arxiv"]
# How references print each identifier, and the address of the article's page.
_SHOWN: dict[IdKind, tuple[str, str]] = {
    "pmid": ("PMID {}", "https://pubmed.ncbi.nlm.nih.gov/{}/"),
    "pmcid": ("{}", "https://pmc.ncbi.nlm.nih.gov/articles/{}/"),
    "doi": ("DOI {}", "https://doi.org/{}"),
    "arxiv": ("arXiv {}", "https://arxiv.org/abs/{}"),
}
_ARXIV = r"\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[A-Z]{2})?/\d{7}"
# In the order in which they count where two begin at one place. A bare number is a PMID only where nothing else is. Old
# DOIs of Wiley have a part in angle brackets.
_NAMED = re.compile(
    rf"""(?:\barxiv[:.]\s?|\barxiv\.org/(?:abs|pdf)/)(?P<arxiv>{_ARXIV})(?:v\d{{1,2}}(?:\.pdf)?\b)?
    |\b(?P<doi>10\.\d{{4,9}}/(?:[^\s"<>|]|<\d[^\s"<>|]{{1,40}}>){{1,200}})
    |(?:\bPMID:?\s{{0,3}}|/pubmed/|pubmed\.ncbi\.nlm\.nih\.gov/|/MED/)(?P<pmid>\d{{1,8}})\b
    |\b(?P<pmcid>PMC\d{{3,9}})\b""",
    re.VERBOSE | re.IGNORECASE,
)
_ARXIV_DOI = re.compile(rf"10\.48550/arxiv\.({_ARXIV})", re.IGNORECASE)
_BARE = re.compile(r"(?:PMID:?)?0{0,8}([1-9]\d{0,7})", re.IGNORECASE)
_LABEL = re.compile(r"[][,;\"]|\b(?:doi|pmc?id)\b:?(?!\S)", re.IGNORECASE)
_NUMBERED = re.compile(r"\s*(?:\[\d{1,4}\]|\(?\d{1,4}[.)])\s+\D")
_CLOSES = {")": "(", "]": "[", "}": "{"}


class HasIds(Protocol):
    """What has the identifiers of an article, each empty where unknown."""

    @property
    def pmid(self) -> str: ...  # noqa: D102
    @property
    def pmcid(self) -> str: ...  # noqa: D102
    @property
    def doi(self) -> str: ...  # noqa: D102
    @property
    def arxiv(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class ArticleIds:
    """The identifiers of one article, empty where unknown, and the line that names it first, from 1."""

    line: int = 0
    pmid: str = ""
    pmcid: str = ""
    doi: str = ""
    arxiv: str = ""

    def __str__(self) -> str:
        """Name the article by the first identifier that it has."""
        return next((name for name, _ in links(self)), "")


def ids_of(article: HasIds) -> tuple[str, ...]:
    """Return the identifiers that an article has; those of different kinds are never equal."""
    return tuple(value for kind in _SHOWN if (value := str(getattr(article, kind))))


def links(article: HasIds) -> list[tuple[str, str]]:
    """Return each identifier as references print it, with the address of its page; the best known first.

    >>> links(ArticleIds(pmid="7", arxiv="2101.00001"))[1]
    ('arXiv 2101.00001', 'https://arxiv.org/abs/2101.00001')
    """
    given = ((shown, str(getattr(article, kind))) for kind, shown in _SHOWN.items())
    return [(name.format(value), url.format(quote(value, "/():;."))) for (name, url), value in given if value]


def find_ids(text: str) -> ArticleIds:
    """Return the first identifier of each kind that a text names; a bare number is none.

    >>> ids_of(find_ids("J Newts 2010;3:1-9 (doi:10.1234/NEWT(10)7). PMID: 23; PMC1234"))
    ('23', 'PMC1234', '10.1234/newt(10)7')
    """
    found: dict[str, str] = {}
    for kind, value in _identifiers(text):
        found.setdefault(kind, value)
    return ArticleIds(0, **found)


def listed_ids(text: str) -> list[ArticleIds]:
    """Return the articles that a list names: identifiers one a line, or references that contain them.

    Several identifiers of different kinds in one reference are of one article. An article named twice counts once.
    """
    found: dict[tuple[str, ...], ArticleIds] = {}
    for line, entry in _entries(text):
        articles: list[dict[str, str]] = [{}]
        for kind, value in _bare(entry) or _identifiers(entry):
            if articles[-1].get(kind, value) != value:
                articles.append({})
            articles[-1][kind] = value
        for article in filter(None, articles):
            made = ArticleIds(line, **article)
            found.setdefault(ids_of(made), made)
    return list(found.values())


def is_id_list(text: str) -> bool:
    """Return whether a text is a list of identifiers or of references that have them, and not prose.

    Of two references or more, at least half have an identifier; identifiers alone, without a reference, may be one.
    """
    entries = [entry for _, entry in _entries(text)]
    bare = sum(bool(_bare(entry)) for entry in entries)
    named = bare + sum(not _bare(entry) and next(_identifiers(entry), None) is not None for entry in entries)
    return (bare and bare == len(entries)) or (named > 1 and 2 * named >= len(entries))


def as_doi(text: str) -> str:
    """Return the DOI in a text, in lower case and without the punctuation after it; empty if there is none."""
    return find_ids(text).doi


def _identifiers(text: str) -> Iterator[tuple[IdKind, str]]:
    for match in _NAMED.finditer(text):
        kind, value = match.lastgroup, match[match.lastgroup or 0]
        if kind == "doi":
            value = _trimmed(unquote(value)).lower()
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


def _bare(entry: str) -> list[tuple[IdKind, str]]:
    """Return the identifiers of an entry that has nothing else, bare PMIDs among them; none of any other entry."""
    found: list[tuple[IdKind, str]] = []
    for token in _LABEL.sub(" ", entry.partition(" #")[0]).split():
        if bare := _BARE.fullmatch(token):
            found.append(("pmid", bare[1]))
        elif named := list(_identifiers(token)):
            found += named
        else:
            return []
    return found


def _trimmed(doi: str) -> str:
    """Return a DOI without the punctuation that follows it: a bracket only if none in the DOI opens it."""
    while doi and (doi[-1] in ".,;:'’”*" or (doi[-1] in _CLOSES and doi.count(doi[-1]) > doi.count(_CLOSES[doi[-1]]))):
        doi = doi[:-1]
    return doi


def _entries(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first line and the text of each entry: numbered, or between blank lines, or else each line.

    Lines that begin with `#` are comments.
    """
    lines = [(n, line.strip()) for n, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1)]
    lines = [(n, line) for n, line in lines if not line.startswith("#")]
    begins = [bool(_NUMBERED.match(line)) for _, line in lines]
    apart = any(begins) or any(len(line.split()) > 3 and not _bare(line) for _, line in lines)
    blank = any(not line for _, line in lines[:-1]) and apart
    count, numbers = 0, list[int]()
    for (_, line), begin in zip(lines, begins, strict=True):
        count += begin or not line or not (any(begins) or blank)
        numbers.append(count)
    for _, group in groupby(zip(lines, numbers, strict=True), key=lambda each: each[1]):
        entry = [line for line, _ in group if line[1]]
        if entry:
            yield entry[0][0], " ".join(line for _, line in entry)
