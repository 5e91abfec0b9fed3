"""The trained model of Task 1 and its file: the facet classifier and, for learned spans, the ranker."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from features.registry import suggested
from ilpsum import resources
from ilpsum.errors import InputError, UsageError
from ilpsum.files.persistence import load, model_errors, prefixed, save
from ilpsum.files.records import Table, read_table
from ilpsum.records import Topic
from ilpsum.task1 import facets, ranker
from ilpsum.task1.facets import FacetDescription, FacetModel, gold_examples
from ilpsum.task1.ranker import Ranker, RankerDescription
from ilpsum.task1.retrieval import RANKINGS
from ilpsum.task1.terms import WEIGHTINGS, Analysis

Terms = Literal["words", "mesh", "umls", "noun-phrases", "idf", "health-terms"]


class Reformulation(Table, frozen=True):
    """Which words of a citance are query terms.

    Attributes:
        keep: kinds of words to keep, any of which suffices; `words` keeps all.
        expand: whether to add related concepts from the thesaurus.
        idf: minimum IDF (exclusive) of words kept by `idf`.
        absent: whether `idf` keeps words missing from the background, as rarer than all others, or drops them.
        empty: the query if no word is kept: the whole `citance`, or `none`, which retrieves no spans.
    """

    keep: tuple[Terms, ...] = ("words",)
    expand: bool = False
    idf: float = 3.0
    absent: Literal["keep", "drop"] = "keep"
    empty: Literal["citance", "none"] = "citance"


class Spans(Table, frozen=True):
    """How spans are selected.

    Attributes:
        method: `ranked` retrieves spans by the query; `learned` predicts how many annotators mark each sentence.
        ranking: a key of `RANKINGS`.
        parts: parts of the paper to index in addition to its prose.
        top: number of top-ranked spans considered.
        rerank: whether to re-rank these by the number of overlapping spans among them.
        merge: whether to merge overlapping spans up to the task's limit of five sentences, or always, as published.
        weighting: term weights in index and query for `vector-space`, a key of `WEIGHTINGS`.
        stop_words: whether stop words are terms (key `stop-words`).
        stem: whether terms are stems instead of words.
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
        """The text analysis for index and query."""
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
    """How the linear SVM predicts facets: the weight of its features of the cited sections."""

    sections: float = 0.0


class Query(Table, frozen=True):
    """A named configuration of linking; queries that differ only in terms share one included `model`."""

    description: str
    name: str = ""
    model: str = "task1-facets"
    terms: Reformulation = Reformulation()
    spans: Spans = Spans()
    facets: Facets = Facets()

    @classmethod
    def load(cls, name: str | Path) -> "Query":
        """Load a query by name or by the path of its .toml file.

        Raises:
            UsageError: no query has this name; the message lists the existing names.
            InputError: the file is not a valid query.
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


KIND, PROTOCOL = "task1", 1


class LinkDescription(msgspec.Struct):
    """The model file's description, in addition to the common fields."""

    facets: FacetDescription
    spans: RankerDescription | None = None
    facts: dict[str, Any] = {}


@dataclass(frozen=True)
class LinkModel:
    """A model of Task 1 with training metadata; no ranker for queries without learned spans."""

    facets: FacetModel
    ranker: Ranker | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def save(self, path: str | Path) -> None:
        """Write the model file."""
        facets, own = self.facets.state()
        arrays = {f"facets.{name}": array for name, array in own.items()}
        spans = None
        if self.ranker is not None:
            spans, own = self.ranker.state()
            arrays |= {f"spans.{name}": array for name, array in own.items()}
        description = LinkDescription(facets, spans, dict(self.metadata))
        save(path, KIND, PROTOCOL, msgspec.to_builtins(description), arrays)

    @classmethod
    def load(cls, path: str | Path) -> "LinkModel":
        """Read a model file; `ModelError` if the file is missing, damaged, or not a model of Task 1."""
        stored = load(path, KIND, PROTOCOL)
        with model_errors(path):
            known = msgspec.convert(stored.description, LinkDescription)
            facets = FacetModel.from_state(known.facets, prefixed(stored.arrays, "facets."))
            spans = known.spans
            ranker = Ranker.from_state(spans, prefixed(stored.arrays, "spans.")) if spans is not None else None
            return cls(facets, ranker, known.facts)


def train(query: Query, topics: Iterable[Topic], seed: int = 1) -> LinkModel:
    """Train the model of a query: the facet classifier and, for learned spans, the ranker.

    Topics without annotated citances are skipped.

    Raises:
        InputError: no citance is annotated.
    """
    annotated = [
        topic
        for topic in topics
        if topic.reference and any(a.spans and a.facets for c in topic.citances for a in c.annotations)
    ]
    voted = [example for topic in annotated for example in gold_examples(topic)]
    if not voted:
        raise InputError("no citance has gold spans and facets; expected annotated topics")
    classifier = facets.fit(voted, sections=query.facets.sections, seed=seed)
    learned = None
    if query.spans.method == "learned":
        learned = ranker.train([examples for t in annotated if (examples := ranker.examples(t))], seed)
    metadata = {"query": query.name, "topics": [topic.id for topic in annotated], "citances": len(voted), "seed": seed}
    return LinkModel(classifier, learned, metadata)
