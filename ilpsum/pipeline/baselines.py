"""Baselines: the first words, random sentences, and the ceiling of extraction."""

import random
from collections import Counter
from collections.abc import Sequence

from features.text import Passage, bigrams
from ilpsum.errors import UsageError
from ilpsum.papers import layout
from ilpsum.pipeline.citing import clean
from ilpsum.pipeline.coherence import Constraints
from ilpsum.pipeline.limits import FormatLimits
from ilpsum.records import Sentence, Topic
from ilpsum.selection import Problem, Selection, select

# The kind of a unit that an n-gram metric counts, and its words.
_Unit = tuple[str, str, str]


def lead(topic: Topic, words: int, limits: FormatLimits | None = None) -> Sentence | None:
    """Return the first words of the paper from its abstract on, or of a question's documents; None without text.

    Headings and captions are included, and the last sentence is cut at the limit, as defined for TAC Task 2 and for
    BioASQ's snippets.
    """
    paper = topic.reference
    if paper:
        start = layout.abstract_start(paper)
        text, document = paper.text[start:], paper.id
    else:
        start, text = 0, " ".join(d.text for d in topic.documents)
        document = topic.documents[0].id if topic.documents else ""
    first = text.split()[:words]
    while first and limits and limits.exceeded_by(" ".join(first)):
        first.pop()
    if not first or (limits and limits.allows and not clean(" ".join(first))):
        return None
    end = 0
    for word in first:
        end = text.index(word, end) + len(word)
    end += start
    return Sentence(" ".join(first), document, start, end, len(first), why="the first words")


def random_order(sentences: Sequence[Sentence], words: int, seed: int, rules: Constraints) -> Selection:
    """Select sentences in random order, skipping those that do not fit."""
    chosen: list[int] = []
    remaining, allowed = words, set(rules.allowed(len(sentences)))
    for i in random.Random(seed).sample(range(len(sentences)), len(sentences)):  # noqa: S311
        if i in allowed and sentences[i].words <= remaining and rules.fits([*chosen, i]):
            chosen.append(i)
            remaining -= sentences[i].words
    nan = float("nan")
    return Selection(tuple(sorted(chosen)), nan, nan, nan, "random", "random", "random")


def oracle(
    topic: Topic, sentences: Sequence[Passage], lengths: Sequence[int], words: int, rules: Constraints, *, stems: bool
) -> Selection:
    """Return the sentences that cover the bigrams of the gold summaries best: the exact ILP with lambda 0.

    A bigram weighs the number of gold summaries that contain it, so the objective is the numerator of the pooled
    ROUGE-2 recall except for repeated bigrams and bigrams across two sentences. Ties are broken by the words and
    skip-bigrams of ROUGE-SU4, all of which together weigh less than one bigram.

    Raises:
        UsageError: the topic has no gold summary.
    """
    if not topic.summaries:
        raise UsageError(f"{topic.id}: the oracle needs gold summaries, and the topic has none")
    counts: Counter[_Unit] = Counter()
    for text in topic.summaries:
        counts.update(set(_units(Passage(text), stems=stems)))
    first = sum(count for unit, count in counts.items() if unit[0] == "bigram")
    second = counts.total() - first
    concepts = [[u for u in _units(s, stems=stems) if u in counts] for s in sentences]

    def price(unit: _Unit) -> float:
        # All units other than bigrams together weigh less than half a bigram.
        return counts[unit] / max(first, 1) * (1.0 if unit[0] == "bigram" else 0.5 / max(second, 1))

    problem = Problem.build(concepts, lengths, [0.0] * len(lengths), words, price=price, lambda_=0.0)
    return select(rules.apply(problem))


def _units(passage: Passage, *, stems: bool) -> list[_Unit]:
    """Return the bigrams of a text, and the words and skip-bigrams that ROUGE-SU4 counts."""
    terms = passage.stems if stems else passage.words
    units = [("bigram", *pair) for pair in bigrams(terms)]
    units += [("skip", word, "") for word in terms]
    return units + [("skip", first, second) for i, first in enumerate(terms) for second in terms[i + 1 : i + 6]]
