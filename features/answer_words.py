"""Features of words: which word of a sentence may be what a question asks for, such as a name, a number or a disease.

Systems that answer in a word rank candidate words by how often they occur in texts that match the question, how rare
they are elsewhere, how near they stand to its words, and whether they look like what is asked for.
"""

import math
import re
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
_ENDINGS = tuple(re.compile(rf"\w*(?:{endings})") for endings in ENDINGS.values())
# A distance from what is not there.
_FAR = 30
# The logarithm of how many texts of a background hold the commonest words.
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
    """Return (m, 34), `COLUMNS` of m words of some sentences, and (m,), the sentence of each.

    In order: the relevance of the sentence, plain and as a share of the best; the relevance of the sentences that hold
    the word as a share of all, their number and that of their documents; the share of all documents with the word; the
    logarithm of its texts in the background, and the votes by rarity there; how far away the nearest content word of
    the question is, whether the first one precedes it, and how far away the type that is asked for; how it is written,
    where it stands, what is beside it, how it ends; and an indicator of each of `ASKED`.

    The sentences are those in `rows`; only these vote. Words of the question, stop words and single letters are left
    out. `relevance`, (n,), is of all sentences, not negative; `known` says how many texts of a background have a word.
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
        # A letter may be two in lower case.
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
                *(ending.fullmatch(word) is not None for ending in _ENDINGS), *kinds,
            ))  # fmt: skip
            owners.append(i)
    return np.array(found, dtype=np.float64).reshape(-1, len(COLUMNS)), np.array(owners, dtype=np.int64)
