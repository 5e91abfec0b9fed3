"""Table 1 of Malakasiotis et al. (2015): edition 3 of BioASQ, trained on editions 1 and 2, in two pools.

    python experiments/table1_bioasq3.py [--data ../shared/data] [--out experiments/results]

The paper summarised full abstracts, few of which can be had for these editions: here the documents are the gold
snippets (`snippets`), or the snippets of each abstract together in ascending PMID (`merged`).
"""

import argparse

from bioasq import Source, add_options, edition, rows, table, write

# Mean of ROUGE-2 and ROUGE-SU4 of the paper, by batch; the mean of its five batches is not weighted by questions.
PUBLISHED = {
    "ILP-SUM-2": (0.4132, 0.4266, 0.4999, 0.4830, 0.3869),
    "GR-SUM-2": (0.3941, 0.4092, 0.4619, 0.4594, 0.3869),
    "Baseline 1": (0.4125, 0.4759, 0.4529, 0.4845, 0.4100),
    "Baseline 2": (0.3696, 0.4347, 0.4696, 0.4426, 0.3586),
    "best other team": (0.3006, 0.3684, 0.3892, 0.3885, 0.3849),
}


def published() -> str:
    """The paper's own rows."""
    lines = ["| published, full abstracts | mean of batches | 1 | 2 | 3 | 4 | 5 |", "|---" * 7 + "|"]
    for name, values in PUBLISHED.items():
        lines.append(f"| {name} | {sum(values) / 5:.4f} | {' | '.join(f'{v:.4f}' for v in values)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--pools", nargs="+", default=["snippets", "merged"], help="a file for each")
    options = parser.parse_args()
    source = Source(options.data)
    begin = [
        "Recall, mean of ROUGE-2 and ROUGE-SU4, first ideal answer, no stemming, 200 words. The published values are "
        "of full abstracts: they stand beside ours and cannot be compared with them (random snippets are above them).",
        published(),
    ]
    for pool in options.pools:
        training, test = source.cases(edition(1, 2), pool), source.cases(edition(3), pool)
        batches = {f"batch {n}": (lambda case, n=n: case.batch.number == n) for n in range(1, 6)}
        blocks = [*begin, f"## {pool}", table(rows(training, test), test, batches)]
        command = f"python experiments/table1_bioasq3.py --pools {pool}"
        write(options, f"table1-bioasq3-{pool}", f"Table 1: BioASQ 3, {pool}", command, blocks)


if __name__ == "__main__":
    main()
