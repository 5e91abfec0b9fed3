"""A summary at every lambda and ten word limits, computed exactly from its provenance.

At each limit, the path over lambda (`ilpsum.selection.path`) contains all optima. The saved page
needs little of it: a few dozen sentences and, for each interval of lambda, their numbers in text
order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise

import numpy as np

from ilpsum.errors import InputError, SolverError
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
    lambda_, own = summary.settings.objective.lambda_, summary.settings.words
    if summary.program is None or lambda_ is None or not summary.sentences:
        return None
    if summary.settings.text.labels:
        return None
    programs = Programs(summary)
    sentences = list(summary.sentences)
    numbers = {(s.place, s.text): i for i, s in enumerate(sentences)}
    paths = {}
    # A tenth of the run's limit, rounded to a multiple of five.
    step = max(5, 5 * round(own / _LIMITS / 5))
    for words in sorted({*range(step, own, step), own}):
        try:
            found = [*programs.path(words, Limits(nodes=_NODES_OF_OWN if words == own else _NODES))]
        except (SolverError, InputError):
            # The limits are infeasible, or the proof takes too long.
            continue
        path = []
        for segment, rules in found:
            text = programs.arranged(segment.chosen, rules)
            for sentence in text:
                if numbers.setdefault((sentence.place, sentence.text), len(sentences)) == len(
                    sentences
                ):
                    sentences.append(sentence)
            path.append(replace(segment, chosen=tuple(numbers[s.place, s.text] for s in text)))
        paths[words] = tuple(path)
    # One of the optima at the run's lambda must be the summary itself.
    optima = [segment for segment in paths.get(own, ()) if segment.start <= lambda_ <= segment.end]
    same = [segment for segment in optima if segment.chosen == tuple(range(len(summary)))]
    if not any(abs(segment.value(lambda_) - summary.objective) <= _SAME for segment in same):
        return None
    return Steering(lambda_, own, paths, tuple(sentences))


def scored(
    steering: Steering | None,
    topic: Topic,
    metrics: Sequence[str],
    options: RougeOptions,
    measure: Measure,
) -> Steering | None:
    """Return a steering with the scores of all its optima; unchanged if the topic lacks the gold of
    some metric.
    """
    if steering is None:
        return None
    chosen = list({segment.chosen: None for path in steering.paths.values() for segment in path})
    texts = ("\n".join(steering.sentences[i].text for i in numbers) for numbers in chosen)
    optima = [SummaryRun(str(i), {topic.id: text}) for i, text in enumerate(texts)]
    evaluations = evaluate(optima, [topic], metrics, options)
    if not all(each.units for each in evaluations):
        return steering
    scores = [round(float(getattr(each.mean, measure)), 4) for each in evaluations]
    each = len(scores) // len(chosen)
    return replace(
        steering,
        scores={own: tuple(scores[i * each : (i + 1) * each]) for i, own in enumerate(chosen)},
    )


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
    begins = sorted((start, i, score) for i, path in enumerate(topics) for start, score in path)
    current, means = np.zeros(len(topics)), dict[float, float]()
    for start, i, score in begins:
        current[i] = score
        means[start] = round(float(current.mean()), _DIGITS)
    starts = [next(run)[0] for _, run in groupby(means.items(), key=lambda step: step[1])]
    return [Step(a, b, means[a]) for a, b in pairwise([*starts, 1.0])]
