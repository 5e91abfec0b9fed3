"""Make the synonyms that ship with ilpsum from the entry terms of MeSH.

    python experiments/mesh_synonyms.py [MESH.tsv.gz] [--out ilpsum/data/mesh/synonyms.txt.gz]

The input has a descriptor a line: `ui`, `name`, entry terms separated by `|`, and more, with a header. Left out are
inverted names (`Infarction, Myocardial`), names of more than four terms or of one term of fewer than four characters,
names whose terms another name of the descriptor has, and names of several descriptors.
"""

import argparse
import gzip
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from ilpsum.answers.alternatives import SEPARATOR
from ilpsum.pipeline.terms import terms
from ilpsum.resources import synonyms

MOST_TERMS, LEAST_CHARACTERS = 4, 4


def names(described: Iterable[str]) -> list[str]:
    """Return the names of a descriptor, as terms, one for each set of terms."""
    first: dict[frozenset[str], str] = {}
    for name in described:
        found = terms(name) if ", " not in name else []
        if 1 <= len(found) <= MOST_TERMS and (len(found) > 1 or len(found[0]) >= LEAST_CHARACTERS):
            first.setdefault(frozenset(found), " ".join(found))
    return list(first.values())


def lines(mesh: Path) -> list[str]:
    """Return the lines of the file that ships, sorted."""
    with gzip.open(mesh, "rt", encoding="utf-8") as stream:
        next(stream)
        rows = [line.rstrip("\n").split("\t") for line in stream]
    groups = [names([row[1], *row[2].split("|")]) for row in rows]
    held = Counter(name for group in groups for name in group)
    unique = ([name for name in group if held[name] == 1] for group in groups)
    return sorted(SEPARATOR.join(group) for group in unique if len(group) > 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mesh", nargs="?", type=Path, default=Path("../shared/data/mesh/mesh2019_entry_terms.tsv.gz"))
    parser.add_argument("--out", type=Path, default=synonyms())
    options = parser.parse_args()
    found = lines(options.mesh)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_bytes(gzip.compress("\n".join(found).encode(), 9, mtime=0))
    print(f"{len(found)} descriptors, {sum(map(len, (f.split(SEPARATOR) for f in found)))} names", file=sys.stderr)
    print(f"{options.out}: {options.out.stat().st_size} bytes", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
