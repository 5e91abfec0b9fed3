"""A topic's summaries as a function of lambda, and their scores."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import msgspec

from ilpsum.evaluation.run_scores import Measure
from ilpsum.evaluation.steps import Step, mean_steps
from ilpsum.evaluation.sweeps.plan import SWEEP
from ilpsum.files.records import Count, Number, Share
from ilpsum.metrics.rouge import Score, mean
from ilpsum.records import RunSettings, Sentence, Summary
from ilpsum.runs.seen import Overlap

Scores = Mapping[str, Score]
"""Scores by metric."""


class Passage(msgspec.Struct, frozen=True, array_like=True):
    """A sentence of a summary: its document, start and end there, and its text as printed."""

    document: str
    start: Count
    end: Count
    text: str


class LambdaInterval(msgspec.Struct, frozen=True):
    """A summary of a topic with the interval of lambda in which it is optimal; [0,1] without an
    exact path.

    Attributes:
        chosen: indices of its sentences in the path's `passages`, in text order.
        relevance, coverage, costs: terms of its objective; 0 without an exact path.
    """

    start: Share
    end: Share
    chosen: tuple[Count, ...]
    relevance: Number
    coverage: Number
    costs: Number
    scores: Scores

    def objective(self, lambda_: float) -> float:
        """Return the summary's objective at any lambda."""
        return lambda_ * self.relevance + (1.0 - lambda_) * self.coverage - self.costs


class TopicPath(msgspec.Struct, frozen=True):
    """A topic's summaries by one configuration: all optima over lambda in [0,1], or a single
    summary.

    Attributes:
        passages: the sentences of all its summaries.
        settings: those of the summaries, except for lambda on an exact path.
        question, digest: the query and the digest of the topic.
        seen: for each model, whether the topic was in its training.
    """

    topic: str
    intervals: tuple[LambdaInterval, ...]
    passages: tuple[Passage, ...] = ()
    settings: RunSettings = msgspec.field(default_factory=RunSettings)
    question: str = ""
    digest: str = ""
    seen: Overlap = {}

    def __post_init__(self) -> None:
        starts = [interval.start for interval in self.intervals]
        ends = [interval.end for interval in self.intervals]
        ascending = all(interval.start < interval.end for interval in self.intervals)
        if not ascending or starts != [0.0, *ends[:-1]] or ends[-1] != 1.0:
            raise ValueError("expected intervals of lambda from 0 to 1, end to end")
        if any(i >= len(self.passages) for one in self.intervals for i in one.chosen):
            raise ValueError("an interval without its sentences")

    def at(self, lambda_: float) -> LambdaInterval:
        """Return the summary at a lambda; at a breakpoint, the one whose interval ends there."""
        return next(interval for interval in self.intervals if lambda_ <= interval.end)

    def summary(self, lambda_: float | None) -> Summary:
        """Return the summary at a lambda as a run has it, with its sentences but without candidates
        or proof; None stands for the system's own lambda.
        """
        settings = self.settings
        if lambda_ is not None and settings.objective.lambda_ is not None:
            selection = msgspec.structs.replace(settings.selection, lambda_=lambda_)
            objective = replace(settings.objective, lambda_=lambda_)
            origins = {**settings.origins, "selection.lambda": SWEEP}
            settings = replace(
                settings,
                selection=selection,
                objective=objective,
                origins=origins,
            )
        sentences = []
        for i in self.at(lambda_ or 0.0).chosen:
            document, start, end, text = msgspec.structs.astuple(self.passages[i])
            words = len(text.split())
            sentences.append(Sentence(text, document, start, end, words, relevance=math.nan))
        return Summary(
            topic=self.topic,
            sentences=tuple(sentences),
            text="\n".join(sentence.text for sentence in sentences),
            system=settings.system.name,
            settings=settings,
            question=self.question,
            topic_digest=self.digest,
            seen=self.seen,
        )


def score_steps(
    paths: Sequence[TopicPath],
    measure: Measure,
    metrics: Sequence[str] = (),
) -> list[Step]:
    """Return the ranking score, averaged over topics, as steps over lambda from 0 to 1; equal
    neighbours are merged.
    """

    def steps(path: TopicPath) -> list[tuple[float, float]]:
        return [(x.start, rank_score(x.scores, measure, metrics)) for x in path.intervals]

    return mean_steps(list(map(steps, paths)))


def best_step(steps: Sequence[Step]) -> Step:
    """Return the step with the best score; ties go to the widest step, where lambda may vary
    most.
    """
    return max(steps, key=lambda step: (step.score, step.end - step.start, -step.start))


def rank_score(scores: Scores, measure: Measure, metrics: Sequence[str] = ()) -> float:
    """Return the ranking score of configurations: one measure, averaged over some metrics, by
    default all.
    """
    values = [float(getattr(scores[metric], measure)) for metric in metrics or scores]
    return sum(values) / len(values)


def means(summaries: Iterable[LambdaInterval]) -> dict[str, Score]:
    """Return the mean scores of summaries, by metric."""
    scores = [summary.scores for summary in summaries]
    return {metric: mean([one[metric] for one in scores]) for metric in scores[0]}


def mean_objective(paths: Sequence[TopicPath], lambda_: float) -> float:
    """Return the optimal objective at a lambda, averaged over topics."""
    return sum(path.at(lambda_).objective(lambda_) for path in paths) / len(paths)
