"""Features of concepts, used to predict the probability that a concept occurs in a human summary.

A concept is a bigram of words or stems in a candidate sentence. Its features describe the relevance of the sentences
that contain it, its frequency in sentences, documents and citances, their sections and positions, whether its words
occur in the question, and the form of its words.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np

from features.arrays import Floats, Ints
from features.context import Context
from features.order import BIGRAM_COLUMNS, bigram_order
from features.place import SECTIONS
from features.text import STOP_WORDS, Passage, porter

# Bigrams of words, or of stems.
ConceptKind = Literal["words", "stems"]

# The two words or stems of a bigram.
Concept = tuple[str, str]

_STOPS = {False: STOP_WORDS, True: frozenset(porter(word) for word in STOP_WORDS)}

COLUMNS = (
    *"best-score mean-score top-three-score total-score best-rank holders share-of-holders citing-holders".split(),
    *(f"holders-in-{section}" for section in SECTIONS),
    *"document-share citance-share in-query earliest first-is-stop-word second-is-stop-word".split(),
    *"both-are-stop-words lesser-frequency greater-frequency lesser-rarity greater-rarity lesser-citance-share".split(),
    *"greater-citance-share words-in-query words-in-abstract characters has-digit".split(),
)


@dataclass(frozen=True)
class Concepts:
    """The m distinct concepts of the candidates, by first occurrence, and (m, columns) features (see `concepts`)."""

    names: tuple[Concept, ...]
    matrix: Floats


def concepts(context: Context, scores: Floats, kind: ConceptKind, *, order: bool = False) -> Concepts:
    """Return the concepts of the n candidates with their features `COLUMNS` and, with `order`, `BIGRAM_COLUMNS`.

    `scores` are the (n,) relevance predictions in [0,1] of a model not trained on the topic.
    """
    rows = [concepts_of(s, kind) for s in context.sentences]
    index: dict[Concept, int] = {}
    pairs = [(index.setdefault(b, len(index)), i) for i, row in enumerate(rows) for b in dict.fromkeys(row)]
    if not pairs:
        return Concepts((), np.zeros((0, len(COLUMNS) + (len(BIGRAM_COLUMNS) if order else 0))))
    array = np.array(pairs, dtype=np.int64)
    array = array[np.lexsort((array[:, 1], array[:, 0]))]
    concept, sentence = array[:, 0], array[:, 1]
    bigrams = tuple(index)
    families = [
        _of_holders(context, scores, concept, sentence, len(bigrams)),
        _of_bigrams(context, bigrams, concept, sentence, kind),
        _of_words(context, bigrams, stems=kind == "stems"),
    ]
    if order:
        families.append(bigram_order(context, bigrams, stems=kind == "stems"))
    return Concepts(bigrams, np.column_stack(families))


def concepts_of(passage: Passage, kind: ConceptKind) -> tuple[Concept, ...]:
    """Return the concepts of a passage, in order, with repetitions."""
    return passage.stem_bigrams if kind == "stems" else passage.bigrams


def _of_holders(context: Context, scores: Floats, concept: Ints, sentence: Ints, m: int) -> Floats:
    """Columns `best-score` to `holders-in-...`, from pairs (concept, sentence that contains it) sorted by concept."""
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
        *(np.log1p(np.add.reduceat((sections[sentence] == s).astype(np.float64), starts)) for s in SECTIONS),
    ])  # fmt: skip


def _of_bigrams(
    context: Context, bigrams: Sequence[Concept], concept: Ints, sentence: Ints, kind: ConceptKind
) -> Floats:
    """Columns `document-share` to `earliest`."""
    in_documents = _document_frequency((concepts_of(d, kind) for d in context.documents), bigrams)
    in_citances = _document_frequency((concepts_of(c, kind) for c in context.citances), bigrams)
    query = frozenset(concepts_of(context.query, kind))
    earliest = np.minimum.reduceat(context.position[sentence], np.searchsorted(concept, np.arange(len(bigrams))))
    documents, citances = max(len(context.documents), 1), max(len(context.citances), 1)
    return np.column_stack([in_documents / documents, in_citances / citances, [b in query for b in bigrams], earliest])


def _of_words(context: Context, bigrams: Sequence[Concept], *, stems: bool) -> Floats:
    """Columns `first-is-stop-word` to `has-digit`: features of each of the two words."""
    sentences = [_terms(s, stems=stems) for s in context.sentences]
    n = len(sentences)
    held = Counter(chain.from_iterable(map(set, sentences)))
    cited = Counter(chain.from_iterable(set(_terms(c, stems=stems)) for c in context.citances))
    asked = frozenset(_terms(context.query, stems=stems)) - _STOPS[stems]
    abstract = {word for s, kind in zip(sentences, context.section, strict=True) if kind == "abstract" for word in s}
    index = {word: k for k, word in enumerate(dict.fromkeys(chain.from_iterable(bigrams)))}
    of_word = np.array(
        [
            (w in _STOPS[stems], held[w], cited[w], w in asked, w in abstract, len(w), any(map(str.isdigit, w)))
            for w in index
        ],
        dtype=np.float64,
    )
    # (7, m) each, for the first and the second words of the bigrams.
    first, second = of_word[np.array([[index[word] for word in pair] for pair in bigrams])].transpose(1, 2, 0)
    lesser, greater, both = np.minimum(first, second), np.maximum(first, second), first + second
    citances = max(len(context.citances), 1)
    return np.column_stack([
        first[0], second[0], lesser[0],
        lesser[1] / n, greater[1] / n, np.log(1 / (greater[1] / n)), np.log(1 / (lesser[1] / n)),
        lesser[2] / citances, greater[2] / citances, both[3], both[4], np.log(both[5]), greater[6],
    ])  # fmt: skip


def _terms(passage: Passage, *, stems: bool) -> tuple[str, ...]:
    return passage.stems if stems else passage.words


def _document_frequency(texts: Iterable[Iterable[Concept]], bigrams: Sequence[Concept]) -> Floats:
    """(m,) number of texts that contain each bigram."""
    counts = Counter(chain.from_iterable(map(set, texts)))
    return np.array([counts[b] for b in bigrams], dtype=np.float64)
