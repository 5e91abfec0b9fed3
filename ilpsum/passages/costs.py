"""What texts cost: by words or the tokens of a model; alone, joined, and in the whole units of the exact search."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from math import ceil, floor
from numbers import Real
from pathlib import Path

from features.registry import Registry
from ilpsum.errors import ArgumentError
from ilpsum.io.progress import Progress, no_progress

Count = Callable[[str], float]

COUNTS: Registry[Callable[[str], Count]] = Registry("count")
"""How a cost is counted, by the part of its name before the colon, given the rest."""

# Fractional costs, and those of a budget of more units than this, are rounded up to a share of the budget.
_FINEST, _MOST_UNITS = 1e-4, 2**50

LARGEST = sys.float_info.max
"""A larger number is not finite here: a whole number may be too large for a float."""


@dataclass(frozen=True)
class Costs:
    """The costs of n passages that a joined text is made of.

    Costs need not be additive: characters of the separator count, a tokenizer may add special tokens to every text or
    merge letters over a join. So each passage has two costs: alone, and what it adds to the passage before it. A joined
    text is taken to cost `start` plus what its passages add, and is counted again after the selection.

    Attributes:
        alone: (n,) the cost of each passage.
        added: (n,) the cost of the preceding candidate and the passage, joined, less that of the preceding one.
        budget: the most that a joined text may cost.
    """

    alone: tuple[float, ...]
    added: tuple[float, ...]
    budget: float

    @cached_property
    def start(self) -> float:
        """The most by which a passage costs more alone than it adds."""
        return max((a - b for a, b in zip(self.alone, self.added, strict=True)), default=0.0)

    @cached_property
    def unit(self) -> float:
        """The unit of the search: 1 for whole costs, else a share of the budget."""
        whole = self.budget <= _MOST_UNITS and all(cost.is_integer() for cost in (*self.alone, *self.added))
        return 1.0 if whole else self.budget * _FINEST or 1.0

    @cached_property
    def too_long(self) -> frozenset[int]:
        """The passages that exceed the budget alone."""
        return frozenset(i for i, cost in enumerate(self.alone) if cost > self.budget)

    @cached_property
    def units(self) -> tuple[int, ...]:
        """What each passage adds, rounded up to whole units, at least one; of what never fits, one more than fit."""
        most = floor(self.budget / self.unit) + 1
        return tuple(max(1, ceil(min(cost / self.unit, most))) for cost in self.added)

    @property
    def limit(self) -> int:
        """The whole units that the budget leaves for what passages add."""
        return floor((self.budget - self.start) / self.unit)

    def excess(self, cost: float) -> int:
        """Return the units by which a cost exceeds the budget, rounded up."""
        return ceil((cost - self.budget) / self.unit)


def measure(
    texts: Sequence[str], count: Count, budget: float, separator: str, progress: Progress = no_progress
) -> Costs:
    """Return the costs of n texts in the order of their sources, by 2n calls of `count`; errors as of `cost_of`."""
    alone = tuple(cost_of(text, count) for text in progress(texts, "passages counted", len(texts)))
    # The first passage is measured after the last, for want of a preceding one.
    pairs = pairwise((texts[-1], *texts)) if len(texts) > 1 else ()
    before = (alone[-1], *alone[:-1]) if alone else ()
    joined = [cost_of(separator.join(pair), count) for pair in pairs]
    added = tuple(both - first for both, first in zip(joined, before, strict=False)) or alone
    return Costs(alone, added, budget)


def cost_of(text: str, count: Count) -> float:
    """Return what `count` gives for a text, as a float; `ArgumentError` if it is not a finite number, 0 or more."""
    cost = count(text)
    if not isinstance(cost, Real) or not 0 <= cost <= LARGEST:
        quoted = text if len(text) <= 40 else f"{text[:37]}..."
        raise ArgumentError(f"count returned {cost!r:.60} for {quoted!r}; expected a finite number, 0 or more")
    return float(cost)


def counted_by(count: Count | str | None) -> Count:
    """Return what counts the cost of a text: a function as it is, or by its name; None counts words.

    Names are `words`, `tiktoken:ENCODING` and `hf:FOLDER`, a folder with the `tokenizer.json` of a model.

    Raises:
        ArgumentError: neither a function nor a name, or the tokenizer is not on this machine.
        UnknownNameError: no such name.
    """
    if isinstance(count, str):
        return _named(count)
    if count is not None and not callable(count):
        raise ArgumentError(f"count: expected a function from a text to its cost, or a name, got {count!r}")
    return count or words


@cache
def _named(name: str) -> Count:
    scheme, _, rest = name.partition(":")
    return COUNTS[scheme](rest)


def words(text: str) -> int:
    """Return the number of words of a text, as `str.split` finds them."""
    return len(text.split())


COUNTS.add("words", lambda _: words)


@COUNTS.register("tiktoken")
def _tiktoken(name: str) -> Count:
    """Count the tokens of an encoding of tiktoken, whose file must be in $TIKTOKEN_CACHE_DIR."""
    try:
        from tiktoken import get_encoding, load
    except ModuleNotFoundError:
        raise ArgumentError("count: tiktoken is not installed: pip install tiktoken") from None

    def refuse(_: str) -> bytes:
        fetched = f'python -c "import tiktoken; tiktoken.get_encoding({name!r})"'
        raise ArgumentError(f"count: {name} is not in $TIKTOKEN_CACHE_DIR; set it, and fetch the file once: {fetched}")

    # The library fetches what it lacks; nothing here asks a service that nobody named.
    fetch, load.read_file = load.read_file, refuse
    try:
        encode = get_encoding(name).encode_ordinary
    except ValueError as error:
        raise ArgumentError(f"count: {str(error).splitlines()[0]}") from None
    finally:
        load.read_file = fetch
    return lambda text: len(encode(text))


@COUNTS.register("hf")
def _hugging_face(folder: str) -> Count:
    """Count the tokens of a tokenizer of Hugging Face, special ones included, from its folder."""
    try:
        from tokenizers import Tokenizer
    except ModuleNotFoundError:
        raise ArgumentError("count: tokenizers is not installed: pip install tokenizers") from None
    path = Path(folder, "tokenizer.json")
    if not path.is_file():
        raise ArgumentError(f"count: there is no {path}; expected the folder of a model's tokenizer")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise ArgumentError(f"count: {path}: not a tokenizer: {error}") from None
    return lambda text: len(tokenizer.encode(text))
