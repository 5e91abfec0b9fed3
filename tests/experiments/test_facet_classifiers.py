"""Every classifier of facets learns; scikit-learn's and tomotopy's predictions become votes for all facets."""

import sys

import numpy as np
import pytest

from experiments.facet_classifiers import CLASSIFIERS, BoostedStumps, TopicClassifier, fit
from ilpsum.errors import UsageError
from ilpsum.task1 import classifiers, facets
from ilpsum.task1.facets import FacetExample

_WORDS = {
    "method": "stained buffers centrifuged",
    "results": "rose fell doubled",
    "discussion": "propose conceivable unclear",
}


def _examples(copies=8):
    return [
        FacetExample(
            f"they {words.split()[i % 3]} item{i}",
            f"we {words}",
            {"results": 10},
            {facet: 3.0, "hypothesis": 0.5},
        )
        for facet, words in _WORDS.items()
        for i in range(copies)
    ]


@pytest.mark.parametrize("method", list(CLASSIFIERS))
def test_every_classifier_learns(method):
    known = _examples()
    model = fit(known, method, sections=1.0)
    probabilities = model.probabilities(known)
    assert probabilities.shape == (len(known), 5)
    assert probabilities.sum(axis=1) == pytest.approx(1.0)
    assert (probabilities >= 0).all()
    right = [max(e.votes, key=e.votes.get) for e in known]
    assert np.mean([a == b for a, b in zip(model.predict(known), right, strict=True)]) > 0.9


@pytest.mark.parametrize("method", list(CLASSIFIERS))
def test_one_and_two_facets_are_enough_to_train(method):
    for some in (_examples()[:8], _examples()[:16]):
        voted = [
            FacetExample(
                e.citation, e.reference, e.sections, {k: v for k, v in e.votes.items() if v > 1}
            )
            for e in some
        ]
        model = fit(voted, method)
        assert set(model.predict(voted)) <= {"method", "results"}


def test_the_classifiers_of_ilpsum_are_among_them():
    known = _examples()
    for name in classifiers.CLASSIFIERS:
        ours = facets.fit(known, name).probabilities(known)
        assert (fit(known, name).probabilities(known) == ours).all()


def test_the_error_without_tomotopy_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "tomotopy", None)
    with pytest.raises(UsageError, match="pip install tomotopy"):
        fit(_examples(), "slda")


def test_supervised_topics_share_a_text_by_its_words():
    words = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]]) + 1e-9
    model = TopicClassifier(words, np.full(2, 0.1), np.array([[1.0, 0.0], [0.0, 1.0]]), np.zeros(2))
    shares = model.topics(np.array([[0.3, 0.2, 0, 0], [0.1, 0, 0, 0.4], [0, 0, 0, 0]]))
    assert shares[0] == pytest.approx([2.1 / 2.2, 0.1 / 2.2], abs=1e-6)
    assert shares[1:] == pytest.approx(0.5)
    assert model.probabilities(np.array([[1.0, 0, 0, 0]])).argmax() == 0


def test_logitboost_lowers_the_loss_with_every_round():
    """Each round is a Newton step on the likelihood of the votes, which stumps can follow here."""
    generator = np.random.default_rng(3)
    x = generator.normal(size=(60, 3))
    classes = (x[:, 0] > 0).astype(int) + (x[:, 1] > 0.5)
    votes = np.zeros((60, 5))
    votes[np.arange(60), classes] = 1.0
    model = CLASSIFIERS["logitboost"](x, votes, 1)
    losses = []
    for rounds in range(0, 20, 4):
        shorter = BoostedStumps(model.rounds[:rounds], model.seen)
        chosen = shorter.probabilities(x)[np.arange(60), classes]
        losses.append(-np.log(chosen).mean())
    assert losses[0] == pytest.approx(np.log(3))
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.1


def test_a_round_of_logitboost_by_hand():
    """Two classes, one column: z = (y - p) / (p (1 - p)) is 2 or -2, and half of it is the step."""
    x = np.array([[0.0], [1.0]])
    votes = np.array([[1.0, 0.0], [0.0, 1.0]])
    model = CLASSIFIERS["logitboost"](x, votes, 1)
    first = BoostedStumps(model.rounds[:1], model.seen)
    expected = 1 / (1 + np.exp(-2.0))
    assert first.probabilities(x)[:, 0] == pytest.approx([expected, 1 - expected])
