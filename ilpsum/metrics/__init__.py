"""How good a run is: ROUGE, the scores of cited text spans and facets, and what differences are worth."""

from ilpsum.metrics.counting import METRICS
from ilpsum.metrics.rouge import DEFAULT_METRICS, References, Score, rouge

__all__ = ["DEFAULT_METRICS", "METRICS", "References", "Score", "rouge"]
