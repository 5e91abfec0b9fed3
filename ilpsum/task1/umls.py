"""UMLS as a thesaurus, read from the tables of a Metathesaurus subset or from MetaMap output.

NLM licenses UMLS to each user, so ilpsum cannot include it. Two formats are read:

- a folder with `MRCONSO.RRF` and optionally `MRSTY.RRF` and `MRREL.RRF` (each may be `.gz`): English terms that are not
  suppressed, semantic types (`T047`), and relations to synonymous and narrower concepts;
- MetaMap's fielded MMI output, lines of 9 or 10 fields: concepts with semantic types (`dsyn`) and, as terms, the text
  that MetaMap matched. Such a thesaurus contains only what MetaMap matched, so run MetaMap on the citances.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ilpsum.errors import InputError, counted
from ilpsum.files.reading import MISSING, head, text_lines
from ilpsum.task1.thesaurus import Concept, Thesaurus

RELATIONS = frozenset({"SY", "RL", "RQ", "CHD", "RN"})
"""MRREL relations used for expansion: synonym, like, possibly synonymous, child, narrower."""

_CONSO_FIELDS, _STY_FIELDS, _REL_FIELDS = 17, 4, 15
# An escaped quote never begins a trigger, so each trigger is scanned once.
_TRIGGER = re.compile(r'(?<!\\)"((?:[^"\\]|\\.)*+)"-[a-z]+-\d+-"((?:[^"\\]|\\.)*+)"-')
_CUI = re.compile(r"C\d{7}")


def read(paths: Sequence[Path]) -> Thesaurus:
    """Read UMLS from folders of tables and MMI files, merged by CUI; `InputError` if a path is neither."""
    return Thesaurus(concept for path in paths for concept in _concepts(path))


def _concepts(path: Path) -> Iterator[Concept]:
    if path.is_dir():
        return _tables(path)
    if path.name.startswith("MRCONSO"):
        return _tables(path.parent)
    if not path.exists():
        raise InputError(MISSING, path)
    if b"|" not in head(path):
        raise InputError("expected a folder with MRCONSO.RRF, or MetaMap's fielded MMI output", path)
    return _mmi(path)


def _tables(folder: Path) -> Iterator[Concept]:
    """Yield the concepts of a folder: first their terms, then types and relations of concepts with terms."""
    conso = _table(folder, "MRCONSO")
    if conso is None:
        raise InputError("no MRCONSO.RRF in the folder; expected a subset of the UMLS Metathesaurus", folder)
    known: set[str] = set()
    for concept in _terms(conso):
        known.add(concept.id)
        yield concept
    types, relations = _table(folder, "MRSTY"), _table(folder, "MRREL")
    if types is not None:
        for _, f in _rows(types, _STY_FIELDS):
            if f[0] in known:
                yield Concept(f[0], "", (), (f[1],))
    if relations is not None:
        for _, f in _rows(relations, _REL_FIELDS):
            # "CUI1 REL CUI2" means: the second is a REL (child, narrower concept) of the first.
            if f[3] in RELATIONS and f[0] != f[4] and known.issuperset((f[0], f[4])) and f[14] in ("N", ""):
                yield Concept(f[0], "", (), (), (f[4],))


def _terms(conso: Path) -> Iterator[Concept]:
    """Yield a one-term concept for each unsuppressed English row, with a name if the row is preferred."""
    for number, f in _rows(conso, _CONSO_FIELDS):
        cui, language, status, form, term, suppressed = f[0], f[1], f[2], f[4], f[14], f[16]
        if not _CUI.fullmatch(cui):
            raise InputError(f"expected a CUI, got {cui!r}", conso, number)
        if language == "ENG" and suppressed in ("N", ""):
            yield Concept(cui, term if status == "P" and form == "PF" and f[6] == "Y" else "", (term,))


def _table(folder: Path, name: str) -> Path | None:
    return next((p for p in (folder / f"{name}.RRF", folder / f"{name}.RRF.gz") if p.exists()), None)


def _rows(path: Path, fields: int = 0) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and fields of each non-blank line."""
    for number, line in text_lines(path):
        row = line.strip().split("|")
        if len(row) < fields and line.strip():
            raise InputError(f"{counted(len(row), 'field')}; expected at least {fields} in {path.name}", path, number)
        if line.strip():
            yield number, row


def _mmi(path: Path) -> Iterator[Concept]:
    """Read `id|MMI|score|name|CUI|[types]|[triggers]|location|positions|tree codes`; the last field is optional."""
    for number, f in _rows(path):
        if len(f) > 1 and f[1] in ("AA", "UA"):  # abbreviations
            continue
        if len(f) not in (9, 10) or f[1] != "MMI" or not _CUI.fullmatch(f[4]):
            raise InputError("expected 9 or 10 fields, `id|MMI|score|name|CUI|...`", path, number)
        types = tuple(t.strip() for t in f[5].strip("[]").split(",") if t.strip())
        terms = dict.fromkeys([f[3], *(text for pair in _TRIGGER.findall(f[6]) for text in pair)])
        yield Concept(f[4], f[3], tuple(terms), types)
