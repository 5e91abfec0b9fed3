"""Score the questions of BioASQ 1-8 that have all their abstracts, cross-validated by edition.

    python experiments/full_abstracts.py [--data ../shared/data] [--out experiments/results]

Documents are title and abstract of every document of a question, the setting of Malakasiotis et al. (2015) on other
questions. The questions of an edition are answered by systems trained on the other editions.
"""

import argparse

import numpy as np
from bioasq import Row, Source, add_options, edition, pairs, rows, table, write
from published import BESIDE, table_1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    options = parser.parse_args()
    source = Source(options.data)
    editions = {number: source.cases(edition(number), "abstracts") for number in range(1, 9)}
    found: dict[str, list[np.ndarray]] = {}
    for number, test in editions.items():
        training = [case for other, cases in editions.items() if other != number for case in cases]
        for row in rows(training, test, learned=options.systems):
            found.setdefault(row.name, []).append(row.scores)
    cases = [case for test in editions.values() for case in test]
    whole = [Row(name, np.concatenate(parts)) for name, parts in found.items()]
    parts = {f"edition {e}": (lambda case, e=e: case.batch.edition == e) for e in (4, 5, 6, 7)}
    blocks = [
        f"Recall, mean of ROUGE-2 and ROUGE-SU4, first ideal answer, no stemming, 200 words. {BESIDE}",
        table_1(),
        table(whole, cases, parts),
        f"One system over another, difference of the means [95 %], p:\n\n{pairs(whole)}",
    ]
    write(options, "full-abstracts", "BioASQ, full abstracts", "python experiments/full_abstracts.py", blocks)


if __name__ == "__main__":
    main()
