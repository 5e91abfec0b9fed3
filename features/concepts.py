"""Features of concepts, used to predict the probability that a concept occurs in a human summary.

A concept is a bigram of words or stems in a candidate sentence. Its features describe the relevance
of the sentences that contain it, its frequency in sentences, documents and citances, their sections
and positions, whether its words occur in the question, and the form of its words.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from features.arrays import Floats, Ints
from features.context import Context
from features.order import BIGRAM_COLUMNS, bigram_order
from features.place import SECTIONS
from features.text import STOP_WORDS, Passage, porter
from features.tokens import Bigrams, Terms

# Bigrams of words, or of stems.
ConceptKind = Literal["words", "stems"]

# The two words or stems of a bigram.
Concept = tuple[str, str]

_STOPS: dict[ConceptKind, frozenset[str]] = {
    "words": STOP_WORDS,
    "stems": frozenset(map(porter, STOP_WORDS)),
}

COLUMNS = (
    *"best-score mean-score top-three-score total-score best-rank holders share-of-holders "
    "citing-holders".split(),
    *(f"holders-in-{section}" for section in SECTIONS),
    *"document-share citance-share in-query earliest first-is-stop-word "
    "second-is-stop-word".split(),
    *"both-are-stop-words lesser-frequency greater-frequency lesser-rarity greater-rarity "
    "lesser-citance-share".split(),
    *"greater-citance-share words-in-query words-in-abstract characters has-digit".split(),
)


@dataclass(frozen=True)
class Concepts:
    """The m distinct concepts of the candidates, by first occurrence, and (m, columns) features
    (see `concepts`).
    """

    names: tuple[Concept, ...]
    matrix: Floats


def concepts(
    context: Context, scores: Floats, kind: ConceptKind, *, order: bool = False
) -> Concepts:
    """Return the concepts of the n candidates with their features `COLUMNS` and, with `order`,
    `BIGRAM_COLUMNS`.

    `scores` are the (n,) relevance predictions in [0,1] of a model not trained on the topic.
    """
    bigrams = bigrams_of(context, kind)
    found, held = bigrams.pairs.sentences.first, bigrams.pairs.sentences.distinct
    if not len(found):
        return Concepts((), np.zeros((0, len(COLUMNS) + (len(BIGRAM_COLUMNS) if order else 0))))
    number = np.zeros(held.size, dtype=np.int64)
    number[found] = np.arange(len(found))
    by_concept = np.lexsort((held.text, number[held.ids]))
    concept, sentence = number[held.ids][by_concept], held.text[by_concept]
    families = [
        _of_holders(context, scores, concept, sentence, len(found)),
        _of_bigrams(context, bigrams.pairs, found, concept, sentence),
        _of_words(context, bigrams, found, _STOPS[kind]),
    ]
    if order:
        families.append(bigram_order(bigrams, found))
    return Concepts(tuple(bigrams.named(found)), np.column_stack(families))


def bigrams_of(context: Context, kind: ConceptKind) -> Bigrams:
    """Return the concepts of a topic's texts, numbered."""
    return context.vocabulary.stem_bigrams if kind == "stems" else context.vocabulary.bigrams


def concepts_of(passage: Passage, kind: ConceptKind) -> tuple[Concept, ...]:
    """Return the concepts of a passage, in order, with repetitions."""
    return passage.stem_bigrams if kind == "stems" else passage.bigrams


def _of_holders(context: Context, scores: Floats, concept: Ints, sentence: Ints, m: int) -> Floats:
    """Columns `best-score` to `holders-in-...`, from pairs (concept, sentence that contains it)
    sorted by concept.
    """
    n = len(context)
    starts = np.searchsorted(concept, np.arange(m))
    counts = np.diff(np.append(starts, len(concept))).astype(np.float64)
    held = scores[sentence]
    # Scores of each concept's sentences in descending order: the first three are its best.
    falling = np.lexsort((-held, concept))
    place = np.arange(len(concept)) - np.repeat(starts, counts.astype(np.int64))
    top = np.where(place < 3, held[falling], 0.0)
    rank = np.empty(n)
    rank[np.argsort(-scores, kind="stable")] = np.arange(n) / n
    sections = np.array([("discussion" if s == "conclusion" else s) for s in context.section])
    return np.column_stack([
        np.maximum.reduceat(held, starts),
        np.add.reduceat(held, starts) / counts,
        np.add.reduceat(top, starts) / np.minimum(counts, 3),
        np.log1p(np.add.reduceat(held, starts)),
        np.minimum.reduceat(rank[sentence], starts),
        np.log(counts),
        counts / n,
        np.log1p(np.add.reduceat(context.is_citance[sentence], starts)),
        *(np.log1p(np.add.reduceat((sections[sentence] == s).astype(np.float64),
        starts)) for s in SECTIONS),
    ])  # fmt: skip


def _of_bigrams(
    context: Context, pairs: Terms, found: Ints, concept: Ints, sentence: Ints
) -> Floats:
    """Columns `document-share` to `earliest`."""
    held_by = pairs.documents.distinct.counts, pairs.citances.distinct.counts
    in_documents, in_citances = (counts[found] for counts in held_by)
    earliest = np.minimum.reduceat(
        context.position[sentence], np.searchsorted(concept, np.arange(len(found)))
    )
    documents, citances = max(len(context.documents), 1), max(len(context.citances), 1)
    in_query = pairs.query.counts[found] > 0
    return np.column_stack([in_documents / documents, in_citances / citances, in_query, earliest])


def _of_words(context: Context, bigrams: Bigrams, found: Ints, stops: frozenset[str]) -> Floats:
    """Columns `first-is-stop-word` to `has-digit`: features of each of the two words."""
    terms, n = bigrams.terms, len(context)
    in_abstract = np.array([kind == "abstract" for kind in context.section], dtype=bool)[
        terms.sentences.text
    ]
    stop = np.array([name in stops for name in bigrams.names])
    of_word = np.array([
        stop, terms.sentences.distinct.counts, terms.citances.distinct.counts,
        (terms.query.counts > 0) & ~stop,
        terms.sentences.where(in_abstract).counts > 0,
        [*map(len, bigrams.names)], [any(map(str.isdigit, name)) for name in bigrams.names],
    ], dtype=np.float64)  # fmt: skip
    # (7, m) each, for the first and the second words of the bigrams.
    first, second = (of_word[:, part] for part in bigrams.parts[found].T)
    lesser, greater, both = np.minimum(first, second), np.maximum(first, second), first + second
    citances = max(len(context.citances), 1)
    return np.column_stack([
        first[0], second[0], lesser[0],
        lesser[1] / n, greater[1] / n, np.log(1 / (greater[1] / n)), np.log(1 / (lesser[1] / n)),
        lesser[2] / citances, greater[2] / citances, both[3], both[4], np.log(both[5]), greater[6],
    ])  # fmt: skip
