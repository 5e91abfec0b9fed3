"""Reproduce Table 1 of Malakasiotis et al. (2015): BioASQ 3 after training on editions 1 and 2.

    python -m experiments table1 [--pools merged snippets] [--editions 1 2] [--systems NAME...]

Published: ILP-SUM-2 .4419, GR-SUM-2 .4223, Baseline 1 .4472, Baseline 2 .4150, best other team
.3663 (means of the five batches' averages of ROUGE-2 and ROUGE-SU4). The paper summarised complete
abstracts, few of which can be had for these editions. Here the documents are the merged snippets of
each abstract in ascending PMID (`merged`), or the gold snippets (`snippets`). The baselines need
news (DUC) to train on, which NIST licenses. GR-SUM-2 has the model of ILP-SUM-2.
"""

from collections.abc import Sequence

import numpy as np

from experiments.bioasq import MEASURE, SEEDS, Case, Row, Source, edition, pairs, rows, table
from experiments.page import Page, Progress, markdown, parser
from experiments.published import BESIDE, table_1

BATCHES = range(1, 6)
IN_THE_TABLE = ("ilp-sum-2", "gr-sum-2", "ilp-sum-2-tuned", "gr-sum-2-tuned")


def by_batch(scored: Sequence[Row], cases: Sequence[Case]) -> str:
    """Format rows as the paper does: ROUGE-2, ROUGE-SU4 and their average, by batch."""
    numbers = np.array([case.batch.number for case in cases])
    lines = []
    for row in scored:
        if row.name in IN_THE_TABLE:
            means = [row.values[numbers == n].mean(axis=0) for n in BATCHES]
            averages = [float(mean.mean()) for mean in means]
            cells = [f"{two:.4f} {skip:.4f} {(two + skip) / 2:.4f}" for two, skip in means]
            lines.append([row.name, float(np.mean(averages)), *cells])
    heads = [f"{n}: R-2, R-SU4, average" for n in BATCHES]
    return markdown(["system", "mean of batches", *heads], lines)


def main(argv: Sequence[str]) -> None:
    options = parser("experiments table1", __doc__)
    options.add_argument(
        "--pools", nargs="+", default=["merged", "snippets"], choices=["merged", "snippets"]
    )
    options.add_argument("--editions", type=int, nargs="+", default=[1, 2], help="to train on")
    options.add_argument("--systems", nargs="+", default=["ilp-sum-2"], metavar="NAME")
    arguments = options.parse_args(argv)
    if 3 in arguments.editions:
        options.error("systems are scored on edition 3; remove it from --editions")
    page = Page.begin(arguments, argv)
    progress = Progress()
    source = Source(arguments.data)
    blocks = [f"{MEASURE} {BESIDE} (Random snippets score above the published values.)", table_1()]
    for pool in arguments.pools:
        training = source.cases(edition(*arguments.editions), pool)
        test = source.cases(edition(3), pool)
        scored = rows(training, test, arguments.systems, progress)
        parts = {f"batch {n}": (lambda case, n=n: case.batch.number == n) for n in BATCHES}
        blocks += [
            f"## {pool}",
            f"Trained on {len(training)} questions with {sum(len(c.sentences) for c in training)} "
            "sentences. As the paper prints it:",
            by_batch(scored, test),
            "All questions; the share of the oracle, and the gain over the first words:",
            table(scored, test, parts),
            f"One system over another, difference of the means [95 %], p:\n\n{pairs(scored)}",
        ]
    page.write("Table 1: BioASQ 3", blocks, SEEDS)
