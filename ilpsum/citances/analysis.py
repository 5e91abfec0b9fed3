"""What the terms of a text are in Task 1, and how the count of a term becomes its weight."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from features.arrays import Floats
from features.registry import Registry
from features.text import Passage
from ilpsum.citances.arrays import damped

WEIGHTINGS: Registry[Callable[[Floats, Floats], Floats]] = Registry("weighting")
"""Each returns the weights, (..., V), of terms from their counts, (..., V), and their IDF, (V,), before the cosine."""


@WEIGHTINGS.register("tf-idf")
def _tf_idf(counts: Floats, idf: Floats) -> Floats:
    """(1 + log tf) idf; a count below 1, of a term that expansion added, scales the weight."""
    return damped(counts) * idf


@WEIGHTINGS.register("counts")
def _counts(counts: Floats, idf: Floats) -> Floats:  # noqa: ARG001 (of other weightings)
    return np.asarray(counts)


@dataclass(frozen=True)
class Analysis:
    """How an index and its queries see a text: weighted by one of `WEIGHTINGS`, with stop words, by stems or words."""

    weighting: str = "tf-idf"
    stop_words: bool = False
    stem: bool = True

    def words(self, passage: Passage) -> tuple[str, ...]:
        """Return the words of a passage that are terms, in order."""
        return passage.words if self.stop_words else passage.content_words

    def terms(self, passage: Passage) -> tuple[str, ...]:
        """Return the term of each of these words."""
        if not self.stem:
            return self.words(passage)
        return passage.stems if self.stop_words else passage.content_stems
