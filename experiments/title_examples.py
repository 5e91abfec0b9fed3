"""Reproduce Table 2 of Lin and Wilbur (2007): a worked example of each trimming rule.

    python -m experiments title-examples

Each rule is applied alone, as published, to the title that the paper prints for it, and to the one
of Sect. 8.1. The titles are those of compression/examples.tsv in --data; the page has their PMIDs.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.page import Page, markdown, parser
from ilpsum.compression.compressor import Compressor
from ilpsum.compression.parser import load_parser
from ilpsum.compression.published_rules import CompressorOptions
from ilpsum.compression.rules import RULES
from ilpsum.files.idf import load_idf


@dataclass(frozen=True)
class Example:
    """A title, the rule that the paper shows on it, and the words that it removes."""

    pmid: str
    rule: str
    title: str
    cut: tuple[str, ...]


def read_examples(path: Path) -> list[Example]:
    """Read the worked examples; remarks in brackets are left out."""
    examples = []
    with path.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            name = row["rule"].partition(" (")[0]
            rule = next(rule for rule in RULES if rule == name.lower().replace(" ", "-"))
            cut = tuple(part.strip() for part in row["cut"].partition(" (")[0].split("|"))
            examples.append(Example(row["pmid"] or "Sect. 8.1", rule, row["title"], cut))
    return examples


def main(argv: Sequence[str]) -> None:
    arguments = parser("experiments title-examples", __doc__).parse_args(argv)
    page = Page.begin(arguments, argv)
    trees = load_parser()
    idf = load_idf()
    rows = []
    for example in read_examples(arguments.data / "compression" / "examples.tsv"):
        compressor = Compressor(CompressorOptions((example.rule,), idf=idf, strict=True), trees)
        cut = tuple(piece.text.strip() for piece in compressor.compress(example.title).cuts)
        same = cut == example.cut
        rows.append([example.pmid, example.rule, "as published" if same else " / ".join(cut)])
    right = sum(row[2] == "as published" for row in rows)
    page.write(
        "Table 2 of Lin and Wilbur (2007): worked examples",
        [
            f"{right} of {len(rows)} examples come out as published, on the trees of our own parser; "
            "for the others, what is removed.",
            markdown(["PMID", "rule", "removed"], rows),
        ],
    )
