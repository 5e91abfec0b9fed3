"""Compressions against manual ones: BLEU and length, as Lin and Wilbur (2007) report them.

BLEU is that of sacreBLEU (`pip install sacrebleu`). Manual compressions are tab-separated, with the
header `id<TAB>title<TAB>ANNOTATOR...`: a column for each annotator. A cell may be empty, but each
title needs at least one compression.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, pstdev

from ilpsum.errors import InputError, UsageError
from ilpsum.files.reading import text_lines
from ilpsum.files.records import reason
from ilpsum.metrics.signature import Signature
from ilpsum.version import __version__

_EXPECTED = "expected tab-separated columns id, title, ANNOTATOR... with a header"
_RUN_COLUMNS = ("id", "text")


@dataclass(frozen=True, slots=True)
class ManualCompressions:
    """Titles with manual compressions.

    Attributes:
        ids: one for each title.
        titles: the titles as printed.
        annotators: names of the annotators.
        compressions: for each annotator one for each title, or None.
    """

    ids: tuple[str, ...]
    titles: tuple[str, ...]
    annotators: tuple[str, ...]
    compressions: tuple[tuple[str | None, ...], ...]

    @property
    def references(self) -> list[list[str]]:
        """The compressions of each title, without those that are missing."""
        return [
            [text for text in own if text is not None]
            for own in zip(*self.compressions, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and population standard deviation over titles; nan for no titles."""

    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class CompressionRow:
    """The results of one set of compressions.

    Attributes:
        name: the run, the rules or the annotator.
        titles: number of titles that the spreads average.
        bleu: BLEU from 0 to 1; nan without references.
        characters, words: length after compression, as a share of the title's.
        characters_cut, words_cut: characters and words removed.
    """

    name: str
    titles: int
    bleu: float
    characters: Spread
    words: Spread
    characters_cut: Spread
    words_cut: Spread


def read_manual(path: str | Path) -> ManualCompressions:
    """Read titles with manual compressions.

    Raises:
        InputError: the header is wrong, a line has more or fewer columns, an id occurs twice, or a
            title has no compression.
    """
    rows = [
        (number, [cell.strip() for cell in line.split("\t")]) for number, line in text_lines(path)
    ]
    if not rows or len(rows[0][1]) < 3 or rows[0][1][:2] != ["id", "title"]:
        raise InputError(f"wrong header; {_EXPECTED}", path, 1)
    header, body = rows[0][1], [(number, cells) for number, cells in rows[1:] if any(cells)]
    first: dict[str, int] = {}
    for number, cells in body:
        if len(cells) != len(header):
            raise InputError(
                f"{len(cells)} columns, but {len(header)} in the header; {_EXPECTED}", path, number
            )
        if not cells[1] or not any(cells[2:]):
            raise InputError(f"title or compression missing; {_EXPECTED}", path, number)
        if (at := first.setdefault(cells[0], number)) != number:
            raise InputError(
                f"the id {cells[0]} occurs twice, first on line {at}; expected one line a title",
                path,
                number,
            )
    if not body:
        raise InputError(f"no titles; {_EXPECTED}", path)
    columns = tuple(
        tuple(cells[place] or None for _, cells in body) for place in range(2, len(header))
    )
    ids, titles = tuple(cells[0] for _, cells in body), tuple(cells[1] for _, cells in body)
    return ManualCompressions(ids, titles, tuple(header[2:]), columns)


def read_compressions(path: str | Path, manual: ManualCompressions) -> tuple[str, ...]:
    """Read the compressions of titles, in the order of the titles.

    The file is an output of `ilpsum compress`: `-o tsv` or `-o jsonl`, matched by id, or lines, the
    n-th of the n-th title. Titles that are not in `manual` are ignored.

    Raises:
        InputError: the file cannot be read, a line is not a compression, or a title has none.
    """
    lines = list(text_lines(path))
    start = lines[0][1] if lines else ""
    if start.split("\t")[:2] == list(_RUN_COLUMNS):
        pairs = [_of_table(line, path, number) for number, line in lines[1:] if line]
    elif start.startswith("{"):
        pairs = [_of_json(line, path, number) for number, line in lines if line.strip()]
    elif len(lines) == len(manual.ids):
        return tuple(line for _, line in lines)
    else:
        expected = "expected one for each title, or the output of `ilpsum compress -o tsv`"
        raise InputError(f"{len(lines)} lines for {len(manual.ids)} titles; {expected}", path)
    texts = dict(pairs)
    if missing := [name for name in manual.ids if name not in texts]:
        raise InputError(
            f"no compression of {len(missing)} titles, the first {missing[0]}; expected one each",
            path,
        )
    return tuple(texts[name] for name in manual.ids)


def compression_row(
    name: str,
    pairs: Sequence[tuple[str, str]],
    score: float,
    counted: Sequence[tuple[str, str]] | None = None,
) -> CompressionRow:
    """Return the row of compressions, pairs of a title and its compression.

    Args:
        name: name of the row.
        pairs: all titles.
        score: their BLEU.
        counted: the titles that the spreads average; by default all.
    """
    own = pairs if counted is None else counted
    return CompressionRow(
        name,
        len(own),
        score,
        spread(len(text) / len(title) for title, text in own),
        spread(len(text.split()) / len(title.split()) for title, text in own),
        spread(len(title) - len(text) for title, text in own),
        spread(len(title.split()) - len(text.split()) for title, text in own),
    )


def spread(values: Iterable[float]) -> Spread:
    """Compute mean and standard deviation."""
    numbers = list(map(float, values))
    return Spread(mean(numbers), pstdev(numbers)) if numbers else Spread(float("nan"), float("nan"))


def evaluate_compressions(
    name: str, texts: Sequence[str], manual: ManualCompressions
) -> list[CompressionRow]:
    """Score compressions of titles.

    Returns:
        A row for all titles; one for those that changed, with BLEU over these; one for the titles
            as they are; and one
        for each pair of annotators, the first scored against the second over the titles that both
            compressed.
    """
    titles, references = manual.titles, manual.references
    pairs = list(zip(titles, texts, strict=True))
    rows = [compression_row(name, pairs, bleu(texts, references))]
    changed = [place for place, (title, text) in enumerate(pairs) if title != text]
    score = float("nan")
    if changed:
        score = bleu([texts[place] for place in changed], [references[place] for place in changed])
    rows.append(compression_row(f"{name}, changed", [pairs[place] for place in changed], score))
    rows.append(
        compression_row(
            "untrimmed", list(zip(titles, titles, strict=True)), bleu(titles, references)
        )
    )
    return rows + between_annotators(manual)


def between_annotators(manual: ManualCompressions) -> list[CompressionRow]:
    """Return a row for each annotator, scored against each of the others; a single annotator has no score (nan)."""
    rows = []
    named = list(zip(manual.annotators, manual.compressions, strict=True))
    for name, own in named:
        for other, theirs in named:
            if (name == other) != (len(named) == 1):
                continue
            both = [
                (title, a, b)
                for title, a, b in zip(manual.titles, own, theirs, strict=True)
                if a is not None and b is not None
            ]
            if not both:
                continue
            score = (
                bleu([a for _, a, _ in both], [[b] for _, _, b in both])
                if name != other
                else float("nan")
            )
            label = f"{name} against {other}" if name != other else name
            rows.append(compression_row(label, [(title, a) for title, a, _ in both], score))
    return rows


def bleu(texts: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Return the BLEU of a corpus (Papineni et al. 2002), from 0 to 1, as sacreBLEU computes it by
    default.

    N-grams of 1 to 4 tokens of mteval-v13a, smoothed exponentially.

    Args:
        texts: the texts.
        references: at least one reference for each text.

    Raises:
        UsageError: sacreBLEU is not installed.
        ValueError: the lengths differ, or a text has no reference.
    """
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise UsageError("BLEU needs the package sacrebleu: pip install sacrebleu") from None
    for text, own in zip(texts, references, strict=True):
        if not own:
            raise ValueError(
                f"expected at least one reference for each text, got none for {text!r}"
            )
    most = max(map(len, references))
    # A reference given again changes nothing.
    by_number = [[own[min(k, len(own) - 1)] for own in references] for k in range(most)]
    return float(BLEU().corpus_score(list(texts), by_number).score) / 100


def bleu_signature(references: Sequence[Sequence[str]]) -> Signature:
    """Return the signature of BLEU for these references."""
    numbers = sorted({len(own) for own in references})
    shown = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
    fields = {
        "references": shown,
        "case": "mixed",
        "tokens": "13a",
        "smooth": "exp",
        "version": __version__,
    }
    return Signature("BLEU", fields)


def _of_table(line: str, path: str | Path, number: int) -> tuple[str, str]:
    name, separator, rest = line.partition("\t")
    if not separator:
        raise InputError("no tab; expected the output of `ilpsum compress -o tsv`", path, number)
    return name, rest.split("\t")[0]


def _of_json(line: str, path: str | Path, number: int) -> tuple[str, str]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        expected = "expected the output of `ilpsum compress -o jsonl`"
        raise InputError(f"not JSON ({reason(error)}); {expected}", path, number) from None
    name, text = (record.get(key) if isinstance(record, dict) else None for key in _RUN_COLUMNS)
    if not isinstance(name, str) or not isinstance(text, str):
        raise InputError(
            "no id and text; expected the output of `ilpsum compress -o jsonl`", path, number
        )
    return name, text
