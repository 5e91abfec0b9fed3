"""Facets: the classifier learns and is saved without change."""

import numpy as np
import pytest

from ilpsum.learning.stored import flatten, rebuild
from ilpsum.records import Annotation, Citance, Document, Section, Span
from ilpsum.task1 import facets
from ilpsum.task1.classifiers import CLASSIFIERS
from ilpsum.task1.facets import FACETS, FacetExample, FacetModel, examples, gold_examples
from ilpsum.tasks import read_topics

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


@pytest.mark.parametrize("classifier", list(CLASSIFIERS))
def test_the_classifier_learns_and_is_saved(classifier):
    known = _examples()
    model = facets.fit(known, classifier, sections=1.0)
    probabilities = model.probabilities(known)
    assert probabilities.shape == (len(known), 5)
    assert probabilities.sum(axis=1) == pytest.approx(1.0)
    assert (probabilities >= 0).all()
    right = [max(e.votes, key=e.votes.get) for e in known]
    assert np.mean([a == b for a, b in zip(model.predict(known), right, strict=True)]) > 0.9
    kept = rebuild(FacetModel, *flatten(model))
    assert kept.probabilities(known).tolist() == probabilities.tolist()
    assert model.predict([]) == []


@pytest.mark.parametrize("classifier", list(CLASSIFIERS))
def test_one_and_two_facets_are_enough_to_train(classifier):
    for some in (_examples()[:8], _examples()[:16]):
        voted = [
            FacetExample(
                e.citation, e.reference, e.sections, {k: v for k, v in e.votes.items() if v > 1}
            )
            for e in some
        ]
        model = facets.fit(voted, classifier)
        assert set(model.predict(voted)) <= {"method", "results"}


def test_votes_are_weights():
    known = [FacetExample("moss grew", "moss", {}, {"results": 3.0, "method": 1.0})] * 4
    assert facets.fit(known).predict(known[:1]) == ["results"]


def test_training_without_votes_is_an_error():
    with pytest.raises(ValueError, match="no annotated citances"):
        facets.fit([FacetExample("moss grew", "moss", {}, {})])


def test_damaged_models_are_refused():
    description, arrays = flatten(facets.fit(_examples()))
    for name in ("citation.idf", "classifier.weights"):
        with pytest.raises(ValueError, match=r"one IDF per stem|other features"):
            rebuild(FacetModel, description, arrays | {name: arrays[name][:-1]})


def test_damaged_forests_are_refused():
    description, arrays = flatten(facets.fit(_examples(), "ensemble-rank"))
    loop = arrays["classifier.other.left"].copy()
    loop[np.flatnonzero(loop > np.arange(len(loop)))[0]] = 0
    far = arrays["classifier.other.feature"] + 10_000
    changes = {
        "left": (loop, "precede its children"),
        "feature": (far, "other features"),
        "roots": (arrays["classifier.other.roots"][:0], "without trees"),
    }
    for name, (value, message) in changes.items():
        with pytest.raises(ValueError, match=message):
            rebuild(FacetModel, description, arrays | {f"classifier.other.{name}": value})


def test_examples_hold_votes_sections_and_texts():
    text = "Moss was stained. Moss grew fast."
    sections = (Section("", "methods", 0, 17), Section("", "results", 17, len(text)))
    paper = Document("p", text, role="reference", sections=sections)
    marks = (
        Annotation("A", Span(0, 5), (Span(18, 33),), ("results",)),
        Annotation("B", Span(0, 5), (Span(0, 17),), ("method", "aim")),
    )
    citance = Citance(1, "c", 8, 28, "Moss grows fast [7].", annotations=marks)
    citing = Document(
        "c",
        "We met.\nMoss grows fast [7].",
        sections=(Section("", "introduction", 0, 7), Section("", "discussion", 8, 28)),
    )
    (found,) = examples(paper, [citance], [[Span(9, 33)]], [citing])
    assert found.citation == "Moss grows fast ."
    assert found.reference == text[9:33]
    assert found.sections == {"methods": 8, "results": 15}
    assert found.votes == {"results": 1.0, "method": 0.5, "hypothesis": 0.5}
    assert found.citing == "discussion"
    (alone,) = examples(paper, [citance], [[Span(9, 33)]], [])
    assert alone.citing == ""


def test_a_citance_among_methods_cites_a_method():
    """By its section alone: the words are the same."""
    sections = {"methods": "method", "introduction": "results"}
    known = [FacetExample("moss grew", "moss", {}, {f: 1.0}, s) for s, f in sections.items()] * 4
    assert facets.fit(known, sections=1.5).predict(known[:2]) == ["method", "results"]
    assert len(set(facets.fit(known).predict(known[:2]))) == 1


def test_facets_of_the_real_topics(real_data):
    totals = dict.fromkeys(FACETS, 0.0)
    for topic in read_topics([real_data / "tac2014"]):
        for example in gold_examples(topic):
            for facet, votes in example.votes.items():
                totals[facet] += votes
    assert totals == {
        "hypothesis": 19,
        "method": 126,
        "results": 324,
        "implication": 77,
        "discussion": 282,
    }
