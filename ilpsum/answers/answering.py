"""Decides whether a question is answered; everything else reads the decision.

`decided` gives the outcome of a search before sentences are selected, and `by_coverage` if the user
requires a coverage.

A logistic regression on six features (`Signs`) gives the probability of an answer.
`experiments/silence.py` fits it to questions asked of collections with their abstracts and of the
same collections without them. It alone decides: at or above `CONFIDENT` the outcome is `answer`, at
or above `ANSWERED` `weak`. Below, it is `related`, with the nearest sentences, if any sentence
touches the question, else `nothing`. Without a relevance model, all sentences count as equally
relevant. An answer is only weak evidence if no text has a name or year of the question, or if it
does not give what is asked for, such as a dose. Whatever else an answer lacks is reported as a
doubt (`reviewed`).
"""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np

from features.arrays import Floats
from features.aspects import aspects_of
from features.context import Context, Evidence
from ilpsum.answers.asked import Asked, as_written
from ilpsum.answers.wanted import missing
from ilpsum.answers.weights import is_history
from ilpsum.errors import quoted
from ilpsum.pipeline.claims import is_claim
from ilpsum.records import NearestSentence, Outcome, SearchResult, Sentence, Topic

INTERCEPT = 1.617
# One coefficient per feature, in the order of `Signs`.
COEFFICIENTS = (1.210, 3.955, 1.140, -0.340, -0.509, -0.438)

# Minimum probabilities at which sentences are shown as an answer, and as weak evidence.
CONFIDENT, ANSWERED = 0.65, 0.136
# The same if a service chose the texts; then as many texts count as searched as in the largest
# collections from which the coefficients were learned (experiments/results/evidence-silence.md).
FETCHED_CONFIDENT, FETCHED_ANSWERED, _BEHIND = 0.5, 0.19, 13_400

# Relevance assigned to every sentence if no model predicts it.
UNPREDICTED = 0.3

# Minimum weighted share of the question's words in a sentence that touches it; also at least two
# words, or all.
TOUCHED = 0.4

# Maximum number of sentences shown in place of an answer.
NEAREST = 3

SEARCHES = "the texts searched are English abstracts on medicine and biology"
"""Said to those who ask on another subject or in another language."""

_TELLING = 3
# Number of most relevant sentences that are checked, together with the titles of their documents.
_BEST = 5
# Maximum number of words named in a reason.
_NAMED = 3
_NONE_MENTIONS = "none of the most relevant sentences mentions"
_ANSWER_OMITS = "the answer does not mention"
# Smoothing terms added before taking logarithms; _FEW is the size of the smallest training
# collections.
_LITTLE_TELLING, _FEW = 0.01, 100


@dataclass(frozen=True, slots=True)
class Signs:
    """Features that predict whether the retrieved sentences answer a question.

    Attributes:
        telling: ln(.01 + mean of the three largest products of a sentence's relevance and its share
            of the question's words, by squared weight).
        held: largest share of the question's words, by weight, in one document.
        match: ln(1 + BM25 of the best document).
        words: ln(number of words in the question).
        length: ln(1 + mean number of words per document); long documents contain more words by
            chance.
        searched: ln(100 + number of texts searched, behind a service at least `_BEHIND`).
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


def signs_of(
    search: SearchResult,
    evidence: Evidence,
    sentences: Sequence[Sentence],
    relevance: Floats,
) -> Signs | None:
    """Return the features of a search; None if the documents lack every query word.

    `evidence` has the question words in the n candidates and the documents; `relevance` is (n,)
    predicted.
    """
    asked = Asked(search, evidence)
    if not search.weights or not len(relevance):
        return None
    products = np.maximum(relevance, 0.0) * asked.share(asked.sentences, 2.0)
    telling = np.sort(products)[-_TELLING:].sum() / _TELLING
    searched = max(search.searched, _BEHIND) if search.fetched else search.searched
    words = sum(s.words for s in sentences)
    length = words / len({s.document for s in sentences})
    return Signs(
        telling=math.log(_LITTLE_TELLING + float(telling)),
        held=float(asked.share(asked.documents).max()),
        match=math.log1p(float(evidence.bm25.max())),
        words=math.log(len(asked.words)),
        length=math.log1p(length),
        searched=math.log(_FEW + searched),
    )


def by_coverage(search: SearchResult, least: float) -> SearchResult:
    """Return a search result with its outcome: an answer if the best document covers at least this
    share.
    """
    search = replace(search, settled=True)
    if search.coverage >= least:
        return search
    low = (
        f"the best {search.what} covers {search.coverage:.0%} of the question, below the required "
        f"{least:.0%}"
    )
    return replace(search, outcome=Outcome.NOTHING, unanswered=low)


def decided(
    topic: Topic,
    sentences: Sequence[Sentence],
    context: Context,
    predicted: Floats | None,
    given: Outcome | None = None,
    refusal: str = "",
) -> Topic:
    """Return a searched topic with its outcome and, unless that is an answer, the nearest
    sentences. A topic that was refused for its coverage stays refused.

    Args:
        topic: the topic.
        sentences: the n candidates.
        context: context of the candidates.
        predicted: their (n,) relevance by the system's model; None without one.
        given: the outcome according to another scorer, such as a judge; None to predict it.
        refusal: why that outcome is not an answer.
    """
    search, evidence = topic.search, context.evidence
    if search is None or evidence is None:
        return topic
    relevance = np.full(len(sentences), UNPREDICTED) if predicted is None else predicted
    asked = Asked(search, evidence)
    settled, likely = search.settled, search.answerable
    outcome, why = search.outcome, search.unanswered
    if given and outcome.is_answer:
        settled, outcome, why = True, given, refusal
    elif not settled:
        signs = signs_of(search, evidence, sentences, relevance)
        likely = signs.probability if signs else 0.0
        is_case = signs is not None and is_history(search.query)
        outcome = _outcome(search, asked, likely, is_history=is_case)
    nearest = tuple[NearestSentence, ...]()
    if not outcome.is_answer:
        best = np.argsort(-relevance, kind="stable")[:_BEST].tolist()
        why = why or _reason(search, asked, asked.shown(best, sentences))
        neighbours = (sentences[i] for i in _nearest(asked, relevance))
        nearest = tuple(NearestSentence(s.text, s.document, s.start, s.end) for s in neighbours)
        outcome = Outcome.RELATED if nearest else Outcome.NOTHING
    search = replace(
        search,
        answerable=likely,
        settled=settled,
        outcome=outcome,
        unanswered=why,
        nearest=nearest,
    )
    return replace(topic, search=search)


def _outcome(search: SearchResult, asked: Asked, likely: float, *, is_history: bool) -> Outcome:
    """Return the outcome of a search, given the probability of an answer."""
    if search.fetched and asked.is_subject_absent:
        # A service has texts on every subject.
        return Outcome.NOTHING
    confident, answered = CONFIDENT, ANSWERED
    if search.fetched:
        confident, answered = FETCHED_CONFIDENT, FETCHED_ANSWERED
    if likely >= confident:
        is_lacking = _absent(search, asked, [*asked.names, *asked.years])
        return Outcome.WEAK if is_lacking else Outcome.ANSWER
    # Most findings of a case are in no abstract, which says nothing about its question.
    return Outcome.WEAK if likely >= answered or is_history else Outcome.NOTHING


def reviewed(
    search: SearchResult,
    context: Context,
    sentences: Sequence[Sentence],
    chosen: Sequence[int],
) -> SearchResult:
    """Return a search result with a line on what its answer lacks; none for a claim, which asks
    nothing.

    An answer that does not give what is asked for is weak evidence. A missing word changes no
    outcome: it adds nothing to the probability of an answer (experiments/results/tried.md).

    Args:
        search: the search result.
        context: context of the candidates.
        sentences: the n candidates.
        chosen: indices of the answer's sentences among them.
    """
    if context.evidence is None or not chosen or is_claim(search.query):
        return search
    if doubt := missing(search.query, [sentences[i].text for i in chosen]):
        return replace(search, outcome=Outcome.WEAK, doubt=doubt)
    asked = Asked(search, context.evidence)
    shown = asked.shown(chosen, sentences)
    # A word for an aspect, such as `harmful`, has synonyms that serve as well; see `missing`.
    names = [i for i in asked.names if not aspects_of(asked.words[i])]
    if omitted := _omitted(search, asked, [*names, *asked.years], shown, _ANSWER_OMITS):
        return replace(search, doubt=omitted)
    two = asked.names[:2]
    sources = asked.documents[context.document[list(chosen)]]
    if not sources[:, two].all(axis=1).any():
        apart = f"no source of the answer mentions {_together(asked.written(two))}"
        return replace(search, doubt=apart)
    return search


def _reason(search: SearchResult, asked: Asked, shown: Floats) -> str:
    """Return one line on why a search has no answer; `shown` is (q,) as returned by
    `Asked.shown`.
    """
    if not (asked.words and (search.searched or search.fetched)):
        # A question of idle words is not sent to a service.
        return f"the question has no word to search for; {SEARCHES}"
    if not search.searched:
        return "no record was found that matches the question"
    if not len(asked.documents):
        nothing = f"no {search.what} contains a word of the question; {SEARCHES}"
        if asked.absent:
            nothing = f"no {search.what} with a word of the question passes the source filters"
        return "; ".join([nothing, *search.missing_metadata])
    return (
        _lacking(search, asked, shown)
        or "the texts found mention the words of the question but do not answer it"
    )


def _lacking(search: SearchResult, asked: Asked, shown: Floats) -> str:
    """Name the question words that no text contains, or no text or sentence contains together;
    empty if one does.

    If the most relevant sentences omit a subject, they answer another question: one on galcanezumab
    when the user asked about aspirin.
    """
    if omitted := _omitted(search, asked, asked.subjects, shown, _NONE_MENTIONS):
        return omitted
    for rows, of in ((asked.documents, f"{search.what}s"), (asked.sentences, "sentences")):
        for number in range(2, len(asked.ranked) + 1):
            if not rows[:, asked.ranked[:number]].all(axis=1).any():
                words = _together(asked.written(asked.ranked[:number]))
                return f"none of the {of} found mentions {words}"
    return ""


def _absent(search: SearchResult, asked: Asked, words: Sequence[int]) -> str:
    """Say which of the words at these indices no text has; empty if one does."""
    if absent := [i for i in words if i >= asked.absent]:
        # In the order of the question, as in the warning of the search.
        heaviest = asked.written(sorted(absent[:_NAMED]))
        return f"no {search.what} mentions {quoted(heaviest, 'or')}"
    if search.unnamed:
        names = [as_written(name, search.query) for name in search.unnamed[:_NAMED]]
        return f"no {search.what} found mentions {quoted(names, 'or')}"
    return ""


def _omitted(
    search: SearchResult,
    asked: Asked,
    words: Sequence[int],
    shown: Floats,
    omitting: str,
) -> str:
    """Say which of the words at these indices no text has or, beginning with `omitting`, which of
    them the sentences shown lack; empty if they have all.
    """
    if absent := _absent(search, asked, words):
        return absent
    unshown = [i for i in words if not shown[i]]
    return f"{omitting} {quoted(asked.written(unshown[:_NAMED]), 'or')}" if unshown else ""


def _together(words: Sequence[str]) -> str:
    """Quote words that occur only apart; two of them may be parts of the same written word."""
    return quoted(words) + (" together" if len(set(words)) > 1 else "")


def _nearest(asked: Asked, relevance: Floats) -> list[int]:
    """Return the indices of the `NEAREST` most relevant sentences that touch the question."""
    covered = asked.share(asked.sentences)
    words = np.count_nonzero(asked.sentences, axis=1)
    is_touching = (covered >= TOUCHED) & (words >= min(2, len(asked.words)))
    touching = np.flatnonzero(is_touching).tolist()
    return sorted(touching, key=lambda i: (-relevance[i], -covered[i]))[:NEAREST]
