"""Variants of candidate sentences: mutually exclusive compressed alternatives.

A variant follows its uncompressed sentence among the candidates and shares its document and span. Its words differ, and
its relevance is predicted with the variant in place of the sentence. Joint extraction and compression in one ILP
follows Martins and Smith (2009) and Berg-Kirkpatrick, Gillick and Klein (2011); here the trimming rules of Lin and
Wilbur (2007) generate the variants beforehand, so the ILP of `ilpsum.selection` is unchanged.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

import numpy as np

from features.arrays import Floats
from features.context import Context
from features.sets import FeatureSet
from features.text import Passage
from ilpsum.files.processes import single_threaded
from ilpsum.learning.relevance import RelevanceModel
from ilpsum.pipeline.system import CompressionTable
from ilpsum.records import Cut, Sentence

if TYPE_CHECKING:
    from ilpsum.compression.compressor import Compressed


def with_variants(
    sentences: Sequence[Sentence],
    context: Context,
    raw: Floats,
    options: CompressionTable,
    features: FeatureSet,
    model: RelevanceModel,
) -> tuple[tuple[Sentence, ...], Context, Floats]:
    """Return the candidates with their variants added, their context and features.

    The n uncompressed sentences have predicted relevance and (n, columns) features `raw`. Each is followed by its
    variants, longest first, whose features are computed with all other sentences uncompressed.
    """
    compressed = _variants(sentences, options)
    values = _features(compressed, context, features, model)
    extended: list[Sentence] = []
    matrix: list[Floats] = []
    rows: list[int] = []
    passages: list[Passage] = []
    for i, whole in enumerate(sentences):
        own = np.vstack([raw[i : i + 1], *values[i]])
        relevance = model.predict(own[1:], raw).tolist()
        shorter = [replace(variant, relevance=value) for variant, value in zip(compressed[i], relevance, strict=True)]
        extended += [whole, *shorter]
        matrix.append(own)
        rows += [i] * (1 + len(shorter))
        passages += [context.sentences[i], *(Passage(variant.text) for variant in shorter)]
    context = replace(at_rows(context, rows), sentences=tuple(passages))
    return tuple(extended), context, np.vstack(matrix) if matrix else raw


def at_rows(context: Context, rows: Sequence[int]) -> Context:
    """Return the context restricted to these sentences, in this order; repetitions are allowed."""
    index = np.array(rows, dtype=np.int64)
    return replace(
        context,
        sentences=tuple(context.sentences[i] for i in rows),
        document=context.document[index],
        position=context.position[index],
        section=tuple(context.section[i] for i in rows),
        is_citance=context.is_citance[index],
        roles=None if context.roles is None else context.roles[index],
        evidence=context.evidence and replace(context.evidence, sentences=context.evidence.sentences[index]),
    )


def whole(sentences: Iterable[Sentence]) -> list[int]:
    """Return the indices of the uncompressed sentences."""
    return [i for i, sentence in enumerate(sentences) if not sentence.original]


def groups(sentences: Sequence[Sentence]) -> tuple[tuple[int, ...], ...]:
    """Return for each sentence with variants its index and theirs, the uncompressed sentence first."""
    edges = [*whole(sentences), len(sentences)]
    return tuple(tuple(range(a, b)) for a, b in pairwise(edges) if b - a > 1)


def _variants(sentences: Sequence[Sentence], options: CompressionTable) -> list[tuple[Sentence, ...]]:
    """Return for each sentence the variants that have fewer words."""
    from ilpsum.compression.compressor import compressor_of
    from ilpsum.compression.options import CompressorOptions

    # The parser's matrices are small: more threads slow it down.
    compressor = compressor_of(CompressorOptions(options.rules, min_words=options.min_words))
    compressions = single_threaded(compressor.variants, [sentence.text for sentence in sentences])
    return [
        tuple(shorter for variant in variants if (shorter := _variant(sentence, variant)).words < sentence.words)
        for sentence, variants in zip(sentences, compressions, strict=True)
    ]


def _variant(sentence: Sentence, variant: "Compressed") -> Sentence:
    text = " ".join(variant.text.split())
    cuts = tuple(Cut(firing.rule, span.start, span.end) for firing in variant.firings for span in firing.spans)
    return replace(sentence, text=text, words=len(text.split()), original=sentence.text, cuts=cuts)


def _features(
    compressed: Sequence[Sequence[Sentence]], context: Context, features: FeatureSet, model: RelevanceModel
) -> list[list[Floats]]:
    """Return the (1, columns) features of each variant, computed with it in place of its sentence."""
    rows: list[list[Floats]] = [[] for _ in compressed]
    # Some features depend on all sentences of a topic. Each round replaces several sentences by their next variant:
    # all of them, or one per document if a feature depends on the lengths of preceding sentences.
    by_document = "order" in features.features
    waiting: dict[int, list[tuple[int, Passage]]] = {}
    for i, of_sentence in enumerate(compressed):
        key = int(context.document[i]) if by_document else i
        waiting.setdefault(key, []).extend((i, Passage(variant.text)) for variant in of_sentence)
    for of_round in zip_longest(*waiting.values()):
        shortened = [pair for pair in of_round if pair]
        passages = list(context.sentences)
        for i, passage in shortened:
            passages[i] = passage
        raw = model.extended(features.matrix(replace(context, sentences=tuple(passages))), passages)
        for i, _ in shortened:
            rows[i].append(raw[i : i + 1])
    return rows
