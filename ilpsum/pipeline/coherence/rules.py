"""The rules of coherence: what they demand of a selection."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from features.sentences import is_whole
from ilpsum.pipeline.coherence.anaphora import connective, is_anaphoric
from ilpsum.pipeline.coherence.redundancy import redundant, repeating
from ilpsum.pipeline.coherence.statements import is_statement, serves_reader, states_finding
from ilpsum.pipeline.system import CoherenceTable
from ilpsum.records import Rules, SearchResult, Sentence, Topic

# Rule `focus`: weight of an abstract's BM25 relative to a sentence's own words, and shares of the best value.
_ABSTRACT_WEIGHT, _MIN_SUBJECT, _MIN_SCORE, _MIN_SHARE = 2.0, 0.7, 0.75, 0.25

# The share from which a sentence is repeated, in answers from found documents, and redundant among given ones.
_OVERLAP_STRICT, _OVERLAP = 0.65, 0.95

# Each pair of redundant sentences is a row of the model. Of more pairs, only sentences stay that say the same as fewer
# than so many more relevant ones.
MOST_PAIRS, _MOST_REPEATED = 20_000, 5
REPEATS = "repeats"
"""What excludes the others."""

# Sentences of less than this share of the best relevance are hardly chosen, so they are not read.
_COUNTS = 0.1

# Where an answer may end, what has less than this share of the best relevance adds little.
_OF_BEST = 0.5


@dataclass(frozen=True)
class Stage:
    """The rules in force for a selection.

    Where rules leave words unused, some are relaxed one after the other (`ilpsum.pipeline.pipeline`). Each time, what
    is chosen so far stays and a new stage begins.

    Attributes:
        rules: what the rules demand.
        excluded_by: for each excluded candidate the rule that excludes it, or `format`.
        kept: sentences chosen in earlier stages, each with the rule relaxed last by then; empty for none.
        relaxed: the rule that was relaxed last; empty in the first stage.
    """

    rules: Rules = Rules()  # noqa: RUF009  # frozen
    excluded_by: Mapping[int, str] = field(default_factory=dict)
    kept: Mapping[int, str] = field(default_factory=dict)
    relaxed: str = ""

    def after(self, kept: Mapping[int, str], relaxed: str) -> "Stage":
        """Return the stage in which sentences stay that were chosen before a rule was relaxed.

        A rule may exclude one of them: `fragments` keeps the first sentences only.
        """
        excluded = {i: rule for i, rule in self.excluded_by.items() if i not in kept}
        return Stage(replace(self.rules, exclude=tuple(excluded)), excluded, kept, relaxed)


def first_stage(
    topic: Topic,
    sentences: Sequence[Sentence],
    table: CoherenceTable,
    allows: Callable[[str], bool] | None = None,
    least: float = 0.0,
) -> Stage:
    """Return what the rules of coherence demand of a topic's candidates, those of each document in its order.

    The topic has the documents of the candidates; `focus` needs its search. `allows` says whether the run's format can
    hold a sentence. If there is a `least` relevance, sentences below it and below half of the best are excluded, except
    the best and the antecedents of anaphoric ones.
    """
    antecedents = _antecedents(topic, sentences) if table.anaphora else {}
    anaphoric = {i for i in antecedents if is_anaphoric(sentences[i].text)}
    out = _unwanted(sentences, table)
    if allows:
        out = {i: "format" for i, s in enumerate(sentences) if not allows(s.text)} | out
    if table.focus and table.strict and topic.search:
        # A sentence that depends on the one before it is about the same subject.
        following = {i for i in anaphoric if antecedents[i] is not None}
        off = _off_topic(topic, topic.search, sentences, out.keys() | following) - following
        out = dict.fromkeys(off, "focus") | out
    # A sentence whose antecedent is excluded is excluded too; antecedents come first.
    for i in sorted(anaphoric):
        if antecedents[i] is None or antecedents[i] in out:
            out.setdefault(i, "anaphora")
    if least:
        # A sentence that opens with a connective can be printed without it, so its antecedent counts for itself.
        needed = {i: antecedents[i] for i in anaphoric}
        out |= dict.fromkeys(_least_relevant(sentences, needed, out, least), "relevance")
    out = dict(sorted(out.items()))
    rest = [i for i in range(len(sentences)) if i not in out]
    pairs, repeats = _redundant(sentences, rest, topic.query, table) if table.redundancy else ([], ())
    out = dict(sorted((out | dict.fromkeys(repeats, REPEATS)).items()))
    rules = Rules(
        exclude=tuple(out),
        requires=tuple((i, k) for i, k in sorted(antecedents.items()) if i in anaphoric - out.keys() and k is not None),
        connected=tuple((i, k) for i, k in sorted(antecedents.items()) if i not in anaphoric | out.keys()),
        groups=tuple(pairs),
    )
    return Stage(rules, out)


def discounted(sentences: Sequence[Sentence], factor: float) -> tuple[Sentence, ...]:
    """Return sentences with their relevance, that of those which tell a reader little by themselves times a factor."""
    if factor == 1.0:
        return tuple(sentences)
    least = _COUNTS * max((s.relevance for s in sentences), default=0.0)
    return tuple(
        s if s.relevance < least or serves_reader(s) else replace(s, relevance=factor * s.relevance) for s in sentences
    )


def _redundant(
    sentences: Sequence[Sentence], rest: Sequence[int], question: str, table: CoherenceTable
) -> tuple[list[tuple[int, int]], tuple[int, ...]]:
    """Return the pairs of redundant sentences; and, if these are very many, sentences to leave out so that few remain.

    Left out are sentences that say the same as several more relevant ones.
    """
    texts, repeats = [sentences[i].text for i in rest], []
    if table.strict:
        alike = repeating(texts, question, table.overlap or _OVERLAP_STRICT)
    else:
        alike = redundant(texts, table.overlap or _OVERLAP)
    if np.count_nonzero(alike) > MOST_PAIRS:
        near, kept = alike | alike.T, np.zeros(len(rest), dtype=np.bool_)
        for k in sorted(range(len(rest)), key=lambda k: (-sentences[rest[k]].relevance, k)):
            kept[k] = np.count_nonzero(near[k] & kept) < _MOST_REPEATED
        repeats = [rest[k] for k in np.flatnonzero(~kept).tolist()]
        alike &= np.outer(kept, kept)
    return [(rest[i], rest[k]) for i, k in np.argwhere(alike).tolist()], tuple(repeats)


def _least_relevant(
    sentences: Sequence[Sentence], antecedents: Mapping[int, int | None], out: Mapping[int, str], least: float
) -> set[int]:
    rest = [i for i in range(len(sentences)) if i not in out]
    best = sorted(rest, key=lambda i: (-sentences[i].relevance, i))[:1]
    least = max([least, *(_OF_BEST * sentences[i].relevance for i in best)])
    enough = {i for i in rest if sentences[i].relevance >= least}.union(best)
    pending = list(enough)
    while pending:
        before = antecedents.get(pending.pop())
        if before is not None and before not in enough:
            enough.add(before)
            pending.append(before)
    return set(rest) - enough


def _unwanted(sentences: Sequence[Sentence], table: CoherenceTable) -> dict[int, str]:
    """Return the sentences that `statements`, `titles` and `fragments` exclude, each with its rule.

    Unless the rules are strict, these are questions and fragments only.
    """
    out: dict[int, str] = {}
    if table.fragments:
        rest = list(enumerate(sentences))[table.fragments_after :]
        out |= {i: "fragments" for i, s in rest if not is_whole(s.text)}
    if table.titles and table.strict:
        out |= {i: "titles" for i, s in enumerate(sentences) if s.section == "title" and not states_finding(s.text)}
    if table.statements:
        states = is_statement if table.strict else _asks_nothing
        out |= {i: "statements" for i, s in enumerate(sentences) if not states(s)}
    return out


def _asks_nothing(sentence: Sentence) -> bool:
    return not sentence.text.endswith("?")


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
