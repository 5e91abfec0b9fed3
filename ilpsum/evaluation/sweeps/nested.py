"""What tuning is worth: nested estimates and paired comparisons of the selectors of a sweep.

The score of the best configuration on the topics that chose it is too high: the choice is partly
luck. Topics that share a document are in one outer fold (see `folds_of`). For each fold, the best
configuration and lambda are chosen on the other topics alone, and scored on the fold; the mean
estimates the whole procedure (Stone 1974; Varma and Simon 2006), not one configuration, since
folds may choose differently. In a sweep that trains, the choice alone is nested: the models of the
other topics may have seen the fold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ilpsum.evaluation.comparison import Comparison, Pair
from ilpsum.evaluation.scoring import Evaluation
from ilpsum.evaluation.sweeps.plan import Sweep
from ilpsum.evaluation.sweeps.results import (
    LambdaInterval,
    Result,
    best,
    by_method,
    listed,
    means,
    rank_score,
)
from ilpsum.metrics.rouge import mean
from ilpsum.metrics.signature import Signature
from ilpsum.selection import SELECTORS


@dataclass(frozen=True)
class Estimate:
    """The nested estimate of a tuned selector, or of the best selector if `method` is empty.

    Attributes:
        chosen: by outer fold, the best result on the other topics.
        fold_of: the outer fold of each topic, by id.
        summaries: the summary of each topic, by the result chosen on the other folds.
    """

    method: str
    chosen: tuple[Result, ...]
    fold_of: Mapping[str, int]
    summaries: dict[str, LambdaInterval]

    @property
    def score(self) -> float:
        """The ranking score, averaged over topics."""
        return rank_score(means(self.summaries.values()), self.chosen[0].measure)

    @property
    def topics(self) -> dict[str, float]:
        """The ranking score of each topic."""
        measure = self.chosen[0].measure
        return {topic: rank_score(s.scores, measure) for topic, s in self.summaries.items()}

    def choice_of(self, topic: str) -> Result:
        """Return the result that summarised a topic: the best on the other folds."""
        return self.chosen[self.fold_of[topic]]

    def row(self, sweep: Sweep) -> dict[str, Any]:
        """Return the estimate as a row of `rows.jsonl`, with the scores of each topic."""
        choices = [{"run": result.run, "lambda": result.lambda_} for result in self.chosen]
        of_topics = {topic: listed(s.scores) for topic, s in self.summaries.items()}
        mean_scores = listed(means(self.summaries.values()))
        models = TRAINED if sweep.folds else GIVEN
        return {
            "kind": "nested",
            "method": self.method or None,
            "folds": len(self.chosen),
            "fold_of": self.fold_of,
            "score": self.score,
            "scores": mean_scores,
            "topics": of_topics,
            "chosen": choices,
            "models": models,
        }


GIVEN = "given: the folds had no part in them that the sweep knows of"
TRAINED = "not nested: of the topics that chose, some were summarised by models trained on the fold"


def estimates(results: Sequence[Result], fold_of: Mapping[str, int]) -> tuple[Estimate, ...]:
    """Return the nested estimate of a finished sweep and, if it has several selectors, one for
    each; none without folds.

    `fold_of` is the outer fold of each topic, by id.
    """
    if not fold_of:
        return ()
    by_fold = []
    for fold in range(max(fold_of.values()) + 1):
        elsewhere = []
        for result in results:
            outside = [path for path in result.paths if fold_of[path.topic] != fold]
            elsewhere.append(replace(result, paths=tuple(outside)))
        methods = {method: best(group) for method, group in by_method(elsewhere).items()}
        by_fold.append({"": best([*methods.values()]), **methods})
    tuned = list(by_fold[0]) if len(by_fold[0]) > 2 else [""]
    paths = {result.run: result.paths for result in results}
    nested = []
    for method in tuned:
        chosen = tuple(tops[method] for tops in by_fold)
        summaries = {}
        for i, path in enumerate(results[0].paths):
            top = chosen[fold_of[path.topic]]
            summaries[path.topic] = paths[top.run][i].at(top.lambda_ or 0.0)
        nested.append(Estimate(method, chosen, fold_of, summaries))
    return tuple(nested)


def selector_pairs(
    sweep: Sweep,
    results: Sequence[Result],
    estimates: Sequence[Estimate],
) -> list[Pair]:
    """Compare every pair of a sweep's tunable selectors by the mean of its metrics; see `Pair`.

    A nested sweep compares the summaries of the outer folds; other sweeps compare the best results
    on the tuning topics, which favours the selector with more parameter values: those pairs have no
    p-values.
    """
    nested = {estimate.method: estimate.summaries for estimate in estimates}
    evaluations = []
    signature = Signature(" and ".join(sweep.metrics), {})
    for method, group in by_method(results).items():
        if method in SELECTORS and SELECTORS[method].tunes:
            summaries = nested.get(method) or best(group).summaries
            scores = [(topic, mean([*s.scores.values()])) for topic, s in summaries.items()]
            evaluations.append(Evaluation(method, signature, scores))
    pairs = Comparison(evaluations, sweep.measure).pairs
    if nested:
        return pairs
    return [replace(pair, p_value=None, holm=None) for pair in pairs]
