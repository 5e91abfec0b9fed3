"""Examples for the classifier of facets, from citances and the spans they cite."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from ilpsum.citances.facets import FacetExample
from ilpsum.citances.markers import without_markers
from ilpsum.metrics.spans import union
from ilpsum.papers.layout import Block, outline
from ilpsum.records import Citance, Document, Span, Topic


def examples(paper: Document, citances: Sequence[Citance], cited: Sequence[Sequence[Span]]) -> list[FacetExample]:
    """Return an example for each citance of a paper, with the votes of its annotations (none in test topics).

    The spans cited by each are gold or predicted.
    """
    blocks = outline(paper)
    return [_example(citance, paper, blocks, spans) for citance, spans in zip(citances, cited, strict=True)]


def gold_examples(topic: Topic) -> list[FacetExample]:
    """Return an example for each citance with annotated facets; its spans are the union over annotators."""
    paper = topic.reference
    if paper is None:
        return []
    annotated = [c for c in topic.citances if any(a.facets for a in c.annotations)]
    return examples(paper, annotated, [union(s for a in c.annotations for s in a.spans) for c in annotated])


def _example(citance: Citance, paper: Document, blocks: Sequence[Block], cited: Sequence[Span]) -> FacetExample:
    votes: defaultdict[str, float] = defaultdict(float)
    for annotation in citance.annotations:
        for facet in annotation.facets:
            # CL-SciSumm's annotators may name several facets; each annotator has one vote.
            votes["hypothesis" if facet == "aim" else facet] += 1 / len(annotation.facets)
    text = " ".join(paper.text[span.start : span.end] for span in cited)
    return FacetExample(without_markers(citance), text, _sections(blocks, cited), votes)


def _sections(blocks: Sequence[Block], cited: Sequence[Span]) -> Counter[str]:
    """Count the characters of spans in each kind of section."""
    characters: Counter[str] = Counter()
    for span in cited:
        for block in blocks:
            inside = min(span.end, block.end) - max(span.start, block.start)
            if inside > 0:
                characters[block.section] += inside
    return characters
