"""Inverse document frequency of words in biomedical abstracts, which tells heavy heads of phrases from light ones."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from ilpsum.errors import ModelError
from ilpsum.io.persistence import load, pack, save, unpack
from ilpsum.resources import models

KIND = "idf"
PROTOCOL = 1
_WORD = re.compile(r"[^\W\d_]{2,}")


def singular(word: str) -> str:
    """A word without its plural ending (the S stemmer of Harman 1991), lower-cased.

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
    """The distinct terms of a text: runs of two or more letters, without plural endings."""
    return {singular(word) for word in _WORD.findall(text)}


@dataclass(frozen=True, slots=True)
class IdfTable:
    """Document frequencies.

    Attributes:
        documents: how many documents were counted.
        counts: in how many of them a term stands; terms of a single document are left out.
    """

    documents: int
    counts: Mapping[str, int]

    def __call__(self, word: str) -> float:
        """idf(w) = ln(documents / documents with w) of the rarest term within a word; a word without letters has 0.

        A term that is not in the table counts as standing in one document, so no idf exceeds ln(documents).
        """
        found = [self.counts.get(term, 1) for term in terms(word)]
        return math.log(self.documents / min(found)) if found else 0.0


def count(texts: Iterable[str]) -> IdfTable:
    """Counts the documents that each term stands in."""
    documents = 0
    counts: Counter[str] = Counter()
    for text in texts:
        documents += 1
        counts.update(terms(text))
    return IdfTable(documents, {term: number for term, number in sorted(counts.items()) if number > 1})


def shipped_idf() -> Path:
    """The table that ships with ilpsum."""
    return models() / "idf.npz"


def save_idf(path: str | Path, table: IdfTable, metadata: Mapping[str, str]) -> None:
    """Writes a table."""
    arrays = {
        "terms": pack(table.counts),
        "counts": np.array(list(table.counts.values()), np.uint32),
    }
    save(path, KIND, PROTOCOL, {"documents": table.documents, "facts": dict(metadata)}, arrays)


@cache
def load_idf(path: str | Path | None = None) -> IdfTable:
    """Reads a table, by default the one that ships.

    Raises:
        ModelError: the file is missing, damaged, no such table, or of another version.
    """
    place = shipped_idf() if path is None else path
    try:
        stored = load(place, KIND, PROTOCOL)
    except ModelError as error:
        message = error.message.replace("`ilpsum train`", "experiments/compression_idf.py, or install ilpsum anew")
        raise ModelError(message, error.file) from None
    names = unpack(stored.arrays["terms"])
    return IdfTable(
        int(stored.description["documents"]), dict(zip(names, stored.arrays["counts"].tolist(), strict=True))
    )
