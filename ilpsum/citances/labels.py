"""The facets of a summary's sentences, from the citances that Task 1 links to them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from ilpsum.citances.linker import Linker
from ilpsum.records import Facet, Sentence, Span, Topic

Place = tuple[str, Span, Facet]
"""A document, a stretch of it, and the facet that a citance gives to it."""


def facets_of(topic: Topic, sentences: Sequence[Sentence]) -> list[str]:
    """Return the facet of most citances that cite each sentence, or that it is part of; empty where there is none.

    Spans and facets are those of the query `best`. Among facets named equally often the first citance's counts.
    """
    paper = topic.reference
    if paper is None or not topic.citances:
        return [""] * len(sentences)
    places: list[Place] = []
    for citance, link in zip(topic.citances, _linker()(topic, ""), strict=True):
        places += [(paper.id, span, link.facet) for span in link.spans]
        places.append((citance.document, Span(citance.start, citance.end), link.facet))
    return [next((facet for facet, _ in counts.most_common(1)), "") for counts in votes(sentences, places)]


def votes(sentences: Iterable[Sentence], places: Sequence[Place]) -> list[Counter[Facet]]:
    """Count for each sentence the facets of the places that contain more than half of it."""
    return [
        Counter(
            facet
            for document, span, facet in places
            if document == s.document and 2 * (min(s.end, span.end) - max(s.start, span.start)) > s.end - s.start
        )
        for s in sentences
    ]


@cache
def _linker() -> Linker:
    return Linker.load("best")
