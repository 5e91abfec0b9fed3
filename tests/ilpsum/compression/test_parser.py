from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from experiments.parser.brackets import bracket_score
from experiments.parser.gradients import gradients
from experiments.parser.pretraining import normalise
from experiments.parser.saving import quantise, save_parser
from experiments.parser.training import (
    Settings,
    assemble,
    bare,
    batches,
    chains,
    encode,
    initial_weights,
    label_set,
    masks,
    nearest_label,
    tag_set,
    train,
    without_stop,
)
from ilpsum.compression.parser import (
    FEATURES,
    LONGEST,
    Parser,
    WordTable,
    best_splits,
    load_parser,
    spelling,
)
from ilpsum.compression.trees import bracketed, read_tree
from ilpsum.errors import ModelError

TOY = [
    "(S (NP (DT the) (NN toad)) (VP (VBZ eats) (NP (NN moss))) (. .))",
    "(S (NP (NN moss)) (VP (VBZ grows) (PP (IN near) (NP (DT the) (NN pond)))) (. .))",
    "(NP (NP (NN growth)) (PP (IN of) (NP (NN moss))))",
    "(NP (NP (DT the) (NN toad)) (PP (IN near) (NP (NP (DT the) (NN pond)) (PP (IN of) (NP (NN moss))))))",
]
SMALL = Settings(
    width=8,
    hidden=8,
    word_width=4,
    spelling_width=8,
    buckets=64,
    epochs=120,
    rate=0.02,
    batch_words=12,
    input_dropout=0.0,
    state_dropout=0.0,
    hidden_dropout=0.0,
    rare=0.0,
    label_count=1,
)


def toy(settings=SMALL):
    trees = [read_tree(text) for text in TOY]
    lexicon = WordTable(("the", "toad", "moss"), settings.buckets)
    labels, tags = label_set(trees, 1), tag_set(trees)
    return trees, lexicon, labels, tags, [encode(tree, lexicon, labels, tags) for tree in trees]


def learn(settings=SMALL):
    trees, lexicon, labels, tags, examples = toy(settings)
    given = np.zeros((len(lexicon.words) + 1, settings.word_width), dtype=np.float32)
    weights = train(examples, settings, given, (len(labels), len(tags)), lambda *_: None)
    return trees, Parser(weights, lexicon, labels, tags)


@pytest.fixture(scope="module")
def learned():
    return learn()


def all_trees(start, end):
    if end - start == 1:
        yield [(start, end)]
        return
    for middle in range(start + 1, end):
        for left, right in product(all_trees(start, middle), all_trees(middle, end)):
            yield [(start, end), *left, *right]


def spans(splits, start, end):
    middle = splits[start, end]
    below = [*spans(splits, start, middle), *spans(splits, middle, end)] if end > start + 1 else []
    return [(start, end), *below]


@pytest.mark.parametrize("n", range(1, 8))
def test_the_chart_finds_the_best_of_all_binary_trees(n):
    values = np.random.default_rng(n).uniform(-1, 1, (n + 1, n + 1)).astype(np.float32)

    def total(spans):
        return sum(float(values[span]) for span in spans)

    found = spans(best_splits(values), 0, n)
    assert total(found) == pytest.approx(max(total(tree) for tree in all_trees(0, n)), abs=1e-5)
    assert len(found) == 2 * n - 1


def test_gradients_are_the_finite_differences(monkeypatch):
    settings = replace(
        SMALL, width=5, hidden=4, input_dropout=0.2, state_dropout=0.3, hidden_dropout=0.2, rare=0.8
    )
    _, lexicon, labels, tags, examples = toy(settings)
    random = np.random.default_rng(3)
    rows = len(lexicon.words) + 1
    raw = initial_weights(settings, rows, len(labels), len(tags), random)
    weights = {
        name: value + random.normal(0, 0.1, value.shape).astype(np.float32)
        for name, value in raw.items()
    }
    batch, targets = assemble(examples)
    dropped = masks(settings, batch, np.ones(rows), random)
    given = random.normal(size=(rows, settings.word_width)).astype(np.float32)
    found = gradients(weights, batch, targets, dropped, given)
    for name, value in weights.items():
        full = np.zeros_like(value)
        full[found.rows.get(name, slice(None))] = found.values[name]
        # Along the gradient itself the loss changes most, so single precision is enough.
        direction = full / (np.linalg.norm(full) + 1e-12)
        losses = []
        for sign in (1, -1):
            moved = weights | {name: (value + sign * 3e-3 * direction).astype(np.float32)}
            losses.append(gradients(moved, batch, targets, dropped, given).loss)
        assert (losses[0] - losses[1]) / 6e-3 == pytest.approx(
            np.linalg.norm(full), rel=0.03, abs=2e-3
        ), name


def test_training_fits_its_trees_and_is_reproducible(learned):
    trees, parser = learned
    sentences = [tree.leaves() for tree in trees]
    found = parser.parse(sentences)
    assert [bracketed(bare(tree)) for tree in found] == TOY
    assert parser.parse(sentences) == found
    _, again = learn()
    assert all(np.array_equal(parser.weights[name], again.weights[name]) for name in parser.weights)


def test_sentences_are_parsed_alike_alone_and_together(learned):
    trees, parser = learned
    sentences = [tree.leaves() for tree in trees]
    assert parser.parse(sentences) == [parser.parse([sentence])[0] for sentence in sentences]
    assert parser.parse([]) == []


def test_empty_and_overlong_sentences_have_no_tree(learned):
    _, parser = learned
    found = parser.parse([[], ["toad"] * (LONGEST + 1), ["toad"]])
    assert found[:2] == [None, None]
    assert found[2].leaves() == ["toad"]


def test_chains_and_rare_labels():
    tree = read_tree("(S (VP (TO to) (VP (VB sit))))")
    assert chains(tree) == {(0, 2): "S+VP", (1, 2): "VP"}
    assert chains(read_tree("(NP (ADJP (QP (CD 5))))")) == {(0, 1): "NP+ADJP+QP"}
    assert nearest_label("X+NP+QP", {"NP"}) == "NP"
    assert nearest_label("X", {"NP"}) == ""


def test_full_stops_can_be_left_out():
    assert (
        bracketed(without_stop(read_tree("(S (NP (NN toad)) (X (. .)) (. .))")))
        == "(S (NP (NN toad)))"
    )
    assert without_stop(read_tree("(X (. .))")) is None


def test_batches_hold_every_example_once():
    *_, examples = toy()
    groups = list(batches(examples * 5, 12, np.random.default_rng(0)))
    assert sorted(len(e.words) for group in groups for e in group) == sorted(
        len(e.words) for e in examples * 5
    )
    assert all(
        len(group) == 1 or len(group) * max(len(e.words) for e in group) <= 12 for group in groups
    )


def test_words_are_looked_up_without_case_and_digits():
    lexicon = WordTable(("il-0", "toad"), 97)
    assert lexicon.rows(["IL-7", "Toad", "newt"]).tolist() == [1, 2, 0]
    assert normalise("CD28") == "cd00"
    features = lexicon.features(["IL-7", "newt"])
    assert features.shape == (2, FEATURES)
    assert features.max() < 97
    assert len(spelling("x")) == FEATURES


def test_a_saved_parser_parses_alike(tmp_path, learned):
    trees, parser = learned
    path = tmp_path / "parser.npz"
    save_parser(path, parser, {"treebank": "toy"})
    sentences = [tree.leaves() for tree in trees]
    assert load_parser(path).parse(sentences) == parser.parse(sentences)
    first = path.read_bytes()
    save_parser(path, parser, {"treebank": "toy"})
    assert path.read_bytes() == first


def test_rounding_keeps_values_within_half_a_step():
    values = np.random.default_rng(0).normal(size=(7, 5)).astype(np.float32)
    for axis in (-1, -2):
        whole, scale = quantise(values, axis)
        assert np.abs(whole * scale - values).max() <= scale.max() / 2 + 1e-6


@pytest.mark.parametrize("damage", ["truncate", "flip", "version", "kind", "missing"])
def test_a_damaged_parser_gives_a_one_line_error(tmp_path, damage):
    from ilpsum.files import persistence

    _, parser = learn(replace(SMALL, epochs=1))
    path = tmp_path / "parser.npz"
    save_parser(path, parser, {})
    data = bytearray(path.read_bytes())
    if damage == "truncate":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "flip":
        data[len(data) // 2] ^= 255
        path.write_bytes(data)
    elif damage == "missing":
        path.unlink()
    else:
        stored = persistence.load(path, "parser", 1)
        kind, protocol = ("parser", 99) if damage == "version" else ("relevance", 1)
        persistence.save(path, kind, protocol, {}, stored.arrays)
    with pytest.raises(ModelError) as refusal:
        load_parser(path)
    assert str(path) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_accuracy_of_the_included_parser(real_data):
    """Labelled F1 on every fifth sentence of the development split, over the treebank's own tokens."""
    lines = (real_data / "genia/dev.trees").read_text(encoding="utf-8").splitlines()[::5]
    gold = [read_tree(line) for line in lines]
    found = load_parser().parse([tree.leaves() for tree in gold])
    score = bracket_score(zip(gold, found, strict=True))
    assert score.f1 > 0.86
    assert score.tags > 0.98
