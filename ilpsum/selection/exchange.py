"""Why a sentence was left out, compared with the set that was chosen: its words, and what it would change."""

from collections.abc import Mapping
from dataclasses import replace

from ilpsum.errors import counted
from ilpsum.selection.problem import Problem

# Values that differ by less are equal but for rounding.
_SAME = 1e-9


def with_required(problem: Problem, i: int) -> set[int]:
    """Return a sentence with those that it requires, directly or in turn."""
    required, found = dict(problem.requires), {i}
    while (k := required.get(i)) is not None and k not in found:
        found.add(i := k)
    return found


class Exchange:
    """The words that a sentence needs beside the chosen ones, given with their numbers in the text, and those left."""

    def __init__(self, problem: Problem, i: int, numbers: Mapping[int, int]) -> None:
        self.problem, self.chosen, self.numbers = problem, set(numbers), numbers
        self.added = with_required(problem, i)
        new = self.added - self.chosen
        self.words = int(problem.words[list(new)].sum())
        self.left = problem.limit - int(problem.words[list(self.chosen)].sum())
        it = "it and the sentence before it, which it needs, have" if new - {i} else "it has"
        room = f"no room: {it} {counted(self.words, 'word')}"
        # Why the sentence is in no selection, empty if it may be; and how many words are left.
        self.too_long = f"{room}, more than the limit of {problem.limit}" if self.words > problem.limit else ""
        self.short = f"{room}, {self.left} of {problem.limit} are left"

    def full(self) -> str:
        """Return that the words left do not suffice; empty if they do."""
        return self.too_long or (self.short if self.words > self.left else "")

    def outweighed(self, why: str, *, staged: bool) -> str:
        """Return what the sentence, or the best exchange of a chosen one for it, would do to the objective.

        `why` says why a better set was not found. If the selection was `staged`, sentences chosen under stricter rules
        were never up for exchange with those that weaker rules allow.
        """
        if self.too_long:
            return self.too_long
        before = self.problem.value(self.chosen)
        if self.problem.allows(self.chosen | self.added):
            if self.problem.value(self.chosen | self.added) - before > _SAME:
                return f"would add to the objective, but {why}"
            cost = "adds less to the objective than its words cost"
            return cost if self.problem.word_cost else "adds nothing to the objective"
        room = self.short
        if self.words <= self.left:
            room = "no room: the format limits sentences or their length in its own count"
        problem = replace(self.problem, include=()) if staged else self.problem
        sets = {k: (self.chosen - {k}) | self.added for k in self.chosen}
        exchanges = [(problem.value(s), -self.numbers[k]) for k, s in sets.items() if problem.allows(s)]
        if not exchanges:
            after = " after the first, which are kept" if problem.include else ""
            return f"{room}, even in place of any one chosen sentence{after}" if self.chosen else room
        best, number = max(exchanges)
        why = "sentences under stricter rules came first" if staged else why
        return f"{room}; in place of sentence {-number} it would {_change(best, before, why)}"


def _change(value: float, before: float, why: str) -> str:
    """Return what an exchange does to the objective; `why` it was not made if it raises it."""
    share = abs(value - before) / max(abs(before), 1e-10)
    size = f"{share:.1%}" if share >= 0.0005 else "less than 0.1%"
    if value > before + _SAME:
        return f"raise the objective by {size}, but {why}"
    return f"lower the objective by {size}" if value < before - _SAME else "leave the objective as it is"
