"""Candidates, features, targets and trained models on disk, found again by the content that they were made from.

An entry is an `.npz` of plain arrays with a JSON description (`ilpsum.io.persistence`), under a name that is the digest
of all that bears on it: the text, the settings, the word vectors, the code of ilpsum and the versions of the libraries.
So an entry is never wrong, only unused; the folder can be deleted at any time, and several processes may share it.
"""

import hashlib
import platform
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache as once
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

import features
from features.arrays import Floats
from ilpsum import resources
from ilpsum.errors import ModelError
from ilpsum.io import persistence
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.system import RelevanceTable, System
from ilpsum.records import Sentence, Topic

_FEATURES, _TARGETS, _MODELS = "features", "targets", "models"
_PROTOCOL = 1
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "nltk", "python-Levenshtein", "highspy")


@dataclass(frozen=True)
class Known:
    """What is known already of a topic as a training example.

    Attributes:
        sentences: its n candidates; None where they are not known.
        matrix: (n, columns) their raw features; known with them.
        targets: (n,) what the relevance model is to predict.
    """

    sentences: tuple[Sentence, ...] | None = None
    matrix: Floats | None = None
    targets: Floats | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing is left to compute."""
        return self.matrix is not None and self.targets is not None


class Cache:
    """A folder of entries.

    Args:
        folder: made with the first entry.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def parts(self, system: System, topic: Topic) -> Known:
        """What is known of a topic for a system."""
        found = self._load(_FEATURES, _features_key(system, topic))
        taught = self._load(_TARGETS, _targets_key(system, topic))
        targets = taught.arrays["targets"] if taught else None
        if found is None:
            return Known(targets=targets)
        sentences = tuple(Sentence(*fields) for fields in found.description["sentences"])
        return Known(sentences, found.arrays["matrix"], targets)

    def keep_parts(
        self,
        system: System,
        topic: Topic,
        before: Known,
        sentences: tuple[Sentence, ...],
        matrix: Floats,
        targets: Floats,
    ) -> None:
        """Keeps what was computed of a topic, as far as it was not known before."""
        if before.matrix is None:
            told = [[s.text, s.document, s.start, s.end, s.words, s.section] for s in sentences]
            self._save(_FEATURES, _features_key(system, topic), {"sentences": told}, {"matrix": matrix})
        if before.targets is None:
            self._save(_TARGETS, _targets_key(system, topic), {}, {"targets": targets})

    def model(self, system: System, content: Iterable[Any], train: Callable[[], SystemModel]) -> SystemModel:
        """A model as its file holds it: the file that is there, or else what training gives.

        Args:
            system: the system.
            content: all that bears on its training, but for code and versions.
            train: trains it.
        """
        columns = system.relevance.feature_set.columns if system.relevance else ()
        path = self._path(_MODELS, _digest(*content))
        try:
            return SystemModel.load(path, columns, concepts=system.concepts is not None)
        except ModelError:
            path.parent.mkdir(parents=True, exist_ok=True)
            # A file holds support vectors in single precision; so that nothing depends on whether it was there, the
            # model of the file is the one that is used.
            train().save(path)
            return SystemModel.load(path, columns, concepts=system.concepts is not None)

    def size(self) -> int:
        """The bytes of all entries."""
        return sum(path.stat().st_size for path in self.folder.rglob("*.npz"))

    def _path(self, kind: str, key: str) -> Path:
        return self.folder / kind / key[:2] / f"{key}.npz"

    def _load(self, kind: str, key: str) -> persistence.Stored | None:
        try:
            return persistence.load(self._path(kind, key), kind, _PROTOCOL)
        except ModelError:  # not there, or damaged: made anew
            return None

    def _save(self, kind: str, key: str, description: dict[str, Any], arrays: dict[str, Floats]) -> None:
        path = self._path(kind, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        persistence.save(path, kind, _PROTOCOL, description, arrays)


def _features_key(system: System, topic: Topic) -> str:
    options = _relevance(system)
    # The text form of a record holds all its fields, nested ones too, in a fixed order.
    seen = repr(replace(topic, summaries=(), warnings=()))
    vectors = _vectors(options.embeddings) if options.feature_set.needs_embeddings else ""
    return _digest(seen, system.candidates, options.features, options.feature_set.columns, vectors)


def _targets_key(system: System, topic: Topic) -> str:
    seen = repr(replace(topic, warnings=()))
    return _digest(seen, system.candidates, _relevance(system).target, system.selection.stems)


def _relevance(system: System) -> RelevanceTable:
    if system.relevance is None:
        raise ValueError(f"the system {system.name} has no features")
    return system.relevance


def _digest(*parts: Any) -> str:
    digest = hashlib.sha256(_code().encode())
    for part in parts:
        if isinstance(part, np.ndarray):
            content = f"{part.dtype.str} {part.shape};".encode() + part.tobytes()
        else:
            content = part.encode("utf-8", "backslashreplace") if isinstance(part, str) else msgspec.json.encode(part)
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


@once
def _code() -> str:
    """A digest of all code that an entry could depend on: ours by its text, that of others by its versions."""
    digest = hashlib.sha256(repr((platform.python_version(), persistence.library_versions(*_LIBRARIES))).encode())
    for package in (Path(features.__file__).parent, Path(__file__).parent):
        for path in sorted(package.rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@once
def _vectors(name: str) -> str:
    """A digest of the files of word vectors: `x.kv` has others beside it."""
    path = Path(name) if name else resources.embeddings()
    digest = hashlib.sha256()
    for file in sorted({*path.parent.glob(f"{path.name}*"), path.with_suffix(".idf")}):
        if file.is_file():
            digest.update(file.name.encode() + b"\0")
            with file.open("rb") as stream:
                while piece := stream.read(2**20):
                    digest.update(piece)
    return digest.hexdigest()
