"""Figure 3 of Malakasiotis et al. (2015): the score over lambda, on batches 4, 5 and 6 of BioASQ.

    python experiments/figure3_lambda.py [--data ../shared/data] [--out experiments/results]

Each of the three batches is tested after training on the other five of batches 1-6, at lambda 0.0 to 1.0 in steps of
0.1; a value is the mean of the three batches' means. The documents are the gold snippets, where the paper had full
abstracts. Published: ILP-SUM-2 above ILP-SUM-1 above ILP-SUM-0, best at 0.8, a bit over .41 (read off the figure).
"""

import argparse
import itertools

import numpy as np
from bioasq import Row, Source, add_options, difference, edition, scores, train, write
from plots import curves

from ilpsum.summarizer import Summarizer
from ilpsum.systems import System

LAMBDAS = tuple(k / 10 for k in range(11))
SYSTEMS = ("ilp-sum-0", "ilp-sum-1", "ilp-sum-2", "ilp-sum-2-paper")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    options = parser.parse_args()
    source = Source(options.data)
    batches = edition(1, 2)[:6]
    questions = {batch: source.cases([batch], "snippets") for batch in batches}
    found: dict[str, list[list[np.ndarray]]] = {name: [[] for _ in LAMBDAS] for name in SYSTEMS}
    for test in batches[3:]:
        training = [case for batch in batches if batch != test for case in questions[batch]]
        for name in SYSTEMS:
            model = train(System.load(name), training)
            for k, value in enumerate(LAMBDAS):
                found[name][k].append(scores(Summarizer(System.load(name), model, lambda_=value), questions[test]))
    means = {name: [float(np.mean([b.mean() for b in at])) for at in rows] for name, rows in found.items()}
    lines = [f"| lambda | {' | '.join(SYSTEMS)} |", "|---" * (len(SYSTEMS) + 1) + "|"]
    for k, value in enumerate(LAMBDAS):
        lines.append(f"| {value:.1f} | {' | '.join(f'{means[name][k]:.4f}' for name in SYSTEMS)} |")
    best = {name: int(np.argmax(values)) for name, values in means.items()}
    rows = [Row(name, np.concatenate(found[name][best[name]])) for name in SYSTEMS]
    told = [f"- {row.name}, best at {LAMBDAS[best[row.name]]}: {means[row.name][best[row.name]]:.4f}" for row in rows]
    told += [f"- {a.name} over {b.name}, each at its best: {difference(a, b)}" for b, a in itertools.pairwise(rows[:3])]
    curves(options.out / "figure3-lambda.svg", LAMBDAS, means, "lambda", "mean of ROUGE-2 and ROUGE-SU4 recall")
    blocks = ["\n".join(lines), "\n".join(told), "![The score over lambda](figure3-lambda.svg)"]
    write(options, "figure3-lambda", "Figure 3: lambda", "python experiments/figure3_lambda.py", blocks)


if __name__ == "__main__":
    main()
