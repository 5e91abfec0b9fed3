"""When two topics are the same: a digest of what a topic is made of."""

import hashlib

from ilpsum.records import Topic


def topic_digest(topic: Topic, *, gold: bool = False) -> str:
    """Return a digest of a topic's question, documents and citances, as 16 hexadecimal digits.

    `gold` includes its gold summaries, as for training and evaluation. Its id, the files it was read from, the reader's
    warnings, the scores of a search and the exact answers, which no model is trained on, have no part in it.
    """
    import msgspec

    content = (topic.query, topic.documents, topic.citances, *([topic.summaries] if gold else []))
    return hashlib.blake2b(msgspec.msgpack.encode(content), digest_size=8).hexdigest()
