"""Find the abstracts that answer a question best, by BM25 (`features.retrieval`) over all given files.

The collection is the abstracts of all given files, their terms those of `ilpsum.retrieval.analysis`. A term of the
query occurs in an abstract as often as it does itself, plus the factor times the occurrences of the best of its
alternatives (`ilpsum.retrieval.queries`); an alternative of several terms occurs as often as the rarest of them. Each
index proposes its best candidates, which are then scored with counts over all files and with unrounded lengths: a score
depends on the given files only.
"""

import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from features.retrieval import B, idf, term_scores
from ilpsum.errors import InputError, UsageError
from ilpsum.records import Alternative, Document
from ilpsum.retrieval.analysis import DEFINED, ENTRY, NUMBER, STORED, TERMS, register, schema
from ilpsum.retrieval.indexing import Entry, FileIndex, Watch, default_folder, index_file, index_in_memory
from ilpsum.retrieval.queries import Query

Stored = TypeVar("Stored")

# An index rounds lengths and scores: rescore this multiple of the abstracts wanted, and at least this many.
_WIDER, _LEAST = 5, 100
# Abstracts of each file that are asked for the other form of an abbreviation.
_DEFINING = 100


@dataclass(frozen=True, slots=True)
class Hit:
    """A document found by a search, and its BM25."""

    document: Document
    score: float


@dataclass(frozen=True, slots=True)
class SearchHits:
    """The result of a search.

    Attributes:
        hits: by descending BM25, ties by ascending PMID.
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
        files: PubMed XML, MEDLINE text or JSON lines, `.gz` or not; of a repeated PMID the first one counts.
        folder: the folder of the indexes; `default_folder()` if None.
        watch: passes on the abstracts as they are indexed, to show progress.

    Raises:
        InputError: a file cannot be read.
        IlpsumError: the folder cannot be written.
        UsageError: no files.
    """

    def __init__(self, files: Sequence[str | Path], folder: str | Path | None = None, watch: Watch = iter) -> None:
        if not files:
            raise UsageError("nothing to search; name files of abstracts")
        place = Path(folder) if folder is not None else default_folder()
        indexes = [index_file(file, place, watch) for file in files]
        # A file given twice counts once.
        self.indexes: tuple[FileIndex, ...] = tuple({index.digest: index for index in reversed(indexes)}.values())[::-1]
        self.documents = sum(index.documents for index in self.indexes)
        self._mean = sum(index.terms for index in self.indexes) / max(1, self.documents)
        self._searchers = [_searcher(index) for index in self.indexes]

    @classmethod
    def of_documents(cls, documents: Iterable[Document]) -> "AbstractSearch":
        """Return a search over documents in memory, with the ranking of an index of the same documents."""
        search = cls.__new__(cls)
        search.indexes = ()
        index, search.documents, length = index_in_memory(documents)
        search._mean = length / max(1, search.documents)
        search._searchers = [index.searcher()]
        return search

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
        asked = Query.of(query)
        alternatives = self._alternatives(asked)
        weights, holding = self._weights(asked, alternatives)
        wanted = _Wanted({term: weight for term, weight in weights.items() if holding[term]}, alternatives)
        scored: dict[str, tuple[int, Entry, float, Any]] = {}
        for file in range(len(self._searchers)):
            for entry, address in self._candidates(file, wanted, max(_LEAST, _WIDER * most)):
                earlier = scored.get(entry.id)
                if earlier is None or (file, entry.number) < (earlier[0], earlier[1].number):
                    scored[entry.id] = file, entry, self._score(entry, wanted), address
        ranked = sorted(scored.values(), key=lambda found: (-found[2], *_order(found[1].id)))[:most]
        hits = tuple(Hit(self._document(file, address), score) for file, _, score, address in ranked)
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
        """Yield the short and long form of definitions with a form, of the first abstracts of each file."""
        from tantivy import Order
        from tantivy import Query as Search

        for file, searcher in enumerate(self._searchers):
            if searcher.doc_freq(DEFINED, form):
                search = Search.term_query(schema(), DEFINED, form, index_option="basic")
                for address in self._found(file, search, _DEFINING, order_by_field=NUMBER, order=Order.Asc):
                    yield from (pair for pair in self._entry(file, address).definitions if form in pair)

    def _candidates(self, file: int, wanted: _Wanted, most: int) -> list[tuple[Entry, Any]]:
        """Return the best abstracts of one index, in any order, with their places in it."""
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
        found = self._found(file, Search.boolean_query(parts), most) if parts else []
        return [(self._entry(file, address), address) for address in found]

    def _found(self, file: int, query: Any, most: int, **order: Any) -> list[Any]:
        """Return the places of the best entries of one index for a query."""
        try:
            return [address for _, address in self._searchers[file].search(query, most, count=False, **order).hits]
        except ValueError:
            raise self._damaged(file) from None

    def _entry(self, file: int, address: Any) -> Entry:
        return self._stored(file, address, ENTRY, Entry)

    def _document(self, file: int, address: Any) -> Document:
        return self._stored(file, address, STORED, Document)

    def _stored(self, file: int, address: Any, field: str, kind: type[Stored]) -> Stored:
        import msgspec

        try:
            return msgspec.json.decode(self._searchers[file].doc(address)[field][0], type=kind)
        except (ValueError, msgspec.DecodeError):
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
    return (int(name), "") if name.isascii() and name.isdigit() else (sys.maxsize, name)


def _searcher(index: FileIndex) -> Any:
    from tantivy import Index

    try:
        return register(Index.open(str(index.folder))).searcher()
    except ValueError:
        raise InputError("the index cannot be opened; remove its folder to rebuild it", index.folder) from None
