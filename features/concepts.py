"""Features of concepts, used to predict the probability that a concept occurs in a human summary.

A concept is a bigram of words or stems in a candidate sentence. Its features describe the relevance
of the sentences that contain it, its frequency in sentences, documents and citances, their sections
and positions, whether its words occur in the question, and the form of its words.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from features.arrays import Column, Floats, Ints, names, ranks
from features.context import Context
from features.order import BIGRAM_COLUMNS, bigram_order
from features.place import SECTIONS, section
from features.text import STOP_WORDS, Passage, porter
from features.tokens import Bigrams

# Bigrams of words, or of stems.
ConceptKind = Literal["words", "stems"]

# The two words or stems of a bigram.
Concept = tuple[str, str]

_STOPS: dict[ConceptKind, frozenset[str]] = {
    "words": STOP_WORDS,
    "stems": frozenset(map(porter, STOP_WORDS)),
}


class _Holders(NamedTuple):
    """The sentences that contain a concept, its holders, and their scores.

    Attributes:
        best_score, mean_score: of the holders.
        top_three_score: mean of the three best.
        total_score: log(1 + sum).
        best_rank: the best rank of a holder among all n sentences, over n.
        holders: log(number).
        share_of_holders: number / n.
        citing_holders: log(1 + number of holders that are citances).
    """

    best_score: Column
    mean_score: Column
    top_three_score: Column
    total_score: Column
    best_rank: Column
    holders: Column
    share_of_holders: Column
    citing_holders: Column


class _Texts(NamedTuple):
    """Shares of documents and citances with the concept; whether the query has it; and the earliest
    position of a holder in its document.
    """

    document_share: Column
    citance_share: Column
    in_query: Column
    earliest: Column


class _Words(NamedTuple):
    """The two words of the concept.

    Attributes:
        first_is_stop_word, second_is_stop_word, both_are_stop_words: indicators.
        lesser_frequency, greater_frequency: share of the n sentences with the word.
        lesser_rarity, greater_rarity: log(1 / frequency), of the more and of the less frequent one.
        lesser_citance_share, greater_citance_share: share of the citances with the word.
        words_in_query: how many of the two are content words of the query.
        words_in_abstract: how many of the two are in a sentence of an abstract.
        characters: log(length of both).
        has_digit: whether one has a digit.
    """

    first_is_stop_word: Column
    second_is_stop_word: Column
    both_are_stop_words: Column
    lesser_frequency: Column
    greater_frequency: Column
    lesser_rarity: Column
    greater_rarity: Column
    lesser_citance_share: Column
    greater_citance_share: Column
    words_in_query: Column
    words_in_abstract: Column
    characters: Column
    has_digit: Column


COLUMNS = (
    *names(_Holders),
    *(f"holders-in-{name}" for name in SECTIONS),  # log(1 + number of holders there)
    *names(_Texts),
    *names(_Words),
)


@dataclass(frozen=True)
class Concepts:
    """The m distinct concepts of the candidates, by first occurrence, and (m, columns) features
    (see `concepts`).
    """

    names: tuple[Concept, ...]
    matrix: Floats


def concepts(
    context: Context,
    scores: Floats,
    kind: ConceptKind,
    *,
    order: bool = False,
) -> Concepts:
    """Return the concepts of the n candidates with their features `COLUMNS` and, with `order`,
    `BIGRAM_COLUMNS`.

    `scores` are the (n,) relevance predictions in [0,1] of a model not trained on the topic.
    """
    bigrams = bigrams_of(context, kind)
    distinct = bigrams.pairs.sentences.first
    if not len(distinct):
        width = len(COLUMNS) + (len(BIGRAM_COLUMNS) if order else 0)
        return Concepts((), np.zeros((0, width)))
    families = [
        _of_holders(context, scores, bigrams, distinct),
        np.column_stack(_of_words(context, bigrams, distinct, _STOPS[kind])),
    ]
    if order:
        families.append(bigram_order(bigrams, distinct))
    return Concepts(tuple(bigrams.named(distinct)), np.hstack(families))


def bigrams_of(context: Context, kind: ConceptKind) -> Bigrams:
    """Return the concepts of a topic's texts, numbered."""
    return context.vocabulary.stem_bigrams if kind == "stems" else context.vocabulary.bigrams


def concepts_of(passage: Passage, kind: ConceptKind) -> tuple[Concept, ...]:
    """Return the concepts of a passage, in order, with repetitions."""
    return passage.stem_bigrams if kind == "stems" else passage.bigrams


def _of_holders(context: Context, scores: Floats, bigrams: Bigrams, distinct: Ints) -> Floats:
    """Return the columns of `_Holders`, of sections, and of `_Texts`, of m distinct concepts."""
    n, m = len(context), len(distinct)
    # All pairs of a concept and a holder, by concept; the pairs of a concept begin at its start.
    held = bigrams.pairs.sentences.distinct
    number = np.zeros(held.size, dtype=np.int64)
    number[distinct] = np.arange(m)
    by_concept = np.lexsort((held.text, number[held.ids]))
    concept = number[held.ids][by_concept]
    holder = held.text[by_concept]
    starts = np.searchsorted(concept, np.arange(m))
    counts = np.bincount(concept, minlength=m)

    def total(values: Floats) -> Floats:
        """Return the sum of values of pairs for each concept."""
        return np.add.reduceat(values, starts)

    score = scores[holder]
    # The pairs of each concept by descending score: the first three are its best.
    falling = np.lexsort((-score, concept))
    rank_of_pair = np.arange(len(concept)) - starts[concept]
    top_three = np.where(rank_of_pair < 3, score[falling], 0.0)
    rank = ranks(scores) / n
    holders = _Holders(
        best_score=np.maximum.reduceat(score, starts),
        mean_score=total(score) / counts,
        top_three_score=total(top_three) / np.minimum(counts, 3),
        total_score=np.log1p(total(score)),
        best_rank=np.minimum.reduceat(rank[holder], starts),
        holders=np.log(counts),
        share_of_holders=counts / n,
        citing_holders=np.log1p(total(context.is_citance[holder])),
    )
    sections = [np.log1p(total(of_section[holder])) for of_section in section(context).T]
    pairs = bigrams.pairs
    texts = _Texts(
        document_share=pairs.documents.distinct.counts[distinct] / max(len(context.documents), 1),
        citance_share=pairs.citances.distinct.counts[distinct] / max(len(context.citances), 1),
        in_query=pairs.query.counts[distinct] > 0,
        earliest=np.minimum.reduceat(context.position[holder], starts),
    )
    return np.column_stack([*holders, *sections, *texts])


def _of_words(
    context: Context,
    bigrams: Bigrams,
    distinct: Ints,
    stop_words: frozenset[str],
) -> _Words:
    """Return the features of the words that make up each distinct concept."""
    terms = bigrams.terms
    sentences = terms.sentences
    first, second = bigrams.parts[distinct].T

    def both(values: Floats) -> tuple[Floats, Floats]:
        """Return the lesser and the greater value of each concept's words."""
        one, other = values[first], values[second]
        return np.minimum(one, other), np.maximum(one, other)

    is_stop = np.array([name in stop_words for name in bigrams.names])
    first_is_stop, second_is_stop = is_stop[first], is_stop[second]
    has_digit = np.array([any(map(str.isdigit, name)) for name in bigrams.names])
    length = np.array(list(map(len, bigrams.names)))
    is_abstract = np.array([kind == "abstract" for kind in context.section], dtype=bool)
    in_abstract = sentences.where(is_abstract[sentences.text]).counts > 0
    in_query = (terms.query.counts > 0) & ~is_stop
    words_in_query = in_query[first].astype(int) + in_query[second]
    words_in_abstract = in_abstract[first].astype(int) + in_abstract[second]
    frequency = both(sentences.distinct.counts / len(context))
    citances = max(len(context.citances), 1)
    citance_share = both(terms.citances.distinct.counts / citances)
    return _Words(
        first_is_stop_word=first_is_stop,
        second_is_stop_word=second_is_stop,
        both_are_stop_words=first_is_stop & second_is_stop,
        lesser_frequency=frequency[0],
        greater_frequency=frequency[1],
        lesser_rarity=np.log(1 / frequency[1]),
        greater_rarity=np.log(1 / frequency[0]),
        lesser_citance_share=citance_share[0],
        greater_citance_share=citance_share[1],
        words_in_query=words_in_query,
        words_in_abstract=words_in_abstract,
        characters=np.log(length[first] + length[second]),
        has_digit=has_digit[first] | has_digit[second],
    )
