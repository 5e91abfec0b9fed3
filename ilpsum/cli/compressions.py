"""Scores of compressions and of judgments on them, for `ilpsum evaluate`."""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path

from ilpsum.cli.scoring import rounded
from ilpsum.errors import InputError, UsageError
from ilpsum.evaluation.compressions import (
    CompressionRow,
    Spread,
    evaluate_compressions,
    is_manual,
    read_compressions,
    read_manual,
)
from ilpsum.evaluation.judgments import Agreement, agreements, is_judgments, read_judgments
from ilpsum.metrics.bleu import bleu_signature

# Columns that are not named like the field.
_NAMES = {"name": "compressions", "bleu": "BLEU", "lost": "no-to-yes", "false": "yes-to-no"}


def scores(options: argparse.Namespace) -> Iterator[str] | None:
    """Yield the lines of `evaluate` if the run has compressions or judgments; None if it is another run.

    Raises:
        UsageError: gold or options that these scores do not take, or missing gold.
        InputError: a file cannot be read, or has no title judged twice.
    """
    path = Path(options.run_paths[0])
    judged = is_judgments(path)
    if not judged and not (options.gold and is_manual(Path(options.gold[0]))):
        if not options.gold:
            raise UsageError("GOLD is missing; only judgments (columns judge, id, round, answer) are scored without")
        return None
    if judged and options.gold:
        raise UsageError("judgments are scored without GOLD: the answers on full titles are the truth")
    if len(options.gold) > 1:
        raise UsageError(f"expected one file of manual compressions, got {len(options.gold)}")
    if options.metrics:
        raise UsageError("--metrics is for summaries and links; compressions and judgments have fixed scores")
    if judged:
        if not (agreed := agreements(read_judgments(path))):
            raise InputError("no title is judged in both rounds; expected answers on short and full titles", path)
        return _lines(agreed, [], options)
    manual = read_manual(options.gold[0])
    rows = evaluate_compressions(path.name, read_compressions(path, manual), manual)
    return _lines(rows, [str(bleu_signature(manual.references))], options)


def _lines(
    rows: Sequence[CompressionRow | Agreement], signatures: Sequence[str], options: argparse.Namespace
) -> Iterator[str]:
    """Yield the rows in the output format; an undefined score is `nan`, in JSON null."""
    table = list(map(_cells, rows))
    if options.output == "jsonl":
        for row in table:
            yield json.dumps({name: rounded(value) for name, value in row.items()}, ensure_ascii=False)
        return
    yield from (f"# {signature}" for signature in signatures)
    if options.header and table:
        yield "\t".join(table[0])
    for row in table:
        yield "\t".join(f"{value:.6f}" if isinstance(value, float) else str(value) for value in row.values())


def _cells(row: CompressionRow | Agreement) -> dict[str, str | int | float]:
    """Return the columns of a row; a spread has two."""
    cells: dict[str, str | int | float] = {}
    for each in fields(row):
        name, value = _NAMES.get(each.name, each.name.replace("_", "-")), getattr(row, each.name)
        cells |= {name: value.mean, f"{name}-sd": value.deviation} if isinstance(value, Spread) else {name: value}
    return cells
