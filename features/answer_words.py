"""Features of words as candidate answers to a question, such as a name, a number or a disease.

As in factoid question answering, candidate words are described by their frequency in texts that
match the question, their rarity elsewhere, their distance from question words, and their match with
the expected answer type.
"""

import math
from collections.abc import Callable, Iterable, Sequence
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
    vocabulary = context.vocabulary
    chosen = np.zeros(len(context), dtype=bool)
    chosen[list(rows)] = True
    words = vocabulary.words.sentences.where(chosen[vocabulary.words.sentences.text])
    stems = vocabulary.stems.sentences.where(chosen[vocabulary.stems.sentences.text])
    is_asked = stems.among(vocabulary.stems.query.ids)
    type_stems = [vocabulary.stem_number[stem] for stem in type_of(context.query)]
    is_type = stems.among(np.array(type_stems, dtype=np.int64))

    word_name = vocabulary.word_name
    is_stop_word = _mask(name in STOP_WORDS for name in word_name)[words.ids]
    is_letter = _mask(len(name) == 1 and not name.isdigit() for name in word_name)[words.ids]
    written = [form for i in rows for form in _written(context.sentences[i])]
    has_form = _mask(form != "" for form in written)
    kept = np.flatnonzero(has_form & ~(is_asked | is_stop_word | is_letter))
    if not len(kept):
        return np.zeros((0, len(COLUMNS))), np.zeros(0, dtype=np.int64)

    ids, sentence = words.ids[kept], words.text[kept]
    forms = [written[k] for k in kept.tolist()]
    distinct, number = np.unique(ids, return_inverse=True)
    distinct_names = [word_name[k] for k in distinct.tolist()]
    total = float(relevance[rows].sum()) or 1.0
    best = float(relevance[rows].max(initial=0.0)) or 1.0
    holders = words.distinct
    votes = np.bincount(holders.ids, relevance[holders.text], words.size)[ids] / total
    document_counts = vocabulary.words.documents.distinct.counts
    background = np.array([math.log1p(document_frequency(name)) for name in distinct_names])[number]
    letters = np.array([len(name) for name in distinct_names])[number]
    endings = np.array([list(map(name.endswith, _ENDINGS)) for name in distinct_names])[number]
    is_question_word = is_asked & ~is_stop_word
    place = np.arange(len(words.ids)) - words.starts[words.text]
    first = words.first_of(is_question_word)[words.text]
    capitalised = np.array([form[0].isupper() for form in forms])

    def neighbours(mask: Mask, step: int) -> Mask:
        return np.asarray(beside(mask, words.text, step)[kept])

    columns = _Words(
        relevance=relevance[sentence],
        share_of_best=relevance[sentence] / best,
        votes=votes,
        sentences=holders.counts[ids],
        documents=holders.groups(context.document)[ids],
        share_of_documents=document_counts[ids] / max(len(context.documents), 1),
        background=background,
        rare_votes=votes * (_COMMON - background),
        from_question=_distances(is_question_word, words)[kept],
        after_question=((first >= 0) & (first < place))[kept],
        from_type=_distances(is_type, words)[kept],
        capitals=np.array([sum(map(str.isupper, form)) for form in forms]),
        digits=np.array([sum(map(str.isdigit, form)) for form in forms]),
        capitalised=capitalised & (place[kept] > 0),
        letters=letters,
        share_of_sentence=(place / words.lengths[words.text])[kept],
        place=place[kept],
        after_stop_word=neighbours(is_stop_word, 1),
        before_stop_word=neighbours(is_stop_word, -1),
        after_asked=neighbours(is_question_word, 1),
        before_asked=neighbours(is_question_word, -1),
        title=np.array([context.section[i] == "title" for i in sentence.tolist()]),
    )
    asked = asked_for(context.query.text)
    types = np.tile([name in asked for name in ASKED], (len(kept), 1))
    return np.column_stack([*columns, endings, types]).astype(np.float64), sentence


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
    distances = np.full(len(mask), _FAR)
    for start, length in zip(words.starts.tolist(), words.lengths.tolist(), strict=True):
        inside = np.arange(length)
        places = np.flatnonzero(mask[start : start + length])
        if len(places):
            to_all = np.abs(inside[:, None] - places)
            distances[start : start + length] = to_all.min(axis=1)
    return distances
