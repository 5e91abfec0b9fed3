"""What kind of question is asked, and how large the pile is: the same for all sentences of a topic.

They say nothing of one sentence against another; they let a model that splits (boosted trees) weigh the other features
by the kind of question, and predict higher where a short pile must hold the answer.
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
    """(n, 7) `COLUMNS`: indicators by the question's first word, then logarithms of 1 + numbers.

    The numbers are the words of the question, the candidates, and the words of all documents.
    """
    first = context.query.words[0] if context.query.words else ""
    sizes = (len(context.query.words), len(context), sum(len(d.words) for d in context.documents))
    row = [*(first in words for words in _KINDS), *np.log1p(sizes)]
    return np.tile(np.array(row, dtype=np.float64), (len(context), 1))
