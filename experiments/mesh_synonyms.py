"""Make the included synonyms and names from the entry terms of MeSH.

    python experiments/mesh_synonyms.py [MESH.tsv.gz] [--out ilpsum/data/mesh]

The input has a header, then for each descriptor `ui`, `name`, entry terms and tree numbers, both
separated by `|`. The synonyms leave out inverted names (`Infarction, Myocardial`), names of more
than four terms or of one term of fewer than four characters, names whose terms another name of the
descriptor has, and names of several descriptors. The names are those of up to four terms in the
trees of organisms, diseases, chemicals and drugs, mental disorders and persons; names of several
terms that the synonyms have are left out.
"""

import argparse
import gzip
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from ilpsum.answers.alternatives import SEPARATOR
from ilpsum.pipeline.terms import terms
from ilpsum.resources import mesh

MOST_TERMS, LEAST_CHARACTERS = 4, 4
TREES = ("B", "C", "D", "F03", "M01")


def names(described: Iterable[str]) -> list[str]:
    """Return the names of a descriptor, as terms, one for each set of terms."""
    first: dict[frozenset[str], str] = {}
    for name in described:
        found = terms(name) if ", " not in name else []
        if 1 <= len(found) <= MOST_TERMS and (len(found) > 1 or len(found[0]) >= LEAST_CHARACTERS):
            first.setdefault(frozenset(found), " ".join(found))
    return list(first.values())


def rows(file: Path) -> list[list[str]]:
    """Return the fields of each descriptor."""
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        next(stream)
        return [line.rstrip("\n").split("\t") for line in stream]


def synonyms(file: Path) -> list[str]:
    """Return the lines of the synonyms that ship, sorted."""
    groups = [names([row[1], *row[2].split("|")]) for row in rows(file)]
    held = Counter(name for group in groups for name in group)
    unique = ([name for name in group if held[name] == 1] for group in groups)
    return sorted(SEPARATOR.join(group) for group in unique if len(group) > 1)


def named(file: Path, listed: Iterable[str]) -> list[str]:
    """Return the names that ship, sorted; `listed` are the lines of the synonyms."""
    elsewhere = {name for line in listed for name in line.split(SEPARATOR)}
    found = set[str]()
    for row in rows(file):
        if any(tree.startswith(TREES) for tree in row[3].split("|")):
            found.update(names([row[1], *row[2].split("|")]))
            single = (terms(name) for name in (row[1], *row[2].split("|")))
            found.update(name[0] for name in single if len(name) == 1)
    return sorted(name for name in found if " " not in name or name not in elsewhere)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "mesh",
        nargs="?",
        type=Path,
        default=Path("../shared/data/mesh/mesh2019_entry_terms.tsv.gz"),
    )
    parser.add_argument("--out", type=Path, default=mesh("names").parent)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    lines = synonyms(options.mesh)
    for name, found in (("synonyms", lines), ("names", named(options.mesh, lines))):
        file = options.out / mesh(name).name
        file.write_bytes(gzip.compress("\n".join(found).encode(), 9, mtime=0))
        print(f"{file}: {len(found)} lines, {file.stat().st_size} bytes", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
