"""The rules of a topic's sentences as constraints of the selection."""

from collections.abc import Callable, Mapping, Sequence
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
from ilpsum.pipeline.system import CoherenceTable
from ilpsum.records import SearchResult, Sentence, Topic
from ilpsum.selection import Problem

# Of the rule `focus`: what an abstract's BM25 counts beside a sentence's words, and the shares of the best asked for.
_OF_ABSTRACT, _ABOUT, _NEAR, _HOLDS = 2.0, 0.7, 0.75, 0.25

# The repetition from which on two sentences say the same, where a search found them and where they were given.
_SAME_FOUND, _SAME_GIVEN = 0.75, 0.95


@dataclass(frozen=True)
class Room:
    """What a format has room for beside the limit in words.

    Attributes:
        count: the length of a sentence as the format counts it.
        most: the sum of these lengths at most.
        sentences: at most so many sentences.
    """

    count: Callable[[str], int]
    most: int
    sentences: int


@dataclass(frozen=True)
class Constraints:
    """What a selection among n sentences must keep.

    Attributes:
        exclude: sentences that are not chosen.
        requires: pairs (i, k): sentence i is chosen only together with sentence k, which it follows.
        connected: pairs (i, k): sentence i follows sentence k where that is chosen too; where it is not, i loses the
            connective that it opens with. k is None where no candidate stands before i.
        groups: sets of sentences of which one at most is chosen.
        lengths: (n,) a second length of each sentence; empty without such a limit.
        most: the limit of their sum.
        sentences: at most so many sentences; None without a limit.
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
        """By sentence that opens with a connective or a word that points back the one that it follows."""
        return {**dict(self.connected), **dict(self.requires)}

    def alone(self, index: int, sentence: Sentence) -> Sentence:
        """A chosen sentence as it stands without the one that it follows: its connective is left out."""
        if index not in self.before:
            return sentence
        text = without_connective(sentence.text)
        why = (
            f"{sentence.why}; without the sentence before it, so without its {connective(sentence.text).strip(', ')!r}"
        )
        return replace(sentence, text=text, words=len(text.split()), why=why)

    def allowed(self, n: int) -> list[int]:
        """The sentences that may be chosen each by itself, for a selector without constraints."""
        out = {*self.exclude, *dict(self.requires)}
        return [i for i in range(n) if i not in out]

    def apply(self, problem: Problem) -> Problem:
        """The problem with these constraints; the same problem where there are none."""
        if self == Constraints():
            return problem
        limits: dict[str, Any] = {}
        if self.sentences is not None:
            # All sentences as of one document, of which so many may come.
            limits |= {"documents": np.zeros(len(problem), dtype=np.int64), "document_limit": self.sentences}
        if self.most is not None:
            limits |= {"characters": np.array(self.lengths, dtype=np.int64), "character_limit": self.most}
        groups = (*problem.groups, *self.groups)
        return replace(problem, exclude=self.exclude, requires=self.requires, groups=groups, **limits)


def constraints(
    topic: Topic,
    found: Sequence[Sentence],
    around: Context,
    rules: CoherenceTable,
    room: Room | None = None,
) -> Constraints:
    """What the rules ask of a topic's candidates.

    What a search found may be beside the point, and say one thing many times: there the rules `statements` and `focus`
    leave out all that breaks them. Where the documents were given for the question, `statements` leaves out no more
    than questions, `focus` nothing, and `duplicates` asks that sentences say nearly the same.

    Args:
        topic: the topic, with the documents of the candidates.
        found: the n candidates, each document's in the order of its text.
        around: their context.
        rules: which rules are kept.
        room: what the format has room for.
    """
    before = _before(topic, found) if rules.references else {}
    back = {i for i in before if is_anaphoric(found[i].text)}
    out = _no_statements(topic, found) if rules.statements else set()
    if rules.focus and topic.search:
        # A sentence that follows another speaks of what that one speaks of.
        following = {i for i in back if before[i] is not None}
        out |= _beside_the_point(topic, topic.search, found, around, out | following) - following
    default = _SAME_FOUND if topic.search else _SAME_GIVEN
    # What hangs on a sentence that cannot be chosen cannot be chosen either; predecessors come first.
    for i in sorted(back):
        if before[i] is None or before[i] in out:
            out.add(i)
    return Constraints(
        exclude=tuple(sorted(out)),
        requires=tuple((i, k) for i, k in sorted(before.items()) if i in back - out and k is not None),
        connected=tuple((i, k) for i, k in sorted(before.items()) if i not in back | out),
        groups=_groups(found, out, rules.same or default) if rules.duplicates else (),
        lengths=tuple(room.count(s.text) for s in found) if room else (),
        most=room.most if room else None,
        sentences=room.sentences if room else None,
    )


def _no_statements(topic: Topic, found: Sequence[Sentence]) -> set[int]:
    """The sentences that state nothing; where the documents were given for the question, only questions."""
    if topic.search is None:
        return {i for i, s in enumerate(found) if s.text.endswith("?")}
    parts = {document.id: LabelledParts(document) for document in topic.documents}
    labels = [parts[s.document].label(s.start) if s.document in parts else "" for s in found]
    out = {i for i, s in enumerate(found) if not is_statement(s, labels[i])}
    documents = {document.id: document for document in topic.documents}
    # A label of results or conclusions is surer than what the words look like.
    unsure = [i for i in range(len(found)) if i not in out and part_of(labels[i]) not in ("result", "conclusion")]
    unsure = [i for i in unsure if found[i].document in documents]
    places = [place_in(documents[found[i].document], found[i].start) for i in unsure]
    methods = shipped().is_method([found[i].text for i in unsure], places)
    return out | {i for i, method in zip(unsure, methods, strict=True) if method}


def _before(topic: Topic, found: Sequence[Sentence]) -> dict[int, int | None]:
    """By sentence that hangs on the one before it, that one; None where it is no candidate."""
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
    topic: Topic, search: SearchResult, found: Sequence[Sentence], around: Context, out: set[int]
) -> set[int]:
    """The sentences of what a search found that say little of what is asked for, measured by the best not out.

        h(s) = the weights of the question's words in s / all their weights
        g(s) = h(s) + 2 BM25(d) / max BM25,   d the abstract of s

    What speaks of a question whole says it in several sentences, not each of which repeats its words: so the abstract
    counts for more. A sentence keeps to the point if its g is at least `_NEAR` of the best and its h `_HOLDS` of it,
    and its abstract holds `_ABOUT` of what the best abstract holds of the squares of the weights, in which one rare
    word, the subject as a rule, says more than some common ones.
    """
    weights = {Passage(word).stems[0]: weight for word, weight in search.weights}
    scores = {hit.document: hit.bm25 for hit in search.found}
    squares = {stem: weight**2 for stem, weight in weights.items()}
    about = {d.id: _held(squares, Passage(d.text)) for d in topic.documents}
    held = [_held(weights, passage) for passage in around.sentences]
    highest = max(scores.values(), default=0.0) or 1.0
    near = [h + _OF_ABSTRACT * scores.get(s.document, 0.0) / highest for h, s in zip(held, found, strict=True)]
    most = max(about.values(), default=0.0)
    beside = {i for i, s in enumerate(found) if about.get(s.document, 0.0) < _ABOUT * most}
    inside = [i for i in range(len(found)) if i not in out | beside]
    nearest, best = (max((values[i] for i in inside), default=0.0) for values in (near, held))
    return beside | {i for i in range(len(found)) if near[i] < _NEAR * nearest or held[i] < _HOLDS * best}


def _held(weights: Mapping[str, float], passage: Passage) -> float:
    """The share of the weights of stems that a passage holds."""
    stems = sorted(set(passage.content_stems) & weights.keys())
    return sum(weights[stem] for stem in stems) / (sum(weights.values()) or 1.0)


def _groups(found: Sequence[Sentence], out: set[int], least: float) -> tuple[tuple[int, ...], ...]:
    """Pairs of sentences of which one says again what the other says."""
    rows = [i for i in range(len(found)) if i not in out]
    return tuple((rows[i], rows[k]) for i, k in redundant_pairs([found[i].text for i in rows], least))
