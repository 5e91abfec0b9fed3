"""Which words of a searched query a text holds, in any form that the search accepts."""

import math
from collections.abc import Iterable, Mapping

from ilpsum.records import SearchResult
from ilpsum.retrieval.analysis import terms


class QueryWords:
    """The words of a query, to be found in texts in the forms that found the query's abstracts.

    Args:
        search: the result of the search; words that no abstract holds are left out.
    """

    def __init__(self, search: SearchResult) -> None:
        self.weights: Mapping[str, float] = dict(search.weights)
        # A compound word ends with the term of the whole.
        self._terms = {word: found[-1] for word in self.weights if (found := terms(word))}
        self._alternatives = search.alternatives

    def held(self, text: str) -> dict[str, float]:
        """Return the words that a text holds: 1 if as they are, otherwise the factor of the best alternative."""
        return self.among(terms(text))

    def among(self, terms: Iterable[str]) -> dict[str, float]:
        """Return the words that a text holds, given its terms."""
        has = set(terms)
        factors = {word: 1.0 for word, term in self._terms.items() if term in has}
        for alternative in self._alternatives:
            if has.issuperset(alternative.terms):
                for word in self.weights:
                    if word in alternative.words:
                        factors[word] = max(factors.get(word, 0.0), alternative.factor)
        return factors

    def share(self, text: str, power: float = 1.0) -> float:
        """Return the share of the words that a text holds in any form, weighted by IDF to a power, in [0,1]."""
        weights = {word: math.pow(weight, power) for word, weight in self.weights.items()}
        return math.fsum(weights[word] for word in self.held(text)) / (math.fsum(weights.values()) or 1.0)
