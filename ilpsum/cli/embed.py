"""`ilpsum embed`: train word vectors and count IDF on texts."""

import argparse
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ilpsum.errors import IlpsumError, UsageError

if TYPE_CHECKING:
    from ilpsum.learning import embedding_training as training


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    parser.description = (
        "Train word2vec vectors on texts (text files, a document per line; PubMed XML; MEDLINE text; JSON Lines; .gz "
        "of these) and count IDF over them. With one worker, the same texts and seed give the same vectors."
    )
    parser.add_argument("text", nargs="+", metavar="TEXT", help="files, streamed once per pass")
    parser.add_argument(
        "--out", required=True, metavar="VECTORS", help="VECTORS.kv (gensim, with VECTORS.idf) or VECTORS.npz (small)"
    )
    parser.add_argument("--vectors", metavar="FILE", help="count IDF for existing vectors instead of training")
    parser.add_argument(
        "--dimensions", type=_positive, default=200, metavar="N", help="length of a vector (default 200)"
    )
    parser.add_argument("--window", type=_positive, default=5, metavar="N", help="words on each side (default 5)")
    parser.add_argument(
        "--min-count", type=_positive, default=5, metavar="N", help="rarer words get no vector (default 5)"
    )
    parser.add_argument("--max-words", type=_positive, metavar="N", help="keep only the N most frequent words")
    parser.add_argument("--epochs", type=_positive, default=5, metavar="N", help="passes over the texts (default 5)")
    parser.add_argument(
        "--workers", type=_positive, default=1, metavar="N", help="threads; with more than 1, results vary between runs"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="random seed (default 1)")
    parser.add_argument("--force", action="store_true", help="replace existing files")
    parser.add_argument("--quiet", action="store_true", help="no progress on stderr")


def run(arguments: argparse.Namespace) -> int:
    """Train vectors, count IDF, and save both."""
    from ilpsum.learning import embedding_training as training

    out = Path(arguments.out)
    if out.suffix not in (".kv", ".npz"):
        raise UsageError(f"--out {out}: expected a name that ends in .kv (gensim's form) or .npz (half precision)")
    if not out.parent.is_dir():
        raise UsageError(f"--out {out}: the folder {out.parent} does not exist")
    targets = [out] if out.suffix == ".npz" else [out, out.with_suffix(".idf")]
    if (existing := [path for path in targets if path.exists()]) and not arguments.force:
        raise UsageError(f"--out {out}: {existing[0]} exists; choose another name, or replace it with --force")
    texts = training.Texts(arguments.text)
    bar = partial(_bar, quiet=arguments.quiet)
    counts = training.count(bar(texts, "counting"))
    if not counts.documents:
        raise UsageError("no words in the texts")
    try:
        words = _make(arguments, out, texts, counts, bar)
    except OSError as error:
        raise IlpsumError(f"{error.filename or out}: cannot be written ({error.strerror or error})") from None
    print(f"{words} words, IDF over {counts.documents} documents of {counts.tokens} words: {out}", file=sys.stderr)
    return 0


def _make(
    arguments: argparse.Namespace,
    out: Path,
    texts: "training.Texts",
    counts: "training.WordCounts",
    bar: "training.Progress",
) -> int:
    """Train or read vectors, save them with their IDF, and return the number of words."""
    from ilpsum.learning import embedding_training as training
    from ilpsum.learning import embeddings

    options = training.EmbeddingOptions(
        arguments.dimensions,
        arguments.window,
        arguments.min_count,
        arguments.max_words,
        arguments.epochs,
        workers=arguments.workers,
        seed=arguments.seed,
    )
    if arguments.vectors:
        words, vectors = embeddings.read_vectors(arguments.vectors)
        source = {"vectors": Path(arguments.vectors).name}
    else:
        trained = training.train(texts, options, bar)
        words, vectors = trained.words, trained.vectors
        source = training.metadata(options, counts, arguments.text)
    if out.suffix == ".npz":
        embeddings.save(out, words, vectors, counts, source)
    else:
        embeddings.save_kv(out, words, vectors)
        embeddings.write_idf(out.with_suffix(".idf"), counts)
    return len(words)


def _bar(texts: Iterable[tuple[str, ...]], what: str, *, quiet: bool) -> Iterable[tuple[str, ...]]:
    from tqdm import tqdm

    bar: Iterable[tuple[str, ...]] = tqdm(texts, desc=what, unit=" documents", disable=quiet, file=sys.stderr)
    return bar


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text}")
    return number
