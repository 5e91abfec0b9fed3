"""Weighted accuracy of facets."""

from statistics import fmean

import pytest

from ilpsum.formats import read_topics
from ilpsum.metrics.spans import facet_score


def test_the_share_of_annotators():
    annotators = [("method",), ("results",), ("method", "aim"), ("results",)]
    assert facet_score("method", annotators) == 0.5
    assert facet_score("aim", annotators) == 0.25
    assert facet_score("", annotators) == facet_score("method", []) == 0.0


def test_the_oracle_on_the_real_topics(real_data):
    citances = [citance for topic in read_topics([real_data / "tac2014"], "tac") for citance in topic.citances]
    labels = [[annotation.facets[0] for annotation in citance.annotations] for citance in citances]
    # The oracle names what most annotators name; "results" always is the most frequent answer.
    facets = [[annotation.facets for annotation in citance.annotations] for citance in citances]
    oracle = [max(facet_score(label, named) for label in labels[i]) for i, named in enumerate(facets)]
    assert fmean(oracle) == pytest.approx(141 / 207)  # all 20 topics: .6665 (Cohan et al. 2014)
    assert fmean(facet_score("results", named) for named in facets) == pytest.approx(324 / 828)
