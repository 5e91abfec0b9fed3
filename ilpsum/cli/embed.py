"""`ilpsum embed`: train word vectors and count IDF on texts."""

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ilpsum.cli.options import positive, progress
from ilpsum.cli.pages import require_new
from ilpsum.errors import UsageError
from ilpsum.io.atomic import write_errors

if TYPE_CHECKING:
    from ilpsum.learning import embedding_training as training


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add = parser.add_argument
    add("text", nargs="+", metavar="TEXT", help="texts, a document a line; PubMed XML, MEDLINE, JSON lines; .gz")
    add("--out", required=True, metavar="VECTORS", help="the file to write, VECTORS.npz")
    add("--vectors", metavar="FILE", help="count IDF for existing vectors instead of training")
    add("--dimensions", type=positive, default=200, metavar="N", help="length of a vector (default 200)")
    add("--window", type=positive, default=5, metavar="N", help="words on each side (default 5)")
    add("--min-count", type=positive, default=5, metavar="N", help="rarer words get no vector (default 5)")
    add("--max-words", type=positive, metavar="N", help="keep only the N most frequent words")
    add("--epochs", type=positive, default=5, metavar="N", help="passes over the texts (default 5)")
    add("--workers", type=positive, default=1, metavar="N", help="threads; with more than 1, results vary between runs")
    add("--seed", type=int, default=1, metavar="N", help="random seed (default 1)")
    add("--force", action="store_true", help="replace existing files")
    add("--quiet", action="store_true", help="no progress on stderr")


def run(arguments: argparse.Namespace) -> int:
    """Train vectors, count IDF, and save both."""
    from ilpsum.learning import embedding_training as training

    out = Path(arguments.out)
    if out.suffix != ".npz":
        raise UsageError(f"--out {out}: expected a name that ends in .npz")
    require_new(out, force=arguments.force)
    texts = training.Texts(arguments.text)
    counts = training.count(progress(texts, "documents counted", quiet=arguments.quiet))
    if not counts.documents:
        raise UsageError("no words in the texts")
    with write_errors(out):
        words = _make(arguments, texts, counts, partial(progress, quiet=arguments.quiet))
    print(f"{words} words, IDF over {counts.documents} documents of {counts.tokens} words: {out}", file=sys.stderr)
    return 0


def _make(
    given: argparse.Namespace, texts: "training.Texts", counts: "training.WordCounts", bar: "training.Progress"
) -> int:
    """Train or read vectors, save them with their IDF, and return the number of words."""
    from ilpsum.learning import embedding_training as training
    from ilpsum.learning import embeddings

    sizes = given.dimensions, given.window, given.min_count, given.max_words, given.epochs
    options = training.EmbeddingOptions(*sizes, workers=given.workers, seed=given.seed)
    if given.vectors:
        words, vectors = embeddings.read_vectors(given.vectors)
        source = {"vectors": Path(given.vectors).name}
    else:
        words, vectors = training.train(texts, options, bar)
        source = training.metadata(options, counts, given.text)
    embeddings.save(Path(given.out), words, vectors, counts, source)
    return len(words)
