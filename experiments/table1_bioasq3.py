"""Reproduce Table 1 of Malakasiotis et al. (2015): BioASQ 3 after training on editions 1 and 2, in
two pools.

    python experiments/table1_bioasq3.py [--data ../shared/data] [--out experiments/results]
    [--editions 1 2]

The paper summarised full abstracts, few of which are available for these editions. Here the
documents are the gold snippets (`snippets`), or the merged snippets of each abstract in ascending
PMID (`merged`).
"""

import argparse

from bioasq import Source, add_options, edition, pairs, published, rows, table, write
from published import BESIDE, table_1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument(
        "--pools", nargs="+", default=["snippets", "merged"], help="pools; each has its own file"
    )
    parser.add_argument(
        "--editions", type=int, nargs="+", default=[1, 2], help="editions to train on"
    )
    options = parser.parse_args()
    if 3 in options.editions:
        parser.error("systems are scored on edition 3; remove it from --editions")
    source = Source(options.data)
    begin = [
        f"Recall, mean of ROUGE-2 and ROUGE-SU4, first ideal answer, no stemming, 200 words. {BESIDE} (Random "
        "snippets score above the published values.)",
        table_1(),
    ]
    for pool in options.pools:
        training, test = (
            source.cases(edition(*options.editions), pool),
            source.cases(edition(3), pool),
        )
        batches = {f"batch {n}": (lambda case, n=n: case.batch.number == n) for n in range(1, 6)}
        *found, oracle = rows(training, test, learned=options.systems)
        paper, chosen = published(training, test)
        found += [*paper, oracle]
        gains = f"One system over another, difference of the means [95 %], p:\n\n{pairs(found)}"
        searched = f"Searched on the training questions: {chosen}. `topic`: alpha stretched over the topic, not clipped."
        blocks = [*begin, f"## {pool}", table(found, test, batches), searched, gains]
        command, name, title = (
            f"python experiments/table1_bioasq3.py --pools {pool}",
            pool,
            f"BioASQ 3, {pool}",
        )
        if options.editions != [1, 2]:
            trained = " ".join(map(str, options.editions))
            command, name = f"{command} --editions {trained}", f"{pool}-more"
            title = f"{title}, trained on editions {trained}"
        write(options, f"table1-bioasq3-{name}", f"Table 1: {title}", command, blocks)


if __name__ == "__main__":
    main()
