"""Facets: every classifier learns, is saved without change, and equals scikit-learn's predictions."""

import os
import sys

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum.citances import facets
from ilpsum.citances.classifiers import TopicClassifier
from ilpsum.citances.facets import FACETS, FacetExample, FacetModel, examples, gold_examples
from ilpsum.citances.fitting import CLASSIFIERS
from ilpsum.citances.models import LinkDescription
from ilpsum.corpora import read_topics
from ilpsum.errors import UsageError
from ilpsum.learning.trees import Trees
from ilpsum.records import Annotation, Citance, Document, Section, Span

_WORDS = {
    "method": "stained buffers centrifuged",
    "results": "rose fell doubled",
    "discussion": "propose conceivable unclear",
}


def _examples(copies=8):
    return [
        FacetExample(
            f"they {words.split()[i % 3]} item{i}", f"we {words}", {"results": 10}, {facet: 3.0, "hypothesis": 0.5}
        )
        for facet, words in _WORDS.items()
        for i in range(copies)
    ]


@pytest.mark.parametrize("method", list(CLASSIFIERS))
def test_every_classifier_learns_and_is_saved(method):
    known = _examples()
    model = facets.fit(known, method, sections=1.0)
    probabilities = model.probabilities(known)
    assert probabilities.shape == (len(known), 5)
    assert probabilities.sum(axis=1) == pytest.approx(1.0)
    assert (probabilities >= 0).all()
    right = [max(e.votes, key=e.votes.get) for e in known]
    assert np.mean([a == b for a, b in zip(model.predict(known), right, strict=True)]) > 0.9
    kept = FacetModel.from_state(*model.state())
    assert kept.probabilities(known) == pytest.approx(probabilities, abs=1e-5)


@pytest.mark.parametrize("method", list(CLASSIFIERS))
def test_one_and_two_facets_are_enough_to_train(method):
    for some in (_examples()[:8], _examples()[:16]):
        voted = [
            FacetExample(e.citation, e.reference, e.sections, {k: v for k, v in e.votes.items() if v > 1}) for e in some
        ]
        model = facets.fit(voted, method)
        assert set(model.predict(voted)) <= {"method", "results"}


def test_the_error_without_tomotopy_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "tomotopy", None)
    with pytest.raises(UsageError, match=r'pip install "ilpsum\[slda\]"'):
        facets.fit(_examples(), "slda")


def test_supervised_topics_share_a_text_by_its_words():
    words = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]]) + 1e-9
    model = TopicClassifier(words, np.full(2, 0.1), np.array([[1.0, 0.0], [0.0, 1.0]]), np.zeros(2))
    shares = model.topics(np.array([[0.3, 0.2, 0, 0], [0.1, 0, 0, 0.4], [0, 0, 0, 0]]))
    assert shares[0] == pytest.approx([2.1 / 2.2, 0.1 / 2.2], abs=1e-6)
    assert shares[1:] == pytest.approx(0.5)
    assert model.probabilities(np.array([[1.0, 0, 0, 0]])).argmax() == 0


def test_votes_are_weights():
    known = [FacetExample("moss grew", "moss", {}, {"results": 3.0, "method": 1.0})] * 4
    assert facets.fit(known, "svm").predict(known[:1]) == ["results"]


def test_training_without_votes_is_an_error():
    with pytest.raises(ValueError, match="no annotated citances"):
        facets.fit([FacetExample("moss grew", "moss", {}, {})], "svm")


def test_no_examples_give_no_facets():
    model = facets.fit(_examples(), "svm")
    assert model.predict([]) == []


def test_an_unknown_kind_is_an_error():
    facets = {"method": "svm", "sections": 0, "classifier": {"kind": "oracle"}}
    with pytest.raises(msgspec.ValidationError, match="oracle"):
        msgspec.convert({"facets": facets}, LinkDescription)


def test_trees_equal_those_of_scikit_learn():
    from sklearn.ensemble import RandomForestClassifier

    generator = np.random.default_rng(2)
    x = generator.normal(size=(120, 5)).astype(np.float32).astype(np.float64)
    y = (x[:, 0] + x[:, 1] * x[:, 2] > 0).astype(int) + (x[:, 3] > 1)
    forest = RandomForestClassifier(7, random_state=1).fit(x, y)
    trees = [e.tree_ for e in forest.estimators_]
    values = [t.value[:, 0, :] / t.value[:, 0, :].sum(axis=1, keepdims=True) / 7 for t in trees]
    ensemble = Trees.of(trees, values)
    assert ensemble(x).sum(axis=1) == pytest.approx(forest.predict_proba(x))
    kept = Trees.from_state(ensemble.state())
    assert kept(x) == pytest.approx(ensemble(x), abs=1e-6)


# Each example trains two random forests of 300 trees.
@settings(deadline=None, max_examples=20 if os.environ.get("ILPSUM_TESTS") == "long" else 2)
@given(st.integers(0, 10_000))
def test_ensembles_average_their_members(seed):
    generator = np.random.default_rng(seed)
    x, votes = generator.normal(size=(30, 4)), generator.integers(0, 3, size=(30, 5)).astype(float)
    votes[:, 0] += votes.sum(axis=1) == 0
    both = CLASSIFIERS["ensemble-probability"](x, votes, 1)
    mean = (both.one.probabilities(x) + both.other.probabilities(x)) / 2
    assert both.probabilities(x) == pytest.approx(mean)


def test_examples_hold_votes_sections_and_texts():
    text = "Moss was stained. Moss grew fast."
    sections = (Section("", "methods", 0, 17), Section("", "results", 17, len(text)))
    paper = Document("p", text, role="reference", sections=sections)
    marks = (
        Annotation("A", Span(0, 5), (Span(18, 33),), ("results",)),
        Annotation("B", Span(0, 5), (Span(0, 17),), ("method", "aim")),
    )
    citance = Citance(1, "c", 0, 20, "Moss grows fast [7].", annotations=marks)
    (found,) = examples(paper, [citance], [[Span(9, 33)]])
    assert found.citation == "Moss grows fast ."
    assert found.reference == text[9:33]
    assert found.sections == {"methods": 8, "results": 15}
    assert found.votes == {"results": 1.0, "method": 0.5, "hypothesis": 0.5}


def test_facets_of_the_real_topics(real_data):
    totals = dict.fromkeys(FACETS, 0.0)
    for topic in read_topics([real_data / "tac2014"]):
        for example in gold_examples(topic):
            for facet, votes in example.votes.items():
                totals[facet] += votes
    assert totals == {"hypothesis": 19, "method": 126, "results": 324, "implication": 77, "discussion": 282}
