"""Titles compressed as Lin and Wilbur (2007) evaluate them: each rule alone, the rules in sequence,
thresholds of rule 7.

`experiments.parser.compressions` has the scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from experiments.parser.compressions import (
    CompressionRow,
    ManualCompressions,
    bleu,
    compression_row,
)
from ilpsum.compression.compressor import VARIANT_A, VARIANT_B, Compressor, Shortened
from ilpsum.compression.parser import Parser
from ilpsum.compression.published_rules import CompressorOptions
from ilpsum.compression.rules import RULES
from ilpsum.compression.trees import Tree, read_tree
from ilpsum.errors import InputError
from ilpsum.literature.titles import Title, read_titles

THRESHOLDS = tuple(2.0 + 0.5 * step for step in range(17))


def row(
    name: str,
    compressions: Sequence[Shortened],
    counted: Sequence[Shortened],
    references: ManualCompressions | None,
) -> CompressionRow:
    """Return one row of a table.

    Args:
        name: name of the row.
        compressions: compressions of all titles, for BLEU.
        counted: compressions that the ratios average.
        references: manual compressions of all titles.
    """
    score = (
        bleu([c.text for c in compressions], references.references) if references else float("nan")
    )
    pairs, own = ([(c.source, c.text) for c in some] for some in (compressions, counted))
    return compression_row(name, pairs, score, own)


class CachingParser:
    """A parser that parses each sentence once, since every table compresses the same titles.

    Args:
        parser: the parser of new sentences.
    """

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self._trees: dict[tuple[str, ...], Tree | None] = {}

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Tree | None]:
        """Return the trees of sentences."""
        keys = [tuple(words) for words in sentences]
        new = list(dict.fromkeys(key for key in keys if key not in self._trees))
        self._trees.update(zip(new, self.parser.parse(new), strict=True))
        return [self._trees[key] for key in keys]


@dataclass(frozen=True, slots=True)
class Study:
    """Titles and the compressor to evaluate on them.

    Attributes:
        titles: the titles.
        trees: for each title its tree, or None to parse it.
        options: depth, idf and minimum of words; the tables set rules and thresholds.
        parser: parses titles without a tree.
        references: manual compressions, or None to compute ratios only.
    """

    titles: tuple[str, ...]
    trees: tuple[Tree | None, ...]
    options: CompressorOptions
    parser: Parser
    references: ManualCompressions | None = None

    def compressed(self, rules: tuple[str, ...], threshold: float | None = None) -> list[Shortened]:
        """Compress all titles with some rules."""
        options = replace(self.options, rules=rules, max_chars=None)
        if threshold is not None:
            options = replace(options, idf_threshold=threshold)
        titles = [Title(str(number), text) for number, text in enumerate(self.titles, start=1)]
        pairs = list(zip(titles, self.trees, strict=True))
        return Compressor(options, self.parser).compress_all(pairs)

    def untrimmed(self) -> CompressionRow:
        """Return the row of the full titles."""
        titles = self.compressed(())
        return row("untrimmed", titles, titles, self.references)

    def alone(self) -> list[CompressionRow]:
        """Return a row for each rule alone, with ratios over the titles where it fires."""
        rows = []
        for rule in RULES:
            compressions = self.compressed((rule,))
            rows.append(
                row(rule, compressions, [c for c in compressions if c.cuts], self.references)
            )
        return rows

    def in_sequence(self) -> list[CompressionRow]:
        """Return rows for the first rule, the first two, ..., with ratios over all titles."""
        rules, rows = tuple(RULES), []
        for place, rule in enumerate(rules):
            compressions = self.compressed(rules[: place + 1])
            rows.append(
                row(f"+ {rule}" if place else rule, compressions, compressions, self.references)
            )
        return rows

    def thresholds(self, after: tuple[str, ...] = ()) -> list[CompressionRow]:
        """Return rows of rule 7 with thresholds from 2 to 10, alone or after other rules, over all titles."""
        rows = []
        for threshold in THRESHOLDS:
            compressions = self.compressed((*after, "simple-np"), threshold)
            rows.append(row(f"{threshold:.1f}", compressions, compressions, self.references))
        return rows

    def variants(self) -> list[CompressionRow]:
        """Return the rows of variants A and B, over all titles."""
        rows = []
        for name, rules in (("variant A", VARIANT_A), ("variant B", VARIANT_B)):
            compressions = self.compressed(rules)
            rows.append(row(name, compressions, compressions, self.references))
        return rows


def read_trees(path: Path | None, titles: Sequence[str]) -> tuple[Tree | None, ...]:
    """Read the bracketed tree of each title; without a path, no title has one.

    Raises:
        InputError: a line is no tree, or there are more or fewer trees than titles.
    """
    if path is None:
        return (None,) * len(titles)
    trees = []
    for number, item in enumerate(read_titles(path, "lines"), start=1):
        trees.append(read_tree(item.text, path, number))
    if len(trees) != len(titles):
        raise InputError(
            f"{len(trees)} trees for {len(titles)} titles; expected one per title", path
        )
    return tuple(trees)
