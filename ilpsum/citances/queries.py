"""The ways to link citances, each by name, as TOML: what the query is made of, how runs are ranked, how facets go.

A way is one file in configs/queries/, or a file of the user's own; unknown keys are refused. `Query.load("citance")`.
"""

from pathlib import Path
from typing import Literal

import msgspec

from ilpsum import resources
from ilpsum.citances.classifiers import CLASSIFIERS
from ilpsum.citances.retrieval import RANKINGS
from ilpsum.errors import UsageError
from ilpsum.io import tables

Terms = Literal["words", "mesh", "umls", "noun-phrases", "idf", "health-terms"]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of the file; what it does not know is refused."""


class Reformulation(_Table, frozen=True):
    """Which words of a citance the query keeps.

    Attributes:
        keep: the union of these; `words` keeps all.
        expand: whether related concepts of the thesaurus are added, at `weight`.
        weight: weight of a stem that expansion adds; those of the citance weigh 1.
        idf: `idf` keeps words above this IDF.
        odds: `health-terms` keeps words above this odds ratio.
        markers: whether citation markers stay in the text.
    """

    keep: tuple[Terms, ...] = ("words",)
    expand: bool = False
    weight: float = 0.3
    idf: float = 3.0
    odds: float = 5.0
    markers: bool = False


class Spans(_Table, frozen=True):
    """How spans are found.

    Attributes:
        method: `ranked` retrieves runs for the query; `learned` predicts how many annotators mark each sentence.
        ranking: a name of `RANKINGS`.
        parts: which parts of the paper are in the index beside its prose.
        top: how many runs are looked at.
        rerank: whether the top is ranked again by how many others overlap a run.
    """

    method: Literal["ranked", "learned"] = "ranked"
    ranking: str = "vector-space"
    parts: tuple[Literal["caption", "table", "reference", "meta", "front", "title"], ...] = ()
    top: int = 30
    rerank: bool = True

    def __post_init__(self) -> None:
        RANKINGS[self.ranking]
        if self.top < 1:
            raise ValueError(f"top is {self.top}; at least 1 was expected")


class Facets(_Table, frozen=True):
    """How facets are predicted.

    Attributes:
        method: a name of `CLASSIFIERS`.
        sections: weight of the sections in which the reference text stands, among the features.
    """

    method: str = "svm"
    sections: float = 0.0

    def __post_init__(self) -> None:
        CLASSIFIERS[self.method]


class Query(_Table, frozen=True):
    """A named way to link citances.

    Attributes:
        description: one line.
        name: taken from the file's name.
        model: name of the model that ships for it; those that differ only in the query share one.
        terms, spans, facets: the three steps.
    """

    description: str
    name: str = ""
    model: str = "task1-facets"
    terms: Reformulation = Reformulation()
    spans: Spans = Spans()
    facets: Facets = Facets()

    @classmethod
    def load(cls, name: str | Path) -> "Query":
        """A way by its name or by the path of its file (which ends in .toml).

        Raises:
            UsageError: none has this name; the error lists those that exist.
            InputError: the file cannot be read as one.
        """
        folder = resources.configs() / "queries"
        path = Path(name) if str(name).endswith(".toml") else folder / f"{name}.toml"
        if str(name) not in names() and path.parent == folder:
            raise UsageError(f"unknown query {str(name)!r}; there are: {', '.join(names())}; or name a .toml file")
        query = tables.read(path, cls, "a query", "configs/queries/")
        return msgspec.structs.replace(query, name=path.stem)


def names() -> tuple[str, ...]:
    """The names of the ways that ship, sorted."""
    return tuple(sorted(path.stem for path in (resources.configs() / "queries").glob("*.toml")))
