"""The features of Galanis et al. (2012) for news, as in Baseline 1, Baseline 2 and ILP-SUM-0.

    position       place of the sentence in its document (`features.place`)
    entities       named entities per word
    overlap        1.1, distance 1.3, CF(s) 1.5, DF(s) 1.7, on words (`features.lexical`)

Entity recognisers need downloads, and those for news know no genes. Ours judges by form: an entity
is an acronym (two or more capitals), a symbol of letters and digits such as a gene name, or a
sequence of capitalised words that does not begin the sentence.
"""

import re

import numpy as np

from features.arrays import Floats
from features.context import Context

NEWS = (
    "position",
    "entity-density",
    "word-overlap",
    "word-distance",
    "content-word-frequency",
    "document-word-frequency",
)
"""The features by name."""

_TOKEN = re.compile(r"\w+(?:[-/'’]\w+)*")
_ACRONYM = re.compile(r"(?=(?:.*[A-Z]){2})[A-Za-z0-9/'’-]+")
_SYMBOL = re.compile(r"(?=.*[A-Za-z])(?=.*\d)[\w/'’-]+")


def entity_density(context: Context) -> Floats:
    """Return (n,) named entities per word; 0 for a sentence without words."""
    return np.array(
        [_entities(s.text) / len(s.words) if s.words else 0.0 for s in context.sentences]
    )


def _entities(text: str) -> int:
    """Return the number of entities; a sequence of capitalised words is one."""
    count, in_run = 0, False
    for position, token in enumerate(_TOKEN.findall(text)):
        name = position > 0 and token[0].isupper() and token[1:].islower()
        if _ACRONYM.fullmatch(token) or _SYMBOL.fullmatch(token) or (name and not in_run):
            count += 1
        in_run = name
    return count
