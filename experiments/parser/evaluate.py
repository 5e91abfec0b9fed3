"""Evaluate the trimming rules as Lin and Wilbur (2007) did, on titles of your own.

    python -m experiments.parser.evaluate titles TITLES.tsv [--trees FILE] [--plot FILE.png]
    python -m experiments.parser.evaluate ratios TITLES.txt [--trees FILE]
    python -m experiments.parser.evaluate judgments ANSWERS.tsv

TITLES.tsv has a header and the columns id, title and one per annotator with manual compressions. TITLES.txt (any input
of `ilpsum compress`) has no compressions, so only ratios are printed. ANSWERS.tsv has the columns judge, id, round
(short or full), answer (yes or no) and optionally variant. --trees gives bracketed trees, one a line for each title.
"""

import argparse
import sys
from collections.abc import Sequence

from experiments.parser.evaluation import (
    CachingParser,
    Row,
    Study,
    between_annotators,
    bleu,
    plot,
    read_references,
    tables,
)
from experiments.parser.judgments import agreements, read_judgments
from ilpsum.compression.compressor import CompressorOptions
from ilpsum.compression.sources import read_items
from ilpsum.compression.storage import load_parser
from ilpsum.compression.trees import Tree, read_tree
from ilpsum.errors import IlpsumError, InputError
from ilpsum.io.idf import load_idf


def read_trees(path: str | None, titles: Sequence[str]) -> tuple[Tree | None, ...]:
    if path is None:
        return (None,) * len(titles)
    trees = tuple(read_tree(item.text, path, number) for number, item in enumerate(read_items(path, "lines"), start=1))
    if len(trees) != len(titles):
        raise InputError(f"{len(trees)} trees for {len(titles)} titles; expected one per title", path)
    return trees


def print_rows(name: str, rows: list[Row]) -> None:
    print(f"\n# {name}\nsetting\ttitles\tBLEU\tcharacters\tsd\twords\tsd\tcharacters cut\tsd\twords cut\tsd")
    for row in rows:
        spreads = (row.characters, row.words, row.characters_cut, row.words_cut)
        cells = [f"{number:.3f}" for spread in spreads for number in (spread.mean, spread.deviation)]
        print("\t".join([row.setting, str(row.titles), f"{row.bleu:.3f}", *cells]))


def evaluate(arguments: argparse.Namespace) -> None:
    references = read_references(arguments.file) if arguments.what == "titles" else None
    titles = references.titles if references else tuple(item.text for item in read_items(arguments.file) if item.text)
    options = CompressorOptions((), depth=arguments.depth, idf=load_idf(), min_words=arguments.min_words)
    study = Study(titles, read_trees(arguments.trees, titles), options, CachingParser(load_parser()), references)
    rows_by_table = tables(study)
    if references:
        print(f"# {bleu(titles, references.compressions)[1]}")
        print("\n# agreement between annotators\nannotator\treference\tBLEU")
        for name, other, score in between_annotators(references):
            print(f"{name}\t{other}\t{score:.3f}")
    for name, rows in rows_by_table.items():
        print_rows(name, rows)
    if arguments.plot and references:
        plot(rows_by_table, arguments.plot)


def judge(arguments: argparse.Namespace) -> None:
    print("variant\tjudge\ttitles\tflips\tno to yes\tyes to no\tprecision\trecall\tF")
    for row in agreements(read_judgments(arguments.file)):
        counts = (row.titles, row.flips, row.lost, row.false)
        shares = (f"{share:.3f}" for share in (row.precision, row.recall, row.f1))
        print("\t".join([row.variant, row.judge, *map(str, counts), *shares]))


def main(argv: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("what", choices=["titles", "ratios", "judgments"])
    options.add_argument("file")
    options.add_argument("--trees")
    options.add_argument("--plot", metavar="FILE.png")
    options.add_argument("--depth", type=int, default=3)
    options.add_argument("--min-words", type=int, default=2)
    arguments = options.parse_args(argv)
    try:
        (judge if arguments.what == "judgments" else evaluate)(arguments)
    except IlpsumError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
