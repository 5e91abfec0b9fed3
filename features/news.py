"""Two features of Galanis et al. (2012), designed for news: position and density of named entities.

The rest of their set (word overlap, Levenshtein distance, content and document frequency) are features 1.1-1.8. Entity
recognisers need downloads, so entities are recognised by form, as biomedical text shows them: an acronym (two or more
capitals), a symbol of letters and digits such as a gene's name, or a sequence of capitalised words that does not begin
the sentence.
"""

import re

import numpy as np

from features.arrays import Floats
from features.context import Context

_TOKEN = re.compile(r"\w+(?:[-/'’]\w+)*")
_ACRONYM = re.compile(r"(?=(?:.*[A-Z]){2})[A-Za-z0-9/'’-]+")
_SYMBOL = re.compile(r"(?=.*[A-Za-z])(?=.*\d)[\w/'’-]+")


def position(context: Context) -> Floats:
    """Return the position of each sentence in its document: (n,) from 0 for the first to 1 for the last."""
    return context.position


def entity_density(context: Context) -> Floats:
    """Return named entities per word of each sentence: (n,); 0 for a sentence without words."""
    return np.array([_entities(s.text) / len(s.words) if s.words else 0.0 for s in context.sentences])


def _entities(text: str) -> int:
    """Return the number of entities; a sequence of capitalised words is one."""
    count, in_run = 0, False
    for place, token in enumerate(_TOKEN.findall(text)):
        name = place > 0 and token[0].isupper() and token[1:].islower()
        if _ACRONYM.fullmatch(token) or _SYMBOL.fullmatch(token) or (name and not in_run):
            count += 1
        in_run = name
    return count
