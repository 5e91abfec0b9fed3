"""The digest of what a topic is made of."""

from dataclasses import replace

from ilpsum.formats.identity import topic_digest
from ilpsum.records import Citance, Document, FoundDocument, SearchResult, Topic

TOPIC = Topic("t", "Do newts sing?", (Document("d", "They do."),), (Citance(1, "c", 0, 2, "ab"),), ("Yes.",))


def test_what_counts_and_what_does_not():
    same = replace(
        TOPIC, id="other", warnings=("odd",), answers=(("yes",),), search=SearchResult(found=(FoundDocument("d", 1.0),))
    )
    assert topic_digest(same) == topic_digest(TOPIC)
    given = replace(same, search=None)
    assert topic_digest(given, gold=True) == topic_digest(TOPIC, gold=True) != topic_digest(TOPIC)
    # Models of searched topics learn from exact answers.
    assert topic_digest(same, gold=True) != topic_digest(replace(same, answers=()), gold=True)
    changes = ({"query": "Do toads?"}, {"documents": ()}, {"citances": ()})
    assert len({topic_digest(replace(TOPIC, **change)) for change in ({}, *changes)}) == 4
    silent = replace(TOPIC, summaries=())
    assert topic_digest(silent) == topic_digest(TOPIC)
    assert topic_digest(silent, gold=True) != topic_digest(TOPIC, gold=True)
