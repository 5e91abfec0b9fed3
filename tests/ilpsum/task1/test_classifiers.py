"""Classifiers of facets: the forest is that of scikit-learn, ensembles average their members."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from ilpsum.task1.classifiers import CLASSIFIERS, instances


def _drawn(seed):
    """Rows of four columns and the votes of several annotators for five classes, one of them unseen."""
    generator = np.random.default_rng(seed)
    x, votes = generator.normal(size=(30, 4)), generator.integers(0, 3, size=(30, 5)).astype(float)
    votes[:, 3] = 0.0
    votes[:, 0] += votes.sum(axis=1) == 0
    return x, votes, generator.normal(size=(20, 4))


@pytest.mark.parametrize("seed", [1, 2])
def test_the_forest_is_that_of_scikit_learn(seed):
    x, votes, others = _drawn(seed)
    rows, classes, weights = instances(x, votes)
    model = RandomForestClassifier(300, min_samples_leaf=2, random_state=seed)
    model.fit(rows, classes, sample_weight=weights)
    found = CLASSIFIERS["random-forest"](x, votes, seed).probabilities(others)
    assert found[:, model.classes_] == pytest.approx(model.predict_proba(others))
    assert (found[:, 3] == 0).all()


def test_an_ensemble_by_probability_is_the_mean_of_its_members():
    x, votes, others = _drawn(3)
    members = [CLASSIFIERS[name](x, votes, 1) for name in ("svm", "random-forest")]
    mean = sum(member.probabilities(others) for member in members) / 2
    both = CLASSIFIERS["ensemble-probability"](x, votes, 1)
    assert both.probabilities(others) == pytest.approx(mean)


def test_an_ensemble_by_rank_adds_reciprocal_ranks():
    x, votes, others = _drawn(4)
    both = CLASSIFIERS["ensemble-rank"](x, votes, 1)
    members = [CLASSIFIERS[name](x, votes, 1) for name in ("svm", "random-forest")]
    for row, found in zip(others, both.probabilities(others), strict=True):
        expected = np.zeros(5)
        for member in members:
            shares = member.probabilities(row[None])[0].round(5)
            # Of equal shares, the first class has the better rank.
            order = sorted(range(5), key=lambda k: (-shares[k], k))
            for rank, k in enumerate(order, 1):
                expected[k] += 1 / rank
        assert found == pytest.approx(expected / expected.sum())
