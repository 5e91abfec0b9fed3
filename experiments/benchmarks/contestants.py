"""The contestants of the selection benchmarks: ours, the published model in PuLP, and other
summarizers.

sumy takes part if installed (`pip install ".[benchmark]"`). It receives the text split into
sentences, so it needs no nltk data.
"""

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from experiments.benchmarks.selection_instances import LIMIT, Question, indexed
from features.text import bigrams, words
from ilpsum.selection import SOLVERS, Limits, Problem, select
from ilpsum.selection.paper import solve_paper

FOREIGN = ("glpk", "cbc", "highs-paper", "pruned")
SUMY = ("lexrank", "lsa")
# The most sentences each contestant is given: beyond, it takes hours or all memory.
LARGEST = {
    "ours": 5000,
    "glpk": 5000,
    "cbc": 5000,
    "highs-paper": 5000,
    "pruned": 5000,
    "lexrank": 1000,
    "lsa": 1000,
}


@dataclass(frozen=True)
class Answer:
    """The result of a contestant.

    Attributes:
        objective: the value of its set by the published objective.
        proved: whether it claims optimality; None for contestants that optimise something else.
        nodes: nodes of its search.
    """

    objective: float
    proved: bool | None
    nodes: int = 0


def build(pooled: Question, relevance: str, lambda_: float) -> Problem:
    """Return the selection problem of a pool."""
    tokens, lengths, values = indexed(pooled, relevance)
    return Problem.build(map(bigrams, tokens), lengths, values, LIMIT, lambda_=lambda_)


def installed(name: str) -> bool:
    """Whether a contestant is installed."""
    if name in SUMY:
        return importlib.util.find_spec("sumy") is not None
    return name not in SOLVERS or SOLVERS[name].available()


def solve(name: str, problem: Problem, sentences: Sequence[str], limits: Limits) -> Answer:
    """Solve one problem by one contestant."""
    if name == "ours":
        selection = select(problem)
        return Answer(selection.objective, selection.gap == 0.0, selection.nodes)
    if name in SUMY:
        return Answer(problem.value(sumy_summary(name, sentences, LIMIT)), None)
    posed = pruned(problem) if name == "pruned" else problem
    proof = solve_paper(posed, "highs-paper" if name == "pruned" else name, limits)
    return Answer(problem.value(proof.chosen), proof.status == "optimal", proof.nodes)


def pruned(problem: Problem) -> Problem:
    """Set the weight of concepts with fewer than two holders to 0, as sume does."""
    held = np.bincount(problem.concepts, minlength=len(problem.weights))
    return replace(problem, weights=np.where(held > 1, problem.weights, 0.0))


def sumy_summary(name: str, texts: Sequence[str], limit: int) -> tuple[int, ...]:
    """Return the sentences of a sumy summarizer in its own order, as many as fit the limit."""
    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
    from sumy.summarizers.lex_rank import LexRankSummarizer
    from sumy.summarizers.lsa import LsaSummarizer

    class Split:
        """The tokenizer that sumy expects."""

        @staticmethod
        def to_words(text: str) -> tuple[str, ...]:
            return words(text)

    sentences = [Sentence(text, Split()) for text in texts]
    document = ObjectDocumentModel([Paragraph(sentences)])
    summarizer = {"lexrank": LexRankSummarizer, "lsa": LsaSummarizer}[name]()
    mean = sum(len(text.split()) for text in texts) / len(sentences)
    places = {id(sentence): k for k, sentence in enumerate(sentences)}
    chosen, left = [], limit
    for sentence in summarizer(document, max(1, int(limit / mean))):
        k = places[id(sentence)]
        if len(texts[k].split()) <= left:
            chosen.append(k)
            left -= len(texts[k].split())
    return tuple(sorted(chosen))
