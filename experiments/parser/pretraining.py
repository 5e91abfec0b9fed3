"""Word vectors from plain text, for words that the treebank does not contain."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ilpsum.compression.parser import normalise
from ilpsum.compression.tokens import tokenize

_INITIAL = re.compile(r"[A-Za-z]\.")


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Vectors of the most frequent words of a collection.

    Attributes:
        words: normalised words, most frequent first.
        vectors: float32 of shape (words, dimension), unit variance on average.
    """

    words: tuple[str, ...]
    vectors: NDArray[np.float32]


class _Sentences:
    """An iterable that tokenises in each pass, so that the collection need not fit into memory."""

    def __init__(self, texts: Callable[[], Iterable[str]]) -> None:
        self.texts = texts

    def __iter__(self) -> Iterator[list[str]]:
        for text in self.texts():
            # An initial counts as its letter: the "E." of "E. coli" is not a word of its own.
            parts = (
                list(token.text) if _INITIAL.fullmatch(token.text) else [token.text]
                for token in tokenize(text)
            )
            yield [normalise(word) for part in parts for word in part]


def pretrain(
    texts: Callable[[], Iterable[str]], dimension: int, words: int, seed: int
) -> WordVectors:
    """Train skip-gram vectors (Mikolov et al. 2013) with a narrow window, which groups words by
    their syntax.

    Args:
        texts: returns the paragraphs of the collection, from the beginning on each call.
        dimension: length of a vector.
        words: number of words to keep, most frequent first.
        seed: random seed; training uses one worker, so the same seed gives the same vectors.
    """
    from gensim.models import Word2Vec

    model = Word2Vec(
        _Sentences(texts), vector_size=dimension, window=2, sg=1, negative=5, min_count=10, epochs=3,
        max_final_vocab=words, workers=1, seed=seed, hashfxn=lambda text: sum(text.encode()),
    )  # fmt: skip
    vectors = np.asarray(model.wv.vectors, dtype=np.float32)
    return WordVectors(tuple(model.wv.index_to_key), (vectors / vectors.std()).astype(np.float32))
