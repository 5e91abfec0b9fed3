"""Metrics: ROUGE, scores of cited text spans and facets, confidence intervals and significance
tests.
"""

from ilpsum.metrics.counting import METRICS

__all__ = ["METRICS"]
