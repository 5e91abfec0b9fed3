"""Coherence rules: the candidates that they exclude, link or group.

What each gains: `experiments/results/evidence.md` ("Each rule left out") and `readability.md`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from features.arrays import Floats
from features.sentences import is_whole
from ilpsum.pipeline.coherence.anaphora import connective, is_anaphoric
from ilpsum.pipeline.coherence.redundancy import redundant, repeating
from ilpsum.pipeline.coherence.statements import is_statement, states_finding
from ilpsum.pipeline.reading import rows_of
from ilpsum.pipeline.terms import QueryWords
from ilpsum.records import Rules, SearchResult, Sentence, Topic
from ilpsum.records.tables import CoherenceTable

# Rule `focus`: weight of the abstract's BM25 relative to the sentence's words, and minimum shares
# of the best value.
_ABSTRACT_WEIGHT, _MIN_SUBJECT, _MIN_SCORE, _MIN_SHARE = 2.0, 0.7, 0.75, 0.25

# Default thresholds of repetition (retrieved documents) and of redundancy (given documents).
_OVERLAP_STRICT, _OVERLAP = 0.65, 0.95

# Each redundant pair is a row of the model. Above MOST_PAIRS, sentences redundant with
# _MOST_REPEATED more relevant ones are dropped.
MOST_PAIRS, _MOST_REPEATED = 20_000, 5
# A sentence that says all that another says, and more, replaces it if it has this share of its
# relevance.
_HARDLY_LESS = 0.7
# Pseudo-rules for sentences that repeat several others, and for those that another one replaces.
REPEATS, LESS = "repeats", "less"
# Pseudo-rule for sentences that a scorer of relevance excludes.
UNSCORED = "unscored"

# Sentences below this share of the best relevance are hardly ever chosen, so they are not analysed.
_COUNTS = 0.1

# If an answer may end early, sentences below this share of the mean relevance of the best few add
# little: a single outlier must not silence the others (experiments/results/readability.md).
_OF_BEST, _BEST = 0.7, 5


@dataclass(frozen=True)
class Stage:
    """The rules in force for a selection.

    If the rules leave words unused, some are relaxed one by one (`ilpsum.pipeline.pipeline`). Each
    relaxation starts a new stage, which keeps the sentences chosen so far.

    Attributes:
        rules: the constraints that the rules impose.
        excluded_by: rule that excludes each excluded candidate, or `format`, `relevance`,
            `repeats` or `unscored`.
        kept: sentences chosen in earlier stages, each with the last rule relaxed by then; empty for
            none.
        relaxed: the last relaxed rule; empty in the first stage.
    """

    rules: Rules = Rules()  # noqa: RUF009  # frozen
    excluded_by: Mapping[int, str] = field(default_factory=dict)
    kept: Mapping[int, str] = field(default_factory=dict)
    relaxed: str = ""

    def after(self, kept: Mapping[int, str], relaxed: str) -> "Stage":
        """Return this stage with the sentences kept that were chosen before rule `relaxed` was
        relaxed.

        A kept sentence is no longer excluded, whatever rule excludes it.
        """
        excluded = {i: rule for i, rule in self.excluded_by.items() if i not in kept}
        return Stage(replace(self.rules, exclude=tuple(excluded)), excluded, kept, relaxed)


def first_stage(
    topic: Topic,
    sentences: Sequence[Sentence],
    table: CoherenceTable,
    allows: Callable[[str], bool] | None = None,
    least: float = 0.0,
    barred: Sequence[int] = (),
    unscored: Collection[int] = (),
) -> Stage:
    """Return the constraints that the coherence rules impose on a topic's candidates, given in
    document order.

    The topic must have the candidates' documents; `focus` needs its search result. `allows` returns
    whether the run format accepts a sentence. With a `least` relevance, sentences below it or below
    0.7 of the mean of the best five are excluded, except the best and the antecedents of anaphoric
    ones; sentences that the reader `barred` are not among these five and replace no others. Those
    `unscored` are excluded.
    """
    out = _excluded_alone(sentences, table, allows)
    out |= dict.fromkeys(unscored, UNSCORED)
    antecedents = _antecedents(topic, sentences) if table.anaphora else {}
    anaphoric = {i: k for i, k in antecedents.items() if is_anaphoric(sentences[i].text)}
    if table.focus and table.strict and topic.search:
        # A sentence that depends on its predecessor has the same subject.
        following = {i for i, k in anaphoric.items() if k is not None}
        off = _off_topic(topic, topic.search, sentences, out.keys() | following) - following
        out = dict.fromkeys(off, "focus") | out
    # A sentence whose antecedent is excluded is excluded too; antecedents come first.
    for i, k in anaphoric.items():
        if k is None or k in out:
            out.setdefault(i, "anaphora")
    if least:
        # A connective can be removed when printing, so it does not require the antecedent.
        held_out = {*out, *barred}
        less = _least_relevant(sentences, anaphoric, held_out, least)
        out |= dict.fromkeys(less, "relevance")
    pairs = list[tuple[int, int]]()
    if table.redundancy:
        rest = [i for i in range(len(sentences)) if i not in out]
        pairs, dropped = _redundant(sentences, rest, topic.query, table, barred)
        out |= dropped
    out = dict(sorted(out.items()))
    left = [(i, k) for i, k in antecedents.items() if i not in out]
    rules = Rules(
        exclude=tuple(out),
        requires=tuple((i, k) for i, k in left if i in anaphoric and k is not None),
        connected=tuple((i, k) for i, k in left if i not in anaphoric),
        groups=tuple(pairs),
    )
    return Stage(rules, out)


def _excluded_alone(
    sentences: Sequence[Sentence],
    table: CoherenceTable,
    allows: Callable[[str], bool] | None,
) -> dict[int, str]:
    """Return the rules that exclude sentences by themselves, whatever the others are."""
    excluded = {}
    for i, s in enumerate(sentences):
        if table.statements and (s.text.endswith("?") or (table.strict and not is_statement(s))):
            excluded[i] = "statements"
        elif table.titles and table.strict and s.section == "title" and not states_finding(s.text):
            excluded[i] = "titles"
        elif table.fragments and i >= table.fragments_after and not is_whole(s.text):
            excluded[i] = "fragments"
        elif allows is not None and not allows(s.text):
            excluded[i] = "format"
    return excluded


def discounted(
    topic: Topic,
    sentences: Sequence[Sentence],
    relevance: Floats,
    factor: float,
) -> Floats:
    """Return the (n,) relevance of sentences, that of uninformative ones (`serves_reader`)
    multiplied by a factor.
    """
    if factor == 1.0 or not len(relevance):
        return relevance
    relevant = np.flatnonzero(relevance >= _COUNTS * relevance.max()).tolist()
    rows = rows_of(topic.documents, [sentences[i] for i in relevant])
    less = relevance.copy()
    for i, row in zip(relevant, rows, strict=True):
        if not row.serves:
            less[i] *= factor
    return less


def _redundant(
    sentences: Sequence[Sentence],
    rest: Sequence[int],
    question: str,
    table: CoherenceTable,
    barred: Collection[int],
) -> tuple[list[tuple[int, int]], dict[int, str]]:
    """Return the pairs of redundant sentences among the rest, and the sentences that are dropped
    instead, each with its pseudo-rule.

    A sentence is dropped if a hardly less relevant one says all that it says, and more; and, if
    there are too many pairs, if it repeats several more relevant ones. A sentence that the reader
    `barred` replaces no other.
    """
    texts = [sentences[i].text for i in rest]
    relevance = np.array([sentences[i].relevance for i in rest])
    dropped = np.zeros(len(rest), dtype=np.bool_)
    if table.strict:
        alike, more = repeating(texts, question, table.overlap or _OVERLAP_STRICT)
        is_barred = np.isin(rest, list(barred))
        for k, value in enumerate(relevance.tolist()):
            says_more = more[:, k] & ~dropped & ~is_barred & (relevance >= _HARDLY_LESS * value)
            dropped[k] = says_more.any()
        alike &= np.outer(~dropped, ~dropped)
    else:
        alike = redundant(texts, table.overlap or _OVERLAP)
    out = dict.fromkeys((rest[k] for k in np.flatnonzero(dropped).tolist()), LESS)
    if np.count_nonzero(alike) > MOST_PAIRS:
        near = alike | alike.T
        kept = np.zeros(len(rest), dtype=np.bool_)
        for k in np.argsort(-relevance, kind="stable").tolist():
            kept[k] = np.count_nonzero(near[k] & kept) < _MOST_REPEATED
        out |= dict.fromkeys((rest[k] for k in np.flatnonzero(~kept).tolist()), REPEATS)
        alike &= np.outer(kept, kept)
    return [(rest[i], rest[k]) for i, k in np.argwhere(alike).tolist()], out


def _least_relevant(
    sentences: Sequence[Sentence],
    antecedents: dict[int, int | None],
    out: Collection[int],
    least: float,
) -> set[int]:
    rest = [i for i in range(len(sentences)) if i not in out]
    best = sorted(rest, key=lambda i: (-sentences[i].relevance, i))[:_BEST]
    if best:
        mean = sum(sentences[i].relevance for i in best) / len(best)
        least = max(least, _OF_BEST * mean)
    enough = {i for i in rest if sentences[i].relevance >= least}.union(best[:1])
    for i, before in reversed(antecedents.items()):
        if i in enough and before is not None:
            enough.add(before)
    return set(rest) - enough


def _antecedents(topic: Topic, sentences: Sequence[Sentence]) -> dict[int, int | None]:
    """Return the antecedent of each sentence that needs one; None if it is not a candidate."""
    texts = {document.id: document.text for document in topic.documents}

    def adjacent(last: Sentence, sentence: Sentence) -> bool:
        if last.document != sentence.document or last.section == "title":
            return False
        between = texts.get(sentence.document, "")[last.end : sentence.start]
        return last.end <= sentence.start and not between.strip()

    antecedents: dict[int, int | None] = {}
    for i, sentence in enumerate(sentences):
        if connective(sentence.text) or is_anaphoric(sentence.text):
            follows = i > 0 and adjacent(sentences[i - 1], sentence)
            antecedents[i] = i - 1 if follows else None
    return antecedents


def _off_topic(
    topic: Topic,
    search: SearchResult,
    sentences: Sequence[Sentence],
    out: set[int],
) -> set[int]:
    """Return the sentences that are off topic compared with the best candidate not in `out`.

        h(s) = weight of the question words in s, in any form / weight of all question words
        g(s) = h(s) + 2 BM25(d) / max BM25,   d the abstract of s

    An abstract answers a question in several sentences, not all of which repeat the question's
    words, so the abstract counts more than the sentence. A sentence is on topic if g is at least
    `_MIN_SCORE` of the best g, h at least `_MIN_SHARE` of the best h, and the sum of squared
    weights in the abstract at least `_MIN_SUBJECT` of the best; squaring lets one rare word
    (usually the subject) outweigh several common ones.
    """
    query = QueryWords(search)
    bm25 = {hit.document: hit.bm25 for hit in search.found}
    subject = {d.id: query.share(d.text, power=2.0) for d in topic.documents}
    shares = [query.share(sentence.text) for sentence in sentences]
    highest = max(bm25.values(), default=0.0) or 1.0
    scores = []
    for share, sentence in zip(shares, sentences, strict=True):
        abstract = _ABSTRACT_WEIGHT * bm25.get(sentence.document, 0.0) / highest
        scores.append(share + abstract)
    least_subject = _MIN_SUBJECT * max(subject.values(), default=0.0)
    off = {i for i, s in enumerate(sentences) if subject.get(s.document, 0.0) < least_subject}
    rest = [i for i in range(len(sentences)) if i not in out | off]
    least_score = _MIN_SCORE * max((scores[i] for i in rest), default=0.0)
    least_share = _MIN_SHARE * max((shares[i] for i in rest), default=0.0)
    for i in range(len(sentences)):
        if scores[i] < least_score or shares[i] < least_share:
            off.add(i)
    return off
