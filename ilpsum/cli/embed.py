"""`ilpsum embed`: train word vectors and compute IDF on texts."""

import argparse
import sys
from functools import partial
from pathlib import Path

from ilpsum.cli.options import add_common, add_value, positive, whole_from
from ilpsum.cli.terminal import progress
from ilpsum.errors import UsageError, counted
from ilpsum.files.atomic import require_place

# Options of training: the default and what it is.
_TRAINING = {
    "dimensions": (200, "dimensions of a vector"),
    "window": (5, "context words on each side"),
    "min_count": (5, "minimum frequency of a word"),
    "max_words": (None, "vectors for the N most frequent words only"),
    "epochs": (5, "passes over the texts"),
    "workers": (1, "threads; with more than 1, results vary between runs"),
    "seed": (1, "random seed"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add = partial(add_value, parser)
    add(
        "text",
        "TEXT",
        "texts, one document per line; PubMed XML, MEDLINE, JSON lines; .gz",
        nargs="+",
    )
    add("--out", "VECTORS", "file to write, ending in .npz", required=True)
    add("--vectors", "FILE", "compute IDF for existing vectors instead of training")
    for name, (default, what) in _TRAINING.items():
        text = what if default is None else f"{what} (default: {default})"
        kind = whole_from(0) if name == "seed" else positive
        add(
            f"--{name.replace('_', '-')}",
            "N",
            text,
            type=kind,
            default=default,
        )
    add_common(parser, "--force", "--quiet")


def run(options: argparse.Namespace) -> int:
    """Train vectors, compute IDF, and save both."""
    from ilpsum.api.training import embed

    out = Path(options.out)
    if out.suffix != ".npz":
        raise UsageError(f"--out {out}: expected a name that ends in .npz")
    require_place(out, force=options.force)
    of_training = {name: getattr(options, name) for name in _TRAINING}
    bar = partial(progress, quiet=options.quiet)
    made = embed(
        options.text,
        out,
        vectors=options.vectors,
        progress=bar,
        **of_training,
    )
    over = f"IDF over {counted(made.documents, 'document')} of {counted(made.tokens, 'word')}"
    print(f"{counted(made.words, 'word')}, {over}: {out}", file=sys.stderr)
    return 0
