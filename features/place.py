"""Features of a sentence's document, section, position and length; and its named entities.

Position and named-entity density are the two features of Galanis et al. (2012), for news, that are
not among 1.1-1.8. Entity recognisers need downloads, so entities are recognised by their form in
biomedical text: an acronym (two or more capitals), a symbol of letters and digits such as a gene
name, or a sequence of capitalised words that does not begin the sentence.
"""

import re

import numpy as np

from features.arrays import Floats
from features.context import Context

SECTIONS = ("abstract", "introduction", "methods", "results", "discussion")

_TOKEN = re.compile(r"\w+(?:[-/'’]\w+)*")
_ACRONYM = re.compile(r"(?=(?:.*[A-Z]){2})[A-Za-z0-9/'’-]+")
_SYMBOL = re.compile(r"(?=.*[A-Za-z])(?=.*\d)[\w/'’-]+")


def position(context: Context) -> Floats:
    """Return the position of each sentence in its document: (n,) from 0 for the first to 1 for the
    last.
    """
    return context.position


def section(context: Context) -> Floats:
    """Return (n, 5) indicators of `SECTIONS`, in that order; conclusions count as discussion."""
    kinds = ["discussion" if kind == "conclusion" else kind for kind in context.section]
    rows = [[kind == name for name in SECTIONS] for kind in kinds]
    return np.array(rows, dtype=np.float64).reshape(-1, len(SECTIONS))


def position_in_section(context: Context) -> Floats:
    """Return (n,) positions among the sentences of the same document and section type: 0 first, 1
    last.
    """
    groups: dict[tuple[int, str], list[int]] = {}
    for i, key in enumerate(zip(context.document.tolist(), context.section, strict=True)):
        groups.setdefault(key, []).append(i)
    result = np.zeros(len(context))
    for members in groups.values():
        result[members] = np.linspace(0.0, 1.0, len(members)) if len(members) > 1 else 0.0
    return result


def document_rank(context: Context) -> Floats:
    """Return (n,) ranks of the sentences' documents in the topic: 0 first, 1 last."""
    return np.asarray(np.maximum(context.document, 0) / max(len(context.documents) - 1, 1))


def is_title(context: Context) -> Floats:
    """Return (n,) 1 for a sentence in a document's title, else 0."""
    return np.array([kind == "title" for kind in context.section], dtype=np.float64)


def length(context: Context) -> Floats:
    """Return (n,) log(1 + words)."""
    return np.log1p([len(s.words) for s in context.sentences]).reshape(-1)


def words_before(context: Context) -> Floats:
    """Return (n,) log(1 + words of the candidates before each sentence in its document)."""
    lengths = np.array([len(s.words) for s in context.sentences], dtype=np.float64)
    before = np.zeros(len(context))
    for document in set(context.document.tolist()):
        members = np.flatnonzero(context.document == document)
        before[members] = np.cumsum(lengths[members]) - lengths[members]
    return np.log1p(before)


def entity_density(context: Context) -> Floats:
    """Return (n,) named entities per word; 0 for a sentence without words."""
    return np.array(
        [_entities(s.text) / len(s.words) if s.words else 0.0 for s in context.sentences]
    )


def _entities(text: str) -> int:
    """Return the number of entities; a sequence of capitalised words is one."""
    count, in_run = 0, False
    for place, token in enumerate(_TOKEN.findall(text)):
        name = place > 0 and token[0].isupper() and token[1:].islower()
        if _ACRONYM.fullmatch(token) or _SYMBOL.fullmatch(token) or (name and not in_run):
            count += 1
        in_run = name
    return count
