"""The constituency parser: tokens in, Penn Treebank trees out.

A word's input is its row in the vector table and hashed features of its spelling. The model file
stores the weights as 8-bit integers, with a scale for each row or column.
"""

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct, convert
from numpy.typing import NDArray

from ilpsum.compression.network import Batch, Floats, Ints, Scores, score, span_scores
from ilpsum.compression.trees import Tree
from ilpsum.files.persistence import REINSTALL, fitted, load, model_errors, unpack
from ilpsum.resources import models

# The chart of `best_splits` grows quadratically with length, and longer texts are not sentences.
LONGEST = 300
BATCH_WORDS = 800

FEATURES = 14
_DIGITS = re.compile(r"\d")
_SHAPES = ((re.compile(r"[A-Z]"), "X"), (re.compile(r"[a-z]"), "x"), (re.compile(r"\d"), "0"))


def normalise(word: str) -> str:
    """Lower-case a word and replace digits by 0, for look-up."""
    return _DIGITS.sub("0", word.lower())


class WordTable:
    """Normalised words with vectors, from row 1 (row 0: all other words), and `buckets` rows of
    hashed features.
    """

    def __init__(self, words: tuple[str, ...], buckets: int) -> None:
        self.words = words
        self.buckets = buckets
        self._rows = {word: row for row, word in enumerate(words, start=1)}
        self._features = lru_cache(maxsize=100_000)(self._hashed)

    def rows(self, words: Sequence[str]) -> Ints:
        """Return the rows of words, given as printed, shape (words,)."""
        return np.array([self._rows.get(normalise(word), 0) for word in words], dtype=np.int64)

    def features(self, words: Sequence[str]) -> Ints:
        """Return hashed affixes and shapes, shape (words, FEATURES), values below `buckets`."""
        hashed = [self._features(word) for word in words]
        return np.array(hashed, dtype=np.int64).reshape(-1, FEATURES)

    def _hashed(self, word: str) -> tuple[int, ...]:
        encoded = (feature.encode("utf-8", "surrogatepass") for feature in spelling(word))
        return tuple(zlib.crc32(feature) % self.buckets for feature in encoded)


def spelling(word: str) -> tuple[str, ...]:
    """Return spelling features of a word: affixes, shape, and the parts of a hyphenated word."""
    lower = normalise(word)
    shape = word
    for pattern, sign in _SHAPES:
        shape = pattern.sub(sign, shape)
    short = re.sub(r"(.)\1+", r"\1", shape)
    first, last = lower.partition("-")[0], lower.rpartition("-")[2]
    return (
        *(f"p{n}={lower[:n]}" for n in (1, 2, 3, 4)),
        *(f"s{n}={lower[-n:]}" for n in (1, 2, 3, 4, 5)),
        f"shape={short}",
        f"start={shape[:2]} {min(len(word), 12)}",
        f"first={first}",
        f"last={last}",
        f"end={last[-3:]} {'-' in lower}",
    )


@dataclass(frozen=True, slots=True)
class Parser:
    """A trained parser.

    Attributes:
        weights: weights for `network.score`.
        labels: span labels, unary chains joined by `+`; the first is empty, for spans that are not
            phrases.
    """

    weights: Mapping[str, Floats]
    lexicon: WordTable
    labels: tuple[str, ...]
    tags: tuple[str, ...]

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Tree | None]:
        """Return a tree `(S1 (S ...))` for each sentence; None for an empty one or one over 300
        words.

        Words are in treebank notation (`-LRB-` for a parenthesis).
        """
        trees: list[Tree | None] = [None] * len(sentences)
        for index, scores, column in self._scored(sentences):
            trees[index] = self._tree(sentences[index], scores, column)
        return trees

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return parts of speech, much faster than parsing; none for an empty sentence or one over
        300 words.
        """
        tags: list[list[str]] = [[] for _ in sentences]
        for index, scores, column in self._scored(sentences):
            tags[index] = self._tags(len(sentences[index]), scores, column)
        return tags

    def _scored(self, sentences: Sequence[Sequence[str]]) -> Iterator[tuple[int, Scores, int]]:
        """Yield the index of each sentence, with the scores of its batch and its column in the
        batch.
        """
        fit = (index for index, words in enumerate(sentences) if 0 < len(words) <= LONGEST)
        pending = sorted(fit, key=lambda index: len(sentences[index]))
        while pending:
            size = max(1, BATCH_WORDS // len(sentences[pending[-1]]))
            group, pending = pending[-size:], pending[:-size]
            scores = score(self.weights, self._batch([sentences[index] for index in group]))
            for column, index in enumerate(group):
                yield index, scores, column

    def _tags(self, length: int, scores: Scores, column: int) -> list[str]:
        return [self.tags[index] for index in scores.tags[:length, column].argmax(axis=1)]

    def _batch(self, sentences: Sequence[Sequence[str]]) -> Batch:
        lengths = np.array([len(words) for words in sentences])
        words = np.zeros((int(lengths.max()), len(sentences)), dtype=np.int64)
        spellings = np.zeros((*words.shape, FEATURES), dtype=np.int64)
        for column, sentence in enumerate(sentences):
            words[: len(sentence), column] = self.lexicon.rows(sentence)
            spellings[: len(sentence), column] = self.lexicon.features(sentence)
        return Batch(words, spellings, lengths)

    def _tree(self, words: Sequence[str], scores: Scores, column: int) -> Tree:
        """Build the best tree of a sentence from the scores of its column in a batch."""
        n = len(words)
        tags = self._tags(n, scores, column)
        leaves = [Tree(tag, [word]) for tag, word in zip(tags, words, strict=True)]
        starts, last = np.triu_indices(n)
        ends = last + 1
        by_label = span_scores(self.weights, scores, column, starts, ends)
        phrases = by_label[:, 1:]
        best = phrases.argmax(axis=1)
        values = np.zeros((n + 1, n + 1), dtype=np.float32)
        gain = phrases[np.arange(len(best)), best] - by_label[:, 0]
        values[starts, ends] = np.maximum(gain, 0)
        labels = np.zeros((n + 1, n + 1), dtype=np.int64)
        labels[starts, ends] = np.where(gain > 0, best + 1, 0)
        labels[0, n] = best[n - 1] + 1
        splits = best_splits(values)

        def parts(start: int, end: int) -> list[Tree]:
            """Build a span of the binary tree; a span without a label passes its children up."""
            children = [leaves[start]]
            if end > start + 1:
                middle = int(splits[start, end])
                children = parts(start, middle) + parts(middle, end)
            for label in reversed(self.labels[labels[start, end]].split("+")):
                children = [Tree(label, children)] if label else children
            return children

        return Tree("S1", [Tree("S", parts(0, n))])


def best_splits(values: Floats) -> Ints:
    """Return the binary tree with the largest sum of values, by CKY.

    A span that is not a phrase has value 0, so a phrase with many children is a binary tree with
    such spans inside. Ties go to the leftmost split.

    Args:
        values: shape (n + 1, n + 1); [i, j] is the value of the span from i to j (exclusive).

    Returns:
        Shape (n + 1, n + 1); [i, j] is where the best tree splits the span from i to j, if it is
            longer than one word.
    """
    n = len(values) - 1
    # Sums by start and length, and by end and length, so that each diagonal is one vector
    # operation.
    from_start, from_end = np.zeros((2, n + 1, n + 1), dtype=np.float32)
    splits = np.zeros((n + 1, n + 1), dtype=np.int64)
    for length in range(1, n + 1):
        starts = np.arange(n - length + 1)
        total = values[starts, starts + length].astype(np.float32)
        if length > 1:
            halves = from_start[: n - length + 1, 1:length] + from_end[length:, length - 1 : 0 : -1]
            split = halves.argmax(axis=1)
            total += halves[starts, split]
            splits[starts, starts + length] = starts + 1 + split
        from_start[starts, length] = total
        from_end[starts + length, length] = total
    return splits


KIND, PROTOCOL = "parser", 1
# Tables are scaled by row, because rows are looked up; matrices by column, one scale per unit.
TABLES = frozenset({"words", "spellings"})
# Shapes of the weights (`network.score`); "1" and "2" are the layers.
SCHEMA = {
    "words": "f rows word",
    "spellings": "f buckets spelling",
    "W1": "f 2 input gates1",
    "U1": "f 2 width1 gates1",
    "b1": "f 2 gates1",
    "W2": "f 2 both1 gates2",
    "U2": "f 2 width2 gates2",
    "b2": "f 2 gates2",
    "right": "f both2 hidden",
    "left": "f both2 hidden",
    "hidden_bias": "f hidden",
    "label": "f hidden labels",
    "label_bias": "f labels",
    "tag": "f both2 tags",
    "tag_bias": "f tags",
}


class ParserDescription(Struct):
    """Description fields specific to parsers."""

    labels: Annotated[tuple[str, ...], Meta(min_length=2)]
    tags: Annotated[tuple[str, ...], Meta(min_length=1)]
    buckets: Annotated[int, Meta(ge=1, le=2**24)]


@cache
def load_parser(path: str | Path | None = None) -> Parser:
    """Read a parser, by default ours; `ModelError` if it is missing, damaged, of another kind or
    another version.

    Each file is read once per process.
    """
    place = models() / "parser.npz" if path is None else path
    stored = load(place, KIND, PROTOCOL, REINSTALL)
    with model_errors(place, REINSTALL):
        description = convert(stored.description, ParserDescription)
        fitted(stored.arrays, {"vocabulary": "t bytes"})
        lexicon = WordTable(unpack(stored.arrays["vocabulary"]), description.buckets)
        weights = {name: restore(stored.arrays, name) for name in SCHEMA}
        sizes = {"rows": len(lexicon.words) + 1, "buckets": lexicon.buckets}
        sizes |= {"labels": len(description.labels), "tags": len(description.tags)}
        for layer in ("1", "2"):
            width = fitted(weights, {f"U{layer}": "f 2 width gates"})["width"]
            sizes |= {f"width{layer}": width, f"gates{layer}": 4 * width, f"both{layer}": 2 * width}
        inputs = fitted(weights, {name: SCHEMA[name] for name in TABLES}, **sizes)
        fitted(weights, SCHEMA, **sizes, input=inputs["word"] + inputs["spelling"])
        return Parser(weights, lexicon, description.labels, description.tags)


def restore(arrays: Mapping[str, NDArray[Any]], name: str) -> Floats:
    """Return an array in single precision, dequantised if needed; `ValueError` if its scale has
    another shape.
    """
    values = arrays[name].astype(np.float32)
    scale = arrays.get(name + "_scale", np.ones(()))
    if np.broadcast_shapes(values.shape, scale.shape) != values.shape:
        raise ValueError(f"the scale of the array {name!r} has another shape")
    with np.errstate(over="ignore", invalid="ignore"):  # excessive numbers are rejected afterwards
        return values * scale.astype(np.float32)
