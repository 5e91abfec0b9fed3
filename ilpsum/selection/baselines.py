"""Baselines: lead words, random sentences, and the extractive oracle (upper bound)."""

import random
from collections import Counter
from collections.abc import Callable, Mapping

from features.text import Passage, bigrams
from ilpsum.errors import UsageError
from ilpsum.papers import layout
from ilpsum.records import Sentence, Topic
from ilpsum.selection.problem import Selection
from ilpsum.selection.selectors import Pool, Selector, SelectorSettings, one_by_one
from ilpsum.selection.solving import select

# Type and words of a unit counted by an n-gram metric.
_Unit = tuple[str, str, str]


class Lead(Selector):
    """The first words of the paper, starting at its abstract, or of a question's documents.

    Headings and captions are included, and the last sentence is cut at the limit, as defined for
    TAC Task 2 and for BioASQ's snippets.
    """

    name = "lead"
    copies = True

    def candidates(
        self,
        topic: Topic,
        words: int,
        fits: Callable[[str], bool],
    ) -> tuple[Sentence, ...]:
        """Return the first words as one sentence; empty without text."""
        paper = topic.reference
        start = layout.abstract_start(paper) if paper else 0
        text = paper.text[start:] if paper else " ".join(d.text for d in topic.documents)
        first = text.split()[:words]
        while first and not fits(" ".join(first)):
            first.pop()
        if not first:
            return ()
        end = 0
        for word in first:
            end = text.index(word, end) + len(word)
        document = paper.id if paper else topic.documents[0].id
        lead = " ".join(first)
        start, end = start + text.index(first[0]), start + end
        return (Sentence(lead, document, start, end, len(first), why="the first words"),)

    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:  # noqa: ARG002
        """Return all of the selector's own text."""
        return one_by_one(self.name, range(len(pool.sentences)))


class Random(Selector):
    """Sentences in random order, skipping any that do not fit."""

    name = "random"
    is_random = True

    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:
        """Return the sentences drawn with the seed."""
        order = range(len(pool))
        alone = set(pool.problem.alone())
        chosen = list[int]()
        for i in random.Random(settings.seed).sample(order, len(pool)):  # noqa: S311
            if i in alone and pool.may_add(chosen, i):
                chosen.append(i)
        return one_by_one(self.name, chosen)


class Oracle(Selector):
    """The sentences that best cover the bigrams of the gold summaries: the exact ILP with lambda 0.

    A bigram's weight is the number of gold summaries that contain it, so the objective is the
    numerator of pooled ROUGE-2 recall, except for repeated bigrams and bigrams across sentences.
    Ties are broken by the words and skip-bigrams of ROUGE-SU4, whose total weight is less than one
    bigram's.
    """

    name = "oracle"
    chooses_citances = True

    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:  # noqa: ARG002
        """Return the optimum for the gold summaries; `UsageError` if there are none."""
        if not pool.topic.summaries:
            raise UsageError("the oracle needs gold summaries, and the topic has none")
        counts: Counter[_Unit] = Counter()
        for text in pool.topic.summaries:
            counts.update(set(_units(Passage(text), stems=pool.stems)))
        rows = [[u for u in _units(s, stems=pool.stems) if u in counts] for s in pool.passages]
        return select(pool.problem.with_concepts(rows, _weights(counts)).at(0.0))


def _weights(counts: Mapping[_Unit, int]) -> Callable[[_Unit], float]:
    """Return the weight function of units; all non-bigrams together weigh at most half a bigram."""
    first = sum(count for unit, count in counts.items() if unit[0] == "bigram")
    second = sum(counts.values()) - first
    shares = {"bigram": 1.0, "skip": 0.5 / max(second, 1)}
    return lambda unit: counts[unit] / max(first, 1) * shares[unit[0]]


def _units(passage: Passage, *, stems: bool) -> list[_Unit]:
    """Return the bigrams of a text, and the words and skip-bigrams of ROUGE-SU4."""
    terms = passage.stems if stems else passage.words
    units = [("bigram", *pair) for pair in bigrams(terms)]
    units += [("skip", word, "") for word in terms]
    return units + [
        ("skip", first, second) for i, first in enumerate(terms) for second in terms[i + 1 : i + 6]
    ]
