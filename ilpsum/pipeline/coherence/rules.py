"""The rules of coherence, and the limits of a format, as constraints of a topic's selection."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from features.context import Context
from features.text import Passage
from ilpsum.papers.labels import part_of
from ilpsum.pipeline.coherence.openings import connective, is_anaphoric, without_connective
from ilpsum.pipeline.coherence.redundancy import redundant_pairs
from ilpsum.pipeline.coherence.roles import shipped
from ilpsum.pipeline.coherence.statements import LabelledParts, is_statement, place_in
from ilpsum.pipeline.limits import FormatLimits
from ilpsum.pipeline.system import CoherenceTable
from ilpsum.records import SearchResult, Sentence, Topic
from ilpsum.selection import Problem

# Of the rule `focus`: the weight of an abstract's BM25 beside a sentence's own words, and shares of the best value.
_OF_ABSTRACT, _ABOUT, _NEAR, _HOLDS = 2.0, 0.7, 0.75, 0.25

# The overlap above which a sentence is redundant, for documents that a search found and for given ones.
_OVERLAP_STRICT, _OVERLAP = 0.75, 0.95


@dataclass(frozen=True)
class Constraints:
    """The constraints of a selection among n sentences.

    Attributes:
        exclude: sentences that may not be chosen.
        requires: pairs (i, k): sentence i may be chosen only with sentence k, which it follows.
        connected: pairs (i, k): sentence i follows sentence k if that is chosen; otherwise i loses the connective it
            opens with. k is None if no candidate precedes i.
        groups: sets of sentences of which at most one may be chosen.
        lengths: (n,) a second length of each sentence; empty if the format limits none.
        most: limit of the sum of those lengths.
        sentences: most sentences, or None.
    """

    exclude: tuple[int, ...] = ()
    requires: tuple[tuple[int, int], ...] = ()
    connected: tuple[tuple[int, int | None], ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    lengths: tuple[int, ...] = ()
    most: int | None = None
    sentences: int | None = None

    @cached_property
    def before(self) -> dict[int, int | None]:
        """The antecedent of each sentence that opens with a connective or an anaphoric expression."""
        return {**dict(self.connected), **dict(self.requires)}

    def alone(self, index: int, sentence: Sentence) -> Sentence:
        """Return a chosen sentence as it reads without its antecedent: without its connective."""
        if index not in self.before:
            return sentence
        text = without_connective(sentence.text)
        opening = connective(sentence.text).strip(", ")
        why = f"{sentence.why}; printed without its {opening!r}, which needs the sentence before it"
        return replace(sentence, text=text, words=len(text.split()), why=why)

    def allowed(self, n: int) -> list[int]:
        """Return the sentences that may be chosen alone, for a selector that knows no pairs."""
        out = {*self.exclude, *dict(self.requires)}
        return [i for i in range(n) if i not in out]

    def fits(self, chosen: Collection[int]) -> bool:
        """Whether a set of sentences keeps the limits of the format beside the word limit."""
        if self.sentences is not None and len(chosen) > self.sentences:
            return False
        return self.most is None or sum(self.lengths[i] for i in chosen) <= self.most

    def apply(self, problem: Problem) -> Problem:
        """Return the problem with these constraints; the same problem if there are none."""
        if self == Constraints():
            return problem
        limits: dict[str, Any] = {}
        if self.sentences is not None:
            limits["sentence_limit"] = self.sentences
        if self.most is not None:
            limits |= {"second_lengths": np.array(self.lengths, dtype=np.int64), "second_limit": self.most}
        groups = (*problem.groups, *self.groups)
        return replace(problem, exclude=self.exclude, requires=self.requires, groups=groups, **limits)


def constraints(
    topic: Topic,
    found: Sequence[Sentence],
    context: Context,
    rules: CoherenceTable,
    limits: FormatLimits | None = None,
) -> Constraints:
    """Return the constraints of a topic's candidates.

    Args:
        topic: with the documents of the candidates; `focus` needs its search.
        found: the n candidates, those of each document in the order of its text.
        context: of the candidates.
        rules: the rules in force.
        limits: of the format.
    """
    before = _before(topic, found) if rules.anaphora else {}
    back = {i for i in before if is_anaphoric(found[i].text)}
    out = _no_statements(topic, found, strict=rules.strict) if rules.statements else set()
    if rules.focus and rules.strict and topic.search:
        # A sentence that follows another is about the same subject.
        following = {i for i in back if before[i] is not None}
        out |= _beside_the_point(topic, topic.search, found, context, out | following) - following
    # A sentence whose antecedent is excluded is excluded too; antecedents come first.
    for i in sorted(back):
        if before[i] is None or before[i] in out:
            out.add(i)
    limits = limits or FormatLimits()
    if splits := limits.splits:
        out |= {i for i, s in enumerate(found) if splits(s.text) != 1}
    overlap = rules.overlap or (_OVERLAP_STRICT if rules.strict else _OVERLAP)
    return Constraints(
        exclude=tuple(sorted(out)),
        requires=tuple((i, k) for i, k in sorted(before.items()) if i in back - out and k is not None),
        connected=tuple((i, k) for i, k in sorted(before.items()) if i not in back | out),
        groups=_groups(found, out, overlap) if rules.redundancy else (),
        lengths=tuple(map(limits.count, (s.text for s in found))) if limits.count else (),
        most=limits.count_limit if limits.count else None,
        sentences=limits.sentences,
    )


def _no_statements(topic: Topic, found: Sequence[Sentence], *, strict: bool) -> set[int]:
    """The sentences that state nothing; only questions unless `strict`."""
    if not strict:
        return {i for i, s in enumerate(found) if s.text.endswith("?")}
    parts = {document.id: LabelledParts(document) for document in topic.documents}
    labels = [parts[s.document].label(s.start) if s.document in parts else "" for s in found]
    out = {i for i, s in enumerate(found) if not is_statement(s, labels[i])}
    documents = {document.id: document for document in topic.documents}
    # A label that says results or conclusions outweighs the classifier.
    unsure = [i for i in range(len(found)) if i not in out and part_of(labels[i]) not in ("result", "conclusion")]
    unsure = [i for i in unsure if found[i].document in documents]
    places = [place_in(documents[found[i].document], found[i].start) for i in unsure]
    methods = shipped().is_method([found[i].text for i in unsure], places)
    return out | {i for i, method in zip(unsure, methods, strict=True) if method}


def _before(topic: Topic, found: Sequence[Sentence]) -> dict[int, int | None]:
    """The antecedent of each sentence that has one; None if that is no candidate."""
    texts = {document.id: document.text for document in topic.documents}
    result: dict[int, int | None] = {}
    for i, sentence in enumerate(found):
        if connective(sentence.text) or is_anaphoric(sentence.text):
            last = found[i - 1] if i else None
            near = (
                last is not None
                and last.document == sentence.document
                and last.section != "title"
                and last.end <= sentence.start
                and not texts.get(sentence.document, "")[last.end : sentence.start].strip()
            )
            result[i] = i - 1 if near else None
    return result


def _beside_the_point(
    topic: Topic, search: SearchResult, found: Sequence[Sentence], context: Context, out: set[int]
) -> set[int]:
    """The sentences that say little about the question, compared with the best candidate not in `out`.

        h(s) = weight of the question's words in s / weight of all its words
        g(s) = h(s) + 2 BM25(d) / max BM25,   d the abstract of s

    An abstract that answers a question does so in several sentences, not all of which repeat its words, so the abstract
    counts more than the sentence. A sentence is to the point if its g is at least `_NEAR` of the best, its h at least
    `_HOLDS` of the best, and its abstract holds `_ABOUT` of what the best abstract holds of the squared weights, in
    which one rare word (usually the subject) outweighs several common ones.
    """
    weights = {Passage(word).stems[0]: weight for word, weight in search.weights}
    scores = {hit.document: hit.bm25 for hit in search.found}
    squares = {stem: weight**2 for stem, weight in weights.items()}
    about = {d.id: _held(squares, Passage(d.text)) for d in topic.documents}
    held = [_held(weights, passage) for passage in context.sentences]
    highest = max(scores.values(), default=0.0) or 1.0
    near = [h + _OF_ABSTRACT * scores.get(s.document, 0.0) / highest for h, s in zip(held, found, strict=True)]
    most = max(about.values(), default=0.0)
    beside = {i for i, s in enumerate(found) if about.get(s.document, 0.0) < _ABOUT * most}
    inside = [i for i in range(len(found)) if i not in out | beside]
    nearest, best = (max((values[i] for i in inside), default=0.0) for values in (near, held))
    return beside | {i for i in range(len(found)) if near[i] < _NEAR * nearest or held[i] < _HOLDS * best}


def _held(weights: Mapping[str, float], passage: Passage) -> float:
    """The share of the stems' weights that a passage holds."""
    stems = sorted(set(passage.content_stems) & weights.keys())
    return sum(weights[stem] for stem in stems) / (sum(weights.values()) or 1.0)


def _groups(found: Sequence[Sentence], out: set[int], least: float) -> tuple[tuple[int, ...], ...]:
    """Pairs of redundant sentences."""
    rows = [i for i in range(len(found)) if i not in out]
    return tuple((rows[i], rows[k]) for i, k in redundant_pairs([found[i].text for i in rows], least))
