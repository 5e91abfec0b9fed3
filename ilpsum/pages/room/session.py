"""A session of the reading room: its search, the texts it keeps in memory, and answers that a reader can steer."""

import hashlib
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Lock
from time import perf_counter
from typing import Generic, TypeVar

from anyio.from_thread import check_cancelled

from ilpsum.answers.attaching import FOUND, with_documents
from ilpsum.answers.finding import SERVICES, Finding
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.sources import Sources
from ilpsum.answers.steps import Summarizer
from ilpsum.errors import InputError, UsageError, counted
from ilpsum.formats.text import documents_in
from ilpsum.pages.parts import place_name
from ilpsum.pages.reading import answer_of
from ilpsum.pages.room.asking import Ask, BroughtText
from ilpsum.pages.view import Answer
from ilpsum.pipeline.objective import Prepared
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System, kind_of
from ilpsum.pipeline.text import with_citations
from ilpsum.records import Sentence, Topic
from ilpsum.runs import DEFAULT_SYSTEM
from ilpsum.selection import Limits

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

# Cache limits (entries, total characters) for uploads, prepared questions and answers; a character of the candidates
# takes about 40 bytes in a prepared question and 17 in an answer.
_UPLOADS, _PREPARED, _ANSWERS = (16, 16 * 2**20), (32, 3 * 2**19), (256, 4 * 2**20)
MOST_DOCUMENTS = 10_000
"""Maximum texts or records kept under one id; indexing more takes longer than a reader waits."""


@dataclass(frozen=True, slots=True)
class Steered:
    """An answer with the data that a page needs to steer it.

    Attributes:
        lambda_: the lambda used.
    """

    answer: Answer
    lambda_: float
    barred: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Upload:
    """Texts kept in memory: their id, their number, and warnings from reading them."""

    id: str
    documents: int
    warnings: tuple[str, ...]


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
            self._values[key] = value, size
            while len(self._values) > 1 and (
                len(self._values) > self._most or sum(size for _, size in self._values.values()) > self._size
            ):
                del self._values[next(iter(self._values))]
        return value

    def __len__(self) -> int:
        return len(self._values)

    def drop(self, unwanted: Callable[[Key], bool]) -> None:
        """Remove the values of unwanted keys."""
        with self._lock:
            self._values = {key: value for key, value in self._values.items() if not unwanted(key)}


class Session:
    """Answers questions, caching enough to respond to slider moves at once.

    Args:
        search: search over the abstracts; None if there are only services and readers' own texts.
        sources: literature services to search in addition, search options, and the filter for quotable publications,
            which also applies to readers' own texts.
        examples: example questions, for the page without a question.
    """

    def __init__(
        self, search: AbstractSearch | None, sources: Sources | None = None, *, examples: Sequence[str] = ()
    ) -> None:
        self.search, self._sources, self.examples = search, sources or Sources(), examples
        self.services = " and ".join(SERVICES[name].name for name in self._sources.services)
        # What services find is indexed, and an index has a single writer.
        self._one_search = Lock()
        # Time limit of all proofs for one request; an answer without a complete proof carries a warning.
        self._limits = Limits(seconds=5.0)
        self._summarizer = Summarizer.load(
            System.load(DEFAULT_SYSTEM).for_reader(strict=True), limits=self._limits, may_stop_early=True
        )
        # Load the model before the first question.
        self.lambda_ = self._summarizer.for_kind("searched").lambda_
        # Processing stages of the questions in progress.
        self._stages: dict[Ask, str] = {}
        self._uploads = Memory[str, tuple[Upload, AbstractSearch]](*_UPLOADS)
        self._ready = Memory[Ask, Prepared](*_PREPARED)
        self._answered = Memory[Ask, Steered](*_ANSWERS)

    def hold(self, texts: Sequence[BroughtText]) -> Upload:
        """Read texts and keep them in memory under an id of their content. `InputError` if one cannot be read."""
        digest = hashlib.sha256()
        for text in texts:
            digest.update(f"{len(text.name)} {len(text.text)} {text.name}{text.text}".encode())
        name = digest.hexdigest()[:32]
        if known := self._uploads.get(name):
            return known[0]
        warnings: list[str] = []
        documents = list(documents_in(((t.name, t.text.encode()) for t in texts), warnings, MOST_DOCUMENTS))
        _stop_if_client_left()
        search = AbstractSearch.of_documents(documents, wanted=self._sources.wanted)
        if not search.documents:
            raise InputError("no record has an abstract; export the records again, with their abstracts", texts[0].name)
        upload = Upload(name, search.documents, tuple(warnings))
        return self._uploads.put(name, (upload, search), sum(len(text.text) for text in texts))[0]

    def stage(self, ask: Ask) -> str:
        """Return the processing stage of a question, in words; empty if it is not in progress."""
        return self._stages.get(ask.searched, "")

    def held(self, name: str) -> Upload:
        """Return the texts with an id; `ForgottenError` if they are no longer in memory."""
        return self._search(Ask(held=name))[0]

    def forget(self, name: str) -> Upload:
        """Delete the texts with an id and all results from them; return the texts. Raises as `held` does."""
        forgotten = self.held(name)
        self._uploads.drop(name.__eq__)
        for memory in (self._ready, self._answered):
            memory.drop(lambda ask: ask.held == name)
        return forgotten

    def waits(self, ask: Ask) -> bool:
        """Whether services must be asked before a question can be answered."""
        wanted = self.services and not ask.held and (ask.services or self.search is None) and ask.question.strip()
        return bool(wanted) and not (self._answered.get(ask) or self._ready.get(ask.searched))

    def fetch(self, ask: Ask) -> list[Finding]:
        """Return what the services have for a question; takes as long as they do. Raises as `Sources.find` does."""

        def tell(text: str) -> None:
            self._stages[ask.searched] = text
            _stop_if_client_left()

        try:
            return replace(self._sources, tell=tell).fetch(_query(ask))
        finally:
            self._stages.pop(ask.searched, None)

    def answer(self, ask: Ask, fetched: list[Finding] | None = None) -> Steered:
        """Answer a question, or return its cached answer; the text equals that of `ilpsum ask` with the same settings.

        `fetched` is the result of `fetch`; by default, services are asked now.

        Raises:
            ForgottenError: the texts are no longer in memory.
            InputError: an index was damaged after it was opened.
            SolverError: the solver failed.
            UsageError: the question is empty, or the sentences to keep are unknown, barred or too long.
        """
        if known := self._answered.get(ask):
            return known
        try:
            return self._chosen(ask, fetched)
        finally:
            self._stages.pop(ask.searched, None)

    def _chosen(self, ask: Ask, fetched: list[Finding] | None) -> Steered:
        free = self._prepared(ask.searched, fetched)
        prepared, summarizer = _steered(free, ask), self._pipeline(ask, free)
        self._stages[ask.searched] = "choosing sentences"
        _stop_if_client_left()
        selection = summarizer.select(prepared, ask.words)
        summary = summarizer.summary(*summarizer.fill(prepared, selection, ask.words), ask.words)
        from_abstracts = all(d.sections for d in free.topic.documents)
        responses = with_citations(summary, free.topic).responses if from_abstracts else ()
        barred = tuple(prepared.sentences[i] for i in prepared.bar)
        steered = Steered(answer_of(summary, free.topic, responses), summarizer.lambda_, barred)
        return self._answered.put(ask, steered, _characters(prepared))

    def _prepared(self, ask: Ask, fetched: list[Finding] | None) -> Prepared:
        """Return the candidates of a question, prepared for selection and cached."""
        if known := self._ready.get(ask):
            return known
        query = _query(ask)
        self._stages[ask] = "searching"
        upload, search = self._search(ask, query, fetched)
        search = search.restricted(ask.within(self._sources.wanted))
        found, options = self._sources.found or FOUND, (self._sources.coverage, self._sources.exact)
        topic = with_documents(Topic("question", query), search, found, *options)
        topic = replace(topic, warnings=(*upload.warnings, *topic.warnings))
        _stop_if_client_left()
        self._stages[ask] = f"reading {counted(len(topic.documents), 'text')}"
        prepared = self._summarizer.for_kind(kind_of(topic)).prepare(topic)
        return self._ready.put(ask, prepared, _characters(prepared))

    def _search(self, ask: Ask, query: str = "", fetched: list[Finding] | None = None) -> tuple[Upload, AbstractSearch]:
        if ask.held:
            if known := self._uploads.get(ask.held):
                return known
            raise ForgottenError("the server no longer holds these texts; bring them again")
        if self.services and (ask.services or self.search is None):
            with self._one_search:
                found, _, warnings = self._sources.search(query, fetched)
            return Upload("", found.documents, tuple(warnings)), found
        if self.search is None:
            raise UsageError("the server has no abstracts; send texts with the question")
        return Upload("", self.search.documents, self.search.warnings), self.search

    def _pipeline(self, ask: Ask, prepared: Prepared) -> Pipeline:
        summarizer = self._summarizer.for_kind(kind_of(prepared.topic))
        options = {"limits": replace(self._limits, start=perf_counter(), stop=_stop_if_client_left)}
        return summarizer.with_options(**options, **({} if ask.lambda_ is None else {"lambda_": ask.lambda_}))


def _query(ask: Ask) -> str:
    if query := " ".join(ask.question.split()):
        return query
    raise UsageError("the question is empty")


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
