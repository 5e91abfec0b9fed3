"""Collects the content of a report from runs, provenance files and topics."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from ilpsum.errors import InputError, UsageError, counted
from ilpsum.evaluation.comparison import ALL_PAIRS, Reference
from ilpsum.evaluation.scoring import Evaluation, Measure, Run, evaluate
from ilpsum.evaluation.steering import Steering, scored, steering_of
from ilpsum.files.progress import Progress, no_progress
from ilpsum.metrics.rouge import RougeOptions, Score
from ilpsum.pages.charts import Curve
from ilpsum.pages.view import Answer
from ilpsum.papers.layout import title
from ilpsum.papers.printed import clean
from ilpsum.records import BrokenTopic, Sentence, Summary, Topic
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.reading import LinkRun, SummaryRun
from ilpsum.runs.settings import shared

_LONG_QUERY = 300

NESTED = "nested choice"
"""The name of the nested choice of a sweep among its configurations."""


@dataclass(frozen=True, slots=True)
class RunLine:
    """A sentence of a run.

    Attributes:
        text: as printed.
        rank: rank by relevance among the candidates, from 1; 0 if the system predicts no relevance.
    """

    sentence: Sentence
    text: str
    rank: int


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


@dataclass(frozen=True, slots=True)
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
        """The share of the words of the texts that stand in sentences of all runs; nan unless
        several runs have one.
        """
        found = [
            list(zip(self.keys(own), own.said, strict=False))
            for own in self.runs.values()
            if own.said
        ]
        common = set[object]().union(*map(dict, found)).intersection(*map(dict, found))
        sizes = [(key in common, len(text.split())) for own in found for key, text in own]
        return (
            sum(is_common * size for is_common, size in sizes) / sum(size for _, size in sizes)
            if len(found) > 1
            else math.nan
        )

    def keys(self, own: RunSummary) -> list[object]:
        """Return what tells sentences of a run apart: their places; without provenance, those of
        equal texts.
        """
        known = {
            line.text: line.sentence.place for each in self.runs.values() for line in each.lines
        }
        return [line.sentence.place for line in own.lines] or [
            known.get(text, text) for text in own.said
        ]


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
        if isinstance(run, LinkRun):
            raise UsageError(
                f"{run.name}: contains links, not summaries; score links with `ilpsum evaluate`"
            )
        summaries[run.name] = _summaries(run, provenance.get(run.name), progress, explore=explore)
    shown: dict[str, ShownTopic] = {}
    scoring = options or RougeOptions()

    def watched() -> Iterator[Topic]:
        for topic in topics:
            own = replace(topic, summaries=topic.summaries[: 1 if references == "first" else None])
            found = shown_topic(own, summaries)
            scores = {
                name: scored(each.steering, own, metrics, scoring, measure)
                for name, each in found.runs.items()
            }
            steered = {
                name: replace(each, steering=scores[name]) for name, each in found.runs.items()
            }
            shown[topic.id] = replace(found, runs=steered)
            yield topic

    evaluations = evaluate(runs, watched(), metrics, scoring, references)
    for id_ in dict.fromkeys(
        id_ for by_topic in summaries.values() for id_ in by_topic if id_ not in shown
    ):
        answers = (by_topic[id_].answer for by_topic in summaries.values() if id_ in by_topic)
        question = next((answer.question for answer in answers if answer and answer.question), "")
        shown[id_] = shown_topic(Topic(id_, question), summaries)
    each = len(evaluations) // len(runs)
    scores = tuple(tuple(evaluations[i::each]) for i in range(each)) if evaluations[0].units else ()
    settings = {
        run: shared([own.answer.summary.settings for own in by_topic.values() if own.answer])
        for run, by_topic in summaries.items()
    }
    return Report(
        runs=tuple(summaries),
        topics=tuple(shown.values()),
        scores=scores,
        measure=measure,
        reference=reference,
        seed=seed,
        settings=settings,
    )


def _summaries(
    run: SummaryRun, provenance: Path | None, progress: Progress, *, explore: bool
) -> dict[str, RunSummary]:
    """Return a run's summaries by topic: first those with provenance, in file order, then the
    others.
    """
    found: dict[str, RunSummary] = {}
    for record in progress(read_provenance(provenance), run.name) if provenance else ():
        if isinstance(record, BrokenTopic):
            found.setdefault(
                record.id, RunSummary(run.texts.get(record.id, ""), error=str(record.error))
            )
        elif _is_cited(record) and len(record.responses) != len(record):
            sentences = counted(len(record), "sentence")
            problem = (
                f"topic {record.topic}: {counted(len(record.responses), 'response')} for "
                f"{sentences}"
            )
            raise InputError(f"{problem}; expected one for each, write the run again", provenance)
        elif record.topic not in found and (
            record.topic in run.texts or (record.search and record.search.unanswered)
        ):
            # A run may leave unanswered questions out.
            answer, text = Answer(replace(record, program=None)), run.texts.get(record.topic, "")
            steering = steering_of(record) if explore else None
            found[record.topic] = RunSummary(text, answer=answer, steering=steering)
    return found | {
        topic: RunSummary(text) for topic, text in run.texts.items() if topic not in found
    }


def _is_cited(summary: Summary) -> bool:
    """Return whether a summary is from a run with citations, even if it is empty."""
    return bool(summary.responses) or summary.settings.support is not None


def shown_topic(topic: Topic, summaries: Mapping[str, Mapping[str, RunSummary]]) -> ShownTopic:
    """Return the report's view of a topic, given all summaries by run and topic."""
    runs = {
        run: replace(by_topic[topic.id], lines=tuple(_lines(by_topic[topic.id])))
        for run, by_topic in summaries.items()
        if topic.id in by_topic
    }
    paper = topic.reference
    return ShownTopic(topic.id, topic.query, topic.summaries, runs, title(paper) if paper else "")


def _lines(own: RunSummary) -> Iterator[RunLine]:
    if own.answer is None:
        return
    summary = own.answer.summary
    relevance = [s.relevance for s in summary.candidates]
    predicted = all(map(math.isfinite, relevance)) and len(set(relevance)) > 1
    texts = [response.text for response in summary.responses] or [s.text for s in summary]
    further = own.steering.sentences[len(summary) :] if own.steering else ()
    texts += [clean(s.text) if summary.responses else s.text for s in further]
    for sentence, text in zip((*summary, *further), texts, strict=True):
        yield RunLine(
            sentence,
            text,
            1 + sum(other > sentence.relevance for other in relevance) if predicted else 0,
        )
