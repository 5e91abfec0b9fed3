"""Background knowledge for queries: thesauri, and word counts in background texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from features.embeddings import Embeddings
from ilpsum.errors import InputError, UsageError
from ilpsum.files.folders import walk
from ilpsum.learning import embeddings
from ilpsum.task1 import mesh, umls
from ilpsum.task1.thesaurus import Thesaurus


@dataclass(frozen=True)
class Background:
    """Thesauri and background counts; None if the user gave none.

    `umls` may be the output of MetaMap. IDF defaults to the included vectors'; odds ratios compare words in health
    texts with other texts.
    """

    mesh: Thesaurus | None = None
    umls: Thesaurus | None = None
    idf: Mapping[str, float] | None = None
    odds: Mapping[str, float] | None = None

    @classmethod
    def read(
        cls,
        mesh_files: Sequence[str] | None = None,
        umls_paths: Sequence[str] | None = None,
        vectors: str | None = None,
        health: Sequence[str] | None = None,
        other: Sequence[str] | None = None,
    ) -> "Background":
        """Read MeSH files, folders with `MRCONSO.RRF` or MetaMap output, word vectors with IDF, and background texts.

        Raises:
            InputError: a file cannot be read or has the wrong format.
            UsageError: only one of `health` and `other` is given.
        """
        if bool(health) != bool(other):
            raise UsageError("--health and --other must be used together, for odds ratios")
        return cls(
            mesh=mesh.read(list(map(Path, mesh_files))) if mesh_files else None,
            umls=umls.read(list(map(Path, umls_paths))) if umls_paths else None,
            idf=_idf_of(embeddings.load(vectors)) if vectors else None,
            odds=odds_ratios(health, other) if health and other else None,
        )


@cache
def included_idf() -> Mapping[str, float]:
    """Return the IDF of the included word vectors."""
    return _idf_of(embeddings.default())


def _idf_of(table: Embeddings) -> dict[str, float]:
    return {word: float(table.idf[row]) for word, row in table.index.items()}


def odds_ratios(health: Sequence[str | Path], other: Sequence[str | Path], least: int = 3) -> dict[str, float]:
    """Return odds ratios of words: health documents with the word (at least `least`) over other documents with it.

    As in Cohan et al. (2014), except that words missing from the other documents count 0.5 there. A document is a line
    or a JSON record, also in folders: a page of many lines counts as many. The ratio depends on the sizes of the two
    collections (files or folders), so report both with every result.
    """
    from ilpsum.learning.embedding_training import Texts, count

    in_health, in_other = count(Texts(_files(health))).counts, count(Texts(_files(other))).counts
    return {word: n / (in_other.get(word, 0) or 0.5) for word, n in in_health.items() if n >= least}


def _files(paths: Sequence[str | Path]) -> list[str | Path]:
    """Replace folders by their files, recursively and sorted."""
    files: list[str | Path] = []
    for path in map(Path, paths):
        files += sorted(place / name for place, _, names in walk(path) for name in names) if path.is_dir() else [path]
    if not files:
        raise InputError("folder without files; expected background texts", paths[0])
    return files
