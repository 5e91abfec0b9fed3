"""Thesauri: concepts with their terms, and longest-match lookup in texts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from features.text import words

LONGEST_TERM = 12
"""Maximum number of words in a term; longer ones (names of chemicals and trials) do not occur in running text."""


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept of a thesaurus, by its identifier (a MeSH descriptor, a CUI) and preferred name.

    Attributes:
        terms: all names, including the preferred one.
        types: semantic types (`T047`, or MetaMap's abbreviations such as `dsyn`); empty for MeSH.
        related: ids of concepts for query expansion.
    """

    id: str
    name: str
    terms: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    related: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """A term in a text: word indices `start` to `end` (exclusive), and the ids of the concepts with that term."""

    start: int
    end: int
    concepts: tuple[str, ...]


class Thesaurus:
    """Concepts with longest-match lookup in texts.

    Terms are compared by `features.text.words`. One dict maps the joined words of a term to its concepts, another maps
    the first word of terms to the length of the longest, so most positions in a text cost one lookup. Concepts with
    equal ids are merged.
    """

    def __init__(self, concepts: Iterable[Concept]) -> None:
        self._concepts: dict[str, Concept] = {}
        self._terms: dict[str, tuple[str, ...]] = {}
        self._longest: dict[str, int] = {}
        for concept in concepts:
            before = self._concepts.get(concept.id, concept)
            self._concepts[concept.id] = _merged(before, concept)
            for term in concept.terms or (concept.name,) * bool(concept.name):
                tokens = words(term)
                if not 0 < len(tokens) <= LONGEST_TERM:
                    continue
                key = " ".join(tokens)
                self._terms[key] = _union(self._terms.get(key, ()), (concept.id,))
                self._longest[tokens[0]] = max(len(tokens), self._longest.get(tokens[0], 0))

    def __getitem__(self, concept: str) -> Concept:
        return self._concepts[concept]

    def __iter__(self) -> Iterator[Concept]:
        return iter(self._concepts.values())

    def find(self, tokens: Sequence[str]) -> list[Match]:
        """Return the terms in a text from left to right, the longest at each position, without overlaps.

        >>> lung = Thesaurus([Concept("D1", "lung"), Concept("D2", "lung injury")])
        >>> lung.find(("the", "lung", "injury", "of", "a", "lung"))
        [Match(start=1, end=3, concepts=('D2',)), Match(start=5, end=6, concepts=('D1',))]
        """
        matches = []
        i = 0
        while i < len(tokens):
            longest = min(self._longest.get(tokens[i], 0), len(tokens) - i)
            for length in range(longest, 0, -1):
                if named := self._terms.get(" ".join(tokens[i : i + length])):
                    matches.append(Match(i, i + length, named))
                    i += length
                    break
            else:
                i += 1
        return matches

    def expansion(self, concept: str, without: Iterable[str] = ()) -> list[str]:
        """Return the expansion of a concept: its terms, and the names of related concepts.

        Concepts with a semantic type in `without` are not expanded.
        """
        entry = self._concepts[concept]
        if set(entry.types) & set(without):
            return []
        related = (self._concepts[other].name for other in entry.related if other in self._concepts)
        return list(dict.fromkeys([*entry.terms, *related]))


def _union(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one + other))


def _merged(one: Concept, other: Concept) -> Concept:
    terms, types = _union(one.terms, other.terms), _union(one.types, other.types)
    return Concept(one.id, one.name or other.name, terms, types, _union(one.related, other.related))
