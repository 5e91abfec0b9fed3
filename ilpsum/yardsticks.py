"""What a system is measured by: the first words, random sentences, and the best that extraction can do."""

import random
from collections import Counter
from collections.abc import Sequence

from features.text import Passage, bigrams
from ilpsum import layout
from ilpsum.errors import UsageError
from ilpsum.records import Sentence, Topic
from ilpsum.selection import Problem, Selection, select


def lead(topic: Topic, words: int) -> Sentence | None:
    """The first words of the paper from its abstract on, or of all documents of a question; None without any.

    What stands in the way (headings, captions) is part of it, and the last sentence is cut at the limit: the baseline
    as it is defined for TAC Task 2 and for BioASQ's snippets.
    """
    paper = topic.reference
    if paper:
        start = layout.abstract_start(paper)
        text, document = paper.text[start:], paper.id
    else:
        start, text = 0, " ".join(d.text for d in topic.documents)
        document = topic.documents[0].id if topic.documents else ""
    kept = text.split()[:words]
    if not kept:
        return None
    return Sentence(
        " ".join(kept), document, start, start + _end_of_word(text, len(kept)), len(kept), why="the first words"
    )


def random_order(sentences: Sequence[Sentence], words: int, seed: int) -> Selection:
    """Sentences in random order, each taken if it fits."""
    chosen, left = [], words
    for i in random.Random(seed).sample(range(len(sentences)), len(sentences)):  # noqa: S311
        if sentences[i].words <= left:
            chosen.append(i)
            left -= sentences[i].words
    nan = float("nan")
    return Selection(tuple(sorted(chosen)), nan, nan, nan, "random", "random", "random")


def oracle(topic: Topic, sentences: Sequence[Passage], lengths: Sequence[int], words: int, *, stems: bool) -> Selection:
    """The sentences that cover the bigrams of the gold summaries best: the exact ILP with lambda 0.

    A bigram is worth the number of gold summaries that hold it, so the objective is the numerator of the pooled ROUGE-2
    recall but for repetitions of a bigram and for bigrams that run over two sentences.

    Raises:
        UsageError: the topic has no gold summary.
    """
    if not topic.summaries:
        raise UsageError(f"{topic.id}: the oracle needs gold summaries, and the topic has none")
    terms = [_terms(Passage(text), stems=stems) for text in topic.summaries]
    worth = Counter(bigram for gold in terms for bigram in set(bigrams(gold)))
    concepts = [[b for b in bigrams(_terms(s, stems=stems)) if b in worth] for s in sentences]
    total = max(1, worth.total())
    problem = Problem.build(
        concepts, lengths, [0.0] * len(lengths), words, price=lambda bigram: worth[bigram] / total, lambda_=0.0
    )
    return select(problem)


def _terms(passage: Passage, *, stems: bool) -> tuple[str, ...]:
    return passage.stems if stems else passage.words


def _end_of_word(text: str, count: int) -> int:
    """Where the count-th word of a text ends."""
    end = 0
    for word in text.split()[:count]:
        end = text.index(word, end) + len(word)
    return end
