"""GR-SUM's selection (Malakasiotis et al. 2015): by decreasing relevance, skipping redundant sentences."""

import time
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from math import sqrt

from ilpsum.errors import counted
from ilpsum.records import notices
from ilpsum.selection.base import Exchange, Pool, Selector, SelectorSettings, one_by_one
from ilpsum.selection.problem import Selection


def cosine(first: Collection[Hashable], second: Collection[Hashable]) -> float:
    """Return the cosine of two sets of words, |A & B| / sqrt(|A| |B|); 0 if either is empty."""
    one, other = frozenset(first), frozenset(second)
    return len(one & other) / sqrt(len(one) * len(other)) if one and other else 0.0


def greedy(
    relevance: Sequence[float],
    words: Sequence[int],
    bags: Sequence[Collection[Hashable]],
    limit: int,
    threshold: float = 0.4,
    allowed: Collection[int] | None = None,
    groups: Iterable[Collection[int]] = (),
    fits: Callable[[Collection[int]], bool] | None = None,
) -> Selection:
    """Take sentences by decreasing relevance, skipping any too similar to one already taken.

    A sentence is skipped if its cosine with any chosen sentence exceeds the threshold. As published, the first
    non-redundant sentence that does not fit ends the selection. Sentences that do not fit even an empty summary are
    dropped beforehand, so they cannot end the selection before it starts.

    Args:
        relevance: (n,) predicted relevance, on any scale; ties go to the earlier sentence.
        words: (n,) lengths in words.
        bags: (n,) the words of each sentence; repetitions count once.
        limit: maximum number of words.
        threshold: cosine above which a sentence is redundant.
        allowed: indices of sentences that may be taken; None for all.
        groups: sets of mutually exclusive sentences (variants or redundant ones).
        fits: whether a set of sentences is within further limits; the first violation ends the selection.
    """
    start = time.perf_counter()
    sets = [frozenset(bag) for bag in bags]
    chosen: list[int] = []
    left = limit
    candidates = range(len(relevance)) if allowed is None else sorted(allowed)
    fitting = [i for i in candidates if words[i] <= limit and (fits is None or fits([i]))]
    groups_of: dict[int, set[int]] = {}
    for number, members in enumerate(groups):
        for i in members:
            groups_of.setdefault(i, set()).add(number)
    taken: set[int] = set()
    for i in sorted(fitting, key=lambda i: (-relevance[i], i)):
        own = groups_of.get(i, set())
        if own & taken or any(cosine(sets[i], sets[k]) > threshold for k in chosen):
            continue
        if words[i] > left or (fits and not fits([*chosen, i])):
            break
        chosen.append(i)
        left -= words[i]
        taken |= own
    warnings = () if chosen or not len(relevance) else (f"every sentence exceeds {counted(limit, 'word')}",)
    return one_by_one("greedy", chosen, time.perf_counter() - start, warnings)


class Greedy(Selector):
    """The greedy baseline as published; see `greedy`. Sentences that require another one are never taken."""

    name, title = "greedy", "greedy selection"
    needs_relevance = True
    tunes = "threshold"

    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:
        """Return the most relevant sentences that are not redundant."""
        return greedy(
            [s.relevance for s in pool.sentences],
            pool.problem.words.tolist(),
            [passage.words for passage in pool.passages],
            pool.problem.limit,
            settings.threshold,
            pool.alone(),
            pool.problem.groups,
            pool.problem.fits,
        )

    def left_out(self, pool: Pool, i: int, numbers: Mapping[int, int], settings: SelectorSettings) -> str:
        """Return whether the candidate was redundant, did not fit, or came after the end of the selection."""
        own, bags = set(pool.passages[i].words), pool.passages
        close = {k: cosine(own, set(bags[k].words)) for k in numbers}
        k = max(close, key=lambda k: close[k], default=i)
        if close.get(k, 0.0) > settings.threshold:
            return notices.TooClose(numbers[k], close[k], settings.threshold)
        room = Exchange(pool.problem, i, numbers)
        if not room.too_long and len(room.added) > 1:
            return notices.NeedsPredecessor()
        return room.full() or notices.SelectionEnded()
