"""The room: what it searches, the texts that it holds, and its answers, which a reader steers."""

import hashlib
import math
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from typing import Generic, TypeVar

from anyio.from_thread import check_cancelled

from ilpsum.corpora.text import documents_in
from ilpsum.errors import InputError, UsageError
from ilpsum.pipeline.citing import with_citations
from ilpsum.pipeline.filling import fill
from ilpsum.pipeline.loading import kind_of
from ilpsum.pipeline.prepared import Prepared
from ilpsum.pipeline.summarizer import Summarizer
from ilpsum.pipeline.system import System
from ilpsum.records import Sentence, Summary, Topic
from ilpsum.report.reading import Reading, reading_of
from ilpsum.retrieval import FOUND, AbstractSearch, with_documents
from ilpsum.runs.formats import DEFAULT_SYSTEM
from ilpsum.selection import Limits, lambda_path
from ilpsum.serve.asking import SLIDER_WORDS, Ask, Text

Value = TypeVar("Value")

# What is remembered: texts that were pasted, questions ready for selection, answers.
_HELD, _PREPARED, _ANSWERS = 16, 32, 256
# Word limits that are tried for the stops of the slider.
_STEP = 10


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer and what a page needs to steer it.

    Attributes:
        ask: the question with its settings.
        reading: the answer, with what says the same elsewhere.
        quoted: the same answer with the sources that it quotes only.
        summary: the summary behind it.
        topic: the question with its documents.
        lambda_: in force.
        cost: the share of the objective that keeping and barring sentences cost; nan if there is none.
        barred: the sentences that were barred.
    """

    ask: Ask
    reading: Reading
    quoted: Reading
    summary: Summary
    topic: Topic
    lambda_: float
    cost: float
    barred: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Stops:
    """Where an answer changes when it is steered.

    Attributes:
        lambdas: where the optimum changes, at the word limit of the question.
        words: word limits, in steps, whose answer differs from the one before.
    """

    lambdas: tuple[float, ...]
    words: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """Texts that the room holds: their id, their number, and warnings of their reading."""

    id: str
    documents: int
    warnings: tuple[str, ...]


class ForgottenError(UsageError):
    """Texts that the room holds no longer."""


class Room:
    """Answers questions, and remembers enough to answer the next move of a slider at once.

    Args:
        search: over the abstracts; None if there are only texts that readers bring.
        found: abstracts to find for a question.
        coverage: see `ilpsum.retrieval.with_documents`.
        seconds: time limit of one proof; an answer cut short by it carries a warning.
    """

    def __init__(
        self, search: AbstractSearch | None, *, found: int = FOUND, coverage: float | None = None, seconds: float = 5.0
    ) -> None:
        self.search, self._found, self._coverage = search, found, coverage
        self._limits = Limits(seconds=seconds)
        self._summarizer = Summarizer.load(System.load(DEFAULT_SYSTEM).for_reader(strict=True), limits=self._limits)
        # Load the model before the first question.
        self._summarizer.for_kind("searched")
        self._held: _Recent[tuple[Held, AbstractSearch]] = _Recent(_HELD)
        self._prepared = lru_cache(_PREPARED)(self._prepare)
        self.answer = lru_cache(_ANSWERS)(self._answer)
        self.stops = lru_cache(_ANSWERS)(self._stops)

    def hold(self, texts: Sequence[Text]) -> Held:
        """Read texts and hold them in memory; the same texts have the same id.

        Raises:
            InputError: a text is empty, or of a kind that is not read.
        """
        digest = hashlib.sha256()
        for text in texts:
            digest.update(f"{len(text.name)} {len(text.text)} {text.name}{text.text}".encode())
        name = digest.hexdigest()[:32]
        if known := self._held.get(name):
            return known[0]
        warnings: list[str] = []
        search = AbstractSearch.of_documents(documents_in(((t.name, t.text.encode()) for t in texts), warnings))
        if not search.documents:
            raise InputError("no record has an abstract; export the records again, with their abstracts", texts[0].name)
        held = Held(name, search.documents, tuple(warnings))
        self._held.put(name, (held, search))
        return held

    def held(self, name: str) -> Held:
        """Return the texts of an id.

        Raises:
            ForgottenError: they are held no longer.
        """
        return self._search(name)[0]

    def _answer(self, ask: Ask) -> Answered:
        """Answer a question: the text of `ilpsum ask` with the same settings.

        Raises:
            ForgottenError: the texts are held no longer.
            InputError: an index was damaged after it was opened.
            SolverError: the solver failed.
            UsageError: the question is empty, or no answer can have the sentences to keep.
        """
        free = self._prepared(ask.question, ask.held)
        prepared, summarizer = self._steered(free, ask), self._of(ask, free)
        _go_on()
        selection = summarizer.select(prepared, ask.words)
        cost = math.nan
        if ask.keep or ask.bar:
            _go_on()
            best = summarizer.select(free, ask.words).objective
            cost = max(0.0, best - selection.objective) / max(abs(best), 1e-10)
        summary = summarizer.summary(*fill(summarizer, prepared, selection, ask.words), ask.words)
        quoted = reading_of(summary, free.topic)
        cited = with_citations(summary, free.topic) if all(d.sections for d in free.topic.documents) else summary
        return Answered(
            ask,
            quoted.with_support(cited.responses, free.topic),
            quoted,
            cited,
            free.topic,
            summarizer.lambda_,
            cost,
            tuple(prepared.sentences[i] for i in prepared.bar),
        )

    def _stops(self, ask: Ask) -> Stops:
        """Return where the answer to a question changes; errors as of `answer`, and a `SolverError` at a limit."""
        prepared = self._steered(self._prepared(ask.question, ask.held), ask)
        summarizer = self._of(ask, prepared)
        path = lambda_path(summarizer.problem(prepared, ask.words), limits=self._limits)
        least = max(_STEP, sum(prepared.sentences[i].words for i in prepared.keep))
        limits = range(-(-least // _STEP) * _STEP, max(SLIDER_WORDS, ask.words) + 1, _STEP)
        chosen = []
        for words in limits:
            _go_on()
            chosen.append(summarizer.select(prepared, words).chosen)
        changes = zip(limits, [(), *chosen], chosen, strict=False)
        return Stops(tuple(s.start for s in path[1:]), tuple(words for words, before, now in changes if before != now))

    def _prepare(self, question: str, held: str) -> Prepared:
        """Return the candidates of a question, ready for selection."""
        query = " ".join(question.split())
        if not query:
            raise UsageError("the question is empty")
        known, search = self._search(held)
        topic = with_documents(Topic("question", query), search, self._found, self._coverage)
        topic = replace(topic, warnings=(*known.warnings, *topic.warnings))
        _go_on()
        return self._summarizer.for_kind(kind_of(topic)).prepare(topic)

    def _search(self, held: str) -> tuple[Held, AbstractSearch]:
        if not held:
            if self.search is None:
                raise UsageError("the room has no abstracts; bring texts with the question")
            return Held("", self.search.documents, self.search.warnings), self.search
        known = self._held.get(held)
        if known is None:
            raise ForgottenError("these texts are no longer held; paste them again")
        return known

    def _of(self, ask: Ask, prepared: Prepared) -> Summarizer:
        summarizer = self._summarizer.for_kind(kind_of(prepared.topic))
        return summarizer if ask.lambda_ is None else summarizer.at(ask.lambda_)

    @staticmethod
    def _steered(prepared: Prepared, ask: Ask) -> Prepared:
        """Return the candidates with the sentences that the reader keeps and bars."""
        rows = {place(*s.place): i for i, s in enumerate(prepared.sentences)}
        if unknown := [name for name in (*ask.keep, *ask.bar) if name not in rows]:
            raise UsageError(f"no sentence {unknown[0]} among the abstracts found; leave it out")
        if both := sorted({*ask.keep} & {*ask.bar}):
            raise UsageError(f"sentence {both[0]} is to be kept and barred; choose one")
        keep, bar = (tuple(sorted(rows[name] for name in names)) for names in (ask.keep, ask.bar))
        if (words := sum(prepared.sentences[i].words for i in keep)) > ask.words:
            raise UsageError(f"the sentences to keep have {words} words, the answer at most {ask.words}; allow more")
        return replace(prepared, keep=keep, bar=bar)


def _go_on() -> None:
    """Stop the work here if its client has left; outside a server's thread nobody leaves."""
    with suppress(RuntimeError):
        check_cancelled()


def place(document: str, start: int, end: int) -> str:
    """The name of a sentence in addresses and requests."""
    return f"{document}:{start}-{end}"


class _Recent(Generic[Value]):
    """The values that were used last."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._values: OrderedDict[str, Value] = OrderedDict()

    def get(self, key: str) -> Value | None:
        """Return a value and mark it as used."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: str, value: Value) -> None:
        """Remember a value, and forget the one that was used the longest time ago if there are too many."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
