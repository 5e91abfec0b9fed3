"""MeSH as a thesaurus, from NLM's XML or a table.

- `desc20XX.xml`: DescriptorRecord elements, read one by one.
- `.tsv` with a header: `ui` or `mesh_id`, `name` or `mesh_name`, `entry_terms...` and `tree_numbers...` separated by
  `|`, or one `mesh_tree_number` per line.

The format is recognised by the first bytes, and files may be `.gz`. A concept's related concepts are its children in
the trees.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ilpsum.errors import InputError
from ilpsum.files.reading import head, text_lines
from ilpsum.files.xml_stream import elements
from ilpsum.task1.thesaurus import Concept, Thesaurus

_COLUMNS = {"ui": "id", "mesh_id": "id", "name": "name", "mesh_name": "name"}


# A concept without its children yet, and its tree numbers.
_Descriptor = tuple[Concept, tuple[str, ...]]


def read(paths: Sequence[Path]) -> Thesaurus:
    """Read MeSH from one or more files; `InputError` if a file cannot be read or is in neither format."""
    descriptors = [descriptor for path in paths for descriptor in _descriptors(path)]
    if not descriptors:
        raise InputError("no MeSH descriptors", paths[0] if paths else None)
    below: dict[str, list[str]] = {}
    for concept, trees in descriptors:
        for tree in trees:
            below.setdefault(tree.rpartition(".")[0], []).append(concept.id)
    return Thesaurus(
        replace(concept, related=tuple(other for tree in trees for other in below.get(tree, ())))
        for concept, trees in descriptors
    )


def _descriptors(path: Path) -> Iterator[_Descriptor]:
    start = head(path).decode("utf-8", "replace").lstrip("\ufeff \r\n")
    if start.startswith("<"):
        return (_record(element, path) for element in elements(path, "DescriptorRecord"))
    if start.partition("\t")[0].strip() in ("ui", "mesh_id"):
        return _table(path)
    raise InputError("not a MeSH file; expected desc20XX.xml, or a table with the columns ui and name", path)


def _record(element: Any, path: Path) -> _Descriptor:
    id_, name = element.findtext("DescriptorUI"), element.findtext("DescriptorName/String")
    if not id_ or not name:
        raise InputError("DescriptorRecord without DescriptorUI or DescriptorName", path)
    terms = tuple(term.text for term in element.findall("ConceptList/Concept/TermList/Term/String") if term.text)
    trees = tuple(tree.text for tree in element.findall("TreeNumberList/TreeNumber") if tree.text)
    return Concept(id_, name, (name, *terms)), trees


def _table(path: Path) -> Iterator[_Descriptor]:
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
        terms, trees = (_listed(row.get(column, "")) for column in ("terms", "trees"))
        yield Concept(row["id"], row["name"], (row["name"], *terms)), trees


def _column(title: str) -> str:
    if title in _COLUMNS:
        return _COLUMNS[title]
    return "terms" if title.startswith("entry_term") else "trees" if "tree_number" in title else title


def _listed(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split("|") if part.strip())
