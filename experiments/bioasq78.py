"""Editions 7 and 8 of BioASQ: trained on editions 1-5, lambda chosen on edition 6, in two pools.

python experiments/bioasq78.py [--data ../shared/data] [--out experiments/results]
"""

import argparse

from bioasq import WORDS, Row, Source, add_options, difference, edition, scores, table, train, write

from ilpsum.summarizer import Summarizer
from ilpsum.systems import System

GRIDS = {
    "ilp-sum-1": (0.8, 0.9, 0.95, 0.98),
    "ilp-sum-2": (0.8, 0.9, 0.95, 0.98),
    "concepts-questions": (0.0, 0.02, 0.05, 0.1),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    options = parser.parse_args()
    source = Source(options.data)
    blocks = ["Recall, mean of ROUGE-2 and ROUGE-SU4, first ideal answer, no stemming, 200 words."]
    for pool in ("snippets", "merged"):
        training, test = source.cases(edition(1, 2, 3, 4, 5), pool), source.cases(edition(7, 8), pool)
        # Where all words fit the limit, no lambda makes a difference.
        development = [case for case in source.cases(edition(6), pool) if case.words > WORDS]
        found = [Row(name, scores(Summarizer(System.load(name)), test)) for name in ("lead", "random")]
        for name, grid in GRIDS.items():
            system = System.load(name)
            model = train(system, training)
            at = max(grid, key=lambda x: scores(Summarizer(system, model, lambda_=x), development).mean())
            found.append(Row(f"{name}, lambda {at}", scores(Summarizer(system, model, lambda_=at), test)))
        found.append(Row("oracle", scores(Summarizer(System.load("oracle")), test)))
        parts = {f"edition {e}": (lambda case, e=e: case.batch.edition == e) for e in (7, 8)}
        best, second = found[-2], found[-3]
        told = f"{best.name} over {second.name}, all questions: {difference(best, second)}."
        blocks += [f"## {pool}", table(found, test, parts), told, *_longer(found, test)]
        write(options, "bioasq-7-8", "BioASQ 7 and 8", "python experiments/bioasq78.py", blocks)


def _longer(found: list[Row], test: list) -> list[str]:
    """The differences from the lead, on the questions whose pool is longer than the limit."""
    mask = [case.words > WORDS for case in test]
    long = [Row(row.name, row.scores[mask]) for row in found]
    told = [f"- {row.name}: {difference(row, long[0])}" for row in long[2:-1]]
    told.append(f"- {long[-2].name} over {long[-3].name}: {difference(long[-2], long[-3])}")
    return [f"Questions of more than {WORDS} words ({sum(mask)}), over the lead:", "\n".join(told)]


if __name__ == "__main__":
    main()
