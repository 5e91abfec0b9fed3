"""What tuning is worth: nested estimates and paired comparisons of the selectors of a sweep.

The score of the best configuration on the topics that chose it is too high: the choice is partly
luck. Topics that share a document are in one outer fold (see `folds_of`). For each fold, the best
configuration and lambda are chosen on the other topics alone, and scored on the fold; the mean
estimates the whole procedure (Stone 1974; Varma and Simon 2006), not one configuration, since
folds may choose differently. In a sweep that trains, the choice alone is nested: the models of the
other topics may have seen the fold.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ilpsum.evaluation.comparison import Comparison, Pair
from ilpsum.evaluation.run_scores import Evaluation
from ilpsum.evaluation.sweeps.paths import LambdaInterval, TopicPath, means, rank_score
from ilpsum.evaluation.sweeps.results import Result, best, by_method, by_words
from ilpsum.metrics.rouge import mean
from ilpsum.metrics.signature import Signature
from ilpsum.records import Summary
from ilpsum.selection import SELECTORS

GIVEN = "given: the folds had no part in them that the sweep knows of"
TRAINED = "not nested: of the topics that chose, some were summarised by models trained on the fold"


@dataclass(frozen=True)
class Estimate:
    """The nested estimate of a tuned selector, or of the best selector if `method` is empty, under
    a word limit.

    Attributes:
        run: the name of its run: `nested`, with the selector and, of several, the word limit.
        chosen: by outer fold, the best result on the other topics.
        fold_of: the outer fold of each topic, by id.
        paths: the summaries of each topic by the result chosen on the other folds.
    """

    run: str
    method: str
    chosen: tuple[Result, ...]
    fold_of: Mapping[str, int]
    paths: tuple[TopicPath, ...]

    def lambda_of(self, topic: str) -> float | None:
        """Return the lambda chosen for a topic."""
        return self.chosen[self.fold_of[topic]].lambda_

    @property
    def words(self) -> int:
        """The word limit."""
        return self.chosen[0].words

    @cached_property
    def intervals(self) -> dict[str, LambdaInterval]:
        """Summary by topic, with its scores."""
        return {path.topic: path.at(self.lambda_of(path.topic) or 0.0) for path in self.paths}

    @property
    def summaries(self) -> list[Summary]:
        """The summaries as the run has them."""
        return [path.summary(self.lambda_of(path.topic)) for path in self.paths]

    @property
    def score(self) -> float:
        """The ranking score, averaged over topics."""
        return rank_score(means(self.intervals.values()), self.chosen[0].measure)

    @property
    def topics(self) -> dict[str, float]:
        """The ranking score of each topic."""
        measure = self.chosen[0].measure
        return {topic: rank_score(s.scores, measure) for topic, s in self.intervals.items()}


def estimates(results: Sequence[Result], fold_of: Mapping[str, int]) -> tuple[Estimate, ...]:
    """Return the nested estimate of a finished sweep under each word limit and, if it has several
    selectors, one for each; none without folds.

    `fold_of` is the outer fold of each topic, by id.
    """
    nested = list[Estimate]()
    limits = by_words(results) if fold_of else {}
    for words, of_limit in limits.items():
        limit = f"-{words}" if len(limits) > 1 else ""
        selectors = by_method(of_limit)
        nested.append(_estimate(f"nested{limit}", "", of_limit, fold_of))
        for method, group in selectors.items() if len(selectors) > 1 else ():
            nested.append(_estimate(f"nested-{method}{limit}", method, group, fold_of))
    return tuple(nested)


def _estimate(
    run: str,
    method: str,
    results: Sequence[Result],
    fold_of: Mapping[str, int],
) -> Estimate:
    chosen = []
    for fold in range(max(fold_of.values()) + 1):
        elsewhere = []
        for result in results:
            outside = [path for path in result.paths if fold_of[path.topic] != fold]
            elsewhere.append(replace(result, paths=tuple(outside)))
        chosen.append(best(elsewhere))
    paths = {result.run: result.paths for result in results}
    summaries = []
    for i, path in enumerate(results[0].paths):
        summaries.append(paths[chosen[fold_of[path.topic]].run][i])
    return Estimate(run, method, tuple(chosen), fold_of, tuple(summaries))


def selector_pairs(
    results: Sequence[Result],
    estimates: Sequence[Estimate],
) -> dict[int, list[Pair]]:
    """Compare every pair of a sweep's tunable selectors by the mean of its metrics under each word
    limit; see `Pair`.

    A nested sweep compares the summaries of the outer folds; other sweeps compare the best results
    on the tuning topics, which favours the selector with more parameter values: those pairs have no
    p-values.
    """
    nested = {(estimate.words, estimate.method): estimate for estimate in estimates}
    pairs = {}
    for words, of_limit in by_words(results).items():
        evaluations = []
        for method, group in by_method(of_limit).items():
            if method in SELECTORS and SELECTORS[method].tunes:
                tuned = nested.get((words, method), best(group))
                evaluations.append(_evaluation(method, group[0].scores, tuned))
        pairs[words] = Comparison(evaluations, results[0].measure).pairs
        if not nested:
            pairs[words] = [replace(pair, p_value=None, holm=None) for pair in pairs[words]]
    return pairs


def _evaluation(method: str, metrics: Iterable[str], tuned: Result | Estimate) -> Evaluation:
    """Return the scores of a tuned selector: for each topic, the mean of its metrics."""
    scores = []
    for topic, interval in tuned.intervals.items():
        scores.append((topic, mean([*interval.scores.values()])))
    return Evaluation(method, Signature(" and ".join(metrics), {}), scores)
