"""Evaluate compressions of titles as Lin and Wilbur (2007) do, on titles of your own.

    python -m experiments.compression_evaluation tables TITLES.tsv... [--strict] [--trees FILE...]
    [--plot FILE.png] python -m experiments.compression_evaluation ratios TITLES.txt... [--strict]
    [--trees FILE...] python -m experiments.compression_evaluation scores COMPRESSIONS TITLES.tsv
    python -m experiments.compression_evaluation judgments JUDGMENTS.tsv

`tables` prints each rule alone and the rules in sequence, rule 7 by threshold, the variants A and
B, and each annotator against the others: corpus BLEU, and the mean length left and cut, with
standard deviations. `ratios` prints the lengths for titles without manual compressions. `scores`
prints one set of compressions, the output of `ilpsum compress`, as a whole and over the titles that
changed. `judgments` prints how often a judge's answer on the short title differs from the answer on
the full one.

BLEU needs sacreBLEU and --plot needs matplotlib: `pip install sacrebleu matplotlib`. TITLES.tsv has
a header and the columns id, title and one per annotator with manual compressions. TITLES.txt is any
input of `ilpsum compress`. --trees gives bracketed trees, one a line for each title; as many files
as of titles. With two files, such as development and test titles, --plot draws both. JUDGMENTS.tsv
has the columns judge, id, round (short or full), answer (yes or no), and optionally variant;
`experiments/parser/judgments.tsv` is an example.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path

from experiments.parser.compressions import (
    CompressionRow,
    Spread,
    between_annotators,
    bleu_signature,
    evaluate_compressions,
    read_compressions,
    read_manual,
)
from experiments.parser.evaluation import CachingParser, Study, Tables, plot, tables
from experiments.parser.judgments import Agreement, agreements, read_judgments
from ilpsum.compression.parser import load_parser
from ilpsum.compression.rules import CompressorOptions
from ilpsum.compression.trees import Tree, read_tree
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.files.idf import load_idf
from ilpsum.literature.titles import read_titles

# Columns that are not named like the field.
NAMES = {"name": "compressions", "bleu": "BLEU", "lost": "no-to-yes", "false": "yes-to-no"}


def read_trees(path: str | None, titles: Sequence[str]) -> tuple[Tree | None, ...]:
    if path is None:
        return (None,) * len(titles)
    trees = tuple(
        read_tree(item.text, path, number)
        for number, item in enumerate(read_titles(path, "lines"), start=1)
    )
    if len(trees) != len(titles):
        raise InputError(
            f"{len(trees)} trees for {len(titles)} titles; expected one per title", path
        )
    return trees


def print_rows(rows: Sequence[CompressionRow | Agreement], digits: int = 3) -> None:
    """Print a header and the rows, tab-separated; an undefined score is `nan`."""
    table = [dict(_cells(row)) for row in rows]
    print("\t".join(table[0]))
    for row in table:
        print(
            "\t".join(
                f"{value:.{digits}f}" if isinstance(value, float) else str(value)
                for value in row.values()
            )
        )


def _cells(row: CompressionRow | Agreement) -> Iterator[tuple[str, str | int | float]]:
    """Yield the columns of a row; a spread has two."""
    for each in fields(row):
        name, value = NAMES.get(each.name, each.name.replace("_", "-")), getattr(row, each.name)
        if isinstance(value, Spread):
            yield from ((name, value.mean), (f"{name}-sd", value.deviation))
        else:
            yield name, value


def print_titles(titles: Sequence[str]) -> None:
    characters, words = (
        sum(map(len, some)) / len(titles) for some in (titles, [t.split() for t in titles])
    )
    print(f"# {len(titles)} titles of {characters:.1f} characters, {words:.1f} words on average")


def print_tables(arguments: argparse.Namespace, file: str, trees: str | None) -> Tables:
    references = read_manual(file) if arguments.what == "tables" else None
    titles = (
        references.titles
        if references
        else tuple(item.text for item in read_titles(file) if item.text)
    )
    options = CompressorOptions(
        (),
        depth=arguments.depth,
        idf=load_idf(),
        min_words=arguments.min_words,
        strict=arguments.strict,
    )
    study = Study(
        titles, read_trees(trees, titles), options, CachingParser(load_parser()), references
    )
    rows_by_table = tables(study)
    print_titles(titles)
    if references:
        print(f"# {bleu_signature(references.references)}")
        print("\n# manual compressions, and agreement between annotators")
        print_rows(between_annotators(references))
    for name, rows in rows_by_table.items():
        print(f"\n# {name}")
        print_rows(rows)
    return rows_by_table


def study_titles(arguments: argparse.Namespace) -> None:
    trees = arguments.trees or [None] * len(arguments.files)
    if len(trees) != len(arguments.files):
        raise UsageError(
            f"{len(trees)} files of trees for {len(arguments.files)} of titles; expected one for each"
        )
    studies = {
        file: print_tables(arguments, file, own)
        for file, own in zip(arguments.files, trees, strict=True)
    }
    if arguments.what == "tables" and arguments.plot:
        plot(studies, arguments.plot)


def print_scores(arguments: argparse.Namespace) -> None:
    manual, path = read_manual(arguments.titles), arguments.compressions
    rows = evaluate_compressions(Path(path).name, read_compressions(path, manual), manual)
    print(f"# {bleu_signature(manual.references)}")
    print_rows(rows, digits=6)


def print_judgments(arguments: argparse.Namespace) -> None:
    if not (agreed := agreements(read_judgments(arguments.judgments))):
        expected = "no title is judged in both rounds; expected answers on short and full titles"
        raise InputError(expected, arguments.judgments)
    print_rows(agreed, digits=6)


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = options.add_subparsers(dest="what", required=True)
    for what in ("tables", "ratios"):
        verb = verbs.add_parser(what)
        verb.set_defaults(run=study_titles)
        verb.add_argument("files", nargs="+", metavar="TITLES")
        verb.add_argument("--trees", nargs="+", metavar="FILE")
        verb.add_argument("--strict", action="store_true", help="the rules without exceptions")
        verb.add_argument("--depth", type=int, default=3)
        verb.add_argument("--min-words", type=int, default=2)
        if what == "tables":
            verb.add_argument("--plot", metavar="FILE.png")
    verb = verbs.add_parser("scores")
    verb.set_defaults(run=print_scores)
    verb.add_argument("compressions")
    verb.add_argument("titles")
    verb = verbs.add_parser("judgments")
    verb.set_defaults(run=print_judgments)
    verb.add_argument("judgments")
    return options


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parser().parse_args(argv)
    try:
        arguments.run(arguments)
    except IlpsumError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
