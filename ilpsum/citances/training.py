"""Training of Task 1 models from annotated topics."""

from collections.abc import Iterable

from ilpsum.citances import facets, ranker
from ilpsum.citances.facet_data import gold_examples
from ilpsum.citances.models import LinkModel
from ilpsum.citances.queries import Query
from ilpsum.errors import InputError
from ilpsum.records import Topic


def train(query: Query, topics: Iterable[Topic], seed: int = 1) -> LinkModel:
    """Train the models of a query: the classifier of facets and, for learned spans, the ranker.

    Topics without annotated citances are skipped.

    Raises:
        InputError: no citance is annotated.
    """
    annotated = [topic for topic in topics if _is_annotated(topic)]
    voted = [example for topic in annotated for example in gold_examples(topic)]
    if not voted:
        raise InputError("no citance has gold spans and facets; expected annotated topics")
    classifier = facets.fit(voted, query.facets.method, sections=query.facets.sections, seed=seed)
    learned = None
    if query.spans.method == "learned":
        learned = ranker.train([examples for t in annotated if (examples := ranker.examples(t))], seed)
    metadata = {"query": query.name, "topics": [topic.id for topic in annotated], "citances": len(voted), "seed": seed}
    return LinkModel(classifier, learned, metadata)


def _is_annotated(topic: Topic) -> bool:
    return topic.reference is not None and any(a.spans and a.facets for c in topic.citances for a in c.annotations)
