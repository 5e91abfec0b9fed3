"""Recall of exact answers: how many of the short answers to a question are in a text.

Texts are compared as sequences of tokens: lower-case ASCII letters and digits, all else separates. An item (one of the
things that a list question asks for; the one thing of a factoid question) is found if the tokens of one of its synonyms
occur in the text, in sequence. A part of a token is no match: `p53` is not in `p530`.
"""

import re
from collections.abc import Iterable

_TOKEN = re.compile(r"[a-z0-9]+")

Answers = Iterable[Iterable[str]]


def answer_recall(text: str, answers: Answers) -> float:
    """Return the share of the items that a text holds, in [0,1].

    Args:
        text: any text, such as a summary.
        answers: items, each with its synonyms (`Topic.answers`). Synonyms without a token are ignored, as are items
            without any other synonym; without items the recall is 0.

    >>> answer_recall("Mutations of TP-53 were common.", [["p53", "TP 53"], ["MDM2"]])
    0.5
    """
    items = searchable(answers)
    tokens = _joined(text)
    return sum(any(synonym in tokens for synonym in item) for item in items) / (len(items) or 1)


def searchable(answers: Answers) -> list[list[str]]:
    """Return the items that can be found: the tokens of each synonym, joined and enclosed by spaces."""
    items = ([joined for synonym in item if len(joined := _joined(synonym)) > 2] for item in answers)
    return [item for item in items if item]


def _joined(text: str) -> str:
    return f" {' '.join(_TOKEN.findall(text.lower()))} "
