"""Task 1: links every citance of a topic to its cited spans and facet."""

from pathlib import Path

from ilpsum import resources
from ilpsum.errors import InputError, ModelError, UsageError
from ilpsum.formats.papers.layout import PROSE
from ilpsum.formats.task1 import Link
from ilpsum.records import Span, Topic
from ilpsum.task1 import retrieval
from ilpsum.task1.facets import examples
from ilpsum.task1.models import LinkModel, Query
from ilpsum.task1.ranker import choose_spans
from ilpsum.task1.reformulation import Background, bags
from ilpsum.task1.retrieval import LONGEST_SPAN, SpanIndex


class Linker:
    """Links the citances of topics with a query, its trained model, and any thesauri and background counts it needs.

    Raises:
        ModelError: the query needs a span ranker, which the model lacks.
    """

    def __init__(self, query: Query, model: LinkModel, background: Background | None = None) -> None:
        if query.spans.method == "learned" and model.ranker is None:
            needed = f"the model has no learned spans, but the query {query.name} needs them"
            raise ModelError(f"{needed}; train one with `ilpsum train TOPICS --query {query.name} --out MODEL`")
        self.query, self.model, self.background = query, model, background or Background()

    @classmethod
    def load(cls, query: str | Path, model: str | Path | None = None, background: Background | None = None) -> "Linker":
        """Load a query and a model by name; by default the included model of the query.

        Raises:
            UsageError: the query does not exist, or the included model has another weight of section features.
            ModelError: the model file is missing or damaged, or lacks the span ranker that the query needs.
        """
        loaded = Query.load(query)
        found = LinkModel.load(resources.models() / f"{loaded.model}.npz" if model is None else model)
        wanted, own = loaded.facets.sections, found.facets.sections
        # A user's model may be shared by queries with other terms, whatever its weight of section features.
        if model is None and wanted != own:
            what = f"the included model predicts facets with the weight {own:g} of sections"
            remedy = f"train one with `ilpsum train TOPICS --query {query} --out MODEL`, then --model MODEL"
            raise UsageError(f"{what}, but the query {loaded.name} wants {wanted:g}; {remedy}")
        return cls(loaded, found, background)

    def __call__(self, topic: Topic, run: str) -> list[Link]:
        """Return a link for each citance of a topic, in order; `InputError` if the topic has no reference paper."""
        paper = topic.reference
        if paper is None:
            raise InputError(f"{topic.id} has no reference paper; pass the topic's folder with its documents")
        cited = spans(topic, self.query, self.model, self.background)
        facets = self.model.facets.predict(examples(paper, topic.citances, cited))
        return [
            Link(topic.id, citance.number, tuple(own), facet, run)
            for citance, own, facet in zip(topic.citances, cited, facets, strict=True)
        ]


def spans(topic: Topic, query: Query, model: LinkModel | None, background: Background) -> list[list[Span]]:
    """Return the predicted cited spans of each citance, best first; empty without a reference paper."""
    parts, analysis = PROSE | frozenset(query.spans.parts), query.spans.analysis
    index = SpanIndex.of(topic.reference, parts, analysis) if topic.reference else None
    if not index or not topic.citances:
        return [[] for _ in topic.citances]
    if query.spans.method == "learned" and model is not None and model.ranker is not None:
        return choose_spans(index, topic.citances, topic.documents, model.ranker)
    rank = retrieval.RANKINGS[query.spans.ranking]
    options = query.spans
    longest = LONGEST_SPAN if options.merge == "limit" else None
    by_citance = []
    for bag in bags(topic.citances, query.terms, background, analysis):
        chosen = retrieval.choose(index, rank(index, bag), top=options.top, rerank=options.rerank, longest=longest)
        by_citance.append([index.characters(first, last) for first, last in chosen.tolist()])
    return by_citance
