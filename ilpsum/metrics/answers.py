"""Recall of exact answers: the share of short gold answers that occur in a text.

Texts are compared as token sequences (runs of lower-cased ASCII letters and digits). An item (one
of the answers to a list question, or the answer to a factoid question) is found if the tokens of
one of its synonyms occur consecutively in the text. Tokens match as a whole: `p53` is not in
`p530`.
"""

import re
from collections.abc import Iterable

_TOKEN = re.compile(r"[a-z0-9]+")

Answers = Iterable[Iterable[str]]


def answer_recall(text: str, answers: Answers) -> float:
    """Return the share of items found in a text, in [0,1].

    Args:
        text: any text, such as a summary.
        answers: items, each with its synonyms (`Topic.answers`). Synonyms without a token are
            ignored, as are items left without synonyms; without items, the recall is 0.

    >>> answer_recall("Mutations of TP-53 were common.", [["p53", "TP 53"], ["MDM2"]])
    0.5
    """
    items = searchable(answers)
    tokens = _joined(text)
    return sum(any(synonym in tokens for synonym in item) for item in items) / (len(items) or 1)


def searchable(answers: Answers) -> list[list[str]]:
    """Return the items with tokens; each synonym is its tokens joined and enclosed by spaces."""
    items = (
        [joined for synonym in item if len(joined := _joined(synonym)) > 2] for item in answers
    )
    return [item for item in items if item]


def _joined(text: str) -> str:
    return f" {' '.join(_TOKEN.findall(text.lower()))} "
