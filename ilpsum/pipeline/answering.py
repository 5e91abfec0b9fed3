"""The outcome of a search, once the relevance of the sentences found is predicted.

The probability that the sentences answer the question is that of a logistic regression on four features (`Signs`),
learned by `experiments/silence.py` from questions asked of collections that hold their abstracts, and of collections
from which these were taken out. A question gets an answer if the texts hold its words well enough
(`ilpsum.retrieval.answerability`), this probability reaches a threshold, and the most relevant sentences mention what
the question is about. Without a model the words decide alone, and
a least coverage decides instead of either. Otherwise the outcome is `related`, with the sentences that come nearest, if
any touches the question, and `nothing` if none does.
"""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np

from features.arrays import Floats
from features.context import Context, Evidence
from features.retrieval import K1
from ilpsum.pipeline.claims import is_claim
from ilpsum.records import NearestSentence, Outcome, SearchResult, Sentence, Topic

INTERCEPT = 3.038
COEFFICIENTS = (1.656, 2.718, 1.312, -0.228)
"""Of the features, in their order."""

ANSWERED = 0.073
"""Questions with a smaller probability get no answer."""

HELD = 0.27
"""Nor do questions whose words have a smaller score; without a model the score decides alone, and asks for more."""

TOUCHED = 0.5
"""A sentence touches a question if it holds this share of its words by weight, and two of them or its only one."""

NEAREST = 3
"""The most sentences that are shown in place of an answer."""

_TELLING = 3
# The most relevant sentences, one of which must mention a subject of the question, if not a title of their texts.
_BEST = 5
# Added before logarithms.
_LITTLE_TELLING, _LITTLE_MATCH = 0.01, 0.05


@dataclass(frozen=True, slots=True)
class Signs:
    """What the sentences found say about whether they answer a question; no sentence is no sign.

    Attributes:
        telling: ln(.01 + mean of the three largest products of a sentence's relevance and the share of the question's
            words, by squared weight, that it holds).
        held: the largest share of the question's words, by weight, that a document holds.
        match: ln(.05 + BM25 of the best document as a share of the largest that is possible).
        searched: ln(1 + texts searched).
    """

    telling: float
    held: float
    match: float
    searched: float

    @property
    def probability(self) -> float:
        """The probability that the sentences answer the question."""
        terms = zip(COEFFICIENTS, astuple(self), strict=True)
        return 1.0 / (1.0 + math.exp(-INTERCEPT - math.fsum(c * value for c, value in terms)))


class _Asked:
    """The q words of a question that say what to look for, and what the n sentences and d documents hold of them."""

    def __init__(self, search: SearchResult, evidence: Evidence) -> None:
        from ilpsum.retrieval.answerability import INSTRUCTIONS
        from ilpsum.retrieval.weights import smoothed_idf

        kept = [i for i, (word, _) in enumerate(search.weights) if word not in INSTRUCTIONS]
        missing = [word for word in search.missing if word not in INSTRUCTIONS]
        self.kept = [search.weights[i][0] for i in kept]
        self.words = len(kept) + len(missing)
        self.held = bool(kept)
        self._weights = evidence.weights[kept]
        self._missing = np.array([smoothed_idf(word, 0, search.searched) for word in missing])
        self.sentences, self.documents = evidence.sentences[:, kept], evidence.documents[:, kept]

    def share(self, held: Floats, power: float = 1.0) -> Floats:
        """Return (m,) the share of the question that m rows hold, by weight to a power; missing words count too."""
        weights = self._weights**power
        result: Floats = held @ weights / (float(weights.sum()) + float((self._missing**power).sum()))
        return result

    @property
    def most_bm25(self) -> float:
        """The BM25 that no document can exceed."""
        return (K1 + 1.0) * float(self._weights.sum() + self._missing.sum())


def signs_of(search: SearchResult, evidence: Evidence, relevance: Floats) -> Signs | None:
    """Return the signs of a search; None if no text holds a word of the question.

    Args:
        search: what was found.
        evidence: which words of the question the n candidates and the documents hold.
        relevance: (n,) predicted.
    """
    asked = _Asked(search, evidence)
    if not asked.held or not len(relevance):
        return None
    telling = np.sort(np.maximum(relevance, 0.0) * asked.share(asked.sentences, 2.0))[::-1][:_TELLING]
    return Signs(
        telling=math.log(_LITTLE_TELLING + float(telling.sum()) / _TELLING),
        held=float(asked.share(asked.documents).max()),
        match=math.log(_LITTLE_MATCH + float(evidence.bm25.max()) / asked.most_bm25),
        searched=math.log1p(search.searched),
    )


def decided(topic: Topic, sentences: Sequence[Sentence], context: Context, *, predicted: bool) -> Topic:
    """Return a topic that was searched for with the outcome and, unless it is an answer, the nearest sentences.

    Args:
        topic: with the documents found.
        sentences: the n candidates.
        context: of the candidates.
        predicted: whether the candidates have a relevance.
    """
    search, evidence = topic.search, context.evidence
    if search is None or evidence is None:
        return topic
    relevance = np.array([s.relevance for s in sentences])
    if predicted and not search.settled and (signs := signs_of(search, evidence, relevance)):
        # A claim has many rare words, and what tests it may name them otherwise.
        lacks = "" if is_claim(topic.query) else lacking(search, evidence, sentences, relevance)
        search = _judged(search, signs, lacks)
    if search.outcome is Outcome.ANSWER:
        return replace(topic, search=search)
    found = (sentences[i] for i in _nearest(_Asked(search, evidence), relevance))
    nearest = tuple(NearestSentence(s.text, s.document, s.start, s.end) for s in found)
    outcome = Outcome.RELATED if nearest else Outcome.NOTHING
    return replace(topic, search=replace(search, outcome=outcome, nearest=nearest))


def lacking(search: SearchResult, evidence: Evidence, sentences: Sequence[Sentence], relevance: Floats) -> str:
    """Return which subjects of a question are not what the sentences are about, in one line; empty if all are.

    Neither the most relevant sentences mention one, nor the titles of their texts; or no text found mentions all. Such
    sentences answer another question: on galcanezumab where aspirin was asked about. The arguments are as for
    `signs_of`.
    """
    from ilpsum.retrieval.answerability import quoted, subjects

    asked, best = _Asked(search, evidence), np.argsort(-relevance, kind="stable")[:_BEST].tolist()
    texts = {sentences[i].document for i in best}
    read = best + [i for i, s in enumerate(sentences) if s.section == "title" and s.document in texts]
    names = subjects(search)
    mentioned = dict(zip(asked.kept, asked.sentences[read].any(axis=0).tolist(), strict=True))
    if unmentioned := [word for word in names if not mentioned.get(word)]:
        return f"none of the most relevant sentences mentions {quoted(unmentioned, search.query, 'or')}"
    together = asked.documents[:, [asked.kept.index(word) for word in names]].all(axis=1).any()
    return "" if together else f"nothing found mentions {quoted(names, search.query, 'and')} together"


def _judged(search: SearchResult, signs: Signs, lacks: str) -> SearchResult:
    """Return a search with the probability of an answer, and the outcome by it and by the question's words."""
    from ilpsum.retrieval.answerability import refused

    if search.answerable < HELD:
        return replace(search, answerable=min(search.answerable, signs.probability))
    search = replace(search, answerable=signs.probability, outcome=Outcome.ANSWER, unanswered="")
    return search if search.answerable >= ANSWERED and not lacks else refused(search, lacks)


def _nearest(asked: _Asked, relevance: Floats) -> list[int]:
    """Return the most relevant of the sentences that touch the question, at most `NEAREST`."""
    if not asked.held:
        return []
    covered, words = asked.share(asked.sentences), (asked.sentences > 0).sum(axis=1)
    touching = np.flatnonzero((covered >= TOUCHED) & (words >= min(2, asked.words))).tolist()
    return sorted(touching, key=lambda i: (-relevance[i], -covered[i]))[:NEAREST]
