"""Features of names and numbers in a sentence that are not in the question.

The answer to a factoid question is a name or number near question words, near the word for its type (`Which gene ...`:
a name near `gene`), and in several abstracts that match the question.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

import numpy as np

from features.answers import new_names, stems_of
from features.arrays import Floats
from features.context import Context
from features.evidence import sentence_bm25, votes_of
from features.text import STOP_WORDS, Passage, porter

COLUMNS = (
    *"names-near-type names-near-question numbers-near-question question-begins-at opens-with-question".split(),
    *"name-votes top-three-name-votes name-documents number-votes".split(),
)

_NUMBER = re.compile(r"\d+(?:\.\d+)?%?")
_ASKING = frozenset("which what list name".split())
# Maximum distance of the type from the question word.
_TYPE_WITHIN = 4
# Maximum distance in words from the type and from question words.
_BESIDE_TYPE, _BESIDE_QUESTION = 3, 6
# Largest word index at which a question word counts as opening the sentence.
_OPENING = 2


def mentions(context: Context) -> Floats:
    """Return `COLUMNS`: (n, 9); a name or number counts if the question lacks it.

    In order: the number of name words within three words of the question's type, and within six of its content words;
    the number of words beginning with a digit within six of its content words; the relative position of the first
    question word (1 if none), and whether it is among the first three words; the votes of the sentence's names (the
    largest, and the sum of the three largest over three) and the largest document frequency of a name; and the largest
    votes of its numbers. Votes are the sum of the relative BM25 of all sentences with the name or number.
    """
    names = new_names(context)
    numbers = [frozenset(_NUMBER.findall(s.text)) for s in context.sentences]
    bm25 = sentence_bm25(context)
    relative = (bm25 / (float(bm25.max()) or 1.0)).tolist()
    of_names, of_numbers = votes_of(names, relative), votes_of(numbers, relative)
    documents: defaultdict[str, set[int]] = defaultdict(set)
    for held, document in zip(names, context.document.tolist(), strict=True):
        for name in held:
            documents[name].add(document)
    kind, content = type_of(context.query), frozenset(context.query.content_stems)
    rows = []
    for sentence, named, numbered in zip(context.sentences, names, numbers, strict=True):
        votes = sorted((of_names[name] for name in named), reverse=True)[:3]
        rows.append((
            *_places(sentence, frozenset(chain.from_iterable(map(stems_of, named))), kind, content),
            max(votes, default=0.0), sum(votes) / 3,
            max((len(documents[name]) for name in named), default=0),
            max((of_numbers[number] for number in numbered), default=0.0),
        ))  # fmt: skip
    return np.array(rows, dtype=np.float64)


def type_of(question: Passage) -> frozenset[str]:
    """Return the stems of the first content words after the question word, up to the next stop word.

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


def _places(
    sentence: Passage, names: frozenset[str], kind: frozenset[str], content: frozenset[str]
) -> tuple[float, ...]:
    """Return the first five of `COLUMNS`."""
    stems = sentence.stems
    named, typed, asked = ([k for k, s in enumerate(stems) if s in of] if of else [] for of in (names, kind, content))
    numbered = [k for k, stem in enumerate(stems) if stem[0].isdigit()]
    near = _around(asked, _BESIDE_QUESTION)
    return (
        len(_around(typed, _BESIDE_TYPE).intersection(named)),
        len(near.intersection(named)),
        len(near.intersection(numbered)),
        asked[0] / len(stems) if asked else 1.0,
        bool(asked) and asked[0] <= _OPENING,
    )


def _around(places: Sequence[int], most: int) -> frozenset[int]:
    """Return the word indices within `most` words of any of `places`."""
    return frozenset(chain.from_iterable(range(place - most, place + most + 1) for place in places))
