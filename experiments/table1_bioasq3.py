"""Table 1 of Malakasiotis et al. (2015): edition 3 of BioASQ, trained on editions 1 and 2, in two pools.

    python experiments/table1_bioasq3.py [--data ../shared/data] [--out experiments/results]

The paper summarised full abstracts, few of which can be had for these editions: here the documents are the gold
snippets (`snippets`), or the snippets of each abstract together in ascending PMID (`merged`).
"""

import argparse

from bioasq import Source, add_options, edition, pairs, rows, table, write
from published import BESIDE, table_1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--pools", nargs="+", default=["snippets", "merged"], help="a file for each")
    options = parser.parse_args()
    source = Source(options.data)
    begin = [
        f"Recall, mean of ROUGE-2 and ROUGE-SU4, first ideal answer, no stemming, 200 words. {BESIDE} (Random snippets "
        "are above the published values.)",
        table_1(),
    ]
    for pool in options.pools:
        training, test = source.cases(edition(1, 2), pool), source.cases(edition(3), pool)
        batches = {f"batch {n}": (lambda case, n=n: case.batch.number == n) for n in range(1, 6)}
        found = rows(training, test, learned=options.systems)
        told = f"One system over another, difference of the means [95 %], p:\n\n{pairs(found)}"
        blocks = [*begin, f"## {pool}", table(found, test, batches), told]
        command = f"python experiments/table1_bioasq3.py --pools {pool}"
        write(options, f"table1-bioasq3-{pool}", f"Table 1: BioASQ 3, {pool}", command, blocks)


if __name__ == "__main__":
    main()
