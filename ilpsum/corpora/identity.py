"""When two topics are the same: a digest of what a topic is made of."""

import hashlib
from dataclasses import fields

from ilpsum.records import Document, Topic

# What a digest of a document has: what it says, not where it was published.
_OF_DOCUMENT = [field.name for field in fields(Document) if field.name != "publication"]


def topic_digest(topic: Topic, *, gold: bool = False) -> str:
    """Return a digest of a topic's question, documents and citances, as 16 hexadecimal digits.

    `gold` includes its gold summaries, as for training and evaluation, and the exact answers that models of searched
    topics are trained on. Its id, the files it was read from, where its documents were published, the reader's warnings
    and the scores of a search have no part in it.
    """
    import msgspec

    documents = [{name: getattr(document, name) for name in _OF_DOCUMENT} for document in topic.documents]
    content = (topic.query, documents, topic.citances, *([topic.summaries] if gold else []))
    if gold and topic.search:
        content += (topic.answers,)
    return hashlib.blake2b(msgspec.msgpack.encode(content), digest_size=8).hexdigest()
