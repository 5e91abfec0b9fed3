"""The topics of a sweep, with their gold, and a digest of all that they say."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

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
        digest = hashlib.sha256()
        for topic in kept:
            # Not where a file lay. A citance's text form holds all its fields, nested ones too, in a fixed order.
            documents = [part for d in topic.documents for part in (d.id, d.role, d.text)]
            for part in (topic.id, topic.query, *topic.summaries, *documents, repr(topic.citances)):
                digest.update(part.encode("utf-8", "backslashreplace") + b"\0")
        return cls(kept, len(every) - len(kept), digest.hexdigest()[:16], kind)
