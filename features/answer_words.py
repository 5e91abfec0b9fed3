"""Features of words as candidate answers to a question, such as a name, a number or a disease.

As in factoid question answering, candidate words are described by their frequency in texts that
match the question, their rarity elsewhere, their distance from question words, and their match with
the expected answer type.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from features.answers import ASKED, asked_for
from features.arrays import Floats, Ints, names
from features.context import Context
from features.folding import folded
from features.mentions import type_of
from features.text import STOP_WORDS, WORD, Passage

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


class _Holder(NamedTuple):
    """The sentence of a word: its relevance, and the same over that of the best sentence."""

    relevance: float
    share_of_best: float


class _Usage(NamedTuple):
    """Where a word is used; its postings are the sentences with the word.

    Attributes:
        votes: share of the total relevance that the postings have.
        sentences, documents: number of postings, and of their documents.
        share_of_documents: share of all documents with the word.
        background: log(1 + document frequency in the background).
        rare_votes: votes times (10 - background).
    """

    votes: float
    sentences: float
    documents: float
    share_of_documents: float
    background: float
    rare_votes: float


class _Distances(NamedTuple):
    """Distances of a word in its sentence.

    Attributes:
        from_question: distance in words from the nearest content word of the question.
        after_question: whether the first of these precedes the word.
        from_type: distance from the expected answer type (`type_of`).
    """

    from_question: float
    after_question: float
    from_type: float


class _Form(NamedTuple):
    """How a word is written.

    Attributes:
        capitals, digits: their number.
        capitalised: whether the word begins with a capital and not the sentence.
        letters: length.
    """

    capitals: float
    digits: float
    capitalised: float
    letters: float


class _Place(NamedTuple):
    """The number of words before a word in its sentence, relative and absolute."""

    share_of_sentence: float
    place: float


class _Neighbours(NamedTuple):
    """Whether the word before or after is a stop word, or a content word of the question."""

    after_stop_word: float
    before_stop_word: float
    after_asked: float
    before_asked: float


_FAMILIES = (_Holder, _Usage, _Distances, _Form, _Place, _Neighbours)
COLUMNS = (
    *(name for family in _FAMILIES for name in names(family)),
    "title",
    *(f"ends-as-{name}" for name in ENDINGS),
    *(f"asks-for-{name}" for name in ASKED),
)


def answer_words(
    context: Context,
    voters: Sequence[int],
    rows: Container[int],
    relevance: Floats,
    document_frequency: Callable[[str], int],
) -> tuple[Floats, Ints]:
    """Return `COLUMNS`, (m, 34), of the m words of some sentences, and (m,) each word's sentence.

    Question words, stop words and single letters are left out.

    Args:
        context: the topic's n sentences.
        voters: the indices of the sentences that vote.
        rows: the indices of those whose words are returned, if they vote.
        relevance: (n,) relevance of all sentences, non-negative.
        document_frequency: returns in how many documents of the background a word occurs.
    """
    voters = sorted(voters)
    best = float(relevance[voters].max(initial=0.0)) or 1.0
    usage = _usage(context, voters, relevance, document_frequency)
    asked = asked_for(context.query.text)
    types = [name in asked for name in ASKED]
    question_stems = frozenset(context.query.stems)
    type_stems = type_of(context.query)
    table = []
    owners = []
    for i in voters:
        if i not in rows:
            continue
        sentence = _Marked.of(context.sentences[i], question_stems, type_stems)
        holder = _Holder(float(relevance[i]), float(relevance[i]) / best)
        is_title = context.section[i] == "title"
        for place in sentence.candidates():
            word = sentence.words[place]
            of_word = [
                *holder,
                *usage(word),
                *sentence.distances(place),
                *sentence.form(place),
                *_Place(place / len(sentence.words), place),
                *sentence.neighbours(place),
                is_title,
            ]
            table.append([*of_word, *map(word.endswith, _ENDINGS), *types])
            owners.append(i)
    matrix = np.array(table, dtype=np.float64).reshape(len(table), len(COLUMNS))
    return matrix, np.array(owners, dtype=np.int64)


def _usage(
    context: Context,
    voters: Sequence[int],
    relevance: Floats,
    document_frequency: Callable[[str], int],
) -> Callable[[str], _Usage]:
    """Return a function from a word of some sentences to its usage."""
    postings = defaultdict[str, list[int]](list)
    for i in voters:
        for word in dict.fromkeys(context.sentences[i].words):
            postings[word].append(i)
    number = context.vocabulary.word_number
    in_documents = context.vocabulary.words.documents.distinct.counts
    total = float(relevance[voters].sum()) or 1.0

    @cache
    def usage(word: str) -> _Usage:
        """Return how the sentences of the topic use a word."""
        of_word = postings[word]
        votes = 0.0
        for i in of_word:
            votes += float(relevance[i])
        votes /= total
        background = math.log1p(document_frequency(word))
        return _Usage(
            votes=votes,
            sentences=len(of_word),
            documents=len({int(context.document[i]) for i in of_word}),
            share_of_documents=in_documents[number[word]] / max(len(context.documents), 1),
            background=background,
            rare_votes=votes * (_COMMON - background),
        )

    return usage


class _Marked(NamedTuple):
    """The words of a sentence, the form in which each is written (empty where lower-casing made
    more words of it), and the places of stop words, of content words of the question, and of words
    of the expected answer type.
    """

    words: tuple[str, ...]
    forms: list[str]
    stop_words: frozenset[int]
    asked: list[int]
    of_type: list[int]

    @classmethod
    def of(
        cls,
        sentence: Passage,
        question_stems: frozenset[str],
        type_stems: frozenset[str],
    ) -> "_Marked":
        """Mark the words of a sentence."""
        words = sentence.words
        forms = WORD.findall(folded(sentence.text))[: len(words)]
        forms += [""] * (len(words) - len(forms))
        stop_words = frozenset(k for k, word in enumerate(words) if word in STOP_WORDS)
        asked = [k for k, stem in enumerate(sentence.stems) if stem in question_stems]
        asked = [k for k in asked if k not in stop_words]
        of_type = [k for k, stem in enumerate(sentence.stems) if stem in type_stems]
        return cls(words, forms, stop_words, asked, of_type)

    def candidates(self) -> Iterator[int]:
        """Yield the places of the words that may be an answer."""
        for place, word in enumerate(self.words):
            is_letter = len(word) == 1 and not word.isdigit()
            is_known = place in self.stop_words or place in self.asked
            if self.forms[place] and not is_known and not is_letter:
                yield place

    def distances(self, place: int) -> _Distances:
        """Return the distances of the word at a place."""
        return _Distances(
            from_question=_distance(place, self.asked),
            after_question=bool(self.asked) and self.asked[0] < place,
            from_type=_distance(place, self.of_type),
        )

    def form(self, place: int) -> _Form:
        """Return how the word at a place is written."""
        form = self.forms[place]
        return _Form(
            capitals=sum(map(str.isupper, form)),
            digits=sum(map(str.isdigit, form)),
            capitalised=place > 0 and form[0].isupper(),
            letters=len(self.words[place]),
        )

    def neighbours(self, place: int) -> _Neighbours:
        """Return what stands beside the word at a place."""
        before, after = place - 1, place + 1
        return _Neighbours(
            after_stop_word=before in self.stop_words,
            before_stop_word=after in self.stop_words,
            after_asked=before in self.asked,
            before_asked=after in self.asked,
        )


def _distance(place: int, others: Sequence[int]) -> int:
    """Return the distance in words to the nearest of other places; `_FAR` if there are none."""
    return min([abs(place - other) for other in others], default=_FAR)
