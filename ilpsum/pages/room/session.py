"""A session of the reading room: its search, and answers that a reader can steer."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from threading import Lock
from time import perf_counter
from typing import NamedTuple

from anyio.from_thread import check_cancelled

from ilpsum.answers import retrieval
from ilpsum.answers.finding import MOST, SERVICES, Finding
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.sources import Sources
from ilpsum.answers.steps import Summarizer
from ilpsum.errors import UsageError, counted
from ilpsum.learning.judging.judge import Judge
from ilpsum.pages.answer import place_name
from ilpsum.pages.room.asking import Ask
from ilpsum.pages.room.examples import questions
from ilpsum.pages.view import Answer, answer_of, today
from ilpsum.pipeline.judged import JudgeScorer
from ilpsum.pipeline.objective import Prepared
from ilpsum.pipeline.system import System, kind_of
from ilpsum.records import Document, Outcome
from ilpsum.runs import DEFAULT_SYSTEM
from ilpsum.selection import Limits

# Questions kept ready for another length, focus or choice of sentences; one takes a few megabytes.
_READY = 16
# Examples shown, questions tried for them, and titles that may ask one.
_EXAMPLES, _TRIED, _TITLES = 4, 12, 1000


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer with the data that a page needs to steer it.

    Attributes:
        lambda_: the lambda used.
        findings: what services found.
    """

    answer: Answer
    lambda_: float
    findings: Sequence[Finding] = ()


class Ready(NamedTuple):
    """A question prepared for selection, all records found for it, and what services found."""

    prepared: Prepared
    records: Sequence[Document]
    findings: Sequence[Finding]


class Session:
    """Answers questions, caching enough to respond to slider moves at once.

    Args:
        search: search over the abstracts; None if there are only services.
        sources: literature services to search in addition, search options, and the filter for
            quotable publications.
        judge: grades the sentences; None if relevance is predicted.

    Attributes:
        examples: example questions, for the page without a question.
    """

    def __init__(
        self,
        search: AbstractSearch | None,
        sources: Sources | None = None,
        judge: Judge | None = None,
    ) -> None:
        self.search, self._sources, self.judge = search, sources or Sources(), judge
        self.examples: Sequence[str] = ()
        self.services = " and ".join(SERVICES[name].name for name in self._sources.services)
        # What services find is indexed, and an index has a single writer.
        self._one_search = Lock()
        # Time limit of all proofs for one request; an answer without a complete proof carries a
        # warning.
        self._limits = Limits(seconds=5.0)
        self._summarizer = Summarizer.load(
            System.load(DEFAULT_SYSTEM).for_reader(strict=True),
            limits=self._limits,
            may_stop_early=True,
        )
        # Load the model before the first question.
        self.lambda_ = self._summarizer.for_kind("searched").lambda_
        # Processing stages of the questions in progress.
        self._stages: dict[Ask, str] = {}
        self._ready: dict[Ask, Ready] = {}

    def stage(self, ask: Ask) -> str:
        """Return the processing stage of a question, in words; empty if it is not in progress."""
        return self._stages.get(ask.searched, "")

    def find_examples(self) -> None:
        """Take as examples the first questions about the abstracts that these answer."""
        titles = self.search.titles(_TITLES) if self.search else []
        examples: list[str] = []
        for question in islice(questions(titles), _TRIED):
            answer = self.answer(Ask(question, services=False, judge=False)).answer
            if answer.outcome is Outcome.ANSWER:
                examples.append(question)
            if len(examples) == _EXAMPLES:
                break
        self.examples = examples

    def waits(self, ask: Ask) -> bool:
        """Whether services or the judge must be asked before a question can be answered."""
        if not ask.question.strip() or self._ready.get(ask.searched):
            return False
        return bool(self._within(ask).services) or self.judged(ask)

    def judged(self, ask: Ask) -> bool:
        """Whether the judge grades the sentences for a question."""
        return ask.judge and self.judge is not None

    def fetch(self, ask: Ask) -> list[Finding]:
        """Return what the services have for a question; takes as long as they do.

        Raises as `ilpsum.answers.retrieval.fetched` does.
        """
        if not self._within(ask).services:
            return []
        try:
            sources = replace(self._within(ask), tell=partial(self._enter, ask))
            return retrieval.fetched(_query(ask), sources)
        finally:
            self._stages.pop(ask.searched, None)

    def answer(self, ask: Ask, fetched: list[Finding] | None = None) -> Answered:
        """Answer a question; the text equals that of `ilpsum ask` with the same settings.

        `fetched` is the result of `fetch`; by default, services are asked now.

        Raises:
            InputError: an index was damaged after it was opened.
            ServiceError: the judge gave no grades.
            SolverError: the solver failed.
            UsageError: the question is empty, or the sentences to keep are unknown, excluded or too
                long.
        """
        limits = replace(
            self._limits,
            start=perf_counter(),
            stop=_stop_if_client_left,
        )
        try:
            free, records, findings = self._ready.get(ask.searched) or self._prepared(
                ask.searched,
                fetched,
            )
            pipeline = self._summarizer.for_kind(kind_of(free.topic)).with_options(
                lambda_=ask.lambda_,
                limits=limits,
                relevance=self._scorer(ask),
            )
            prepared = pipeline.constrained(free, *_constraints(free, ask))
            self._enter(ask, "choosing sentences")
            selection = pipeline.fill(prepared, ask.words)
            summary = pipeline.summary(*selection, ask.words)
            answer = answer_of(summary, records, self._asked(findings))
            return Answered(answer, pipeline.lambda_, findings)
        finally:
            self._stages.pop(ask.searched, None)

    def _asked(self, findings: Sequence[Finding]) -> tuple[str, ...]:
        """Return where and when a question was asked, for exports."""
        places = [
            f"{SERVICES[finding.service].name}: {counted(finding.total, 'record')}"
            for finding in findings
        ]
        if self.search:
            places.append(counted(self.search.documents, "abstract"))
        return (*places, today())

    def _prepared(self, ask: Ask, fetched: list[Finding] | None) -> Ready:
        query, where = _query(ask), self._within(ask)
        self._enter(ask, "searching")
        search, warnings = self.search, list(self.search.warnings if self.search else ())
        if search is None or where.services:
            fetched = retrieval.fetched(query, where) if fetched is None else fetched
            with self._one_search:
                search, _, warnings = retrieval.searched(query, where, fetched)
        topic = retrieval.attached(query, where, search, warnings)
        # Of what services found, the reader sees all that fits the question.
        records = search.restricted(where.wanted)(topic.query, MOST).documents if fetched else ()
        records = tuple(
            {document.id: document for document in (*topic.documents, *records)}.values()
        )
        self._enter(ask, f"reading {counted(len(topic.documents), 'text')}")
        pipeline = self._summarizer.for_kind(kind_of(topic))
        pipeline = pipeline.with_options(relevance=self._scorer(ask))
        prepared = pipeline.prepare(topic)
        self._ready[ask] = ready = Ready(prepared, records, fetched or ())
        for old in list(self._ready)[:-_READY]:
            self._ready.pop(old, None)
        return ready

    def _scorer(self, ask: Ask) -> JudgeScorer | None:
        """Return the judge's scorer for a question; None if relevance is predicted."""
        if self.judge is None or not ask.judge:
            return None
        return JudgeScorer(self.judge, partial(self._enter, ask))

    def _enter(self, ask: Ask, stage: str) -> None:
        """Say what is being done for a question; ends the work if its client has left."""
        self._stages[ask.searched] = stage
        _stop_if_client_left()

    def _within(self, ask: Ask) -> Sources:
        return ask.within(self._sources, has_abstracts=self.search is not None)


def _query(ask: Ask) -> str:
    if query := " ".join(ask.question.split()):
        return query
    raise UsageError("the question is empty")


def _constraints(prepared: Prepared, ask: Ask) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the indices of the candidates that the reader includes and excludes."""
    rows = {place_name(s): i for i, s in enumerate(prepared.sentences)}
    if unknown := [name for name in (*ask.keep, *ask.bar) if name not in rows]:
        raise UsageError(f"no sentence {unknown[0]} among the abstracts found; leave it out")
    if in_both := sorted({*ask.keep} & {*ask.bar}):
        raise UsageError(f"sentence {in_both[0]} is both pinned and excluded; choose one")
    include = tuple(sorted(rows[name] for name in ask.keep))
    exclude = tuple(sorted(rows[name] for name in ask.bar))
    if (words := sum(prepared.sentences[i].words for i in include)) > ask.words:
        raise UsageError(
            f"the pinned sentences have {words} words, more than the limit of {ask.words}; raise it"
        )
    return include, exclude


def _stop_if_client_left() -> None:
    """Cancel the work if its client has disconnected; does nothing outside the server's threads."""
    with suppress(RuntimeError):
        check_cancelled()
