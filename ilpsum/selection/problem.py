"""What is to be selected, under which limits, and what was selected: records without a solver.

The published model (Galanis et al. 2012; Malakasiotis et al. 2015, equations 1-4) is the case in which every option is
left at its default. All options keep the model linear, so that the same optimum can be proved by any MIP solver.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ilpsum.errors import InputError

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def _no_integers() -> IntArray:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Problem:
    """n sentences of which some are to be chosen, with the m concepts (bigrams) that they hold.

    The value of a set of sentences is

        lambda_ * sum of relevance[i] * words[i] / limit over the chosen sentences
        + (1 - lambda_) * sum of weights[j] over the concepts that at least one of them holds
        - word_cost * their words
        - document_penalty * (chosen sentences of a document beyond its first), over all documents

    and a set is allowed if it takes at most `limit` words, holds `include` and nothing of `exclude`, takes at most
    `character_limit` characters, at most `document_limit` sentences of a document, at most one sentence of each of
    `groups`, and with every sentence the ones that it requires.

    Attributes:
        words: (n,) length of each sentence, at least 1.
        relevance: (n,) a_i of the paper, in [0, 1].
        starts: (n + 1,) the concepts of sentence i are `concepts[starts[i]:starts[i + 1]]`.
        concepts: ids of concepts in 0..m-1, distinct within a sentence.
        weights: (m,) what a concept is worth, not negative; 1/n each in the published model.
        limit: l_max, in words.
        lambda_: weight of relevance against coverage, in [0, 1].
        word_cost: price of a word, subtracted from the value.
        include, exclude: sentences fixed in and out.
        characters: (n,) a second length, or empty.
        character_limit: its limit; None where there is none.
        documents: (n,) number of each sentence's document, or empty.
        document_limit: how many sentences may come of one document; None where there is no bound.
        document_penalty: price of every sentence of a document beyond the document's first.
        groups: sets of sentences of which at most one may be chosen (compressed variants of one sentence).
        requires: pairs (i, k): sentence i may be chosen only together with sentence k.
    """

    words: IntArray
    relevance: FloatArray
    starts: IntArray
    concepts: IntArray
    weights: FloatArray
    limit: int
    lambda_: float = 0.8
    word_cost: float = 0.0
    include: tuple[int, ...] = ()
    exclude: tuple[int, ...] = ()
    characters: IntArray = field(default_factory=_no_integers)
    character_limit: int | None = None
    documents: IntArray = field(default_factory=_no_integers)
    document_limit: int | None = None
    document_penalty: float = 0.0
    groups: tuple[tuple[int, ...], ...] = ()
    requires: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        _check_shapes(self)
        _check_ranges(self)
        _check_fixed(self)

    @classmethod
    def build(
        cls,
        concepts: Iterable[Iterable[Hashable]],
        words: Sequence[int] | IntArray,
        relevance: Sequence[float] | FloatArray,
        limit: int,
        *,
        price: Callable[[Any], float] | None = None,
        characters: Sequence[int] | IntArray = (),
        documents: Sequence[Hashable] = (),
        **options: Any,
    ) -> "Problem":
        """A problem from concepts of any hashable kind (bigrams as pairs of words, say).

        Args:
            concepts: the concepts of each sentence; repetitions within a sentence count once.
            words: (n,) lengths in words.
            relevance: (n,) in [0, 1].
            limit: words at most.
            price: what a concept is worth; 1/n each without it, n being the number of sentences (equation 1). A
                concept worth nothing is left out.
            characters: (n,) lengths in characters, where those are limited too.
            documents: (n,) names of the sentences' documents, where a document's sentences are limited or priced.
            options: further attributes of the problem by name (`lambda_`, `include`, ...).

        Raises:
            InputError: lengths that differ, numbers out of their range, an index that does not exist.
        """
        ids: dict[Hashable, int] = {}
        rows = [[ids.setdefault(concept, len(ids)) for concept in dict.fromkeys(row)] for row in concepts]
        starts = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=starts[1:])
        flat = np.fromiter((number for row in rows for number in row), dtype=np.int64, count=int(starts[-1]))
        if price is None:
            weights = np.full(len(ids), 1.0 / max(1, len(rows)))
        else:
            weights = np.fromiter((price(concept) for concept in ids), dtype=np.float64, count=len(ids))
        numbers: dict[Hashable, int] = {}
        return cls(
            words=np.asarray(words, dtype=np.int64),
            relevance=np.asarray(relevance, dtype=np.float64),
            starts=starts,
            concepts=flat,
            weights=weights,
            limit=limit,
            characters=np.asarray(characters, dtype=np.int64),
            documents=np.array([numbers.setdefault(name, len(numbers)) for name in documents], dtype=np.int64),
            **options,
        )

    def __len__(self) -> int:
        return len(self.words)

    def at(self, lambda_: float) -> "Problem":
        """The same problem at another lambda."""
        return replace(self, lambda_=lambda_)

    def concepts_of(self, sentence: int) -> IntArray:
        """B_i: ids of the concepts that a sentence holds."""
        return self.concepts[self.starts[sentence] : self.starts[sentence + 1]]

    @cached_property
    def capacity(self) -> int:
        """The limit as a search needs it: no more than all sentences have, for there are tables of this length."""
        return min(self.limit, int(self.words.sum()))

    @cached_property
    def relevance_prices(self) -> FloatArray:
        """(n,) a_i * l_i / l_max, what a chosen sentence adds to the relevance term."""
        return self.relevance * (self.words / float(max(1, self.limit)))

    def terms(self, chosen: Iterable[int]) -> tuple[float, float, float]:
        """Relevance term, coverage term and costs of a set; its value is lambda*R + (1-lambda)*C - costs."""
        rows = sorted(set(chosen))
        held = {int(j) for i in rows for j in self.concepts_of(i)}
        relevance = sum((float(self.relevance_prices[i]) for i in rows), 0.0)
        coverage = sum((float(self.weights[j]) for j in sorted(held)), 0.0)
        costs = self.word_cost * sum(int(self.words[i]) for i in rows)
        if self.document_penalty:
            costs += self.document_penalty * (len(rows) - len({int(self.documents[i]) for i in rows}))
        return relevance, coverage, costs

    def value(self, chosen: Iterable[int]) -> float:
        """The objective (equation 1, with the options of the class) of a set of sentences."""
        relevance, coverage, costs = self.terms(chosen)
        return self.lambda_ * relevance + (1.0 - self.lambda_) * coverage - costs

    def allows(self, chosen: Iterable[int]) -> bool:
        """Whether a set of sentences keeps every limit."""
        rows = set(chosen)
        if sum(int(self.words[i]) for i in rows) > self.limit:
            return False
        if self.character_limit is not None and sum(int(self.characters[i]) for i in rows) > self.character_limit:
            return False
        if not rows.issuperset(self.include) or not rows.isdisjoint(self.exclude):
            return False
        if self.document_limit is not None:
            counts: dict[int, int] = {}
            for i in rows:
                counts[int(self.documents[i])] = counts.get(int(self.documents[i]), 0) + 1
            if any(count > self.document_limit for count in counts.values()):
                return False
        if any(len(rows.intersection(group)) > 1 for group in self.groups):
            return False
        return all(i not in rows or k in rows for i, k in self.requires)


@dataclass(frozen=True)
class Limits:
    """When to give up a proof. Nodes are counted first, so that results do not depend on the machine.

    Attributes:
        nodes: nodes of branch and bound, all searches of one topic together.
        seconds: wall-clock time; a result that it cut short is marked, since another machine may get further.
    """

    nodes: int = 10_000_000
    seconds: float | None = None


@dataclass(frozen=True)
class Selection:
    """The sentences chosen, and what is known of how good they are.

    Attributes:
        chosen: indices, ascending.
        objective: the value of the set (nan where the selector has none).
        bound: no allowed set is worth more.
        gap: (bound - objective) / max(|objective|, 1e-10); 0 for a proven optimum.
        status: `optimal`, `limit` (the best found within the limits), `greedy`, `fallback` (greedy in place of a
            solver that failed).
        formulation: `paper`, `compact` or `greedy`.
        solver: what solved it.
        nodes: nodes of branch and bound.
        seconds_build: time for building the model.
        seconds_solve: time for solving it.
        warnings: what is worth telling a reader of the run.
    """

    chosen: tuple[int, ...]
    objective: float
    bound: float
    gap: float
    status: str
    formulation: str
    solver: str
    nodes: int = 0
    seconds_build: float = 0.0
    seconds_solve: float = 0.0
    warnings: tuple[str, ...] = ()


def relative_gap(objective: float, bound: float) -> float:
    """(bound - objective) / max(|objective|, 1e-10), 0 where the bound is met to the last digits."""
    gap = max(0.0, bound - objective) / max(abs(objective), 1e-10)
    return 0.0 if gap < 1e-12 else gap


def _check_shapes(problem: Problem) -> None:
    n = len(problem.words)
    for name in ("relevance", "characters", "documents"):
        length = len(getattr(problem, name))
        if length != n and not (name != "relevance" and length == 0):
            raise InputError(f"selection: {n} sentences but {length} values of {name}; expected one for each sentence")
    if len(problem.starts) != n + 1:
        raise InputError(f"selection: concepts of {len(problem.starts) - 1} sentences, but {n} lengths")
    if len(problem.concepts) and not 0 <= problem.concepts.min() <= problem.concepts.max() < len(problem.weights):
        raise InputError("selection: a concept without a weight; expected ids below the number of weights")
    if problem.character_limit is not None and not len(problem.characters) == n:
        raise InputError("selection: a limit in characters needs the characters of each sentence")
    if (problem.document_limit is not None or problem.document_penalty) and not len(problem.documents) == n:
        raise InputError("selection: a bound or penalty by document needs the document of each sentence")


def _check_ranges(problem: Problem) -> None:
    if len(problem.words) and problem.words.min() < 1:
        raise InputError("selection: a sentence of no words; expected at least one word in each")
    if not np.all((problem.relevance >= 0) & (problem.relevance <= 1)):
        raise InputError("selection: relevance outside [0, 1] (or nan); normalise it per topic first")
    if not np.all((problem.weights >= 0) & np.isfinite(problem.weights)):
        raise InputError("selection: a concept with a negative or infinite weight; clip learned weights at 0")
    if not 0.0 <= problem.lambda_ <= 1.0:
        raise InputError(f"selection: lambda is {problem.lambda_}; expected a number from 0 to 1")
    if problem.limit < 0 or not np.isfinite(problem.word_cost) or not problem.document_penalty >= 0:
        raise InputError("selection: a negative limit or document penalty, or a price of a word that is no number")


def _check_fixed(problem: Problem) -> None:
    n = len(problem.words)
    named = [*problem.include, *problem.exclude, *(i for group in problem.groups for i in group)]
    named += [i for pair in problem.requires for i in pair]
    if any(not 0 <= i < n for i in named):
        raise InputError(f"selection: a sentence that does not exist is named; there are {n}, counted from 0")
