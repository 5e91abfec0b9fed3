"""Gradients of the parser's network, layer by layer; the tests check them against finite differences."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ilpsum.compression.network import Batch, Floats, Ints, both_ways, fenceposts, joined, lstm


@dataclass(frozen=True, slots=True)
class Targets:
    """The correct labels and tags of a batch.

    Attributes:
        starts, ends, sentences: every span of every sentence, shape (spans,).
        labels: index of each span's label; 0 if the span is not a phrase.
        tags: index of each word's part of speech, shape (T, B); only words within a sentence count.
    """

    starts: Ints
    ends: Ints
    sentences: Ints
    labels: Ints
    tags: Ints


@dataclass(frozen=True, slots=True)
class Masks:
    """Dropout factors: 0 for dropped units, 1/(1 - rate) for the others.

    Attributes:
        learned, given: for the two parts of a word's vector, shape (T, B, 1).
        values: for the inputs of the two layers and the fenceposts, each of shape (B, width), one
            mask for all words of a sentence (Gal and Ghahramani 2016).
        hidden: for the hidden layer of span scores, shape (M,).
    """

    learned: Floats
    given: Floats
    values: tuple[Floats, Floats, Floats]
    hidden: Floats


@dataclass(frozen=True, slots=True)
class Gradients:
    """Loss and gradients of a batch.

    Attributes:
        loss: cross-entropy of spans and tags per word.
        values: gradients by the name of the weight; those of `words` and `spellings` cover only
            `rows`.
        rows: the rows of those two tables that have a gradient.
    """

    loss: float
    values: dict[str, Floats]
    rows: dict[str, Ints]


@dataclass(frozen=True, slots=True)
class States:
    """The inputs of one LSTM layer, shape (2, T, B, D), and what `lstm` returns."""

    inputs: Floats
    gates: Floats
    cells: Floats
    outputs: Floats


def states_of(inputs: Floats, weights: Mapping[str, Floats], layer: str) -> States:
    """Run one layer."""
    return States(inputs, *lstm(inputs, *(weights[name + layer] for name in "WUb")))


def lstm_gradients(
    states: States, outer: Floats, weights: Floats, recurrent: Floats
) -> tuple[Floats, list[Floats]]:
    """Return the gradients of `lstm`.

    Args:
        states: the states of the layer.
        outer: gradient of the loss by the outputs, shape (2, T, B, H).
        weights: shape (2, D, 4H).
        recurrent: shape (2, H, 4H).

    Returns:
        Gradient by the inputs, shape (2, T, B, D), and gradients by weights, recurrent weights and
            bias.
    """
    directions, length, batch, width = outer.shape
    inner = np.empty_like(states.gates)
    hidden = np.zeros((directions, batch, width), dtype=outer.dtype)
    cell = np.zeros_like(hidden)
    back = np.ascontiguousarray(recurrent.transpose(0, 2, 1))
    for step in range(length - 1, -1, -1):
        gate = states.gates[:, step]
        put, keep, out = (gate[..., n * width : (n + 1) * width] for n in range(3))
        candidate = gate[..., 3 * width :]
        squashed = np.tanh(states.cells[:, step])
        hidden = hidden + outer[:, step]
        cell = cell + hidden * out * (1 - squashed * squashed)
        delta = inner[:, step]
        delta[..., :width] = cell * candidate * put * (1 - put)
        before = states.cells[:, step - 1] if step else np.zeros_like(cell)
        delta[..., width : 2 * width] = cell * before * keep * (1 - keep)
        delta[..., 2 * width : 3 * width] = hidden * squashed * out * (1 - out)
        delta[..., 3 * width :] = cell * put * (1 - candidate * candidate)
        cell = cell * keep
        hidden = np.matmul(delta, back)
    flat = inner.reshape(directions, length * batch, 4 * width)
    inputs = states.inputs.reshape(directions, length * batch, -1)
    earlier = np.zeros_like(states.outputs)
    earlier[:, 1:] = states.outputs[:, :-1]
    gradients = [
        np.matmul(inputs.transpose(0, 2, 1), flat),
        np.matmul(earlier.reshape(directions, length * batch, width).transpose(0, 2, 1), flat),
        flat.sum(axis=1),
    ]
    return np.matmul(flat, weights.transpose(0, 2, 1)).reshape(states.inputs.shape), gradients


def gradients(
    weights: Mapping[str, Floats], batch: Batch, targets: Targets, masks: Masks, given: Floats
) -> Gradients:
    """Return the loss and gradients of one batch.

    Args:
        weights: those of `network.score`, except that `words` holds only what training adds to
            `given`.
        batch: the sentences.
        targets: the correct labels and tags.
        masks: dropout.
        given: pretrained word vectors, shape of `words`; training does not change them.
    """
    own = weights["words"][batch.words] * masks.learned + given[batch.words] * masks.given
    values = (
        np.concatenate((own, weights["spellings"][batch.spellings].sum(axis=2)), axis=-1)
        * masks.values[0]
    )
    first = states_of(both_ways(values, batch), weights, "1")
    middle = joined(first.outputs, batch) * masks.values[1]
    second = states_of(both_ways(middle, batch), weights, "2")
    top = joined(second.outputs, batch)
    dropped = top * masks.values[2]
    values_by_name: dict[str, Floats] = {}
    span_loss, outer = _span_gradients(
        weights, fenceposts(dropped, batch), batch, targets, masks, values_by_name
    )
    tag_loss, tagged = _tag_gradients(weights, dropped, batch, targets, values_by_name)
    outer = (outer + tagged) * masks.values[2]
    for layer, states, mask in (("2", second, masks.values[1]), ("1", first, masks.values[0])):
        inner, parts = lstm_gradients(
            states, _parted(outer, batch), weights["W" + layer], weights["U" + layer]
        )
        values_by_name.update(zip((name + layer for name in "WUb"), parts, strict=True))
        outer = (inner[0] + inner[1][batch.backwards()]) * mask
    rows: dict[str, Ints] = {}
    width = own.shape[-1]
    inside = np.arange(len(batch.words))[:, None] < batch.lengths
    learned = (outer[..., :width] * masks.learned)[inside]
    rows["words"], values_by_name["words"] = _by_row(batch.words[inside], learned)
    spelled = batch.spellings[inside]
    repeated = np.repeat(outer[..., width:][inside], spelled.shape[1], axis=0)
    rows["spellings"], values_by_name["spellings"] = _by_row(spelled.reshape(-1), repeated)
    return Gradients(span_loss + tag_loss, values_by_name, rows)


def _parted(outer: Floats, batch: Batch) -> Floats:
    """Reverse `joined` for gradients; the padding of short sentences gets none."""
    inside = (np.arange(len(outer))[:, None] < batch.lengths)[..., None]
    width = outer.shape[-1] // 2
    outer = outer * inside
    return np.stack((outer[..., :width], outer[..., width:][batch.backwards()]))


def _by_row(rows: Ints, values: Floats) -> tuple[Ints, Floats]:
    """Sum the gradients of each row of a table."""
    distinct, inverse = np.unique(rows, return_inverse=True)
    return distinct, _scatter(inverse, values, len(distinct))


def _scatter(places: NDArray[np.integer], values: Floats, size: int) -> Floats:
    from scipy.sparse import csr_matrix

    ones = np.ones(len(places), dtype=np.float32)
    adding = csr_matrix((ones, (places, np.arange(len(places)))), shape=(size, len(places)))
    return np.asarray(adding @ values, dtype=values.dtype)


def _softmax_gradient(scores: Floats, truth: Ints, total: int) -> tuple[float, Floats]:
    """Return the cross-entropy divided by `total`, and its gradient by the scores (which are overwritten)."""
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    places = np.arange(len(truth))
    loss = -float(np.log(scores[places, truth] + 1e-12).sum()) / total
    scores[places, truth] -= 1
    scores /= total
    return loss, scores


def _span_gradients(
    weights: Mapping[str, Floats],
    posts: Floats,
    batch: Batch,
    targets: Targets,
    masks: Masks,
    values_by_name: dict[str, Floats],
) -> tuple[float, Floats]:
    size = posts.shape[0] * posts.shape[1]
    flat = posts.reshape(size, -1)
    right = flat @ weights["right"] + weights["hidden_bias"]
    left = flat @ weights["left"]
    ends = targets.ends * posts.shape[1] + targets.sentences
    starts = targets.starts * posts.shape[1] + targets.sentences
    hidden = right[ends] + left[starts]
    np.maximum(hidden, 0, out=hidden)
    hidden *= masks.hidden
    scores = hidden @ weights["label"] + weights["label_bias"]
    loss, delta = _softmax_gradient(scores, targets.labels, int(batch.lengths.sum()))
    values_by_name["label"] = hidden.T @ delta
    values_by_name["label_bias"] = delta.sum(axis=0)
    inner = delta @ weights["label"].T
    inner *= masks.hidden
    inner *= hidden > 0
    by_end, by_start = _scatter(ends, inner, size), _scatter(starts, inner, size)
    values_by_name["right"] = flat.T @ by_end
    values_by_name["left"] = flat.T @ by_start
    values_by_name["hidden_bias"] = by_end.sum(axis=0)
    outer = (by_end @ weights["right"].T + by_start @ weights["left"].T).reshape(posts.shape)
    width = posts.shape[2] // 2
    return loss, np.concatenate((outer[1:, :, :width], outer[:-1, :, width:]), axis=-1)


def _tag_gradients(
    weights: Mapping[str, Floats],
    values: Floats,
    batch: Batch,
    targets: Targets,
    values_by_name: dict[str, Floats],
) -> tuple[float, Floats]:
    inside = np.arange(len(values))[:, None] < batch.lengths
    flat = values[inside]
    scores = flat @ weights["tag"] + weights["tag_bias"]
    loss, delta = _softmax_gradient(scores, targets.tags[inside], len(flat))
    values_by_name["tag"] = flat.T @ delta
    values_by_name["tag_bias"] = delta.sum(axis=0)
    outer = np.zeros_like(values)
    outer[inside] = delta @ weights["tag"].T
    return loss, outer
