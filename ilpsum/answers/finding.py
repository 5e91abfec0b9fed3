"""Fetch records for a question from PubMed and Europe PMC, as files for the abstract readers."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote_plus

from features.registry import Registry
from features.text import STOP_WORDS
from ilpsum.answers.alternatives import definitions, known_terms
from ilpsum.answers.answering import INSTRUCTIONS
from ilpsum.answers.client import Patience
from ilpsum.answers.correcting import likely, may_be_mistyped
from ilpsum.answers.europepmc import EuropePmc
from ilpsum.answers.pubmed import PubMed
from ilpsum.answers.services import Cache, Hits, Restriction, Service
from ilpsum.answers.weights import is_generic
from ilpsum.errors import UsageError
from ilpsum.files.atomic import write_atomically, write_errors
from ilpsum.files.identifiers import ArticleIds, ids_of
from ilpsum.files.idf import load_idf
from ilpsum.files.progress import Tell
from ilpsum.pipeline.terms import terms as analysed

# Maximum number of terms in a query.
MOST_TERMS = 8
# Bonus weights of a name and of a MeSH word.
NAME, MESH = 3.0, 2.0

# Words that give an instruction, or that fit any question.
_IDLE = INSTRUCTIONS | set(
    "use used using effect effects role known there cause causes help helps work works happen happens best".split()
)
_TERM = re.compile(r'"(?P<quoted>[^"]{1,200})"|(?P<word>[^\W_]+(?:[-‐‑–\'’.][^\W_]+)*)')
_POSSESSIVE = re.compile(r"['’]s$")
_UNSAFE = re.compile(r"[^\w\s'’.,/+-]+")


@dataclass(frozen=True, slots=True)
class Term:
    """A word or quoted phrase of a question.

    Attributes:
        text: the term as it is sent.
        place: position in the question; positions of adjacent words differ by one.
        weight: terms with the least weight are dropped first.
        generic: whether the term is dropped before all others that are not.
    """

    text: str
    place: int
    weight: float
    generic: bool = False

    @property
    def rank(self) -> tuple[bool, float, int]:
        """Sorts terms; the last are dropped first."""
        return self.generic, -self.weight, self.place


def queries(question: str, *, exact: bool = False) -> list[str]:
    """Return the queries for a question, from the strictest to the loosest; none if it has only stop words.

    An abbreviation is searched beside its long form and, unless `exact`, a word that may be mistyped beside the word
    that it most likely stands for.

    >>> queries("Is bacloffen safe?")
    ['(bacloffen OR baclofen) safe', '(bacloffen OR baclofen)']
    >>> queries("Is tuberous sclerosis complex (TSC) inherited?")[-1]
    '("tuberous sclerosis complex" OR TSC) OR inherited'
    >>> queries("Can valproate be used during pregnancy?")
    ['valproate AND pregnancy', 'valproate OR pregnancy']
    >>> queries("How does gentamicin kill kidney cells?")[:2]
    ['gentamicin kill kidney cells', 'gentamicin kill kidney']
    """
    found = sorted(terms(question, exact=exact), key=lambda term: term.rank)[:MOST_TERMS]
    telling = [term for term in found if not term.generic] or found
    sizes = dict.fromkeys((len(found), *range(len(telling), 1, -1)))
    loosest = " OR ".join(term.text for term in _in_order(telling[:2]))
    return [*(_joined(_in_order(found[:size])) for size in sizes if size > 1), *filter(None, [loosest])]


def terms(question: str, *, exact: bool = False) -> list[Term]:
    """Return the distinct terms of a question, in order; see `queries`."""
    mistyped, named = frozenset() if exact else may_be_mistyped(question), dict[str, str]()
    for short, long in definitions(question):
        named[short.lower()] = f'("{" ".join(_UNSAFE.sub(" ", long).split())}" OR {short})'
        question = question.replace(f"{long} ({short})", f'"{short}"')
    found, place, end, opens = dict[str, Term](), 0, -1, True
    for match in _TERM.finditer(question):
        between = question[end : match.start()] if end >= 0 else question[: match.start()]
        opens = end < 0 or re.search(r"[.?!:]\s", between) is not None
        # Adjacent words have only white space between them.
        place, end = place + (1 if end >= 0 and between.isspace() else 2), match.end()
        if quoted := " ".join(_UNSAFE.sub(" ", match["quoted"] or "").split()):
            place += 1
            text = named.get(quoted.lower(), f'"{quoted}"')
            found.setdefault(quoted.lower(), Term(text, place, _weight(quoted, name=True)))
            place += 1
        elif word := _POSSESSIVE.sub("", match["word"] or ""):
            lower, letter = word.lower(), len(word) == 1 and not word.isdigit()
            if lower in STOP_WORDS or lower in _IDLE or letter:
                place += 1
                continue
            name = any(c.isupper() or c.isdigit() for c in word[1:]) or (word[0].isupper() and not opens)
            other = likely(lower) if lower in mistyped else ""
            text = f"({word} OR {other})" if other else word
            generic = lower.isdecimal() or (is_generic(lower) and not name)
            found.setdefault(lower, Term(text, place, _weight(other or word, name=name), generic))
    return list(found.values())


def _weight(term: str, *, name: bool) -> float:
    parts = analysed(term)
    in_mesh = bool(parts) and known_terms().issuperset(parts)
    return load_idf()(term) + NAME * name + MESH * in_mesh


def _in_order(found: Iterable[Term]) -> list[Term]:
    return sorted(found, key=lambda term: term.place)


def _joined(found: list[Term]) -> str:
    pairs = zip([None, *found], found, strict=False)
    return "".join(
        term.text if before is None else (" " if term.place == before.place + 1 else " AND ") + term.text
        for before, term in pairs
    )


SERVICES: Registry[type[Service]] = Registry("service")
SERVICES.add("pubmed", PubMed)
SERVICES.add("europepmc", EuropePmc)

# Records fetched per question, and the number of hits at which the query is not relaxed further.
MOST, ENOUGH = 200, 100


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request to services: generated queries for a question, a query in a service's own language, or articles.

    Attributes:
        question: source of generated queries (`ilpsum.answers.finding`); it is not sent as a whole.
        query: sent instead, verbatim.
        ids: articles to look up instead.
        most: maximum records per service, the most relevant ones.
        enough: queries for a question are relaxed until a service finds this many records.
        restriction: filter of the search.
        exact: whether to search for the words of the question as written.
    """

    question: str = ""
    query: str = ""
    ids: Sequence[ArticleIds] = ()
    most: int = MOST
    enough: int = ENOUGH
    restriction: Restriction = field(default_factory=Restriction)
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """Records from a service, as files of the cache, for the abstract readers.

    Attributes:
        service: name in `SERVICES`.
        records: files of records.
        number: number of records.
        notes: the queries and their results, one line each.
        missing: requested articles that the service does not have.
        query: the loosest query that was sent, with its restrictions: it finds all records; empty for articles.
        total: the number of records that match it.
    """

    service: str
    records: tuple[Path, ...]
    number: int
    notes: tuple[str, ...]
    missing: tuple[ArticleIds, ...] = ()
    query: str = ""
    total: int = 0

    @property
    def page(self) -> str:
        """The address of the service's own page with the results of the query."""
        return f"{SERVICES[self.service].page}{quote_plus(self.query)}"


def find(
    wanted: Wanted, services: Sequence[str], cache: Cache | None = None, patience: Patience | None = None
) -> list[Finding]:
    """Fetch records from services, except those in the cache; an interrupted call resumes where it stopped.

    Args:
        wanted: what to request.
        services: names in `SERVICES`.
        cache: cache of responses; by default the user's cache, with responses of the last 30 days.
        patience: how long to wait: for a question in all, otherwise for each request.

    Raises:
        ServiceError: a service cannot be reached, refuses, or does not return what was requested.
        UsageError: there is nothing to search for, or a service cannot be used here.
        UnknownNameError: no such service.
    """
    if wanted.query.encode("utf-8", "replace").decode() != wanted.query:
        raise UsageError("the query is not valid UTF-8; type it again")
    asked = [wanted.query] if wanted.query else queries(wanted.question, exact=wanted.exact)
    if not asked and not wanted.ids:
        raise UsageError("the question has no word to search for; rephrase it, or give --query")
    cache, patience = cache or Cache(), patience or Patience()
    if wanted.question:
        patience = patience.in_all()
    with ExitStack() as stack:
        stack.callback(patience.tell, "")
        opened = {name: stack.enter_context(closing(SERVICES[name](cache, patience))) for name in services}
        if wanted.ids:
            return [_looked_up(name, service, wanted.ids, patience.tell) for name, service in opened.items()]
        return [_found(name, service, wanted, asked, patience.tell) for name, service in opened.items()]


def save(finding: Finding, out: str | Path) -> None:
    """Write records to a file; `IlpsumError` if that fails."""
    with write_errors(Path(out)), write_atomically(out) as stream:
        stream.writelines(SERVICES[finding.service].merged(finding.records))


def _found(name: str, service: Service, wanted: Wanted, asked: Sequence[str], tell: Tell) -> Finding:
    files, notes, total, number, stricter = list[Path](), list[str](), 0, 0, ""
    for query in asked:
        shown, more = wanted.restriction(query, service), "more " * bool(stricter)
        tell(f"{service.name}: searching {shown}")
        # Exclude records that a stricter query has already found.
        whole = f"({query}) NOT ({stricter})" if stricter else query
        hits = service.search(wanted.restriction(whole, service), wanted.most - number)
        new = list(_fetched(service, hits, f"{hits.total:,} {more}found", tell))
        fetched = sum(1 for path in new for _ in service.listed(path))
        some = f", {fetched:,} fetched" * (fetched != hits.total)
        notes += [f"{service.name}: {shown}: {hits.total:,} {more}found{some}", *hits.notes]
        files, total, number, stricter = [*files, *new], total + hits.total, number + fetched, query
        if total >= wanted.enough or number >= wanted.most:
            break
    return Finding(name, tuple(files), number, tuple(notes), query=shown, total=total)


def _looked_up(name: str, service: Service, ids: Sequence[ArticleIds], tell: Tell) -> Finding:
    tell(f"{service.name}: looking up {len(ids):,} articles")
    hits = service.look_up(ids)
    files = tuple(_fetched(service, hits, f"{hits.total:,} found", tell))
    listed = [each for path in files for each in service.listed(path)]
    have = {value for each in listed for value in ids_of(each)}
    missing = tuple(each for each in ids if have.isdisjoint(ids_of(each)))
    note = f"{service.name}: {len(listed):,} of {len(ids):,} articles fetched"
    return Finding(name, files, len(listed), (note,), missing)


def _fetched(service: Service, hits: Hits, found: str, tell: Tell) -> Iterator[Path]:
    for number, path in enumerate(hits.files, 1):
        tell(f"{service.name}: {found}, file {number:,} of {hits.batches:,} fetched")
        yield path
