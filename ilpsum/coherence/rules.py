"""The rules of a topic's sentences as constraints of the selection."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from features.context import Context
from features.text import Passage
from ilpsum.coherence.openings import connective, points_back, without_connective
from ilpsum.coherence.sameness import sameness
from ilpsum.coherence.statements import Parts, is_statement
from ilpsum.records import Sentence, Topic
from ilpsum.selection import Problem
from ilpsum.systems import Coherence


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
    rules: Coherence,
    words: int,
    room: Room | None = None,
) -> Constraints:
    """What the rules ask of a topic's candidates.

    What a search found may be beside the point: there the rules `statements` and `focus` leave out all that breaks
    them. Where the documents were given for the question, `statements` leaves out no more than questions, and `focus`
    what breaks it only if what keeps it fills the word limit.

    Args:
        topic: the topic, with the documents of the candidates.
        found: the n candidates, each document's in the order of its text.
        around: their context.
        rules: which rules are kept.
        words: the word limit.
        room: what the format has room for.
    """
    before = _before(topic, found) if rules.references else {}
    back = {i for i in before if points_back(found[i].text)}
    out = _no_statements(topic, found) if rules.statements else set()
    if rules.focus:
        # A sentence that follows another speaks of what that one speaks of.
        following = {i for i in back if before[i] is not None}
        beside = _beside_the_point(topic, around, out | following) - following
        keeping = sum(s.words for i, s in enumerate(found) if i not in out | beside)
        out |= beside if "search" in topic.facts or keeping >= words else set()
    # What hangs on a sentence that cannot be chosen cannot be chosen either; predecessors come first.
    for i in sorted(back):
        if before[i] is None or before[i] in out:
            out.add(i)
    return Constraints(
        exclude=tuple(sorted(out)),
        requires=tuple((i, k) for i, k in sorted(before.items()) if i in back - out and k is not None),
        connected=tuple((i, k) for i, k in sorted(before.items()) if i not in back | out),
        groups=_groups(found, out, rules.same) if rules.duplicates else (),
        lengths=tuple(room.count(s.text) for s in found) if room else (),
        most=room.most if room else None,
        sentences=room.sentences if room else None,
    )


def _no_statements(topic: Topic, found: Sequence[Sentence]) -> set[int]:
    """The sentences that state nothing; where the documents were given for the question, only questions."""
    if "search" not in topic.facts:
        return {i for i, s in enumerate(found) if s.text.endswith("?")}
    parts = {document.id: Parts(document) for document in topic.documents}
    return {i for i, s in enumerate(found) if not is_statement(s, _label(parts, s))}


def _label(parts: dict[str, Parts], sentence: Sentence) -> str:
    return parts[sentence.document].label(sentence.start) if sentence.document in parts else ""


def _before(topic: Topic, found: Sequence[Sentence]) -> dict[int, int | None]:
    """By sentence that hangs on the one before it, that one; None where it is no candidate."""
    texts = {document.id: document.text for document in topic.documents}
    result: dict[int, int | None] = {}
    for i, sentence in enumerate(found):
        if connective(sentence.text) or points_back(sentence.text):
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


def _beside_the_point(topic: Topic, around: Context, out: set[int]) -> set[int]:
    """The sentences that say little of what is asked for, among those that are not out.

    They hold less than half of what the best of them holds of the question: the sum of squares (one rare word says more
    than some common ones) of the weights of the words they share with it, as a search weighed them. Without a search,
    each content word weighs the same and one is enough.
    """
    searched = topic.facts.get("search", {}).get("weights")
    weights = searched or dict.fromkeys(Passage(topic.query).content_words, 1.0)
    stems = {Passage(word).stems[0]: weight**2 for word, weight in weights.items()}
    held = [sum(stems.get(stem, 0.0) for stem in set(s.content_stems)) for s in around.sentences]
    best = max((weight for i, weight in enumerate(held) if i not in out), default=0.0)
    least = best / 2 if searched else min(best, 1.0)
    return {i for i, weight in enumerate(held) if weight < least}


def _groups(found: Sequence[Sentence], out: set[int], least: float) -> tuple[tuple[int, ...], ...]:
    """Pairs of sentences of which each says what the other says."""
    rows = [i for i in range(len(found)) if i not in out]
    texts = [found[i].text for i in rows]
    same = sameness(texts, texts, least) > 0.0
    both = np.argwhere(np.triu(same & same.T, 1))
    return tuple((rows[i], rows[k]) for i, k in both.tolist())
