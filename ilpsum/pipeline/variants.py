"""Shortened forms of candidate sentences, as alternatives of which a selection takes one at most.

Each form stands behind its whole sentence among the candidates, with the whole one's document and place, its own words,
and its own relevance: the one predicted of it in its sentence's place. Joint extraction and compression as one integer
program follows Martins and Smith (2009) and Berg-Kirkpatrick, Gillick and Klein (2011); here the forms are made
beforehand, by the trimming rules of Lin and Wilbur (2007), so that the program stays the one of `ilpsum.selection`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from features.arrays import Floats
from features.context import Context
from features.sets import FeatureSet
from features.text import Passage
from ilpsum.learning.relevance import RelevanceModel
from ilpsum.parallel.executor import single_threaded
from ilpsum.pipeline.system import CompressionTable
from ilpsum.records import Cut, Sentence

if TYPE_CHECKING:
    from ilpsum.compression.compressor import Compressor, Variant


def with_variants(
    found: Sequence[Sentence],
    around: Context,
    raw: Floats,
    options: CompressionTable,
    features: FeatureSet,
    model: RelevanceModel,
) -> tuple[tuple[Sentence, ...], Context, Floats]:
    """The candidates with their shortened forms.

    Args:
        found: n whole sentences with their predicted relevance.
        around: their context.
        raw: (n, columns) their features.
        options: the rules.
        features: what relevance is predicted from.
        model: predicts it.

    Returns:
        The sentences, each form behind its whole one, the longest first, their context, and their features: those of a
        form as it stands in its sentence's place, all other sentences being whole.

    Raises:
        UnknownNameError: no such rule.
    """
    forms = _forms(found, options)
    values = _features(forms, around, features, model)
    sentences: list[Sentence] = []
    matrix: list[Floats] = []
    rows: list[int] = []
    passages: list[Passage] = []
    for i, whole in enumerate(found):
        own = np.vstack([raw[i : i + 1], *values[i]])
        relevance = model.predict(own[1:], raw).tolist()
        shorter = [replace(form, relevance=value) for form, value in zip(forms[i], relevance, strict=True)]
        sentences += [whole, *shorter]
        matrix.append(own)
        rows += [i] * (1 + len(shorter))
        passages += [around.sentences[i], *(Passage(form.text) for form in shorter)]
    extended = replace(at_rows(around, rows), sentences=tuple(passages))
    return tuple(sentences), extended, np.vstack(matrix) if matrix else raw


def at_rows(around: Context, rows: Sequence[int]) -> Context:
    """The context of some of its sentences."""
    index = np.array(rows, dtype=np.int64)
    return replace(
        around,
        sentences=tuple(around.sentences[i] for i in rows),
        document=around.document[index],
        position=around.position[index],
        section=tuple(around.section[i] for i in rows),
        is_citance=around.is_citance[index],
    )


def whole(sentences: Iterable[Sentence]) -> list[int]:
    """The places of the sentences that are no shortened forms."""
    return [i for i, sentence in enumerate(sentences) if not sentence.original]


def groups(sentences: Sequence[Sentence]) -> tuple[tuple[int, ...], ...]:
    """The places of the forms of each sentence that has several, the whole one first."""
    edges = [*whole(sentences), len(sentences)]
    return tuple(tuple(range(a, b)) for a, b in pairwise(edges) if b - a > 1)


@cache
def _compressor(rules: tuple[str, ...], min_words: int) -> "Compressor":
    """One a process: the parser's weights are read once."""
    from ilpsum.compression.compressor import Compressor, CompressorOptions
    from ilpsum.compression.idf import load_idf
    from ilpsum.compression.storage import load_parser

    idf = load_idf() if "simple-np" in rules else None
    return Compressor(CompressorOptions(rules, min_words=min_words, idf=idf), load_parser())


def _forms(found: Sequence[Sentence], options: CompressionTable) -> list[tuple[Sentence, ...]]:
    """The shortened forms of each sentence, those that have fewer words."""
    # The parser's matrices are small: several threads only get in each other's way.
    compressor = _compressor(options.rules, options.min_words)
    made = single_threaded(compressor.variants_all, [sentence.text for sentence in found])
    return [
        tuple(form for variant in variants if (form := _form(sentence, variant)).words < sentence.words)
        for sentence, variants in zip(found, made, strict=True)
    ]


def _form(sentence: Sentence, variant: "Variant") -> Sentence:
    text = " ".join(variant.text.split())
    cuts = tuple(Cut(firing.rule, span.start, span.end) for firing in variant.firings for span in firing.spans)
    return replace(sentence, text=text, words=len(text.split()), original=sentence.text, cuts=cuts)


def _features(
    forms: Sequence[Sequence[Sentence]], around: Context, features: FeatureSet, model: RelevanceModel
) -> list[list[Floats]]:
    """The (1, columns) features of each form, in the context in which it stands in its sentence's place.

    Some features look at all sentences of a topic. So in round k the kth form of every sentence is put in its place;
    sentences without one stay whole.
    """
    found: list[list[Floats]] = [[] for _ in forms]
    for k in range(max(map(len, forms), default=0)):
        having = [i for i, of_sentence in enumerate(forms) if len(of_sentence) > k]
        passages = list(around.sentences)
        for i in having:
            passages[i] = Passage(forms[i][k].text)
        raw = model.read(features.matrix(replace(around, sentences=tuple(passages))), passages)
        for i in having:
            found[i].append(raw[i : i + 1])
    return found
