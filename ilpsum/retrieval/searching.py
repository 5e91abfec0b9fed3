"""Find the abstracts that answer a question best, by BM25 (`features.retrieval`) over all given files.

The collection is the abstracts of all given files, their terms those of `ilpsum.retrieval.analysis`. A term of the
query occurs in an abstract as often as it does itself, plus the factor times the occurrences of the best of its
alternatives (`ilpsum.retrieval.queries`); an alternative of several terms occurs as often as the rarest of them.

The index nominates the best abstracts by an estimate, in which it rounds lengths, compares them with the mean of all
its files, and counts an alternative as a constant. The nominated are then scored as above, over the given files alone.
"""

import math
import sys
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from features.retrieval import B, idf, term_scores
from ilpsum.corpora.pubmed import number_of
from ilpsum.errors import UsageError
from ilpsum.records import Alternative, Document
from ilpsum.retrieval.entries import DEFINED, IDENTITY, TERMS, Entry, all_of, identity, term_query
from ilpsum.retrieval.indexing import Collection, IndexedFile, Watch, default_folder, unwatched
from ilpsum.retrieval.opened import OpenIndex, open_documents, open_files, reopen
from ilpsum.retrieval.queries import Query

# The index nominates this multiple of the abstracts wanted, and at least this many.
_WIDER, _LEAST = 5, 100
# Abstracts that are asked for the other form of an abbreviation.
_DEFINING = 100

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

    def frequencies(self, terms: str) -> dict[str, float]:
        """Return the occurrences in a text of each term that it has in any form, given the text's terms."""
        counts = Counter(terms.split())
        best: dict[str, float] = {}
        for own, alternative in self.alternatives:
            if times := min(counts[term] for term in alternative.terms):
                for term in own:
                    best[term] = max(best.get(term, 0.0), alternative.factor * times)
        found = {term: counts[term] + best.get(term, 0.0) for term in self.weights}
        return {term: times for term, times in found.items() if times}

    def score(self, frequencies: Mapping[str, float], share: float) -> float:
        """Return the score of a text, given its length as a share of the mean length."""
        length = B * share
        return math.fsum(term_scores(times, length, self.weights[term]) for term, times in frequencies.items())

    def nominating(self, index: OpenIndex) -> object:
        """Return the query by which an index nominates abstracts."""
        from tantivy import Occur
        from tantivy import Query as Search

        parts = []
        for term, weight in self.weights.items():
            if here := index.weighed(term):
                # Replaces the library's weight of the term.
                own = idf(index.size, float(here))
                parts.append((Occur.Should, Search.boost_query(term_query(term), weight / own)))
        for own_terms, alternative in self.alternatives:
            constant = alternative.factor * math.fsum(self.weights[term] for term in own_terms)
            parts.append((Occur.Should, Search.const_score_query(all_of(alternative.terms), constant)))
        return Search.boolean_query(parts)


class _Candidate(NamedTuple):
    """A nominated abstract.

    Attributes:
        entry: of the index.
        rank: of abstracts with one id the one with the least rank counts.
        frequencies: of the terms of the question that it has.
        score: its BM25.
    """

    entry: Entry
    rank: tuple[int, int]
    frequencies: Mapping[str, float]
    score: float


class AbstractSearch:
    """A search over files of abstracts, which are indexed if needed.

    Of a repeated id the first one counts; of those in PubMed's own files (`pubmed26n0001.xml.gz`) the newest, which is
    in the file of the highest number, unless such a file withdraws it. Counts of words are those of all abstracts.

    Args:
        files: of abstracts (`ilpsum.corpora.abstracts`).
        folder: the folder of the index; `default_folder()` if None.
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
        self._set_up(*open_files(files, Path(folder) if folder is not None else default_folder(), watch), only)

    @classmethod
    def of_documents(cls, documents: Iterable[Document]) -> "AbstractSearch":
        """Return a search over documents in memory, with the ranking of an index of the same documents."""
        search = cls.__new__(cls)
        search._set_up(*open_documents(documents))
        search.what = "text"
        return search

    def _set_up(self, collection: Collection, index: OpenIndex, only: Only = None) -> None:
        self.what = "abstract"
        """A word for what is searched."""
        self.warnings = collection.warnings
        """Warnings about the files."""
        self.documents = sum(file.documents for file in collection.files)
        """The number of abstracts."""
        self._collection, self._index, self._only = collection, index, only
        self._mean = sum(file.terms for file in collection.files) / max(1, self.documents)
        # Of each file, by its digest: its precedence, and the sign of an abstract's number; of each id that a file
        # withdraws: the precedence of the file.
        self._ranks: dict[str, tuple[int, int]] = {}
        self._withdrawn: dict[str, int] = {}
        for place, (file, path) in enumerate(_by_precedence(collection)):
            self._ranks[file.digest] = place, -1 if number_of(path) else 1
            for name in file.deleted:
                self._withdrawn.setdefault(name, place)

    @property
    def reopening(self) -> "Callable[[], AbstractSearch]":
        """Returns an equal search where it is called: another process, or a machine with the index at the same place.

        It can be pickled, and raises a `UsageError` if the index is absent there, or another one.
        """
        collection = replace(self._collection, folder=self._collection.folder.absolute())
        return partial(AbstractSearch._reopened, collection, self._only)

    @classmethod
    def _reopened(cls, collection: Collection, only: Only) -> "AbstractSearch":
        search = cls.__new__(cls)
        search._set_up(*reopen(collection), only)
        return search

    def __call__(self, query: str, most: int = 20) -> SearchHits:
        """Return at most `most` abstracts that contain a term of the query in any form, the best first.

        A term that is repeated in the query counts repeatedly.

        Raises:
            InputError: the index is damaged.
        """
        asked = Query.of(query)
        alternatives = self._alternatives(asked)
        weights, holding = self._weights(asked, alternatives)
        wanted = _Wanted({term: weight for term, weight in weights.items() if holding[term]}, alternatives)
        candidates = self._candidates(wanted, max(_LEAST, _WIDER * most)) if wanted.weights else []
        candidates.sort(key=lambda found: (-found.score, *_order(found.entry.document.id)))
        ranked = self._current(candidates, most)
        held = ranked[0].frequencies if ranked else {}
        return SearchHits(
            hits=tuple(Hit(found.entry.document, found.score) for found in ranked),
            weights=weights,
            holding=holding,
            coverage=math.fsum(weights[term] for term in held) / (math.fsum(weights.values()) or 1.0),
            words={term: asked.words[term] for term in weights},
            alternatives=tuple(each for _, each in alternatives),
        )

    def _alternatives(self, query: Query) -> tuple[tuple[tuple[str, ...], Alternative], ...]:
        """Return the alternatives whose terms the files contain, each with the query's terms that it may replace."""
        term_of = {word: term for term, word in query.words.items()}
        found = ((tuple(term_of[w] for w in each.words), each) for each in query.alternatives(self._definitions))
        return tuple((own, each) for own, each in found if self._occurs(own, each.terms))

    def _occurs(self, own: Sequence[str], terms: Sequence[str]) -> bool:
        """Whether abstracts have the terms of an alternative: one has them all, if none has what it may replace."""
        if not all(map(self._holding, terms)):
            return False
        return len(terms) == 1 or all(map(self._holding, own)) or bool(self._index.found(all_of(terms), 1))

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
        return self._index.holding(TERMS, term)

    def _definitions(self, form: str) -> Iterator[tuple[str, str]]:
        """Yield the short and long form of definitions with a form, of the abstracts with the lowest PMIDs."""
        from tantivy import Order

        if self._index.holding(DEFINED, form):
            defining = term_query(form, DEFINED)
            found = self._index.found(defining, _DEFINING, order_by_field=IDENTITY, order=Order.Asc)
            for entry in self._index.entries(place for _, place in found):
                yield from (pair for pair in entry.definitions if form in pair)

    def _candidates(self, wanted: _Wanted, most: int) -> list[_Candidate]:
        """Return the `most` best abstracts by the index's estimate, fewer if fewer match or may be found."""
        query, asked = wanted.nominating(self._index), most
        while True:
            hits = self._index.found(query, asked)
            entries = [entry for entry in self._index.entries(p for _, p in hits) if self._may_be_found(entry)]
            if len(entries) >= most or len(hits) < asked:
                return [self._candidate(entry, wanted) for entry in entries[:most]]
            asked *= 4

    def _candidate(self, entry: Entry, wanted: _Wanted) -> _Candidate:
        frequencies = wanted.frequencies(entry.terms)
        score = wanted.score(frequencies, entry.length / max(self._mean, 1.0))
        return _Candidate(entry, self._rank(entry), frequencies, score)

    def _rank(self, entry: Entry) -> tuple[int, int]:
        precedence, sign = self._ranks[entry.file]
        return precedence, sign * entry.number

    def _may_be_found(self, entry: Entry) -> bool:
        name = entry.document.id
        withdrawn = self._withdrawn.get(name, sys.maxsize) <= self._ranks[entry.file][0]
        return not withdrawn and (self._only is None or name in self._only)

    def _current(self, ranked: Sequence[_Candidate], most: int) -> list[_Candidate]:
        """Return the first `most` of those that no abstract with the same id replaces."""
        current: list[_Candidate] = []
        for start in range(0, len(ranked), max(most, 1)):
            batch = ranked[start : start + most]
            least = self._least_ranks(sorted({found.entry.document.id for found in batch}))
            current += (f for f in batch if f.rank == least.get(f.entry.document.id, f.rank))
            if len(current) >= most:
                break
        return current[:most]

    def _least_ranks(self, names: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return the rank of the abstract that counts, of each id, if any id is that of several abstracts."""
        places = self._index.same(list(map(identity, names)), len(names) * (len(self._ranks) + 1))
        least: dict[str, tuple[int, int]] = {}
        for entry in self._index.entries(places) if len(places) > len(names) else ():
            rank = self._rank(entry)
            least[entry.document.id] = min(rank, least.get(entry.document.id, rank))
        return least


def _by_precedence(collection: Collection) -> Iterator[tuple[IndexedFile, Path]]:
    """Yield the files in order, but PubMed's own files, where there are any, the newest first."""
    files = [(file, collection.paths[file.digest]) for file in collection.files]
    newest = sorted((each for each in files if number_of(each[1])), key=lambda each: number_of(each[1]) or (0, 0))
    yield from (newest.pop() if number_of(each[1]) else each for each in files)


def _order(name: str) -> tuple[int, str]:
    """Sort PMIDs by number, before other ids."""
    number = identity(name)
    return (number, "") if number < sys.maxsize else (sys.maxsize, name)
