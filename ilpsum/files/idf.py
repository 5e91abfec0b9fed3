"""Document frequencies of terms, and the table for biomedical abstracts that rules and search use
for IDF.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from msgspec import Meta, convert

from ilpsum.files.persistence import REINSTALL, fitted, load, model_errors, unpack, within
from ilpsum.resources import models

KIND, PROTOCOL = "idf", 1
_Documents = Annotated[int, Meta(ge=1, le=2**53)]
_WORD = re.compile(r"[^\W\d_]{2,}")


def singular(word: str) -> str:
    """Strip a plural ending (the S stemmer of Harman 1991) and lower-case the word.

    >>> [singular(word) for word in ("Genes", "studies", "virus", "analysis")]
    ['gene', 'study', 'virus', 'analysis']
    """
    word = word.lower()
    if len(word) > 4 and word.endswith("ies") and word[-4] not in "ae":
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and word[-2] not in "usi":
        return word[:-1]
    return word


def terms(text: str) -> set[str]:
    """Return the distinct terms of a text: runs of two or more letters, without plural endings."""
    return {singular(word) for word in _WORD.findall(text)}


@dataclass(frozen=True, slots=True)
class DocumentFrequencies:
    """Number of documents in a collection, and document frequency of each term."""

    documents: int
    counts: Mapping[str, int]

    def idf(self, term: str) -> float:
        """Return ln(documents / document frequency); a term that is not in the table has frequency
        1.
        """
        return math.log(self.documents / self.counts.get(term, 1))


@dataclass(frozen=True, slots=True)
class IdfTable(DocumentFrequencies):
    """Document frequencies of `terms`; terms that occur in a single document are omitted."""

    def __call__(self, word: str) -> float:
        """Return the IDF of a word's rarest term, at most ln(documents); 0 for a word without
        terms.
        """
        return max(map(self.idf, terms(word)), default=0.0)


@cache
def load_idf(path: str | Path | None = None) -> IdfTable:
    """Read a table, by default ours; `ModelError` if it is missing, damaged, of another kind or of
    another version.
    """
    place = models() / "idf.npz" if path is None else path
    stored = load(place, KIND, PROTOCOL, REINSTALL)
    with model_errors(place, REINSTALL):
        documents = convert(stored.description["documents"], _Documents)
        fitted(stored.arrays, {"terms": "t bytes", "counts": "i terms"})
        within("counts", stored.arrays["counts"], 1, documents)
        words, counts = unpack(stored.arrays["terms"]), stored.arrays["counts"].tolist()
        return IdfTable(documents, dict(zip(words, counts, strict=True)))
