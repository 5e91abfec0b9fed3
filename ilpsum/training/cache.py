"""A cache of candidates, features, targets and trained models, keyed by the content that they depend on.

An entry is an `.npz` of plain arrays with a JSON description (`ilpsum.io.persistence`). Its name is a digest of all it
depends on: the text, the settings (of a model, the whole recipe), the word vectors, the code of ilpsum and the versions
of the libraries. So an entry is never stale, only unused. The folder can be deleted at any time, and several processes
may share it.
"""

import hashlib
import platform
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache as once
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

import features
import ilpsum
from features.arrays import Floats
from ilpsum import resources
from ilpsum.errors import ModelError
from ilpsum.io import persistence
from ilpsum.io.arrays import fitted
from ilpsum.io.records import UNFIT, Count
from ilpsum.learning.models import SystemModel
from ilpsum.learning.relevance import RelevanceModel
from ilpsum.pipeline.loading import read_model
from ilpsum.pipeline.system import RelevanceTable, System
from ilpsum.records import Sentence, Topic

if TYPE_CHECKING:
    from ilpsum.training.examples import Example

_FEATURES, _TARGETS, _RELEVANCE, _MODELS = "features", "targets", "relevance", "models"
_PROTOCOL = 1
# Text, document, start, end, words and section of a sentence.
_Row = tuple[str, str, Count, Count, Count, str]
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "nltk", "python-Levenshtein", "highspy")


@dataclass(frozen=True)
class Known:
    """The cached parts of a training example.

    Attributes:
        sentences: its n candidates; None if they are not cached.
        matrix: (n, columns) their raw features; cached together with them.
        targets: (n,) the targets of the relevance model; None if they are not cached.
    """

    sentences: tuple[Sentence, ...] | None = None
    matrix: Floats | None = None
    targets: Floats | None = None

    @property
    def complete(self) -> bool:
        """Whether nothing is left to compute."""
        return self.matrix is not None and self.targets is not None


class Cache:
    """A folder of entries, created with the first."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def parts(self, system: System, topic: Topic) -> Known:
        """Return the cached parts of a topic's example for a system."""
        features_entry = self._load(_FEATURES, _features_key(system, topic))
        targets_entry = self._load(_TARGETS, _targets_key(system, topic))
        try:
            rows = msgspec.convert(features_entry.description["sentences"], list[_Row]) if features_entry else None
            sizes = {} if rows is None else {"n": len(rows), "columns": len(_relevance(system).feature_set.columns)}
            if features_entry:
                fitted(features_entry.arrays, {"matrix": "f n columns"}, **sizes)
            if targets_entry:
                fitted(targets_entry.arrays, {"targets": "f n"}, **sizes)
        except UNFIT:  # damaged: computed again
            return Known()
        targets = targets_entry.arrays["targets"] if targets_entry else None
        if rows is None or features_entry is None:
            return Known(targets=targets)
        return Known(tuple(Sentence(*row) for row in rows), features_entry.arrays["matrix"], targets)

    def keep_parts(self, system: System, topic: Topic, before: Known, example: "Example") -> None:
        """Store the parts of a topic's example that were not cached before."""
        if before.matrix is None:
            rows = [[s.text, s.document, s.start, s.end, s.words, s.section] for s in example.sentences]
            self._save(_FEATURES, _features_key(system, topic), {"sentences": rows}, {"matrix": example.matrix})
        if before.targets is None:
            self._save(_TARGETS, _targets_key(system, topic), {}, {"targets": example.targets})

    def model(
        self, system: System, words: int, content: Iterable[Any], train: Callable[[], SystemModel]
    ) -> SystemModel:
        """Return the model of a system: the cached one, or the one that `train` returns, as its file holds it.

        Tuning compares summaries of `words` words; `content` identifies the examples by texts and arrays.
        """
        path = self._path(_MODELS, _digest(training_settings(system, words), *content))
        try:
            return read_model(system, path)
        except ModelError:
            path.parent.mkdir(parents=True, exist_ok=True)
            # A file holds support vectors in single precision: loading it makes the result independent of the cache.
            train().save(path)
            return read_model(system, path)

    def relevance(self, content: Iterable[Any]) -> RelevanceModel | None:
        """Return the relevance model of all that it depends on: settings, texts and arrays; None if not cached."""
        stored = self._load(_RELEVANCE, _digest(*content))
        try:
            return RelevanceModel.from_state(stored.description, stored.arrays) if stored else None
        except UNFIT:  # damaged: computed again
            return None

    def keep_relevance(self, content: Iterable[Any], model: RelevanceModel) -> None:
        """Store a relevance model."""
        self._save(_RELEVANCE, _digest(*content), *model.state())

    def size(self) -> int:
        """Return the bytes of all entries."""
        return sum(path.stat().st_size for path in self.folder.rglob("*.npz"))

    def _path(self, kind: str, key: str) -> Path:
        return self.folder / kind / key[:2] / f"{key}.npz"

    def _load(self, kind: str, key: str) -> persistence.Stored | None:
        try:
            return persistence.load(self._path(kind, key), kind, _PROTOCOL)
        except ModelError:  # missing or damaged: computed again
            return None

    def _save(self, kind: str, key: str, description: dict[str, Any], arrays: dict[str, Floats]) -> None:
        path = self._path(kind, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        persistence.save(path, kind, _PROTOCOL, description, arrays)


def training_settings(system: System, words: int) -> bytes:
    """Return all settings that a system's model depends on, encoded: systems with equal settings share a model.

    Tuning compares summaries of `words` words.
    """
    options = _relevance(system)
    # Without tuning neither the word limit nor the selection matters, but for what they say of training. The selectors
    # `ilp` and `greedy` share a model, which has the lambda of the one and the threshold of the other.
    own = system.selection
    tuned = (words, own.lambda_, own.word_cost, own.alpha, own.method == "gain") if system.tunes else ()
    if len(system.recipe.tune_threshold) > 1:
        tuned = (*tuned, words)
    learned = (system.selection.concepts, system.selection.weights)
    return msgspec.json.encode((system.candidates, options, _vectors(options), system.recipe, learned, tuned))


def _features_key(system: System, topic: Topic) -> str:
    options = _relevance(system)
    # The repr of a record holds all its fields, nested ones too, in a fixed order.
    content = repr(replace(topic, summaries=(), answers=(), relevant=(), warnings=()))
    return _digest(content, system.candidates, options.features, options.feature_set.columns, _vectors(options))


def _targets_key(system: System, topic: Topic) -> str:
    content = repr(replace(topic, warnings=()))
    return _digest(content, system.candidates, system.recipe.target, system.selection.stems)


def _relevance(system: System) -> RelevanceTable:
    if system.relevance is None:
        raise ValueError(f"the system {system.name} has no model")
    return system.relevance


def _digest(*parts: Any) -> str:
    digest = hashlib.sha256(_code().encode())
    for part in parts:
        if isinstance(part, np.ndarray):
            content = f"{part.dtype.str} {part.shape};".encode() + part.tobytes()
        elif isinstance(part, str):
            content = part.encode("utf-8", "backslashreplace")
        else:
            content = part if isinstance(part, bytes) else msgspec.json.encode(part)
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


@once
def _code() -> str:
    """Return a digest of all code that an entry could depend on: ours by content, that of others by version."""
    digest = hashlib.sha256(repr((platform.python_version(), persistence.library_versions(*_LIBRARIES))).encode())
    for package in (Path(features.__file__).parent, Path(ilpsum.__file__).parent):
        for path in sorted(package.rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@once
def _vectors(options: RelevanceTable) -> str:
    """Return a digest of the file of word vectors, if it is needed."""
    path = Path(options.embeddings or resources.embeddings())
    if not (options.feature_set.needs_embeddings and path.is_file()):
        return ""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
