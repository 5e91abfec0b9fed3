"""Work on a stream of chunks in several processes, results in the order of the input."""

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any, TypeVar

from ilpsum.errors import IlpsumError

Given = TypeVar("Given")
Made = TypeVar("Made")


def chunks(items: Iterable[Given], size: int) -> Iterator[list[Given]]:
    """Lists of `size` items, the last may be shorter."""
    stream = iter(items)
    while chunk := list(islice(stream, size)):
        yield chunk


def in_order(
    work: Callable[[Given], Made],
    given: Iterable[Given],
    jobs: int,
    prepare: Callable[..., None],
    metadata: tuple[Any, ...],
) -> Iterator[Made]:
    """Yields `work(x)` for each x given, in order, a few ahead of the reader at most.

    Args:
        work: a function of a module.
        given: read as it is needed.
        jobs: processes; 1 works in this one.
        prepare: called once in each process with `facts` before its first work.
        metadata: what the processes need.

    Raises:
        IlpsumError: a process died (out of memory, killed).
    """
    if jobs == 1:
        prepare(*metadata)
        yield from map(work, given)
        return
    # Spawned, since a fork would copy the threads' locks of a process that has any.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=prepare, initargs=metadata) as pool:
        waiting: deque[Future[Made]] = deque()
        try:
            for item in given:
                waiting.append(pool.submit(work, item))
                if len(waiting) > 2 * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise IlpsumError("a process broke off (killed, or out of memory); try fewer --jobs") from None
        finally:
            for future in waiting:
                future.cancel()
