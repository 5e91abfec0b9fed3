"""Selection problems of any size from real questions: BioASQ snippets, pooled until there are enough sentences."""

import gzip
import json
import math
import os
import random
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from features.text import STOP_WORDS, bigrams, words
from ilpsum.selection import Problem

LIMIT = 200
# Good enough for snippets: a wrong split only makes a sentence longer or shorter.
_BREAK = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


@dataclass(frozen=True)
class Question:
    """A question and the sentences of its snippets."""

    text: str
    sentences: tuple[str, ...]


def data_folder() -> Path:
    """Return the folder of real data: $ILPSUM_TEST_DATA, else beside the checkout."""
    return Path(os.environ.get("ILPSUM_TEST_DATA") or Path(__file__).parents[3] / "shared" / "data")


@cache
def questions(folder: Path) -> tuple[Question, ...]:
    """Return all questions with snippets, of all editions, in the order of the files."""
    usable = []
    for path in sorted((folder / "bioasq").glob("*_golden.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for question in json.load(file)["questions"]:
                parts = (
                    " ".join(part.split())
                    for s in question.get("snippets", [])
                    for part in _BREAK.split(s["text"])
                )
                sentences = tuple(part for part in parts if len(words(part)) > 2)
                if sentences:
                    usable.append(Question(question["body"], sentences))
    return tuple(usable)


def pool(folder: Path, size: int, seed: int) -> Question:
    """Return a question with its own sentences first, then those of other questions, until there are enough."""
    every = questions(folder)
    draw = random.Random(seed)
    first = draw.randrange(len(every))
    order = [k for k in range(len(every)) if k != first]
    draw.shuffle(order)
    sentences = list(every[first].sentences)
    for k in order:
        if len(sentences) >= size:
            break
        sentences += every[k].sentences
    return Question(every[first].text, tuple(sentences[:size]))


def overlap(question: frozenset[str], sentences: list[tuple[str, ...]]) -> list[float]:
    """Return the number of shared distinct words over the largest such number: few values, so many ties."""
    counts = [len(question.intersection(tokens)) for tokens in sentences]
    largest = max(counts) or 1
    return [count / largest for count in counts]


def tfidf_cosine(question: frozenset[str], sentences: list[tuple[str, ...]]) -> list[float]:
    """Return the tf-idf cosine of question and sentence over the largest: values rarely repeat, as with an SVR."""
    holders = Counter(word for tokens in sentences for word in set(tokens))
    idf = {word: math.log((1 + len(sentences)) / count) for word, count in holders.items()}
    values = []
    for tokens in sentences:
        weights = {word: count * idf[word] for word, count in Counter(tokens).items()}
        norm = math.sqrt(sum(weight**2 for weight in weights.values())) or 1.0
        values.append(
            sum(weights.get(word, 0.0) * idf.get(word, 0.0) for word in sorted(question)) / norm
        )
    largest = max(values) or 1.0
    return [value / largest for value in values]


def indexed(
    pooled: Question, relevance: str
) -> tuple[list[tuple[str, ...]], list[int], list[float]]:
    """Return tokens, lengths in words, and relevance (`overlap`; `smooth`: its mean with the cosine)."""
    tokens = [words(sentence) for sentence in pooled.sentences]
    asked = frozenset(words(pooled.text)) - STOP_WORDS
    values = overlap(asked, tokens)
    if relevance == "smooth":
        values = [
            (one + other) / 2
            for one, other in zip(values, tfidf_cosine(asked, tokens), strict=True)
        ]
    return tokens, [len(sentence.split()) for sentence in pooled.sentences], values


def instance(
    folder: Path,
    size: int,
    seed: int,
    lambda_: float,
    relevance: str = "smooth",
    limit: int = LIMIT,
) -> Problem:
    """Return a problem of the published model on real sentences."""
    tokens, lengths, values = indexed(pool(folder, size, seed), relevance)
    return Problem.build(map(bigrams, tokens), lengths, values, limit, lambda_=lambda_)
