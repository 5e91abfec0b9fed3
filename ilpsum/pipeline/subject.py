"""The query of texts that are summarised without a question: what they are about."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from features.text import Passage
from ilpsum.records import GENERAL, Document, Topic

# As many words as a long title has.
_WORDS = 12


def query_of(topic: Topic) -> str:
    """Return the question of a topic; of one in general English without a question, the subject of its documents."""
    return topic.query or (subject(topic.documents) if topic.kind in GENERAL else "")


def subject(documents: Sequence[Document]) -> str:
    """Return the title of a single document, otherwise the words of the centroid of all, the heaviest first.

    The weight of a content word is the sum over the documents of 1 + log(its occurrences), by stems (after the centroid
    of Radev et al. 2004, Centroid-based summarization of multiple documents); a word is written as it first occurs.
    """
    if len(documents) == 1 and documents[0].title:
        return documents[0].title
    weights: defaultdict[str, float] = defaultdict(float)
    words: dict[str, str] = {}
    for document in documents:
        passage = Passage(f"{document.title}\n{document.text}")
        for stem, count in Counter(passage.content_stems).items():
            weights[stem] += 1.0 + math.log(count)
        for stem, word in zip(passage.content_stems, passage.content_words, strict=True):
            words.setdefault(stem, word)
    heaviest = sorted(weights, key=lambda stem: (-weights[stem], stem))[:_WORDS]
    return " ".join(words[stem] for stem in heaviest)


def nearest(documents: Sequence[Document], most: int) -> tuple[Document, ...]:
    """Return, in their order, the documents that hold most words of the subject of all; of equals the first."""
    wanted = frozenset(Passage(subject(documents)).stems)
    held = [len(wanted.intersection(Passage(f"{d.title}\n{d.text}").stems)) for d in documents]
    chosen = sorted(range(len(documents)), key=lambda i: -held[i])[:most]
    return tuple(documents[i] for i in sorted(chosen))
