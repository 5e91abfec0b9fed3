"""Synonyms of biomedical terms: the entry terms of MeSH (U.S. National Library of Medicine).

The file that ships has a line per descriptor with at least two names that no other descriptor has, as terms of
`ilpsum.retrieval.analysis`; `experiments/mesh_synonyms.py` makes it.
"""

import gzip
from collections.abc import Mapping
from functools import cache

from ilpsum.resources import synonyms as shipped

SEPARATOR = "|"
"""Separates the names of a line."""


def synonyms(name: str) -> list[str]:
    """Return the other names of what a name denotes; names are terms separated by spaces.

    >>> synonyms("heart attack")
    ['myocardi infarct', 'cardiovascular stroke']
    """
    return [other for other in _lines().get(name, "").split(SEPARATOR) if other not in ("", name)]


@cache
def known_terms() -> frozenset[str]:
    """Return the terms of all names."""
    return frozenset(term for name in _lines() for term in name.split())


@cache
def _lines() -> Mapping[str, str]:
    """Return the line of each name."""
    lines = gzip.decompress(shipped().read_bytes()).decode().splitlines()
    return {name: line for line in lines for name in line.split(SEPARATOR)}
