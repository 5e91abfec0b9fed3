"""Features of words as candidate answers to a question, such as a name, a number or a disease.

As in factoid question answering, candidate words are described by their frequency in texts that
match the question, their rarity elsewhere, their distance from question words, and their match with
the expected answer type.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from features.answers import ASKED, asked_for
from features.arrays import Column, Floats, Ints, Mask, beside, names
from features.context import Context
from features.folding import folded
from features.mentions import type_of
from features.text import STOP_WORDS, WORD, Passage
from features.tokens import Tokens

ENDINGS = {
    "drug": "mab|nib|vir|statin|pril|sartan|olol|azole|mycin|cillin|cept|parin|xaban"
    "|amine|idine|one|ine|ide|ate",
    "disease": "itis|osis|oma|emia|pathy|syndrome|disease|disorder|plasia|trophy|algia|uria|ism",
    "molecule": "ase|in|or|gene|factor|rna|dna",
    "quality": "al|ic|ed|ous|ive|ly|ing|ant|ent",
}
_ENDINGS = tuple(tuple(endings.split("|")) for endings in ENDINGS.values())
# Distance assigned if there is nothing to measure to.
_FAR = 30
# Logarithm of the document frequency of the commonest words in the background.
_COMMON = 10.0


class _Words(NamedTuple):
    """A word of a sentence as a candidate answer; its holders are the sentences with the word.

    Attributes:
        relevance, share_of_best: relevance of the sentence, and the same over that of the best.
        votes: share of the total relevance that the holders have.
        sentences, documents: number of holders, and of their documents.
        share_of_documents: share of all documents with the word.
        background: log(1 + document frequency in the background).
        rare_votes: votes times (10 - background).
        from_question: distance in words from the nearest content word of the question.
        after_question: whether the first of these precedes the word.
        from_type: distance from the expected answer type (`type_of`).
        capitals, digits: their number.
        capitalised: whether the word begins with a capital and not the sentence.
        letters: length.
        share_of_sentence, place: words before it in the sentence, relative and absolute.
        after_stop_word, before_stop_word, after_asked, before_asked: whether its neighbour is a
            stop word, or a content word of the question.
        title: whether the sentence is a title.
    """

    relevance: Column
    share_of_best: Column
    votes: Column
    sentences: Column
    documents: Column
    share_of_documents: Column
    background: Column
    rare_votes: Column
    from_question: Column
    after_question: Column
    from_type: Column
    capitals: Column
    digits: Column
    capitalised: Column
    letters: Column
    share_of_sentence: Column
    place: Column
    after_stop_word: Column
    before_stop_word: Column
    after_asked: Column
    before_asked: Column
    title: Column


COLUMNS = (
    *names(_Words),
    *(f"ends-as-{name}" for name in ENDINGS),
    *(f"asks-for-{name}" for name in ASKED),
)


def answer_words(
    context: Context,
    rows: Sequence[int],
    relevance: Floats,
    document_frequency: Callable[[str], int],
) -> tuple[Floats, Ints]:
    """Return `COLUMNS`, (m, 34), of the m words of some sentences, and (m,) each word's sentence.

    Question words, stop words and single letters are left out.

    Args:
        context: the topic's n sentences.
        rows: the indices of the sentences; only these vote.
        relevance: (n,) relevance of all sentences, non-negative.
        document_frequency: returns in how many documents of the background a word occurs.
    """
    chosen = np.zeros(len(context), dtype=bool)
    chosen[list(rows)] = True
    vocabulary = context.vocabulary
    words = vocabulary.words.sentences.where(chosen[vocabulary.words.sentences.text])
    stems = vocabulary.stems.sentences.where(chosen[vocabulary.stems.sentences.text])
    marks = _Marks.of(context, words, stems)
    written = [form for i in rows for form in _written(context.sentences[i])]
    has_form = _mask(form != "" for form in written)
    kept = np.flatnonzero(has_form & ~(marks.asked | marks.stop_words | marks.letters))
    if not len(kept):
        return np.zeros((0, len(COLUMNS))), np.zeros(0, dtype=np.int64)

    sentence = words.text[kept]
    distinct, number = np.unique(words.ids[kept], return_inverse=True)
    distinct_names = [vocabulary.word_name[k] for k in distinct.tolist()]
    background = np.array([math.log1p(document_frequency(name)) for name in distinct_names])[number]
    lengths = np.array([len(name) for name in distinct_names])[number]
    endings = np.array([list(map(name.endswith, _ENDINGS)) for name in distinct_names])[number]
    columns = _Words(
        **_votes(context, words, kept, rows, relevance, background),
        **_places(words, kept, marks),
        **_letters([written[k] for k in kept.tolist()], words, kept),
        background=background,
        letters=lengths,
        title=np.array([context.section[i] == "title" for i in sentence.tolist()]),
    )
    asked = asked_for(context.query.text)
    types = np.tile([name in asked for name in ASKED], (len(kept), 1))
    return np.column_stack([*columns, endings, types]).astype(np.float64), sentence


@dataclass(frozen=True, slots=True)
class _Marks:
    """Masks (t,) of words: of the question, of the expected type, stop words, single letters."""

    asked: Mask
    type: Mask
    stop_words: Mask
    letters: Mask

    @classmethod
    def of(cls, context: Context, words: Tokens, stems: Tokens) -> "_Marks":
        """Mark the words, whose stems are in the same order."""
        vocabulary = context.vocabulary
        type_stems = [vocabulary.stem_number[stem] for stem in type_of(context.query)]
        is_stop_word = _mask(name in STOP_WORDS for name in vocabulary.word_name)
        is_letter = _mask(len(name) == 1 and not name.isdigit() for name in vocabulary.word_name)
        return cls(
            asked=stems.among(vocabulary.stems.query.ids),
            type=stems.among(np.array(type_stems, dtype=np.int64)),
            stop_words=is_stop_word[words.ids],
            letters=is_letter[words.ids],
        )


def _votes(
    context: Context,
    words: Tokens,
    kept: Ints,
    rows: Sequence[int],
    relevance: Floats,
    background: Floats,
) -> dict[str, Column]:
    """Return the columns of relevance, and of the sentences and documents with the word."""
    ids, sentence = words.ids[kept], words.text[kept]
    total = float(relevance[rows].sum()) or 1.0
    best = float(relevance[rows].max(initial=0.0)) or 1.0
    holders = words.distinct
    votes = np.bincount(holders.ids, relevance[holders.text], words.size)[ids] / total
    document_counts = context.vocabulary.words.documents.distinct.counts
    return {
        "relevance": relevance[sentence],
        "share_of_best": relevance[sentence] / best,
        "votes": votes,
        "sentences": holders.counts[ids],
        "documents": holders.groups(context.document)[ids],
        "share_of_documents": document_counts[ids] / max(len(context.documents), 1),
        "rare_votes": votes * (_COMMON - background),
    }


def _places(words: Tokens, kept: Ints, marks: _Marks) -> dict[str, Column]:
    """Return the columns of the word's place, its neighbours, and its distance from the question's
    words.
    """
    is_question_word = marks.asked & ~marks.stop_words
    place = _places_in_sentences(words)
    first = words.first_of(is_question_word)[words.text]
    after_question = (first >= 0) & (first < place)

    def neighbours(mask: Mask, step: int) -> Mask:
        return np.asarray(beside(mask, words.text, step)[kept])

    return {
        "from_question": _distances(is_question_word, words)[kept],
        "after_question": after_question[kept],
        "from_type": _distances(marks.type, words)[kept],
        "share_of_sentence": (place / words.lengths[words.text])[kept],
        "place": place[kept],
        "after_stop_word": neighbours(marks.stop_words, 1),
        "before_stop_word": neighbours(marks.stop_words, -1),
        "after_asked": neighbours(is_question_word, 1),
        "before_asked": neighbours(is_question_word, -1),
    }


def _letters(forms: Sequence[str], words: Tokens, kept: Ints) -> dict[str, Column]:
    """Return the columns of the word as written."""
    capitalised = np.array([form[0].isupper() for form in forms])
    begins = _places_in_sentences(words)[kept] == 0
    return {
        "capitals": np.array([sum(map(str.isupper, form)) for form in forms]),
        "digits": np.array([sum(map(str.isdigit, form)) for form in forms]),
        "capitalised": capitalised & ~begins,
    }


def _places_in_sentences(words: Tokens) -> Ints:
    return np.arange(len(words.ids)) - words.starts[words.text]


def _mask(values: Iterable[bool]) -> Mask:
    return np.fromiter(values, dtype=bool)


def _written(sentence: Passage) -> list[str]:
    """Return the words of a sentence as written; empty where lower-casing made more words of
    them.
    """
    forms = WORD.findall(folded(sentence.text))[: len(sentence.words)]
    return forms + [""] * (len(sentence.words) - len(forms))


def _distances(mask: Mask, words: Tokens) -> Ints:
    """Return (t,) the distance in words to the nearest place of a (t,) mask in the same text, or
    `_FAR`.
    """
    marked, texts = mask.tolist(), words.text.tolist()
    nearest = [math.inf] * len(marked)
    onwards = range(len(marked))
    for places in (onwards, reversed(onwards)):
        text, distance = -1, math.inf
        for place in places:
            if texts[place] != text:
                text, distance = texts[place], math.inf
            distance = 0 if marked[place] else distance + 1
            nearest[place] = min(nearest[place], distance)
    distances = [_FAR if distance == math.inf else distance for distance in nearest]
    return np.array(distances, dtype=np.int64)
