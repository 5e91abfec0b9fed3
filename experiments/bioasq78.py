"""Score editions 7 and 8 of BioASQ after training on editions 1-5, with lambda chosen on edition 6, in two pools.

python experiments/bioasq78.py [--data ../shared/data] [--out experiments/results]
"""

import argparse
from collections.abc import Sequence

from bioasq import (
    PLACES,
    WORDS,
    Case,
    Row,
    Source,
    add_options,
    difference,
    edition,
    options_of,
    pairs,
    scores,
    table,
    train,
    write,
)
from published import BESIDE

from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System

# Values of lambda tried on edition 6; the published setting has a fixed one.
RELEVANCE, COVERAGE = (0.8, 0.9, 0.95, 0.98), (0.0, 0.02, 0.05, 0.1)
GRIDS = {
    "ilp-sum-0": RELEVANCE,
    "ilp-sum-1": RELEVANCE,
    "ilp-sum-2": RELEVANCE,
    "ilp-sum-2-paper": (0.8,),
    "concepts-snippets": COVERAGE,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    options = parser.parse_args()
    source = Source(options.data)
    blocks = [f"Recall, mean of ROUGE-2 and ROUGE-SU4, first ideal answer, no stemming, 200 words. {BESIDE}"]
    for pool in ("snippets", "merged"):
        training, test = source.cases(edition(1, 2, 3, 4, 5), pool), source.cases(edition(7, 8), pool)
        # Lambda has no effect if all words fit the limit.
        development = [case for case in source.cases(edition(6), pool) if case.words > WORDS]
        found = [Row(name, scores(Pipeline(System.load(name)), test)) for name in ("lead", "random")]
        lambdas = []
        for name, grid in ((name, GRIDS[name]) for name in options.systems):
            tuned = _tuned(System.load(name), grid, training, development)
            if name == "ilp-sum-2":
                found.append(Row("gr-sum-2", scores(Pipeline(System.load("gr-sum-2"), tuned.model), test)))
            found.append(Row(name, scores(tuned, test)))
            lambdas.append(f"{name} {tuned.lambda_}")
            if PLACES & set(options_of(tuned.system).feature_set.features):
                blind = _tuned(tuned.system, grid, *([c.without_places() for c in x] for x in (training, development)))
                found.append(Row(f"{name}, no places", scores(blind, [c.without_places() for c in test])))
                lambdas.append(f"{name}, no places, {blind.lambda_}")
        found.append(Row("oracle", scores(Pipeline(System.load("oracle")), test)))
        parts = {f"edition {e}": (lambda case, e=e: case.batch.edition == e) for e in (7, 8)}
        blocks += [f"## {pool}", f"Lambda, chosen on edition 6: {'; '.join(lambdas)}.", table(found, test, parts)]
        blocks += [f"All questions, one system over another:\n\n{pairs(found)}", *_longer(found, test)]
        write(options, "bioasq-7-8", "BioASQ 7 and 8", "python experiments/bioasq78.py", blocks)


def _tuned(system: System, grid: Sequence[float], training: Sequence[Case], development: Sequence[Case]) -> Pipeline:
    """Train a system and choose the lambda that is best on the development questions."""
    model = train(system, training)
    tried = [Pipeline(system, model, lambda_=value) for value in grid]
    return tried[0] if len(tried) == 1 else max(tried, key=lambda one: scores(one, development).mean())


def _longer(found: Sequence[Row], test: Sequence[Case]) -> list[str]:
    """Format the differences on questions whose pool exceeds the word limit; on others there is no choice."""
    mask = [case.words > WORDS for case in test]
    long = [Row(row.name, row.scores[mask]) for row in found]
    gains = [f"- {row.name}: {difference(row, long[0])}" for row in long[2:-1]]
    head = f"Questions of more than {WORDS} words ({sum(mask)})"
    return [f"{head}, over the lead:", "\n".join(gains), f"{head}, one system over another:\n\n{pairs(long)}"]


if __name__ == "__main__":
    main()
