"""Thesauri and background counts from the files that a user names."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ilpsum.citances.queries import Query
from ilpsum.citances.reformulation import Sources
from ilpsum.citances.thesaurus import Thesaurus
from ilpsum.errors import InputError
from ilpsum.io.folders import walk


def read_sources(
    query: str,
    mesh: Sequence[str] | None = None,
    umls: Sequence[str] | None = None,
    vectors: str | None = None,
    health: Sequence[str] | None = None,
    other: Sequence[str] | None = None,
) -> Sources:
    """What a query looks things up in.

    Args:
        query: the name of the query; only what it asks for is read by default.
        mesh: files of MeSH.
        umls: folders with `MRCONSO.RRF`, or files of MetaMap.
        vectors: word vectors with IDF; those that ship, if the query asks for IDF.
        health: background texts on health, for odds ratios.
        other: other background texts.

    Raises:
        InputError: a file cannot be read as what it should be.
    """
    wants_idf = "idf" in Query.load(query).terms.keep
    return Sources(
        mesh=_mesh(mesh) if mesh else None,
        umls=_umls(umls) if umls else None,
        idf=_idf(vectors) if vectors or wants_idf else None,
        odds=odds_ratios(health, other) if health and other else None,
    )


def odds_ratios(health: Sequence[str | Path], other: Sequence[str | Path], least: int = 3) -> dict[str, float]:
    """The odds ratio of each word of the health texts: documents with it there, over other documents with it.

    As Cohan et al. (2014) define it, with 0.5 added to the second count for words that stand only in the first. It
    depends on the sizes of the two collections, so these belong beside every figure made with it.

    Args:
        health: files of texts on health.
        other: files of other texts.
        least: documents that a word must stand in.
    """
    from ilpsum.learning.embedding_training import Texts, count

    mine, others = count(Texts(_files(health))), count(Texts(_files(other)))
    return {
        word: frequency / (others.frequencies.get(word, 0) or 0.5)
        for word, frequency in mine.frequencies.items()
        if frequency >= least
    }


def _mesh(files: Sequence[str]) -> Thesaurus:
    from ilpsum.citances import mesh

    return mesh.read([Path(file) for file in files])


def _umls(paths: Sequence[str]) -> Thesaurus:
    from ilpsum.citances import umls

    return umls.read([Path(path) for path in paths])


def _files(paths: Sequence[str | Path]) -> list[str | Path]:
    """The files of folders, sorted."""
    found: list[str | Path] = []
    for path in map(Path, paths):
        found += sorted(place / name for place, _, names in walk(path) for name in names) if path.is_dir() else [path]
    if not found:
        raise InputError("no files in it; background texts were expected", paths[0])
    return found


def _idf(vectors: str | None) -> Mapping[str, float]:
    from ilpsum.learning import embeddings

    table = embeddings.load(vectors) if vectors else embeddings.default()
    return {word: float(table.idf[row]) for word, row in table.index.items()}
