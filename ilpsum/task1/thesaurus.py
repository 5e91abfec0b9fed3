"""Thesauri: concepts with their terms, from MeSH's XML or a table, and longest-match lookup in
texts.

A file is NLM's `desc20XX.xml` or a `.tsv` with a header, told apart by the first bytes; it may be
`.gz`. The columns of a table are `ui` (or `mesh_id`), `name` (or `mesh_name`) and any of
`entry_terms...`, `tree_numbers...` (or one `mesh_tree_number` per line), `related` (identifiers)
and `types`, each a list separated by `|`. Rows with the same identifier are one concept; below a
concept in the trees are its related concepts.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from features.text import words
from ilpsum.errors import InputError
from ilpsum.files.reading import head, text_lines
from ilpsum.files.xml import elements

NEVER_EXPANDED = frozenset({"T169", "T080", "T081", "T170", "ftcn", "qlco", "qnco", "inpr"})
"""Functional, qualitative and quantitative concepts and intellectual products: UMLS types, MetaMap
abbreviations.
"""
LONGEST_TERM = 12
"""Maximum number of words in a term; longer ones (names of chemicals and trials) do not occur in
running text.
"""

_COLUMNS = {"ui": "id", "mesh_id": "id", "mesh_name": "name"}


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


Match = tuple[int, int, tuple[str, ...]]
"""A term in a text: its first word, the word after it, and the ids of the concepts with that term.
"""


class Thesaurus:
    """Concepts with longest-match lookup in texts; those with equal ids are merged.

    Terms are compared by `features.text.words`. One dict maps the joined words of a term to its
    concepts, another maps the first word of terms to the length of the longest, so most positions
    in a text cost one lookup.
    """

    def __init__(self, concepts: Iterable[Concept]) -> None:
        self._concepts: dict[str, Concept] = {}
        self._terms: dict[str, tuple[str, ...]] = {}
        self._longest: dict[str, int] = {}
        for concept in concepts:
            entry = self._concepts.get(concept.id, concept)
            self._concepts[concept.id] = replace(
                entry,
                terms=_union(entry.terms, concept.terms),
                types=_union(entry.types, concept.types),
                related=_union(entry.related, concept.related),
            )
            for tokens in map(words, concept.terms or (concept.name,)):
                if 0 < len(tokens) <= LONGEST_TERM:
                    key = " ".join(tokens)
                    self._terms[key] = _union(self._terms.get(key, ()), (concept.id,))
                    self._longest[tokens[0]] = max(len(tokens), self._longest.get(tokens[0], 0))

    @classmethod
    def read(cls, paths: Sequence[str | Path]) -> "Thesaurus":
        """Read one or more files; `InputError` if one cannot be read or has another format."""
        entries = [entry for path in map(Path, paths) for entry in _entries(path)]
        below: defaultdict[str, list[str]] = defaultdict(list)
        for concept, trees in entries:
            for tree in trees:
                below[tree.rpartition(".")[0]].append(concept.id)
        if not entries:
            raise InputError("no concepts", paths[0] if paths else None)
        concepts = []
        for concept, trees in entries:
            related = chain(concept.related, *(below.get(tree, ()) for tree in trees))
            concepts.append(replace(concept, related=tuple(related)))
        return cls(concepts)

    def __getitem__(self, concept: str) -> Concept:
        return self._concepts[concept]

    def __iter__(self) -> Iterator[Concept]:
        return iter(self._concepts.values())

    def find(self, tokens: Sequence[str]) -> list[Match]:
        """Return the terms in a text from left to right, the longest at each position, without
        overlaps.

        >>> lung = Thesaurus([Concept("D1", "lung"), Concept("D2", "lung injury")])
        >>> lung.find(("the", "lung", "injury", "of", "a", "lung"))
        [(1, 3, ('D2',)), (5, 6, ('D1',))]
        """
        matches = list[Match]()
        i = 0
        while i < len(tokens):
            longest = min(self._longest.get(tokens[i], 0), len(tokens) - i)
            for length in range(longest, 0, -1):
                if named := self._terms.get(" ".join(tokens[i : i + length])):
                    matches.append((i, i + length, named))
                    i += length
                    break
            else:
                i += 1
        return matches

    def expansion(self, concept: str) -> list[str]:
        """Return a concept's terms and the names of related concepts; none if it has a semantic
        type in `NEVER_EXPANDED`.
        """
        entry = self._concepts[concept]
        if not NEVER_EXPANDED.isdisjoint(entry.types):
            return []
        related = (self._concepts[other].name for other in entry.related if other in self._concepts)
        return list(dict.fromkeys([*entry.terms, *related]))


def _union(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one + other))


# A concept without the concepts below it, and its tree numbers.
_Entry = tuple[Concept, tuple[str, ...]]


def _entries(path: Path) -> Iterator[_Entry]:
    start = head(path).decode("utf-8", "replace").lstrip("\ufeff \r\n")
    if start.startswith("<"):
        return (_record(element, path) for element in elements(path, "DescriptorRecord"))
    if start.partition("\t")[0].strip() in ("ui", "mesh_id"):
        return _table(path)
    raise InputError("expected MeSH's desc20XX.xml, or a table with the columns ui and name", path)


def _record(element: Any, path: Path) -> _Entry:
    id_, name = element.findtext("DescriptorUI"), element.findtext("DescriptorName/String")
    if not id_ or not name:
        raise InputError("DescriptorRecord without DescriptorUI or DescriptorName", path)

    def texts(place: str) -> tuple[str, ...]:
        return tuple(part.text for part in element.findall(place) if part.text)

    terms = texts("ConceptList/Concept/TermList/Term/String")
    return Concept(id_, name, (name, *terms)), texts("TreeNumberList/TreeNumber")


def _table(path: Path) -> Iterator[_Entry]:
    columns: list[str] = []
    for number, line in text_lines(path):
        if not line.strip():
            continue
        cells = line.split("\t")
        if not columns:
            columns = [_column(cell.strip()) for cell in cells]
            continue
        row = dict(zip(columns, cells, strict=False))
        if not row.get("id") or not row.get("name"):
            raise InputError("row without identifier or name", path, number)
        terms, types, related, trees = (
            _listed(row.get(column, "")) for column in ("terms", "types", "related", "trees")
        )
        yield Concept(row["id"], row["name"], (row["name"], *terms), types, related), trees


def _listed(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split("|") if part.strip())


def _column(title: str) -> str:
    if "tree_number" in title:
        return "trees"
    return "terms" if title.startswith("entry_term") else _COLUMNS.get(title, title)
