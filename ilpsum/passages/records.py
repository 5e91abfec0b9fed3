"""The chosen passages and the proof of their value."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence of a text, verbatim.

    Attributes:
        text: `texts[i][start:end]`, character by character.
        source: the index of a string, or the id of a document.
        start, end: its span in the source's text, in Unicode code points, end exclusive.
        relevance: predicted by the model, or what `relevance` returned for it.
        cost: what `count` returned for it alone.
        why: the reason for choosing it; empty before the selection.
    """

    text: str
    source: int | str
    start: int
    end: int
    relevance: float
    cost: float
    why: str = ""


@dataclass(frozen=True)
class Passages(Sequence[Passage]):
    """The chosen passages in source order: a sequence, with the proof of their value.

    Attributes:
        chosen: the passages, in the order of the texts and of each text.
        cost: what `count` returned for `text`; never above `budget`.
        budget: as given.
        limit: of the program that was solved, to which the proof refers: the most that the passages may add, each to
            the one before it. `budget`, less what a passage costs alone beyond what it adds, or lower.
        objective: the value of the selection.
        bound: an upper bound on the value of every selection that keeps `limit` and the constraints.
        gap: (bound - objective) / objective; 0 for a proved optimum.
        status: `optimal`, or `limit` if the proof was given up at the node limit.
        nodes: nodes of branch and bound.
    """

    chosen: tuple[Passage, ...]
    cost: float
    budget: float
    limit: float
    objective: float = 0.0
    bound: float = 0.0
    gap: float = 0.0
    status: str = "optimal"
    nodes: int = 0
    separator: str = " "
    warnings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The passages, joined by the separator: the text that the budget limits."""
        return self.separator.join(passage.text for passage in self.chosen)

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self.chosen)

    @overload
    def __getitem__(self, index: int) -> Passage: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Passage]: ...
    def __getitem__(self, index: int | slice) -> Passage | Sequence[Passage]:
        return self.chosen[index]
