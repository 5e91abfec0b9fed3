"""Features of the question and of the topic's size, equal for all sentences of a topic.

They do not rank sentences by themselves. They let boosted trees weigh other features by the kind of question, and
predict higher values where few sentences must contain the answer.
"""

import numpy as np

from features.arrays import Floats
from features.context import Context

COLUMNS = ("asks-whether", "asks-for-a-list", "asks-what", "asks-which", "question-length", "candidates", "pool-words")

_KINDS = (
    frozenset({"is", "are", "was", "were", "do", "does", "did", "can", "could", "has", "have", "should", "will"}),
    frozenset({"list", "name", "enumerate"}),
    frozenset({"what", "describe", "how", "why", "explain"}),
    frozenset({"which", "who", "where", "when"}),
)


def question(context: Context) -> Floats:
    """Return `COLUMNS`: (n, 7) indicators of the question's first word, then log(1 + count) of three counts.

    The counts are words of the question, candidates, and words of all documents.
    """
    first = context.query.words[0] if context.query.words else ""
    sizes = (len(context.query.words), len(context), sum(len(d.words) for d in context.documents))
    row = [*(first in words for words in _KINDS), *np.log1p(sizes)]
    return np.tile(np.array(row, dtype=np.float64), (len(context), 1))
