"""The outcome of a search, once the relevance of the sentences found is predicted.

A question is answered if the texts hold its words (`ilpsum.retrieval.answerability`), or if a least coverage says so.
Otherwise the outcome is `related`, with the sentences that come nearest, if any touches the question, and `nothing` if
none does.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from features.arrays import Floats
from features.context import Context, Evidence
from features.retrieval import idf
from ilpsum.records import NearestSentence, Outcome, SearchResult, Sentence, Topic

TOUCHED = 0.5
"""A sentence touches a question if it holds this share of its words by weight, and two of them or its only one."""

NEAREST = 3
"""The most sentences that are shown in place of an answer."""


def decided(topic: Topic, sentences: Sequence[Sentence], context: Context) -> Topic:
    """Return a topic that was searched for with the outcome and, unless it is an answer, the nearest sentences.

    Args:
        topic: with the documents found.
        sentences: the n candidates.
        context: of the candidates.
    """
    search, evidence = topic.search, context.evidence
    if search is None or evidence is None or search.outcome is Outcome.ANSWER:
        return topic
    found = (sentences[i] for i in _nearest(search, evidence, np.array([s.relevance for s in sentences])))
    nearest = tuple(NearestSentence(s.text, s.document, s.start, s.end) for s in found)
    outcome = Outcome.RELATED if nearest else Outcome.NOTHING
    return replace(topic, search=replace(search, outcome=outcome, nearest=nearest))


def _nearest(search: SearchResult, evidence: Evidence, relevance: Floats) -> list[int]:
    """Return the most relevant of the sentences that touch the question, at most `NEAREST`.

    Words that say what to do do not count; words that no text holds do.
    """
    from ilpsum.retrieval.answerability import INSTRUCTIONS

    kept = [i for i, (word, _) in enumerate(search.weights) if word not in INSTRUCTIONS]
    missing = [word for word in search.missing if word not in INSTRUCTIONS]
    weights, held = evidence.weights[kept], evidence.sentences[:, kept]
    if not kept:
        return []
    covered = held @ weights / (float(weights.sum()) + len(missing) * float(idf(search.searched, 0.0)))
    enough = (held > 0).sum(axis=1) >= min(2, len(kept) + len(missing))
    touching = np.flatnonzero((covered >= TOUCHED) & enough).tolist()
    return sorted(touching, key=lambda i: (-relevance[i], -covered[i]))[:NEAREST]
