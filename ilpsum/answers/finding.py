"""Fetch records for a question from PubMed and Europe PMC, as files for the abstract readers."""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote_plus

from features.registry import Registry
from features.text import porter
from ilpsum.answers.alternatives import definitions, known_terms, mesh_names, synonyms
from ilpsum.answers.asked import INSTRUCTIONS
from ilpsum.answers.correcting import likely, may_be_mistyped
from ilpsum.answers.weights import asked_in, is_generic
from ilpsum.errors import UsageError, counted
from ilpsum.files.atomic import write_atomically, write_errors
from ilpsum.files.identifiers import ArticleIds, ids_of
from ilpsum.files.idf import load_idf
from ilpsum.files.progress import Tell
from ilpsum.literature.client import Patience
from ilpsum.literature.entrez import PubMed
from ilpsum.literature.europepmc import EuropePmc
from ilpsum.literature.services import Cache, Service, restricted
from ilpsum.pipeline.terms import UNSEARCHED
from ilpsum.pipeline.terms import terms as analysed
from ilpsum.records import ANY_BUT_RETRACTED, SourceFilter

# Maximum number of terms in a query; maximum number and minimum weight of those of which the
# loosest requires one.
MOST_TERMS, _SUBJECTS, _HEAVY = 8, 3, 5.0
# Bonus weights of a name and of a MeSH word; IDF of names that have none; maximum number of words
# in a name of MeSH.
NAME, MESH, _NO_TERMS, _LONGEST = 3.0, 2.0, 4.0, 4

# Words that give an instruction, or that fit any question.
_IDLE = INSTRUCTIONS | set(
    "use used using effect effects role known there cause causes help helps work works happen "
    "happens best".split()
)
# Stems of further words that narrow a search by chance.
_OPTIONAL = frozenset(
    map(
        porter,
        "act applications approval approved basis biological classes company components concept "
        "database "
        "drug ema essential expressed fda indications inhibit isolated located localized "
        "methodology molecule "
        "originate package partners phenomenon process product project responsible score side "
        "software "
        "structure trial".split(),
    )
)
_TERM = re.compile(r'"(?P<quoted>[^"]{1,200})"|(?P<word>[^\W_]+(?:[-‐‑–\'’.][^\W_]+)*)')
_POSSESSIVE = re.compile(r"['’]s$")
_UNSAFE = re.compile(r"[^\w\s'’.,/+-]+")


@dataclass(frozen=True, slots=True)
class Term:
    """A word, quoted phrase or name of MeSH in a question.

    Attributes:
        text: the term as it is sent.
        weight: the term with the largest weight is the subject.
        generic: whether it weighs less than all terms that are not: it narrows a search by chance.
    """

    text: str
    weight: float
    generic: bool = False


def queries(question: str, *, exact: bool = False) -> list[str]:
    """Return the queries for a question, the stricter one first; none if it has only stop words.

    The first requires the subject and any other term: the service's relevance puts records with
    several of them first. The second requires any of the first subjects. An abbreviation is
    searched beside its long form and, unless `exact`, a word that may be mistyped beside the word
    that it most likely stands for.

    >>> queries("Is bacloffen safe?")
    ['(bacloffen OR baclofen) AND safe', '(bacloffen OR baclofen)']
    >>> queries("Can valproate be used during pregnancy?")
    ['valproate AND pregnancy', 'valproate OR pregnancy']
    >>> queries("How many people with multiple sclerosis (MS) develop dementia?")[0]
    '("multiple sclerosis" OR MS) AND (dementia OR people OR develop)'
    """
    found = sorted(terms(question, exact=exact), key=lambda term: (term.generic, -term.weight))[
        :MOST_TERMS
    ]
    if not found:
        return []
    subject, *others = (term.text for term in found)
    any_other = f"({' OR '.join(others)})" if len(others) > 1 else "".join(others)
    heavy = [term.text for term in found if not term.generic and term.weight >= _HEAVY]
    loosest = " OR ".join(heavy[:_SUBJECTS]) or subject
    return list(dict.fromkeys([f"{subject} AND {any_other}" if others else subject, loosest]))


def terms(question: str, *, exact: bool = False) -> list[Term]:
    """Return the distinct terms of a question, in order; see `queries`.

    Of a case history, only the terms of its question can be subjects.
    """
    asked = asked_in(question)
    if asked != question:
        own = _terms(asked, exact=exact)
        if any(not term.generic for term in own):
            generic = (replace(term, generic=True) for term in _terms(question, exact=exact))
            return list({term.text: term for term in (*generic, *own)}.values())
    return _terms(question, exact=exact)


def _terms(text: str, *, exact: bool) -> list[Term]:
    mistyped, joined = frozenset() if exact else may_be_mistyped(text), dict[str, str]()
    for short, long in definitions(text):
        joined[short.lower()] = f'("{" ".join(_UNSAFE.sub(" ", long).split())}" OR {short})'
        defined = re.compile(rf"{re.escape(long)}\s*\({re.escape(short)}\)")
        text = f'"{short}"'.join(defined.split(text))
    found = dict[str, Term]()
    for here, opens in _parts(text):
        quoted, words = (
            " ".join(_UNSAFE.sub(" ", here[0]["quoted"] or "").split()),
            list(map(_word, here)),
        )
        lower = (quoted or " ".join(words)).lower()
        if quoted:
            term = Term(joined.get(lower, f'"{quoted}"'), _weight(quoted, name=True))
        elif len(words) > 1:
            weight, generic = (
                max(_weight(word, name=True) for word in words),
                all(map(_is_optional, words)),
            )
            term = Term(f"({' '.join(words)})", weight, generic)
        elif _is_idle(word := words[0]):
            continue
        else:
            name = any(c.isupper() or c.isdigit() for c in word[1:]) or (
                word[0].isupper() and not opens
            )
            other = likely(lower) if lower in mistyped else ""
            generic = (
                lower.isdecimal() or porter(lower) in _OPTIONAL or (is_generic(lower) and not name)
            )
            term = Term(
                f"({word} OR {other})" if other else word,
                _weight(other or word, name=name),
                generic,
            )
        found.setdefault(lower, term)
    return list(found.values())


def _parts(text: str) -> Iterator[tuple[Sequence[re.Match[str]], bool]]:
    """Yield each word or quotation, or the words of a name of MeSH; and whether it opens a
    sentence.
    """
    matches, place, end = list(_TERM.finditer(text)), 0, 0
    while place < len(matches):
        here = _named(matches[place : place + _LONGEST], text)
        yield here, not place or re.search(r"[.?!:]\s", text[end : here[0].start()]) is not None
        place, end = place + len(here), here[-1].end()


def _named(following: Sequence[re.Match[str]], text: str) -> Sequence[re.Match[str]]:
    """Return the first matches whose words are a name of MeSH; the first one alone if there are
    none.
    """
    for size in range(len(following), 1, -1):
        here = following[:size]
        words = list(map(_word, here))
        adjacent = all(text[one.end() : other.start()].isspace() for one, other in pairwise(here))
        if adjacent and not any(map(_is_idle, words)):
            name = " ".join(analysed(" ".join(words)))
            if name in mesh_names() or synonyms(name):
                return here
    return following[:1]


def _word(match: re.Match[str]) -> str:
    return _POSSESSIVE.sub("", match["word"] or "")


def _is_idle(word: str) -> bool:
    lower = word.lower()
    return lower in UNSEARCHED or lower in _IDLE or (len(word) < 2 and not word.isdigit())


def _is_optional(word: str) -> bool:
    return is_generic(word.lower()) or porter(word.lower()) in _OPTIONAL


def _weight(term: str, *, name: bool = False) -> float:
    parts = analysed(term)
    in_mesh = bool(parts) and known_terms().issuperset(parts)
    # Short names with digits, such as `p53`, have no terms.
    idf = load_idf()(term) or _NO_TERMS * any(map(str.isalpha, term))
    return idf + NAME * name + MESH * in_mesh


SERVICES: Registry[type[Service]] = Registry("service")
SERVICES.add("pubmed", PubMed)
SERVICES.add("europepmc", EuropePmc)

# Records fetched per question, and the number of hits at which the query is not relaxed further.
MOST, ENOUGH = 200, 100


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request to services: generated queries for a question, a query in a service's own language,
    or articles.

    Attributes:
        question: source of generated queries (`ilpsum.answers.finding`); it is not sent as a whole.
        query: sent instead, verbatim.
        ids: articles to look up instead.
        most: maximum records per service, the most relevant ones.
        enough: queries for a question are relaxed until a service finds this many records.
        restriction: filter of the search; that of journals and of retracted articles is not sent.
        exact: whether to search for the words of the question as written.
    """

    question: str = ""
    query: str = ""
    ids: Sequence[ArticleIds] = ()
    most: int = MOST
    enough: int = ENOUGH
    restriction: SourceFilter = ANY_BUT_RETRACTED
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
        query: the loosest query that was sent, with its restrictions: it finds all records; empty
            for articles.
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
    wanted: Wanted,
    services: Sequence[str],
    cache: Cache | None = None,
    patience: Patience | None = None,
) -> list[Finding]:
    """Fetch records from services, except those in the cache; an interrupted call resumes where it
    stopped.

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
        opened = {
            name: stack.enter_context(closing(SERVICES[name](cache, patience))) for name in services
        }
        if wanted.ids:
            return [
                _looked_up(name, service, wanted.ids, patience.tell)
                for name, service in opened.items()
            ]
        return [
            _found(name, service, wanted, asked, patience.tell) for name, service in opened.items()
        ]


def save(finding: Finding, out: str | Path) -> None:
    """Write records to a file; `IlpsumError` if that fails."""
    with write_errors(Path(out)), write_atomically(out) as stream:
        stream.writelines(SERVICES[finding.service].merged(finding.records))


def _found(
    name: str, service: Service, wanted: Wanted, asked: Sequence[str], tell: Tell
) -> Finding:
    records, notes, total, stricter = list[str](), list[str](), 0, ""
    for query in asked:
        shown, more = restricted(query, wanted.restriction, service), "more " * bool(stricter)
        tell(f"{service.name}: searching {shown}")
        # Exclude records that a stricter query has already found.
        whole = f"({query}) NOT ({stricter})" if stricter else query
        left = wanted.most - min(total, wanted.most)
        hits = service.search(restricted(whole, wanted.restriction, service), left)
        some = f", {left:,} fetched" * (hits.total > left)
        notes += [f"{service.name}: {shown}: {hits.total:,} {more}found{some}", *hits.notes]
        tell(notes[-1 - len(hits.notes)])
        records, total, stricter = [*records, *hits.records], total + hits.total, query
        if total >= min(wanted.enough, wanted.most):
            break
    files = _fetched(service, records, tell)
    number = sum(1 for path in files for _ in service.listed(path))
    return Finding(name, files, number, tuple(dict.fromkeys(notes)), query=shown, total=total)


def _looked_up(name: str, service: Service, ids: Sequence[ArticleIds], tell: Tell) -> Finding:
    tell(f"{service.name}: looking up {len(ids):,} articles")
    files = _fetched(service, service.look_up(ids), tell)
    listed = [each for path in files for each in service.listed(path)]
    have = {value for each in listed for value in ids_of(each)}
    missing = tuple(each for each in ids if have.isdisjoint(ids_of(each)))
    note = f"{service.name}: {len(listed):,} of {len(ids):,} articles fetched"
    return Finding(name, files, len(listed), (note,), missing)


def _fetched(service: Service, records: Sequence[str], tell: Tell) -> tuple[Path, ...]:
    files = list[Path]()
    for path in service.files(records):
        files.append(path)
        tell(f"{service.name}: fetching records, {counted(len(files), 'file')} so far")
    return tuple(files)
