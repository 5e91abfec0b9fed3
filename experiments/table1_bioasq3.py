"""Table 1 of Malakasiotis et al. (2015): edition 3 of BioASQ, trained on editions 1 and 2, in two pools.

    python experiments/table1_bioasq3.py [--data ../shared/data] [--out experiments/results] [--editions 1 2]

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
    parser.add_argument("--editions", type=int, nargs="+", default=[1, 2], help="to train on; a file of its own")
    options = parser.parse_args()
    if 3 in options.editions:
        parser.error("edition 3 is what the systems are scored on: leave it out of --editions")
    source = Source(options.data)
    begin = [
        f"Recall, mean of ROUGE-2 and ROUGE-SU4, first ideal answer, no stemming, 200 words. {BESIDE} (Random snippets "
        "are above the published values.)",
        table_1(),
    ]
    for pool in options.pools:
        training, test = source.cases(edition(*options.editions), pool), source.cases(edition(3), pool)
        batches = {f"batch {n}": (lambda case, n=n: case.batch.number == n) for n in range(1, 6)}
        found = rows(training, test, learned=options.systems)
        told = f"One system over another, difference of the means [95 %], p:\n\n{pairs(found)}"
        blocks = [*begin, f"## {pool}", table(found, test, batches), told]
        command, name, title = f"python experiments/table1_bioasq3.py --pools {pool}", pool, f"BioASQ 3, {pool}"
        if options.editions != [1, 2]:
            told = " ".join(map(str, options.editions))
            command, name, title = (
                f"{command} --editions {told}",
                f"{pool}-more",
                f"{title}, trained on editions {told}",
            )
        write(options, f"table1-bioasq3-{name}", f"Table 1: {title}", command, blocks)


if __name__ == "__main__":
    main()
