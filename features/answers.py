"""Features of questions and answers: expected answer types, and the types of content in a sentence.

Question types overlap (`Which drugs treat ...?` asks for a list and for treatments). Like the size
of a topic, they are equal for all its sentences: they do not rank sentences by themselves, but
interact with other features in boosted trees, and raise predictions where few sentences must
contain the answer.
"""

import re

import numpy as np

from features.arrays import Floats
from features.context import Context

# Expected answer types, by the wording of the question.
ASKED = {
    "whether": r"^(?:is|are|was|were|do|does|did|can|could|has|have|should|will)\b",
    "list": r"^(?:list|name|enumerate)\b"
    r"|\b(?:which|what)\b.*s\s+(?:are|were|have|can|cause|treat)\b",
    "definition": r"^(?:what|who)\s+(?:is|are)\s+(?!the\b)|\bdefin(?:e|ition)|^describe\b",
    "reason": r"^(?:how|why|explain)\b|\bmechanism",
    "quantity": r"\bhow\s+(?:many|much|often|long)\b|^when\b|percentage|prevalence|incidence"
    r"|\b(?:year|rate|dose)\b",
    "treatment": r"treat|drug|therap|inhibitor|medic|vaccin|antibod|manage",
    "molecule": r"\bgene|protein|mutation|enzyme|receptor|hormone|\bmi?rna",
    "disease": r"disease|syndrome|disorder|symptom|cancer",
}
_ASKED = tuple((name, re.compile(pattern)) for name, pattern in ASKED.items())

_ASKS_FOR_LIST = re.compile(
    r"(?:please\s+)?(?:list|name|enumerate|mention)\b|(?:what|which|who)\s+(?:are|were)\b"
    r"|which\s+(?:[\w-]+\s+){0,3}?[\w-]+[^suia\W]s\b"
    r"|what\s+[\w-]+\s+[\w-]+[^suia\W]s\b",
    re.IGNORECASE,
)


# Names that the question lacks, `AnswerCues.counts`, and an indicator of each type.
COLUMNS = (
    "names",
    "numbers",
    "enumerations",
    "defines",
    "treats",
    *(f"asks-for-{name}" for name in ASKED),
)

# First words of questions.
_OPENINGS = {
    "asks-whether": "is are was were do does did can could has have should will".split(),
    "asks-for-a-list": "list name enumerate".split(),
    "asks-what": "what describe how why explain".split(),
    "asks-which": "which who where when".split(),
}
OPENINGS = frozenset(word for words in _OPENINGS.values() for word in words)
QUESTION_COLUMNS = (*_OPENINGS, "question-length", "candidates", "pool-words")


def asked_for(question: str) -> frozenset[str]:
    """Return the expected answer types of a question, keys of `ASKED`.

    >>> sorted(asked_for("Which drugs treat newt pox?"))
    ['list', 'treatment']
    """
    lowered = " ".join(question.lower().split())
    return frozenset(name for name, pattern in _ASKED if pattern.search(lowered))


def asks_for_list(question: str) -> bool:
    """Return whether a question asks for a list; broader than `list` of `ASKED`, on which models
    were trained.

    >>> [asks_for_list(q) for q in ("List newts.", "Which newts sing?", "What is a newt?",
    ...     "Which virus is it?")]
    [True, True, False, False]
    """
    return _ASKS_FOR_LIST.match(question.strip()) is not None


def answers(context: Context) -> Floats:
    """Return `COLUMNS`: (n, 13)."""
    asked = asked_for(context.query.text)
    indicators = [name in asked for name in ASKED]
    rows = []
    for cues, new_names in zip(context.cues, context.new_names, strict=True):
        rows.append([len(new_names), *cues.counts, *indicators])
    return np.array(rows, dtype=np.float64)


def question(context: Context) -> Floats:
    """Return `QUESTION_COLUMNS`, (n, 7): how the question begins, and log(1 + number) of its words,
    of the candidates, and of the words of all documents.
    """
    words = context.query.words
    first = words[0] if words else ""
    openings = [first in words_of_opening for words_of_opening in _OPENINGS.values()]
    pool_words = sum(len(document.words) for document in context.documents)
    sizes = np.log1p([len(words), len(context), pool_words])
    return np.tile([*openings, *sizes], (len(context), 1))
