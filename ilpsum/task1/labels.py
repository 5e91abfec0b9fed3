"""Facets of a summary's sentences, as Task 1b predicts them, for a structured summary."""

from collections.abc import Sequence
from functools import cache

from ilpsum.records import Facet, Sentence, Topic
from ilpsum.task1.facets import FacetExample, FacetModel
from ilpsum.task1.linker import Linker


def facets_of(_topic: Topic, sentences: Sequence[Sentence]) -> list[Facet]:
    """Return the discourse facet of each sentence, predicted by the model of the query `best`.

    The sentence stands for both the citation and the text that it cites: weighted accuracy .62 on
    sentences that annotators marked, against .48 by rhetorical role
    (experiments/results/facets-of-sentences.md).
    """
    examples = [FacetExample(s.text, s.text, {s.section: 1}, {}, s.section) for s in sentences]
    return _model().predict(examples)


@cache
def _model() -> FacetModel:
    return Linker.load("best").model.facets
