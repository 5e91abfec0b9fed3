"""Concepts with their terms, and the longest terms of a thesaurus in a text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from features.text import words

LONGEST_TERM = 12
"""Words of a term at most: longer ones (names of chemicals, of trials) never stand in running text."""


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept of a thesaurus.

    Attributes:
        id: its identifier there (a MeSH descriptor, a CUI).
        name: its preferred name.
        terms: all its names, the preferred one too.
        types: its semantic types (`T047`, or MetaMap's abbreviations such as `dsyn`); none in MeSH.
        related: ids of concepts that a query may be expanded with.
    """

    id: str
    name: str
    terms: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    related: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """A term in a text: words `start` to `end` (exclusive), and the concepts that it names."""

    start: int
    end: int
    concepts: tuple[str, ...]


class Thesaurus:
    """Concepts, found in texts by the longest match.

    Terms are compared as words of `features.text.words`. One dict maps the joined words of each term to its concepts,
    another the first word of a term to the numbers of words that terms beginning with it have, so that most places of
    a text cost one look-up.

    Args:
        concepts: one by one; of equal ids the parts are joined.
        name: what it is, for provenance.
    """

    def __init__(self, concepts: Iterable[Concept], name: str = "") -> None:
        self.name = name
        self._concepts: dict[str, Concept] = {}
        self._terms: dict[str, tuple[str, ...]] = {}
        lengths: dict[str, set[int]] = {}
        for concept in concepts:
            before = self._concepts.get(concept.id)
            self._concepts[concept.id] = _joined(before, concept) if before else concept
            for term in concept.terms or (concept.name,) * bool(concept.name):
                tokens = words(term)
                if not 0 < len(tokens) <= LONGEST_TERM:
                    continue
                key = " ".join(tokens)
                named = self._terms.get(key, ())
                if concept.id not in named:
                    self._terms[key] = (*named, concept.id)
                lengths.setdefault(tokens[0], set()).add(len(tokens))
        # Many first words share the same lengths: each tuple is kept once.
        shared: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._lengths: dict[str, tuple[int, ...]] = {}
        for first, found in lengths.items():
            descending = tuple(sorted(found, reverse=True))
            self._lengths[first] = shared.setdefault(descending, descending)

    def __len__(self) -> int:
        return len(self._concepts)

    def __getitem__(self, concept: str) -> Concept:
        return self._concepts[concept]

    def __contains__(self, concept: object) -> bool:
        return concept in self._concepts

    def __iter__(self) -> Iterator[Concept]:
        return iter(self._concepts.values())

    @property
    def terms(self) -> int:
        """How many different terms it has."""
        return len(self._terms)

    def find(self, tokens: Sequence[str]) -> list[Match]:
        """The terms in a text, from left to right, the longest at each place; none overlap.

        >>> lung = Thesaurus([Concept("D1", "lung"), Concept("D2", "lung injury")])
        >>> lung.find(("the", "lung", "injury", "of", "a", "lung"))
        [Match(start=1, end=3, concepts=('D2',)), Match(start=5, end=6, concepts=('D1',))]

        Args:
            tokens: the words of the text, as `features.text.words` gives them.
        """
        found = []
        i = 0
        while i < len(tokens):
            for length in self._lengths.get(tokens[i], ()):
                if i + length <= len(tokens):
                    named = self._terms.get(" ".join(tokens[i : i + length]))
                    if named:
                        found.append(Match(i, i + length, named))
                        i += length
                        break
            else:
                i += 1
        return found

    def expansion(self, concept: str, without: Iterable[str] = ()) -> list[str]:
        """What a query that holds a concept is expanded with: its other terms, and the names of related concepts.

        Args:
            concept: its id.
            without: semantic types that are not expanded; a concept of one gives nothing.
        """
        entry = self._concepts[concept]
        if set(entry.types) & set(without):
            return []
        related = (self._concepts[other].name for other in entry.related if other in self._concepts)
        return list(dict.fromkeys([*entry.terms, *related]))


def _joined(one: Concept, other: Concept) -> Concept:
    def union(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*a, *b]))

    return Concept(
        one.id,
        one.name or other.name,
        union(one.terms, other.terms),
        union(one.types, other.types),
        union(one.related, other.related),
    )
