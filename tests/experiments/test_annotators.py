"""Agreement between annotators."""

import math
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.annotators import agreement, fleiss_kappa, overlap_class
from ilpsum.tasks import read_topics


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ("aaaa", "all"),
        ("aaab", "majority"),
        ("aabc", "minority"),
        ("aabb", "tie"),
        ("abcd", "none"),
        ("aab", "majority"),
        ("a", "all"),
    ],
)
def test_classes_of_agreement(labels, name):
    assert agreement(labels) == name
    assert agreement(labels[::-1]) == name


def test_no_labels_are_an_error():
    with pytest.raises(ValueError, match="at least one label"):
        agreement([])


def test_kappa_by_hand():
    # Of the three pairs of annotators 1, 1, 3 and 3 agree, 2/3 in all; half of all labels are a: chance is 1/2.
    assert fleiss_kappa(["aab", "abb", "aaa", "bbb"]) == pytest.approx(
        (2 / 3 - 1 / 2) / (1 - 1 / 2)
    )
    assert fleiss_kappa(["ab", "ba"]) == pytest.approx(-1.0)


@settings(deadline=None, max_examples=100)
@given(
    st.integers(2, 5).flatmap(
        lambda n: st.lists(st.lists(st.sampled_from("abc"), min_size=n, max_size=n), min_size=1)
    )
)
def test_kappa_counts_pairs_of_annotators(items):
    pairs = [a == b for item in items for a, b in combinations(item, 2)]
    labels = [label for item in items for label in item]
    chance = sum((labels.count(label) / len(labels)) ** 2 for label in "abc")
    if len(set(labels)) == 1:
        assert math.isnan(fleiss_kappa(items))
    else:
        assert fleiss_kappa(items) == pytest.approx(
            (sum(pairs) / len(pairs) - chance) / (1 - chance)
        )


@pytest.mark.parametrize("items", [[], [["a"]], [["a", "b"], ["a"]]])
def test_kappa_needs_equal_numbers_of_labels(items):
    with pytest.raises(ValueError, match="equal numbers"):
        fleiss_kappa(items)


def test_agreement_on_the_real_topics(real_data):
    citances = [
        citance
        for topic in read_topics([real_data / "tac2014"], "tac")
        for citance in topic.citances
    ]
    labels = [[annotation.facets[0] for annotation in citance.annotations] for citance in citances]
    assert Counter(map(agreement, labels)) == {
        "all": 36,
        "majority": 80,
        "minority": 62,
        "tie": 27,
        "none": 2,
    }
    assert fleiss_kappa(labels) == pytest.approx(0.228, abs=0.0005)


@pytest.mark.parametrize(
    ("marks", "name", "overlaps"),
    [
        (("ab", "ab", "ab", "ab"), "full, all", [1.0]),
        (("ab", "bc", "b", "bd"), "partial, all", [1 / 4]),
        (("ab", "ab", "ab", "x"), "full, majority", [1.0]),
        (("ab", "bc", "b", "x"), "partial, majority, 1 combination", [1 / 3]),
        (("abe", "bce", "bcd", "cde"), "partial, majority, 3 combinations", None),
        (("ab", "bc", "x", "y"), "partial, minority, 1 combination", [1 / 3]),
        (("ab", "bc", "xy", "yz"), "partial, minority, 2 combinations", [1 / 3, 1 / 3]),
        (("a", "b", "c", "d"), "no overlap", []),
    ],
)
def test_classes_of_overlap(marks, name, overlaps):
    found, shared = overlap_class([frozenset(mark) for mark in marks])
    assert found == name
    if overlaps is not None:
        assert shared == pytest.approx(overlaps)
