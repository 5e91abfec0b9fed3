"""The lexicon: against a dense ridge regression, stacked without a leak, kept, and what it does with unknown words."""

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from features.arrays import Floats
from features.text import Passage
from ilpsum.learning import lexicon, relevance
from ilpsum.learning.boosted_trees import TreeParameters
from ilpsum.learning.lexicon import LexiconParameters, RelevanceLexicon, Terms, terms
from ilpsum.learning.models import SystemModel
from ilpsum.learning.recipe import Recipe
from ilpsum.learning.stored import flatten, rebuild

WORDS = "velin binds the frost wing thaws in moss lichen of two snails".split()


def training(topics: int = 9) -> tuple[list[list[Passage]], list[Floats]]:
    """Topics in which a sentence earns the more the more often it says `binds`."""
    rng = np.random.default_rng(4)
    texts = [[" ".join(rng.choice(WORDS, 6)) for _ in range(5)] for _ in range(topics)]
    targets = [
        np.array([0.3 * text.count("binds") + 0.01 * k for text in of])
        for k, of in enumerate(texts)
    ]
    return [[Passage(text) for text in of] for of in texts], targets


def fit(
    topics: list[list[Passage]],
    targets: list[Floats],
    folds: list[int],
    parameters: LexiconParameters,
) -> tuple[RelevanceLexicon, list[Floats]]:
    return Terms(topics, targets).fit(range(len(topics)), folds, parameters)


def naive(
    topics: list[list[Passage]], targets: list[Floats], parameters: LexiconParameters
) -> dict[str, float]:
    """The weights by the normal equations of a dense matrix, term by term."""
    in_topics = [set().union(*map(terms, topic)) for topic in topics]
    known = sorted(
        t
        for t in set().union(*in_topics)
        if sum(t in held for held in in_topics) >= parameters.topics
    )
    rows = []
    for sentence in (s for topic in topics for s in topic):
        row = np.array([float(t in terms(sentence)) for t in known])
        rows.append(row / np.sqrt(max(row.sum(), 1.0)))
    x, y = np.array(rows), np.concatenate([t - t.mean() for t in targets])
    weights = np.linalg.solve(x.T @ x + parameters.penalty * np.eye(len(known)), x.T @ y)
    return dict(zip(known, weights.tolist(), strict=True))


@pytest.mark.parametrize("least", [1, 3])
def test_it_is_the_ridge_regression_of_the_terms(least):
    topics, targets = training()
    parameters = LexiconParameters(penalty=0.5, topics=least)
    learned, _ = fit(topics, targets, [0] * len(topics), parameters)
    expected = naive(topics, targets, parameters)
    assert learned.known == tuple(expected)
    np.testing.assert_allclose(learned.weights, list(expected.values()), atol=2e-3)
    assert max(expected, key=expected.__getitem__) == "bind"
    by_hand = [sum(expected.get(t, 0.0) for t in terms(s)) for s in topics[0]]
    lengths = [np.sqrt(sum(t in expected for t in terms(s))) for s in topics[0]]
    np.testing.assert_allclose(learned(topics[0]), np.divide(by_hand, lengths), atol=5e-3)


def test_what_it_says_of_training_sentences_comes_from_other_folds():
    topics, targets = training()
    folds = [i % 3 for i in range(len(topics))]
    parameters = LexiconParameters(penalty=0.5, topics=2)
    _, stacked = fit(topics, targets, folds, parameters)
    for fold in range(3):
        others = [i for i, at in enumerate(folds) if at != fold]
        alone, _ = fit(
            [topics[i] for i in others], [targets[i] for i in others], [0] * 6, parameters
        )
        for i in (i for i, at in enumerate(folds) if at == fold):
            np.testing.assert_array_equal(stacked[i], alone(topics[i]))


def test_a_lexicon_of_some_topics_is_the_one_of_these_topics_alone():
    topics, targets = training()
    parameters, among = LexiconParameters(penalty=0.5, topics=2), [0, 2, 3, 5, 8]
    alone, told_alone = fit(
        [topics[i] for i in among], [targets[i] for i in among], [0, 1, 2, 0, 1], parameters
    )
    learned, told = Terms(topics, targets).fit(among, [0, 1, 2, 0, 1], parameters)
    assert learned.known == alone.known
    np.testing.assert_array_equal(learned.weights, alone.weights)
    np.testing.assert_array_equal(np.concatenate(told), np.concatenate(told_alone))


def test_a_single_fold_is_learned_from_itself():
    topics, targets = training(2)
    learned, stacked = fit(topics, targets, [0, 0], LexiconParameters(topics=1))
    np.testing.assert_array_equal(stacked[1], learned(topics[1]))


def test_nothing_known_says_nothing():
    topics, targets = training(2)
    for learned in (
        fit(topics, targets, [0, 1], LexiconParameters(topics=3))[0],
        fit([[], topics[0]], [np.zeros(0), targets[0]], [0, 1], LexiconParameters(topics=1))[0],
    ):
        assert learned([Passage("quorn"), Passage("")]).tolist() == [0.0, 0.0]
        assert learned([]).shape == (0,)
    assert fit(topics, targets, [0, 1], LexiconParameters(topics=3))[0].known == ()


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=60))
def test_the_terms_of_any_text_are_stems_pairs_and_ends(text):
    passage = Passage(text)
    expected = set(passage.stems) | {f"{a} {b}" for a, b in passage.stem_bigrams}
    found = terms(passage)
    assert {t for t in found if t[0] not in "^$"} == expected
    assert len(found - expected) <= 3
    assert not any("\n" in term for term in found), "a file keeps one a line"


def test_a_model_keeps_its_lexicon(tmp_path):
    topics, targets = training()
    learned, told = fit(
        topics, targets, [i % 3 for i in range(len(topics))], LexiconParameters(topics=2)
    )
    raw = [np.ones((len(topic), 1)) for topic in topics]
    columns = [np.column_stack(pair) for pair in zip(raw, told, strict=True)]
    model = relevance.fit(
        ("a", lexicon.COLUMN), columns, targets, "both", TreeParameters(rounds=9, least=3)
    )
    model = relevance.RelevanceModel(model.columns, model.scaling, model.regression, learned)
    SystemModel(model).save(tmp_path / "m.npz")
    again = SystemModel.load(tmp_path / "m.npz").relevance
    assert again.columns == ("a", "lexicon")
    assert again.features == ("a",)
    read = again.extended(raw[0], topics[0])
    np.testing.assert_array_equal(read, np.column_stack([raw[0], learned(topics[0])]))
    np.testing.assert_array_equal(
        again.predict(read), model.predict(model.extended(raw[0], topics[0]))
    )


def test_what_is_no_lexicon_is_refused():
    description, arrays = flatten(RelevanceLexicon(("a", "b"), np.ones(2, dtype=np.float32)))
    assert rebuild(RelevanceLexicon, description, arrays).known == ("a", "b")
    with pytest.raises(ValueError, match="one weight per term"):
        rebuild(RelevanceLexicon, description, {"weights": np.ones(3, dtype=np.float32)})
    with pytest.raises(msgspec.ValidationError, match="Expected `str`"):
        rebuild(RelevanceLexicon, description | {"known": [1, 2]}, arrays)
    with pytest.raises(msgspec.ValidationError, match="penalty"):
        msgspec.convert({"penalty": 0.0}, LexiconParameters)
    with pytest.raises(ValueError, match=r"requires a table \[recipe.trees\]"):
        Recipe(lexicon=LexiconParameters())
