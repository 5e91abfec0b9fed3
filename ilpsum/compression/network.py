"""The network that scores spans and tags: a two-layer bidirectional LSTM over words, in numpy.

Spans are scored from the states at their two ends, as in Stern, Andreas and Klein (2017), each span
independently, as in Teng and Zhang (2018); parts of speech are a second output of the same states.
All arrays are float32. T is the length of the longest sentence in a batch, B the number of
sentences, H the width of one direction.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Batch:
    """Sentences side by side, padded at the end.

    Attributes:
        words: rows of the word table, shape (T, B).
        spellings: rows of the hashed feature table, shape (T, B, features).
        lengths: number of words in each sentence, shape (B,).
    """

    words: Ints
    spellings: Ints
    lengths: Ints

    def backwards(self) -> tuple[Ints, Ints]:
        """Return the index that reverses each sentence within its length (its own inverse), for
        axes (T, B).
        """
        steps = np.arange(len(self.words))[:, None]
        last = self.lengths - 1
        reverse = np.where(steps <= last, last - steps, steps)
        return reverse, np.arange(len(last))


def lstm(
    inputs: Floats,
    weights: Floats,
    recurrent: Floats,
    bias: Floats,
) -> tuple[Floats, Floats, Floats]:
    """Run both directions of one layer from zero states.

    Args:
        inputs: shape (2, T, B, D); sentences of the second direction already reversed.
        weights: shape (2, D, 4H), gates in the order input, forget, output, candidate.
        recurrent: shape (2, H, 4H).
        bias: shape (2, 4H).

    Returns:
        The gates, shape (2, T, B, 4H), the cell states and the outputs, both of shape (2, T, B, H).
    """
    directions, length, batch, _ = inputs.shape
    width = recurrent.shape[1]
    gates = np.matmul(inputs.reshape(directions, length * batch, -1), weights) + bias[:, None, :]
    gates = gates.reshape(directions, length, batch, 4 * width)
    cells = np.empty((directions, length, batch, width), dtype=np.float32)
    outputs = np.empty_like(cells)
    hidden = np.zeros((directions, batch, width), dtype=np.float32)
    cell = np.zeros_like(hidden)
    half = np.float32(0.5)
    for step in range(length):
        gate = gates[:, step]
        gate += np.matmul(hidden, recurrent)
        # sigmoid(x) = (1 + tanh(x / 2)) / 2; in numpy tanh is faster.
        gate[..., : 3 * width] *= half
        np.tanh(gate, out=gate)
        gate[..., : 3 * width] += np.float32(1.0)
        gate[..., : 3 * width] *= half
        cell = gate[..., width : 2 * width] * cell + gate[..., :width] * gate[..., 3 * width :]
        hidden = gate[..., 2 * width : 3 * width] * np.tanh(cell)
        cells[:, step] = cell
        outputs[:, step] = hidden
    return gates, cells, outputs


def both_ways(values: Floats, batch: Batch) -> Floats:
    """Return the inputs of both directions of a layer, shape (2, T, B, D), from values of shape (T,
    B, D).
    """
    return np.stack((values, values[batch.backwards()]))


def joined(outputs: Floats, batch: Batch) -> Floats:
    """Concatenate both directions of each word, shape (T, B, 2H)."""
    return np.concatenate((outputs[0], outputs[1][batch.backwards()]), axis=-1)


def fenceposts(states: Floats, batch: Batch) -> Floats:
    """Return states between words, shape (T + 1, B, 2H): the left word's forward state, the right
    word's backward.
    """
    length, sentences, double = states.shape
    width = double // 2
    inside = (np.arange(length)[:, None] < batch.lengths)[..., None]
    posts = np.zeros((length + 1, sentences, double), dtype=np.float32)
    posts[1:, :, :width] = states[..., :width]
    posts[:-1, :, width:] = states[..., width:] * inside
    return posts


@dataclass(frozen=True, slots=True)
class Scores:
    """The network's output for a batch.

    Attributes:
        right, left: contributions of a span's right and left end to its hidden layer, shape (T + 1,
            B, M).
        tags: part-of-speech scores, shape (T, B, tags).
    """

    right: Floats
    left: Floats
    tags: Floats


def score(weights: Mapping[str, Floats], batch: Batch) -> Scores:
    """Run the network without dropout."""
    words = weights["words"][batch.words]
    spellings = weights["spellings"][batch.spellings].sum(axis=2)
    values = np.concatenate((words, spellings), axis=-1)
    for layer in ("1", "2"):
        inputs = both_ways(values, batch)
        of_layer = (weights[name + layer] for name in "WUb")
        *_, outputs = lstm(inputs, *of_layer)
        values = joined(outputs, batch)
    posts = fenceposts(values, batch)
    return Scores(
        right=posts @ weights["right"] + weights["hidden_bias"],
        left=posts @ weights["left"],
        tags=values @ weights["tag"] + weights["tag_bias"],
    )


def span_scores(
    weights: Mapping[str, Floats],
    scores: Scores,
    sentence: int,
    starts: Ints,
    ends: Ints,
) -> Floats:
    """Return the label scores of spans in one sentence, shape (spans, labels), given their starts
    and ends.
    """
    hidden = scores.right[ends, sentence] + scores.left[starts, sentence]
    np.maximum(hidden, 0.0, out=hidden)
    return hidden @ weights["label"] + weights["label_bias"]
