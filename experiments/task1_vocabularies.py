"""Write free vocabularies of UMLS as a table, for `ilpsum link --umls FILE`.

    python -m experiments.task1_vocabularies --out FILE.tsv --mesh FILE... [--go GO.sqlite] [--genes
    org.Hs.eg.sqlite]

UMLS needs a licence; these do not. MeSH is in any form that `ilpsum link --mesh` reads. GO.sqlite
is in Bioconductor's package GO.db, org.Hs.eg.sqlite (human genes of NCBI, with the symbols of HGNC)
in org.Hs.eg.db. Download them yourself.

Concepts with the same name are one, as in UMLS; their identifiers (C9...) are made up and no CUIs
of NLM. Narrower concepts are related. Of the types that expansion leaves out, these vocabularies
have one: MeSH's publication formats and components are intellectual products, T170.
The other sources of UMLS are missing, so this is not UMLS: name the vocabularies with every result.
"""

import argparse
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from features.text import words
from ilpsum.task1.thesaurus import Thesaurus

PRODUCT = "T170"
PRODUCTS = ("Publication Formats", "Publication Components")


@dataclass(frozen=True, slots=True)
class Entry:
    """A concept of one vocabulary: its key there, its names, the preferred one first, the keys of narrower concepts."""

    source: str
    key: str
    names: tuple[str, ...]
    narrower: tuple[str, ...] = ()
    product: bool = False


def of_mesh(paths: Sequence[Path]) -> Iterator[Entry]:
    """Yield the descriptors of MeSH files."""
    thesaurus = Thesaurus.read(paths)
    left = [concept.id for concept in thesaurus if concept.name in PRODUCTS]
    products: set[str] = set()
    while left:
        if (descriptor := left.pop()) not in products:
            products.add(descriptor)
            left += thesaurus[descriptor].related
    for concept in thesaurus:
        names = tuple(dict.fromkeys((concept.name, *concept.terms)))
        yield Entry("MSH", concept.id, names, concept.related, concept.id in products)


def of_go(path: Path) -> Iterator[Entry]:
    """Yield the terms of the Gene Ontology from GO.db, with their synonyms and narrower terms."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as table:
        names = {
            i: [name]
            for i, name in table.execute(
                "SELECT _id, term FROM go_term WHERE ontology != 'universal'"
            )
        }
        for i, name in table.execute(
            "SELECT _id, synonym FROM go_synonym WHERE like_go_id = 0 ORDER BY _id, synonym"
        ):
            if i in names:
                names[i].append(name)
        below: dict[int, list[str]] = {}
        for tree in ("bp", "mf", "cc"):
            rows = f"SELECT _id, _parent_id FROM go_{tree}_parents WHERE relationship_type = 'isa' ORDER BY _id"
            for child, parent in table.execute(rows):
                below.setdefault(parent, []).append(str(child))
    for i, own in names.items():
        yield Entry("GO", str(i), tuple(own), tuple(below.get(i, ())))


def of_genes(path: Path) -> Iterator[Entry]:
    """Yield the human genes of org.Hs.eg.db with their symbols, names and aliases."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as table:
        aliases: dict[int, list[str]] = {}
        for i, alias in table.execute(
            "SELECT _id, alias_symbol FROM alias ORDER BY _id, alias_symbol"
        ):
            aliases.setdefault(i, []).append(alias)
        for i, name, symbol in table.execute(
            "SELECT _id, gene_name, symbol FROM gene_info ORDER BY _id"
        ):
            yield Entry("GENE", str(i), (name, symbol, *aliases.get(i, ())))


def write(path: Path, entries: Sequence[Entry]) -> tuple[int, int]:
    """Write the table; return the number of concepts, and of terms of concepts."""
    identifiers: dict[str, str] = {}
    own: dict[tuple[str, str], str] = {}
    for entry in entries:
        name = " ".join(words(entry.names[0])) or entry.names[0]
        own[entry.source, entry.key] = identifiers.setdefault(name, f"C9{len(identifiers):06d}")
    # Dicts as ordered sets.
    terms, types, related = (
        {cui: dict[str, None]() for cui in identifiers.values()} for _ in range(3)
    )
    for entry in entries:
        cui = own[entry.source, entry.key]
        terms[cui] |= dict.fromkeys(
            " ".join(name.replace("|", " ").split()) for name in entry.names
        )
        types[cui] |= dict.fromkeys([PRODUCT] * entry.product)
        related[cui] |= dict.fromkeys(own[entry.source, other] for other in entry.narrower)
    lines = ["ui\tname\tentry_terms\ttypes\trelated"]
    for cui, names in terms.items():
        others = [other for other in related[cui] if other != cui]
        lines.append(
            "\t".join([cui, next(iter(names)), *map("|".join, (names, types[cui], others))])
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(identifiers), sum(map(len, terms.values()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--mesh", type=Path, nargs="+", default=[])
    parser.add_argument("--go", type=Path)
    parser.add_argument("--genes", type=Path)
    options = parser.parse_args()
    entries = list(of_mesh(options.mesh)) if options.mesh else []
    entries += of_go(options.go) if options.go else []
    entries += of_genes(options.genes) if options.genes else []
    if not entries:
        parser.error("expected at least one vocabulary: --mesh, --go or --genes")
    concepts, terms = write(options.out, entries)
    print(f"{concepts} concepts with {terms} terms in {options.out}")


if __name__ == "__main__":
    main()
