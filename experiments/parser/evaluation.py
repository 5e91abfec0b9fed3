"""Evaluation as in Lin and Wilbur (2007): BLEU against manual compressions, ratios, by rule, in sequence, by threshold.

The titles come as TSV with a header, `id<TAB>title<TAB>ANNOTATOR...`: one column for each annotator, named in the
header, that holds the compression that this annotator made of the title. A cell may be empty where an annotator made
none, but each title needs at least one.
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
class References:
    """Titles with manual compressions.

    Attributes:
        ids: one for each title.
        titles: as printed.
        annotators: their names.
        compressions: for each annotator, one for each title; None where there is none.
    """

    ids: tuple[str, ...]
    titles: tuple[str, ...]
    annotators: tuple[str, ...]
    compressions: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation (of the population) over titles; nan over none."""

    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Row:
    """What one setting does.

    Attributes:
        setting: the rules, or the threshold.
        titles: how many titles the ratios are over.
        bleu: of all titles, from 0 to 1; nan where there are no references.
        characters, words: what is left, as a share of the title.
        characters_cut, words_cut: what goes, in characters and words.
    """

    setting: str
    titles: int
    bleu: float
    characters: Spread
    words: Spread
    characters_cut: Spread
    words_cut: Spread


def read_references(path: str | Path) -> References:
    """Reads titles with manual compressions.

    Raises:
        InputError: a line has another number of columns than the header, or a title has no compression.
    """
    rows = [(number, line.decode("utf-8", "replace").split("\t")) for number, line in read_lines(path)]
    expected = "expected a header id, title, ANNOTATOR... and such lines, parted by tabs"
    if not rows or len(rows[0][1]) < 3 or rows[0][1][:2] != ["id", "title"]:
        raise InputError(f"another header: {expected}", path, 1)
    header, body = rows[0][1], [(number, cells) for number, cells in rows[1:] if any(cells)]
    for number, cells in body:
        if len(cells) != len(header):
            raise InputError(f"{len(cells)} columns, the header has {len(header)}: {expected}", path, number)
        if not cells[1].strip() or not any(cell.strip() for cell in cells[2:]):
            raise InputError(f"no title, or no compression of it: {expected}", path, number)
    if not body:
        raise InputError(f"no titles: {expected}", path)
    columns = tuple(tuple(cells[place].strip() or None for _, cells in body) for place in range(2, len(header)))
    return References(
        tuple(cells[0] for _, cells in body), tuple(cells[1] for _, cells in body), tuple(header[2:]), columns
    )


def bleu(texts: Sequence[str], references: Sequence[Sequence[str | None]]) -> tuple[float, str]:
    """Corpus BLEU (Papineni et al. 2002) as sacrebleu has it.

    Args:
        texts: the system's.
        references: for each annotator, one for each text; None where there is none.

    Returns:
        BLEU from 0 to 1, and sacrebleu's signature.
    """
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU()
    # sacrebleu takes None for a reference that is not there.
    streams: list[Any] = [list(stream) for stream in references]
    score = metric.corpus_score(list(texts), streams)
    return score.score / 100, str(metric.get_signature())


def between_annotators(references: References) -> list[tuple[str, str, float]]:
    """BLEU of each annotator's compressions with each other annotator's as the only reference.

    Returns:
        Annotator, reference annotator, BLEU over the titles that both compressed.
    """
    found = []
    named = list(zip(references.annotators, references.compressions, strict=True))
    for name, own in named:
        for other, theirs in named:
            pairs = [(a, b) for a, b in zip(own, theirs, strict=True) if a is not None and b is not None]
            if name != other and pairs:
                found.append((name, other, bleu([a for a, _ in pairs], [[b for _, b in pairs]])[0]))
    return found


def row(setting: str, made: Sequence[Compressed], counted: Sequence[Compressed], references: References | None) -> Row:
    """One row of a table.

    Args:
        setting: its name.
        made: the compressions of all titles, for BLEU.
        counted: those the ratios are over.
        references: manual compressions of all titles.
    """
    score = bleu([c.text for c in made], references.compressions)[0] if references else float("nan")
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
    """Mean and standard deviation."""
    given = list(values)
    return Spread(mean(given), pstdev(given)) if given else Spread(float("nan"), float("nan"))


class Remembering:
    """A parser that parses each sentence once: the tables go over the same titles many times.

    Args:
        parser: what parses a sentence when it comes first.
    """

    def __init__(self, parser: Parses) -> None:
        self.parser = parser
        self._trees: dict[tuple[str, ...], Tree | None] = {}

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Tree | None]:
        """The trees of sentences, as the parser's."""
        keys = [tuple(words) for words in sentences]
        new = list(dict.fromkeys(key for key in keys if key not in self._trees))
        self._trees.update(zip(new, self.parser.parse(new), strict=True))
        return [self._trees[key] for key in keys]


@dataclass(frozen=True, slots=True)
class Study:
    """Titles, and what compresses them.

    Attributes:
        titles: the titles.
        trees: a tree for each, or None where it is to be parsed.
        options: depth, idf and minimum for all settings; the rules and the threshold are the settings'.
        parser: parses titles without a tree.
        references: manual compressions, None for ratios alone.
    """

    titles: tuple[str, ...]
    trees: tuple[Tree | None, ...]
    options: CompressorOptions
    parser: Parses
    references: References | None = None

    def compressed(self, rules: tuple[str, ...], threshold: float | None = None) -> list[Compressed]:
        """All titles under some rules."""
        options = replace(self.options, rules=rules, max_chars=None)
        if threshold is not None:
            options = replace(options, idf_threshold=threshold)
        return Compressor(options, self.parser).compress_all(self.titles, self.trees)

    def untrimmed(self) -> Row:
        """The titles as they are."""
        made = self.compressed(())
        return row("untrimmed", made, made, self.references)

    def alone(self) -> list[Row]:
        """Each rule alone, ratios over the titles that trigger it."""
        found = []
        for rule in RULES:
            made = self.compressed((rule,))
            found.append(row(rule, made, [c for c in made if c.firings], self.references))
        return found

    def in_sequence(self) -> list[Row]:
        """The first rule, the first two, ..., ratios over all titles."""
        rules = tuple(RULES)
        made = [(rules[end - 1], self.compressed(rules[:end])) for end in range(1, len(rules) + 1)]
        return [row(f"+ {rule}" if place else rule, c, c, self.references) for place, (rule, c) in enumerate(made)]

    def thresholds(self, after: tuple[str, ...] = ()) -> list[Row]:
        """Rule 7 with thresholds from 2 to 10, alone or after other rules, ratios over all titles."""
        found = []
        for threshold in THRESHOLDS:
            made = self.compressed((*after, "simple-np"), threshold)
            found.append(row(f"{threshold:.1f}", made, made, self.references))
        return found


def tables(study: Study) -> dict[str, list[Row]]:
    """All tables of the paper, by name."""
    return {
        "rules alone": [study.untrimmed(), *study.alone()],
        "rules in sequence": [study.untrimmed(), *study.in_sequence()],
        "simple-np alone, by idf threshold": study.thresholds(),
        "simple-np after rules 1-6, by idf threshold": study.thresholds(VARIANT_A),
    }


def plot(found: dict[str, list[Row]], path: str | Path) -> None:
    """Draws what is left of the characters against BLEU, a line for each table but the rules alone.

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
    for name, rows in found.items():
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
