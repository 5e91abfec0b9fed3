"""What a sentence does in its abstract, told by its words and its place: background, aim, method, result, conclusion.

    p(r | s) = softmax over roles r of  b_r + sum over the marks m of s of W_rm

The marks of a sentence are its words and pairs of neighbouring words, stop words among them, each once and digits as
`0`; the two words that it opens with; and the fifth of the abstract that it stands in. The weights are learned from the
parts of structured abstracts, which say of each of their sentences what it is (multinomial logistic regression).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.text import bigrams, words
from ilpsum import resources
from ilpsum.errors import ModelError
from ilpsum.io import persistence
from ilpsum.papers.labels import PARTS, bare
from ilpsum.pipeline.coherence.openings import without_connective

ROLES = PARTS

METHOD_FROM = 0.6
"""The probability of aim and method together from which on a sentence is taken for one of them."""

_KIND, _PROTOCOL = "roles", 1
_FIFTHS = 5
_DIGITS = re.compile(r"\d+")


def marks(text: str, place: float) -> tuple[str, ...]:
    """What the classifier sees of a sentence.

    Args:
        text: the sentence; its labels and the connectives it opens with are left out.
        place: where it stands in its abstract, from 0 at the beginning to 1 at the end.
    """
    found = words(_DIGITS.sub("0", without_connective(bare(text))))
    pairs = (" ".join(pair) for pair in bigrams(found))
    fifth = min(int(place * _FIFTHS), _FIFTHS - 1)
    return tuple(dict.fromkeys((*found, *pairs, f"^ {' '.join(found[:2])}", f"@ {fifth}")))


@dataclass(frozen=True)
class RoleModel:
    """A trained classifier.

    Attributes:
        known: the V marks that it weighs.
        weights: (5, V) of each role and mark.
        offsets: (5,) of each role.
    """

    known: tuple[str, ...]
    weights: NDArray[np.floating[Any]]
    offsets: NDArray[np.floating[Any]]

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {mark: row for row, mark in enumerate(self.known)}

    def __call__(self, texts: Sequence[str], places: Iterable[float]) -> Floats:
        """(n, 5) the probability of each of `ROLES` for each of n sentences."""
        scores = np.zeros((len(texts), len(ROLES)))
        for i, (text, place) in enumerate(zip(texts, places, strict=True)):
            rows = [self._rows[mark] for mark in marks(text, place) if mark in self._rows]
            scores[i] = self.offsets + self.weights[:, rows].sum(axis=1, dtype=np.float64)
        grown: Floats = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
        grown /= grown.sum(axis=1, keepdims=True)
        return grown

    def is_method(self, texts: Sequence[str], places: Iterable[float]) -> list[bool]:
        """Whether each of n sentences tells what was done or wanted, not what was found or is known."""
        told = self(texts, places)
        return [bool(p >= METHOD_FROM) for p in told[:, [ROLES.index("aim"), ROLES.index("method")]].sum(axis=1)]

    def save(self, path: str | Path, metadata: dict[str, Any]) -> None:
        """Writes the model to a file; see `ilpsum.io.persistence`."""
        arrays = {
            "known": persistence.pack(self.known),
            "weights": self.weights.astype(np.float16),
            "offsets": self.offsets.astype(np.float32),
        }
        persistence.save(path, _KIND, _PROTOCOL, {"roles": list(ROLES), "facts": metadata}, arrays)

    @classmethod
    def load(cls, path: str | Path) -> "RoleModel":
        """Reads a model from a file.

        Raises:
            ModelError: no such file, damaged, or of another version.
        """
        stored = persistence.load(path, _KIND, _PROTOCOL)
        try:
            known = persistence.unpack(stored.arrays["known"])
            weights, offsets = stored.arrays["weights"].astype(np.float32), stored.arrays["offsets"]
        except (KeyError, UnicodeDecodeError) as error:
            raise ModelError(f"a part of the model is missing or odd ({error})", path) from None
        if weights.shape != (len(ROLES), len(known)) or offsets.shape != (len(ROLES),):
            raise ModelError("its arrays do not fit each other", path)
        return cls(known, weights, offsets)


@cache
def shipped() -> RoleModel:
    """The model that ships, loaded once a process."""
    return RoleModel.load(resources.models() / "roles.npz")
