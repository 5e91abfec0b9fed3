"""Rhetorical roles of the sentences of abstracts: background, aim, method, result, conclusion.

    p(r | s) = softmax over roles r of  b_r + sum over the features f of s of W_rf

The binary features of a sentence are its words and bigrams, with stop words and with digits replaced by `0`; its first
two words; and its fifth of the abstract. The weights are trained by multinomial logistic regression on structured
abstracts, whose labels give the role of each sentence.
"""

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.matching import ROLES as ROLES
from features.text import words
from ilpsum import resources
from ilpsum.files import persistence
from ilpsum.files.arrays import fitted
from ilpsum.formats.papers.labels import part_of, without_additions
from ilpsum.pipeline.coherence.anaphora import without_connective
from ilpsum.pipeline.coherence.statements import LabelledSections, position_in
from ilpsum.records import Sentence, Topic

KIND, PROTOCOL = "roles", 1
_FIFTHS = 5
_DIGITS = re.compile(r"\d+")


def role_features(text: str, position: float) -> tuple[str, ...]:
    """Return the names of a sentence's active binary features; labels and opening connectives are ignored.

    `position` is the relative position in the abstract, from 0 (start) to 1 (end).
    """
    tokens = words(_DIGITS.sub("0", without_connective(without_additions(text))))
    pairs = map(" ".join, itertools.pairwise(tokens))
    fifth = min(int(position * _FIFTHS), _FIFTHS - 1)
    return tuple(dict.fromkeys((*tokens, *pairs, f"^ {' '.join(tokens[:2])}", f"@ {fifth}")))


@dataclass(frozen=True)
class RoleModel:
    """A trained classifier: names of the V features, (5, V) weights by role, and (5,) biases."""

    names: tuple[str, ...]
    weights: NDArray[np.floating[Any]]
    offsets: NDArray[np.floating[Any]]

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}

    def __call__(self, texts: Sequence[str], positions: Iterable[float]) -> Floats:
        """Return the (n, 5) probabilities of `ROLES` for n sentences."""
        named = itertools.starmap(role_features, zip(texts, positions, strict=True))
        held = [[row for row in map(self._rows.get, names) if row is not None] for names in named]
        sentence = np.repeat(np.arange(len(texts)), [len(rows) for rows in held])
        weights = self.weights[:, [*itertools.chain.from_iterable(held)]]
        scores = self.offsets + np.array([np.bincount(sentence, of_role, len(texts)) for of_role in weights]).T
        powers: Floats = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
        powers /= powers.sum(axis=1, keepdims=True)
        return powers

    @classmethod
    def load(cls, path: str | Path) -> "RoleModel":
        """Read a model from a file; `ModelError` if the file is missing, damaged, or of another version."""
        stored = persistence.load(path, KIND, PROTOCOL)
        with persistence.model_errors(path):
            fitted(stored.arrays, {"known": "t bytes"})
            names = persistence.unpack(stored.arrays["known"])
            sizes = {"roles": len(ROLES), "names": len(names)}
            fitted(stored.arrays, {"weights": "f roles names", "offsets": "f roles"}, **sizes)
            return cls(names, stored.arrays["weights"].astype(np.float32), stored.arrays["offsets"])


@cache
def shipped() -> RoleModel:
    """Return the shipped model, loaded once per process."""
    return RoleModel.load(resources.models() / "roles.npz")


def roles_of(topic: Topic, sentences: Sequence[Sentence]) -> Floats:
    """Return the (n, 5) probabilities of `ROLES` for the candidates; 1 for the role that a section label names."""
    documents = {document.id: document for document in topic.documents}
    sections = {name: LabelledSections(document) for name, document in documents.items()}
    positions = [position_in(documents[s.document], s.start) if s.document in documents else 0.0 for s in sentences]
    roles = shipped()([s.text for s in sentences], positions)
    for i, s in enumerate(sentences):
        label = sections[s.document].label(s.start) if s.document in sections else ""
        if part := part_of(label):
            roles[i] = [role == part for role in ROLES]
    return roles
