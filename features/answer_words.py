"""Features of words as candidate answers to a question, such as a name, a number or a disease.

As in factoid question answering, candidate words are described by their frequency in texts that match the question,
their rarity elsewhere, their distance from question words, and their match with the expected answer type.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from features.answers import ASKED, asked_for
from features.arrays import Floats, Ints
from features.context import Context
from features.mentions import type_of
from features.text import STOP_WORDS, WORD

ENDINGS = {
    "drug": "mab|nib|vir|statin|pril|sartan|olol|azole|mycin|cillin|cept|parin|xaban|amine|idine|one|ine|ide|ate",
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
    *"relevance share-of-best votes sentences documents share-of-documents background rare-votes".split(),
    *"from-question after-question from-type capitals digits capitalised letters share-of-sentence place".split(),
    *"after-stop-word before-stop-word after-asked before-asked title".split(),
    *(f"ends-as-{name}" for name in ENDINGS),
    *(f"asks-for-{name}" for name in ASKED),
)


def answer_words(
    context: Context, rows: Sequence[int], relevance: Floats, known: Callable[[str], int]
) -> tuple[Floats, Ints]:
    """Return `COLUMNS`, (m, 34), of the m words of some sentences, and (m,) each word's sentence.

    In order: the sentence's relevance, plain and as a share of the best; for the sentences with the word, their share
    of total relevance, their number and their number of documents; the share of all documents with the word; the log
    document frequency in the background, and the votes weighted by rarity there; the distance to the nearest content
    word of the question, whether the first one precedes the word, and the distance to the expected answer type; form,
    position, neighbours and suffix of the word; and an indicator of each of `ASKED`.

    `rows` has the indices of the sentences, and only these vote. Question words, stop words and single letters are left
    out. `relevance` is (n,), non-negative, for all sentences; `known` returns a word's background document frequency.
    """
    sentences = [context.sentences[i] for i in rows]
    asked, kind = frozenset(context.query.stems), type_of(context.query)
    wanted = asked_for(context.query.text)
    kinds = [name in wanted for name in ASKED]
    everywhere = Counter(chain.from_iterable(set(document.words) for document in context.documents))
    votes: defaultdict[str, float] = defaultdict(float)
    documents, holding = defaultdict[str, set[int]](set), Counter[str]()
    for i, sentence in zip(rows, sentences, strict=True):
        for word in set(sentence.words):
            votes[word] += float(relevance[i])
            documents[word].add(int(context.document[i]))
            holding[word] += 1
    total, best = (float(of) or 1.0 for of in (relevance[rows].sum(), relevance[rows].max(initial=0.0)))
    found: list[tuple[float, ...]] = []
    owners: list[int] = []
    for i, sentence in zip(rows, sentences, strict=True):
        stems, size = sentence.stems, len(sentence.words)
        holds = [stem in asked and word not in STOP_WORDS for stem, word in zip(stems, sentence.words, strict=True)]
        of_question = [k for k, held in enumerate(holds) if held]
        of_type = [k for k, stem in enumerate(stems) if stem in kind]
        # Lower-casing may turn one letter into two.
        for k, (word, written) in enumerate(zip(sentence.words, WORD.findall(sentence.text), strict=False)):
            if stems[k] in asked or word in STOP_WORDS or (len(word) == 1 and not word.isdigit()):
                continue
            share, common = votes[word] / total, math.log1p(known(word))
            before, after = (sentence.words[n] if 0 <= n < size else "" for n in (k - 1, k + 1))
            found.append((
                float(relevance[i]), float(relevance[i]) / best, share, holding[word], len(documents[word]),
                everywhere[word] / max(len(context.documents), 1), common, share * (_COMMON - common),
                min((abs(k - n) for n in of_question), default=_FAR), bool(of_question) and of_question[0] < k,
                min((abs(k - n) for n in of_type), default=_FAR),
                sum(map(str.isupper, written)), sum(map(str.isdigit, written)), k > 0 and written[0].isupper(),
                len(word), k / size, k, before in STOP_WORDS, after in STOP_WORDS,
                k > 0 and holds[k - 1], k + 1 < size and holds[k + 1], context.section[i] == "title",
                *map(word.endswith, _ENDINGS), *kinds,
            ))  # fmt: skip
            owners.append(i)
    return np.array(found, dtype=np.float64).reshape(-1, len(COLUMNS)), np.array(owners, dtype=np.int64)
