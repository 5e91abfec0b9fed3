"""Reproduce Tables 1, 3 and 4 and Figures 3 and 4 of Lin and Wilbur (2007): compressed titles.

    python -m experiments titles --titles DEV.tsv TEST.tsv [--trees DEV.trees TEST.trees]
    python -m experiments titles [--number 450]

Published, development/test, 200 titles each: BLEU untrimmed .538/.593, subtitle .579/.619, DT
.555/.600, VBG .541/.586, serial PP .527/.596, nested PP .540/.591, conjoined NP .514/.575; the
annotators against each other .510/.550 and .513/.544; character ratio of variant A .687, of variant
B .563. Ratios average the titles that trigger a rule in Table 4, all titles in the figures.

The paper's titles are not public. TITLES.tsv has a header and the columns id, title and one per
annotator with manual compressions; --trees has bracketed trees, one a line for each title. Without
--titles, the page has Table 4 without BLEU on the titles in --data whose PMIDs are closest to
10,950,000, the middle of those that the paper prints. Rules are those of the paper; --lenient keeps
what ilpsum keeps by default. BLEU needs sacrebleu.
"""

import argparse
import gzip
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from experiments.page import Page, Progress, markdown, parser
from experiments.parser.compressions import (
    CompressionRow,
    ManualCompressions,
    between_annotators,
    bleu_signature,
    compression_row,
    evaluate_compressions,
    read_compressions,
    read_manual,
)
from experiments.parser.evaluation import CachingParser, Study, read_trees
from experiments.plots import panels, save
from ilpsum.compression.compressor import VARIANT_A
from ilpsum.compression.parser import load_parser
from ilpsum.compression.published_rules import CompressorOptions
from ilpsum.errors import UsageError
from ilpsum.files.idf import load_idf

MIDDLE = 10_950_000
FILES = ("bioasq/abstracts.jsonl.gz", "pubmed-text/other_abstracts.jsonl.gz")
# Table 4, development and test: titles of 200 that trigger the rule, character ratio, BLEU.
PUBLISHED = {
    "untrimmed": ("", "1.000", ".538", "", "1.000", ".593"),
    "subtitle": ("39", ".525", ".579", "38", ".510", ".619"),
    "dt": ("103", ".955", ".555", "109", ".956", ".600"),
    "vbg": ("20", ".584", ".541", "26", ".656", ".586"),
    "serial-pp": ("40", ".587", ".527", "42", ".688", ".596"),
    "nested-pp": ("41", ".748", ".540", "36", ".778", ".591"),
    "conjoined-np": ("73", ".722", ".514", "54", ".763", ".575"),
}
PUBLISHED_HEAD = ("of 200", "dev: of 200", "ratio", "BLEU", "test: of 200", "ratio", "BLEU")
HEAD = ("", "titles", "characters: ratio", "reduction", "words: ratio", "reduction", "BLEU")


def cells(row: CompressionRow) -> list[str]:
    """Return a row as the paper prints it: ratios, and reductions with standard deviations."""
    made = [row.name, str(row.titles)]
    for ratio, cut in ((row.characters, row.characters_cut), (row.words, row.words_cut)):
        made += [f"{ratio.mean:.3f}", f"{cut.mean:.2f} ± {cut.deviation:.2f}"]
    return [*made, "" if math.isnan(row.bleu) else f"{row.bleu:.3f}"]


def characteristics(manual: ManualCompressions) -> list[CompressionRow]:
    """Return the rows of Table 1: the compressions of each annotator."""
    rows = []
    for name, compressions in zip(manual.annotators, manual.compressions, strict=True):
        pairs = [(t, c) for t, c in zip(manual.titles, compressions, strict=True) if c is not None]
        rows.append(compression_row(name, pairs, float("nan")))
    return rows


def table_4(study: Study) -> str:
    """Return the rules alone beside the published ones."""
    published = [row for row in (study.untrimmed(), *study.alone()) if row.name in PUBLISHED]
    rows = []
    for row in published:
        per_200 = "" if row.name == "untrimmed" else f"{200 * row.titles / len(study.titles):.0f}"
        rows.append([*cells(row), per_200, *PUBLISHED[row.name]])
    return markdown([*HEAD, *PUBLISHED_HEAD], rows)


def table(rows: Sequence[CompressionRow]) -> str:
    """Return rows as Markdown."""
    return markdown(HEAD, [cells(row) for row in rows])


def section(name: str, study: Study) -> list[str]:
    """Return the part of the page for one set of titles."""
    characters = sum(map(len, study.titles)) / len(study.titles)
    words = sum(len(title.split()) for title in study.titles) / len(study.titles)
    sizes = f"{len(study.titles)} titles of {characters:.1f} characters, {words:.2f} words"
    blocks = [f"## {name}", f"{sizes} (published: 102.3, 13.34; test 104.0, 13.60)."]
    manual = study.references
    if manual:
        rows = [[row.name, row.titles, f"{row.bleu:.3f}"] for row in between_annotators(manual)]
        blocks += [
            f"Table 1, manual compressions:\n\n{table(characteristics(manual))}",
            "Table 3, annotators against each other:\n\n"
            + markdown(["output, reference", "titles", "BLEU"], rows),
            f"Scores: {bleu_signature(manual.references)}.",
        ]
    blocks += [
        f"Table 4, each rule alone, over the titles that trigger it:\n\n{table_4(study)}",
        f"Rules in sequence, all titles:\n\n{table([study.untrimmed(), *study.in_sequence()])}",
        f"Variants A (published ratio .687) and B (.563):\n\n{table(study.variants())}",
    ]
    if manual:
        blocks += [
            f"Figure 3, simple NP alone, by IDF threshold:\n\n{table(study.thresholds())}",
            f"Figure 4, simple NP after the others:\n\n{table(study.thresholds(VARIANT_A))}",
        ]
    return blocks


def figure_3(path: Path, studies: dict[str, Study]) -> None:
    """Plot ratio against BLEU of the simple NP rule alone, over its threshold."""
    figure, (axes,) = panels(1)
    for name, study in studies.items():
        rows = study.thresholds()
        ratios = [row.characters.mean for row in rows]
        axes.plot(ratios, [row.bleu for row in rows], marker="o", label=name)
        axes.axhline(study.untrimmed().bleu, linestyle=":", color="grey")
    axes.set(title="simple NP alone", xlabel="characters: ratio", ylabel="BLEU")
    axes.legend()
    save(figure, path)


def figure_4(path: Path, studies: dict[str, Study]) -> None:
    """Plot ratio against BLEU of the rules in sequence: a panel for characters, one for words."""
    figure, grid = panels(2)
    for axes, unit in zip(grid, ("characters", "words"), strict=True):
        for name, study in studies.items():
            # The last in sequence is rule 7 at one threshold; the curve has it at all.
            *sequence, _ = study.in_sequence()
            rows = [study.untrimmed(), *sequence, *reversed(study.thresholds(VARIANT_A))]
            ratios = [getattr(row, unit).mean for row in rows]
            axes.plot(ratios, [row.bleu for row in rows], marker="o", label=name)
            axes.axhline(rows[0].bleu, linestyle=":", color="grey")
            for row, ratio in zip(rows[: len(sequence) + 1], ratios, strict=False):
                axes.annotate(row.name, (ratio, row.bleu), fontsize=7)
        axes.set(title="rules in sequence", xlabel=f"{unit}: ratio")
        axes.legend()
    grid[0].set_ylabel("BLEU")
    save(figure, path)


def nearby_titles(data: Path, number: int) -> tuple[str, ...]:
    """Return the titles of our abstracts closest to the paper's in PMID, by PMID."""
    titles: dict[int, str] = {}
    for name in FILES:
        with gzip.open(data / name, "rt", encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                if record["title"].strip():
                    titles.setdefault(int(record["pmid"]), " ".join(record["title"].split()))
    nearest = sorted(titles, key=lambda pmid: (abs(pmid - MIDDLE), pmid))[:number]
    return tuple(titles[pmid] for pmid in sorted(nearest))


def studies_of(arguments: argparse.Namespace) -> dict[str, Study]:
    """Return the sets of titles by name, each with its compressor."""
    compressor = CompressorOptions((), idf=load_idf(), strict=not arguments.lenient)
    shared = CachingParser(load_parser())
    if not arguments.titles:
        titles = nearby_titles(arguments.data, arguments.number)
        return {
            "titles of the same years": Study(titles, (None,) * len(titles), compressor, shared)
        }
    trees = arguments.trees or [None] * len(arguments.titles)
    if len(trees) != len(arguments.titles):
        raise UsageError(
            f"{len(trees)} files of trees for {len(arguments.titles)} of titles; expected one each"
        )
    studies = {}
    for file, tree_file in zip(arguments.titles, trees, strict=True):
        manual = read_manual(file)
        parsed = read_trees(tree_file, manual.titles)
        studies[file.name] = Study(manual.titles, parsed, compressor, shared, manual)
    return studies


def main(argv: Sequence[str]) -> None:
    options = parser("experiments titles", __doc__)
    options.add_argument("--titles", type=Path, nargs="+", metavar="FILE.tsv")
    options.add_argument("--trees", type=Path, nargs="+", metavar="FILE")
    options.add_argument(
        "--compressions",
        type=Path,
        metavar="FILE",
        help="also score this output of `ilpsum compress` on the first file of titles",
    )
    options.add_argument("--number", type=int, default=450, help="titles, without --titles (450)")
    options.add_argument("--lenient", action="store_true", help="with ilpsum's exceptions")
    arguments = options.parse_args(argv)
    if arguments.compressions and not arguments.titles:
        raise UsageError("--compressions are scored against manual ones; name them by --titles")
    plots = ["titles-figure3.svg", "titles-figure4.svg"] if arguments.titles else []
    packages = ["sacrebleu", "matplotlib"] if arguments.titles else []
    page = Page.begin(arguments, argv, packages=packages, plots=plots)
    progress = Progress()
    studies = studies_of(arguments)
    blocks = []
    for name, study in studies.items():
        progress(f"{name}: {len(study.titles)} titles")
        blocks += section(name, study)
        if not study.references and not arguments.lenient:
            lenient = replace(study, options=replace(study.options, strict=False))
            blocks.append(f"The same with ilpsum's exceptions:\n\n{table_4(lenient)}")
            blocks.append(table(lenient.variants()))
    if arguments.compressions:
        manual = read_manual(arguments.titles[0])
        texts = read_compressions(arguments.compressions, manual)
        rows = evaluate_compressions(arguments.compressions.name, texts, manual)
        blocks += [f"## {arguments.compressions.name}", table(rows)]
    if plots:
        figure_3(page.plot(plots[0]), studies)
        figure_4(page.plot(plots[1]), studies)
        blocks += [f"![Figure 3]({plots[0]})", f"![Figure 4]({plots[1]})"]
    page.write("Tables 1, 3, 4 and Figures 3, 4 of Lin and Wilbur (2007)", blocks)
