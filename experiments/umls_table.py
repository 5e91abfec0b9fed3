"""Convert UMLS, or what MetaMap found in texts, to a table for `ilpsum link --umls FILE`.

    python experiments/umls_table.py META --out umls.tsv              a folder of MetamorphoSys
    python experiments/umls_table.py OUTPUT.txt... --out umls.tsv     MetaMap's fielded output

META holds MRCONSO.RRF and, for types and expansion, MRSTY.RRF and MRREL.RRF (each may be .gz). The
table has the English terms that are not suppressed, the preferred one first; related are synonyms,
children, narrower and similar concepts.

OUTPUT is made by `metamap -N` on the citances. The terms of a concept are then its names and the
words that MetaMap mapped to it, so `link` finds what MetaMap found; there are no related concepts.
UMLS and MetaMap are free from NLM, under a personal licence.
"""

import argparse
import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ilpsum.errors import IlpsumError, InputError
from ilpsum.files.reading import text_lines

EXPANDING = ("SY", "RL", "RQ", "CHD", "RN")
"""Relations to concepts by which a query is expanded."""
MMI_FIELDS = 7
# A trigger of MetaMap: "name of the concept"-place-number-"words of the text"-part of speech-0
_TRIGGER = re.compile(r'"([^"]*)"-[^"]*-"([^"]*)"-')


@dataclass
class Entry:
    """A concept: its names, the preferred one first, its types, and related concepts."""

    names: dict[str, None] = field(default_factory=dict)
    types: dict[str, None] = field(default_factory=dict)
    related: dict[str, None] = field(default_factory=dict)


def of_umls(folder: Path) -> dict[str, Entry]:
    """Read the files of a folder of MetamorphoSys; `InputError` if MRCONSO.RRF is missing."""
    preferred = dict[str, str]()
    entries = dict[str, Entry]()
    for row in _rows(folder, "MRCONSO", 17):
        cui, language, status, form, is_preferred = row[0], row[1], row[2], row[4], row[6]
        if language != "ENG" or row[16] not in ("N", ""):
            continue
        if (status, form, is_preferred) == ("P", "PF", "Y"):
            preferred.setdefault(cui, row[14])
        entries.setdefault(cui, Entry()).names[row[14]] = None
    for cui, name in preferred.items():
        entries[cui].names = {name: None} | entries[cui].names
    for row in _rows(folder, "MRSTY", 2):
        if row[0] in entries:
            entries[row[0]].types[row[1]] = None
    for row in _rows(folder, "MRREL", 15):
        first, relation, second = row[0], row[3], row[4]
        expands = relation in EXPANDING and row[14] in ("N", "") and first != second
        if expands and first in entries and second in entries:
            entries[first].related[second] = None
    return entries


def _rows(folder: Path, name: str, fewest: int) -> Iterator[list[str]]:
    """Yield the rows of a file; none if an optional one is missing."""
    paths = [folder / f"{name}.RRF", folder / f"{name}.RRF.gz"]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        if name == "MRCONSO":
            raise InputError("no MRCONSO.RRF; expected a folder of MetamorphoSys", folder)
        return
    for number, line in text_lines(path):
        row = line.split("|")
        if len(row) < fewest:
            raise InputError(f"{len(row)} columns, expected {fewest} or more", path, number)
        yield row


def of_metamap(paths: Iterable[Path]) -> dict[str, Entry]:
    """Read MetaMap's fielded output; `InputError` if there is no line of it.

    A line is `id|MMI|score|preferred name|CUI|[types]|triggers|...`; others (acronyms, notes) are
    skipped.
    """
    entries = dict[str, Entry]()
    for path in paths:
        found = False
        for number, line in text_lines(path):
            row = line.split("|")
            if len(row) < 2 or row[1] != "MMI":
                continue
            if len(row) < MMI_FIELDS:
                raise InputError(f"{len(row)} fields, expected {MMI_FIELDS} or more", path, number)
            found = True
            entry = entries.setdefault(row[4], Entry())
            entry.names[row[3]] = None
            entry.types |= dict.fromkeys(filter(None, row[5].strip("[]").split(",")))
            for name, words in _TRIGGER.findall(row[6]):
                entry.names |= {name: None, words: None}
        if not found:
            raise InputError("no line of MetaMap's fielded output; make it by `metamap -N`", path)
    return entries


def write(path: Path, entries: dict[str, Entry]) -> None:
    """Write the table; a bar or white space within a name becomes a space."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(
            stream, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None
        )
        table.writerow(("ui", "name", "entry_terms", "types", "related"))
        for cui, entry in entries.items():
            names = [" ".join(name.replace("|", " ").split()) for name in entry.names]
            table.writerow((cui, names[0], *map("|".join, (names, entry.types, entry.related))))


def main(argv: list[str] | None = None) -> None:
    """Convert, and say how many concepts there are."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path, nargs="+", metavar="META|OUTPUT.txt")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args(argv)
    folders = [path for path in arguments.source if path.is_dir()]
    if folders and len(arguments.source) > 1:
        parser.error("expected one folder, or files of MetaMap's output")
    try:
        entries = of_umls(folders[0]) if folders else of_metamap(arguments.source)
        write(arguments.out, entries)
    except IlpsumError as error:
        parser.error(str(error))
    print(f"{len(entries)} concepts in {arguments.out}")


if __name__ == "__main__":
    main()
