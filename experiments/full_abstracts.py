"""Score the 580 questions of BioASQ 1-8 that have all their abstracts, by models that have not seen their edition.

    python experiments/full_abstracts.py [--data ../shared/data] [--out experiments/results]

Documents are title and abstract of every document of a question, the setting of Malakasiotis et al. (2015) on other
questions. The questions of an edition are answered by systems trained on all other editions up to 11, those with all
their abstracts (`complete`) or those with any; editions 1-3 and 8, which have 20 of the 580, are held out together.
"""

import argparse
import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from bioasq import Case, Row, Source, add_options, edition, scores, table, train, write
from published import BESIDE, table_1

from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System

LAMBDAS = (0.02, 0.05, 0.1, 0.2)
HELD_OUT = ((4,), (5,), (6,), (7,), (1, 2, 3, 8))


def rows(systems: Sequence[str], trainings: Mapping[str, Sequence[Case]], test: Sequence[Case]) -> list[Row]:
    """Return the rows of the lead, of each system by training and lambda, and of the oracle."""
    found = [Row("lead", scores(Pipeline(System.load("lead")), test))]
    for name, (kind, training) in itertools.product(systems, trainings.items()):
        model = train(system := System.load(name), training)
        found += (
            Row(f"{name}, {kind}, lambda {value:g}", scores(Pipeline(system, model, lambda_=value), test))
            for value in LAMBDAS
        )
    return [*found, Row("oracle", scores(Pipeline(System.load("oracle")), test))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.set_defaults(systems=("concepts-abstracts",))
    options = parser.parse_args()
    clean = System.load("concepts-abstracts").candidates
    source, whole = Source(options.data, clean, partial=True), Source(options.data, clean)
    found: dict[str, list[np.ndarray]] = {}
    cases = []
    for held_out in HELD_OUT:
        test = whole.cases(edition(*held_out), "abstracts")
        others = edition(*(n for n in range(1, 12) if n not in held_out))
        trainings = {"any": source.cases(others, "abstracts"), "complete": whole.cases(others, "abstracts")}
        for row in rows(options.systems, trainings, test):
            found.setdefault(row.name, []).append(row.scores)
            print(held_out, len(test), f"{row.name} {row.scores.mean():.4f}", flush=True)
        cases += test
    joined = [Row(name, np.concatenate(parts)) for name, parts in found.items()]
    parts = {f"edition {e}": (lambda case, e=e: case.batch.edition == e) for e in (4, 5, 6, 7)}
    blocks = [
        f"Recall, mean of ROUGE-2 and ROUGE-SU4, first ideal answer, no stemming, 200 words. {BESIDE}",
        table_1(),
        table(joined, cases, parts),
    ]
    write(options, "full-abstracts", "BioASQ, full abstracts", "python experiments/full_abstracts.py", blocks)


if __name__ == "__main__":
    main()
