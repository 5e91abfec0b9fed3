"""Article identifiers (PMID, PMCID, DOI and arXiv id) in lists and in references pasted from anywhere."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import quote, unquote

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
# In order of precedence where two matches begin at the same place. Old Wiley DOIs have a part in angle brackets.
_NAMED = re.compile(
    rf"""(?:\barxiv[:.]\s?|\barxiv\.org/(?:abs|pdf)/)(?P<arxiv>{_ARXIV})(?:v\d{{1,2}}(?:\.pdf)?\b)?
    |\b(?P<doi>10\.\d{{4,9}}/(?:[^\s"<>|]|<\d[^\s"<>|]{{1,40}}>){{1,200}})
    |(?:\bPMID:?\s{{0,3}}|\bPubMed:\s{{0,3}}|/pubmed/|pubmed\.ncbi\.nlm\.nih\.gov/|/MED/)(?P<pmid>\d{{1,8}})\b
    |\b(?P<pmcid>PMC\d{{3,9}})\b""",
    re.VERBOSE | re.IGNORECASE,
)
_ARXIV_DOI = re.compile(rf"10\.48550/arxiv\.({_ARXIV})", re.IGNORECASE)
_BARE = re.compile(r"(?:PMID[:#‐‑–-]?)?0{0,8}([1-9]\d{0,7})(?:(?<=\d{5})\.)?", re.IGNORECASE)
_LABEL = re.compile(r"[][,;\"]|(?<![\w./-])(?:doi|pmc?ids?)\b:?(?!\S)|(?<!\S)(?:and|&)(?!\S)", re.IGNORECASE)
_NUMBERED = re.compile(r"\s*(?:\[\d{1,4}\]|\(?\d{1,4}[.)])\s+\D")
_NUMBER = re.compile(r"(?:[•*·▪◦–-]\s{0,9})?(?:(?:\[\d{1,4}\]|\(?\d{1,4}[.)])\s+(?=\S))?")
# A separate number that is neither a year nor a page; the start of a DOI at a line end.
_PLAIN = re.compile(r"(?<!\S)\d{5,8}[.,;]?(?!\S)")
_CUT = re.compile(r"\b10\.\d{4,9}/.*$")
# End of a line whose identifier is on the next line.
_LABELLED = re.compile(r"\b(?:doi|pm(?:c?id|c)|pubmed):?$", re.IGNORECASE)
# Possible identifiers that no rule accepts.
_LIKELY = re.compile(r"(?<![\w./(-])[1-9]\d{6,11}(?![\w:/(-])|\b10\.\d{4,9}/(?!\S)")
_WRITE = "write PMID: before a PMID, and a DOI or PMCID in one piece"
_MOST_NAMED = 10
# Found in PubMed's "Abstract (text)" format, but not in reference lists.
_ABSTRACTS = re.compile(r"^(?:Author information:|PMID: \d{1,8} {2}\[)", re.MULTILINE)
_CLOSES = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class ArticleIds:
    """The identifiers of one article, empty where unknown, and the first line that names it, from 1."""

    line: int = 0
    pmid: str = ""
    pmcid: str = ""
    doi: str = ""
    arxiv: str = ""

    def __str__(self) -> str:
        """Return the article's first identifier."""
        return next((name for name, _ in links(self)), "")


class IdList(NamedTuple):
    """The articles named in a list, and doubtful entries that were not read, each with its line, from 1."""

    articles: tuple[ArticleIds, ...]
    doubts: tuple[tuple[int, str], ...]


def ids_of(article: ArticleIds | Publication) -> tuple[str, ...]:
    """Return the identifiers of an article; values of different kinds are never equal."""
    return tuple(value for kind in _SHOWN if (value := str(getattr(article, kind))))


def links(article: ArticleIds | Publication) -> list[tuple[str, str]]:
    """Return each identifier as references print it, with the URL of its page; the best-known kind first.

    >>> links(ArticleIds(pmid="7", arxiv="2101.00001"))[1]
    ('arXiv 2101.00001', 'https://arxiv.org/abs/2101.00001')
    """
    given = ((shown, str(getattr(article, kind))) for kind, shown in _SHOWN.items())
    return [(name.format(value), url.format(quote(value, "/():;."))) for (name, url), value in given if value]


def find_ids(text: str) -> ArticleIds:
    """Return the first identifier of each kind in a text; bare numbers are ignored.

    >>> ids_of(find_ids("J Newts 2010;3:1-9 (doi:10.1234/NEWT(10)7). PMID: 23; PMC1234"))
    ('23', 'PMC1234', '10.1234/newt(10)7')
    """
    found: dict[str, str] = {}
    for kind, value in _identifiers(text):
        found.setdefault(kind, value)
    return ArticleIds(0, **found)


def listed_ids(text: str) -> IdList:
    """Return the articles named in a list of identifiers, one per line, or of references that contain them.

    Identifiers of different kinds in one reference belong to one article. A repeated article is listed once.
    """
    found: dict[tuple[str, ...], ArticleIds] = {}
    doubts, without = list[tuple[int, str]](), list[int]()
    for line, entry, bare in _entries(text):
        articles: list[dict[str, str]] = [{}]
        for kind, value in bare or _identifiers(entry):
            if articles[-1].get(kind, value) != value:
                articles.append({})
            articles[-1][kind] = value
        for article in filter(None, articles):
            made = ArticleIds(line, **article)
            found.setdefault(ids_of(made), made)
        likely = [] if bare else _LIKELY.findall(_NAMED.sub(" ", entry))
        doubts += ((line, f"{each} looks like an identifier, but was not taken for one; {_WRITE}") for each in likely)
        without += [line] * (not any(articles) and not likely and _NUMBERED.match(entry) is not None)
    if without:
        named = ", ".join(map(str, without[:_MOST_NAMED])) + (", ..." if len(without) > _MOST_NAMED else "")
        doubts.append((without[0], f"references without an identifier: {len(without)}, on lines {named}"))
    return IdList(tuple(found.values()), tuple(doubts))


def is_id_list(text: str) -> bool:
    """Return whether a text is a list of identifiers or of references with identifiers, rather than prose.

    A list of references needs two with identifiers, and identifiers in at least half; one bare identifier is a list.
    """
    entries = list(_entries(text))
    bare = sum(bool(ids) for *_, ids in entries)
    named = bare + sum(not ids and next(_identifiers(entry), None) is not None for _, entry, ids in entries)
    listed = bool(bare and bare == len(entries)) or (named > 1 and 2 * named >= len(entries))
    return listed and not _ABSTRACTS.search(text)


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


def _bare(line: str) -> list[tuple[IdKind, str]]:
    """Return the identifiers of a line that holds nothing else, bare PMIDs included; empty for any other line."""
    found: list[tuple[IdKind, str]] = []
    for token in _LABEL.sub(" ", _NUMBER.sub("", line.partition(" #")[0], count=1)).split():
        if bare := _BARE.fullmatch(token):
            found.append(("pmid", bare[1]))
        elif named := list(_identifiers(token)):
            found += named
        else:
            return []
    return found


def _trimmed(doi: str) -> str:
    """Strip trailing punctuation from a DOI; a closing bracket only if the DOI does not open it."""
    while doi and (doi[-1] in ".,;:'’”*" or (doi[-1] in _CLOSES and doi.count(doi[-1]) > doi.count(_CLOSES[doi[-1]]))):
        doi = doi[:-1]
    return doi


def _entries(text: str) -> Iterator[tuple[int, str, list[tuple[IdKind, str]]]]:
    """Yield the first line and the text of each entry, and its identifiers if it holds nothing else.

    An entry is numbered, or set off by blank lines, or else a single line. Among multi-line entries, a line with only
    identifiers is a separate entry after a blank line, after another such line, or if a bare PMID on it has no label
    before it, on this line or at the end of the last. Lines that begin with `#` are comments.
    """
    lines = [line.strip() for line in text.removeprefix("\ufeff").splitlines()]
    for place, following in enumerate(lines[1:]):
        if rest := _rest_of_doi(lines[place], following):
            lines[place], lines[place + 1] = lines[place] + rest, following[len(rest) :].strip()
    read = [(line, _bare(line), bool(_NUMBERED.match(line))) for line in lines]
    numbered = any(begins for *_, begins in read)
    grouped = numbered or (any(len(line.split()) > 3 and not bare for line, bare, _ in read) and "" in lines[:-1])
    first, entry, alone, before = 0, list[str](), False, ""
    for number, (line, bare, begins) in enumerate(read, 1):
        if line.startswith("#"):
            continue
        labelled = grouped and _LABELLED.search(before) is not None
        own = alone or not (grouped and before) or _PLAIN.search(_NAMED.sub(" ", line)) is not None
        alone = bool(bare) and own and not labelled
        if entry and (alone or begins or not grouped or not (line or numbered)):
            yield first, " ".join(entry), []
            entry = []
        if alone:
            yield number, line, bare
        elif line:
            first = first if entry else number
            entry.append(line)
        before = line
    if entry:
        yield first, " ".join(entry), []


def _rest_of_doi(line: str, following: str) -> str:
    """Return the rest of a DOI that is broken at a line end, from the next line; empty if none is broken."""
    cut, rest = _CUT.search(line.rpartition(" ")[2]), following.partition(" ")[0]
    if not cut or _NUMBERED.match(following) or _NAMED.match(rest) or not any(map(str.isdigit, rest)):
        return ""
    doi = cut[0]
    opens = doi.count("(") > doi.count(")") or rest[0] in ".-_/" or (doi[-1] == "." and rest[0].islower())
    no_number = doi[-1] != "." or not any(map(str.isdigit, doi.partition("/")[2]))
    return rest if doi[-1] in "/(-_" or (opens and no_number and not _bare(rest)) else ""
