"""Readers of the thesauri and background counts that queries need."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ilpsum.citances.mesh import read as read_mesh
from ilpsum.citances.queries import Query
from ilpsum.citances.reformulation import Sources
from ilpsum.citances.umls import read as read_umls
from ilpsum.errors import InputError
from ilpsum.io.folders import walk
from ilpsum.learning import embeddings


def read_sources(
    query: str,
    mesh: Sequence[str] | None = None,
    umls: Sequence[str] | None = None,
    vectors: str | None = None,
    health: Sequence[str] | None = None,
    other: Sequence[str] | None = None,
) -> Sources:
    """Read the thesauri and background counts of a query.

    Args:
        query: the name of the query.
        mesh: files of MeSH.
        umls: folders with `MRCONSO.RRF`, or MetaMap output.
        vectors: word vectors with IDF; by default the included ones, read if the query needs IDF.
        health: background texts on health, for odds ratios.
        other: other background texts.

    Raises:
        InputError: a file cannot be read or has the wrong format.
    """
    needs_idf = "idf" in Query.load(query).terms.keep
    return Sources(
        mesh=read_mesh(list(map(Path, mesh))) if mesh else None,
        umls=read_umls(list(map(Path, umls))) if umls else None,
        idf=_idf(vectors) if vectors or needs_idf else None,
        odds=odds_ratios(health, other) if health and other else None,
    )


def odds_ratios(health: Sequence[str | Path], other: Sequence[str | Path], least: int = 3) -> dict[str, float]:
    """Return the odds ratio of each word: health documents with it, at least `least`, over other documents with it.

    As in Cohan et al. (2014), except that words missing from the other documents count 0.5 there. A document is a line
    or a JSON record, in folders too: a page of many lines counts as many. The ratio depends on the sizes of the two
    collections (files or folders), so report these with every result.
    """
    from ilpsum.learning.embedding_training import Texts, count

    in_health, in_other = count(Texts(_files(health))).counts, count(Texts(_files(other))).counts
    return {word: n / (in_other.get(word, 0) or 0.5) for word, n in in_health.items() if n >= least}


def _files(paths: Sequence[str | Path]) -> list[str | Path]:
    """Replace folders by the files in them, sorted."""
    files: list[str | Path] = []
    for path in map(Path, paths):
        files += sorted(place / name for place, _, names in walk(path) for name in names) if path.is_dir() else [path]
    if not files:
        raise InputError("folder without files; expected background texts", paths[0])
    return files


def _idf(vectors: str | None) -> Mapping[str, float]:
    table = embeddings.load(vectors) if vectors else embeddings.default()
    return {word: float(table.idf[row]) for word, row in table.index.items()}
