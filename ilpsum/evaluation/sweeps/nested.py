"""Nested cross-validation: estimates the score of a tuned system on topics not used in tuning.

The score of the best configuration on the tuning topics is too high, because the choice is partly luck. Here, topics
are split into outer folds (topic i is in fold i modulo their number). For each fold, the best configuration and lambda
are chosen on the other topics alone and scored on the fold. The mean of these scores is an unbiased estimate for the
whole procedure (Stone 1974; Varma and Simon 2006), not for one configuration, since folds may choose differently. With
several selectors, such as the ILP and a greedy one, each fold tunes each of them, so that the comparison is fair.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ilpsum.errors import UsageError, counted
from ilpsum.evaluation.comparison import Pair, compare
from ilpsum.evaluation.scoring import Evaluation
from ilpsum.evaluation.sweeps.cache import Cache
from ilpsum.evaluation.sweeps.curve import Stretch, rank_score
from ilpsum.evaluation.sweeps.plan import Data, Group, Sweep
from ilpsum.evaluation.sweeps.rows import Result, best, by_method, means
from ilpsum.evaluation.sweeps.running import Runner
from ilpsum.files.processes import HERE, Executor
from ilpsum.files.progress import Progress, no_progress
from ilpsum.metrics.rouge import mean
from ilpsum.metrics.signature import Signature
from ilpsum.records import Topic
from ilpsum.selection import SELECTORS


@dataclass(frozen=True)
class Choice:
    """The result chosen for an outer fold on the other topics, and the summaries of the fold's topics."""

    result: Result
    topics: dict[str, Stretch]


@dataclass(frozen=True)
class Estimate:
    """The nested estimate of a tuned selector, or of the best selector if `method` is empty."""

    method: str
    choices: tuple[Choice, ...]

    @property
    def summaries(self) -> dict[str, Stretch]:
        """Summary by topic."""
        return {topic: summary for choice in self.choices for topic, summary in choice.topics.items()}

    @property
    def score(self) -> float:
        """The ranking score, averaged over topics."""
        return rank_score(means(self.summaries.values()), self.choices[0].result.measure)


def nested(
    sweep: Sweep,
    groups: Sequence[Group],
    data: Data,
    results: Sequence[Result],
    cache: str | Path,
    *,
    engine: Executor = HERE,
    progress: Progress = no_progress,
) -> tuple[Estimate, ...]:
    """Return the nested estimate of a finished sweep and, if it has several selectors, one for each.

    If the sweep trains models, each outer fold runs a sweep over the other topics, whose best systems are then trained
    on all of these. With given models, the results of the sweep suffice. `sweep.nested` is at least 2, and `results`
    are complete; the other arguments are as for `ilpsum.evaluation.sweeps.run`.

    Raises:
        UsageError: there are more outer folds than topics, or more inner folds than topics outside an outer fold.
    """
    if sweep.nested > len(data.topics):
        raise UsageError(f"nested is {sweep.nested}, for {counted(len(data.topics), 'topic')} with gold: choose fewer")
    folds = []
    for fold in progress(range(sweep.nested), "outer folds"):
        held = data.topics[fold :: sweep.nested]
        if sweep.folds:
            others = Data.of(t for i, t in enumerate(data.topics) if i % sweep.nested != fold)
            if sweep.folds > (left := len(others.topics)):
                raise UsageError(f"folds is {sweep.folds}, for {counted(left, 'topic')} outside an outer fold")
            folds.append(_trained(Runner(sweep, others, Cache(cache), engine, progress), groups, held))
        else:
            folds.append(_read(results, {topic.id for topic in held}))
    overall = Estimate("", tuple(max(fold.values(), key=lambda choice: choice.result.score) for fold in folds))
    each = [Estimate(method, tuple(fold[method] for fold in folds)) for method in folds[0]]
    return (overall, *each) if len(each) > 1 else (overall,)


def selector_pairs(sweep: Sweep, data: Data, results: Sequence[Result], estimates: Sequence[Estimate]) -> list[Pair]:
    """Compare every pair of a sweep's tunable selectors by the mean of its metrics; see `compare`.

    A nested sweep compares the summaries of the outer folds; other sweeps compare the best results on the tuning
    topics, which favours the selector with more parameter values.
    """
    nested = {estimate.method: estimate.summaries for estimate in estimates}
    signature = Signature(" and ".join(sweep.metrics), {})
    evaluations = []
    for method, own in by_method(results).items():
        if method in SELECTORS and SELECTORS[method].tunes:
            summaries = nested.get(method) or best(own).summaries
            scores = [(t.id, mean([summaries[t.id].scores[m] for m in sweep.metrics])) for t in data.topics]
            evaluations.append(Evaluation(method, signature, scores))
    return compare(evaluations, sweep.measure)


def _trained(runner: Runner, groups: Sequence[Group], held: Sequence[Topic]) -> dict[str, Choice]:
    """Run a sweep over the other topics, and summarise the fold's topics with each selector's best trained system."""
    choices = {}
    for method, results in by_method(list(runner.run(groups))).items():
        top = best(results)
        group = next(group for group in groups if top.configuration in group.configurations)
        choices[method] = Choice(top, runner.tested(top, group, held))
    return choices


def _read(results: Sequence[Result], held: set[str]) -> dict[str, Choice]:
    """Choose and score using the sweep's results, since the models do not depend on the topics."""
    choices = {}
    for method, own in by_method(results).items():
        parts = [replace(r, paths=tuple(path for path in r.paths if path.topic not in held)) for r in own]
        top = best(parts)
        paths = next(r.paths for r in own if r.run == top.run)
        inside = {path.topic: path.at(top.lambda_ or 0.0) for path in paths if path.topic in held}
        choices[method] = Choice(top, inside)
    return choices
