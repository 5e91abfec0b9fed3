"""The topics of a sweep, with their gold, and a digest of all that they say."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from ilpsum.corpora.identity import topic_digest
from ilpsum.errors import InputError
from ilpsum.records import Topic


@dataclass(frozen=True)
class Data:
    """The topics of a sweep.

    Attributes:
        topics: those that have gold summaries.
        without_gold: the number of those that have none, and are left out.
        digest: of everything that the topics hold.
        kind: what they are, of `ilpsum.learning.models.KINDS`.
    """

    topics: tuple[Topic, ...]
    without_gold: int
    digest: str
    kind: str

    @classmethod
    def of(cls, topics: Iterable[Topic], *, kind: str) -> "Data":
        """The data of topics.

        Raises:
            InputError: no topic has gold.
        """
        every = list(topics)
        kept = tuple(topic for topic in every if topic.summaries)
        if not kept:
            raise InputError("no topic with gold summaries, by which a sweep is scored; hand in topics with their gold")
        lines = "\n".join(f"{topic_digest(topic, gold=True)} {topic.id}" for topic in kept)
        digest = hashlib.sha256(lines.encode("utf-8", "backslashreplace")).hexdigest()[:16]
        return cls(kept, len(every) - len(kept), digest, kind)
