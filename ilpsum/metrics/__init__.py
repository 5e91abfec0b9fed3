"""How good a run is: ROUGE, the scores of cited text spans and facets, and what differences are worth."""

from ilpsum.metrics.counting import METRICS

__all__ = ["METRICS"]
