"""IDF of words from a user's table, for rule 7: the collection decides which heads are lightweight."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.io.files import text_lines
from ilpsum.io.idf import singular, terms

_EXPECTED = "expected a word, a tab and its IDF, such as gene<TAB>1.59"


@dataclass(frozen=True, slots=True)
class WordIdf:
    """IDF of words without plural endings; a word that is not listed has `rarest`, the largest of them."""

    values: Mapping[str, float]
    rarest: float

    def __call__(self, word: str) -> float:
        """Return the IDF of a word's rarest term; 0 for a word without letters."""
        return max((self.values.get(term, self.rarest) for term in terms(word)), default=0.0)


def read_word_idf(path: str | Path) -> WordIdf:
    """Read a table of lines `word<TAB>IDF`; of a singular and its plural, the more frequent counts.

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
    return WordIdf(values, max(values.values()))
