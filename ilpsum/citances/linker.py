"""Task 1, whole: a topic in, for every citance its cited spans and its facet out."""

from pathlib import Path

from ilpsum import resources
from ilpsum.citances import retrieval
from ilpsum.citances.facet_data import examples
from ilpsum.citances.index import PROSE, SpanIndex
from ilpsum.citances.models import LinkModel
from ilpsum.citances.queries import Query
from ilpsum.citances.ranker import choose_spans
from ilpsum.citances.reformulation import Sources, bags
from ilpsum.errors import InputError, ModelError, UsageError
from ilpsum.records import Span, Topic
from ilpsum.runs.task1 import Link


class Linker:
    """A way to link citances with its models, ready for topic after topic.

    Args:
        query: the way.
        model: its models.
        sources: thesauri and background counts, where the query needs some.
    """

    def __init__(self, query: Query, model: LinkModel, sources: Sources | None = None) -> None:
        if query.spans.method == "learned" and model.ranker is None:
            raise ModelError(
                f"a model without learned spans, which the query {query.name} needs; train it with `ilpsum train`"
            )
        self.query, self.model, self.sources = query, model, sources or Sources()

    @classmethod
    def load(
        cls, query: str | Path | Query, model: str | Path | None = None, sources: Sources | None = None
    ) -> "Linker":
        """A linker by the names of its query and model; by default the model that ships.

        Raises:
            UsageError: there is no such query, or it names other facets than the model has.
            ModelError: there is no such model, or it is made for another query.
        """
        way = query if isinstance(query, Query) else Query.load(query)
        path = Path(model) if model is not None else resources.models() / f"{way.model}.npz"
        kept = LinkModel.load(path)
        _same_facets(way, kept, query, None if model is None else path)
        return cls(way, kept, sources)

    def __call__(self, topic: Topic, run: str) -> list[Link]:
        """A link for every citance of the topic, in order.

        Raises:
            InputError: the topic has no reference paper.
        """
        paper = topic.reference
        if paper is None:
            what = "has no reference paper to find spans in; give the topic's folder with its documents"
            raise InputError(f"{topic.id} {what}")
        found = spans(topic, self.query, self.model, self.sources)
        facets = self.model.facets.predict(examples(paper, topic.citances, found))
        return [
            Link(topic.id, citance.number, tuple(own), facet, run)
            for citance, own, facet in zip(topic.citances, found, facets, strict=True)
        ]


def _same_facets(way: Query, model: LinkModel, query: str | Path | Query, path: Path | None) -> None:
    """Refuses a model whose classifier of facets is not the query's; `path` is None for the one that ships.

    A user's model may weigh the sections otherwise, since queries that differ in their terms alone share one.
    """
    wanted, own = way.facets, model.facets
    told = f"method {wanted.method}, sections {wanted.sections:g}"
    if path is None and (wanted.method, wanted.sections) != (own.method, own.features.sections):
        why = f"this query needs a model of its own: its facets ({told}) are not those of the model that ships"
    elif path is not None and wanted.method != own.method:
        why = f"{path} predicts facets by {own.method}, the query {way.name} by {wanted.method}"
    else:
        return
    file = way.name if isinstance(query, Query) else query
    raise UsageError(f"{why}; train one with `ilpsum train TOPICS --query {file} --out MODEL`, then --model MODEL")


def spans(topic: Topic, query: Query, model: LinkModel | None, sources: Sources) -> list[list[Span]]:
    """The spans that each citance of a topic cites, best first; the topic has a reference paper."""
    paper = topic.reference
    if paper is None or not topic.citances:
        return [[] for _ in topic.citances]
    index = SpanIndex.of(paper, PROSE | frozenset(query.spans.parts))
    if not len(index):
        return [[] for _ in topic.citances]
    if query.spans.method == "learned" and model is not None and model.ranker is not None:
        return choose_spans(index, topic.citances, topic.documents, model.ranker)
    rank = retrieval.RANKINGS[query.spans.ranking]
    found = []
    for bag in bags(topic.citances, query.terms, sources):
        chosen = retrieval.choose(index, rank(index, bag), top=query.spans.top, rerank=query.spans.rerank)
        found.append([index.span(first, last) for first, last in chosen.tolist()])
    return found
