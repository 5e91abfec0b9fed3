"""The words of a query, and alternatives for them: abbreviations that the abstracts define, and synonyms of MeSH."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from ilpsum.records import Alternative
from ilpsum.retrieval.analysis import analyser, tokens
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
    """A text that is searched for.

    Attributes:
        terms: its terms, in order, with repetitions.
        words: the word of each distinct term, as in the text, lower-cased.
        marked: the terms of words that may be abbreviations.
    """

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
            for terms, factor in chain(forms, (name for name in names if not set(part) <= set(name[0]))):
                if (part, terms) not in seen and not set(terms) <= self.words.keys():
                    seen.add((part, terms))
                    yield Alternative(tuple(dict.fromkeys(self.words[term] for term in part)), terms, factor)

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
