"""Features of a sentence's document, section, position and length."""

import numpy as np

from features.arrays import Floats
from features.context import Context

SECTIONS = ("abstract", "introduction", "methods", "results", "discussion")


def position(context: Context) -> Floats:
    """Return (n,) positions of the sentences in their documents: 0 first, 1 last.

    With k candidates in its document, the i-th has (i - 1) / (k - 1), and 0 if k = 1.
    """
    return context.position


def section(context: Context) -> Floats:
    """Return (n, 5) indicators of `SECTIONS`, in that order; conclusions count as discussion."""
    indicators = np.zeros((len(context), len(SECTIONS)))
    for i, kind in enumerate(context.section):
        name = "discussion" if kind == "conclusion" else kind
        if name in SECTIONS:
            indicators[i, SECTIONS.index(name)] = 1.0
    return indicators


def position_in_section(context: Context) -> Floats:
    """Return (n,) positions among the sentences of the same document and section type: 0 first, 1
    last.
    """
    groups: dict[tuple[int, str], list[int]] = {}
    for i, key in enumerate(zip(context.document.tolist(), context.section, strict=True)):
        groups.setdefault(key, []).append(i)
    result = np.zeros(len(context))
    for members in groups.values():
        result[members] = np.linspace(0.0, 1.0, len(members))
    return result


def document_rank(context: Context) -> Floats:
    """Return (n,) ranks of the sentences' documents in the topic: 0 first, 1 last."""
    return np.maximum(context.document, 0) / max(len(context.documents) - 1, 1)


def is_title(context: Context) -> Floats:
    """Return (n,) 1 for a sentence in a document's title, else 0."""
    return np.array([kind == "title" for kind in context.section], dtype=np.float64)


def length(context: Context) -> Floats:
    """Return (n,) log(1 + words)."""
    return np.log1p([len(s.words) for s in context.sentences]).reshape(-1)


def words_before(context: Context) -> Floats:
    """Return (n,) log(1 + `words_before_in_document`)."""
    return np.log1p(words_before_in_document(context))


def words_before_in_document(context: Context) -> Floats:
    """Return (n,) the words of the candidates before each sentence in its document."""
    lengths = np.array([len(s.words) for s in context.sentences], dtype=np.float64)
    before = np.zeros(len(context))
    for document in set(context.document.tolist()):
        members = np.flatnonzero(context.document == document)
        before[members] = np.cumsum(lengths[members]) - lengths[members]
    return before
