"""Tests of significance against closed forms and all samples of few topics."""

import math
from itertools import product
from statistics import fmean, stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum.metrics import significance
from ilpsum.metrics.significance import (
    approximate_randomisation,
    bootstrap_interval,
    cohens_d,
    holm,
    paired_bootstrap,
)

A = [0.42, 0.31, 0.25, 0.50, 0.38, 0.29]
B = [0.40, 0.35, 0.20, 0.41, 0.33, 0.30]
DIFFERENCES = [a - b for a, b in zip(A, B, strict=True)]
OBSERVED = fmean(DIFFERENCES)


def every_sample_mean():
    """The mean differences of all 6^6 samples with replacement."""
    return [fmean(sample) for sample in product(DIFFERENCES, repeat=6)]


def test_the_bootstrap_approximates_all_samples():
    means = sorted(every_sample_mean())
    p = fmean(abs(mean - OBSERVED) >= OBSERVED - 1e-12 for mean in means)
    found = paired_bootstrap(A, B, samples=20_000)
    assert found.difference == pytest.approx(OBSERVED)
    assert found.p_value == pytest.approx(p, abs=0.01)
    assert found.low == pytest.approx(means[round(0.025 * len(means))], abs=0.003)
    assert found.high == pytest.approx(means[round(0.975 * len(means))], abs=0.003)


def test_randomisation_tries_all_swaps_of_few_topics():
    exchanged = [
        abs(fmean(s * d for s, d in zip(signs, DIFFERENCES, strict=True)))
        for signs in product((1, -1), repeat=6)
    ]
    assert approximate_randomisation(A, B) == fmean(mean >= OBSERVED - 1e-12 for mean in exchanged)


def test_randomisation_approximates_all_swaps():
    exact = approximate_randomisation(A, B)
    assert approximate_randomisation(A * 3, B * 3, samples=2**18) < exact
    drawn = approximate_randomisation(A, B, samples=63)
    assert drawn == pytest.approx(exact, abs=0.15)
    many = approximate_randomisation(A * 2, B * 2, samples=4000)
    assert many == pytest.approx(approximate_randomisation(A * 2, B * 2, samples=4096), abs=0.02)


def test_one_sided_topics_give_the_smallest_p():
    better, worse = [0.5] * 10, [0.4 - i / 100 for i in range(10)]
    assert approximate_randomisation(better, worse) == 2 / 2**10
    assert paired_bootstrap(better, worse, samples=999).p_value == 1 / 1000


def test_no_difference_is_never_significant():
    test = paired_bootstrap(A, A)
    assert test.p_value == approximate_randomisation(A, A) == 1.0
    assert test.difference == 0.0
    assert cohens_d(A, A) == 0.0


def test_the_order_of_systems_changes_the_sign_only():
    there, back = (paired_bootstrap(*both, seed=5) for both in ((A * 4, B * 4), (B * 4, A * 4)))
    assert there.difference == -back.difference
    assert there.p_value == back.p_value
    assert paired_bootstrap(A * 4, B * 4, seed=5) == there
    there, back, again = (
        approximate_randomisation(*both, seed=5)
        for both in ((A * 4, B * 4), (B * 4, A * 4), (A * 4, B * 4))
    )
    assert there == back == again


@pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomisation, cohens_d])
def test_scores_must_be_paired(test):
    for first, second in ((A, B[1:]), ([], [])):
        with pytest.raises(ValueError, match="equally many scores"):
            test(first, second)


def test_holm_by_hand():
    # 0.005 x 4; 0.01 x 3; 0.03 x 2; 0.04 x 1 is less than what came before it.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.001, 0.5))
def test_holm_equals_the_step_down_procedure(p_values, alpha):
    rejected = set()
    for rank, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[i] * (len(p_values) - rank) > alpha:
            break
        rejected.add(i)
    assert {i for i, p in enumerate(holm(p_values)) if p <= alpha} == rejected


def test_effect_size():
    assert cohens_d(A, B) == pytest.approx(OBSERVED / stdev(DIFFERENCES))
    assert cohens_d(B, A) == pytest.approx(-OBSERVED / stdev(DIFFERENCES))
    assert cohens_d([0.5, 0.6], [0.4, 0.5]) == math.inf
    assert cohens_d([0.5], [0.6]) == -math.inf


@pytest.mark.parametrize("level", [0.95, 0.9])
def test_intervals_approximate_all_samples(level):
    means = sorted(fmean(sample) for sample in product(A, repeat=6))
    interval = bootstrap_interval(A, level=level, samples=20_000)
    assert interval.mean == pytest.approx(fmean(A))
    assert interval.low == pytest.approx(means[round((1 - level) / 2 * len(means))], abs=0.003)
    assert interval.high == pytest.approx(means[round((1 + level) / 2 * len(means))], abs=0.003)


def test_the_seed_determines_the_samples_and_equal_values_have_no_width():
    values = [0.1, 0.5, 0.25, 0.9, 0.3]
    assert (
        bootstrap_interval(values, seed=3)
        == bootstrap_interval(values, seed=3)
        != bootstrap_interval(values)
    )
    interval = bootstrap_interval([0.5] * 4)
    assert (interval.low, interval.mean, interval.high) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("values", "level", "samples"), [([], 0.95, 100), ([1.0], 1.0, 100), ([1.0], 0.95, 1)]
)
def test_invalid_arguments_are_errors(values, level, samples):
    with pytest.raises(ValueError, match="at least 2 samples"):
        bootstrap_interval(values, level=level, samples=samples)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=50), st.floats(0.01, 0.99))
def test_percentiles_are_those_of_numpy(values, level):
    means = np.array(values)
    expected = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    assert significance._percentiles(means, level) == pytest.approx(tuple(expected), abs=1e-12)
