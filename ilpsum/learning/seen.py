"""The topics on which a model was trained or a sweep chose settings: scores on them are not held
out.

A model keeps an 8-byte digest of each topic, never its text. A question has the same digest in
every format and pool, a paper with citances in every folder and archive.
"""

import base64
import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ilpsum import resources
from ilpsum.files.persistence import fitted
from ilpsum.records import Document, Topic

TrainedOn = frozenset[int] | None
"""Digests of a model's training topics; None if the model file does not say."""

SETTINGS = "settings"
"""The key of a system's chosen settings in `Summary.seen`, beside the models."""

GIVEN = "relevance from "
"""Begins the key of relevance that no model of ours predicted: what its maker has seen is
unknown."""

# Most topics that a system's file lists, with four characters each.
_MOST_CHOOSING = 3000
_UNKNOWN = "unknown"
_NOT_LETTERS = re.compile(r"[\W_]+")
# Letters and digits that identify a paper. Copies of a paper agree up to its authors' names.
_BEGINNING = 150


def topic_key(topic: Topic) -> int:
    """Return the 8-byte digest of a topic: of its reference paper, else of its question as written,
    else of its documents.
    """
    if topic.query and not topic.reference:
        content = f"question {_letters(topic.written or topic.query)}"
    else:
        documents = [topic.reference] if topic.reference else topic.documents
        content = f"documents {' '.join(sorted(map(document_key, documents)))}"
    return int.from_bytes(hashlib.blake2b(content.encode(), digest_size=8).digest())


def document_key(document: Document) -> str:
    """Return what identifies a document across topics: its PMID if it has one, else its beginning.

    File names do not: TAC's topics name a paper after its first author.
    """
    if identifier := document.source or document.publication.pmid:
        return identifier
    return _letters(document.text[: 4 * _BEGINNING])[:_BEGINNING]


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())


def packed(topics: TrainedOn) -> dict[str, NDArray[np.uint64]]:
    """Return the digests as an array of a model file, ascending; none if they are unknown."""
    return {} if topics is None else {"topics": np.array(sorted(topics), dtype=np.uint64)}


def unpacked(arrays: Mapping[str, NDArray[np.uint64]]) -> TrainedOn:
    """Return the digests in a model file; None if it has none, like files of ilpsum 0.3."""
    if "topics" not in arrays:
        return None
    fitted(arrays, {"topics": "i topics"})
    return frozenset(arrays["topics"].tolist())


def documents_seen(abstracts: TrainedOn, topic: Topic) -> bool | None:
    """Return whether a model that was trained on documents has seen one of a topic; None if the
    model does not say.
    """
    if abstracts is None:
        return None
    return any(has_seen(abstracts, Topic(d.id, "", (d,))) for d in topic.documents)


def has_seen(topics: TrainedOn, topic: Topic) -> bool | None:
    """Return whether a topic was in a model's training; None if the model does not say."""
    return None if topics is None else topic_key(topic) in topics


@cache
def included_topics(name: str) -> TrainedOn:
    """Return the training topics of an included model; None if there is no model of this name."""
    path = resources.models() / f"{name}.npz"
    if not path.is_file():
        return None
    with np.load(path) as arrays:
        return unpacked({key: arrays[key] for key in arrays.files if key == "topics"})


def without_folds(name: str, keys: Iterable[int]) -> str:
    """Return the advice on folds for topics, by digest, of which the included model of this name
    has seen none; empty if it has seen one, or there is no such model.
    """
    seen = included_topics(name)
    return "" if seen is None or not seen.isdisjoint(keys) else needless_folds(name)


def needless_folds(model: str) -> str:
    """Return the advice on folds where an included model has seen none of the topics."""
    return (
        f"the included model {model} has seen none of these topics: a run with it, without "
        "--folds, is held out, too"
    )


def choosing(topics: Sequence[Topic]) -> str:
    """Return the topics whose scores chose a system's settings, as its file lists them: the first
    three bytes of each digest, in base64; `unknown` for more than 3,000 topics.

    With 3,000 topics, one other topic in 5,000 is mistaken for one of them.
    """
    if len(topics) > _MOST_CHOOSING:
        return _UNKNOWN
    return "".join(map(_short_key, topics))


def has_chosen(choosing: str, topic: Topic) -> bool | None:
    """Return whether a topic is among those of `choosing`; None if they are unknown."""
    if choosing == _UNKNOWN:
        return None
    return _short_key(topic) in {choosing[i : i + 4] for i in range(0, len(choosing), 4)}


def _short_key(topic: Topic) -> str:
    return base64.b64encode(topic_key(topic).to_bytes(8)[:3]).decode()
