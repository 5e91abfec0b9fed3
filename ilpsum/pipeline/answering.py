"""The outcome of a search: whether the sentences found answer the question.

The probability that they do is that of a logistic regression on six features (`Signs`), learned by
`experiments/silence.py` from questions asked of collections that hold their abstracts, and of collections from which
these were taken out. It is 0 if no document has some name in a question. A question gets an answer if the probability
reaches a threshold. Where no model predicts the relevance of sentences, all have the same. Otherwise the outcome is
`related`, with the sentences that come nearest, if any touches the question, and `nothing` if none does. A least
coverage decides in place of the probability.
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

INTERCEPT = 7.230
COEFFICIENTS = (1.443, 2.486, 1.804, 0.488, -0.575, -0.425)
"""Of the features, in their order."""

ANSWERED = 0.136
"""Questions with a smaller probability get no answer."""

UNPREDICTED = 0.3
"""The relevance of every sentence where no model predicts it."""

TOUCHED = 0.5
"""A sentence touches a question if it holds this share of its words by weight, and two of them or its only one."""

NEAREST = 3
"""The most sentences that are shown in place of an answer."""

_TELLING = 3
# The most relevant sentences, which are read with the titles of their texts.
_BEST = 5
# A word is a subject of a question if its weight is at least this share of the largest. A reason names so many.
_HEAVY, _NAMED = 0.5, 3
# A sound answer often does without words of a smaller weight, such as `available`: this is one text in 150.
_RARE = 5.0
# Added before logarithms. The smallest collections learned from have _FEW texts.
_LITTLE_TELLING, _LITTLE_MATCH, _FEW = 0.01, 0.05, 100


@dataclass(frozen=True, slots=True)
class Signs:
    """What the sentences found say about whether they answer a question; no sentence is no sign.

    Attributes:
        telling: ln(.01 + mean of the three largest products of a sentence's relevance and the share of the question's
            words, by squared weight, that it holds).
        held: the largest share of the question's words, by weight, that a document holds.
        match: ln(.05 + BM25 of the best document as a share of the largest that is possible).
        words: ln of the question's words.
        length: ln(1 + words of the sentences of a text, in the mean); long texts hold more words by chance.
        searched: ln(100 + texts searched).
    """

    telling: float
    held: float
    match: float
    words: float
    length: float
    searched: float

    @property
    def probability(self) -> float:
        """The probability that the sentences answer the question."""
        terms = zip(COEFFICIENTS, astuple(self), strict=True)
        return 1.0 / (1.0 + math.exp(-INTERCEPT - math.fsum(c * value for c, value in terms)))


class _Asked:
    """The q words of a question that say what to look for, and what the n sentences and d documents hold of them.

    `ranked` are the places of the words that are no compounds, by falling weight; `subjects` the first of them.
    """

    def __init__(self, search: SearchResult, evidence: Evidence) -> None:
        from ilpsum.retrieval.answerability import INSTRUCTIONS
        from ilpsum.retrieval.weights import smoothed_idf

        kept = [i for i, (word, _) in enumerate(search.weights) if word not in INSTRUCTIONS]
        missing = [word for word in search.missing if word not in INSTRUCTIONS]
        self.held = [search.weights[i][0] for i in kept]
        self.words = [*self.held, *missing]
        absent = [smoothed_idf(word, 0, search.searched) for word in missing]
        self.weights = np.concatenate([evidence.weights[kept], np.array(absent)])
        # No text holds the missing ones.
        self.sentences, self.documents = (
            np.pad(rows[:, kept], ((0, 0), (0, len(missing)))) for rows in (evidence.sentences, evidence.documents)
        )
        # Of a compound, the parts count: `are 6` would be one, too.
        self.ranked = [i for i in np.argsort(-self.weights, kind="stable").tolist() if " " not in self.words[i]]
        self.subjects = [i for i in self.ranked if self.weights[i] >= _HEAVY * self.weights[self.ranked[0]]]
        self._query = search.query

    def share(self, held: Floats, power: float = 1.0) -> Floats:
        """Return (m,) the share of the question that m rows hold, by weight to a power."""
        weights = self.weights**power
        return np.asarray(held @ weights / float(weights.sum()))

    @property
    def most_bm25(self) -> float:
        """The BM25 that no document can exceed."""
        return (K1 + 1.0) * float(self.weights.sum())

    def written(self, places: Sequence[int], conjunction: str) -> str:
        """Return the words at these places as they are written in the question, joined."""
        from ilpsum.retrieval.answerability import as_written, listed

        return listed([as_written(self.words[i], self._query) for i in places], conjunction)

    def shown(self, chosen: Sequence[int], sentences: Sequence[Sentence]) -> Floats:
        """Return (q,) how much of each word the sentences at these places and the titles of their texts hold."""
        texts = {sentences[i].document for i in chosen}
        titles = [i for i, s in enumerate(sentences) if s.section == "title" and s.document in texts]
        return np.asarray(self.sentences[[*chosen, *titles]].max(axis=0, initial=0.0))


def signs_of(
    search: SearchResult, evidence: Evidence, sentences: Sequence[Sentence], relevance: Floats
) -> Signs | None:
    """Return the signs of a search; None if the documents lack all words of the query, or a name in a question.

    `evidence` says which words of the question the n candidates and the documents hold; (n,) `relevance` is predicted.
    """
    asked = _Asked(search, evidence)
    # What tests a claim may name its many rare words otherwise.
    unnamed = search.unnamed and not is_claim(search.query)
    if not asked.held or unnamed or not len(relevance):
        return None
    telling = np.sort(np.maximum(relevance, 0.0) * asked.share(asked.sentences, 2.0))[::-1][:_TELLING]
    return Signs(
        telling=math.log(_LITTLE_TELLING + float(telling.sum()) / _TELLING),
        held=float(asked.share(asked.documents).max()),
        match=math.log(_LITTLE_MATCH + float(evidence.bm25.max()) / asked.most_bm25),
        words=math.log(len(asked.words)),
        length=math.log1p(sum(s.words for s in sentences) / len({s.document for s in sentences})),
        searched=math.log(_FEW + search.searched),
    )


def decided(topic: Topic, sentences: Sequence[Sentence], context: Context, *, predicted: bool) -> Topic:
    """Return a topic that was searched for with the outcome and, unless it is an answer, the nearest sentences.

    The context is that of the n sentences, its candidates; `predicted` says whether these have a relevance.
    """
    search, evidence = topic.search, context.evidence
    if search is None or evidence is None:
        return topic
    relevance = np.array([s.relevance if predicted else UNPREDICTED for s in sentences])
    if not search.settled:
        signs = signs_of(search, evidence, sentences, relevance)
        likely = signs.probability if signs else 0.0
        outcome = Outcome.ANSWER if likely >= ANSWERED else Outcome.NOTHING
        search = replace(search, answerable=likely, outcome=outcome)
    if search.outcome is Outcome.ANSWER:
        return replace(topic, search=search)
    asked = _Asked(search, evidence)
    best = np.argsort(-relevance, kind="stable")[:_BEST].tolist()
    why = search.unanswered or _reason(search, asked, asked.shown(best, sentences))
    found = (sentences[i] for i in _nearest(asked, relevance))
    nearest = tuple(NearestSentence(s.text, s.document, s.start, s.end) for s in found)
    outcome = Outcome.RELATED if nearest else Outcome.NOTHING
    return replace(topic, search=replace(search, outcome=outcome, unanswered=why, nearest=nearest))


def doubt(search: SearchResult, context: Context, sentences: Sequence[Sentence], chosen: Sequence[int]) -> str:
    """Return in one line which subject of a question its answer does not mention; empty if none, or for a claim.

    Args:
        search: what was found.
        context: of the candidates.
        sentences: the n candidates.
        chosen: the places of the answer's sentences among them.
    """
    if context.evidence is None or not chosen or is_claim(search.query):
        return ""
    asked = _Asked(search, context.evidence)
    subjects, shown = [i for i in asked.subjects if asked.weights[i] >= _RARE], asked.shown(chosen, sentences)
    if unshown := [i for i in subjects if not shown[i]]:
        return f"the answer does not mention {asked.written(unshown[:_NAMED], 'or')}"
    sources, two = asked.documents[np.unique(context.document[list(chosen)])], subjects[:2]
    if not sources[:, two].all(axis=1).any():
        return f"no source of the answer mentions {asked.written(two, 'and')} together"
    return ""


def _reason(search: SearchResult, asked: _Asked, shown: Floats) -> str:
    """Say in one line why a search has no answer; `shown` is (q,) as `_Asked.shown` returns it."""
    if not asked.words:
        return "the question has no word to search for"
    if not len(asked.documents):
        said = f"no {search.what} contains a word of the question"
        if asked.held:
            said = f"no {search.what} with a word of the question passes the source filters"
        return "; ".join((said, *search.untold))
    return _lacking(search, asked, shown) or "the texts found mention the words of the question but do not answer it"


def _lacking(search: SearchResult, asked: _Asked, shown: Floats) -> str:
    """Say in the words of the question what no text holds, or no text or sentence together; empty if a sentence does.

    Where the most relevant sentences don't mention a subject, they answer another question: on galcanezumab where
    aspirin was asked about.
    """
    from ilpsum.retrieval.answerability import listed

    if absent := [i for i in asked.subjects if i >= len(asked.held)]:
        return f"no {search.what} mentions {asked.written(absent[:_NAMED], 'or')}"
    if search.unnamed:
        return f"no {search.what} found mentions {listed(search.unnamed[:_NAMED], 'or')}"
    if unshown := [i for i in asked.subjects if not shown[i]]:
        return f"none of the most relevant sentences mentions {asked.written(unshown[:_NAMED], 'or')}"
    for rows, of in ((asked.documents, f"{search.what}s"), (asked.sentences, "sentences")):
        for number in range(2, len(asked.ranked) + 1):
            if not rows[:, asked.ranked[:number]].all(axis=1).any():
                return f"none of the {of} found mentions {asked.written(asked.ranked[:number], 'and')} together"
    return ""


def _nearest(asked: _Asked, relevance: Floats) -> list[int]:
    """Return the most relevant of the sentences that touch the question, at most `NEAREST`."""
    if not asked.held:
        return []
    covered, words = asked.share(asked.sentences), (asked.sentences > 0).sum(axis=1)
    touching = np.flatnonzero((covered >= TOUCHED) & (words >= min(2, len(asked.words)))).tolist()
    return sorted(touching, key=lambda i: (-relevance[i], -covered[i]))[:NEAREST]
