"""Reproduce Tables 6, 7 and 8 of Lin and Wilbur (2007): interest judgments on compressed titles.

    python -m experiments flips --judgments JUDGMENTS.tsv

Published, 25 titles a variant and three assessors: flips of variant A 0-1 from yes to no and 0-3
from no to yes; precision, recall and F of variant A 1.00/.73/.84, .94/1.00/.97, .94/.94/.94, of
variant B .50/.33/.40, .86/.80/.83, .82/.82/.82. The judgments are not public. JUDGMENTS.tsv has a
header and the columns judge, id, round (short or full), answer (yes or no), and optionally variant;
`experiments/parser/judgments.tsv` is an example. A flip is a change from the answer on the short
title to that on the full one, which is the truth for precision and recall.
"""

from collections.abc import Sequence
from pathlib import Path

from experiments.page import Page, markdown, parser
from experiments.parser.judgments import agreements, read_judgments
from ilpsum.errors import InputError

# Tables 6 and 8: flips yes to no and no to yes, then precision, recall and F, by Lo, Ly and Wa.
PUBLISHED = {
    "Lo": ("2/0, 1/1, 2/0", ".80 1.00 .89, .96 .96 .96, .91 1.00 .95"),
    "Ly": ("0/1, 1/0, 0/0", "1.00 .88 .93, .93 1.00 .97, 1.00 1.00 1.00"),
    "A": ("0/3, 1/0, 1/1", "1.00 .73 .84, .94 1.00 .97, .94 .94 .94"),
    "B": ("1/2, 2/3, 2/2", ".50 .33 .40, .86 .80 .83, .82 .82 .82"),
}


def main(argv: Sequence[str]) -> None:
    options = parser("experiments flips", __doc__)
    options.add_argument("--judgments", type=Path, required=True, metavar="FILE.tsv")
    arguments = options.parse_args(argv)
    page = Page.begin(arguments, argv)
    rows = agreements(read_judgments(arguments.judgments))
    if not rows:
        expected = "expected answers on short and full titles"
        raise InputError(f"no title is judged in both rounds; {expected}", arguments.judgments)
    flips = [[r.variant, r.judge, r.titles, r.yes_to_no, r.no_to_yes] for r in rows]
    counts = [
        [r.variant, r.judge, r.true_positives, r.no_to_yes, r.yes_to_no, r.true_negatives]
        for r in rows
    ]
    scores = [
        [r.variant, r.judge, *(f"{v:.2f}" for v in (r.precision, r.recall, r.f1))] for r in rows
    ]
    published = [[name, *values] for name, values in PUBLISHED.items()]
    page.write(
        "Tables 6-8 of Lin and Wilbur (2007): interest judgments",
        [
            "Table 6, flips:\n\n"
            + markdown(["output", "judge", "titles", "yes to no", "no to yes"], flips),
            "Table 7, answers on compressed titles against those on full titles:\n\n"
            + markdown(
                [
                    "output",
                    "judge",
                    "true positive",
                    "false negative",
                    "false positive",
                    "true negative",
                ],
                counts,
            ),
            "Table 8, precision, recall and F:\n\n"
            + markdown(["output", "judge", "precision", "recall", "F"], scores),
            "Published, by Lo, Ly and Wa:\n\n"
            + markdown(
                ["output", "flips: yes to no / no to yes", "precision, recall, F"], published
            ),
        ],
    )
