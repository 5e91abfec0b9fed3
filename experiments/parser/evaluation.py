"""Evaluation of compression as in Lin and Wilbur (2007): BLEU against manual compressions, and compression ratios.

Tables cover each rule alone, the rules in sequence, and thresholds. Titles are TSV with the header
`id<TAB>title<TAB>ANNOTATOR...`: one column per annotator with that annotator's compressions. A cell may be empty, but
each title needs at least one compression.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

from ilpsum.compression.compressor import RULES, VARIANT_A, Compressed, Compressor, CompressorOptions, Parses
from ilpsum.compression.trees import Tree
from ilpsum.errors import InputError, UsageError
from ilpsum.io.files import read_lines

THRESHOLDS = tuple(2.0 + 0.5 * step for step in range(17))


@dataclass(frozen=True, slots=True)
class ManualCompressions:
    """Titles with manual compressions.

    Attributes:
        ids: one per title.
        titles: the titles as printed.
        annotators: names of the annotators.
        compressions: for each annotator one per title, or None.
    """

    ids: tuple[str, ...]
    titles: tuple[str, ...]
    annotators: tuple[str, ...]
    compressions: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and population standard deviation over titles; nan for no titles."""

    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Row:
    """The results of one setting.

    Attributes:
        setting: the rules, or the threshold.
        titles: number of titles that the ratios average.
        bleu: BLEU over all titles, from 0 to 1; nan without references.
        characters, words: length after compression, as a share of the title's.
        characters_cut, words_cut: characters and words removed.
    """

    setting: str
    titles: int
    bleu: float
    characters: Spread
    words: Spread
    characters_cut: Spread
    words_cut: Spread


def read_references(path: str | Path) -> ManualCompressions:
    """Read titles with manual compressions.

    Raises:
        InputError: the header is wrong, a line has more or fewer columns, or a title has no compression.
    """
    rows = [(number, line.decode("utf-8", "replace").split("\t")) for number, line in read_lines(path)]
    expected = "expected tab-separated columns id, title, ANNOTATOR... with a header"
    if not rows or len(rows[0][1]) < 3 or rows[0][1][:2] != ["id", "title"]:
        raise InputError(f"wrong header; {expected}", path, 1)
    header, body = rows[0][1], [(number, cells) for number, cells in rows[1:] if any(cells)]
    for number, cells in body:
        if len(cells) != len(header):
            raise InputError(f"{len(cells)} columns, but {len(header)} in the header; {expected}", path, number)
        if not cells[1].strip() or not any(cell.strip() for cell in cells[2:]):
            raise InputError(f"title or compression missing; {expected}", path, number)
    if not body:
        raise InputError(f"no titles; {expected}", path)
    columns = tuple(tuple(cells[place].strip() or None for _, cells in body) for place in range(2, len(header)))
    return ManualCompressions(
        tuple(cells[0] for _, cells in body), tuple(cells[1] for _, cells in body), tuple(header[2:]), columns
    )


def bleu(texts: Sequence[str], references: Sequence[Sequence[str | None]]) -> tuple[float, str]:
    """Compute corpus BLEU (Papineni et al. 2002) with sacrebleu.

    Args:
        texts: the system's compressions.
        references: for each annotator one per text, or None.

    Returns:
        BLEU from 0 to 1, and sacrebleu's signature.
    """
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU()
    # sacrebleu accepts None for a missing reference.
    streams: list[Any] = [list(stream) for stream in references]
    score = metric.corpus_score(list(texts), streams)
    return score.score / 100, str(metric.get_signature())


def between_annotators(references: ManualCompressions) -> list[tuple[str, str, float]]:
    """Score each annotator's compressions against each other annotator's.

    Returns:
        Annotator, reference annotator, BLEU over the titles that both compressed.
    """
    scores = []
    named = list(zip(references.annotators, references.compressions, strict=True))
    for name, own in named:
        for other, theirs in named:
            pairs = [(a, b) for a, b in zip(own, theirs, strict=True) if a is not None and b is not None]
            if name != other and pairs:
                scores.append((name, other, bleu([a for a, _ in pairs], [[b for _, b in pairs]])[0]))
    return scores


def row(
    setting: str,
    compressions: Sequence[Compressed],
    counted: Sequence[Compressed],
    references: ManualCompressions | None,
) -> Row:
    """Return one row of a table.

    Args:
        setting: name of the row.
        compressions: compressions of all titles, for BLEU.
        counted: compressions that the ratios average.
        references: manual compressions of all titles.
    """
    score = bleu([c.text for c in compressions], references.compressions)[0] if references else float("nan")
    return Row(
        setting,
        len(counted),
        score,
        spread(c.character_ratio for c in counted),
        spread(c.word_ratio for c in counted),
        spread(len(c.source) - len(c.text) for c in counted),
        spread(len(c.source.split()) - len(c.text.split()) for c in counted),
    )


def spread(values: Iterable[float]) -> Spread:
    """Compute mean and standard deviation."""
    numbers = list(values)
    return Spread(mean(numbers), pstdev(numbers)) if numbers else Spread(float("nan"), float("nan"))


class CachingParser:
    """A parser that parses each sentence once, since every table compresses the same titles.

    Args:
        parser: the parser of new sentences.
    """

    def __init__(self, parser: Parses) -> None:
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
    parser: Parses
    references: ManualCompressions | None = None

    def compressed(self, rules: tuple[str, ...], threshold: float | None = None) -> list[Compressed]:
        """Compress all titles with some rules."""
        options = replace(self.options, rules=rules, max_chars=None)
        if threshold is not None:
            options = replace(options, idf_threshold=threshold)
        return Compressor(options, self.parser).compress_all(self.titles, self.trees)

    def untrimmed(self) -> Row:
        """Return the row of the full titles."""
        titles = self.compressed(())
        return row("untrimmed", titles, titles, self.references)

    def alone(self) -> list[Row]:
        """Return a row for each rule alone, with ratios over the titles where it fires."""
        rows = []
        for rule in RULES:
            compressions = self.compressed((rule,))
            rows.append(row(rule, compressions, [c for c in compressions if c.firings], self.references))
        return rows

    def in_sequence(self) -> list[Row]:
        """Return rows for the first rule, the first two, ..., with ratios over all titles."""
        rules, rows = tuple(RULES), []
        for place, rule in enumerate(rules):
            compressions = self.compressed(rules[: place + 1])
            rows.append(row(f"+ {rule}" if place else rule, compressions, compressions, self.references))
        return rows

    def thresholds(self, after: tuple[str, ...] = ()) -> list[Row]:
        """Return rows of rule 7 with thresholds from 2 to 10, alone or after other rules, over all titles."""
        rows = []
        for threshold in THRESHOLDS:
            compressions = self.compressed((*after, "simple-np"), threshold)
            rows.append(row(f"{threshold:.1f}", compressions, compressions, self.references))
        return rows


def tables(study: Study) -> dict[str, list[Row]]:
    """Return the paper's tables by name."""
    return {
        "rules alone": [study.untrimmed(), *study.alone()],
        "rules in sequence": [study.untrimmed(), *study.in_sequence()],
        "simple-np alone, by idf threshold": study.thresholds(),
        "simple-np after rules 1-6, by idf threshold": study.thresholds(VARIANT_A),
    }


def plot(rows_by_table: dict[str, list[Row]], path: str | Path) -> None:
    """Plot characters left against BLEU, a line for each table except the rules alone.

    Raises:
        UsageError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl

        mpl.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        raise UsageError("matplotlib is not installed: pip install 'ilpsum[plots]'") from None
    figure, axes = pyplot.subplots(figsize=(7, 5))
    for name, rows in rows_by_table.items():
        xs, ys = [r.characters.mean for r in rows], [r.bleu for r in rows]
        if name == "rules alone":
            continue
        axes.plot(xs, ys, marker="o", label=name)
        for r in rows if name == "rules in sequence" else ():
            axes.annotate(r.setting, (r.characters.mean, r.bleu), fontsize=7, xytext=(3, 3), textcoords="offset points")
    axes.set_xlabel("characters left (mean share of the title)")
    axes.set_ylabel("BLEU")
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=150, bbox_inches="tight", metadata={"Software": None})
    pyplot.close(figure)
