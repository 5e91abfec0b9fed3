"""Print the tables and the figure of Lin and Wilbur (2007), on titles of your own.

    python -m experiments.parser.evaluate titles TITLES.tsv... [--strict] [--trees FILE...] [--plot FILE.png]
    python -m experiments.parser.evaluate ratios TITLES.txt... [--strict] [--trees FILE...]

TITLES.tsv has a header and the columns id, title and one per annotator with manual compressions. TITLES.txt (any input
of `ilpsum compress`) has no compressions, so only ratios are printed. --trees gives bracketed trees, one a line for
each title; as many files as of titles. With two files, such as development and test titles, --plot draws both.

One set of compressions, and judgments on compressed titles, are scored by `ilpsum evaluate`.
"""

import argparse
import sys
from collections.abc import Sequence

from experiments.parser.evaluation import CachingParser, Study, Tables, plot, tables
from ilpsum.compression.options import CompressorOptions
from ilpsum.compression.storage import load_parser
from ilpsum.compression.trees import Tree, read_tree
from ilpsum.corpora.titles import read_titles
from ilpsum.errors import IlpsumError, InputError
from ilpsum.evaluation.compressions import CompressionRow, between_annotators, read_manual
from ilpsum.io.idf import load_idf
from ilpsum.metrics.bleu import bleu_signature


def read_trees(path: str | None, titles: Sequence[str]) -> tuple[Tree | None, ...]:
    if path is None:
        return (None,) * len(titles)
    trees = tuple(read_tree(item.text, path, number) for number, item in enumerate(read_titles(path, "lines"), start=1))
    if len(trees) != len(titles):
        raise InputError(f"{len(trees)} trees for {len(titles)} titles; expected one per title", path)
    return trees


def print_rows(name: str, rows: Sequence[CompressionRow]) -> None:
    print(f"\n# {name}\nsetting\ttitles\tBLEU\tcharacters\tsd\twords\tsd\tcharacters cut\tsd\twords cut\tsd")
    for row in rows:
        spreads = (row.characters, row.words, row.characters_cut, row.words_cut)
        cells = [f"{number:.3f}" for spread in spreads for number in (spread.mean, spread.deviation)]
        print("\t".join([row.name, str(row.titles), f"{row.bleu:.3f}", *cells]))


def print_titles(titles: Sequence[str]) -> None:
    characters, words = (sum(map(len, some)) / len(titles) for some in (titles, [t.split() for t in titles]))
    print(f"# {len(titles)} titles of {characters:.1f} characters, {words:.1f} words on average")


def evaluate(arguments: argparse.Namespace, file: str, trees: str | None) -> Tables:
    references = read_manual(file) if arguments.what == "titles" else None
    titles = references.titles if references else tuple(item.text for item in read_titles(file) if item.text)
    options = CompressorOptions(
        (), depth=arguments.depth, idf=load_idf(), min_words=arguments.min_words, strict=arguments.strict
    )
    study = Study(titles, read_trees(trees, titles), options, CachingParser(load_parser()), references)
    rows_by_table = tables(study)
    print_titles(titles)
    if references:
        print(f"# {bleu_signature(references.references)}")
        print_rows("manual compressions, and agreement between annotators", between_annotators(references))
    for name, rows in rows_by_table.items():
        print_rows(name, rows)
    return rows_by_table


def main(argv: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("what", choices=["titles", "ratios"])
    options.add_argument("files", nargs="+")
    options.add_argument("--trees", nargs="+")
    options.add_argument("--plot", metavar="FILE.png")
    options.add_argument("--strict", action="store_true", help="the rules without exceptions")
    options.add_argument("--depth", type=int, default=3)
    options.add_argument("--min-words", type=int, default=2)
    arguments = options.parse_args(argv)
    try:
        pairs = zip(arguments.files, arguments.trees or [None] * len(arguments.files), strict=True)
        studies = {file: evaluate(arguments, file, trees) for file, trees in pairs}
        if arguments.plot and arguments.what == "titles":
            plot(studies, arguments.plot)
    except IlpsumError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
