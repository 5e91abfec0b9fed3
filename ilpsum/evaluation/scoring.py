"""Scores of runs against gold topics, each with its topic and signature."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Literal

from features.registry import Registry
from ilpsum.errors import UsageError
from ilpsum.metrics.confidence import Interval, bootstrap_interval
from ilpsum.metrics.counting import METRICS
from ilpsum.metrics.facets import facet_score
from ilpsum.metrics.rouge import DEFAULT_METRICS, References, RougeOptions, Score, mean
from ilpsum.metrics.sentence_overlap import sentence_overlap
from ilpsum.metrics.signature import Signature, rouge_signature
from ilpsum.metrics.spans import GoldSpans
from ilpsum.records import Citance, Document, Span, Topic
from ilpsum.runs.reading import LinkRun, SummaryRun
from ilpsum.runs.task1 import Link
from ilpsum.version import __version__

Measure = Literal["recall", "precision", "f1"]
Run = SummaryRun | LinkRun


@dataclass(frozen=True)
class Evaluation:
    """The scores of one run by one metric.

    Attributes:
        run: name of the run.
        signature: the metric and its settings.
        units: the topic and score of each unit of the mean: topics for summaries, citances for links.
        missing: units without an answer, which score 0.
    """

    run: str
    signature: Signature
    units: list[tuple[str, Score]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @property
    def metric(self) -> str:
        """Name of the metric."""
        return self.signature.metric

    @cached_property
    def topics(self) -> dict[str, Score]:
        """Mean score of each topic, in the order of the gold."""
        scores: defaultdict[str, list[Score]] = defaultdict(list)
        for topic, score in self.units:
            scores[topic].append(score)
        return {topic: mean(of_topic) for topic, of_topic in scores.items()}

    @cached_property
    def mean(self) -> Score:
        """Mean over all units."""
        return mean([score for _, score in self.units])

    def values(self, measure: Measure) -> list[float]:
        """Return recall, precision or F1 of every unit, sorted by topic id, as ROUGE's sampling requires."""
        return [getattr(score, measure) for _, score in sorted(self.units, key=lambda unit: unit[0])]

    def interval(self, measure: Measure, *, level: float = 0.95, samples: int = 1000, seed: int = 0) -> Interval:
        """Return the bootstrap interval of the mean."""
        return bootstrap_interval(self.values(measure), level=level, samples=samples, seed=seed)


LINK_METRICS: Registry[Callable[[Link | None, Citance, Document | None], Score]] = Registry("metric of links")
"""Metrics of Task 1, computed from the system's link (None if missing), the citance, and the topic's reference paper.

The first two are TAC 2014's, the others CL-SciSumm's for Task 1A.
"""
DEFAULT_LINK_METRICS = ("span-f1", "facet-accuracy")


@LINK_METRICS.register("span-f1")
def _spans(link: Link | None, citance: Citance, paper: Document | None) -> Score:  # noqa: ARG001
    return GoldSpans([annotation.spans for annotation in citance.annotations]).score(link.spans if link else ())


@LINK_METRICS.register("facet-accuracy")
def _facet(link: Link | None, citance: Citance, paper: Document | None) -> Score:  # noqa: ARG001
    share = facet_score(link.facet if link else "", [annotation.facets for annotation in citance.annotations])
    return Score(share, share, share)


@LINK_METRICS.register("sentence-f1")
def _sentences(link: Link | None, citance: Citance, paper: Document | None) -> Score:
    """Overlap in sentences, averaged over the annotators who marked any."""
    if paper is None or link is None:
        return Score(0.0, 0.0, 0.0)
    sentences = paper.sentences or _split(paper)
    golds = [annotation.spans for annotation in citance.annotations if annotation.spans]
    return mean([sentence_overlap(link.spans, gold, sentences) for gold in golds] or [Score(0.0, 0.0, 0.0)])


def _rouge(name: str, link: Link | None, citance: Citance, paper: Document | None) -> Score:
    """ROUGE of the answer's text, averaged over the annotators who marked any."""
    golds = [annotation.spans for annotation in citance.annotations if annotation.spans]
    if paper is None or link is None or not golds:
        return Score(0.0, 0.0, 0.0)
    answer = _quoted(link.spans, paper)
    return mean([References([_quoted(gold, paper)], [name]).score(answer)[name] for gold in golds])


for _name in DEFAULT_METRICS:
    LINK_METRICS.add(f"span-{_name}", partial(_rouge, _name))


def _quoted(spans: Iterable[Span], paper: Document) -> str:
    return " ".join(paper.text[span.start : span.end] for span in spans)


@lru_cache(maxsize=1)
def _split(paper: Document) -> tuple[Span, ...]:
    """Split a paper into sentences; for papers whose source does not mark them."""
    from features.sentences import split_sentences

    return tuple(Span(start, end) for start, end in split_sentences(paper.text))


def evaluate(
    runs: Sequence[Run],
    topics: Iterable[Topic],
    metrics: Sequence[str] = (),
    options: RougeOptions | None = None,
    references: Literal["all", "first"] = "all",
) -> list[Evaluation]:
    """Score runs, all of summaries or all of links, against the same topics, which are read once.

    Topics or citances without an answer score 0; topics without gold are skipped. Metrics are names in `METRICS` for
    summaries (by default ROUGE-2 and ROUGE-SU4), in `LINK_METRICS` for links (by default span-f1 and facet-accuracy).
    With `first`, only the first gold summary of a topic counts.

    Returns:
        An evaluation for each run and metric, in the order of the runs, then of the metrics.

    Raises:
        UnknownNameError: a metric does not exist.
        UsageError: some runs contain summaries and others links.
    """
    summaries = [run for run in runs if isinstance(run, SummaryRun)]
    links = [run for run in runs if isinstance(run, LinkRun)]
    if summaries and links:
        raise UsageError(f"{summaries[0].name} contains summaries and {links[0].name} links; score them separately")
    if links:
        return _evaluate_links(links, topics, metrics or DEFAULT_LINK_METRICS)
    return _evaluate_summaries(summaries, topics, metrics or DEFAULT_METRICS, options or RougeOptions(), references)


def is_gold(topic: Topic, runs: Sequence[Run]) -> bool:
    """Return whether a topic has gold for these runs."""
    if any(isinstance(run, LinkRun) for run in runs):
        return any(True for _ in _annotated(topic))
    return bool(topic.summaries)


def _evaluate_summaries(
    runs: Sequence[SummaryRun], topics: Iterable[Topic], metrics: Sequence[str], options: RougeOptions, references: str
) -> list[Evaluation]:
    for name in metrics:
        METRICS[name]
    evaluations = _empty(runs, [rouge_signature(name, options, references=references) for name in metrics])
    for topic in topics:
        if not topic.summaries:
            continue
        gold = References(topic.summaries[: 1 if references == "first" else None], metrics, **vars(options))
        for i, run in enumerate(runs):
            for name, score in gold.score(run.texts.get(topic.id, "")).items():
                evaluations[i, name].units.append((topic.id, score))
                if topic.id not in run.texts:
                    evaluations[i, name].missing.append(topic.id)
    return list(evaluations.values())


def _evaluate_links(runs: Sequence[LinkRun], topics: Iterable[Topic], metrics: Sequence[str]) -> list[Evaluation]:
    scorers = {name: LINK_METRICS[name] for name in metrics}
    evaluations = _empty(runs, [Signature(name, {"mean": "citances", "version": __version__}) for name in metrics])
    for topic in topics:
        for citance in _annotated(topic):
            for i, run in enumerate(runs):
                link = run.links.get((topic.id, citance.number))
                for name, scorer in scorers.items():
                    evaluations[i, name].units.append((topic.id, scorer(link, citance, topic.reference)))
                    if link is None:
                        evaluations[i, name].missing.append(f"{topic.id} citance {citance.number}")
    return list(evaluations.values())


def _empty(runs: Sequence[Run], signatures: Sequence[Signature]) -> dict[tuple[int, str], Evaluation]:
    return {(i, s.metric): Evaluation(run.name, s) for i, run in enumerate(runs) for s in signatures}


def _annotated(topic: Topic) -> Iterator[Citance]:
    """Yield the citances with annotations; test topics have none."""
    for citance in topic.citances:
        if any(annotation.spans or annotation.facets for annotation in citance.annotations):
            yield citance
