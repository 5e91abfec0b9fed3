"""Features of names and numbers in a sentence that are not in the question.

The answer to a factoid question is a name or number that stands near question words, near the word
for its type (`Which gene ...`: a name near `gene`), and in several abstracts that match the
question.
"""

from itertools import chain
from typing import NamedTuple

import numpy as np

from features.answer_cues import stems_of
from features.arrays import Column, Floats, Mask, names, relative
from features.context import Context
from features.evidence import sentence_bm25
from features.text import STOP_WORDS, Passage, porter
from features.tokens import Tokens, numbered


class _Mentions(NamedTuple):
    """Names and numbers of the sentence that the question lacks.

    Attributes:
        names_near_type: name words within three words of the question's type (`type_of`).
        names_near_question: name words within six words of its content words.
        numbers_near_question: words that begin with a digit within six of its content words.
        question_begins_at: relative position of the first content word of the question; 1 if none.
        opens_with_question: whether this is among the first three words.
        name_votes: the largest votes of a name; votes are the sum of the relative BM25 of all
            sentences with the name.
        top_three_name_votes: the sum of the three largest votes, over three.
        name_documents: the largest number of documents with a name.
        number_votes: the largest votes of a number.
    """

    names_near_type: Column
    names_near_question: Column
    numbers_near_question: Column
    question_begins_at: Column
    opens_with_question: Column
    name_votes: Column
    top_three_name_votes: Column
    name_documents: Column
    number_votes: Column


COLUMNS = names(_Mentions)

_ASKING = frozenset("which what list name".split())
# Maximum distance of the type from the question word.
_TYPE_WITHIN = 4
# Maximum distance in words from the type and from question words.
_BESIDE_TYPE, _BESIDE_QUESTION = 3, 6
# Largest word index at which a question word counts as opening the sentence.
_OPENING = 2


def mentions(context: Context) -> Floats:
    """Return `COLUMNS`: (n, 9)."""
    vocabulary = context.vocabulary
    stems = vocabulary.stems.sentences
    is_name = _name_words(context, stems)
    begins_with_digit = [stem[0].isdigit() for stem in vocabulary.stem_name]
    is_number = np.array(begins_with_digit, dtype=bool)[stems.ids]
    type_stems = [vocabulary.stem_number[stem] for stem in type_of(context.query)]
    near_type = _around(stems.among(np.array(type_stems, dtype=np.int64)), stems, _BESIDE_TYPE)
    is_asked = stems.among(vocabulary.content_stems.query.ids)
    near_question = _around(is_asked, stems, _BESIDE_QUESTION)
    first = stems.first_of(is_asked)

    bm25 = relative(sentence_bm25(context))
    of_names = numbered(context.new_names)
    of_numbers = numbered([cues.numbers for cues in context.cues])
    top_three = of_names.top(of_names.votes(bm25), 3)
    documents = of_names.groups(context.document)
    begins_at = np.where(first < 0, 1.0, first / np.maximum(stems.lengths, 1))
    return np.column_stack(
        _Mentions(
            names_near_type=stems.sums(near_type & is_name),
            names_near_question=stems.sums(near_question & is_name),
            numbers_near_question=stems.sums(near_question & is_number),
            question_begins_at=begins_at,
            opens_with_question=(first >= 0) & (first <= _OPENING),
            name_votes=top_three[:, 0],
            top_three_name_votes=np.cumsum(top_three, axis=1)[:, 2] / 3,
            name_documents=of_names.largest(documents[of_names.ids]),
            number_votes=of_numbers.largest(of_numbers.votes(bm25)),
        )
    )


def type_of(question: Passage) -> frozenset[str]:
    """Return the stems of the first content words after the question word, up to the next stop
    word.

    >>> sorted(type_of(Passage("Which protein kinases are bound by velin?")))
    ['kinas', 'protein']
    """
    asking = next((k for k, word in enumerate(question.words) if word in _ASKING), None)
    if asking is None:
        return frozenset()
    stems: set[str] = set()
    for word in question.words[asking + 1 : asking + 1 + _TYPE_WITHIN]:
        if word not in STOP_WORDS:
            stems.add(porter(word))
        elif stems:
            break
    return frozenset(stems)


def _name_words(context: Context, stems: Tokens) -> Mask:
    """Return (t,) whether each stem is part of a name in its sentence that the question lacks."""
    number = context.vocabulary.stem_number
    is_name = np.zeros((stems.texts, stems.size), dtype=bool)
    for row, of_sentence in zip(is_name, context.new_names, strict=True):
        for stem in chain.from_iterable(map(stems_of, of_sentence)):
            row[number[stem]] = True
    return is_name[stems.text, stems.ids]


def _around(mask: Mask, tokens: Tokens, most: int) -> Mask:
    """Return (t,) whether each term has one of a (t,) mask within `most` terms in its text."""
    places = np.arange(len(mask))
    starts = tokens.starts[tokens.text]
    ends = starts + tokens.lengths[tokens.text]
    # The number of terms of the mask before each place.
    count = np.append(0, np.cumsum(mask))
    first = np.maximum(places - most, starts)
    last = np.minimum(places + most + 1, ends)
    return count[last] > count[first]
