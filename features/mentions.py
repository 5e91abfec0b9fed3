"""Features of names and numbers in a sentence that are not in the question.

The answer to a factoid question is a name or number near question words, near the word for its type
(`Which gene ...`: a name near `gene`), and in several abstracts that match the question.
"""

import numpy as np

from features.arrays import Floats, Mask
from features.context import Context
from features.evidence import sentence_bm25
from features.offers import stems_of
from features.text import STOP_WORDS, Passage, porter
from features.tokens import Tokens, distinct, numbered

COLUMNS = (
    *"names-near-type names-near-question numbers-near-question question-begins-at "
    "opens-with-question".split(),
    *"name-votes top-three-name-votes name-documents number-votes".split(),
)

_ASKING = frozenset("which what list name".split())
# Maximum distance of the type from the question word.
_TYPE_WITHIN = 4
# Maximum distance in words from the type and from question words.
_BESIDE_TYPE, _BESIDE_QUESTION = 3, 6
# Largest word index at which a question word counts as opening the sentence.
_OPENING = 2


def mentions(context: Context) -> Floats:
    """Return `COLUMNS`: (n, 9); a name or number counts if the question lacks it.

    In order: the number of name words within three words of the question's type, and within six of
    its content words; the number of words beginning with a digit within six of its content words;
    the relative position of the first question word (1 if none), and whether it is among the first
    three words; the votes of the sentence's names (the largest, and the sum of the three largest
    over three) and the largest document frequency of a name; and the largest votes of its numbers.
    Votes are the sum of the relative BM25 of all sentences with the name or number.
    """
    names = numbered(context.new_names)
    numbers = numbered([offers.numbers for offers in context.offers])
    bm25 = sentence_bm25(context)
    relative = bm25 / (float(bm25.max()) or 1.0)
    pairs = distinct(names.ids * (len(context.documents) + 1) + context.document[names.text] + 1)
    documents = np.bincount(pairs // (len(context.documents) + 1), minlength=names.size)
    top = np.cumsum(names.top(names.votes(relative), 3), axis=1)
    return np.column_stack([
        _places(context), top[:, 0], top[:, 2] / 3,
        names.largest(documents[names.ids]), numbers.largest(numbers.votes(relative)),
    ])  # fmt: skip


def type_of(question: Passage) -> frozenset[str]:
    """Return the stems of the first content words after the question word, up to the next stop
    word.

    >>> sorted(type_of(Passage("Which protein kinases are bound by velin?")))
    ['kinas', 'protein']
    """
    asking = next((k for k, word in enumerate(question.words) if word in _ASKING), None)
    found: set[str] = set()
    for word in () if asking is None else question.words[asking + 1 : asking + 1 + _TYPE_WITHIN]:
        if word not in STOP_WORDS:
            found.add(porter(word))
        elif found:
            break
    return frozenset(found)


def _places(context: Context) -> Floats:
    """Return (n, 5), the first of `COLUMNS`."""
    number, tokens = context.vocabulary.stem_number, context.vocabulary.stems.sentences
    held = [
        (i, stem)
        for i, named in enumerate(context.new_names)
        for name in named
        for stem in stems_of(name)
    ]
    owners = np.array([i * tokens.size + number[stem] for i, stem in held], dtype=np.int64)
    held_in = np.zeros(tokens.texts * tokens.size, dtype=bool)
    held_in[owners] = True
    named = held_in[tokens.text * tokens.size + tokens.ids]
    typed = tokens.among(np.array([number[s] for s in type_of(context.query)], dtype=np.int64))
    asked = tokens.among(context.vocabulary.content_stems.query.ids)
    begins = np.array([stem[0].isdigit() for stem in context.vocabulary.stem_name], dtype=bool)
    near = _around(asked, tokens, _BESIDE_QUESTION)
    at = np.flatnonzero(asked)
    first = np.full(tokens.texts, -1)
    # Backwards, so that the first occurrence is the last to be written.
    first[tokens.text[at][::-1]] = (at - tokens.starts[tokens.text[at]])[::-1]
    return np.column_stack([
        tokens.sums(_around(typed, tokens, _BESIDE_TYPE) & named),
        tokens.sums(near & named),
        tokens.sums(near & begins[tokens.ids]),
        np.where(first < 0, 1.0, first / np.maximum(tokens.lengths, 1)),
        (first >= 0) & (first <= _OPENING),
    ])  # fmt: skip


def _around(mask: Mask, tokens: Tokens, most: int) -> Mask:
    """Return (t,) whether each term has one of a (t,) mask within `most` terms in its text."""
    before, at = np.append(0, np.cumsum(mask)), np.arange(len(mask))
    starts = tokens.starts[tokens.text]
    ends = starts + tokens.lengths[tokens.text]
    inside: Mask = before[np.minimum(at + most + 1, ends)] > before[np.maximum(at - most, starts)]
    return inside
