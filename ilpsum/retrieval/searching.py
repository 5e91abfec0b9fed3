"""Find the abstracts that answer a question best, by BM25 (`features.retrieval`) over all given files.

The collection is the abstracts of all given files, their terms those of `ilpsum.retrieval.analysis`. A term of the
query occurs in an abstract as often as it does itself, plus the factor times the occurrences of the best of its
alternatives (`ilpsum.retrieval.queries`); an alternative of several terms occurs as often as the rarest of them. Each
index proposes its best candidates; the best of all indexes are then scored with counts over all files and with
unrounded lengths: a score depends on the given files only, and many files cost little more than one.
"""

import math
import sys
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from heapq import nlargest
from pathlib import Path
from socket import gethostname
from typing import Any, TypeAlias

from features.retrieval import B, idf, term_scores
from ilpsum.errors import InputError, UsageError
from ilpsum.io.digests import Digests
from ilpsum.records import Alternative, Document
from ilpsum.retrieval.analysis import DEFINED, NUMBER, STORED, TERMS, register, schema
from ilpsum.retrieval.indexing import (
    EngineError,
    FileIndex,
    Watch,
    default_folder,
    engine,
    index_file,
    index_in_memory,
    is_there,
    known_digests,
    packing_of,
    unwatched,
)
from ilpsum.retrieval.packing import Entry, Packing
from ilpsum.retrieval.queries import Query

# An index rounds lengths and scores: rescore this multiple of the abstracts wanted, and at least this many.
_WIDER, _LEAST = 5, 100
# Abstracts that are asked for the other form of an abbreviation.
_DEFINING = 100
# Another process may replace an index between its check and its opening.
_ATTEMPTS = 3

State: TypeAlias = tuple[int, int, int, int]
"""Device, inode, size and modification time (ns) of an index's file."""


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


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What abstracts are scored for.

    Attributes:
        weights: q(t) IDF(t) of each known term.
        alternatives: each with the terms that it may replace.
    """

    weights: dict[str, float]
    alternatives: tuple[tuple[tuple[str, ...], Alternative], ...]

    def frequencies(self, counts: Counter[str]) -> dict[str, float]:
        """Return the occurrences of each term in a text, in any form, given the counts of the text's terms."""
        best: dict[str, float] = {}
        for own, alternative in self.alternatives:
            if times := min(counts[term] for term in alternative.terms):
                for term in own:
                    best[term] = max(best.get(term, 0.0), alternative.factor * times)
        return {term: counts[term] + best.get(term, 0.0) for term in self.weights}


class AbstractSearch:
    """A search over files of abstracts, which are indexed if needed.

    Args:
        files: of abstracts (`ilpsum.corpora.abstracts`); of a repeated id the first one counts.
        folder: the folder of the indexes; `default_folder()` if None.
        watch: passes on the abstracts as they are indexed, to show progress.
        only: the PMIDs that may be found; None for all. Word counts are those of all abstracts.

    Raises:
        InputError: a file cannot be read.
        IlpsumError: the folder cannot be written.
        UsageError: no files.
    """

    def __init__(
        self,
        files: Sequence[str | Path],
        folder: str | Path | None = None,
        watch: Watch = unwatched,
        only: Container[str] | None = None,
    ) -> None:
        if not files:
            raise UsageError("nothing to search; name files of abstracts")
        place = Path(folder) if folder is not None else default_folder()
        digests = known_digests(place)
        # A file given twice counts once.
        every = [_opened(file, place, watch, digests) for file in files]
        opened = {each.index.digest: each for each in reversed(every)}
        self._set(tuple(opened.values())[::-1], only)

    def _set(self, opened: "tuple[_Opened, ...]", only: Container[str] | None) -> None:
        self._opened = opened
        self.indexes: tuple[FileIndex, ...] = tuple(each.index for each in self._opened)
        self.documents = sum(index.documents for index in self.indexes)
        self._mean = sum(index.terms for index in self.indexes) / max(1, self.documents)
        self._searchers = [each.searcher for each in self._opened]
        self._packings = [each.packing for each in self._opened]
        self._ratios = [self._mean * index.documents / max(1, index.terms) for index in self.indexes]
        self._only = only

    @classmethod
    def of_documents(cls, documents: Iterable[Document]) -> "AbstractSearch":
        """Return a search over documents in memory, with the ranking of an index of the same documents."""
        search = cls.__new__(cls)
        search._opened, search.indexes, search._only = (), (), None
        index, search.documents, length = index_in_memory(documents)
        search._mean = length / max(1, search.documents)
        search._searchers, search._packings, search._ratios = [index.searcher()], [Packing()], [1.0]
        return search

    @property
    def reopening(self) -> "Callable[[], AbstractSearch]":
        """Returns an equal search where it is called: another process, or a machine with the indexes at the same place.

        It can be pickled, and raises a `UsageError` if an index is absent there, or another one.
        """
        indexes = tuple(replace(index, folder=index.folder.absolute()) for index in self.indexes)
        return partial(AbstractSearch._reopened, indexes, self._only)

    @classmethod
    def _reopened(cls, indexes: tuple[FileIndex, ...], only: Container[str] | None) -> "AbstractSearch":
        search = cls.__new__(cls)
        digests = known_digests(indexes[0].folder.parent)
        search._set(tuple(_found_again(index, digests) for index in indexes), only)
        return search

    @property
    def what(self) -> str:
        """A word for what is searched."""
        return "abstract" if self.indexes else "text"

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the files."""
        return tuple(warning for index in self.indexes for warning in index.warnings)

    def __call__(self, query: str, most: int = 20) -> SearchHits:
        """Return at most `most` abstracts that contain a term of the query in any form, the best first.

        A term that is repeated in the query counts repeatedly.

        Raises:
            InputError: an index was damaged after it was opened.
        """
        for file, opened in enumerate(self._opened):
            # Its files are mapped into memory: reading what another program cut off would end the process.
            if _states(opened.index, opened.states) != opened.states:
                raise self._damaged(file)
        asked = Query.of(query)
        alternatives = self._alternatives(asked)
        weights, holding = self._weights(asked, alternatives)
        wanted = _Wanted({term: weight for term, weight in weights.items() if holding[term]}, alternatives)
        scored: dict[str, tuple[int, Entry, float]] = {}
        for file, entry in self._candidates(wanted, max(_LEAST, _WIDER * most)):
            earlier = scored.get(entry.document.id)
            if earlier is None or (file, entry.number) < (earlier[0], earlier[1].number):
                scored[entry.document.id] = file, entry, self._score(entry, wanted)
        ranked = sorted(scored.values(), key=lambda found: (-found[2], *_order(found[1].document.id)))[:most]
        hits = tuple(Hit(entry.document, score) for _, entry, score in ranked)
        held = wanted.frequencies(Counter(ranked[0][1].terms.split())) if ranked else {}
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
        return any(self._found(file, _all_of(terms), 1) for file in range(len(self._searchers)))

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
        return sum(int(searcher.doc_freq(TERMS, term)) for searcher in self._searchers)

    def _definitions(self, form: str) -> Iterator[tuple[str, str]]:
        """Yield the short and long form of definitions with a form, of the first abstracts that define it."""
        from tantivy import Order
        from tantivy import Query as Search

        search, left = Search.term_query(schema(), DEFINED, form, index_option="basic"), _DEFINING
        for file, searcher in enumerate(self._searchers):
            if left and searcher.doc_freq(DEFINED, form):
                found = self._found(file, search, left, order_by_field=NUMBER, order=Order.Asc)
                left -= len(found)
                for _, address in found:
                    yield from (pair for pair in self._entry(file, address).definitions if form in pair)

    def _candidates(self, wanted: _Wanted, most: int) -> list[tuple[int, Entry]]:
        """Return the best abstracts, in any order, each with the number of its file.

        Where only some may be found, `most` of those, unless fewer match.
        """
        asked, files = most, range(len(self._searchers))
        while True:
            hits = [(score, file, place) for file in files for score, place in self._hits(file, wanted, asked)]
            # An index compares lengths with its own mean length; with that of all files, a score changes at most by
            # the ratio of both.
            sure = nlargest(asked, (score * min(1.0, self._ratios[file]) for score, file, _ in hits))
            near = (hit for hit in hits if hit[0] * max(1.0, self._ratios[hit[1]]) >= sure[-1])
            entries = ((file, self._entry(file, place)) for _, file, place in near)
            found = [each for each in entries if self._only is None or each[1].document.id in self._only]
            if len(found) >= most or len(hits) < asked:
                return found
            asked *= 4

    def _hits(self, file: int, wanted: _Wanted, most: int) -> list[tuple[float, Any]]:
        """Return the scores, about, and places of the best abstracts of one index."""
        from tantivy import Occur
        from tantivy import Query as Search

        searcher, parts = self._searchers[file], []
        for term, weight in wanted.weights.items():
            if here := int(searcher.doc_freq(TERMS, term)):
                # The index weighs a term by its own documents; this replaces that weight by the one over all files.
                own = idf(searcher.num_docs, float(here))
                parts.append((Occur.Should, Search.boost_query(_term(term), weight / own)))
        for own_terms, alternative in wanted.alternatives:
            weight = alternative.factor * math.fsum(wanted.weights[term] for term in own_terms)
            parts.append((Occur.Should, Search.const_score_query(_all_of(alternative.terms), weight)))
        return self._found(file, Search.boolean_query(parts), most) if parts else []

    def _found(self, file: int, query: Any, most: int, **order: Any) -> list[tuple[float, Any]]:
        """Return the scores and places of the best entries of one index for a query."""
        try:
            with engine():
                found: list[tuple[float, Any]] = self._searchers[file].search(query, most, count=False, **order).hits
                return found
        except EngineError:
            raise self._damaged(file) from None

    def _entry(self, file: int, address: Any) -> Entry:
        try:
            with engine():
                return self._packings[file].unpack(self._searchers[file].doc(address)[STORED][0])
        except EngineError:
            raise self._damaged(file) from None

    def _damaged(self, file: int) -> InputError:
        advice = "the index was damaged after it was opened; run again to rebuild it"
        return InputError(advice, self.indexes[file].folder if self.indexes else None)

    def _score(self, entry: Entry, wanted: _Wanted) -> float:
        counts = Counter(entry.terms.split())
        length = B * counts.total() / max(self._mean, 1.0)
        times = wanted.frequencies(counts)
        return math.fsum(term_scores(times[term], length, weight) for term, weight in wanted.weights.items())


def _term(term: str) -> Any:
    from tantivy import Query as Search

    return Search.term_query(schema(), TERMS, term, index_option="freq")


def _all_of(terms: Iterable[str]) -> Any:
    from tantivy import Occur
    from tantivy import Query as Search

    return Search.boolean_query([(Occur.Must, _term(term)) for term in terms])


def _order(name: str) -> tuple[int, str]:
    """Sort PMIDs by number, before other ids."""
    return (int(name), "") if name.isascii() and name.isdigit() and len(name) < 19 else (sys.maxsize, name)


@dataclass(frozen=True, slots=True)
class _Opened:
    """An open index: its searcher, its packing, and the states of its files when it was opened."""

    index: FileIndex
    searcher: Any
    packing: Packing
    states: Mapping[Path, State]


def _opened(file: str | Path, folder: Path, watch: Watch, digests: Digests) -> _Opened:
    """Open the index of a file of abstracts, built if needed."""
    for _ in range(_ATTEMPTS):
        index = index_file(file, folder, watch, digests)
        with suppress(EngineError), engine():
            return _open(index)
        # Another process replaced it meanwhile.
    raise InputError("the index cannot be opened; remove its folder to rebuild it", index.folder)


def _found_again(index: FileIndex, digests: Digests) -> _Opened:
    """Open an index that another process, perhaps on another machine, has checked."""
    with suppress(EngineError), engine():
        if is_there(index, digests):
            return _open(index)
    what = f"the index {index.folder} is absent or another one on {gethostname()}"
    raise UsageError(f"{what}; give all workers the folder of --index at this path, or leave out --shared")


def _open(index: FileIndex) -> _Opened:
    from tantivy import Index

    states = _states(index)
    return _Opened(index, register(Index.open(str(index.folder))).searcher(), packing_of(index), states)


def _states(index: FileIndex, known: Mapping[Path, State] | None = None) -> dict[Path, State]:
    """Return the states of an index's files, of `known` ones if given.

    A file that was removed or replaced has the known state: who opened it still has its content.
    """
    states = {}
    for path in known or index.folder.iterdir():
        try:
            found = path.stat()
        except OSError:
            found = None
        if known and (found is None or (found.st_dev, found.st_ino) != known[path][:2]):
            states[path] = known[path]
        elif found is not None:
            states[path] = found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
    return states
