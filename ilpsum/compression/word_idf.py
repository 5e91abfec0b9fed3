"""IDF of words from a user's table, for rule 7: the collection decides which heads are lightweight."""

import math
from collections.abc import Callable
from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.io.files import text_lines
from ilpsum.io.idf import singular, terms

_EXPECTED = "expected a word, a tab and its IDF, such as gene<TAB>1.59"


def read_word_idf(path: str | Path) -> Callable[[str], float]:
    """Read a table of lines `word<TAB>IDF`; of a singular and its plural, the more frequent counts.

    The function returned gives the IDF of a word's rarest term, where a term that is not listed has the largest IDF of
    all, and 0 for a word without letters.

    Raises:
        InputError: the file cannot be read, has no words, or a line is not a word and a number of at least 0.
    """
    values: dict[str, float] = {}
    for number, text in text_lines(path):
        if not text.strip():
            continue
        word, _, cell = text.partition("\t")
        try:
            value = float(cell)
        except ValueError:
            value = math.nan
        if not word.strip() or not 0 <= value < math.inf:
            raise InputError(f"no word with its IDF; {_EXPECTED}", path, number)
        key = singular(word.strip())
        values[key] = min(value, values.get(key, value))
    if not values:
        raise InputError(f"no words; {_EXPECTED}", path)
    rarest = max(values.values())
    return lambda word: max((values.get(term, rarest) for term in terms(word)), default=0.0)
