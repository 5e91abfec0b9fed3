"""The fit of `experiments/silence.py`: signs of coefficients, shares refused, calibration."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

# Scripts import each other by their file names.
sys.path.append(str(Path(__file__).parents[2] / "experiments"))
import silence


def made(n=400, seed=1):
    """Questions whose abstracts are there with the probability that their `telling` gives."""
    draw = np.random.default_rng(seed)
    signs = draw.normal(size=(n, len(silence.NAMES)))
    likely = 1.0 / (1.0 + np.exp(-2.0 * signs[:, silence.NAMES.index("telling")]))
    kind = np.where(draw.random(n) < likely, "kept", "gone")
    return silence.Measured(
        np.full(n, "whole"), kind, 1 + np.arange(n) % 8, np.full(n, True), signs, signs / 2
    ), likely


def test_coefficients_are_found_and_keep_their_signs():
    found, _ = made(4000)
    intercept, *coefficients = silence.regression(found)
    by_name = dict(zip(silence.NAMES, coefficients, strict=True))
    assert by_name.pop("telling") == pytest.approx(2.0, abs=0.3)
    assert all(-0.2 < by_name.pop(name) <= 0.0 for name in ("length", "searched"))
    assert abs(by_name.pop("words")) < 0.2
    assert all(0.0 <= value < 0.2 for value in by_name.values())
    assert abs(intercept) < 1.0


def test_a_calibrated_probability_has_no_error_and_a_flat_one_has():
    found, likely = made(20_000)
    assert silence.calibration(found, likely) < 0.02
    assert silence.calibration(found, np.clip(likely + 0.2, 0.0, 1.0)) > 0.1
    empty = silence.bins(found, np.full(20_000, 0.95))
    assert empty[9][0] == pytest.approx(1.0)
    assert all(weight == 0.0 for weight, *_ in empty[:9])


def test_refused_is_counted_where_a_share_is_answered():
    found, _ = made(100)
    kept = found.answered
    scores = np.where(kept, 1.0, np.linspace(0.0, 2.0, 100))
    assert silence.refused_at(found, scores, 0.9) == pytest.approx((scores[~kept] < 1.0).mean())


def test_no_question_is_judged_by_coefficients_that_saw_its_edition():
    found, _ = made(400)
    scores, _ = silence.held_out(found)
    turned = np.where((found.edition == 3) & (found.kind == "gone"), "kept", found.kind)
    other, _ = silence.held_out(replace(found, kind=turned))
    assert np.array_equal(scores[found.edition == 3], other[found.edition == 3])
    assert not np.array_equal(scores[found.edition == 4], other[found.edition == 4])


def test_the_threshold_answers_what_it_should():
    found, scores = made(4000)
    least = silence.threshold(found, scores)
    assert (scores[found.answered] >= least).mean() == pytest.approx(0.97, abs=0.002)
    _, _, *rows = silence.trade({"all": (found, scores)})
    answered, refused = zip(*(map(float, line.split("|")[2:4]) for line in rows), strict=True)
    assert list(answered) == sorted(answered, reverse=True)
    assert list(refused) == sorted(refused)


def test_without_a_model_the_same_coefficients_judge_the_signs_without_one():
    found, _ = made(400)
    with_model, without = silence.held_out(found)
    assert np.array_equal(silence.held_out(replace(found, plain=found.signs))[1], with_model)
    assert not np.array_equal(with_model, without)


def test_a_question_without_signs_has_no_chance_and_teaches_nothing():
    found, _ = made(400)
    judged = np.arange(400) % 7 > 0
    some = replace(found, judged=judged)
    other = replace(some, signs=np.where(judged[:, None], found.signs, 9.0))
    assert np.array_equal(silence.regression(some), silence.regression(other))
    assert all((scores[~judged] == 0.0).all() for scores in silence.held_out(some))


def test_a_sign_that_is_the_same_for_all_cannot_be_learned():
    found, _ = made(100)
    signs = found.signs.copy()
    signs[:, silence.NAMES.index("searched")] = 9.5
    with pytest.raises(ValueError, match="the same searched; learn from collections that differ"):
        silence.regression(replace(found, signs=signs))
