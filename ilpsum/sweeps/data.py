"""The topics of a sweep, with their gold summaries, and a digest of their content."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from ilpsum.corpora.identity import topic_digest
from ilpsum.errors import InputError
from ilpsum.pipeline.loading import kind_of_all
from ilpsum.pipeline.system import Kind
from ilpsum.records import Topic


@dataclass(frozen=True)
class Data:
    """The topics of a sweep that have gold, the number of others, a digest of their content, and their kind."""

    topics: tuple[Topic, ...]
    without_gold: int
    digest: str
    kind: Kind

    @classmethod
    def of(cls, topics: Iterable[Topic]) -> "Data":
        """Return the data of topics; `InputError` if no topic has gold summaries."""
        every = list(topics)
        scored = tuple(topic for topic in every if topic.summaries)
        if not scored:
            raise InputError("a sweep needs gold summaries, and no topic has one; name topics with gold summaries")
        lines = "\n".join(f"{topic_digest(topic, gold=True)} {topic.id}" for topic in scored)
        digest = hashlib.sha256(lines.encode("utf-8", "backslashreplace")).hexdigest()[:16]
        return cls(scored, len(every) - len(scored), digest, kind_of_all(scored)[0])
