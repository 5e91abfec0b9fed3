"""Train the parser included in ilpsum, on the GENIA Treebank and plain biomedical text.

    python -m experiments.parser.train --data ../shared/data --out ilpsum/data/models/parser.npz

The development articles (dev.pmids) are left out of training. --held-out N also leaves out every
Nth training article and scores it during training; the settings were chosen that way. Word vectors
are trained first and kept in --vectors for the next run. One core is enough (set
OPENBLAS_NUM_THREADS=1).
"""

import argparse
import dataclasses
import gzip
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from experiments.parser.brackets import bracket_score
from experiments.parser.genia import TreebankSentence, read_pmids, read_treebank
from experiments.parser.pretraining import WordVectors, pretrain
from experiments.parser.saving import save_parser
from experiments.parser.training import (
    Settings,
    bare,
    encode,
    given_vectors,
    label_set,
    tag_set,
    train,
    vocabulary,
    without_stop,
)
from ilpsum.compression.network import Floats
from ilpsum.compression.parser import Parser, WordTable, load_parser

TREEBANK = "genia/GENIA_treebank_v1.tar.gz"
DEVELOPMENT = "genia/dev.pmids"
ABSTRACTS = ("bioasq/abstracts.jsonl.gz", "pubmed-text/other_abstracts.jsonl.gz")
ARTICLES = ("pubmed-text/evidence_inference_fulltext.txt.gz",)


def paragraphs(data: Path, sentences: list[TreebankSentence]) -> Iterator[str]:
    """Yield the plain text that word vectors are trained on."""
    yield from (sentence.text for sentence in sentences)
    for name in ABSTRACTS:
        with gzip.open(data / name, "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                yield record["title"]
                yield record["abstract"]
    for name in ARTICLES:
        with gzip.open(data / name, "rt", encoding="utf-8") as lines:
            yield from lines


def word_vectors(
    path: Path, data: Path, sentences: list[TreebankSentence], settings: Settings, words: int
) -> WordVectors:
    """Load word vectors from `path`, or train them and save them there."""
    if not path.exists():
        vectors = pretrain(
            lambda: paragraphs(data, sentences), settings.word_width, words, settings.seed
        )
        np.savez(path, words=np.array(vectors.words), vectors=vectors.vectors)
    with np.load(path) as stored:
        return WordVectors(tuple(stored["words"].tolist()), stored["vectors"])


def parse_all(
    parser: Parser, sentences: list[TreebankSentence]
) -> Iterator[tuple[TreebankSentence, object]]:
    ordered = sorted(sentences, key=lambda sentence: len(sentence.text))
    for start in range(0, len(ordered), 32):
        group = ordered[start : start + 32]
        trees = parser.parse([sentence.tree.leaves() for sentence in group])
        yield from zip(group, trees, strict=True)


def scores(parser: Parser, sentences: list[TreebankSentence]) -> str:
    """Describe in one line F1 of titles and abstract sentences, with and without the outer S, and accuracy of tags."""
    pairs = [
        (sentence.title, sentence.tree, tree) for sentence, tree in parse_all(parser, sentences)
    ]
    parts = []
    for name, title in (("titles", True), ("abstracts", False)):
        trees = [(gold, predicted) for is_title, gold, predicted in pairs if is_title == title]
        full, inner = bracket_score(trees), bracket_score(trees, wrapper=False)
        parts.append(
            f"{name} F1 {full.f1:.4f} ({inner.f1:.4f} without the outer S) tags {full.tags:.4f}"
        )
    return "; ".join(parts)


def parsed() -> argparse.Namespace:
    """Parse the command line; each of `Settings` is an option."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    )
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--vectors", type=Path, default=Path("parser-vectors.npz"))
    options.add_argument("--vocabulary", type=int, default=20000, help="pretrained words")
    options.add_argument("--held-out", type=int, default=0, metavar="N")
    for setting in dataclasses.fields(Settings):
        options.add_argument(
            "--" + setting.name.replace("_", "-"),
            type=type(setting.default),
            default=setting.default,
        )
    return options.parse_args()


def main() -> int:
    arguments = parsed()
    settings = Settings(
        **{f.name: getattr(arguments, f.name) for f in dataclasses.fields(Settings)}
    )
    excluded = read_pmids(arguments.data / DEVELOPMENT)
    treebank = list(read_treebank(arguments.data / TREEBANK))
    sentences = [s for s in treebank if s.pmid not in excluded]
    vectors = word_vectors(
        arguments.vectors, arguments.data, sentences, settings, arguments.vocabulary
    )
    articles = sorted({sentence.pmid for sentence in sentences})
    left_out = set(articles[:: arguments.held_out]) if arguments.held_out else set()
    held_out = [sentence for sentence in sentences if sentence.pmid in left_out]
    training = [sentence for sentence in sentences if sentence.pmid not in left_out]
    trees = [bare(sentence.tree) for sentence in training]
    # Titles occur twice, the second time without their full stop: compression reads titles, and
    # many have none.
    trees += [
        tree for s in training if s.title and (tree := without_stop(bare(s.tree))) is not None
    ]
    labels, tags = label_set(trees, settings.label_count), tag_set(trees)
    lexicon = WordTable(vocabulary(vectors, trees), settings.buckets)
    given = given_vectors(vectors, lexicon.words, settings.word_width)
    examples = [encode(tree, lexicon, labels, tags) for tree in trees]
    started = time.monotonic()
    print(
        f"{len(examples)} sentences, {len(labels)} labels, {len(tags)} tags, {len(lexicon.words)} words",
        flush=True,
    )

    def report(epoch: int, loss: float, weights: dict[str, Floats]) -> None:
        line = f"epoch {epoch}: loss {loss:.4f}, {time.monotonic() - started:.0f} s"
        if held_out and (epoch % 3 == 0 or epoch == settings.epochs):
            line += "; held out: " + scores(Parser(weights, lexicon, labels, tags), held_out)
        print(line, flush=True)

    weights = train(examples, settings, given, (len(labels), len(tags)), report)
    save_parser(
        arguments.out,
        Parser(weights, lexicon, labels, tags),
        metadata(arguments, settings, len(trees)),
    )
    # Development articles are used only here, to score the saved (rounded) weights.
    print(
        "development: "
        + scores(load_parser(arguments.out), [s for s in treebank if s.pmid in excluded])
    )
    return 0


def metadata(arguments: argparse.Namespace, settings: Settings, trees: int) -> dict[str, object]:
    """Describe the training, for the model file."""
    names = (TREEBANK, DEVELOPMENT, *ABSTRACTS, *ARTICLES)
    return {
        "settings": dataclasses.asdict(settings),
        "vocabulary": arguments.vocabulary,
        "held_out": arguments.held_out,
        "trees": trees,
        "sha256": {
            name: hashlib.sha256((arguments.data / name).read_bytes()).hexdigest() for name in names
        },
    }


if __name__ == "__main__":
    sys.exit(main())
