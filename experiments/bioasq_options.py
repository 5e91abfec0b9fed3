"""Compare settings of the ILP-SUM systems on editions 1 and 2 of BioASQ, on which they were chosen.

    python experiments/bioasq_options.py [--data ../shared/data] [--out experiments/results] [--pools snippets]

Each edition is answered by systems trained on all sentences of the other, for questions whose pool exceeds the word
limit. First the SVR's parameters, by relevance alone: the correlation of predicted and true target within a question,
averaged over questions. Then, for ILP-SUM-2, the options that the paper leaves open, by ROUGE: the target (ROUGE recall
or precision), the scaling of features (over the training range or per question), alpha (clipped to [0,1] or stretched
over the question), and lambda.
"""

import argparse
import itertools
from collections.abc import Sequence

import numpy as np
from bioasq import WORDS, Case, Source, add_options, answer, edition, named, relevance_of, score, train, write

from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System

SYSTEMS = ("ilp-sum-0", "ilp-sum-1", "ilp-sum-2", "ilp-sum-2-paper")
COSTS, WIDTHS = (0.1, 0.3, 1.0), (0.01, 0.03, 0.1, 0.3)
LAMBDAS = (0.8, 0.9, 0.95, 0.98, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--pools", nargs="+", default=["snippets"])
    options = parser.parse_args()
    source = Source(options.data)
    blocks = [
        f"Editions 1 and 2, each with models trained on the other; questions of more than {WORDS} words. Correlation "
        "of predicted and true target within the question; recall, mean of ROUGE-2 and ROUGE-SU4, first ideal answer, "
        "no stemming, 200 words."
    ]
    for pool in options.pools:
        halves = [source.cases(edition(n), pool) for n in (1, 2)]
        blocks += [f"## {pool}", parameters(halves), settings(halves)]
        command = f"python experiments/bioasq_options.py --pools {' '.join(options.pools)}"
        write(options, "bioasq-options", "Settings of the ILP-SUM systems", command, blocks)


def crossed(system: System, halves: Sequence[Sequence[Case]]) -> list[tuple[SystemModel, list[Case]]]:
    """Train the system on each half; return it with the questions of the other half that exceed the word limit."""
    one, other = halves
    pairs = ((one, other), (other, one))
    return [(train(system, training), [c for c in test if c.words > WORDS]) for training, test in pairs]


def correlations(system: System, model: SystemModel, cases: Sequence[Case]) -> list[float]:
    """Return the correlation of prediction and target within each question where both vary."""
    found = []
    for case in cases:
        target = case.targets[system.recipe.target, system.selection.stems]
        predicted = relevance_of(model, system, case)
        if np.ptp(target) > 0 and np.ptp(predicted) > 0:
            found.append(float(np.corrcoef(predicted, target)[0, 1]))
    return found


def parameters(halves: Sequence[Sequence[Case]]) -> str:
    """Format the correlation of each system at each pair of C and gamma."""
    lines = [f"| C | gamma | {' | '.join(SYSTEMS)} |", "|---" * (len(SYSTEMS) + 2) + "|"]
    for cost, width in itertools.product(COSTS, WIDTHS):
        cells = []
        for name in SYSTEMS:
            system = named(name, recipe={"C": (cost,), "gamma": (width,), "sample": 0})
            parts = [correlations(system, model, cases) for model, cases in crossed(system, halves)]
            cells.append(f"{np.mean(np.concatenate(parts)):.4f}")
        lines.append(f"| {cost} | {width} | {' | '.join(cells)} |")
    return "\n".join(lines)


def settings(halves: Sequence[Sequence[Case]]) -> str:
    """Format ROUGE of ILP-SUM-2 with each combination of the options."""
    head = ["target", "features over", "alpha", *(f"lambda {x}" for x in LAMBDAS)]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for target, scaling in itertools.product(("recall", "precision"), ("training", "topic")):
        learned: dict[str, object] = {"target": target, "scaling": scaling, "sample": 0}
        fitted = crossed(named("ilp-sum-2", recipe=learned), halves)
        for alpha in ("clip", "topic"):
            system = named("ilp-sum-2", recipe=learned, selection={"alpha": alpha})
            cells = []
            for value in LAMBDAS:
                found = [
                    score(answer(Pipeline(system, model, lambda_=value), case), case)
                    for model, cases in fitted
                    for case in cases
                ]
                cells.append(f"{np.mean(found):.4f}")
            lines.append(f"| {target} | {scaling} | {alpha} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
