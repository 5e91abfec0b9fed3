"""The rules of coherence, and the limits of a format, as constraints of a topic's selection."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from features.sentences import is_whole
from ilpsum.papers.labels import part_of, states_nothing
from ilpsum.pipeline.coherence.anaphora import connective, is_anaphoric, without_connective
from ilpsum.pipeline.coherence.redundancy import redundant_pairs
from ilpsum.pipeline.coherence.roles import shipped
from ilpsum.pipeline.coherence.statements import LabelledSections, is_statement, position_in
from ilpsum.pipeline.limits import FormatLimits
from ilpsum.pipeline.system import CoherenceTable
from ilpsum.records import SearchResult, Sentence, Topic
from ilpsum.selection import Problem

# Rule `focus`: weight of an abstract's BM25 relative to a sentence's own words, and shares of the best value.
_ABSTRACT_WEIGHT, _MIN_SUBJECT, _MIN_SCORE, _MIN_SHARE = 2.0, 0.7, 0.75, 0.25

# The overlap above which a sentence is redundant, for documents found by a search and for given ones.
_OVERLAP_STRICT, _OVERLAP = 0.75, 0.95

# Roles of labels whose sentences are always statements.
_STATED = ("result", "conclusion")


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
        filled: sentences that were chosen under stricter rules and stay, each with the rule that had yielded by then.
        yielded: the rule that yielded last; empty if none did.
        excluded_by: for each of `exclude` the rule that excludes it, or `format`.
        stricter: the constraints before the last rule yielded; None if none did.
    """

    exclude: tuple[int, ...] = ()
    requires: tuple[tuple[int, int], ...] = ()
    connected: tuple[tuple[int, int | None], ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    lengths: tuple[int, ...] = ()
    most: int | None = None
    sentences: int | None = None
    filled: tuple[tuple[int, str], ...] = ()
    yielded: str = ""
    excluded_by: tuple[str, ...] = ()
    stricter: "Constraints | None" = None

    @property
    def rule_of(self) -> dict[int, str]:
        """The rule that excludes each excluded sentence."""
        return dict(zip(self.exclude, self.excluded_by, strict=True))

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

    def keeping(self, chosen: Mapping[int, str], yielded: str, stricter: "Constraints") -> "Constraints":
        """Return the constraints with sentences that stay, each with the rule that had yielded for it.

        `stricter` are the constraints under which they were chosen.

        A rule may exclude one of them that it spared while the rule that `yielded` was in force.
        """
        excluded = {i: rule for i, rule in self.rule_of.items() if i not in chosen}
        return replace(
            self,
            exclude=tuple(excluded),
            excluded_by=tuple(excluded.values()),
            filled=tuple(chosen.items()),
            yielded=yielded,
            stricter=stricter,
        )

    def fits(self, chosen: Collection[int]) -> bool:
        """Whether a set of sentences respects the format's limits other than the word limit."""
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
        include = tuple(i for i, _ in self.filled)
        return replace(problem, include=include, exclude=self.exclude, requires=self.requires, groups=groups, **limits)


def constraints(
    topic: Topic,
    sentences: Sequence[Sentence],
    rules: CoherenceTable,
    limits: FormatLimits | None = None,
    labels: Collection[str] = (),
) -> Constraints:
    """Return the constraints of a topic's candidates, those of each document in the order of its text.

    The topic has the documents of the candidates; `focus` needs its search. The text may have each of `labels` once.
    """
    antecedents = _antecedents(topic, sentences) if rules.anaphora else {}
    anaphoric = {i for i in antecedents if is_anaphoric(sentences[i].text)}
    out = _unwanted(topic, sentences, rules)
    limits = limits or FormatLimits()
    if allows := limits.allows:
        out = {i: "format" for i, s in enumerate(sentences) if not allows(s.text)} | out
    if rules.focus and rules.strict and topic.search:
        # A sentence that depends on the one before it is about the same subject.
        following = {i for i in anaphoric if antecedents[i] is not None}
        off = _off_topic(topic, topic.search, sentences, out.keys() | following) - following
        out = dict.fromkeys(off, "focus") | out
    # A sentence whose antecedent is excluded is excluded too; antecedents come first.
    for i in sorted(anaphoric):
        if antecedents[i] is None or antecedents[i] in out:
            out.setdefault(i, "anaphora")
    rest = [i for i in range(len(sentences)) if i not in out]
    overlap = rules.overlap or (_OVERLAP_STRICT if rules.strict else _OVERLAP)
    pairs = redundant_pairs([sentences[i].text for i in rest], overlap) if rules.redundancy else []
    lengths, most = limits.lengths([s.text for s in sentences], labels)
    return Constraints(
        exclude=tuple(sorted(out)),
        requires=tuple((i, k) for i, k in sorted(antecedents.items()) if i in anaphoric - out.keys() and k is not None),
        connected=tuple((i, k) for i, k in sorted(antecedents.items()) if i not in anaphoric | out.keys()),
        groups=tuple((rest[i], rest[k]) for i, k in pairs),
        lengths=lengths,
        most=most,
        sentences=limits.sentences,
        excluded_by=tuple(out[i] for i in sorted(out)),
    )


def _unwanted(topic: Topic, sentences: Sequence[Sentence], rules: CoherenceTable) -> dict[int, str]:
    """Return the sentences that `statements`, `titles`, `fragments` and `methods` exclude, each with its rule.

    Unless the rules are strict, these are questions and fragments only.
    """
    out = dict.fromkeys(_methods(topic, sentences), "methods") if rules.methods and rules.strict else {}
    if rules.fragments:
        rest = list(enumerate(sentences))[rules.spared :]
        out |= {i: "fragments" for i, s in rest if not is_whole(s.text)}
    if rules.titles and rules.strict:
        out |= {i: "titles" for i, s in enumerate(sentences) if s.section == "title"}
    if rules.statements:
        states = is_statement if rules.strict else _asks_nothing
        out |= {i: "statements" for i, s in enumerate(sentences) if not states(s)}
    return out


def _asks_nothing(sentence: Sentence) -> bool:
    return not sentence.text.endswith("?")


def _methods(topic: Topic, sentences: Sequence[Sentence]) -> set[int]:
    """Return the sentences that describe aims or methods, by the label of their section or by their wording."""
    documents = {document.id: document for document in topic.documents}
    sections = {name: LabelledSections(document) for name, document in documents.items()}
    labels = [sections[s.document].label(s.start) if s.document in sections else "" for s in sentences]
    out = {i for i, label in enumerate(labels) if states_nothing(label)}
    # A label for results or conclusions outweighs the classifier.
    rest = (i for i, s in enumerate(sentences) if i not in out and s.document in documents)
    unsure = [i for i in rest if part_of(labels[i]) not in _STATED]
    positions = [position_in(documents[sentences[i].document], sentences[i].start) for i in unsure]
    methods = shipped().is_method([sentences[i].text for i in unsure], positions)
    return out | {i for i, method in zip(unsure, methods, strict=True) if method}


def _antecedents(topic: Topic, sentences: Sequence[Sentence]) -> dict[int, int | None]:
    """Return the antecedent of each sentence that needs one; None if that is not a candidate."""
    texts = {document.id: document.text for document in topic.documents}
    antecedents: dict[int, int | None] = {}
    for i, sentence in enumerate(sentences):
        if connective(sentence.text) or is_anaphoric(sentence.text):
            last = sentences[i - 1] if i else None
            adjacent = (
                last is not None
                and last.document == sentence.document
                and last.section != "title"
                and last.end <= sentence.start
                and not texts.get(sentence.document, "")[last.end : sentence.start].strip()
            )
            antecedents[i] = i - 1 if adjacent else None
    return antecedents


def _off_topic(topic: Topic, search: SearchResult, sentences: Sequence[Sentence], out: set[int]) -> set[int]:
    """Return the sentences that say little about the question, compared with the best candidate not in `out`.

        h(s) = weight of the question's words that s holds in any form / weight of all its words
        g(s) = h(s) + 2 BM25(d) / max BM25,   d the abstract of s

    An abstract that answers a question does so in several sentences, not all of which repeat its words, so the abstract
    counts more than the sentence. A sentence is on topic if its g is at least `_MIN_SCORE` of the best, its h at least
    `_MIN_SHARE` of the best, and the squared weights in its abstract at least `_MIN_SUBJECT` of the best; squared, one
    rare word (usually the subject) outweighs several common ones.
    """
    from ilpsum.retrieval import QueryWords

    query = QueryWords(search)
    bm25 = {hit.document: hit.bm25 for hit in search.found}
    subject = {d.id: query.share(d.text, power=2.0) for d in topic.documents}
    shares = [query.share(sentence.text) for sentence in sentences]
    highest = max(bm25.values(), default=0.0) or 1.0
    abstracts = (_ABSTRACT_WEIGHT * bm25.get(s.document, 0.0) / highest for s in sentences)
    scores = [h + abstract for h, abstract in zip(shares, abstracts, strict=True)]
    most = max(subject.values(), default=0.0)
    off = {i for i, s in enumerate(sentences) if subject.get(s.document, 0.0) < _MIN_SUBJECT * most}
    rest = [i for i in range(len(sentences)) if i not in out | off]
    score, share = (max((values[i] for i in rest), default=0.0) for values in (scores, shares))
    return off | {i for i in range(len(sentences)) if scores[i] < _MIN_SCORE * score or shares[i] < _MIN_SHARE * share}
