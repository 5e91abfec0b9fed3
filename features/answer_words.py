"""Features of words as candidate answers to a question, such as a name, a number or a disease.

As in factoid question answering, candidate words are described by their frequency in texts that
match the question, their rarity elsewhere, their distance from question words, and their match with
the expected answer type.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from features.answers import ASKED, asked_for
from features.arrays import Floats, Ints, Mask, beside
from features.context import Context
from features.mentions import type_of
from features.text import STOP_WORDS, WORD, Passage
from features.tokens import Tokens, distinct

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

COLUMNS = (
    *"relevance share-of-best votes sentences documents share-of-documents background "
    "rare-votes".split(),
    *"from-question after-question from-type capitals digits capitalised letters "
    "share-of-sentence place".split(),
    *"after-stop-word before-stop-word after-asked before-asked title".split(),
    *(f"ends-as-{name}" for name in ENDINGS),
    *(f"asks-for-{name}" for name in ASKED),
)


def answer_words(
    context: Context, rows: Sequence[int], relevance: Floats, known: Callable[[str], int]
) -> tuple[Floats, Ints]:
    """Return `COLUMNS`, (m, 34), of the m words of some sentences, and (m,) each word's sentence.

    In order: the sentence's relevance, plain and as a share of the best; for the sentences with the
    word, their share of total relevance, their number and their number of documents; the share of
    all documents with the word; the log document frequency in the background, and the votes
    weighted by rarity there; the distance to the nearest content word of the question, whether the
    first one precedes the word, and the distance to the expected answer type; form, position,
    neighbours and suffix of the word; and an indicator of each of `ASKED`.

    `rows` has the indices of the sentences, and only these vote. Question words, stop words and
    single letters are left out. `relevance` is (n,), non-negative, for all sentences; `known`
    returns a word's background document frequency.
    """
    vocabulary, among = context.vocabulary, np.zeros(len(context), dtype=bool)
    among[list(rows)] = True
    words, stems = (
        of.sentences.where(among[of.sentences.text]) for of in (vocabulary.words, vocabulary.stems)
    )
    asked = stems.among(vocabulary.stems.query.ids)
    kind = stems.among(
        np.array([vocabulary.stem_number[of] for of in type_of(context.query)], dtype=np.int64)
    )
    is_stop, common, forms = _of_names(words, vocabulary.word_name, known)
    stops, place = is_stop[words.ids], np.arange(len(words.ids)) - words.starts[words.text]
    holds = asked & ~stops
    written = [form for i in rows for form in _written(context.sentences[i])]
    case = np.array(
        [(sum(map(str.isupper, w)), sum(map(str.isdigit, w)), w[0].isupper()) for w in written if w]
    )
    single = np.array(
        [len(w) == 1 and not w.isdigit() for w in map(vocabulary.word_name.__getitem__, words.ids)]
    )
    has_form = np.array([w != "" for w in written], dtype=bool)
    kept = np.flatnonzero(~(asked | stops) & has_form & ~single.astype(bool))
    if not len(kept):
        return np.zeros((0, len(COLUMNS))), np.zeros(0, dtype=np.int64)
    capitals, digits, capital = case[(np.cumsum(has_form) - 1)[kept]].T
    ids, owner = words.ids[kept], words.text[kept]
    from_question, first = _distances(holds, words)
    best, wanted = float(relevance[rows].max(initial=0.0)) or 1.0, asked_for(context.query.text)
    votes, *support = _support(context, words, relevance, float(relevance[rows].sum()) or 1.0)
    return np.column_stack([
        relevance[owner], relevance[owner] / best, votes[ids], *(of[ids] for of in support),
        common[ids], votes[ids] * (_COMMON - common[ids]), from_question[kept],
        (first < place)[kept],
        _distances(kind, words)[0][kept], capitals, digits, capital * (place[kept] > 0), forms[ids,
        0],
        (place / words.lengths[words.text])[kept], place[kept],
        *(beside(of, words.text, step)[kept] for of in (stops, holds) for step in (1, -1)),
        [context.section[i] == "title" for i in owner.tolist()], forms[ids, 1:],
        np.tile([name in wanted for name in ASKED], (len(kept), 1)),
    ]).astype(np.float64), owner  # fmt: skip


def _support(
    context: Context, words: Tokens, relevance: Floats, total: float
) -> tuple[Floats, Ints, Ints, Floats]:
    """Return (words,) each: votes, number of sentences, number of their documents, and share of all
    documents.
    """
    once, documents = words.distinct, len(context.documents)
    votes: Floats = np.bincount(once.ids, relevance[once.text], words.size) / total
    pairs = distinct(once.ids * (documents + 1) + context.document[once.text] + 1)
    everywhere = context.vocabulary.words.documents.distinct.counts / max(documents, 1)
    return (
        votes,
        once.counts,
        np.bincount(pairs // (documents + 1), minlength=words.size),
        everywhere,
    )


def _of_names(
    words: Tokens, names: Sequence[str], known: Callable[[str], int]
) -> tuple[Mask, Floats, Floats]:
    """Return (words,) whether each is a stop word, (words,) its background, and (words, 5) its
    length and ending.
    """
    is_stop, common, forms = (
        np.zeros(words.size, dtype=bool),
        np.zeros(words.size),
        np.zeros((words.size, 5)),
    )
    for k in words.first.tolist():
        is_stop[k], common[k] = names[k] in STOP_WORDS, math.log1p(known(names[k]))
        forms[k] = len(names[k]), *map(names[k].endswith, _ENDINGS)
    return is_stop, common, forms


def _written(sentence: Passage) -> list[str]:
    """Return the words of a sentence as written; empty where lower-casing made more words of
    them.
    """
    forms = WORD.findall(sentence.text)[: len(sentence.words)]
    return forms + [""] * (len(sentence.words) - len(forms))


def _distances(mask: Mask, words: Tokens) -> tuple[Ints, Ints]:
    """Return (t,) the distance of each place to the nearest of a (t,) mask in its text, and the
    place of the first.
    """
    at, far = np.arange(len(mask)), len(mask) + _FAR
    starts = words.starts[words.text]
    before = np.maximum.accumulate(np.where(mask, at, -1))
    after = np.minimum.accumulate(np.where(mask, at, far)[::-1])[::-1]
    ends = starts + words.lengths[words.text]
    backward, forward = (
        np.where(before >= starts, at - before, far),
        np.where(after < ends, after - at, far),
    )
    first = np.full(words.texts, far)
    np.minimum.at(first, words.text[mask], (at - starts)[mask])
    nearest = np.minimum(backward, forward)
    return np.where(nearest < far, nearest, _FAR), first[words.text]
