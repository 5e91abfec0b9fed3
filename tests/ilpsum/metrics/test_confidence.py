"""The bootstrap interval against the output of ROUGE-1.5.5 for the same scores."""

import pytest

from ilpsum.metrics.rouge import rouge
from ilpsum.metrics.significance import bootstrap_interval

WORDS = """Silencing of the miR-372 cluster slowed the growth of treated glioma cells.
Treatments with 5-aza did not change (p<0.05) how cells were growing; the cells lived on.""".split()
REFERENCES = [
    "The miR-372/373 cluster drives growth of glioma. Its silencing slows growing cells, and treatment with 5-aza "
    "changes nothing.",
    "Growth of glioma cells depends on a cluster of microRNAs. The cells live on when the cluster is silenced. "
    "Debate remains about its role.",
    "A cluster of microRNAs, miR-372 among them, is needed for growth; treated cells were growing slowly.",
]


def scores(name):
    """Ten topics: ten words of the text, from word 0, 1, ... on, against the references in turn."""
    return [rouge(" ".join(WORDS[i : i + 10]), [REFERENCES[i % 3]], [name])[name] for i in range(10)]


@pytest.mark.parametrize(
    ("name", "what", "level", "samples", "resampled", "low", "high"),
    [  # printed by ROUGE-1.5.5.pl -n 4 -x with -c 95 -r 1000 and with -c 90 -r 333, on topics 0 to 9
        ("ROUGE-1", "recall", 0.95, 1000, 0.28646, 0.23666, 0.33624),
        ("ROUGE-1", "f1", 0.95, 1000, 0.37124, 0.30888, 0.43375),
        ("ROUGE-2", "precision", 0.95, 1000, 0.15859, 0.09333, 0.22111),
        ("ROUGE-1", "recall", 0.90, 333, 0.28648, 0.24355, 0.32682),
        ("ROUGE-2", "f1", 0.90, 333, 0.10385, 0.06436, 0.13837),
    ],
)
def test_the_scripts_intervals(name, what, level, samples, resampled, low, high):
    values = [getattr(score, what) for score in scores(name)]
    interval = bootstrap_interval(values, level=level, samples=samples)
    assert (interval.resampled, interval.low, interval.high) == pytest.approx((resampled, low, high), abs=2e-5)
    assert interval.mean == pytest.approx(sum(values) / 10)


def test_the_seed_determines_the_samples():
    values = [0.1, 0.5, 0.25, 0.9, 0.3]
    assert bootstrap_interval(values, seed=3) == bootstrap_interval(values, seed=3) != bootstrap_interval(values)


def test_equal_values_have_no_width():
    interval = bootstrap_interval([0.5] * 4)
    assert (interval.low, interval.mean, interval.high) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(("values", "level", "samples"), [([], 0.95, 100), ([1.0], 1.0, 100), ([1.0], 0.95, 1)])
def test_invalid_arguments_are_errors(values, level, samples):
    with pytest.raises(ValueError, match="at least 2 samples"):
        bootstrap_interval(values, level=level, samples=samples)
