"""Collects the content of a report from runs, provenance files and topics."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Literal

from ilpsum.errors import InputError, counted
from ilpsum.evaluation.comparison import ALL_PAIRS, Comparison, Reference, usual_measure
from ilpsum.evaluation.run_scores import Measure, evaluate
from ilpsum.files.work import Progress, no_progress
from ilpsum.metrics.rouge import UNCUT, RougeOptions
from ilpsum.pages.charts import Curve
from ilpsum.pages.markup import OWN_MARK
from ilpsum.papers.layout import title
from ilpsum.records import BrokenTopic, Sentence, Summary, Topic
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.reading import SummaryRun
from ilpsum.runs.run_settings import shared

_LONG_QUERY = 300

NESTED = "nested choice"
"""The name of the nested choice of a sweep among its configurations."""


@dataclass(frozen=True)
class RunSummary:
    """A run's summary of a topic; without provenance, or if the topic failed, its text alone.

    Attributes:
        text: as in the run's file; empty if there is none.
        error: why the run has no summary.
        summary: as its provenance has it.
    """

    text: str = ""
    error: str = ""
    summary: Summary | None = None

    @cached_property
    def lines(self) -> tuple[Sentence, ...]:
        """Its sentences as printed; without provenance, the lines of the file, which are from no
        document.
        """
        if not self.summary:
            lines = filter(str.strip, self.text.splitlines())
            return tuple(Sentence(line, "", 0, 0, 0) for line in lines)
        if not self.summary.responses:
            return self.summary.sentences
        printed = zip(self.summary, self.summary.responses, strict=True)
        return tuple(replace(sentence, text=response.text) for sentence, response in printed)

    @property
    def differs(self) -> bool:
        """Whether its provenance has another text, beside spaces."""
        return self.summary is not None and self.text.split() != self.summary.text.split()


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
        if len(self.texts_at) < 2:
            return math.nan
        common = set.intersection(*map(set, self.texts_at.values()))
        words = shared = 0
        for text_at in self.texts_at.values():
            for place, text in text_at.items():
                size = len(text.split())
                words += size
                shared += size * (place in common)
        return shared / words

    @cached_property
    def texts_at(self) -> dict[str, dict[object, str]]:
        """The sentences of each run that has some: their texts by what tells them apart."""
        texts_at = {}
        for run, summary in self.runs.items():
            if summary.lines:
                texts = [line.text for line in summary.lines]
                texts_at[run] = dict(zip(self.places[run], texts, strict=True))
        return texts_at

    @cached_property
    def places(self) -> dict[str, list[object]]:
        """What identifies the sentences of each run: their places; without provenance, those of
        equal texts.
        """
        lines_of = {run: summary.lines for run, summary in self.runs.items()}
        place_of: dict[str, object] = {}
        for line in chain.from_iterable(lines_of.values()):
            if line.document:
                place_of[line.text] = line.place
        places: dict[str, list[object]] = {}
        for run, lines in lines_of.items():
            places[run] = [
                line.place if line.document else place_of.get(line.text, line.text)
                for line in lines
            ]
        return places


@dataclass(frozen=True)
class Report:
    """The content of a report page.

    Attributes:
        topics: those with gold first, in their order; then the others, in the order of the runs.
        compared: the runs compared in each metric; empty without gold.
        settings: settings of each run with provenance, by run name: system, lambda or threshold,
            all in words; only of texts that the provenance has.
        swept: the table of all configurations if the runs are those of a sweep, each at its best
            lambda.
        marks: for each of them, the number of its curve and run; None if it has neither.
        curves: the scores of a sweep over lambda, for each metric; empty with a single lambda.
    """

    runs: tuple[str, ...]
    topics: tuple[ShownTopic, ...]
    compared: tuple[Comparison, ...] = ()
    settings: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    swept: tuple[tuple[str, ...], ...] = ()
    marks: tuple[int | None, ...] = ()
    curves: tuple[tuple[Curve, ...], ...] = ()

    @cached_property
    def nested(self) -> tuple[str, ...]:
        """The runs of the nested choices of a sweep, one for each word limit."""
        return tuple(run for run in self.runs if self.swept and run.startswith(NESTED))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each run, which gives its colour and mark; nested choices have one of their
        own, `OWN_MARK`.
        """
        others = (run for run in self.runs if run not in self.nested)
        numbers = {run: number for number, run in enumerate(others)}
        return numbers | dict.fromkeys(self.nested, OWN_MARK)

    @cached_property
    def heads(self) -> dict[str, str]:
        """Names of the runs for heads of columns: those of a sweep are numbers, as in the table of
        runs.
        """
        if not self.swept:
            return {run: run for run in self.runs}
        heads = {run: str(number + 1) for run, number in self.numbers.items()}
        return heads | {run: run.replace(" choice", "") for run in self.nested}

    @cached_property
    def anchors(self) -> dict[str, str]:
        """The ids of the topics' sections on the page."""
        return {topic.id: f"topic-{i}" for i, topic in enumerate(self.topics, start=1)}


@dataclass(frozen=True)
class Collected:
    """What a report shows of runs.

    Attributes:
        topics: those given, in their order; then the others, in the order of the runs.
        settings: as in `Report`.
    """

    topics: tuple[ShownTopic, ...]
    settings: Mapping[str, tuple[str, str, str]]


def collect(
    runs: Sequence[SummaryRun],
    topics: Iterable[Topic],
    titles: Mapping[str, str],
    *,
    progress: Progress = no_progress,
) -> Collected:
    """Collect the texts of runs with distinct names, and what their provenance says of them.

    `titles` are those of the papers that topics are about, by topic id.

    Raises `InputError` if a provenance file cannot be read.
    """
    summaries = {run.name: _summaries(run, progress) for run in runs}
    gold = {topic.id: topic for topic in topics}
    shown = []
    for id_ in dict.fromkeys(chain(gold, *summaries.values())):
        topic = gold.get(id_, Topic(id_, ""))
        shown.append(_shown(topic, titles.get(id_, ""), summaries))
    settings = {name: _settings(by_topic.values()) for name, by_topic in summaries.items()}
    return Collected(tuple(shown), settings)


def gather(
    runs: Sequence[SummaryRun],
    topics: Iterable[Topic] = (),
    *,
    metrics: Sequence[str] = (),
    options: RougeOptions = UNCUT,
    references: Literal["all", "first"] = "all",
    measure: Measure | None = None,
    reference: Reference = ALL_PAIRS,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Report:
    """Collect the content of a report. Reads each topic once and keeps nothing of its documents.

    Args:
        runs: runs with distinct names; a run without provenance is shown as plain text.
        topics: provide gold summaries for the scores.
        metrics: summary metrics; default ROUGE-2 and ROUGE-SU4.
        options: ROUGE options.
        references: `first` uses only the first gold summary of a topic.
        measure: measure of tables, tests and charts; default: recall for ROUGE, F1 for others.
        reference: what the runs are compared with.
        seed: random seed of the tests.
        progress: wraps the iteration over the provenance records of a run; gets the run's name.

    Raises `InputError` if a provenance file cannot be read.
    """
    judged, titles = [], {}
    for topic in topics:
        gold = topic.summaries[:1] if references == "first" else topic.summaries
        judged.append(replace(topic, summaries=gold, documents=()))
        titles[topic.id] = paper_title(topic)
    collected = collect(runs, judged, titles, progress=progress)
    evaluations = evaluate(runs, judged, metrics, options, references)
    compared = []
    if evaluations[0][0].units:
        for of_metric in evaluations:
            chosen = measure or usual_measure(of_metric[0].metric)
            compared.append(Comparison(of_metric, chosen, reference, seed=seed))
    names = tuple(run.name for run in runs)
    return Report(names, collected.topics, tuple(compared), collected.settings)


def _settings(summaries: Iterable[RunSummary]) -> tuple[str, str, str]:
    """Return the settings of the texts that the provenance has: of others, it has another's."""
    alike = [
        entry.summary for entry in summaries if entry.summary is not None and not entry.differs
    ]
    return shared([summary.settings for summary in alike])


def _summaries(run: SummaryRun, progress: Progress) -> dict[str, RunSummary]:
    """Return a run's summaries by topic: first those with provenance, in file order, then the
    others.
    """
    by_topic: dict[str, RunSummary] = {}
    records = progress(read_provenance(run.provenance), run.name) if run.provenance else ()
    for record in records:
        if isinstance(record, BrokenTopic):
            text = run.texts.get(record.id, "")
            by_topic.setdefault(record.id, RunSummary(text, error=str(record.error)))
            continue
        # A run with citations has responses, or a threshold for them if its summaries are empty.
        is_cited = record.responses or record.settings.support is not None
        if is_cited and len(record.responses) != len(record):
            responses = counted(len(record.responses), "response")
            raise InputError(
                f"topic {record.topic}: {responses} for {counted(len(record), 'sentence')}; "
                "expected one for each, write the run again",
                run.provenance,
            )
        # A run may leave unanswered questions out.
        is_unanswered = record.search and record.search.unanswered
        if record.topic not in by_topic and (record.topic in run.texts or is_unanswered):
            by_topic[record.topic] = RunSummary(
                run.texts.get(record.topic, ""),
                summary=replace(record, program=None),
            )
    for topic, text in run.texts.items():
        by_topic.setdefault(topic, RunSummary(text))
    return by_topic


def _shown(
    topic: Topic,
    paper: str,
    summaries: Mapping[str, Mapping[str, RunSummary]],
) -> ShownTopic:
    """Return the report's view of a topic, given the title of its paper and all summaries by run
    and topic; of a topic without a query, the runs may know the question.
    """
    runs = {run: of_run[topic.id] for run, of_run in summaries.items() if topic.id in of_run}
    written = [entry.summary for entry in runs.values() if entry.summary is not None]
    queries = [topic.query, *(summary.question for summary in written)]
    query = next(filter(None, queries), "")
    return ShownTopic(topic.id, query, topic.summaries, runs, paper)


def paper_title(topic: Topic) -> str:
    """Return the title of the paper that a topic is about; empty if there is none."""
    return title(topic.reference) if topic.reference else ""
