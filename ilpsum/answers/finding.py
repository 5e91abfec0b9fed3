"""Fetch records for a question from PubMed and Europe PMC, as files for the abstract readers."""

import re
from collections.abc import Container, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote_plus

from features.registry import Registry
from ilpsum.answers.alternatives import (
    abbreviations,
    definitions,
    known_terms,
    mesh_names,
    synonyms,
)
from ilpsum.answers.correcting import SENTENCE_END, correction, may_be_mistyped
from ilpsum.answers.question_words import is_frequent, is_generic
from ilpsum.answers.weights import asked_in, in_background, is_history
from ilpsum.answers.wording import searchable
from ilpsum.errors import UsageError, counted
from ilpsum.files.atomic import write_atomically, write_errors
from ilpsum.files.identifiers import ArticleIds, ids_of
from ilpsum.files.idf import load_idf
from ilpsum.files.work import Tell
from ilpsum.literature.client import Patience
from ilpsum.literature.entrez import PubMed
from ilpsum.literature.europepmc import EuropePmc
from ilpsum.literature.services import Cache, Service, restricted
from ilpsum.pipeline.terms import UNSEARCHED
from ilpsum.pipeline.terms import terms as analysed
from ilpsum.records import ANY_BUT_RETRACTED, SourceFilter

# Maximum number of terms in a query; maximum number and minimum weight of those of which the
# loosest requires one.
MOST_TERMS, _SUBJECTS, _HEAVY = 8, 3, 3.7
# Bonus weights of a name and of a MeSH word; IDF of names that have none; maximum number of words
# in a name of MeSH.
NAME, MESH, _NO_TERMS, _LONGEST = 3.0, 2.0, 4.0, 4

# Words that fewer of a question's snippets hold are instructions (`list`), which are not sent.
_IDLE = 0.05
# Words that fewer hold narrow a search by chance.
_NARROW = 0.55
# IDF below which a word that says little (`used`) is in too many texts to narrow a search at all.
_COMMON = 1.7
# Least IDF of a name, the sum of that of its words, or of a part of one, that is hardly in other
# texts.
_RARE = 5.0
# `effects` alone is not sent.
_SIDE_EFFECTS = re.compile(r"\bside[- ]effects?\b", re.IGNORECASE)
# Words of politeness, in any case but capitals.
_POLITE = frozenset("bye cheers goodbye hello hey hi ok okay please sorry thank thanks yo".split())
# Words of one letter.
_WORDS = frozenset({"a", "I"})
# In questions on these, a lower-case word may be a gene's name.
_MOLECULES = re.compile(r"\b(?:genes?|proteins?)\b", re.IGNORECASE)
_TERM = re.compile(r'"(?P<quoted>[^"]{1,200})"|(?P<word>[^\W_]+(?:[-‐‑–\'’.][^\W_]+)*)')
_POSSESSIVE = re.compile(r"['’]s$")
_UNSAFE = re.compile(r"[^\w\s'’.,/+-]+")


@dataclass(frozen=True, slots=True)
class Term:
    """A word, quoted phrase or name of MeSH in a question.

    Attributes:
        text: the term as it is sent.
        weight: the term with the largest weight is the subject.
        generic: whether it ranks below all specific terms, as it narrows a search only by chance.
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
    >>> queries("Does vitamin D help a virus?")[0]
    '(vitamin D) AND virus'
    >>> queries("Can valproate be used during pregnancy?")
    ['valproate AND pregnancy', 'valproate OR pregnancy']
    >>> queries("My legs go numb.")[0]
    'numbness AND (legs OR go)'
    >>> queries("statins in ckd")[0]
    '("chronic kidney disease" OR ckd) AND statins'
    >>> queries("How many people with multiple sclerosis (MS) develop dementia?")[0]
    '("multiple sclerosis" OR MS) AND (dementia OR people OR develop)'
    """
    ranked = sorted(terms(question, exact=exact), key=lambda term: (term.generic, -term.weight))[
        :MOST_TERMS
    ]
    if not ranked:
        return []
    subject, *others = (term.text for term in ranked)
    any_other = f"({' OR '.join(others)})" if len(others) > 1 else "".join(others)
    heavy = [term.text for term in ranked if not term.generic and term.weight >= _HEAVY]
    loosest = " OR ".join(heavy[:_SUBJECTS]) or subject
    return list(dict.fromkeys([f"{subject} AND {any_other}" if others else subject, loosest]))


def terms(question: str, *, exact: bool = False) -> list[Term]:
    """Return the distinct terms of a question, in order; see `queries`.

    Of a case history, only the terms of its question can be subjects.
    """
    asked = asked_in(question)
    if is_history(question):
        specific = _terms(asked, exact=exact)
        if any(not term.generic for term in specific):
            generic = (replace(term, generic=True) for term in _terms(question, exact=exact))
            return list({term.text: term for term in (*generic, *specific)}.values())
    return _terms(asked if exact else searchable(asked), exact=exact)


def _terms(text: str, *, exact: bool) -> list[Term]:
    """Return the distinct terms of a text: quotations, names of several words, single words."""
    mistyped = frozenset[str]()
    if not exact:
        text = _SIDE_EFFECTS.sub("adverse", text)
        mistyped = may_be_mistyped(text)
    abbreviated = dict[str, str]()
    for short, long in definitions(text):
        abbreviated[short.lower()] = f'("{_plain(long)}" OR {short})'
        defined = re.compile(rf"{re.escape(long)}\s*\({re.escape(short)}\)")
        text = f'"{short}"'.join(defined.split(text))
    terms_by_text = dict[str, Term]()
    for matches, opens in _parts(text):
        words = [_word(match) for match in matches]
        if quoted := _plain(matches[0]["quoted"] or ""):
            text_sent = abbreviated.get(quoted.lower(), f'"{quoted}"')
            term = Term(text_sent, _weight(quoted, is_name=True))
        elif len(words) > 1:
            weight = max(_weight(word, is_name=True) for word in words)
            # Words that are frequent in questions may form a rare name: `multiple sclerosis`.
            is_rare = sum(map(load_idf(), words)) >= _RARE
            term = Term(
                f"({' '.join(words)})", weight, all(map(is_frequent, words)) and not is_rare
            )
        elif _is_idle(words[0]):
            continue
        else:
            word = words[0] if _MOLECULES.search(text) else _as_noun(words[0])
            term = _single(word, mistyped, opens)
        terms_by_text.setdefault((quoted or " ".join(words)).lower(), term)
    return list(terms_by_text.values())


def _single(word: str, mistyped: Container[str], opens: bool) -> Term:
    """Return the term of a word; `opens` says whether it opens a sentence, where capitals tell
    nothing.
    """
    lower = word.lower()
    long = abbreviations().get(lower, "")
    if " " in long:
        return Term(f'("{long}" OR {word})', _weight(word, is_name=True), is_frequent(lower))
    if long:
        return replace(_single(long, mistyped, opens), text=f"({long} OR {word})")
    marked = any(c.isupper() or c.isdigit() for c in word[1:])
    is_name = marked or (word[0].isupper() and not opens)
    says_little = is_generic(lower, _NARROW) and not (is_name or _is_subject(word))
    generic = lower.isdecimal() or is_frequent(lower) or says_little
    if lower == "adverse":
        return Term('(adverse OR "side effects")', _weight(word, is_name=is_name), generic)
    other = correction(lower) if lower in mistyped else ""
    text = f"({word} OR {other})" if other else word
    return Term(text, _weight(other or word, is_name=is_name), generic)


def _is_subject(word: str) -> bool:
    """Whether a word is the name of a disease, drug, organism or group of people, or a rare part of
    one: `lupus`.
    """
    parts = analysed(word)
    is_part = known_terms().issuperset(parts) and load_idf()(word) >= _RARE
    return is_part or not mesh_names().isdisjoint(parts)


def _as_noun(word: str) -> str:
    """Return the noun of a lower-case adjective that texts have only as a noun: services would
    find the protein Numb for `numb`.
    """
    noun = f"{word}ness"
    is_adjective = word.islower() and not in_background(word) and in_background(noun)
    return noun if is_adjective else word


def _parts(text: str) -> Iterator[tuple[Sequence[re.Match[str]], bool]]:
    """Yield each word or quotation, or the words of a name of MeSH; and whether it opens a
    sentence.
    """
    matches, place, end = list(_TERM.finditer(text)), 0, 0
    while place < len(matches):
        name = _named(matches[place : place + _LONGEST], text)
        opens = not place or SENTENCE_END.search(text, end, name[0].start()) is not None
        yield name, opens
        place, end = place + len(name), name[-1].end()


def _named(following: Sequence[re.Match[str]], text: str) -> Sequence[re.Match[str]]:
    """Return the first matches whose words are a name of MeSH; the first one alone if there are
    none.
    """
    for size in range(len(following), 1, -1):
        matches = following[:size]
        words = [_word(match) for match in matches]
        gaps = (text[one.end() : other.start()] for one, other in pairwise(matches))
        # A single letter is idle, but not in `vitamin D`.
        whole = [words[0], *(word for word in words[1:] if len(word) > 1 or word in _WORDS)]
        if any(map(_is_idle, whole)) or not all(map(str.isspace, gaps)):
            continue
        name = " ".join(analysed(" ".join(words)))
        if name in mesh_names() or synonyms(name):
            return matches
    return following[:1]


def _word(match: re.Match[str]) -> str:
    return _POSSESSIVE.sub("", match["word"] or "")


def _plain(text: str) -> str:
    """Return a phrase without characters that have a meaning in queries."""
    return " ".join(_UNSAFE.sub(" ", text).split())


def _is_idle(word: str) -> bool:
    """Whether a word is not worth sending: a stop word, a letter, a polite word, one that answers
    leave out, or a common one that says little.
    """
    lower = word.lower()
    if lower in _POLITE and not word.isupper():
        return True
    if lower in UNSEARCHED or (len(word) < 2 and not word.isdigit()):
        return True
    is_common = is_generic(lower) and load_idf()(lower) < _COMMON
    return is_common or is_generic(lower, _IDLE)


def _weight(term: str, *, is_name: bool) -> float:
    parts = analysed(term)
    in_mesh = bool(parts) and known_terms().issuperset(parts)
    weight = load_idf()(term)
    if not weight and any(map(str.isalpha, term)):
        # Short names with digits, such as `p53`, have no terms.
        weight = _NO_TERMS
    if is_name:
        weight += NAME
    if in_mesh:
        weight += MESH
    return weight


SERVICES: Registry[type[Service]] = Registry("service")
SERVICES.add("pubmed", PubMed)
SERVICES.add("europepmc", EuropePmc)

# Records fetched per question.
MOST = 200


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request to services: generated queries for a question, a query in a service's own language,
    or articles.

    Attributes:
        question: source of generated queries (`ilpsum.answers.finding`); it is not sent as a whole.
        query: sent instead, verbatim.
        ids: articles to look up instead.
        most: maximum records per service, the most relevant ones; queries for a question are
            relaxed until a service finds half as many.
        restriction: filter of the search; that of journals and of retracted articles is not sent.
        exact: whether to search for the words of the question as written.
    """

    question: str = ""
    query: str = ""
    ids: Sequence[ArticleIds] = ()
    most: int = MOST
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
    stopped. Nothing is sent, and nothing found, for a question without a word to search for.

    Args:
        wanted: what to request.
        services: names in `SERVICES`.
        cache: cache of responses; by default the user's cache, with responses of the last 30 days.
        patience: how long to wait: for a question in all, otherwise for each request.

    Raises:
        ServiceError: a service cannot be reached, refuses, or does not return what was requested.
        UsageError: a service cannot be used here.
        UnknownNameError: no such service.
    """
    if wanted.query.encode("utf-8", "replace").decode() != wanted.query:
        raise UsageError("the query is not valid UTF-8; type it again")
    asked = [wanted.query] if wanted.query else queries(wanted.question, exact=wanted.exact)
    if not asked and not wanted.ids:
        return []
    cache, patience = cache or Cache(), patience or Patience()
    if wanted.question:
        patience = patience.in_all()
    findings = []
    try:
        for name, kind in [(name, SERVICES[name]) for name in services]:
            with closing(kind(cache, patience)) as service:
                if wanted.ids:
                    findings.append(_looked_up(name, service, wanted.ids, patience.tell))
                else:
                    findings.append(_found(name, service, wanted, asked, patience.tell))
    finally:
        patience.tell("")
    return findings


def save(finding: Finding, out: str | Path) -> None:
    """Write records to a file; `IlpsumError` if that fails."""
    with write_errors(Path(out)), write_atomically(out) as stream:
        stream.writelines(SERVICES[finding.service].merged(finding.records))


def _found(
    name: str,
    service: Service,
    wanted: Wanted,
    asked: Sequence[str],
    tell: Tell,
) -> Finding:
    """Search a service with one query after the other, the strictest first, until half of the
    wanted records are found.
    """
    records, notes, total, stricter = list[str](), list[str](), 0, ""
    for query in asked:
        shown = restricted(query, wanted.restriction, service)
        more = "more " if total else ""
        tell(f"{service.name}: searching {shown}")
        # Exclude records that a stricter query has already found.
        whole = f"({query}) NOT ({stricter})" if stricter else query
        most = max(0, wanted.most - total)
        hits = service.search(restricted(whole, wanted.restriction, service), most)
        some = f", {most:,} fetched" if hits.total > most else ""
        notes += [f"{service.name}: {shown}: {hits.total:,} {more}found{some}", *hits.notes]
        tell(notes[-1 - len(hits.notes)])
        records += hits.records
        total += hits.total
        stricter = query
        if total >= wanted.most // 2:
            break
    files = _fetched(service, records, tell)
    number = sum(1 for path in files for _ in service.listed(path))
    return Finding(
        name,
        files,
        number,
        tuple(dict.fromkeys(notes)),
        query=shown,
        total=total,
    )


def _looked_up(name: str, service: Service, ids: Sequence[ArticleIds], tell: Tell) -> Finding:
    tell(f"{service.name}: looking up {len(ids):,} articles")
    files = _fetched(service, service.look_up(ids), tell)
    listed = [record for path in files for record in service.listed(path)]
    have = {value for record in listed for value in ids_of(record)}
    missing = tuple(record for record in ids if have.isdisjoint(ids_of(record)))
    note = f"{service.name}: {len(listed):,} of {len(ids):,} articles fetched"
    return Finding(name, files, len(listed), (note,), missing)


def _fetched(service: Service, records: Sequence[str], tell: Tell) -> tuple[Path, ...]:
    files = list[Path]()
    for path in service.files(records):
        files.append(path)
        tell(f"{service.name}: fetching records, {counted(len(files), 'file')} so far")
    return tuple(files)
