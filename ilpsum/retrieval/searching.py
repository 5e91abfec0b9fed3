"""Find the abstracts that answer a question best, by BM25 (`features.retrieval`) over all given files.

The collection is the abstracts of all given files, their terms those of `ilpsum.retrieval.analysis`. A term of the
query occurs in an abstract as often as it does itself, plus the factor times the occurrences of the best of its
alternatives (`ilpsum.retrieval.queries`); an alternative of several terms occurs as often as the rarest of them.

Candidates are the best abstracts by an estimate, in which lengths are rounded as an index rounds them and an
alternative counts a constant. They are then scored as above, with counts over all files: what is found, and its score,
depends on the given files only, however many indexes they are in.
"""

import math
import sys
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from heapq import nlargest, nsmallest
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, TypeAlias

from features.retrieval import B, idf, term_scores
from ilpsum.corpora.pubmed import number_of
from ilpsum.errors import UsageError
from ilpsum.records import Alternative, Document
from ilpsum.retrieval.analysis import DEFINED, IDENTITY, TERMS, identity
from ilpsum.retrieval.files import by_precedence, open_files, reopen_files, warnings_of
from ilpsum.retrieval.indexing import FileIndex, Watch, default_folder, file_number, index_in_memory, unwatched
from ilpsum.retrieval.opened import OpenIndex, Place, term_query
from ilpsum.retrieval.packing import Head, Packing, between_spaces
from ilpsum.retrieval.queries import Query

# An index rounds lengths and scores: rescore this multiple of the abstracts wanted, and at least this many.
_WIDER, _LEAST = 5, 100
# Abstracts that are asked for the other form of an abbreviation.
_DEFINING = 100
# A score of an index is a number of 32 bits.
_NEARLY = 1 - 1e-5

Only: TypeAlias = Container[str] | None
"""The ids that may be found; None for all."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A document found by a search, and its BM25."""

    document: Document
    score: float


@dataclass(frozen=True, slots=True)
class SearchHits:
    """The result of a search.

    Attributes:
        hits: by descending BM25, ties by ascending PMID, other ids last.
        weights: q(t) IDF(t) of each term of the question, in order.
        holding: the number of abstracts that contain each term in any form.
        coverage: the share of the weights whose terms the first hit contains in any form, in [0,1].
        words: the word of each term, as in the question, lower-cased.
        alternatives: other forms of the words, whose terms abstracts contain.
    """

    hits: tuple[Hit, ...]
    weights: dict[str, float]
    holding: dict[str, int]
    coverage: float
    words: dict[str, str]
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True)
class _Wanted:
    """What abstracts are scored for.

    Attributes:
        weights: q(t) IDF(t) of each known term.
        alternatives: each with the terms that it may replace.
    """

    weights: dict[str, float]
    alternatives: tuple[tuple[tuple[str, ...], Alternative], ...]

    @cached_property
    def keys(self) -> dict[str, bytes]:
        """All terms that count, as heads have them."""
        return between_spaces(frozenset(self.weights).union(*(each.terms for _, each in self.alternatives)))

    def frequencies(self, counts: Mapping[str, int]) -> dict[str, float]:
        """Return the occurrences of each term in a text, in any form, given those of all terms that count."""
        best: dict[str, float] = {}
        for own, alternative in self.alternatives:
            if times := min(counts[term] for term in alternative.terms):
                for term in own:
                    best[term] = max(best.get(term, 0.0), alternative.factor * times)
        return {term: counts[term] + best.get(term, 0.0) for term in self.weights}

    def constant(self, own: Sequence[str], alternative: Alternative) -> float:
        """Return the estimated score of an alternative, however often it occurs."""
        return alternative.factor * math.fsum(self.weights[term] for term in own)

    def score(self, counts: Mapping[str, int], share: float) -> float:
        """Return the score of a text, given its counts and its length as a share of the mean length."""
        length = B * share
        held = ((self.weights[term], times) for term, times in self.frequencies(counts).items() if times)
        return math.fsum(term_scores(times, length, weight) for weight, times in held)

    def estimate(self, counts: Mapping[str, int], share: float) -> float:
        """Return about the score of a text, as an index has it."""
        own = (term_scores(float(counts[term]), B * share, weight) for term, weight in self.weights.items())
        forms = (self.constant(own, each) for own, each in self.alternatives if all(map(counts.get, each.terms)))
        return math.fsum((*own, *forms))


class _Candidate(NamedTuple):
    """An abstract that may be found.

    Attributes:
        opened: the number of its index.
        place: its place there.
        head: its id, and what it is scored by.
        rank: of abstracts with one id the one with the least rank counts.
        counts: of each term that counts.
    """

    opened: int
    place: Place
    head: Head
    rank: tuple[int, int]
    counts: Mapping[str, int]


class AbstractSearch:
    """A search over files of abstracts, which are indexed if needed.

    Of a repeated id the first one counts; of those in PubMed's own files (`pubmed26n0001.xml.gz`) the newest, which is
    in the file of the highest number, unless such a file withdraws it. Counts of words are those of all abstracts.

    Args:
        files: of abstracts (`ilpsum.corpora.abstracts`).
        folder: the folder of the indexes; `default_folder()` if None.
        watch: passes on the abstracts as they are indexed, to show progress.
        only: the PMIDs that may be found; None for all.

    Raises:
        InputError: a file cannot be read.
        IlpsumError: the folder cannot be written.
        UsageError: no files.
    """

    def __init__(
        self, files: Sequence[str | Path], folder: str | Path | None = None, watch: Watch = unwatched, only: Only = None
    ) -> None:
        if not files:
            raise UsageError("nothing to search; name files of abstracts")
        folder = Path(folder) if folder is not None else default_folder()
        found, indexes, notes = open_files(files, folder, watch)
        self.warnings: tuple[str, ...] = (*warnings_of(found), *notes)
        """Warnings about the files."""
        self._setup_files(found, indexes, only)

    def _setup_files(self, files: tuple[FileIndex, ...], indexes: Sequence[OpenIndex], only: Only) -> None:
        self.files = files
        self._setup(indexes, sum(f.file.documents for f in files), sum(f.file.terms for f in files), only)
        for place, each in by_precedence(files):
            self._ranks[file_number(each.file.digest)] = place, -1 if number_of(each.path) else 1
            for name in each.file.deleted:
                self._deleted.setdefault(name, place)

    @classmethod
    def of_documents(cls, documents: Iterable[Document]) -> "AbstractSearch":
        """Return a search over documents in memory, with the ranking of an index of the same documents."""
        search = cls.__new__(cls)
        search.files, search.warnings = (), ()
        index, number, length = index_in_memory(documents)
        search._setup([OpenIndex(index.searcher(), {0: Packing()}, length / max(1, number))], number, length)
        search._ranks[0] = 0, 1
        return search

    def _setup(self, indexes: Sequence[OpenIndex], documents: int, terms: int, only: Only = None) -> None:
        self.documents, self._mean, self._indexes, self._only = documents, terms / max(1, documents), indexes, only
        # Of each file, by its number: its precedence, and the sign of an abstract's number; of each id that a file
        # withdraws: the precedence of the file.
        self._ranks: dict[int, tuple[int, int]] = {}
        self._deleted: dict[str, int] = {}

    @property
    def reopening(self) -> "Callable[[], AbstractSearch]":
        """Returns an equal search where it is called: another process, or a machine with the indexes at the same place.

        It can be pickled, and raises a `UsageError` if an index is absent there, or another one.
        """
        volumes = {f.volume: replace(f.volume, folder=f.volume.folder.absolute()) for f in self.files}
        files = tuple(replace(each, volume=volumes[each.volume]) for each in self.files)
        return partial(AbstractSearch._reopened, files, self._only)

    @classmethod
    def _reopened(cls, files: tuple[FileIndex, ...], only: Only) -> "AbstractSearch":
        search = cls.__new__(cls)
        search.warnings = ()
        search._setup_files(files, reopen_files(files), only)
        return search

    @property
    def what(self) -> str:
        """A word for what is searched."""
        return "abstract" if self.files else "text"

    @property
    def segments(self) -> int:
        """The number of segments, over all indexes."""
        return sum(index.segments for index in self._indexes)

    def __call__(self, query: str, most: int = 20) -> SearchHits:
        """Return at most `most` abstracts that contain a term of the query in any form, the best first.

        A term that is repeated in the query counts repeatedly.

        Raises:
            InputError: an index was damaged after it was opened.
        """
        for index in self._indexes:
            index.check()
        asked = Query.of(query)
        alternatives = self._alternatives(asked)
        weights, holding = self._weights(asked, alternatives)
        wanted = _Wanted({term: weight for term, weight in weights.items() if holding[term]}, alternatives)
        candidates = self._candidates(wanted, max(_LEAST, _WIDER * most))
        scored = [(wanted.score(c.counts, c.head.length / max(self._mean, 1.0)), c) for c in candidates]
        ranked = self._current(sorted(scored, key=lambda found: (-found[0], *_order(found[1].head.id))), most)
        hits = tuple(Hit(self._indexes[c.opened].document(c.place), score) for score, c in ranked)
        held = wanted.frequencies(ranked[0][1].counts) if ranked else {}
        coverage = math.fsum(weights[t] for t, times in held.items() if times) / (math.fsum(weights.values()) or 1.0)
        words = {term: asked.words[term] for term in weights}
        return SearchHits(hits, weights, holding, coverage, words, tuple(each for _, each in alternatives))

    def _alternatives(self, query: Query) -> tuple[tuple[tuple[str, ...], Alternative], ...]:
        """Return the alternatives whose terms the files contain, each with the query's terms that it may replace."""
        term_of = {word: term for term, word in query.words.items()}
        found = ((tuple(term_of[w] for w in each.words), each) for each in query.alternatives(self._definitions))
        return tuple((own, each) for own, each in found if self._occurs(own, each.terms))

    def _occurs(self, own: Sequence[str], terms: Sequence[str]) -> bool:
        """Whether abstracts have the terms of an alternative: one has them all, if none has what it may replace."""
        if not all(map(self._holding, terms)):
            return False
        if len(terms) == 1 or all(map(self._holding, own)):
            return True
        return any(index.found(_all_of(terms), 1) for index in self._indexes)

    def _weights(
        self, query: Query, alternatives: Sequence[tuple[tuple[str, ...], Alternative]]
    ) -> tuple[dict[str, float], dict[str, int]]:
        """Return q(t) IDF(t) of the query's terms, and how many abstracts contain each in any form.

        A term that occurs only as an alternative has the IDF of the commonest one, that of its rarest term.
        """
        known = {term: self._holding(term) for term in query.words}
        for own, alternative in alternatives:
            for term in own:
                if not self._holding(term):
                    known[term] = max(known[term], min(map(self._holding, alternative.terms)))
        weights = {}
        for term, times in Counter(query.terms).items():
            # A word and a number that no abstract has side by side are no compound.
            if known[term] or " " not in query.words[term]:
                weights[term] = times * idf(self.documents, float(known[term]))
        return weights, {term: known[term] for term in weights}

    def _holding(self, term: str) -> int:
        """Return the number of abstracts with a term."""
        return sum(index.holding(TERMS, term) for index in self._indexes)

    def _definitions(self, form: str) -> Iterator[tuple[str, str]]:
        """Yield the short and long form of definitions with a form, of the abstracts with the lowest PMIDs."""
        from tantivy import Order

        defining = [
            (*hit, index)
            for index in self._indexes
            if index.holding(DEFINED, form)
            for hit in index.found(term_query(form, DEFINED), _DEFINING, order_by_field=IDENTITY, order=Order.Asc)
        ]
        for _, place, index in nsmallest(_DEFINING, defining, key=lambda hit: hit[0]):
            yield from (pair for _, head in index.heads([place]) for pair in head.definitions if form in pair)

    def _candidates(self, wanted: _Wanted, most: int) -> list[_Candidate]:
        """Return the best `most` abstracts by their estimates, fewer if fewer match or may be found."""
        asked, ratios = most, [self._mean / max(index.mean, 1e-9) for index in self._indexes]
        while True:
            hits = [(*hit, number) for number, index in enumerate(self._indexes) for hit in _hits(index, wanted, asked)]
            # An index compares lengths with its own mean length; with that of all files, a score changes at most by
            # the ratio of both.
            sure = nlargest(asked, (score * min(1.0, ratios[number]) for score, _, number in hits))
            least = sure[-1] * _NEARLY if sure else 0.0
            found = [
                candidate
                for number, those in groupby(hits, key=itemgetter(2))
                for candidate in self._read(number, those, least / max(1.0, ratios[number]), wanted)
                if self._may_be_found(candidate)
            ]
            if len(found) >= most or len(hits) < asked:
                break
            asked *= 4
        if len(found) <= most:
            return found
        mean = max(self._mean, 1.0)
        keyed = ((-wanted.estimate(c.counts, rounded(c.head.length) / mean), *_order(c.head.id), c.rank) for c in found)
        return [found[place] for *_, place in nsmallest(most, ((*key, n) for n, key in enumerate(keyed)))]

    def _read(
        self, number: int, hits: Iterable[tuple[float, Place, int]], least: float, wanted: _Wanted
    ) -> Iterator[_Candidate]:
        """Yield the abstracts of an index whose scores are not below the least."""
        places = [place for score, place, _ in hits if score >= least]
        for place, (file, head) in zip(places, self._indexes[number].heads(places), strict=True):
            precedence, sign = self._ranks[file]
            yield _Candidate(number, place, head, (precedence, sign * head.number), head.counts(wanted.keys))

    def _may_be_found(self, candidate: _Candidate) -> bool:
        name = candidate.head.id
        withdrawn = self._deleted.get(name, sys.maxsize) <= candidate.rank[0]
        return not withdrawn and (self._only is None or name in self._only)

    def _current(self, ranked: Sequence[tuple[float, _Candidate]], most: int) -> list[tuple[float, _Candidate]]:
        """Return the first `most` of those that no abstract with the same id replaces."""
        current: list[tuple[float, _Candidate]] = []
        for start in range(0, len(ranked), max(most, 1)):
            batch = ranked[start : start + most]
            names = sorted({candidate.head.id for _, candidate in batch})
            least = self._least_ranks(names)
            current += (f for f in batch if f[1].rank == least.get(f[1].head.id, f[1].rank))
            if len(current) >= most:
                break
        return current[:most]

    def _least_ranks(self, names: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return the rank of the abstract that counts, of each id, if any id is that of several abstracts."""
        least: dict[str, tuple[int, int]] = {}
        numbers, most = [identity(name) for name in names], len(names) * (len(self._ranks) + 1)
        same = [(index, index.same(numbers, most)) for index in self._indexes]
        if sum(len(places) for _, places in same) == len(names):
            return least
        for index, places in same:
            for file, head in index.heads(places):
                precedence, sign = self._ranks[file]
                rank = precedence, sign * head.number
                least[head.id] = min(rank, least.get(head.id, rank))
        return least


def _hits(index: OpenIndex, wanted: _Wanted, most: int) -> list[tuple[float, Place]]:
    """Return the scores, about, and places of the best abstracts of one index."""
    from tantivy import Occur
    from tantivy import Query as Search

    parts = []
    for term, weight in wanted.weights.items():
        if here := index.weighed(term):
            # The index weighs a term by its own documents; this replaces that weight by the one over all files.
            own = idf(index.size, float(here))
            parts.append((Occur.Should, Search.boost_query(term_query(term), weight / own)))
    for own_terms, alternative in wanted.alternatives:
        form = _all_of(alternative.terms)
        parts.append((Occur.Should, Search.const_score_query(form, wanted.constant(own_terms, alternative))))
    return index.found(Search.boolean_query(parts), most) if parts else []


def _all_of(terms: Iterable[str]) -> object:
    from tantivy import Occur
    from tantivy import Query as Search

    return Search.boolean_query([(Occur.Must, term_query(term)) for term in terms])


def rounded(length: int) -> int:
    """Return a length as an index rounds it: four bits count, of what is above 24."""
    shift = max(0, (length - 24).bit_length() - 4) if length > 24 else 0
    return length if not shift else 24 + ((length - 24) >> shift << shift)


def _order(name: str) -> tuple[int, str]:
    """Sort PMIDs by number, before other ids."""
    number = identity(name)
    return (number, "") if number < sys.maxsize else (sys.maxsize, name)
