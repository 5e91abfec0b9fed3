"""Find the abstracts that answer a question best, by BM25 (`features.retrieval`) over all given files.

The collection is the abstracts of all given files, their terms those of `ilpsum.retrieval.analysis`. Each index
proposes its best candidates, which are then scored with counts over all files and with unrounded lengths: a score
depends on the given files only.
"""

import math
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from features.retrieval import B, idf, term_scores
from ilpsum.errors import InputError, UsageError
from ilpsum.records import Document
from ilpsum.retrieval.analysis import STORED, TERMS, register, schema, terms
from ilpsum.retrieval.indexing import FileIndex, Watch, default_folder, index_file

# An index rounds lengths and scores: rescore this multiple of the abstracts wanted, and at least this many.
_WIDER, _LEAST = 5, 100


@dataclass(frozen=True, slots=True)
class Hit:
    """An abstract found by a search, whose id is its PMID, and its BM25."""

    document: Document
    score: float


@dataclass(frozen=True, slots=True)
class SearchHits:
    """The result of a search.

    Attributes:
        hits: by descending BM25, ties by ascending PMID.
        weights: q(t) IDF(t) of each term of the question, in order.
        known: the terms that at least one abstract contains.
        coverage: the share of the weights whose terms the first hit contains, in [0,1].
    """

    hits: tuple[Hit, ...]
    weights: dict[str, float]
    known: frozenset[str]
    coverage: float


class AbstractSearch:
    """A search over files of abstracts, which are indexed if needed.

    Args:
        files: PubMed XML, MEDLINE text or JSON lines, `.gz` or not; of a repeated PMID the first one counts.
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
        watch: Watch = iter,
        only: Container[str] | None = None,
    ) -> None:
        if not files:
            raise UsageError("nothing to search; name files of abstracts")
        place = Path(folder) if folder is not None else default_folder()
        indexes = [index_file(file, place, watch) for file in files]
        # A file given twice counts once.
        self.indexes: tuple[FileIndex, ...] = tuple({index.digest: index for index in reversed(indexes)}.values())[::-1]
        self.documents = sum(index.documents for index in self.indexes)
        self._mean = sum(index.terms for index in self.indexes) / max(1, self.documents)
        self._searchers = [_searcher(index) for index in self.indexes]
        self._only = only

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the files."""
        return tuple(warning for index in self.indexes for warning in index.warnings)

    def __call__(self, query: str, most: int = 20) -> SearchHits:
        """Return at most `most` abstracts that contain a term of the query, the best first.

        A term that is repeated in the query counts repeatedly.

        Raises:
            InputError: an index was damaged after it was opened.
        """
        wanted = Counter(terms(query))
        holding = {term: sum(int(each.doc_freq(TERMS, term)) for each in self._searchers) for term in wanted}
        weights = {term: idf(self.documents, float(n)) for term, n in holding.items()}
        known = {term: weight for term, weight in weights.items() if holding[term]}
        scored: dict[str, tuple[int, int, float, Document]] = {}
        for file in range(len(self.indexes)):
            for number, document in self._candidates(file, wanted, known, max(_LEAST, _WIDER * most)):
                earlier = scored.get(document.id)
                if earlier is None or (file, number) < earlier[:2]:
                    scored[document.id] = file, number, self._score(document, wanted, known), document
        ranked = sorted(scored.values(), key=lambda entry: (-entry[2], int(entry[3].id)))
        hits = tuple(Hit(document, score) for _, _, score, document in ranked[:most])
        weights = {term: wanted[term] * weight for term, weight in weights.items()}
        held = frozenset(terms(hits[0].document.text)) if hits else frozenset()
        coverage = math.fsum(weights[t] for t in weights if t in held) / (math.fsum(weights.values()) or 1.0)
        return SearchHits(hits, weights, frozenset(known), coverage)

    def _candidates(
        self, file: int, wanted: Counter[str], weights: dict[str, float], most: int
    ) -> list[tuple[int, Document]]:
        """Return number in the file and record of the best abstracts of one index, in any order.

        Where only some may be found, `most` of those, unless fewer match.
        """
        import msgspec
        from tantivy import Occur, Query

        searcher, parts = self._searchers[file], []
        try:
            for term, weight in weights.items():
                if here := int(searcher.doc_freq(TERMS, term)):
                    # The index weighs a term by its own documents; this replaces that weight by the one over all files.
                    own = idf(searcher.num_docs, float(here))
                    query = Query.term_query(schema(), TERMS, term, index_option="freq")
                    parts.append((Occur.Should, Query.boost_query(query, wanted[term] * weight / own)))
            asked = most
            while True:
                hits = searcher.search(Query.boolean_query(parts), asked, count=False).hits if parts else ()
                stored = (searcher.doc(address)[STORED][0] for _, address in hits)
                entries = (msgspec.json.decode(entry, type=tuple[int, Document]) for entry in stored)
                found = [entry for entry in entries if self._only is None or entry[1].id in self._only]
                if len(found) >= most or len(hits) < asked:
                    return found
                asked *= 4
        except (ValueError, msgspec.DecodeError):
            advice = "the index was damaged after it was opened; run again to rebuild it"
            raise InputError(advice, self.indexes[file].folder) from None

    def _score(self, document: Document, wanted: Counter[str], weights: dict[str, float]) -> float:
        counts = Counter(terms(document.text))
        length = B * counts.total() / max(self._mean, 1.0)
        return math.fsum(term_scores(float(counts[t]), length, wanted[t] * weight) for t, weight in weights.items())


def _searcher(index: FileIndex) -> Any:
    from tantivy import Index

    try:
        return register(Index.open(str(index.folder))).searcher()
    except ValueError:
        raise InputError("the index cannot be opened; remove its folder to rebuild it", index.folder) from None
