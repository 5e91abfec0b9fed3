"""Collects the content of a report from runs, provenance files and topics."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Literal

from ilpsum.errors import InputError, UsageError, counted
from ilpsum.evaluation.comparison import ALL_PAIRS, Reference
from ilpsum.evaluation.scoring import Evaluation, Measure, Run, evaluate
from ilpsum.evaluation.steering import Steering, steering_of, with_scores
from ilpsum.files.work import Progress, no_progress
from ilpsum.metrics.rouge import RougeOptions, Score
from ilpsum.pages.charts import Curve
from ilpsum.pages.view import Answer
from ilpsum.papers.layout import title
from ilpsum.papers.printed import clean
from ilpsum.records import BrokenTopic, Sentence, Summary, Topic
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.reading import LinkRun
from ilpsum.runs.settings import shared

_LONG_QUERY = 300

NESTED = "nested choice"
"""The name of the nested choice of a sweep among its configurations."""


@dataclass(frozen=True, slots=True)
class RunLine:
    """A sentence of a run, and its text as printed."""

    sentence: Sentence
    text: str


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run's summary of a topic; without provenance, or if the topic failed, its text alone.

    Attributes:
        text: as in the run's file; empty if there is none.
        error: why the run has no summary.
        answer: the summary as its provenance has it.
        steering: the summary at other lambdas and word limits; None if unknown.
        lines: the sentences of the answer, then those that the run selects only at other lambdas or
            word limits.
    """

    text: str = ""
    error: str = ""
    answer: Answer | None = None
    steering: Steering | None = None
    lines: tuple[RunLine, ...] = ()

    @property
    def said(self) -> tuple[str, ...]:
        """The texts of its sentences; without provenance, the lines of the file."""
        own = self.lines[: len(self.answer.summary)] if self.answer else ()
        return tuple(line.text for line in own) or tuple(filter(str.strip, self.text.splitlines()))


@dataclass(frozen=True)
class ShownTopic:
    """A topic with its question or citances, its gold summaries, and its summaries by run.

    `title` is that of the paper it is about; empty if there is none.
    """

    id: str
    query: str = ""
    gold: tuple[str, ...] = ()
    runs: Mapping[str, RunSummary] = field(default_factory=dict)
    title: str = ""

    @property
    def has_citances(self) -> bool:
        """Whether the query is too long for a question: the citances of a paper."""
        return len(self.query) > _LONG_QUERY

    @property
    def shared(self) -> float:
        """The share of the words of the texts that are in sentences of all runs; nan unless
        several runs have one.
        """
        if len(self.said) < 2:
            return math.nan
        common = set.intersection(*map(set, self.said.values()))
        words = shared = 0
        for text_at in self.said.values():
            for place, text in text_at.items():
                size = len(text.split())
                words += size
                shared += size * (place in common)
        return shared / words

    @cached_property
    def said(self) -> dict[str, dict[object, str]]:
        """The sentences of each run that has some: their texts by what tells them apart."""
        said = {}
        for run, summary in self.runs.items():
            if summary.said:
                said[run] = dict(zip(self.places[run], summary.said, strict=False))
        return said

    @cached_property
    def places(self) -> dict[str, list[object]]:
        """What identifies the sentences of each run: their places; without provenance, those of
        equal texts.
        """
        lines = [line for summary in self.runs.values() for line in summary.lines]
        place_of: dict[str, object] = {line.text: line.sentence.place for line in lines}
        places: dict[str, list[object]] = {}
        for run, summary in self.runs.items():
            places[run] = [line.sentence.place for line in summary.lines]
            if not summary.lines:
                places[run] = [place_of.get(text, text) for text in summary.said]
        return places


@dataclass(frozen=True)
class Report:
    """The content of a report page.

    Attributes:
        topics: those with gold first, in their order; then the others, in the order of the runs.
        scores: for each metric, the evaluations in the order of the runs; empty without gold.
        measure, reference, seed: used in charts and significance tests.
        settings: settings of each run with provenance, by run name: system, lambda or threshold,
            all in words.
        swept: the table of all configurations if the runs are those of a sweep, each at its best
            lambda.
        curves: the scores of a sweep over lambda, for each metric; empty with a single lambda.
    """

    runs: tuple[str, ...]
    topics: tuple[ShownTopic, ...]
    scores: tuple[tuple[Evaluation, ...], ...] = ()
    measure: Measure = "recall"
    reference: Reference = ALL_PAIRS
    seed: int = 0
    settings: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    swept: tuple[tuple[str, ...], ...] = ()
    curves: tuple[tuple[Curve, ...], ...] = ()

    @property
    def heads(self) -> tuple[str, ...]:
        """Names of the runs for heads of columns: those of a sweep are numbers, as in the table of
        runs.
        """
        if not self.swept:
            return self.runs
        numbers = map(str, range(1, len(self.runs) + 1))
        return tuple(
            "nested" if run == NESTED else number
            for run, number in zip(self.runs, numbers, strict=True)
        )

    @cached_property
    def anchors(self) -> dict[str, str]:
        """The ids of the topics' sections on the page."""
        return {topic.id: f"topic-{i}" for i, topic in enumerate(self.topics, start=1)}

    def score(self, scores: Mapping[str, Score], topic: str) -> float:
        """Return the score of a topic in the report's measure; nan without one."""
        return float(getattr(scores.get(topic), self.measure, math.nan))


def gather(
    runs: Sequence[Run],
    provenance: Mapping[str, Path],
    topics: Iterable[Topic] = (),
    *,
    metrics: Sequence[str] = (),
    options: RougeOptions | None = None,
    references: Literal["all", "first"] = "all",
    measure: Measure = "recall",
    reference: Reference = ALL_PAIRS,
    explore: bool = False,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Report:
    """Collect the content of a report. Reads each topic once and keeps nothing of its documents.

    Args:
        runs: runs with distinct names.
        provenance: provenance file by run name; a run without one is shown as plain text.
        topics: provide gold summaries for the scores.
        metrics: summary metrics; default ROUGE-2 and ROUGE-SU4.
        options: ROUGE options.
        references: `first` uses only the first gold summary of a topic.
        measure: measure used for confidence intervals and significance tests.
        reference: what the runs are compared with.
        explore: whether to compute the summaries of ILP runs at other lambdas and word limits.
        seed: random seed of the tests.
        progress: wraps the iteration over the provenance records of a run; gets the run's name.

    Raises `InputError` if a provenance file cannot be read, `UsageError` if a run contains links.
    """
    summaries = {}
    for run in runs:
        summaries[run.name] = _summaries(run, provenance.get(run.name), progress, explore=explore)
    shown: dict[str, ShownTopic] = {}
    scoring = options or RougeOptions()
    steered = partial(with_scores, metrics=metrics, options=scoring, measure=measure)
    watched = _watched(topics, summaries, references, steered, shown)
    evaluations = evaluate(runs, watched, metrics, scoring, references)
    for by_topic in summaries.values():
        for id_ in by_topic:
            if id_ not in shown:
                shown[id_] = shown_topic(Topic(id_, _question(id_, summaries)), summaries)
    number = len(evaluations) // len(runs)
    scores = []
    if evaluations[0].units:
        scores = [tuple(evaluations[i::number]) for i in range(number)]
    settings = {}
    for name, by_topic in summaries.items():
        known = [own.answer.summary.settings for own in by_topic.values() if own.answer]
        settings[name] = shared(known)
    return Report(
        runs=tuple(summaries),
        topics=tuple(shown.values()),
        scores=tuple(scores),
        measure=measure,
        reference=reference,
        seed=seed,
        settings=settings,
    )


def _watched(
    topics: Iterable[Topic],
    summaries: Mapping[str, Mapping[str, RunSummary]],
    references: str,
    steered: Callable[[Steering | None, Topic], Steering | None],
    shown: dict[str, ShownTopic],
) -> Iterator[Topic]:
    """Yield the topics, so that they are read once; adds what the report shows of each to
    `shown`.
    """
    for topic in topics:
        gold = topic.summaries[:1] if references == "first" else topic.summaries
        judged = replace(topic, summaries=gold)
        seen = shown_topic(judged, summaries)
        runs = {}
        for name, summary in seen.runs.items():
            runs[name] = replace(summary, steering=steered(summary.steering, judged))
        shown[topic.id] = replace(seen, runs=runs)
        yield topic


def _question(id_: str, summaries: Mapping[str, Mapping[str, RunSummary]]) -> str:
    """Return the question of a topic of which only the runs are known; empty if none has it."""
    for by_topic in summaries.values():
        answer = by_topic[id_].answer if id_ in by_topic else None
        if answer and answer.question:
            return answer.question
    return ""


def _summaries(
    run: Run,
    provenance: Path | None,
    progress: Progress,
    *,
    explore: bool,
) -> dict[str, RunSummary]:
    """Return a run's summaries by topic: first those with provenance, in file order, then the
    others.
    """
    if isinstance(run, LinkRun):
        raise UsageError(
            f"{run.name}: contains links, not summaries; score links with `ilpsum evaluate`"
        )
    by_topic: dict[str, RunSummary] = {}
    for record in progress(read_provenance(provenance), run.name) if provenance else ():
        if isinstance(record, BrokenTopic):
            text = run.texts.get(record.id, "")
            by_topic.setdefault(record.id, RunSummary(text, error=str(record.error)))
            continue
        if _is_cited(record) and len(record.responses) != len(record):
            responses = counted(len(record.responses), "response")
            raise InputError(
                f"topic {record.topic}: {responses} for {counted(len(record), 'sentence')}; "
                "expected one for each, write the run again",
                provenance,
            )
        # A run may leave unanswered questions out.
        is_unanswered = record.search and record.search.unanswered
        if record.topic not in by_topic and (record.topic in run.texts or is_unanswered):
            by_topic[record.topic] = RunSummary(
                run.texts.get(record.topic, ""),
                answer=Answer(replace(record, program=None)),
                steering=steering_of(record) if explore else None,
            )
    for topic, text in run.texts.items():
        by_topic.setdefault(topic, RunSummary(text))
    return by_topic


def _is_cited(summary: Summary) -> bool:
    """Return whether a summary is from a run with citations, even if it is empty."""
    return bool(summary.responses) or summary.settings.support is not None


def shown_topic(topic: Topic, summaries: Mapping[str, Mapping[str, RunSummary]]) -> ShownTopic:
    """Return the report's view of a topic, given all summaries by run and topic."""
    runs = {}
    for run, by_topic in summaries.items():
        if topic.id in by_topic:
            summary = by_topic[topic.id]
            runs[run] = replace(summary, lines=tuple(_lines(summary)))
    paper = topic.reference
    return ShownTopic(topic.id, topic.query, topic.summaries, runs, title(paper) if paper else "")


def _lines(shown: RunSummary) -> Iterator[RunLine]:
    if shown.answer is None:
        return
    summary = shown.answer.summary
    further = shown.steering.sentences[len(summary) :] if shown.steering else ()
    if summary.responses:
        texts = [response.text for response in summary.responses]
        texts += [clean(sentence.text) for sentence in further]
    else:
        texts = [sentence.text for sentence in (*summary, *further)]
    yield from map(RunLine, (*summary, *further), texts)
