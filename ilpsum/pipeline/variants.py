"""Variants of candidate sentences: compressed alternatives, of which a selection takes at most one.

A variant follows its whole sentence among the candidates, with that sentence's document and span, its own words, and
its own relevance, predicted in the sentence's place. Joint extraction and compression in one integer program follows
Martins and Smith (2009) and Berg-Kirkpatrick, Gillick and Klein (2011); here the trimming rules of Lin and Wilbur
(2007) make the variants beforehand, so the program remains that of `ilpsum.selection`.
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
    """Return the candidates with their variants, their context and features.

    Args:
        found: n whole sentences with their predicted relevance.
        around: their context.
        raw: (n, columns) their features.
        options: the trimming rules.
        features: the feature set.
        model: predicts relevance.

    Returns:
        The sentences, each followed by its variants, longest first; their context; and their features, those of a
        variant computed with all other sentences whole.

    Raises:
        UnknownNameError: no such rule.
    """
    compressed = _variants(found, options)
    values = _features(compressed, around, features, model)
    sentences: list[Sentence] = []
    matrix: list[Floats] = []
    rows: list[int] = []
    passages: list[Passage] = []
    for i, whole in enumerate(found):
        own = np.vstack([raw[i : i + 1], *values[i]])
        relevance = model.predict(own[1:], raw).tolist()
        shorter = [replace(variant, relevance=value) for variant, value in zip(compressed[i], relevance, strict=True)]
        sentences += [whole, *shorter]
        matrix.append(own)
        rows += [i] * (1 + len(shorter))
        passages += [around.sentences[i], *(Passage(variant.text) for variant in shorter)]
    extended = replace(at_rows(around, rows), sentences=tuple(passages))
    return tuple(sentences), extended, np.vstack(matrix) if matrix else raw


def at_rows(around: Context, rows: Sequence[int]) -> Context:
    """Return the context of some of its sentences."""
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
    """Return the places of the sentences that are not compressed."""
    return [i for i, sentence in enumerate(sentences) if not sentence.original]


def groups(sentences: Sequence[Sentence]) -> tuple[tuple[int, ...], ...]:
    """Return the places of the variants of each sentence that has several, the whole one first."""
    edges = [*whole(sentences), len(sentences)]
    return tuple(tuple(range(a, b)) for a, b in pairwise(edges) if b - a > 1)


@cache
def _compressor(rules: tuple[str, ...], min_words: int) -> "Compressor":
    """One compressor per process, so that the parser's weights load once."""
    from ilpsum.compression.compressor import Compressor, CompressorOptions
    from ilpsum.compression.idf import load_idf
    from ilpsum.compression.storage import load_parser

    idf = load_idf() if "simple-np" in rules else None
    return Compressor(CompressorOptions(rules, min_words=min_words, idf=idf), load_parser())


def _variants(found: Sequence[Sentence], options: CompressionTable) -> list[tuple[Sentence, ...]]:
    """The variants of each sentence that have fewer words."""
    # The parser's matrices are small: more threads slow it down.
    compressor = _compressor(options.rules, options.min_words)
    made = single_threaded(compressor.variants_all, [sentence.text for sentence in found])
    return [
        tuple(shorter for variant in variants if (shorter := _variant(sentence, variant)).words < sentence.words)
        for sentence, variants in zip(found, made, strict=True)
    ]


def _variant(sentence: Sentence, variant: "Variant") -> Sentence:
    text = " ".join(variant.text.split())
    cuts = tuple(Cut(firing.rule, span.start, span.end) for firing in variant.firings for span in firing.spans)
    return replace(sentence, text=text, words=len(text.split()), original=sentence.text, cuts=cuts)


def _features(
    compressed: Sequence[Sequence[Sentence]], around: Context, features: FeatureSet, model: RelevanceModel
) -> list[list[Floats]]:
    """The (1, columns) features of each variant, computed in its sentence's place.

    Some features depend on all sentences of a topic, so round k puts the kth variant of every sentence in its place;
    sentences without one stay whole.
    """
    found: list[list[Floats]] = [[] for _ in compressed]
    for k in range(max(map(len, compressed), default=0)):
        having = [i for i, of_sentence in enumerate(compressed) if len(of_sentence) > k]
        passages = list(around.sentences)
        for i in having:
            passages[i] = Passage(compressed[i][k].text)
        raw = model.read(features.matrix(replace(around, sentences=tuple(passages))), passages)
        for i in having:
            found[i].append(raw[i : i + 1])
    return found
