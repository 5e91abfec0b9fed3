"""Scores of compressions and of judgments on them, for `ilpsum evaluate`."""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ilpsum.cli.scoring import rounded
from ilpsum.errors import InputError, UsageError
from ilpsum.evaluation.compressions import (
    CompressionRow,
    evaluate_compressions,
    is_manual,
    read_compressions,
    read_manual,
)
from ilpsum.evaluation.judgments import Agreement, agreements, is_judgments, read_judgments
from ilpsum.metrics.bleu import bleu_signature

Cells = Mapping[str, str | int | float]


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
        rows = [_of_agreement(row) for row in agreements(read_judgments(path))]
        if not rows:
            expected = "expected answers on short and full titles"
            raise InputError(f"no title is judged in both rounds; {expected}", path)
        return _lines(rows, [], options)
    manual = read_manual(options.gold[0])
    texts = read_compressions(path, manual)
    rows = [_of_row(row) for row in evaluate_compressions(path.name, texts, manual)]
    signature = str(bleu_signature(manual.references))
    return _lines(rows, [signature], options)


def _of_row(row: CompressionRow) -> Cells:
    spreads = {
        "characters": row.characters,
        "words": row.words,
        "characters-cut": row.characters_cut,
        "words-cut": row.words_cut,
    }
    means = {f"{name}{end}": n for name, s in spreads.items() for end, n in (("", s.mean), ("-sd", s.deviation))}
    return {"compressions": row.name, "titles": row.titles, "BLEU": row.bleu, **means}


def _of_agreement(row: Agreement) -> Cells:
    counts = {"titles": row.titles, "flips": row.flips, "no-to-yes": row.lost, "yes-to-no": row.false}
    shares = {"precision": row.precision, "recall": row.recall, "f1": row.f1}
    return {"variant": row.variant, "judge": row.judge, **counts, **shares}


def _lines(rows: Sequence[Cells], signatures: Sequence[str], options: argparse.Namespace) -> Iterator[str]:
    """Yield the rows in the output format; a score that is undefined is `nan`, in JSON null."""
    if options.output == "jsonl":
        for row in rows:
            yield json.dumps({name: rounded(value) for name, value in row.items()}, ensure_ascii=False)
        return
    for signature in signatures:
        yield f"# {signature}"
    if options.header and rows:
        yield "\t".join(rows[0])
    for row in rows:
        yield "\t".join(f"{value:.6f}" if isinstance(value, float) else str(value) for value in row.values())
