"""Selector interface: the candidate pool, the settings, and why a sentence was left out."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan

from features.text import Passage
from ilpsum.records import Sentence, Topic, notices
from ilpsum.selection.problem import Limits, Problem, Selection

# Values that differ by less are equal up to rounding.
_SAME = 1e-9


@dataclass(frozen=True)
class SelectorSettings:
    """User settings; each selector reads the ones that apply to it.

    Attributes:
        threshold: maximum cosine with a sentence already chosen (`greedy`).
        seed: random seed (`random`).
        solver: a key of `ilpsum.selection.SOLVERS` (`ilp`).
        limits: limits of the search for a proved optimum (`ilp`).
        fallback: whether to select greedily, with a warning, if the solver is missing or fails (`ilp`).
    """

    threshold: float = 0.4
    seed: int = 1
    solver: str = "highs"
    limits: Limits = Limits()  # noqa: RUF009  # frozen
    fallback: bool = False


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
    """

    topic: Topic
    sentences: tuple[Sentence, ...]
    passages: Sequence[Passage]
    problem: Problem
    stems: bool = False
    staged: bool = False

    def alone(self) -> list[int]:
        """Return the indices of candidates that require no other one, for selectors without support for `requires`."""
        out = {*self.problem.exclude, *(i for i, _ in self.problem.requires)}
        return [i for i in range(len(self.sentences)) if i not in out]

    def may_add(self, chosen: Collection[int], i: int) -> bool:
        """Whether adding candidate i, one of `alone`, to the chosen ones satisfies all limits and rules."""
        rivals = {k for group in self.problem.groups if i in group for k in group}
        return rivals.isdisjoint(chosen) and self.problem.fits([*chosen, i])


class Selector(ABC):
    """A selection method; subclasses define `name` and `select`.

    Attributes:
        name: the value of a system's `method`, and the status of its selections.
        title: name in reports; empty for a baseline.
        needs_relevance: whether it uses predicted relevance, so that its system needs a model.
        has_objective: whether it is an `ObjectiveSelector`.
        is_exact: whether it proves optimality with a solver.
        tunes: the parameter varied by training and sweeps: `lambda`, `threshold`, or empty.
        is_random: whether its choice depends on the seed.
        copies: whether it supplies its own text (`candidates`) instead of choosing sentences.
    """

    name: str
    title: str = ""
    needs_relevance: bool = False
    has_objective: bool = False
    is_exact: bool = False
    tunes: str = ""
    is_random: bool = False
    copies: bool = False

    def candidates(self, topic: Topic, words: int, fits: Callable[[str], bool]) -> tuple[Sentence, ...] | None:  # noqa: ARG002
        """Return the selector's own text for a topic; None if it chooses among the system's candidates.

        The text has at most `words` words; `fits` returns whether a text is within the format's other limits.
        """
        return None

    @abstractmethod
    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:
        """Return the chosen candidates, which satisfy all limits and rules of the pool's problem.

        Raises:
            SolverError: the solver is missing or failed.
            UsageError: the topic lacks what the selector needs.
        """

    def left_out(self, pool: Pool, i: int, numbers: Mapping[int, int], settings: SelectorSettings) -> str:  # noqa: ARG002
        """Return why a candidate that no rule excludes was left out.

        `numbers` maps the chosen candidates to their numbers in the text.
        """
        return Exchange(pool.problem, i, numbers).full() or notices.OthersPreferred()


def one_by_one(name: str, chosen: Collection[int], seconds: float = 0.0, warnings: tuple[str, ...] = ()) -> Selection:
    """Return a selection without an objective or a proof."""
    return Selection(tuple(sorted(chosen)), nan, nan, nan, name, name, name, seconds_solve=seconds, warnings=warnings)


def with_required(problem: Problem, i: int) -> set[int]:
    """Return a sentence and all sentences that it requires, transitively."""
    required, found = dict(problem.requires), {i}
    while (k := required.get(i)) is not None and k not in found:
        found.add(i := k)
    return found


class Exchange:
    """The words needed to add a sentence to the chosen ones, and the words left; `numbers` as in `left_out`."""

    def __init__(self, problem: Problem, i: int, numbers: Mapping[int, int]) -> None:
        self.problem, self.chosen, self.numbers = problem, set(numbers), numbers
        self.added = with_required(problem, i)
        new = self.added - self.chosen
        self.words = int(problem.words[list(new)].sum())
        self.left = problem.limit - int(problem.words[list(self.chosen)].sum())
        it = "it and the sentence before it, which it needs, have" if new - {i} else "it has"
        # Why the sentence fits no selection (empty if it does), and why it does not fit this one.
        self.too_long = notices.TooLong(it, self.words, problem.limit) if self.words > problem.limit else ""
        self.short = notices.NoRoom(it, self.words, self.left, problem.limit)

    def full(self) -> str:
        """Return why the words left do not suffice; empty if they do."""
        return self.too_long or (self.short if self.words > self.left else "")

    def outweighed(self, why: str, *, staged: bool) -> str:
        """Return how the objective changes if the sentence is added, or at best replaces a chosen one.

        `why` explains why a better set was not found. In a `staged` selection, sentences chosen under stricter rules
        cannot be replaced by sentences that only weaker rules allow.
        """
        if self.too_long:
            return self.too_long
        before = self.problem.value(self.chosen)
        if self.problem.allows(self.chosen | self.added):
            if self.problem.value(self.chosen | self.added) - before > _SAME:
                return notices.WouldAdd(why)
            return notices.WordsCostMore() if self.problem.word_cost else notices.AddsNothing()
        room = notices.NoRoomInFormat() if self.words <= self.left else self.short
        problem = replace(self.problem, include=()) if staged else self.problem
        sets = {k: (self.chosen - {k}) | self.added for k in self.chosen}
        exchanges = [(problem.value(s), -self.numbers[k]) for k, s in sets.items() if problem.allows(s)]
        if not exchanges:
            after = " after the first, which are kept" if problem.include else ""
            return notices.NoExchange(room, after) if self.chosen else room
        best, number = max(exchanges)
        why = "sentences under stricter rules came first" if staged else why
        return notices.InPlaceOf(room, -number, _change(best, before, why))


def _change(value: float, before: float, why: str) -> str:
    """Describe the change of the objective from `before` to `value`; `why` explains a missed increase."""
    share = abs(value - before) / max(abs(before), 1e-10)
    size = f"{share:.1%}" if share >= 0.0005 else "less than 0.1%"
    if value > before + _SAME:
        return f"raise the value of the answer by {size}, but {why}"
    return f"lower the value of the answer by {size}" if value < before - _SAME else "leave its value as it is"
