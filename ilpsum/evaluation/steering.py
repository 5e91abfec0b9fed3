"""A summary at every lambda and ten word limits, computed exactly from its provenance.

At each limit, the path over lambda (`ilpsum.selection.path`) contains all optima. The saved page
needs little of it: a few dozen sentences and, for each interval of lambda, their numbers in text
order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ilpsum.errors import InputError, SolverError
from ilpsum.evaluation.comparison import Comparison, usual_measure
from ilpsum.evaluation.scoring import Measure, evaluate
from ilpsum.metrics.rouge import RougeOptions
from ilpsum.pipeline.objective import Programs
from ilpsum.records import Sentence, Summary, Topic
from ilpsum.runs.reading import SummaryRun
from ilpsum.selection import Limits, Segment

# Tolerance for equal objectives: the order of summation of a few hundred terms changes them by far
# less.
_SAME = 1e-9
# Branch-and-bound nodes per path; a hard topic takes 100,000 (a second). Other limits that need
# more are left out.
_NODES, _NODES_OF_OWN = 200_000, 5_000_000
# Decimals of means, to remove rounding errors from the order of summation.
_DIGITS = 12
# Word limits on the slider, including the run's own.
_LIMITS = 10


@dataclass(frozen=True)
class Steering:
    """A summary at every lambda and at several word limits.

    Attributes:
        lambda_, words: settings of the run.
        paths: all optima over lambda by word limit; `chosen` holds sentence numbers in text order.
        sentences: all sentences of the paths as printed, by number; the run's own come first.
        scores: for each set of sentence numbers on the paths, its score in each metric; empty
            without gold.
    """

    lambda_: float
    words: int
    paths: Mapping[int, tuple[Segment, ...]]
    sentences: tuple[Sentence, ...]
    scores: Mapping[tuple[int, ...], tuple[float, ...]] = field(default_factory=dict)


def steering_of(summary: Summary) -> Steering | None:
    """Compute a summary at other lambdas and word limits.

    None if the selector was not the ILP, the text has labels, the proof would take too long, or the
    paths do not contain the summary, because something other than its ILP produced it.
    """
    lambda_, limit = summary.settings.objective.lambda_, summary.settings.words
    if summary.program is None or lambda_ is None or not summary.sentences:
        return None
    if summary.settings.text.labels:
        return None
    programs = Programs(summary)
    sentences = {(s.place, s.text): s for s in summary.sentences}
    paths = {}
    # A tenth of the run's limit, rounded to a multiple of five.
    step = max(5, 5 * round(limit / _LIMITS / 5))
    for words in sorted({*range(step, limit, step), limit}):
        limits = Limits(nodes=_NODES_OF_OWN if words == limit else _NODES)
        try:
            optima = [*programs.path(words, limits)]
        except (SolverError, InputError):
            # The limits are infeasible, or the proof takes too long.
            continue
        path = []
        for segment, rules in optima:
            text = {(s.place, s.text): s for s in programs.arranged(segment.chosen, rules)}
            sentences |= {key: s for key, s in text.items() if key not in sentences}
            numbers = {key: i for i, key in enumerate(sentences)}
            path.append(replace(segment, chosen=tuple(numbers[key] for key in text)))
        paths[words] = tuple(path)
    # One of the optima at the run's lambda must be the summary itself.
    itself = tuple(range(len(summary)))
    for segment in paths.get(limit, ()):
        at_lambda = segment.start <= lambda_ <= segment.end and segment.chosen == itself
        if at_lambda and abs(segment.value(lambda_) - summary.objective) <= _SAME:
            return Steering(lambda_, limit, paths, tuple(sentences.values()))
    return None


def with_scores(
    steering: Steering,
    topic: Topic,
    metrics: Sequence[str],
    options: RougeOptions,
    measure: Measure | None,
) -> Steering:
    """Return a steering with the scores of all its optima; unchanged if the topic lacks the gold of
    some metric.
    """
    paths = steering.paths.values()
    optima = list(dict.fromkeys(segment.chosen for path in paths for segment in path))
    runs = []
    for chosen in optima:
        text = "\n".join(steering.sentences[i].text for i in chosen)
        runs.append(SummaryRun(str(chosen), {topic.id: text}))
    values = []
    for of_metric in evaluate(runs, [topic], metrics, options):
        if not of_metric[0].units:
            return steering
        compared = Comparison(of_metric, measure or usual_measure(of_metric[0].metric))
        values.append([round(compared.mean(evaluation), 4) for evaluation in of_metric])
    return replace(steering, scores=dict(zip(optima, zip(*values, strict=True), strict=True)))


@dataclass(frozen=True)
class Step:
    """An interval of lambda with a constant mean score."""

    start: float
    end: float
    score: float

    @property
    def inside(self) -> float:
        """The shortest decimal lambda inside the interval, near the middle."""
        middle = (self.start + self.end) / 2
        short = (round(middle, digits) for digits in range(1, 18))
        return next((value for value in short if self.start < value < self.end), middle)


def mean_steps(topics: Sequence[Sequence[tuple[float, float]]]) -> list[Step]:
    """Return the mean of scores that change at certain lambdas, given lambda and score of each
    topic, as steps.
    """
    begins = [(start, i, score) for i, path in enumerate(topics) for start, score in path]
    current = np.zeros(len(topics))
    means = dict[float, float]()
    for start, i, score in sorted(begins):
        current[i] = score
        means[start] = round(float(current.mean()), _DIGITS)
    steps = list[Step]()
    for start, mean in means.items():
        if steps and steps[-1].score == mean:
            continue
        if steps:
            steps[-1] = replace(steps[-1], end=start)
        steps.append(Step(start, 1.0, mean))
    return steps
