"""Measure the variation of learned concepts between seeds: three seeds of the trees in every setting of questions.

    python experiments/concepts_seeds.py [--data ../shared/data] [--out experiments/results]

Each system has three ensembles of trees, with seeds from 0, 10 or 20. Editions 7 and 8 are answered by a system trained
on editions 1 to 5, full abstracts by `concepts-abstracts` trained on the other editions.
"""

import argparse
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from bioasq import Case, Source, add_options, edition, named, scores, train, write
from concepts_ablation import SYSTEM

from features.arrays import Floats
from ilpsum.learning.boosted_trees import TreeParameters as Trees
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System

SEEDS = (0, 10, 20)


def settings(source: Source) -> Iterator[tuple[str, str, list[tuple[Sequence[Case], Sequence[Case]]]]]:
    """Yield the name of each setting, its system, and pairs of training and test questions."""
    for pool in ("merged", "snippets"):
        yield f"edition 3, {pool}", SYSTEM, [(source.cases(edition(1, 2), pool), source.cases(edition(3), pool))]
    for pool in ("merged", "snippets"):
        training, test = source.cases(edition(1, 2, 3, 4, 5), pool), source.cases(edition(7, 8), pool)
        yield f"editions 7-8, {pool}", SYSTEM, [(training, test)]
    editions = {number: source.cases(edition(number), "abstracts") for number in range(1, 9)}
    outside = [
        ([case for other, cases in editions.items() if other != number for case in cases], test)
        for number, test in editions.items()
    ]
    yield "full abstracts", "concepts-abstracts", outside


def measured(name: str, pairs: Sequence[tuple[Sequence[Case], Sequence[Case]]], seed: int) -> Floats:
    """Return the scores of a system with a seed of its trees, (questions,)."""
    trees = msgspec.structs.replace(System.load(name).recipe.trees or Trees(), seed=seed)
    system = named(name, recipe={"trees": trees})
    return np.concatenate([scores(Pipeline(system, train(system, training)), test) for training, test in pairs])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, systems=False)
    options = parser.parse_args()
    lines = [
        f"| setting | questions | {' | '.join(f'seeds from {seed}' for seed in SEEDS)} | range |",
        "|---" * (len(SEEDS) + 3) + "|",
    ]
    for setting, name, pairs in settings(Source(options.data)):
        found = [measured(name, pairs, seed) for seed in SEEDS]
        means = [float(f.mean()) for f in found]
        values = " | ".join(f"{m:.4f}" for m in means)
        lines.append(f"| {setting} | {len(found[0])} | {values} | {max(means) - min(means):.4f} |")
        blocks = [
            "Recall, mean of ROUGE-2 and ROUGE-SU4, first ideal answer, no stemming, 200 words.",
            "\n".join(lines),
        ]
        write(options, "concepts-seeds", "Seeds of concepts", "python experiments/concepts_seeds.py", blocks)


if __name__ == "__main__":
    main()
