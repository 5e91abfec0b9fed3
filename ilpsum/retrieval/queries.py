"""The words of a query in texts, and alternatives for them: abbreviations that abstracts define, synonyms of MeSH."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from ilpsum.records import Alternative, SearchResult
from ilpsum.retrieval.analysis import analyser, terms, tokens
from ilpsum.retrieval.synonyms import synonyms

# How much an occurrence of an alternative counts; chosen on BioASQ editions 1-8 (experiments/results/finding.md).
_ABBREVIATION, _SYNONYM = 0.4, 0.5
# Other forms of an abbreviation: at most this many, each in at least this share of the definitions.
_MOST_FORMS, _LEAST_SHARE = 3, 0.3
# The longest part of a query that may have alternatives, in terms.
_LONGEST = 8
# An abbreviation has a capital or a digit after its first character.
_MARKED = re.compile(r"(?<!\S)\S+[A-Z0-9]\S*")

Definitions = Callable[[str], Iterable[tuple[str, str]]]
"""Returns the short and the long form of the definitions in which a form, terms separated by spaces, occurs."""


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A text's terms in order, with repetitions; the lower-cased word of each; those that may be abbreviations."""

    terms: tuple[str, ...]
    words: dict[str, str]
    marked: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "SearchQuery":
        """Analyse a text."""
        found = _terms(text)
        words: dict[str, str] = {}
        for word, term in found:
            words.setdefault(term, word)
        marked = frozenset(term for _, term in _terms(" ".join(_MARKED.findall(text))))
        return cls(tuple(term for _, term in found), words, marked)

    def alternatives(self, definitions: Definitions) -> Iterator[Alternative]:
        """Yield the alternatives of the query's parts, each once; none has only terms of the query."""
        seen = set()
        for part in dict.fromkeys(self.parts()):
            forms = ((form, _ABBREVIATION) for form in _other_forms(part, definitions, self.marked))
            names = ((tuple(name.split()), _SYNONYM) for name in synonyms(" ".join(part)))
            # A name that adds words to the part is narrower.
            for other, factor in chain(forms, (name for name in names if not set(part) <= set(name[0]))):
                if (part, other) not in seen and not set(other) <= self.words.keys():
                    seen.add((part, other))
                    yield Alternative(tuple(dict.fromkeys(self.words[term] for term in part)), other, factor)

    def parts(self) -> Iterator[tuple[str, ...]]:
        """Yield the sequences of terms that may have alternatives."""
        for start in range(len(self.terms)):
            for end in range(start + 1, min(start + _LONGEST, len(self.terms)) + 1):
                yield self.terms[start:end]


def _terms(text: str) -> list[tuple[str, str]]:
    """Return the words of a text except stop words, in order, with their terms."""
    return [(word, term) for word, form in tokens(text) for term in analyser().analyze(form)]


def _other_forms(part: tuple[str, ...], definitions: Definitions, marked: frozenset[str]) -> list[tuple[str, ...]]:
    """Return the usual long forms of an abbreviation, and the usual abbreviations of a long form."""
    own = " ".join(part)
    longs, shorts = Counter[str](), Counter[str]()
    for short, long in definitions(own):
        if long == own:
            shorts[short] += 1
        elif short == own and marked.intersection(part):
            longs[long] += 1
    return [
        tuple(form.split())
        for forms in (longs, shorts)
        for form, count in sorted(forms.items(), key=lambda item: (-item[1], item[0]))[:_MOST_FORMS]
        if count >= _LEAST_SHARE * forms.total()
    ]


class QueryWords:
    """The words of a query that abstracts hold, to be found in texts in the forms that found the abstracts."""

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
