"""Rank the abstracts that answer a question by BM25 (`features.retrieval`) over all given files.

The collection is the abstracts of all given files, with terms from `ilpsum.pipeline.terms`. The
weight of a query term is its IDF over them and a background (`ilpsum.answers.weights`). Its
frequency in an abstract is its own count plus the weighted count of its best alternative
(`ilpsum.answers.alternatives`); an alternative of several terms occurs as often as its rarest term.

The index nominates candidates by an estimate: it rounds lengths, normalises them by the mean over
all its files, and scores an alternative as a constant. The candidates are then scored exactly, over
the given files alone.
"""

import math
import sys
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tantivy import Occur, Query

from features.retrieval import B, idf, term_scores
from ilpsum.answers.alternatives import SearchQuery
from ilpsum.answers.correcting import correction, may_be_mistyped, question_word
from ilpsum.answers.entries import (
    DEFINED,
    EVERY,
    FILE,
    KEYS,
    RECORD,
    Abstract,
    IndexedFile,
    all_of,
    any_of,
    identity,
    term_query,
)
from ilpsum.answers.indexing import Collection, Watch, default_folder, in_memory, index_files
from ilpsum.answers.open_index import OpenIndex, Place, reopen
from ilpsum.answers.weights import pooled_idf, smoothed_idf
from ilpsum.errors import UsageError
from ilpsum.files.identifiers import ids_of
from ilpsum.literature.filtering import admits, missing_metadata
from ilpsum.literature.identity import grouped, united
from ilpsum.literature.pubmed import number_of
from ilpsum.pipeline.terms import is_numbered
from ilpsum.records import (
    ANY_BUT_RETRACTED,
    Alternative,
    Correction,
    Document,
    FoundDocument,
    SearchResult,
    SourceFilter,
)

# The index nominates this multiple of the requested abstracts, and at least this many.
_WIDER, _LEAST = 5, 100
# Additional share of candidates for duplicate records of an article: one in this many.
_MARGIN = 4
# Number of abstracts that are searched for the other form of an abbreviation.
_DEFINING = 100

# Ids that a search may return; None for all.
Only: TypeAlias = Container[str] | None
_Numbered: TypeAlias = tuple[IndexedFile, tuple[int, int] | None]


@dataclass(frozen=True, slots=True)
class SearchHits:
    """The result of a search.

    Attributes:
        documents: by descending BM25; ties by ascending PMID, other ids last.
        result: the search result stored with a topic; `found` has the BM25 of each document.
        holding: number of abstracts that contain each of the result's words in any form.
        retracted: ids of retracted abstracts that were left out although among the best.
    """

    documents: tuple[Document, ...]
    result: SearchResult
    holding: dict[str, int]
    retracted: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Wanted:
    """Scoring weights: q(t) IDF(t) of known terms, and alternatives with the terms they replace."""

    weights: dict[str, float]
    alternatives: tuple[tuple[tuple[str, ...], Alternative], ...]

    @cached_property
    def _terms(self) -> frozenset[str]:
        """All terms that affect scores."""
        return frozenset(self.weights).union(
            *(alternative.terms for _, alternative in self.alternatives)
        )

    def frequencies(self, terms: str) -> dict[str, float]:
        """Return the weighted frequency of each query term in a text, in any form, given the text's
        terms.
        """
        counts = Counter(filter(self._terms.__contains__, terms.split()))
        best: dict[str, float] = {}
        for replaced, alternative in self.alternatives:
            if times := min(counts[term] for term in alternative.terms):
                for term in replaced:
                    best[term] = max(best.get(term, 0.0), alternative.factor * times)
        frequency = {term: counts[term] + best.get(term, 0.0) for term in self.weights}
        return {term: times for term, times in frequency.items() if times}

    def score(self, frequencies: Mapping[str, float], share: float) -> float:
        """Return the score of a text, given its length as a share of the mean length."""
        length = B * share
        return math.fsum(
            term_scores(times, length, self.weights[term]) for term, times in frequencies.items()
        )

    def nominating(self, index: OpenIndex) -> object:
        """Return the tantivy query that nominates candidates."""
        parts = []
        for term, weight in self.weights.items():
            if here := index.weighed(term):
                # Replaces tantivy's own weight of the term.
                boost = weight / idf(index.size, float(here))
                parts.append(Query.boost_query(term_query(term), boost))
        for replaced, alternative in self.alternatives:
            constant = alternative.factor * math.fsum(self.weights[term] for term in replaced)
            parts.append(Query.const_score_query(all_of(alternative.terms), constant))
        return Query.boolean_query([(Occur.Should, part) for part in parts])


class _Candidate(NamedTuple):
    """A nominated abstract, its frequencies of query terms, and its BM25."""

    entry: Abstract
    frequencies: Mapping[str, float]
    score: float

    def rank(self) -> tuple[float, int, str]:
        """Return a sort key: the best first, then PMIDs in order, other ids last."""
        name = self.entry.document.id
        number = min(identity(name), sys.maxsize)
        # Equal scores may differ in their last digits, by the order of their sums.
        return -round(self.score, 9), number, "" if number < sys.maxsize else name


MOST_CHARACTERS = 10_000
"""Maximum length of a question: a case history has some 5,000 characters."""


def require_short(question: str) -> None:
    """Raise `UsageError` for a question of more than `MOST_CHARACTERS`."""
    if len(question) > MOST_CHARACTERS:
        raise UsageError(
            f"expected a question of at most {MOST_CHARACTERS:,} characters, got "
            f"{len(question):,}; shorten it"
        )


class AbstractSearch:
    """A search over abstract files, which are indexed if needed.

    Of several records of an article (`ilpsum.literature.identity`) the fullest is used; of those in
    PubMed's own files (`pubmed26n0001.xml.gz`), the newest, i.e. in the file with the highest
    number, unless such a file withdraws it. Word counts include all abstracts.

    Args:
        folder: index folder; `default_folder()` if None.
        watch: wraps the abstracts as they are indexed, to show progress.
        only: identifiers that may be found; None for all.

    Raises:
        InputError: a file cannot be read.
        IlpsumError: the folder cannot be written.
        UsageError: no files are given.
    """

    def __init__(
        self,
        files: Sequence[str | Path],
        folder: str | Path | None = None,
        watch: Watch | None = None,
        only: Only = None,
        wanted: SourceFilter = ANY_BUT_RETRACTED,
    ) -> None:
        if not files:
            raise UsageError("nothing to search; name files of abstracts")
        folder = Path(folder) if folder is not None else default_folder()
        self._set_up(OpenIndex(*index_files(files, folder, watch)), only, wanted)

    @classmethod
    def of_documents(
        cls,
        documents: Iterable[Document],
        wanted: SourceFilter = ANY_BUT_RETRACTED,
    ) -> "AbstractSearch":
        """Create a search over documents in memory, with the same ranking as an index of them on
        disk.
        """
        search = cls.__new__(cls)
        search._set_up(OpenIndex(*in_memory(documents)), None, wanted)
        search.what = "text"
        return search

    def _set_up(self, index: OpenIndex, only: Only, wanted: SourceFilter) -> None:
        # Noun for the searched texts, for messages.
        self.what = "abstract"
        # Warnings about the files, and the files.
        self.warnings = index.collection.warnings
        self.files = tuple(index.collection.paths.values())
        # Whether a service chose the abstracts for the question: how many of them have a word does
        # not show how rare it is.
        self.fetched = False
        # The number of abstracts.
        self.documents = sum(file.documents for file in index.files)
        self._index, self._only, self._wanted = index, only, wanted
        self._mean = sum(file.terms for file in index.files) / max(1, self.documents)
        # By file digest: precedence, and the sign applied to record numbers. By withdrawn id:
        # precedence of the withdrawing file.
        self._ranks: dict[str, tuple[int, int]] = {}
        self._withdrawn: dict[str, int] = {}
        files = [(file, number_of(index.collection.paths[file.digest])) for file in index.files]
        for place, (file, number) in enumerate(_by_precedence(files)):
            self._ranks[file.digest] = place, -1 if number else 1
            for name in file.deleted:
                self._withdrawn.setdefault(name, place)

    def titles(self, most: int) -> list[str]:
        """Return the titles of at most `most` of the abstracts."""
        is_entry = Occur.Must, term_query(EVERY, FILE)
        is_no_record = Occur.MustNot, term_query(RECORD, FILE)
        abstracts = Query.boolean_query([is_entry, is_no_record])
        entries = self._index.first(abstracts, most)
        return [entry.document.title.strip("[]. ") for entry in entries]

    @property
    def reopening(self) -> "Callable[[], AbstractSearch]":
        """Returns an equal search when called, in another process or on a machine with the index at
        the same path.

        It can be pickled. It raises `UsageError` if the index there is absent or different.
        """
        return partial(AbstractSearch._reopened, self._index.collection, self._only, self._wanted)

    @classmethod
    def _reopened(
        cls,
        collection: Collection,
        only: Only,
        wanted: SourceFilter,
    ) -> "AbstractSearch":
        search = cls.__new__(cls)
        search._set_up(reopen(collection), only, wanted)
        return search

    def __call__(self, query: str, most: int = 20) -> SearchHits:
        """Return at most `most` abstracts that contain a query term in any form, best first.

        Repeated query terms count repeatedly.

        Raises:
            UsageError: the query has more than `MOST_CHARACTERS`.
            InputError: the index is damaged.
        """
        require_short(query)
        asked = SearchQuery.of(query)
        alternatives = self._alternatives(asked)
        weights, holding = self._weights(asked, alternatives)
        weight_of = {term: weight for term, weight in weights.items() if holding[term]}
        candidates, passed = list[_Candidate](), list[Document]()
        if weight_of:
            wanted = _Wanted(weight_of, alternatives)
            candidates, passed = self._candidates(wanted, max(_LEAST, _WIDER * most))
        ranked = sorted(candidates, key=_Candidate.rank)[:most]
        for candidate in ranked:
            self._index.read(candidate.entry)
        documents = tuple(candidate.entry.document for candidate in ranked)
        found_documents = tuple(FoundDocument(hit.entry.document.id, hit.score) for hit in ranked)
        best = ranked[0].frequencies if ranked else {}
        covered = math.fsum(weights[term] for term in best)
        total = math.fsum(weights.values())
        result = SearchResult(
            searched=self.documents,
            fetched=self.fetched,
            query=query,
            coverage=covered / (total or 1.0),
            missing=tuple(asked.words[term] for term in weights if not holding[term]),
            weights=tuple((asked.words[term], weight) for term, weight in weight_of.items()),
            found=found_documents,
            alternatives=tuple(alternative for _, alternative in alternatives),
            missing_metadata=missing_metadata(self._wanted, passed),
        )
        retracted = list[str]()
        if not self._wanted.retracted:
            retracted = [d.id for d in passed if not d.publication.is_evidence]
        holding_words = {asked.words[term]: holding[term] for term in weight_of}
        return SearchHits(documents, result, holding_words, tuple(retracted))

    def restricted(self, wanted: SourceFilter) -> "AbstractSearch":
        """Return a copy of this search with another source filter."""
        search = copy(self)
        search._wanted = wanted
        return search

    def corrections(self, query: str) -> tuple[Correction, ...]:
        """Return corrections of query words that no abstract contains
        (`ilpsum.answers.correcting`).
        """
        asked = SearchQuery.of(query)
        opening = question_word(query)
        candidates = may_be_mistyped(query) | opening.keys()
        absent = dict.fromkeys(
            word
            for term, word in asked.words.items()
            if word in candidates and not self._index.holding(term)
        )
        if not absent:
            return ()
        for _, alternative in self._alternatives(asked):
            for word in alternative.words:
                absent.pop(word, None)
        corrections = []
        for word in absent:
            capital = word not in query
            other = opening.get(word) or correction(word, self._index, capital=capital)
            if other:
                corrections.append(Correction(word, other))
        return tuple(corrections)

    def _alternatives(self, query: SearchQuery) -> tuple[tuple[tuple[str, ...], Alternative], ...]:
        """Return alternatives whose terms occur in the files, each with the query terms that it may
        replace.
        """
        term_of = {word: term for term, word in query.words.items()}
        alternatives = []
        for alternative in query.alternatives(self._definitions):
            replaced = tuple(term_of[word] for word in alternative.words)
            if self._occurs(replaced, alternative.terms):
                alternatives.append((replaced, alternative))
        return tuple(alternatives)

    def _occurs(self, replaced: Sequence[str], terms: Sequence[str]) -> bool:
        """Whether the terms of an alternative occur; together in one abstract, if the terms they
        replace do not.
        """
        if not all(map(self._index.holding, terms)):
            return False
        return (
            len(terms) == 1
            or all(map(self._index.holding, replaced))
            or self._index.count(all_of(terms)) > 0
        )

    def _weights(
        self,
        query: SearchQuery,
        alternatives: Sequence[tuple[tuple[str, ...], Alternative]],
    ) -> tuple[dict[str, float], dict[str, int]]:
        """Return q(t) IDF(t) of the query terms, and the number of abstracts that contain each in
        any form.

        A term that occurs only through alternatives gets the IDF of the most frequent one, i.e. of
        its rarest term.
        """
        holding = {term: self._index.holding(term) for term in query.words}
        for replaced, alternative in alternatives:
            for term in replaced:
                if not self._index.holding(term):
                    holding[term] = max(
                        holding[term], min(map(self._index.holding, alternative.terms))
                    )
        weights, weighed = {}, pooled_idf if self.fetched else smoothed_idf
        for term, times in Counter(query.terms).items():
            # A word and a number that are never adjacent in an abstract are not a compound.
            if holding[term] or not is_numbered(query.words[term]):
                weights[term] = times * weighed(query.words[term], holding[term], self.documents)
        return weights, holding

    def _definitions(self, form: str) -> Iterator[tuple[str, str]]:
        """Yield (short, long) pairs of definitions that contain a form, from the abstracts with the
        lowest PMIDs.
        """
        if self._index.holding(form, DEFINED):
            for entry in self._index.first(term_query(form, DEFINED), _DEFINING):
                yield from (pair for pair in entry.definitions if form in pair)

    def _candidates(self, wanted: _Wanted, most: int) -> tuple[list[_Candidate], list[Document]]:
        """Return the best candidates by the index's estimate, at most `most`, and all documents
        before filtering.
        """
        # Ask for some more, because several records may belong to one article.
        query, asked = wanted.nominating(self._index), most + most // _MARGIN
        while True:
            nominated = self._index.placed(query, asked)
            articles = self._articles(nominated)
            entries = [entry for entry in articles if admits(self._wanted, entry.document)]
            if len(entries) >= most or len(nominated) < asked:
                # The record chosen for an article may lack the words of the nominated one.
                candidates = [self._candidate(entry, wanted) for entry in entries[:most]]
                candidates = [candidate for candidate in candidates if candidate.frequencies]
                return candidates, [entry.document for entry in articles]
            asked *= 4

    def _candidate(self, entry: Abstract, wanted: _Wanted) -> _Candidate:
        frequencies = wanted.frequencies(entry.terms)
        length = entry.length / max(self._mean, 1.0)
        return _Candidate(entry, frequencies, wanted.score(frequencies, length))

    def _rank(self, entry: Abstract) -> tuple[int, int]:
        """Return the sort key of an abstract: of records with the same id, the one with the least
        key is used.
        """
        precedence, sign = self._ranks[entry.file]
        return precedence, sign * entry.number

    def _is_current(self, entry: Abstract) -> bool:
        """Return whether an abstract may be found and is not withdrawn."""
        document, precedence = entry.document, self._ranks[entry.file][0]
        if self._withdrawn.get(document.id, sys.maxsize) <= precedence:
            return False
        if self._only is None or document.id in self._only:
            return True
        return any(name in self._only for name in ids_of(document.publication))

    def _articles(self, nominated: Mapping[Place, Abstract]) -> list[Abstract]:
        """Return one abstract for each nominated article, in order."""
        current = list(filter(self._is_current, nominated.values()))
        keys = {key for entry in current for key in entry.keys}
        others = self._index.placed(any_of(KEYS, keys), known=nominated.keys()) if keys else {}
        records = [*current, *filter(self._is_current, others.values())]
        times = Counter(key for entry in records for key in entry.keys)
        shared = [entry for entry in records if any(times[key] > 1 for key in entry.keys)]
        shared.sort(key=self._rank)
        articles: dict[tuple[str, int], Abstract] = {}
        for group in grouped([entry.document for entry in shared]):
            members = [shared[i] for i in group]
            article = self._united(members)
            for member in members:
                articles[member.file, member.number] = article
        united_entries = (articles.get((entry.file, entry.number), entry) for entry in current)
        return list({id(entry): entry for entry in united_entries}.values())

    def _united(self, records: Sequence[Abstract]) -> Abstract:
        """Merge the records of an article, sorted by rank; of PubMed's own records only the newest
        is used.
        """
        kept, numbered = list[Abstract](), set[str]()
        for entry in records:
            if self._ranks[entry.file][1] < 0:
                if entry.document.id in numbered:
                    continue
                numbered.add(entry.document.id)
            kept.append(entry)
        document = united(entry.document for entry in kept)
        best = next(entry for entry in kept if entry.document.text == document.text)
        return (
            best
            if best.document == document
            else replace(
                best,
                document=document,
                packed=b"",
            )
        )


def _by_precedence(files: Sequence[_Numbered]) -> Iterator[_Numbered]:
    """Yield files with their PubMed numbers, in order, except that PubMed files are sorted from
    newest to oldest.
    """
    newest = sorted((file for file in files if file[1]), key=lambda file: file[1] or (0, 0))
    yield from (newest.pop() if file[1] else file for file in files)
