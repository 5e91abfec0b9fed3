"""The selection problem and its result, as solver-independent records.

With default options, this is the published model (Galanis et al. 2012; Malakasiotis et al. 2015,
equations 1-4). All options keep the model linear, so any MIP solver can prove the same optimum.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from math import nan
from typing import Any

import numpy as np

from features.arrays import Floats, Ints
from features.tokens import Numbers
from ilpsum.errors import InputError

MOST_WORDS = 1_000_000
"""The largest word limit, unless the sentences have fewer words: beyond it, lengths would exceed
the tolerances of solvers.
"""


@dataclass(frozen=True, eq=False)
class Problem:
    """n candidate sentences, the m concepts (bigrams) in them, and the limits.

    The value of a set of sentences is

        lambda_ * sum of relevance[i] * words[i] / limit over the chosen sentences
        + (1 - lambda_) * sum of weights[j] over the concepts in at least one chosen sentence
        - word_cost * number of words in the chosen sentences

    A set is allowed if it has at most `limit` words and `sentence_limit` sentences, its second
    lengths add up to at most `second_limit`, and it contains all of `include` and none of
    `exclude`, at most `document_limit` sentences per document, at most one sentence per group, and
    every sentence that a chosen one requires.

    Attributes:
        words: (n,) length of each sentence in words, at least 1.
        relevance: (n,) a_i of the paper, in [0, 1].
        starts: (n + 1,) the concepts of sentence i are `concepts[starts[i]:starts[i + 1]]`.
        concepts: ids of concepts in 0..m-1, distinct within a sentence.
        weights: (m,) weight of each concept, not negative; 1/n each in the published model.
        limit: l_max, in words.
        lambda_: weight of relevance against coverage, in [0, 1].
        word_cost: cost per word, subtracted from the value.
        include: indices of sentences that must be chosen, together with any they require.
        exclude: indices of sentences that must not be chosen.
        sentence_limit: maximum number of sentences; None for no limit.
        second_lengths: (n,) lengths in another unit (characters, language-model tokens), or empty.
        second_limit: maximum total second length; None for no limit.
        documents: (n,) index of each sentence's document, or empty.
        document_limit: maximum number of sentences per document; None for no limit.
        groups: sets of mutually exclusive sentences (such as compressed variants of one sentence).
        requires: pairs (i, k): sentence i may be chosen only together with sentence k.

    Raises:
        InputError: arrays of different lengths, a relevance or weight out of range, a sentence
            without words or that does not exist, a limit of more than `MOST_WORDS`.
            Settings have been checked where they were read.
    """

    words: Ints
    relevance: Floats
    starts: Ints
    concepts: Ints
    weights: Floats
    limit: int
    lambda_: float = 0.8
    word_cost: float = 0.0
    include: tuple[int, ...] = ()
    exclude: tuple[int, ...] = ()
    sentence_limit: int | None = None
    second_lengths: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    second_limit: int | None = None
    documents: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    document_limit: int | None = None
    groups: tuple[tuple[int, ...], ...] = ()
    requires: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        if error := next(_errors(self), ""):
            raise InputError(f"selection: {error}")

    @classmethod
    def build(
        cls,
        concepts: Iterable[Iterable[Hashable]],
        words: Sequence[int] | Ints,
        relevance: Sequence[float] | Floats,
        limit: int,
        *,
        price: Callable[[Any], float] | None = None,
        second_lengths: Sequence[int] | Ints = (),
        documents: Sequence[Hashable] = (),
        **options: Any,
    ) -> "Problem":
        """Build a problem from hashable concepts, such as bigrams as pairs of words.

        Repetitions of a concept within a sentence count once. `price` returns the weight of a
        concept, by default 1/n for n sentences (equation 1); concepts of weight 0 do not affect the
        selection. `documents` may be any hashable names. For other arguments, `options` and errors
        see the class.
        """
        arrays = _indexed(concepts, price)
        arrays["words"] = np.asarray(words, dtype=np.int64)
        arrays["relevance"] = np.asarray(relevance, dtype=np.float64)
        arrays["second_lengths"] = np.asarray(second_lengths, dtype=np.int64)
        arrays["documents"] = Numbers[Hashable]().of(documents)
        return cls(limit=limit, **arrays, **options)

    def __len__(self) -> int:
        return len(self.words)

    def at(self, lambda_: float) -> "Problem":
        """Return the same problem at another lambda."""
        return replace(self, lambda_=lambda_)

    def with_concepts(
        self,
        concepts: Iterable[Iterable[Hashable]],
        price: Callable[[Any], float],
    ) -> "Problem":
        """Return the problem with other concepts (see `build`)."""
        return replace(self, **_indexed(concepts, price))

    def concepts_of(self, sentence: int) -> Ints:
        """B_i: ids of the concepts in a sentence."""
        return self.concepts[self.starts[sentence] : self.starts[sentence + 1]]

    @cached_property
    def capacity(self) -> int:
        """The word limit, capped at the total number of words: the search builds tables of this
        length.
        """
        return min(self.limit, int(self.words.sum()))

    @cached_property
    def relevance_prices(self) -> Floats:
        """(n,) a_i * l_i / l_max, the contribution of each sentence to the relevance term."""
        return self.relevance * (self.words / float(max(1, self.limit)))

    def terms(self, chosen: Iterable[int]) -> tuple[float, float, float]:
        """Relevance term R, coverage term C and costs of a set.

        Its value is lambda * R + (1 - lambda) * C - costs.
        """
        rows = sorted(set(chosen))
        held = np.zeros(len(self.weights), dtype=bool)
        for i in rows:
            held[self.concepts_of(i)] = True
        # One by one: the sum of an array adds in another order.
        relevance = sum(self.relevance_prices[rows].tolist(), 0.0)
        coverage = sum(self.weights[held].tolist(), 0.0)
        return relevance, coverage, self.word_cost * int(self.words[rows].sum())

    def value(self, chosen: Iterable[int]) -> float:
        """The objective (equation 1, less the word cost) of a set of sentences."""
        relevance, coverage, costs = self.terms(chosen)
        return self.lambda_ * relevance + (1.0 - self.lambda_) * coverage - costs

    def alone(self) -> list[int]:
        """The sentences that are not excluded and require no other, for selectors without support
        for `requires`.
        """
        out = set(self.exclude).union(i for i, _ in self.requires)
        return [i for i in range(len(self)) if i not in out]

    def rivals(self, sentence: int) -> set[int]:
        """The sentences of the groups of a sentence, with itself; empty if it is in no group."""
        return {k for group in self.groups if sentence in group for k in group}

    def with_required(self, chosen: Iterable[int]) -> set[int]:
        """A set of sentences and all that they require, transitively."""
        rows = set(chosen)
        while further := {k for i, k in self.requires if i in rows} - rows:
            rows |= further
        return rows

    def fits(self, chosen: Iterable[int]) -> bool:
        """Whether a set of sentences is within the limits on length and number, in total and per
        document.
        """
        rows = list(set(chosen))
        if self.document_limit is not None:
            counts = np.bincount(self.documents[rows])
            if counts.max(initial=0) > self.document_limit:
                return False
        if self.sentence_limit is not None and len(rows) > self.sentence_limit:
            return False
        if self.second_limit is not None and self.second_lengths[rows].sum() > self.second_limit:
            return False
        return bool(self.words[rows].sum() <= self.limit)

    def allows(self, chosen: Iterable[int]) -> bool:
        """Whether a set of sentences satisfies every constraint."""
        rows = set(chosen)
        if not rows.issuperset(self.include) or not rows.isdisjoint(self.exclude):
            return False
        if any(len(rows.intersection(group)) > 1 for group in self.groups):
            return False
        if any(i in rows and k not in rows for i, k in self.requires):
            return False
        return self.fits(rows)


@dataclass(frozen=True)
class Limits:
    """Search limits. Prefer nodes to seconds, which make results depend on the machine.

    Attributes:
        nodes: maximum number of branch-and-bound nodes over all searches of one topic.
        seconds: maximum wall-clock time. Hitting it adds a warning, since another machine may get
            further.
        start: time from which the seconds count (`time.perf_counter`), shared by all searches of a
            request; None for the start of each search.
        stop: called at every node; may raise to cancel the search.
    """

    nodes: int = 10_000_000
    seconds: float | None = None
    start: float | None = None
    stop: Callable[[], None] | None = None


@dataclass(frozen=True)
class Selection:
    """The chosen sentences and the proof of optimality.

    Attributes:
        chosen: indices, ascending.
        status: `optimal`, `limit` (the best set found within the limits), or the name of a selector
            without proof.
        objective: the value of the set (nan for selectors without an objective).
        bound: an upper bound on the value of every allowed set.
        gap: (bound - objective) / max(|objective|, 1e-10); 0 for a proved optimum.
        nodes: number of branch-and-bound nodes.
        seconds_build, seconds_solve: times to build and to solve the model.
        warnings: warnings for the user.
        order: the chosen sentences in the order in which a selector without an objective took them.
        problem: the solved problem, if recorded by the pipeline.
    """

    chosen: tuple[int, ...]
    status: str
    objective: float = nan
    bound: float = nan
    gap: float = nan
    nodes: int = 0
    seconds_build: float = 0.0
    seconds_solve: float = 0.0
    warnings: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    problem: Problem | None = field(default=None, compare=False, repr=False)

    def after(self, first: "Selection") -> "Selection":
        """Return the selection with the nodes, times and warnings of an earlier one added."""
        return replace(
            self,
            nodes=first.nodes + self.nodes,
            seconds_build=first.seconds_build + self.seconds_build,
            seconds_solve=first.seconds_solve + self.seconds_solve,
            warnings=tuple(dict.fromkeys((*first.warnings, *self.warnings))),
        )


def _indexed(
    concepts: Iterable[Iterable[Hashable]],
    price: Callable[[Any], float] | None,
) -> dict[str, Any]:
    """Return `starts`, `concepts` and `weights` of a problem."""
    numbers = Numbers[Hashable]()
    rows = [dict.fromkeys(row) for row in concepts]
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    flat = numbers.of(chain.from_iterable(rows))
    weights = np.full(len(numbers), 1.0 / max(1, len(rows)))
    if price is not None:
        weights = np.array([*map(price, numbers)], dtype=np.float64)
    return {"starts": starts, "concepts": flat, "weights": weights}


def _errors(problem: Problem) -> Iterator[str]:
    """Yield what is wrong with a problem, and what was expected."""
    n, rows = len(problem), len(problem.starts) - 1
    limits = {"second_lengths": problem.second_limit, "documents": problem.document_limit}
    for name in ("relevance", "second_lengths", "documents"):
        length = len(getattr(problem, name))
        may_be_missing = limits.get(name, n) is None
        if length != n and (length or not may_be_missing):
            yield f"{n} sentences but {length} values of {name}; expected one for each sentence"
    concepts, weights, relevance = problem.concepts, problem.weights, problem.relevance
    has_weights = concepts.min(initial=0) >= 0 and concepts.max(initial=-1) < len(weights)
    checks = (
        (rows == n, f"{n} lengths but concepts of {rows} sentences"),
        (has_weights, "a concept has no weight; expected ids below the number of weights"),
        (
            problem.words.min(initial=1) >= 1,
            "a sentence has no words; expected at least one word in each",
        ),
        (
            problem.capacity <= MOST_WORDS,
            f"a limit of {problem.limit:,} words; expected at most {MOST_WORDS:,}",
        ),
        # Written this way, nan is outside, too.
        (
            np.all((relevance >= 0) & (relevance <= 1)),
            "relevance outside [0, 1] (or nan); normalise it per topic first",
        ),
        (
            np.all((weights >= 0) & np.isfinite(weights)),
            "a concept has a negative or infinite weight; clip learned weights at 0",
        ),
    )
    yield from (error for is_right, error in checks if not is_right)
    for i in chain(problem.include, problem.exclude, *problem.groups, *problem.requires):
        if not 0 <= i < n:
            yield f"there is no sentence {i}; expected an index from 0 to {n - 1}"
