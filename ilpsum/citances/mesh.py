"""MeSH as a thesaurus, from any of the formats that NLM publishes.

- `desc20XX.xml`: DescriptorRecord elements, read one by one.
- `d20XX.bin`: ASCII records after `*NEWRECORD`, with lines `MH = `, `UI = `, `ENTRY = `, `MN = ` and others.
- `mtrees20XX.bin`: one `term;tree number` a line.
- `.tsv` with a header: `ui` or `mesh_id`, `name` or `mesh_name`, `entry_terms...` and `tree_numbers...` separated by
  `|`, or one `mesh_tree_number` a line.

The format is recognised by the first bytes, files may be `.gz`, and descriptors of several files are merged by name. A
concept is related to those directly below it in the trees.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from ilpsum.citances.thesaurus import Concept, Thesaurus, union
from ilpsum.errors import InputError
from ilpsum.io.files import head, open_bytes, read_lines

_ENTRIES = ("ENTRY", "PRINT ENTRY")
_COLUMNS = {"ui": "id", "mesh_id": "id", "name": "name", "mesh_name": "name"}


@dataclass(frozen=True, slots=True)
class _Descriptor:
    """A record: identifier (empty in a tree file), name, other terms, tree numbers."""

    id: str
    name: str
    terms: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()


def read(paths: Sequence[Path]) -> Thesaurus:
    """Read MeSH from one or more files.

    Raises:
        InputError: a file cannot be read, or is in none of the formats.
    """
    merged: dict[str, _Descriptor] = {}
    for path in paths:
        for descriptor in _descriptors(path):
            before = merged.get(descriptor.name)
            merged[descriptor.name] = _merged(before, descriptor) if before else descriptor
    if not merged:
        raise InputError("no MeSH descriptors", paths[0] if paths else None)
    below = _below(merged)
    names = " ".join(path.name for path in paths)
    return Thesaurus((_concept(d, below) for d in merged.values()), f"MeSH ({names})")


def _descriptors(path: Path) -> Iterator[_Descriptor]:
    start = head(path).decode("utf-8", "replace").lstrip("\ufeff \r\n")
    first = start.split("\n", 1)[0]
    if start.startswith("<"):
        return _xml(path)
    if start.startswith("*NEWRECORD"):
        return _ascii(path)
    if "\t" in first and first.split("\t")[0].strip() in ("ui", "mesh_id"):
        return _table(path)
    if ";" in first:
        return _trees(path)
    expected = "desc20XX.xml, d20XX.bin, mtrees20XX.bin, or a table with the columns ui and name"
    raise InputError(f"not a MeSH file; expected {expected}", path)


def _xml(path: Path) -> Iterator[_Descriptor]:
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import iterparse

    try:
        with open_bytes(path) as stream:
            root: Any = None
            for event, element in iterparse(stream, events=("start", "end")):
                if root is None:
                    root = element
                if event == "end" and element.tag == "DescriptorRecord":
                    yield _record(element, path)
                    # The root holds every element read so far: without this, the whole file.
                    root.clear()
    except ParseError as error:
        raise InputError(f"not well-formed XML ({error}); expected desc20XX.xml", path) from None
    except DefusedXmlException as error:
        raise InputError(f"XML with entities ({type(error).__name__}), which MeSH does not use", path) from None
    except (LookupError, ValueError) as error:
        raise InputError(f"XML that cannot be decoded ({error})", path) from None


def _record(element: Any, path: Path) -> _Descriptor:
    id_, name = element.findtext("DescriptorUI"), element.findtext("DescriptorName/String")
    if not id_ or not name:
        raise InputError("DescriptorRecord without DescriptorUI or DescriptorName", path)
    terms = tuple(term.text for term in element.findall("ConceptList/Concept/TermList/Term/String") if term.text)
    trees = tuple(tree.text for tree in element.findall("TreeNumberList/TreeNumber") if tree.text)
    return _Descriptor(id_, name, terms, trees)


def _ascii(path: Path) -> Iterator[_Descriptor]:
    fields: dict[str, list[str]] = {}
    start = 1
    for number, line in chain(_text(path), [(0, "*NEWRECORD")]):
        if line.startswith("*NEWRECORD"):
            if fields:
                yield _from_fields(fields, path, start)
            fields, start = {}, number
        elif " = " in line:
            key, _, value = line.partition(" = ")
            fields.setdefault(key.strip(), []).append(value.strip())


def _from_fields(fields: dict[str, list[str]], path: Path, line: int) -> _Descriptor:
    # Records of qualifiers (`SH = `) and supplementary concepts (`NM = `) have the same format.
    name = (fields.get("MH") or fields.get("SH") or fields.get("NM") or [""])[0]
    id_ = fields.get("UI", [""])[0]
    if not name or not id_:
        raise InputError("record without MH or UI", path, line)
    terms = tuple(entry.split("|")[0] for key in _ENTRIES for entry in fields.get(key, ()))
    return _Descriptor(id_, name, terms, tuple(fields.get("MN", ())))


def _table(path: Path) -> Iterator[_Descriptor]:
    columns: list[str] = []
    for number, line in _text(path):
        cells = line.split("\t")
        if not columns:
            columns = [_column(cell) for cell in cells]
            continue
        row = dict(zip(columns, cells, strict=False))
        if not row.get("id") or not row.get("name"):
            raise InputError("row without identifier or name", path, number)
        yield _Descriptor(row["id"], row["name"], _listed(row.get("terms", "")), _listed(row.get("trees", "")))


def _column(title: str) -> str:
    title = title.strip()
    if title in _COLUMNS:
        return _COLUMNS[title]
    return "terms" if title.startswith("entry_term") else "trees" if "tree_number" in title else title


def _trees(path: Path) -> Iterator[_Descriptor]:
    for number, line in _text(path):
        name, separator, tree = line.strip().rpartition(";")
        if not separator or not name or not tree:
            raise InputError("expected `term;tree number`", path, number)
        yield _Descriptor("", name, (), (tree,))


def _text(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, numbered."""
    for number, data in read_lines(path):
        if data.strip():
            yield number, data.decode("utf-8", "replace").lstrip("\ufeff").rstrip("\r\n")


def _listed(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split("|") if part.strip())


def _merged(one: _Descriptor, other: _Descriptor) -> _Descriptor:
    return _Descriptor(one.id or other.id, one.name, union(one.terms, other.terms), union(one.trees, other.trees))


def _below(merged: dict[str, _Descriptor]) -> dict[str, list[str]]:
    """Map each tree number to the ids of the descriptors directly below it."""
    below: dict[str, list[str]] = {}
    for descriptor in merged.values():
        for tree in descriptor.trees:
            below.setdefault(tree.rpartition(".")[0], []).append(_id(descriptor))
    return below


def _concept(descriptor: _Descriptor, below: dict[str, list[str]]) -> Concept:
    related = dict.fromkeys(other for tree in descriptor.trees for other in below.get(tree, ()))
    return Concept(_id(descriptor), descriptor.name, union((descriptor.name,), descriptor.terms), (), tuple(related))


def _id(descriptor: _Descriptor) -> str:
    """Return the identifier, or the name if there is none (tree files)."""
    return descriptor.id or descriptor.name
