"""Scores runs against gold topics."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import chain, product
from typing import Literal

from features.registry import Registry, UnknownNameError, unknown
from ilpsum.errors import UsageError
from ilpsum.metrics.answers import answer_recall, searchable
from ilpsum.metrics.counting import METRICS, SENTENCE_METRICS
from ilpsum.metrics.rouge import DEFAULT_METRICS, UNCUT, References, RougeOptions, Score, mean
from ilpsum.metrics.signature import Signature, length_field, rouge_signature
from ilpsum.metrics.spans import GoldSpans, facet_score, sentence_overlap
from ilpsum.records import Citance, Document, Span, Topic
from ilpsum.runs.designs import Designs
from ilpsum.runs.reading import LinkRun, SummaryRun
from ilpsum.runs.seen import Overlap, training_field, training_lines, training_note
from ilpsum.version import __version__

Measure = Literal["recall", "precision", "f1"]
Run = SummaryRun | LinkRun


@dataclass(frozen=True)
class Evaluation:
    """The scores of one run in one metric; the signature records the metric's settings.

    `units` are the scored topics (citances for links) over which the mean is taken; `missing` lists
    unanswered ones. For each topic, `overlaps` says which of the run's models were trained on it,
    and `designs` how its summary was made.
    """

    run: str
    signature: Signature
    units: list[tuple[str, Score]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    overlaps: Mapping[str, Overlap] = field(default_factory=dict)
    designs: Designs = field(default_factory=dict)

    @property
    def metric(self) -> str:
        """The metric's name."""
        return self.signature.metric

    @property
    def signed(self) -> Signature:
        """The signature with the number of scored topics that were in the training of a model."""
        return self.signature.adding(training_field(self.overlaps, self.topics))

    @property
    def training_note(self) -> str:
        """Whether the scores are held out, in words; empty if the run used no model."""
        return training_note(self.signed.fields)

    @property
    def training_lines(self) -> list[str]:
        """A line for each model of the run that was, or may have been, trained on scored topics."""
        return [f"{self.run}: {line}" for line in training_lines(self.overlaps, self.topics)]

    def add(self, topic: str, score: Score, citance: str = "", *, missing: bool) -> None:
        """Add the score of a unit."""
        self.units.append((topic, score))
        if missing:
            self.missing.append(f"{topic} {citance}" if citance else topic)

    @cached_property
    def topics(self) -> dict[str, Score]:
        """Mean score by topic, in gold order."""
        scores: defaultdict[str, list[Score]] = defaultdict(list)
        for topic, score in self.units:
            scores[topic].append(score)
        return {topic: mean(of_topic) for topic, of_topic in scores.items()}

    @cached_property
    def mean(self) -> Score:
        """Mean over all units."""
        return mean([score for _, score in self.units])

    def values(self, measure: Measure) -> list[float]:
        """Return recall, precision or F1 of every unit, sorted by topic id."""
        by_topic = sorted(self.units, key=lambda unit: unit[0])
        return [getattr(score, measure) for _, score in by_topic]


@dataclass(frozen=True, slots=True)
class TextMetric:
    """A summary metric with a single value, reported as recall, precision and F1 alike.

    Attributes:
        gold: the data a topic needs to be scored, in words.
        score: scores a text, truncated to the length limit, for a topic; None if the topic lacks
            these data.
    """

    gold: str
    score: Callable[[str, Topic], float | None]


TEXT_METRICS: Registry[TextMetric] = Registry("metric", group="ilpsum.metrics")
"""Summary metrics other than ROUGE."""


def _exact_answers(text: str, topic: Topic) -> float | None:
    return answer_recall(text, topic.answers) if searchable(topic.answers) else None


TEXT_METRICS.add("exact-answer", TextMetric("exact answers", _exact_answers))


@dataclass(frozen=True, slots=True)
class LinkAnswer:
    """The spans and the facet that a run answers for a citance of a paper; empty if missing."""

    spans: Sequence[Span]
    facet: str
    citance: Citance
    paper: Document | None

    @property
    def golds(self) -> list[Sequence[Span]]:
        """The spans of each annotator who marked some."""
        return [annotation.spans for annotation in self.citance.annotations if annotation.spans]


@dataclass(frozen=True, slots=True)
class LinkMetric:
    """A metric of links.

    Attributes:
        gold: what an annotator of a citance must give, a field of `Annotation`.
        score: scores an answer.
    """

    gold: Literal["spans", "facets"]
    score: Callable[[LinkAnswer], Score]

    def applies(self, citance: Citance) -> bool:
        """Whether an annotator gave what the metric needs."""
        return any(getattr(annotation, self.gold) for annotation in citance.annotations)


LINK_METRICS: Registry[LinkMetric] = Registry("metric of links")
"""Task 1 metrics.

`span-f1` and `facet-accuracy` are official in TAC 2014, the others in CL-SciSumm (Task 1A), except
the diagnostic `span-union-f1`, the character overlap with the union of all annotators' spans.
"""
DEFAULT_LINK_METRICS = ("span-f1", "facet-accuracy")


def _spans(answer: LinkAnswer) -> Score:
    annotations = answer.citance.annotations
    return GoldSpans([annotation.spans for annotation in annotations]).score(answer.spans)


def _spans_of_any(answer: LinkAnswer) -> Score:
    return GoldSpans([chain(*answer.golds)]).score(answer.spans)


def _facet(answer: LinkAnswer) -> Score:
    facets = [annotation.facets for annotation in answer.citance.annotations]
    share = facet_score(answer.facet, facets)
    return Score(share, share, share)


def _sentences(answer: LinkAnswer) -> Score:
    """Sentence overlap, averaged over annotators with spans."""
    paper = answer.paper
    sentences = (paper.sentences or _split(paper)) if paper else ()
    return mean([sentence_overlap(answer.spans, gold, sentences) for gold in answer.golds])


def _rouge(name: str, answer: LinkAnswer) -> Score:
    """ROUGE of the answer's text, averaged over annotators with spans."""
    paper = answer.paper
    if paper is None:
        return mean([])
    text = _quoted(paper, answer.spans)
    references = [References([_quoted(paper, gold)], [name]) for gold in answer.golds]
    return mean([reference.score(text)[name] for reference in references])


def _quoted(paper: Document, spans: Sequence[Span]) -> str:
    return " ".join(paper.text[span.start : span.end] for span in spans)


LINK_METRICS.add("span-f1", LinkMetric("spans", _spans))
LINK_METRICS.add("span-union-f1", LinkMetric("spans", _spans_of_any))
LINK_METRICS.add("facet-accuracy", LinkMetric("facets", _facet))
LINK_METRICS.add("sentence-f1", LinkMetric("spans", _sentences))
for _name in DEFAULT_METRICS:
    LINK_METRICS.add(f"span-{_name}", LinkMetric("spans", partial(_rouge, _name)))


@lru_cache(maxsize=1)
def _split(paper: Document) -> tuple[Span, ...]:
    """Split a paper whose source marks no sentences."""
    from features.sentences import split_sentences

    return tuple(Span(start, end) for start, end in split_sentences(paper.text))


def evaluate(
    runs: Sequence[Run],
    topics: Iterable[Topic],
    metrics: Sequence[str] = (),
    options: RougeOptions = UNCUT,
    references: Literal["all", "first"] = "all",
) -> list[list[Evaluation]]:
    """Score summary runs or link runs against the same topics, which are read once.

    Unanswered topics or citances are scored as empty (0); metrics skip topics without the gold they
    need. Metrics are names, in any case, of `METRICS` and `TEXT_METRICS` for summaries (default
    ROUGE-2 and ROUGE-SU4), of `LINK_METRICS` for links (default span-f1 and facet-accuracy). If
    `references` is `first`, only the first gold summary of a topic counts.

    Returns:
        The evaluations of the runs in each metric, in their order.

    Raises:
        UnknownNameError: a metric does not exist.
        UsageError: summary runs and link runs are mixed.
    """
    metrics = [registered(name) for name in metrics]
    summaries = [run for run in runs if isinstance(run, SummaryRun)]
    links = [run for run in runs if isinstance(run, LinkRun)]
    if summaries and links:
        raise UsageError(
            f"{summaries[0].name} contains summaries and {links[0].name} links; score them "
            "separately"
        )
    if links:
        return _evaluate_links(links, topics, metrics or DEFAULT_LINK_METRICS)
    metrics = metrics or DEFAULT_METRICS
    return _evaluate_summaries(summaries, topics, metrics, options, references)


def registered(name: str) -> str:
    """Return the metric of this name in any case; an unknown name unchanged."""
    metrics: list[str] = [*METRICS, *TEXT_METRICS, *LINK_METRICS]
    return next((metric for metric in metrics if metric.lower() == name.lower()), name)


def _evaluate_summaries(
    runs: Sequence[SummaryRun],
    topics: Iterable[Topic],
    metrics: Sequence[str],
    options: RougeOptions,
    references: str,
) -> list[list[Evaluation]]:
    """Score summaries in each metric; the references of a topic are prepared once for all runs."""
    evaluations = _empty(runs, [_signature(name, options, references) for name in metrics])
    of_rouge = [name for name in metrics if name in METRICS]
    by_sentence = any(name in SENTENCE_METRICS for name in of_rouge)
    others = [name for name in metrics if name in TEXT_METRICS]
    for topic in topics:
        golds = topic.summaries[:1] if references == "first" else topic.summaries
        if by_sentence:
            golds = tuple(_sentence_lines(options.cut(text)) for text in golds)
        prepared = References(golds, of_rouge, **vars(options))
        for i, run in enumerate(runs):
            text = run.texts.get(topic.id, "")
            candidate = _sentence_lines(options.cut(text)) if by_sentence else text
            scores = prepared.score(candidate) if golds else {}
            for name in others:
                value = TEXT_METRICS[name].score(options.cut(text), topic)
                if value is not None:
                    scores[name] = Score(value, value, value)
            for name, score in scores.items():
                evaluations[name][i].add(topic.id, score, missing=topic.id not in run.texts)
    return list(evaluations.values())


def _sentence_lines(text: str) -> str:
    """Return a text with one sentence per line; formats break lines in different places."""
    from features.sentences import split_sentences

    text = " ".join(text.split())
    return "\n".join(text[start:end] for start, end in split_sentences(text))


def _signature(metric: str, options: RougeOptions, references: str) -> Signature:
    if metric in METRICS:
        split = {"sentences": "split"} if metric in SENTENCE_METRICS else {}
        return rouge_signature(metric, options, references=references, **split)
    if metric in LINK_METRICS:
        raise UsageError(f"the metric {metric} is for Task 1 links, and the run contains summaries")
    if metric not in TEXT_METRICS:
        raise UnknownNameError(unknown("metric", metric, [*METRICS, *TEXT_METRICS]))
    return Signature(metric, {**length_field(options), "version": __version__})


def _evaluate_links(
    runs: Sequence[LinkRun],
    topics: Iterable[Topic],
    metrics: Sequence[str],
) -> list[list[Evaluation]]:
    """Score links in each metric, by citance."""
    link_metrics = {name: LINK_METRICS[name] for name in metrics}
    evaluations = _empty(
        runs,
        [Signature(name, {"mean": "citances", "version": __version__}) for name in metrics],
    )
    for topic in topics:
        for citance, (i, run) in product(topic.citances, enumerate(runs)):
            link = run.links.get((topic.id, citance.number))
            spans, facet = (link.spans, link.facet) if link else ((), "")
            answer = LinkAnswer(spans, facet, citance, topic.reference)
            unit = f"citance {citance.number}"
            for name, metric in link_metrics.items():
                if metric.applies(citance):
                    score = metric.score(answer)
                    evaluations[name][i].add(topic.id, score, unit, missing=link is None)
    return list(evaluations.values())


def _empty(
    runs: Sequence[Run],
    signatures: Iterable[Signature],
) -> dict[str, list[Evaluation]]:
    """Return evaluations without scores, by metric."""
    evaluations = {}
    for signature in signatures:
        evaluations[signature.metric] = [
            Evaluation(
                run.name,
                signature,
                overlaps=run.training.overlaps,
                designs=run.training.designs,
            )
            for run in runs
        ]
    return evaluations
