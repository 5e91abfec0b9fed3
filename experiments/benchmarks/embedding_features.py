"""Time features 2.1-2.4 against textbook loops, and the loading of the included word vectors.

    python experiments/benchmarks/embedding_features.py [--data ../shared/data] [--sentences 100]

Uses questions of BioASQ 3 with consecutive sentences of the snippets, and prints the median processor time of 20
questions after a warm-up. The loops compute only feature 2.3, over the same tokens. Loading is the median of five, next
to reading the same bytes.
"""

import argparse
import math
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from features.embeddings import Embeddings, all_similarities
from features.text import Passage
from ilpsum import resources
from ilpsum.formats import bioasq
from ilpsum.formats.papers.layout import sentences
from ilpsum.learning import embeddings


def loops(loaded: Embeddings, query: Passage, passages: list[Passage]) -> list[float]:
    """Compute the average of feature 2.3 as defined in the paper."""
    words = {word for passage in (query, *passages) for word in passage.words if word in loaded}
    vectors = {word: loaded.vectors[loaded.index[word]].astype(float).tolist() for word in words}
    averages = []
    for passage in passages:
        pairs = [
            1.0 / (1.0 + math.dist(vectors[a], vectors[b]))
            for a in query.words
            if a in vectors
            for b in passage.words
            if b in vectors
        ]
        averages.append(sum(pairs) / len(pairs) if pairs else 0.0)
    return averages


def seconds(work: Callable[..., object], *arguments: object) -> float:
    begin = time.process_time()
    work(*arguments)
    return time.process_time() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    parser.add_argument("--sentences", type=int, default=100)
    options = parser.parse_args()
    loading = [seconds(embeddings.load, resources.embeddings()) for _ in range(5)]
    reading = [seconds(resources.embeddings().read_bytes) for _ in range(5)]
    loaded = embeddings.default()
    queries, texts = [], []
    for path in sorted((Path(options.data) / "bioasq").glob("3B*_golden.json.gz")):
        for topic in bioasq.read(path):
            queries.append(Passage(topic.query))
            texts += [s.text for document in topic.documents for s in sentences(document)]
    vectorised, looped, tokens = [], [], []
    for i, query in enumerate(queries[:21]):
        passages = [Passage(text) for text in texts[i * options.sentences : (i + 1) * options.sentences]]
        tokens.append(sum(len(passage.words) for passage in passages))
        vectorised.append(seconds(all_similarities, loaded, query, passages))
        looped.append(seconds(loops, loaded, query, passages))
    fast, slow = statistics.median(vectorised[1:]), statistics.median(looped[1:])
    print(f"{options.sentences} sentences, {statistics.median(tokens[1:]):.0f} words in them (median)")
    print(f"features 2.1-2.4: {1000 * fast:.1f} ms; the loops of 2.3 alone take {slow / fast:.0f} times as long")
    print(f"loading the default vectors: {1000 * statistics.median(loading):.0f} ms", end="; ")
    print(f"reading its bytes: {1000 * statistics.median(reading):.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
