"""How often answers repeat a word of their question: learned, in place of a list of uninformative
words.

Experts' snippets repeat the subject of a question, and hardly ever `list`, `role` or
`characteristics`. `experiments/train_question_words.py` counts it in BioASQ.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from msgspec import convert

from ilpsum import resources
from ilpsum.files.persistence import REINSTALL, fitted, load, model_errors, unpack, within
from ilpsum.learning.seen import TrainedOn, unpacked
from ilpsum.pipeline.terms import terms as analysed

NAME, KIND, PROTOCOL = "question-words", "question-words", 1
# A word below this share says little of what a question is about; one in more than this share of
# questions says what kind of thing it asks for.
_LITTLE, _KIND_OF = 0.35, 0.005
# Minimum number of questions of a term whose share is counted.
_COUNTED = 3
# What people say where experts say `treat`: abstracts do not use these words, and experts'
# questions have them too seldom to show it.
_LAY = frozenset(analysed("get help take taken took work"))


class Term(NamedTuple):
    """What was learned of a term: the mean share of a question's snippets with it, and the number
    of questions with it.
    """

    share: float
    questions: int


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The learned table.

    Attributes:
        terms: as `Term`: terms in at least three questions, and terms with a word vector, from
            which the shares of rarer ones are predicted.
        other: the same for every other term.
        topics: the questions.
    """

    terms: Mapping[str, tuple[float, int]]
    other: tuple[float, int]
    topics: TrainedOn

    def __call__(self, word: str) -> Term:
        """Return what was learned of a word in any form; its last term counts, which for a compound
        is the whole.
        """
        stems = analysed(word)
        if not stems or stems[-1] in _LAY:
            return _STOP_WORD
        return Term(*self.terms.get(stems[-1], self.other))


_STOP_WORD = Term(0.0, _COUNTED)


@cache
def shipped() -> QuestionWords:
    """Return the included table; `ModelError` if it is missing, damaged or of another version."""
    path = resources.models() / f"{NAME}.npz"
    stored = load(path, KIND, PROTOCOL, REINSTALL)
    with model_errors(path, REINSTALL):
        arrays = stored.arrays
        fitted(arrays, {"terms": "t bytes", "shares": "f terms", "questions": "i terms"})
        within("shares", arrays["shares"], 0.0, 1.0)
        # A `Term` for each of 21,000 terms would take 10 ms.
        learned = zip(arrays["shares"].tolist(), arrays["questions"].tolist(), strict=True)
        terms = dict(zip(unpack(arrays["terms"]), learned, strict=True))
        other = convert(stored.description["other"], float), 0
        return QuestionWords(terms, other, unpacked(arrays))


def answer_share(word: str) -> float:
    """Return the share of the snippets of a question that hold a word of it.

    >>> answer_share("list") < answer_share("mechanism") < answer_share("mutations")
    True
    """
    return shipped()(word).share


@lru_cache
def is_generic(word: str, below: float = _LITTLE) -> bool:
    """Whether a word says little of what a question is about: its share, counted in questions, not
    predicted, is lower than a limit.

    >>> is_generic("roles"), is_generic("mechanisms"), is_generic("warfarin")
    (True, True, False)
    """
    share, questions = shipped()(word)
    return share < below and questions >= _COUNTED


def is_frequent(word: str) -> bool:
    """Whether many questions have a word, such as `gene`, so that it is hardly ever the subject."""
    table = shipped()
    return table.topics is not None and table(word).questions > _KIND_OF * len(table.topics)
