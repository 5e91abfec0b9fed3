"""The systems of Malakasiotis et al. (2015) on complete abstracts, the paper's own documents.

    python -m experiments full-abstracts [--systems NAME...]

We have few abstracts of the paper's questions, so these are the 580 questions of BioASQ 1-8 all of
whose abstracts we have. Titles are not candidates. Systems answer each edition after training on
the other editions up to 8; editions 1-3 and 8, which have 20 of the 580, are held out together. The
nearest published figures are those of Table 1: ILP-SUM-2 .4419, GR-SUM-2 .4223.
"""

from collections.abc import Sequence

import numpy as np

from experiments.bioasq import MEASURE, PAPER, SEEDS, Case, Row, Source, edition, pairs, rows, table
from experiments.page import Page, Progress, parser
from experiments.published import BESIDE

HELD_OUT = ((4,), (5,), (6,), (7,), (1, 2, 3, 8))
SYSTEMS = (*PAPER, "ilp-sum-2-tuned")


def main(argv: Sequence[str]) -> None:
    options = parser("experiments full-abstracts", __doc__)
    options.add_argument("--systems", nargs="+", default=list(SYSTEMS), metavar="NAME")
    arguments = options.parse_args(argv)
    page = Page.begin(arguments, argv)
    progress = Progress()
    source = Source(arguments.data)
    values: dict[str, list[np.ndarray]] = {}
    cases: list[Case] = []
    for held_out in HELD_OUT:
        test = source.cases(edition(*held_out), "abstracts")
        others = [number for number in range(1, 9) if number not in held_out]
        training = source.cases(edition(*others), "abstracts")
        for row in rows(training, test, arguments.systems, progress):
            values.setdefault(row.name, []).append(row.values)
        cases += test
    scored = [Row(name, np.concatenate(parts)) for name, parts in values.items()]
    parts = {f"edition {e}": (lambda case, e=e: case.batch.edition == e) for e in (4, 5, 6, 7)}
    blocks = [
        f"{MEASURE} Documents are the abstracts, and titles are no candidates. Each edition is answered "
        f"by models of all other editions up to 8. {BESIDE}",
        table(scored, cases, parts),
        f"One system over another, difference of the means [95 %], p:\n\n{pairs(scored)}",
    ]
    page.write("BioASQ, complete abstracts", blocks, SEEDS)
