"""Trains word vectors and IDF on texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ilpsum.errors import UsageError
from ilpsum.files.atomic import write_errors
from ilpsum.files.progress import Progress, no_progress
from ilpsum.learning import embedding_training as training
from ilpsum.learning import embeddings


@dataclass(frozen=True, slots=True)
class Embedded:
    """Size of a vector file: its words, and the documents and tokens over which its IDF was computed."""

    words: int
    documents: int
    tokens: int


def embed(
    texts: Sequence[str | Path],
    out: str | Path,
    *,
    vectors: str | Path | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Embedded:
    """Train word vectors, count IDF, and write both to an .npz file.

    Args:
        texts: text files with one document per line; PubMed XML, MEDLINE, JSON lines.
        out: the output file.
        vectors: existing vectors to add IDF to, instead of training.
        progress: wraps each iteration; gets a description.
        options: fields of `EmbeddingOptions`, such as `dimensions`.

    Raises:
        InputError: a file cannot be read.
        UsageError: the texts contain no words.
    """
    read, chosen = training.Texts(texts), training.EmbeddingOptions(**options)
    counts = training.count(progress(read, "documents counted"))
    if not counts.documents:
        raise UsageError("no words in the texts")
    with write_errors(Path(out)):
        if vectors:
            words, table = embeddings.read_vectors(vectors)
            source = {"vectors": Path(vectors).name}
        else:
            words, table = training.train(read, chosen, progress)
            source = training.metadata(chosen, counts, texts)
        embeddings.save(Path(out), words, table, counts, source)
    return Embedded(len(words), counts.documents, counts.tokens)
