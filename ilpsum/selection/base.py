"""Selectors as values: what one is, what it sees, what it is set to."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import nan

from features.text import Passage
from ilpsum.records import Sentence, Topic
from ilpsum.selection.exchange import Exchange
from ilpsum.selection.problem import Limits, Problem, Selection


@dataclass(frozen=True)
class SelectorSettings:
    """What a user may set of a selector; each reads what concerns it.

    Attributes:
        threshold: largest cosine with a sentence already chosen (`greedy`).
        seed: of random numbers (`random`).
        solver: a name of `ilpsum.selection.SOLVERS` (`ilp`).
        limits: when to give up a proof.
        fallback: whether to select greedily, with a warning, if the solver is missing or fails.
    """

    threshold: float = 0.4
    seed: int = 1
    solver: str = "highs"
    limits: Limits = Limits()  # noqa: RUF009  # frozen
    fallback: bool = False


@dataclass(frozen=True, eq=False)
class Pool:
    """What a selector chooses from.

    Attributes:
        topic: with its gold summaries if it has any.
        sentences: the n candidates, with their predicted relevance.
        passages: (n,) the candidates with their words and stems.
        problem: limits and rules; concepts and weights too for a selector with an objective.
        stems: whether words are compared by their stems.
        staged: whether sentences chosen under stricter rules stay in.
    """

    topic: Topic
    sentences: tuple[Sentence, ...]
    passages: Sequence[Passage]
    problem: Problem
    stems: bool = False
    staged: bool = False

    def alone(self) -> list[int]:
        """Return the candidates that may be chosen without another one, for a selector that knows no pairs."""
        out = {*self.problem.exclude, *(i for i, _ in self.problem.requires)}
        return [i for i in range(len(self.sentences)) if i not in out]

    def may_add(self, chosen: Collection[int], i: int) -> bool:
        """Whether one of `alone` keeps all limits and rules beside those chosen."""
        rivals = {k for group in self.problem.groups if i in group for k in group}
        return rivals.isdisjoint(chosen) and self.problem.fits([*chosen, i])


class Selector(ABC):
    """A way to choose sentences; a subclass has a `name` and a `select`.

    Attributes:
        name: the value of a system's `method`, and the status of its selections.
        title: how a report names it; empty for a baseline.
        needs_relevance: whether it chooses by predicted relevance, so that its system needs a model.
        has_objective: whether it is an `ObjectiveSelector`.
        is_exact: whether it proves its optimum by a solver.
        tunes: the parameter that training and sweeps vary: `lambda`, `threshold`, or none.
        is_random: whether its choice depends on the seed.
        copies: whether it copies text of its own (`candidates`) in place of choosing sentences.
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
        """Return the selector's own text of a topic; None if it chooses among the candidates of its system.

        The text has at most `words` words, and `fits` says whether it keeps the format's other limits.
        """
        return None

    @abstractmethod
    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:
        """Return the chosen candidates, which keep all limits and rules of the pool's problem.

        Raises:
            SolverError: the solver is missing or failed.
            UsageError: the topic lacks what the selector needs.
        """

    def left_out(self, pool: Pool, i: int, numbers: Mapping[int, int], settings: SelectorSettings) -> str:  # noqa: ARG002
        """Return why a candidate that no rule excludes was left out.

        `numbers` has the chosen candidates, each with its number in the text.
        """
        return Exchange(pool.problem, i, numbers).full() or "this selector preferred others"


def one_by_one(name: str, chosen: Collection[int], seconds: float = 0.0, warnings: tuple[str, ...] = ()) -> Selection:
    """Return a selection without an objective or a proof."""
    return Selection(tuple(sorted(chosen)), nan, nan, nan, name, name, name, seconds_solve=seconds, warnings=warnings)
