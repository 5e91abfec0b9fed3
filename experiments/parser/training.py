"""Training of the parser: batches, dropout, Adam, and the score on held-out sentences."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.parser.gradients import Gradients, Masks, Targets, gradients
from experiments.parser.pretraining import WordVectors
from ilpsum.compression.network import Batch, Floats
from ilpsum.compression.parser import FEATURES, WordTable, normalise
from ilpsum.compression.trees import Tree, is_word

NO_PHRASE = ""
WARM_UP = 300


@dataclass(frozen=True, slots=True)
class Settings:
    """Hyperparameters, chosen on held-out training articles.

    Attributes:
        width: units in one direction of the LSTM.
        hidden: units in the hidden layer of span scores.
        word_width, spelling_width: widths of the two parts of a word's input.
        buckets: rows of the table of hashed features.
        epochs, rate, batch_words: passes, largest learning rate, words per batch.
        input_dropout, state_dropout, hidden_dropout: dropout rates.
        rare: a word seen n times loses its learned vector with probability rare / (rare + n).
        label_count: unary chains seen less often are cut to their first label.
        longest: longer training sentences are left out, in words.
        seed: random seed.
    """

    width: int = 128
    hidden: int = 128
    word_width: int = 64
    spelling_width: int = 64
    buckets: int = 4096
    epochs: int = 12
    rate: float = 0.002
    batch_words: int = 700
    input_dropout: float = 0.2
    state_dropout: float = 0.33
    hidden_dropout: float = 0.2
    rare: float = 0.8
    label_count: int = 8
    longest: int = 90
    seed: int = 1


@dataclass(frozen=True, slots=True)
class TrainingSentence:
    """A training sentence as numbers.

    Attributes:
        words, tags: shape (n,).
        spellings: shape (n, FEATURES).
        labels: label of each span in the order of `np.triu_indices(n)`; 0 if it is not a phrase.
    """

    words: np.ndarray
    spellings: np.ndarray
    tags: np.ndarray
    labels: np.ndarray


def chains(tree: Tree) -> dict[tuple[int, int], str]:
    """Return the label of each phrase by span; phrases over the same span form a chain from the top (`S+VP`)."""
    labels: dict[tuple[int, int], str] = {}

    def walk(node: Tree, start: int) -> int:
        if is_word(node):
            return start + 1
        end = start
        inner = []
        for child in node:
            inner.append((child, end))
            end += len(child.leaves())
        labels[start, end] = (
            f"{labels[start, end]}+{node.label()}" if (start, end) in labels else node.label()
        )
        for child, place in inner:
            walk(child, place)
        return end

    walk(tree, 0)
    return labels


def bare(tree: Tree) -> Tree:
    """Remove the S1 and S that the treebank puts around every sentence."""
    for _ in range(2):
        if (
            len(tree) == 1
            and tree.label() in ("S1", "TOP", "ROOT", "S")
            and not (is_word(tree) or is_word(tree[0]))
        ):
            tree = tree[0]
    return tree


def without_stop(tree: Tree) -> Tree | None:
    """Remove full stops from a tree; None if nothing else remains."""
    if is_word(tree):
        return None if tree.label() == "." else tree
    children = [rest for child in tree if (rest := without_stop(child)) is not None]
    return Tree(tree.label(), children) if children else None


def label_set(trees: Sequence[Tree], least: int) -> tuple[str, ...]:
    """Return the labels that occur at least `least` times, `NO_PHRASE` first, then by frequency."""
    counts = Counter(label for tree in trees for label in chains(tree).values())
    by_frequency = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return (NO_PHRASE, *(label for label, count in by_frequency if count >= least))


def tag_set(trees: Sequence[Tree]) -> tuple[str, ...]:
    """Return all parts of speech, sorted."""
    return tuple(sorted({tag for tree in trees for _, tag in tree.pos()}))


def nearest_label(label: str, known: set[str]) -> str:
    """Return the label, or the first known label of its chain."""
    return (
        label
        if label in known
        else next((part for part in label.split("+") if part in known), NO_PHRASE)
    )


def encode(
    tree: Tree, lexicon: WordTable, labels: Sequence[str], tags: Sequence[str]
) -> TrainingSentence:
    """Convert a tree to numbers."""
    words, own = tree.leaves(), [tags.index(tag) for _, tag in tree.pos()]
    number = {label: index for index, label in enumerate(labels)}
    table = np.zeros((len(words), len(words)), dtype=np.int64)
    for (start, end), label in chains(tree).items():
        table[start, end - 1] = number[nearest_label(label, set(number))]
    return TrainingSentence(
        lexicon.rows(words), lexicon.features(words), np.array(own),
        table[np.triu_indices(len(words))],
    )  # fmt: skip


def batches(
    examples: Sequence[TrainingSentence], words: int, random: np.random.Generator
) -> Iterator[list[TrainingSentence]]:
    """Yield batches of sentences of similar length, in random order."""
    keys = np.array([len(example.words) for example in examples]) + random.uniform(
        -2, 2, len(examples)
    )
    groups: list[list[TrainingSentence]] = [[]]
    for index in np.argsort(keys):
        longest = max(len(examples[index].words), *(len(e.words) for e in groups[-1]), 1)
        if groups[-1] and longest * (len(groups[-1]) + 1) > words:
            groups.append([])
        groups[-1].append(examples[index])
    for index in random.permutation(len(groups)):
        yield groups[index]


def assemble(examples: Sequence[TrainingSentence]) -> tuple[Batch, Targets]:
    """Combine sentences into the arrays of one batch."""
    lengths = np.array([len(example.words) for example in examples])
    shape = (int(lengths.max()), len(examples))
    words, tags = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    spellings = np.zeros((*shape, FEATURES), dtype=np.int64)
    spans = []
    for column, example in enumerate(examples):
        n = len(example.words)
        words[:n, column], tags[:n, column], spellings[:n, column] = (
            example.words,
            example.tags,
            example.spellings,
        )
        starts, ends = np.triu_indices(n)
        spans.append((starts, ends + 1, np.full(len(starts), column), example.labels))
    starts, ends, columns, labels = (np.concatenate(parts) for parts in zip(*spans, strict=True))
    return Batch(words, spellings, lengths), Targets(starts, ends, columns, labels, tags)


def initial_weights(
    settings: Settings, rows: int, labels: int, tags: int, random: np.random.Generator
) -> dict[str, Floats]:
    """Return random weights; forget gates start open, learned word vectors at zero."""
    H, M = settings.width, settings.hidden
    D = settings.word_width + settings.spelling_width

    def uniform(*shape: int) -> Floats:
        bound = np.sqrt(6.0 / (shape[-2] + shape[-1]))
        return random.uniform(-bound, bound, shape).astype(np.float32)

    def orthogonal() -> Floats:
        blocks = [np.linalg.qr(random.standard_normal((H, H)))[0] for _ in range(8)]
        return (
            np.array(blocks)
            .reshape(2, 4, H, H)
            .transpose(0, 2, 1, 3)
            .reshape(2, H, 4 * H)
            .astype(np.float32)
        )

    bias = np.zeros((2, 4 * H), dtype=np.float32)
    bias[:, H : 2 * H] = 1.0
    spread = 0.5 / np.sqrt(FEATURES)
    return {
        "words": np.zeros((rows, settings.word_width), dtype=np.float32),
        "spellings": random.normal(0, spread, (settings.buckets, settings.spelling_width)).astype(np.float32),
        "W1": uniform(2, D, 4 * H), "U1": orthogonal(), "b1": bias.copy(),
        "W2": uniform(2, 2 * H, 4 * H), "U2": orthogonal(), "b2": bias.copy(),
        "right": uniform(2 * H, M), "left": uniform(2 * H, M), "hidden_bias": np.zeros(M, dtype=np.float32),
        "label": uniform(M, labels), "label_bias": np.zeros(labels, dtype=np.float32),
        "tag": uniform(2 * H, tags), "tag_bias": np.zeros(tags, dtype=np.float32),
    }  # fmt: skip


class Adam:
    """Adam (Kingma and Ba 2015) with clipped gradients; table rows are updated only when used."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        self.weights = weights
        self.first = {name: np.zeros_like(value) for name, value in weights.items()}
        self.second = {name: np.zeros_like(value) for name, value in weights.items()}
        self.steps = 0

    def update(self, batch: Gradients, rate: float, clip: float = 5.0) -> None:
        """Take one step at a learning rate."""
        self.steps += 1
        norm = np.sqrt(sum(float(np.vdot(g, g)) for g in batch.values.values()))
        factor = np.float32(min(1.0, clip / (norm + 1e-9)))
        step = np.float32(rate * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps))
        for name, gradient in batch.values.items():
            place = batch.rows.get(name, slice(None))
            first, second = self.first[name], self.second[name]
            scaled = gradient * factor
            first[place] = np.float32(0.9) * first[place] + np.float32(0.1) * scaled
            second[place] = np.float32(0.999) * second[place] + np.float32(0.001) * scaled * scaled
            self.weights[name][place] -= (
                step * first[place] / (np.sqrt(second[place]) + np.float32(1e-8))
            )


def masks(
    settings: Settings, batch: Batch, counts: np.ndarray, random: np.random.Generator
) -> Masks:
    """Draw the dropout of one batch; `counts` holds how often each word row occurs in training."""
    shape = batch.words.shape
    drop = random.random(shape) < settings.rare / (settings.rare + counts[batch.words])
    # Half of the words that lose their learned vector also lose the pretrained one, as unknown
    # words have neither.
    unknown = drop & (random.random(shape) < 0.5)

    def keep(rate: float, *size: int) -> Floats:
        return ((random.random(size) >= rate) / (1 - rate)).astype(np.float32)

    sentences, width = shape[1], 2 * settings.width
    return Masks(
        (~drop)[..., None].astype(np.float32), (~unknown)[..., None].astype(np.float32),
        (keep(settings.input_dropout, sentences, settings.word_width + settings.spelling_width),
         keep(settings.state_dropout, sentences, width), keep(settings.state_dropout, sentences, width)),
        keep(settings.hidden_dropout, settings.hidden),
    )  # fmt: skip


def given_vectors(vectors: WordVectors, rows: tuple[str, ...], width: int) -> Floats:
    """Return pretrained vectors by row; row 0 and words without a vector are zero."""
    given = np.zeros((len(rows) + 1, width), dtype=np.float32)
    place = {word: row for row, word in enumerate(rows, start=1)}
    for word, vector in zip(vectors.words, vectors.vectors, strict=True):
        given[place[word]] = vector
    return given


def vocabulary(vectors: WordVectors, trees: Sequence[Tree], least: int = 3) -> tuple[str, ...]:
    """Return all pretrained words, then the other words that occur at least `least` times in the treebank."""
    counts = Counter(normalise(word) for tree in trees for word in tree.leaves())
    known = set(vectors.words)
    return (
        *vectors.words,
        *sorted(word for word, count in counts.items() if count >= least and word not in known),
    )


def train(
    examples: Sequence[TrainingSentence],
    settings: Settings,
    given: Floats,
    sizes: tuple[int, int],
    report: Callable[[int, float, dict[str, Floats]], None],
) -> dict[str, Floats]:
    """Train a network.

    Args:
        examples: the sentences.
        settings: the hyperparameters.
        given: pretrained vectors by row.
        sizes: number of labels, number of tags.
        report: called after each epoch with its number, its mean loss and the weights in the form
            of the result.

    Returns:
        The weights for `network.score`; `words` is the sum of pretrained and learned vectors.
    """
    random = np.random.default_rng(settings.seed)
    weights = initial_weights(settings, len(given), *sizes, random)
    counts = np.bincount(np.concatenate([e.words for e in examples]), minlength=len(given)).astype(
        np.float64
    )
    short = [example for example in examples if len(example.words) <= settings.longest]
    adam = Adam(weights)
    per_epoch = sum(1 for _ in batches(short, settings.batch_words, np.random.default_rng(0)))
    total = per_epoch * settings.epochs
    for epoch in range(settings.epochs):
        losses = []
        for group in batches(short, settings.batch_words, random):
            batch, targets = assemble(group)
            descent = gradients(
                weights, batch, targets, masks(settings, batch, counts, random), given
            )
            progress = adam.steps / total
            # A short warm-up, then a cosine decay to zero.
            warm = min(1.0, (adam.steps + 1) / min(WARM_UP, total / 10))
            adam.update(
                descent, settings.rate * warm * 0.5 * (1 + np.cos(np.pi * min(progress, 1)))
            )
            losses.append(descent.loss)
        report(epoch + 1, float(np.mean(losses)), weights | {"words": weights["words"] + given})
    return weights | {"words": weights["words"] + given}
