"""Words of a query that a text has in another sense only."""

from collections.abc import Sequence

import numpy as np

from features.arrays import Mask
from features.patterns import regex

_WORD = regex(r"[^\W_]+")
_JOINED_NAMES = regex(r"\b[A-Z][a-z]+(?:[-–][A-Z][a-z]+)+\b")


def other_senses(words: Sequence[str], query: str, texts: Sequence[str]) -> Mask:
    """Return (m, n) whether each of m texts has each of n lower-case words of a query in another
    sense only: as an abbreviation, in capitals, where the query and as many other texts have small
    letters; or as part of a longer name.

    >>> texts = "A compassionate-use program (CUP).", "A cup of tea.", "Tea."
    >>> other_senses(["cup", "tea"], "which cup for tea?", texts)[:, 0].tolist()
    [True, False, False]
    >>> bool(other_senses(["als"], "what causes als", ["ALS.", "Trials.", "Animals."]).any())
    False
    >>> texts = "Mowat-Wilson syndrome.", "Wilson's disease, not Mowat-Wilson."
    >>> other_senses(["wilson"], "treatment of wilson disease", texts)[:, 0].tolist()
    [True, False]
    """
    other = np.zeros((len(texts), len(words)), dtype=bool)
    asked = set(_WORD.findall(query))
    written = [set(_WORD.findall(text)) for text in texts]
    for k, word in enumerate(words):
        small = np.array([word in of_text for of_text in written], dtype=bool)
        capitals = np.array([word.upper() in of_text for of_text in written], dtype=bool)
        if word in asked:
            only = capitals & ~small
            other[:, k] = only & (only.sum() <= small.sum())
        # What texts have in small letters, too, is no name: `Beta-Blockers`.
        if not (small.any() or capitals.any()):
            longer = [_is_in_longer_name(word, query, text) for text in texts]
            # Without texts, the array would be one of floats.
            other[:, k] |= np.array(longer, dtype=bool)
    return other


def _is_in_longer_name(word: str, query: str, text: str) -> bool:
    """Whether a text has a word only joined to other names that are not in the query."""
    name = word.capitalize()
    if name not in _WORD.findall(text) or name in _WORD.findall(_JOINED_NAMES.sub(" ", text)):
        return False
    asked = set(_WORD.findall(query.lower()))
    for joined in _JOINED_NAMES.findall(text):
        names = _WORD.findall(joined)
        if name in names and all(part.lower() in asked for part in names):
            return False
    return True
