"""The room: its search, the texts it keeps in memory, and its answers, which a reader can steer."""

import hashlib
import math
import re
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from threading import Lock
from time import perf_counter
from typing import Generic, TypeVar

from anyio.from_thread import check_cancelled

from ilpsum.answers.attaching import FOUND, with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.steps import Summarizer
from ilpsum.errors import InputError, SolverError, UsageError, counted
from ilpsum.formats.text import documents_in
from ilpsum.pages.parts import place_name
from ilpsum.pages.reading import answer_of
from ilpsum.pages.room.asking import SLIDER_WORDS, Ask, BroughtText
from ilpsum.pages.view import Answer
from ilpsum.pipeline.citing import with_citations
from ilpsum.pipeline.loading import kind_of
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.prepared import Prepared
from ilpsum.pipeline.system import System
from ilpsum.records import ANY_BUT_RETRACTED, Sentence, SourceFilter, Summary, Topic
from ilpsum.runs.formats import DEFAULT_SYSTEM
from ilpsum.selection import Limits, lambda_path

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

# Cache limits (entries, total characters) for pasted texts, prepared questions and answers; a character of the
# candidates takes about 40 bytes in a prepared question and 17 in an answer.
_HELD, _PREPARED, _ANSWERS = (16, 16 * 2**20), (32, 3 * 2**19), (256, 4 * 2**20)
_STOPS = 256
MOST_DOCUMENTS = 10_000
"""Maximum texts or records kept under one id; indexing more takes longer than a reader waits."""
_QUESTION = re.compile(r"(?:Is|Are|Do|Does|Can|Should|What|Which|How|Why|When)\b")
# Example questions: their number, the search whose results' titles provide them, and its number of results.
_EXAMPLES, _OFTEN_ASKED, _ASKED_OF = 3, "effect role risk treatment patients", 300
# Distance of the word limits tried for the stops of the slider.
_STEP = 10


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer with the data that a page needs to steer it.

    Attributes:
        summary: the underlying summary, with citations if it is from abstracts.
        lambda_: the lambda used.
        cost: share of the objective lost by keeping and barring sentences; nan if none is kept or barred.
    """

    answer: Answer
    summary: Summary
    lambda_: float
    cost: float
    barred: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Stops:
    """Lambdas at which the optimum changes, and the word limits, on a grid, at which the answer changes."""

    lambdas: tuple[float, ...]
    words: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Upload:
    """Texts kept in memory: their id, their number, and warnings from reading them."""

    id: str
    documents: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Services:
    """Literature services: `search` queries them and returns a search over results and abstracts, with warnings."""

    names: str
    search: Callable[[str], tuple[AbstractSearch, tuple[str, ...]]]


class ForgottenError(UsageError):
    """The texts are no longer in memory."""


class Memory(Generic[Key, Value]):
    """A least-recently-used cache of at most `most` values with at most `size` characters in total.

    The newest value is kept whatever its size.
    """

    def __init__(self, most: int, size: int) -> None:
        self._most, self._size, self._lock = most, size, Lock()
        # In order of use, the most recent last.
        self._values: dict[Key, tuple[Value, int]] = {}

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, or None, and mark it as used."""
        with self._lock:
            if known := self._values.pop(key, None):
                self._values[key] = known
            return known[0] if known else None

    def put(self, key: Key, value: Value, size: int) -> Value:
        """Store and return a value of `size` characters."""
        with self._lock:
            self._values.pop(key, None)
            while self._values and (len(self._values) >= self._most or size + self._held() > self._size):
                del self._values[next(iter(self._values))]
            self._values[key] = value, size
        return value

    def drop(self, unwanted: Callable[[Key], bool]) -> None:
        """Remove the values of unwanted keys."""
        with self._lock:
            self._values = {key: value for key, value in self._values.items() if not unwanted(key)}

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def _held(self) -> int:
        return sum(size for _, size in self._values.values())


class Session:
    """Answers questions, caching enough to respond to slider moves at once.

    Args:
        search: search over the abstracts; None if there are only readers' own texts.
        services: literature services to search in addition; None for none.
        found: number of abstracts to retrieve per question.
        coverage, exact: see `ilpsum.answers.attaching.with_documents`.
        wanted: filter for quotable publications, which also applies to readers' own texts.
        examples: example questions; default: questions among the titles of the abstracts.
    """

    def __init__(
        self,
        search: AbstractSearch | None,
        *,
        services: Services | None = None,
        found: int = FOUND,
        coverage: float | None = None,
        exact: bool = False,
        wanted: SourceFilter = ANY_BUT_RETRACTED,
        examples: Sequence[str] = (),
    ) -> None:
        self._examples = tuple(examples)
        self.search, self._found, self._coverage, self._exact = search, found, coverage, exact
        self.services, self._wanted = services, wanted
        # Time limit of all proofs for one request; an answer without a complete proof carries a warning.
        self._limits = Limits(seconds=5.0)
        self._summarizer = Summarizer.load(
            System.load(DEFAULT_SYSTEM).for_reader(strict=True), limits=self._limits, ends=True
        )
        # Load the model before the first question.
        self.lambda_ = self._summarizer.for_kind("searched").lambda_
        # Processing stages of the questions in progress.
        self._stages: dict[Ask, str] = {}
        self._held = Memory[str, tuple[Upload, AbstractSearch]](*_HELD)
        self._ready = Memory[Ask, Prepared](*_PREPARED)
        self._answered = Memory[Ask, Answered](*_ANSWERS)
        self.stops = lru_cache(_STOPS)(self._stops)

    def hold(self, texts: Sequence[BroughtText]) -> Upload:
        """Read texts and keep them in memory under an id of their content. `InputError` if one cannot be read."""
        digest = hashlib.sha256()
        for text in texts:
            digest.update(f"{len(text.name)} {len(text.text)} {text.name}{text.text}".encode())
        name = digest.hexdigest()[:32]
        if known := self._held.get(name):
            return known[0]
        warnings: list[str] = []
        documents = list(documents_in(((t.name, t.text.encode()) for t in texts), warnings, MOST_DOCUMENTS))
        _stop_if_client_left()
        search = AbstractSearch.of_documents(documents, wanted=self._wanted)
        if not search.documents:
            raise InputError("no record has an abstract; export the records again, with their abstracts", texts[0].name)
        held = Upload(name, search.documents, tuple(warnings))
        return self._held.put(name, (held, search), sum(len(text.text) for text in texts))[0]

    @cached_property
    def examples(self) -> tuple[str, ...]:
        """Example questions."""
        if self._examples or self.search is None:
            return self._examples
        titles = (document.title for document in self.search(_OFTEN_ASKED, _ASKED_OF).documents)
        return tuple(dict.fromkeys(title for title in titles if title.endswith("?") and _QUESTION.match(title)))[
            :_EXAMPLES
        ]

    def stage(self, ask: Ask) -> str:
        """Return the processing stage of a question, in words; empty if it is not in progress."""
        return self._stages.get(ask.searched, "")

    def held(self, name: str) -> Upload:
        """Return the texts with an id; `ForgottenError` if they are no longer in memory."""
        return self._search(Ask(held=name))[0]

    def forget(self, name: str) -> Upload:
        """Delete the texts with an id and all results from them; return the texts. Raises as `held` does."""
        forgotten = self.held(name)
        self._held.drop(name.__eq__)
        self._ready.drop(lambda ask: ask.held == name)
        self._answered.drop(lambda ask: ask.held == name)
        return forgotten

    def answer(self, ask: Ask) -> Answered:
        """Answer a question, or return its cached answer; the text equals that of `ilpsum ask` with the same settings.

        Raises:
            ForgottenError: the texts are no longer in memory.
            InputError: an index was damaged after it was opened.
            SolverError: the solver failed.
            UsageError: the question is empty, or the sentences to keep are unknown, barred or too long.
        """
        if known := self._answered.get(ask):
            return known
        try:
            return self._chosen(ask)
        finally:
            self._stages.pop(ask.searched, None)

    def _chosen(self, ask: Ask) -> Answered:
        free = self._prepared(ask.searched)
        prepared, summarizer = self._steered(free, ask), self._pipeline(ask, free)
        self._stages[ask.searched] = "choosing sentences"
        _stop_if_client_left()
        selection = summarizer.select(prepared, ask.words)
        cost = math.nan
        if ask.keep or ask.bar:
            _stop_if_client_left()
            best = summarizer.select(free, ask.words).objective
            cost = max(0.0, best - selection.objective) / max(abs(best), 1e-10)
        summary = summarizer.summary(*summarizer.fill(prepared, selection, ask.words), ask.words)
        cited = with_citations(summary, free.topic) if all(d.sections for d in free.topic.documents) else summary
        answer = answer_of(summary, free.topic, cited.responses)
        barred = tuple(prepared.sentences[i] for i in prepared.bar)
        answered = Answered(answer, cited, summarizer.lambda_, cost, barred)
        return self._answered.put(ask, answered, _characters(prepared))

    def _stops(self, ask: Ask) -> Stops:
        """Return where the answer changes; raises as `answer` does, and `SolverError` if a proof hits its limit."""
        prepared = self._steered(self._prepared(ask.searched), ask)
        if prepared.refused:
            return Stops((), ())
        summarizer = self._pipeline(ask, prepared)
        path = lambda_path(summarizer.problem(prepared, ask.words), limits=summarizer.options.limits)
        least = max(_STEP, sum(prepared.sentences[i].words for i in prepared.keep))
        limits = range(-(-least // _STEP) * _STEP, max(SLIDER_WORDS, ask.words) + 1, _STEP)
        chosen = []
        for words in limits:
            _stop_if_client_left()
            selection = summarizer.select(prepared, words)
            if selection.status == "limit":
                raise SolverError(f"the stops of the slider could not be computed: {selection.warnings[0]}")
            chosen.append(selection.chosen)
        changes = zip(limits, [(), *chosen], chosen, strict=False)
        return Stops(tuple(s.start for s in path[1:]), tuple(words for words, before, now in changes if before != now))

    def _prepared(self, ask: Ask) -> Prepared:
        """Return the candidates of a question, prepared for selection and cached."""
        if known := self._ready.get(ask):
            return known
        try:
            prepared = self._read(ask)
            return self._ready.put(ask, prepared, _characters(prepared))
        finally:
            self._stages.pop(ask, None)

    def _read(self, ask: Ask) -> Prepared:
        query = " ".join(ask.question.split())
        if not query:
            raise UsageError("the question is empty")
        self._stages[ask] = "searching"
        searched, search = self._search(ask, query)
        search = search.restricted(ask.within(self._wanted))
        topic = with_documents(Topic("question", query), search, self._found, self._coverage, self._exact)
        topic = replace(topic, warnings=(*searched.warnings, *topic.warnings))
        _stop_if_client_left()
        self._stages[ask] = f"reading {counted(len(topic.documents), 'text')}"
        return self._summarizer.for_kind(kind_of(topic)).prepare(topic)

    def _search(self, ask: Ask, query: str = "") -> tuple[Upload, AbstractSearch]:
        if not ask.held:
            if self.services and (ask.services or self.search is None):
                found, warnings = self.services.search(query)
                return Upload("", found.documents, warnings), found
            if self.search is None:
                raise UsageError("the server has no abstracts; send texts with the question")
            return Upload("", self.search.documents, self.search.warnings), self.search
        known = self._held.get(ask.held)
        if known is None:
            raise ForgottenError("the server no longer holds these texts; bring them again")
        return known

    def _pipeline(self, ask: Ask, prepared: Prepared) -> Pipeline:
        summarizer = self._summarizer.for_kind(kind_of(prepared.topic))
        options = {"limits": replace(self._limits, start=perf_counter(), stop=_stop_if_client_left)}
        return summarizer.with_options(**options, **({} if ask.lambda_ is None else {"lambda_": ask.lambda_}))

    @staticmethod
    def _steered(prepared: Prepared, ask: Ask) -> Prepared:
        """Return the candidates with the reader's kept and barred sentences marked."""
        rows = {place_name(s): i for i, s in enumerate(prepared.sentences)}
        if unknown := [name for name in (*ask.keep, *ask.bar) if name not in rows]:
            raise UsageError(f"no sentence {unknown[0]} among the abstracts found; leave it out")
        if both := sorted({*ask.keep} & {*ask.bar}):
            raise UsageError(f"sentence {both[0]} is both pinned and excluded; choose one")
        keep, bar = (tuple(sorted(rows[name] for name in names)) for names in (ask.keep, ask.bar))
        if (words := sum(prepared.sentences[i].words for i in keep)) > ask.words:
            raise UsageError(f"the pinned sentences have {words} words, more than the limit of {ask.words}; raise it")
        return replace(prepared, keep=keep, bar=bar)


def _characters(prepared: Prepared) -> int:
    return sum(len(sentence.text) for sentence in prepared.sentences)


def _stop_if_client_left() -> None:
    """Cancel the work if its client has disconnected; does nothing outside the server's threads."""
    with suppress(RuntimeError):
        check_cancelled()
