"""`ilpsum embed`: train word vectors and compute IDF on texts."""

import argparse
import sys
from functools import partial
from pathlib import Path

from ilpsum.cli.options import positive
from ilpsum.cli.terminal import progress
from ilpsum.errors import UsageError, counted
from ilpsum.files.atomic import require_new

_OPTIONS = ("dimensions", "window", "min_count", "max_words", "epochs", "workers", "seed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add = parser.add_argument
    add("text", nargs="+", metavar="TEXT", help="texts, one document per line; PubMed XML, MEDLINE, JSON lines; .gz")
    add("--out", required=True, metavar="VECTORS", help="file to write, ending in .npz")
    add("--vectors", metavar="FILE", help="compute IDF for existing vectors instead of training")
    add("--dimensions", type=positive, default=200, metavar="N", help="dimensions of a vector (default 200)")
    add("--window", type=positive, default=5, metavar="N", help="context words on each side (default 5)")
    add("--min-count", type=positive, default=5, metavar="N", help="minimum frequency of a word (default 5)")
    add("--max-words", type=positive, metavar="N", help="vectors for the N most frequent words only")
    add("--epochs", type=positive, default=5, metavar="N", help="passes over the texts (default 5)")
    add("--workers", type=positive, default=1, metavar="N", help="threads; with more than 1, results vary between runs")
    add("--seed", type=int, default=1, metavar="N", help="random seed (default 1)")
    add("--force", action="store_true", help="replace existing files")
    add("--quiet", action="store_true", help="no progress on stderr")


def run(arguments: argparse.Namespace) -> int:
    """Train vectors, compute IDF, and save both."""
    from ilpsum.api.training import embed

    out = Path(arguments.out)
    if out.suffix != ".npz":
        raise UsageError(f"--out {out}: expected a name that ends in .npz")
    require_new(out, force=arguments.force)
    of_training = {name: getattr(arguments, name) for name in _OPTIONS}
    bar = partial(progress, quiet=arguments.quiet)
    made = embed(arguments.text, out, vectors=arguments.vectors, progress=bar, **of_training)
    over = f"IDF over {counted(made.documents, 'document')} of {counted(made.tokens, 'word')}"
    print(f"{counted(made.words, 'word')}, {over}: {out}", file=sys.stderr)
    return 0
