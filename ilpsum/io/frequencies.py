"""Document frequencies of terms, the one table behind every IDF."""

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DocumentFrequencies:
    """The number of documents of a collection, and in how many of them each term occurs."""

    documents: int
    counts: Mapping[str, int]

    def idf(self, term: str) -> float:
        """Return ln(documents / documents with the term); a term that is not in the table counts as in one document."""
        return math.log(self.documents / self.counts.get(term, 1))
