"""Selectors: the interface, the ILP, the two greedy methods, and why a sentence was left out."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TypeVar

import numpy as np

from features.arrays import Floats
from features.embeddings import Embeddings
from features.text import Passage
from ilpsum.errors import counted
from ilpsum.files.records import Table
from ilpsum.records import Sentence, Topic
from ilpsum.selection.problem import Limits, Problem, Selection
from ilpsum.selection.solving import gain, select

# Values that differ by less are equal up to rounding.
_SAME = 1e-9
_DECIMALS = 12


class Parameters(Table, frozen=True):
    """The parameters of a selector: a subclass has a field for each, with its default, and its
    range and line of help as a `Help`.
    """


_Parameters = TypeVar("_Parameters", bound=Parameters)


@dataclass(frozen=True)
class SelectorSettings:
    """User settings; each selector reads the ones that apply to it.

    Attributes:
        parameters: the selector's own parameters, of its class `Selector.parameters`.
        threshold: maximum cosine with a sentence already chosen (`greedy`).
        seed: random seed (`random`).
        solver: a key of `ilpsum.selection.SOLVERS` (`ilp`).
        limits: limits of the search for a proved optimum (`ilp`).
    """

    threshold: float = 0.4
    seed: int = 1
    solver: str = "highs"
    limits: Limits = Limits()  # noqa: RUF009  # frozen
    parameters: Parameters = Parameters()  # noqa: RUF009

    def of(self, kind: type[_Parameters]) -> _Parameters:
        """Return the parameters of a selector's class; its defaults if others were given."""
        return self.parameters if isinstance(self.parameters, kind) else kind()


@dataclass(frozen=True, eq=False)
class Pool:
    """The input of a selector.

    Attributes:
        topic: the topic, with gold summaries if it has any.
        sentences: the n candidates, with predicted relevance.
        passages: (n,) the candidates' words and stems.
        problem: limits and rules; also concepts and weights for a selector with an objective.
        stems: whether words are compared as stems.
        staged: whether sentences chosen under stricter rules are kept.
        embeddings: word vectors, for a selector with `needs_embeddings`.
    """

    topic: Topic
    sentences: tuple[Sentence, ...]
    passages: Sequence[Passage]
    problem: Problem
    stems: bool = False
    staged: bool = False
    embeddings: Embeddings | None = None

    def __len__(self) -> int:
        return len(self.sentences)

    def alone(self) -> list[int]:
        """Return the candidates that a selector of another package may take one by one; see
        `Problem.alone`.
        """
        return self.problem.alone()

    def may_add(self, chosen: Collection[int], i: int) -> bool:
        """Whether adding candidate i, one of `alone`, to the chosen ones satisfies all limits and
        rules.
        """
        return self.problem.rivals(i).isdisjoint(chosen) and self.problem.fits([*chosen, i])

    def best_first(self, values: Callable[[list[int]], Floats]) -> list[int]:
        """Repeatedly take the candidate of the highest value until none may be added, starting from
        those that must be chosen.

        `values` returns the (n,) values of all candidates, given the indices of the chosen ones in
        the order in which they were taken; -inf for a candidate that must not be taken now. Equal
        values, up to rounding, go to the earlier candidate.
        """
        chosen = sorted(self.problem.with_required(self.problem.include))
        candidates = self.problem.alone()
        while True:
            # A sentence that does not fit beside these does not fit beside more.
            candidates = [i for i in candidates if i not in chosen and self.may_add(chosen, i)]
            scores = np.round(values(chosen), _DECIMALS)[candidates]
            if scores.max(initial=-np.inf) == -np.inf:
                return chosen
            chosen.append(candidates[int(scores.argmax())])


class Selector(ABC):
    """A selection method; subclasses define `name` and `select`.

    Attributes:
        name: the value of a system's `method`, and the status of its selections.
        parameters: the class of its parameters, which a system's file sets in a table of the
            selector's name.
        needs_relevance: whether it uses predicted relevance, so that its system needs a model.
        needs_embeddings: whether it uses word vectors.
        has_objective: whether it is an `ObjectiveSelector`.
        is_exact: whether it proves optimality with a solver.
        tunes: the parameter varied by training and sweeps: `lambda`, `threshold`, or empty.
        is_random: whether its choice depends on the seed.
        copies: whether it supplies its own text (`candidates`) instead of choosing sentences.
        chooses_citances: whether a baseline also chooses among the sentences that cite the paper.
    """

    name: str
    parameters: type[Parameters] = Parameters
    needs_relevance: bool = False
    needs_embeddings: bool = False
    has_objective: bool = False
    is_exact: bool = False
    tunes: str = ""
    is_random: bool = False
    copies: bool = False
    chooses_citances: bool = False

    def candidates(
        self,
        topic: Topic,  # noqa: ARG002
        words: int,  # noqa: ARG002
        fits: Callable[[str], bool],  # noqa: ARG002
    ) -> tuple[Sentence, ...] | None:
        """Return the selector's own text for a topic; None if it chooses among the system's
        candidates.

        The text has at most `words` words; `fits` returns whether a text is within the format's
        other limits.
        """
        return None

    @abstractmethod
    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:
        """Return the chosen candidates, which satisfy all limits and rules of the pool's problem.

        Raises:
            SolverError: the solver is missing or failed.
            UsageError: the topic lacks what the selector needs.
        """

    def left_out(
        self,
        pool: Pool,
        i: int,
        names: Mapping[int, str],
        settings: SelectorSettings,  # noqa: ARG002
    ) -> str:
        """Return why a candidate that no rule excludes was left out.

        `names` has what to call each chosen candidate, in the order of the text.
        """
        return Exchange(pool.problem, i, names).full() or "this selector preferred others"


def one_by_one(
    name: str,
    chosen: Collection[int],
    seconds: float = 0.0,
    warnings: tuple[str, ...] = (),
) -> Selection:
    """Return a selection without an objective or a proof; `chosen` is in the order of choice."""
    return Selection(
        chosen=tuple(sorted(chosen)),
        status=name,
        seconds_solve=seconds,
        warnings=warnings,
        order=tuple(chosen),
    )


class Exchange:
    """The words needed to add a sentence to the chosen ones, and the words left; `names` as in
    `left_out`.
    """

    def __init__(self, problem: Problem, i: int, names: Mapping[int, str]) -> None:
        self.problem, self.chosen, self.names = problem, set(names), names
        self.added = problem.with_required({i})
        new = self.added - self.chosen
        self.words = int(problem.words[list(new)].sum())
        self.left = problem.limit - int(problem.words[list(self.chosen)].sum())
        it = "it and the sentence before it, which it needs, have" if new - {i} else "it has"
        # Why the sentence fits no selection (empty if it does), and why it does not fit this one.
        no_room = f"no room: {it} {counted(self.words, 'word')}"
        self.too_long = ""
        if self.words > problem.limit:
            self.too_long = f"{no_room}, more than the limit of {problem.limit}"
        self.short = f"{no_room}, {self.left} of {problem.limit} are left"

    def full(self) -> str:
        """Return why the words left do not suffice; empty if they do."""
        return self.too_long or (self.short if self.words > self.left else "")

    def outweighed(self, why: str, *, staged: bool) -> str:
        """Return how the objective changes if the sentence is added, or at best replaces a chosen
        one.

        `why` explains why a better set was not found. In a `staged` selection, sentences chosen
        under stricter rules cannot be replaced by sentences that only weaker rules allow.
        """
        if self.too_long:
            return self.too_long
        before, more = self.problem.value(self.chosen), self.chosen | self.added
        if self.problem.allows(more):
            if self.problem.value(more) - before > _SAME:
                return f"would add to the value of the answer, but {why}"
            if self.problem.word_cost:
                return "adds less to the answer than its words cost"
            return "adds nothing to the answer"
        room = self.short
        if self.words <= self.left:
            room = "no room: the format limits sentences or their length in its own count"
        problem = replace(self.problem, include=()) if staged else self.problem
        exchanges = dict[str, float]()
        for k, name in self.names.items():
            exchanged = (self.chosen - {k}) | self.added
            if problem.allows(exchanged):
                exchanges[name] = problem.value(exchanged)
        if not self.chosen:
            return room
        if not exchanges:
            after = " after the first, which are kept" if problem.include else ""
            return f"{room}, even in place of any one chosen sentence{after}"
        # The first in the text of equally good ones.
        name = max(exchanges, key=exchanges.__getitem__)
        why = "sentences under stricter rules came first" if staged else why
        change = _change(exchanges[name], before, why)
        return f"{room}; in place of {name} it would {change}"


def _change(value: float, before: float, why: str) -> str:
    """Describe the change of the objective from `before` to `value`; `why` explains a missed
    increase.
    """
    share = abs(value - before) / max(abs(before), 1e-10)
    size = f"{share:.1%}" if share >= 0.0005 else "less than 0.1%"
    if value > before + _SAME:
        return f"raise the value of the answer by {size}, but {why}"
    if value < before - _SAME:
        return f"lower the value of the answer by {size}"
    return "leave its value as it is"


class ObjectiveSelector(Selector):
    """A selector that maximises the ILP's objective, with its lambda, alpha, concepts and word
    cost.

    Subclasses define `solve` instead of `select`, and give in `falls_short` the reason why they may
    miss a better set.
    """

    needs_relevance = has_objective = True
    tunes = "lambda"
    falls_short: str = ""

    @abstractmethod
    def solve(self, problem: Problem, settings: SelectorSettings) -> Selection:
        """Return the chosen sentences of a problem; errors as for `select`."""

    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:
        """Return the chosen candidates."""
        return self.solve(pool.problem, settings)

    def left_out(
        self,
        pool: Pool,
        i: int,
        names: Mapping[int, str],
        settings: SelectorSettings,  # noqa: ARG002
    ) -> str:
        """Return how the objective changes if a candidate is added or replaces a chosen one."""
        return Exchange(pool.problem, i, names).outweighed(self.falls_short, staged=pool.staged)


class Ilp(ObjectiveSelector):
    """The exact optimum of the ILP; see `ilpsum.selection.select`."""

    name = "ilp"
    is_exact = True
    falls_short = "the search was stopped before the proof"

    def solve(self, problem: Problem, settings: SelectorSettings) -> Selection:
        """Return the optimum with its proof."""
        return select(problem, solver=settings.solver, limits=settings.limits)


class Gain(ObjectiveSelector):
    """Greedy on the objective of the ILP; see `ilpsum.selection.gain`."""

    name = "gain"
    falls_short = "this selector takes sentences one by one"

    def solve(self, problem: Problem, settings: SelectorSettings) -> Selection:  # noqa: ARG002
        """Return the selection by gain per word."""
        return gain(problem)


def cosine(first: Collection[Hashable], second: Collection[Hashable]) -> float:
    """Return the cosine of two sets of words, |A & B| / sqrt(|A| |B|); 0 if either is empty."""
    one, other = frozenset(first), frozenset(second)
    return len(one & other) / sqrt(len(one) * len(other)) if one and other else 0.0


def greedy(
    relevance: Sequence[float],
    bags: Sequence[Collection[Hashable]],
    problem: Problem,
    threshold: float = 0.4,
) -> Selection:
    """GR-SUM's selection (Malakasiotis et al. 2015): by decreasing relevance, skipping redundant
    sentences.

    A sentence is skipped if its cosine with any chosen sentence exceeds the threshold, or if a
    group of the problem excludes it. As published, the first non-redundant sentence that does not
    fit the limits ends the selection. Sentences that do not fit even an empty summary are dropped
    beforehand, so they cannot end the selection before it starts.

    Args:
        relevance: (n,) predicted relevance, on any scale; ties go to the earlier sentence.
        bags: (n,) the words of each sentence; repetitions count once.
        problem: limits and rules of n sentences; its objective is not used, and sentences that
            require others are never taken.
        threshold: cosine above which a sentence is redundant.
    """
    start = time.perf_counter()
    sets = [frozenset(bag) for bag in bags]
    fitting = [i for i in problem.alone() if problem.fits([i])]
    chosen = list[int]()
    for i in sorted(fitting, key=lambda i: (-relevance[i], i)):
        is_redundant = any(cosine(sets[i], sets[k]) > threshold for k in chosen)
        if is_redundant or not problem.rivals(i).isdisjoint(chosen):
            continue
        if not problem.fits([*chosen, i]):
            break
        chosen.append(i)
    warnings = tuple[str, ...]()
    if sets and not chosen:
        warnings = (f"every sentence exceeds {counted(problem.limit, 'word')}",)
    return one_by_one("greedy", chosen, time.perf_counter() - start, warnings)


class Greedy(Selector):
    """The greedy baseline as published; see `greedy`."""

    name = "greedy"
    needs_relevance = True
    tunes = "threshold"

    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:
        """Return the most relevant sentences that are not redundant."""
        relevance = [sentence.relevance for sentence in pool.sentences]
        bags = [passage.words for passage in pool.passages]
        return greedy(relevance, bags, pool.problem, settings.threshold)

    def left_out(
        self,
        pool: Pool,
        i: int,
        names: Mapping[int, str],
        settings: SelectorSettings,
    ) -> str:
        """Return whether the candidate was redundant, did not fit, or came after the end of the
        selection.
        """
        close = {k: cosine(pool.passages[i].words, pool.passages[k].words) for k in names}
        k = max(close, key=lambda k: close[k], default=i)
        if close.get(k, 0.0) > settings.threshold:
            same = f"says the same as {names[k]}"
            return f"{same} (cosine {close[k]:.2f}, allowed {settings.threshold:g})"
        room = Exchange(pool.problem, i, names)
        if not room.too_long and len(room.added) > 1:
            return "needs the sentence before it, and this selector takes sentences one by one"
        ended = "a more relevant sentence that did not fit ended the selection"
        return room.full() or ended
