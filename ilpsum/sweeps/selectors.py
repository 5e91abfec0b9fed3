"""The selectors of a finished sweep against each other; if nested, at the parameters that the other folds chose."""

from collections.abc import Sequence

from ilpsum.evaluation.comparison import Pair, compare
from ilpsum.evaluation.scoring import Evaluation
from ilpsum.metrics.rouge import mean
from ilpsum.metrics.signature import Signature
from ilpsum.selection import SELECTORS
from ilpsum.sweeps.data import Data
from ilpsum.sweeps.nested import Estimate
from ilpsum.sweeps.plan import Sweep
from ilpsum.sweeps.rows import Result, best, by_method


def selector_pairs(sweep: Sweep, data: Data, results: Sequence[Result], estimates: Sequence[Estimate]) -> list[Pair]:
    """Compare every pair of a sweep's selectors that have a parameter, by the mean of its metrics; see `compare`.

    A nested sweep compares the summaries of the outer folds; any other the best of each selector on the same topics,
    which favours the selector with more values.
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
