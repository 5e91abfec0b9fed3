"""Named queries, the configurations of linking, as TOML: terms of the query, ranking of spans, prediction of facets.

A query is a file in configs/queries/ or a user's own file; unknown keys are errors. `Query.load("citance")`.
"""

from pathlib import Path
from typing import Literal

import msgspec

from features.registry import suggested
from ilpsum import resources
from ilpsum.citances.retrieval import RANKINGS
from ilpsum.citances.terms import WEIGHTINGS, Analysis
from ilpsum.errors import UsageError
from ilpsum.io.records import Table, read_table

Terms = Literal["words", "mesh", "umls", "noun-phrases", "idf", "health-terms"]


class Reformulation(Table, frozen=True):
    """The words of a citance that the query keeps.

    Attributes:
        keep: the query keeps words of any of these kinds; `words` keeps all.
        expand: whether to add related concepts of the thesaurus.
        idf: `idf` keeps words above this IDF.
        absent: whether `idf` keeps words that the background lacks, as rarer than all others, or drops them.
        empty: the query of a citance of which no word is kept: the whole `citance`, or `none`, which finds no spans.
    """

    keep: tuple[Terms, ...] = ("words",)
    expand: bool = False
    idf: float = 3.0
    absent: Literal["keep", "drop"] = "keep"
    empty: Literal["citance", "none"] = "citance"


class Spans(Table, frozen=True):
    """How spans are chosen.

    Attributes:
        method: `ranked` retrieves spans by the query; `learned` predicts how many annotators mark each sentence.
        ranking: a name in `RANKINGS`.
        parts: parts of the paper to index in addition to its prose.
        top: number of spans considered.
        rerank: whether to rank these again by how many of the others overlap them.
        merge: whether overlapping spans are merged up to the task's limit of five sentences, or always, as published.
        weighting: how `vector-space` weighs the terms of index and query alike, a name in `WEIGHTINGS`.
        stop_words: whether stop words are terms of both (key `stop-words`).
        stem: whether the terms are stems, or else words.
    """

    method: Literal["ranked", "learned"] = "ranked"
    ranking: str = "vector-space"
    parts: tuple[Literal["caption", "table", "reference", "meta", "front", "title"], ...] = ()
    top: int = 30
    rerank: bool = True
    merge: Literal["limit", "always"] = "limit"
    weighting: str = "tf-idf"
    stop_words: bool = msgspec.field(default=False, name="stop-words")
    stem: bool = True

    @property
    def analysis(self) -> Analysis:
        """What the terms of index and query are."""
        return Analysis(self.weighting, self.stop_words, self.stem)

    def __post_init__(self) -> None:
        RANKINGS[self.ranking]
        WEIGHTINGS[self.weighting]
        if self.method == "learned" and self.analysis != Analysis():
            raise ValueError("weighting, stop-words and stem: only for ranked spans, not for learned ones")
        if self.ranking != "vector-space" and self.weighting != Analysis().weighting:
            raise ValueError(f"weighting: only for the ranking vector-space, not for {self.ranking}")
        if self.top < 1:
            raise ValueError(f"top: expected at least 1, got {self.top}")


class Facets(Table, frozen=True):
    """How facets are predicted: by `svm`, a linear SVM, with a weight of the features for sections of the reference."""

    method: str = "svm"
    sections: float = 0.0

    def __post_init__(self) -> None:
        if self.method != "svm":
            raise ValueError(f"facets.method: svm is the only classifier, got {self.method}")


class Query(Table, frozen=True):
    """A named configuration of linking; queries that differ only in their terms share one included `model`."""

    description: str
    name: str = ""
    model: str = "task1-facets"
    terms: Reformulation = Reformulation()
    spans: Spans = Spans()
    facets: Facets = Facets()

    @classmethod
    def load(cls, name: str | Path) -> "Query":
        """Load a query by its name, or by the path of its file (which ends in .toml).

        Raises:
            UsageError: no query has this name; the error lists those that exist.
            InputError: the file cannot be read as a query.
        """
        folder = resources.configs() / "queries"
        path = Path(name) if str(name).endswith(".toml") else folder / f"{name}.toml"
        if str(name) not in names() and path.parent == folder:
            known = f"there are: {', '.join(names())}; or name a .toml file"
            raise UsageError(f"unknown query {str(name)!r}; {known}{suggested(str(name), names())}")
        query = read_table(path, cls, "a query", "configs/queries/")
        return msgspec.structs.replace(query, name=path.stem)


def names() -> tuple[str, ...]:
    """Return the names of the included queries, sorted."""
    return tuple(sorted(path.stem for path in (resources.configs() / "queries").glob("*.toml")))
