"""Jensen-Shannon divergence against its definition, word by word."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.text import porter
from ilpsum.metrics.divergence import jensen_shannon

texts = st.lists(st.sampled_from(["moss", "mosses", "Wall", "a-b", "b", "."]), max_size=12).map(" ".join)


def naive(text, source, stem):
    ours, theirs = (
        Counter(porter(word) if stem else word for word in side.lower().replace("-", " ").replace(".", " ").split())
        for side in (text, source)
    )
    if not ours or not theirs:
        return 1.0
    total = 0.0
    for word in ours.keys() | theirs.keys():
        p, q = ((c[word] + 0.0005) / (c.total() + 0.0005 * 1.5 * len(theirs)) for c in (ours, theirs))
        total += p * math.log2(2 * p / (p + q)) / 2 + q * math.log2(2 * q / (p + q)) / 2
    return total


@given(texts, texts, st.booleans())
def test_the_definition(text, source, stem):
    divergence = jensen_shannon(text, source, stem=stem)
    assert divergence == pytest.approx(naive(text, source, stem), abs=1e-12)
    assert 0.0 <= divergence <= 1.0


def test_a_text_of_the_source_is_nearer_than_another():
    source = "Moss covers the old wall. It grows slowly there. Ferns need shade."
    assert jensen_shannon(source, source) == 0.0
    assert jensen_shannon("Moss covers the old wall.", source) < jensen_shannon("Moss likes my new roof.", source)
    assert jensen_shannon("Frogs croak.", source) > 0.95
