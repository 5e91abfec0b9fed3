"""The lambda paths of topics: every optimal summary, and the lambdas between which it is optimal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ilpsum.evaluation.comparison import Place
from ilpsum.evaluation.curves import Step, mean_curve
from ilpsum.metrics.rouge import Score
from ilpsum.sweeps.rows import Listed, Objective, PathRow, StretchRow


@dataclass(frozen=True)
class Stretch:
    """An optimal summary of a topic, and the interval of lambda in which it is optimal.

    Attributes:
        start, end: the interval of lambda.
        chosen: its sentences, in the order of the text.
        relevance, coverage, costs: the terms of its objective.
        scores: its ROUGE by metric.
    """

    start: float
    end: float
    chosen: tuple[Place, ...]
    relevance: float
    coverage: float
    costs: float
    scores: Mapping[str, Score]

    def objective(self, lambda_: float) -> float:
        """Return the objective of the summary at any lambda."""
        return lambda_ * self.relevance + (1.0 - lambda_) * self.coverage - self.costs


@dataclass(frozen=True)
class Outcome:
    """A topic's summary by one configuration: its ROUGE by metric, its sentences in their order, and its seconds."""

    scores: dict[str, Score]
    chosen: tuple[Place, ...]
    seconds: float = 0.0


@dataclass(frozen=True)
class TopicPath:
    """All optimal summaries of a topic over lambda in [0,1]."""

    topic: str
    stretches: tuple[Stretch, ...]

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """The lambdas at which the optimal summary changes."""
        return tuple(stretch.start for stretch in self.stretches[1:])

    def at(self, lambda_: float) -> Stretch:
        """Return the summary at a lambda; at a breakpoint the one that ends there."""
        return next(stretch for stretch in self.stretches if lambda_ <= stretch.end)

    def row(self, run: str) -> PathRow:
        """Return the path as a row of path.jsonl."""
        stretches = (
            StretchRow(s.start, s.end, s.chosen, Objective(s.relevance, s.coverage, s.costs), listed(s.scores))
            for s in self.stretches
        )
        return PathRow(run, self.topic, tuple(stretches), self.breakpoints)

    @classmethod
    def from_row(cls, row: PathRow) -> "TopicPath":
        """Return the path of a row."""
        rows = ((s, s.objective) for s in row.segments)
        stretches = (
            Stretch(s.start, s.end, s.chosen, o.relevance, o.coverage, o.costs, unlisted(s.scores)) for s, o in rows
        )
        return cls(row.topic, tuple(stretches))


def listed(scores: Mapping[str, Score]) -> Listed:
    """Return scores by metric as a row of a sweep has them."""
    return {metric: (x.recall, x.precision, x.f1) for metric, x in scores.items()}


def unlisted(row: Listed) -> dict[str, Score]:
    """Return the scores by metric in a row of a sweep."""
    return {metric: Score(*values) for metric, values in row.items()}


def rank_score(scores: Mapping[str, Score], measure: str) -> float:
    """Return the mean over metrics of one measure, which ranks configurations."""
    return sum(float(getattr(score, measure)) for score in scores.values()) / len(scores)


def score_steps(paths: Sequence[TopicPath], measure: str) -> list[Step]:
    """Return the mean over topics of the score that ranks configurations."""
    return mean_curve([[(s.start, rank_score(s.scores, measure)) for s in path.stretches] for path in paths])


def mean_objective(paths: Sequence[TopicPath], lambda_: float) -> float:
    """Return the mean over topics of the optimum at a lambda."""
    return sum(path.at(lambda_).objective(lambda_) for path in paths) / len(paths)
