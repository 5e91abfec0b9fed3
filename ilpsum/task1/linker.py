"""Task 1: queries, their trained models, and the links of every citance to its cited spans and
facet.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from ilpsum import resources
from ilpsum.errors import InputError, ModelError, UsageError
from ilpsum.files.records import Natural, Table, named_file, read_table, tables_in
from ilpsum.learning import stored
from ilpsum.learning.seen import TrainedOn, topic_key
from ilpsum.papers.layout import PROSE
from ilpsum.records import Span, Topic
from ilpsum.task1 import facets, retrieval
from ilpsum.task1.classifiers import CLASSIFIERS
from ilpsum.task1.facets import FacetModel, examples, gold_examples
from ilpsum.task1.ranker import Ranker, choose_spans
from ilpsum.task1.ranker import examples as span_examples
from ilpsum.task1.ranker import train as train_ranker
from ilpsum.task1.reformulation import Background, Reformulation, bags
from ilpsum.task1.retrieval import RANKINGS, SpanIndex
from ilpsum.task1.terms import WEIGHTINGS, Analysis
from ilpsum.tasks.task1 import MAX_SENTENCES, Link, text_of


class Spans(Analysis, frozen=True):
    """How spans are selected, and how the text is analysed.

    Attributes:
        method: `ranked` retrieves spans by the query; `learned` predicts how many annotators mark
            each sentence.
        ranking: a key of `RANKINGS`.
        parts: parts of the paper to index in addition to its prose.
        top: number of top-ranked spans considered.
        rerank: whether to re-rank these by the number of overlapping spans among them.
        merge: whether to merge overlapping spans up to the task's limit of five sentences, or
            always, as published.
    """

    method: Literal["ranked", "learned"] = "ranked"
    ranking: str = "vector-space"
    parts: tuple[Literal["caption", "table", "reference", "meta", "front", "title"], ...] = ()
    top: Natural = 30
    rerank: bool = True
    merge: Literal["limit", "always"] = "limit"

    def __post_init__(self) -> None:
        RANKINGS[self.ranking]
        WEIGHTINGS[self.weighting]
        analysis = self.weighting, self.stop_words, self.stem
        if self.method == "learned" and analysis != ("tf-idf", False, True):
            raise ValueError(
                "weighting, stop-words and stem: only for ranked spans, not for learned ones"
            )
        if self.ranking != "vector-space" and self.weighting != "tf-idf":
            raise ValueError(
                f"weighting: only for the ranking vector-space, not for {self.ranking}"
            )


class Facets(Table, frozen=True):
    """How facets are predicted.

    Attributes:
        classifier: a key of `CLASSIFIERS`.
        sections: weight of the features of the cited and the citing sections.
    """

    classifier: str = "svm"
    sections: float = 0.0

    def __post_init__(self) -> None:
        CLASSIFIERS[self.classifier]


class Query(Table, frozen=True):
    """A named configuration of linking; queries that differ only in terms share one included
    `model`, and those with none have an empty one.
    """

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
        path = named_file(str(name), _included(), "query")
        query = read_table(path, cls, "a query", "configs/queries/")
        return msgspec.structs.replace(query, name=path.stem)


def names() -> tuple[str, ...]:
    """Return the names of the included queries, sorted."""
    return tuple(_included())


def _included() -> dict[str, Path]:
    return tables_in(resources.configs() / "queries")


KIND, PROTOCOL = "task1", 4


@dataclass(frozen=True)
class LinkModel:
    """A model of Task 1 with training metadata; no ranker for queries without learned spans.

    Attributes:
        topics: the topics it was trained on; see `ilpsum.learning.seen`.
        name: name of its file without `.npz`; of a model in memory, that of the included model of
            its query, or of a query without one.
    """

    facets: FacetModel
    ranker: Ranker | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    topics: TrainedOn = None
    name: str = ""

    @property
    def classifier(self) -> str:
        """The key of its classifier of facets in `CLASSIFIERS`."""
        # Models of earlier versions do not name it; there was one.
        return str(self.metadata.get("classifier", "svm"))

    def save(self, path: str | Path) -> None:
        """Write the model file."""
        stored.write(self, path, KIND, PROTOCOL)

    @classmethod
    def load(cls, path: str | Path) -> "LinkModel":
        """Read a model file; `ModelError` if the file is missing, damaged, or not a model of Task
        1.
        """
        return stored.read(cls, path, KIND, PROTOCOL)


def train(query: Query, topics: Iterable[Topic], seed: int = 1) -> LinkModel:
    """Train the model of a query: the facet classifier and, for learned spans, the ranker.

    Topics without annotated citances are skipped.

    Raises:
        InputError: no citance is annotated.
    """
    annotated = []
    for topic in topics:
        annotations = [a for citance in topic.citances for a in citance.annotations]
        if topic.reference and any(a.spans and a.facets for a in annotations):
            annotated.append(topic)
    voted = [example for topic in annotated for example in gold_examples(topic)]
    if not voted:
        raise InputError("no citance has gold spans and facets; expected annotated topics")
    wanted = query.facets
    classifier = facets.fit(voted, wanted.classifier, sections=wanted.sections, seed=seed)
    learned = None
    if query.spans.method == "learned":
        learned = train_ranker([*filter(None, map(span_examples, annotated))])
    metadata = {
        "query": query.name,
        "topics": [topic.id for topic in annotated],
        "citances": len(voted),
        "classifier": wanted.classifier,
        "seed": seed,
    }
    topics_seen = frozenset(map(topic_key, annotated))
    return LinkModel(classifier, learned, metadata, topics_seen, query.model or query.name)


class Linker:
    """Links the citances of topics with a query, its trained model, and any thesauri and background
    counts it needs.

    Raises:
        ModelError: the query needs a span ranker, which the model lacks, or another classifier of
            facets.
    """

    def __init__(
        self,
        query: Query,
        model: LinkModel,
        background: Background | None = None,
    ) -> None:
        has, wanted = model.classifier, query.facets.classifier
        lacks = ""
        if query.spans.method == "learned" and model.ranker is None:
            lacks = f"the model has no learned spans, but the query {query.name} needs them"
        elif has != wanted:
            lacks = f"the model predicts facets by {has}, but the query {query.name} by {wanted}"
        if lacks:
            raise ModelError(f"{lacks}; {_remedy(query.name)}")
        self.query, self.model, self.background = query, model, background or Background()

    @classmethod
    def load(
        cls,
        query: str | Path,
        model: str | Path | None = None,
        background: Background | None = None,
    ) -> "Linker":
        """Load a query and a model by name; by default the included model of the query.

        Raises:
            UsageError: the query does not exist or has no included model, or this model has another
                weight of section features.
            ModelError: the model file is missing or damaged, or lacks the span ranker that the
                query needs.
        """
        loaded = Query.load(query)
        if model is None and not loaded.model:
            raise UsageError(f"the query {loaded.name} has no included model; {_remedy(query)}")
        path = resources.models() / f"{loaded.model}.npz" if model is None else model
        trained = LinkModel.load(path)
        wanted = loaded.facets.sections
        weight = trained.facets.sections
        # A user's model may be shared by queries with other terms, whatever its weight of section
        # features.
        if model is None and wanted != weight:
            what = f"the included model predicts facets with the weight {weight:g} of sections"
            but = f"but the query {loaded.name} wants {wanted:g}"
            raise UsageError(f"{what}, {but}; {_remedy(query)}")
        return cls(loaded, trained, background)

    def __call__(self, topic: Topic, run: str) -> list[Link]:
        """Return a link for each citance of a topic, in order; `InputError` if the topic has no
        reference paper.
        """
        paper = topic.reference
        if paper is None:
            raise InputError(
                f"{topic.id} has no reference paper; pass the topic's folder with its documents"
            )
        cited = spans(topic, self.query, self.model.ranker, self.background)
        known = examples(paper, topic.citances, cited, topic.documents)
        facets = self.model.facets.predict(known)
        links = []
        for citance, spans_cited, facet in zip(topic.citances, cited, facets, strict=True):
            text = text_of(paper, spans_cited)
            links.append(Link(topic.id, citance.number, tuple(spans_cited), facet, run, text))
        return links


def _remedy(query: str | Path) -> str:
    return (
        f"train one with `ilpsum train TOPICS --query {query} --out MODEL`, then --model MODEL, or "
        "link with --folds"
    )


def spans(
    topic: Topic,
    query: Query,
    ranker: Ranker | None,
    background: Background,
) -> list[list[Span]]:
    """Return the predicted cited spans of each citance, best first; empty without a reference
    paper. Only a query with learned spans needs a ranker.
    """
    options, parts = query.spans, PROSE | frozenset(query.spans.parts)
    index = SpanIndex.of(topic.reference, parts, options) if topic.reference else None
    if not index or not topic.citances:
        return [[] for _ in topic.citances]
    if options.method == "learned" and ranker:
        return choose_spans(index, topic.citances, topic.documents, ranker)
    rank = RANKINGS[options.ranking]
    longest = MAX_SENTENCES if options.merge == "limit" else None
    by_citance = []
    for bag in bags(topic.citances, query.terms, background, options):
        chosen = retrieval.choose(
            index,
            rank(index, bag),
            top=options.top,
            rerank=options.rerank,
            longest=longest,
        )
        by_citance.append([index.characters(first, last) for first, last in chosen.tolist()])
    return by_citance
