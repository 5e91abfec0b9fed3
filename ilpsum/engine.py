"""Topics over processes: each result in the order of the topics, memory for a few of them, whatever their number."""

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

# The work of this process, set once when it starts: a model is not sent again with every topic.
_work: Callable[[Any], Any] | None = None


def map_in_order(work: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1) -> Iterator[Result]:
    """`map(work, items)` over processes; lazily, with at most four items a process under way.

    Args:
        work: what is done with an item; it and its results must be picklable.
        items: taken one by one as places become free.
        jobs: processes; 1 works in this one.
    """
    if jobs <= 1:
        yield from map(work, items)
        return
    import multiprocessing

    # A forked child would share this process's threads' locks (progress bars, solvers); a spawned one starts clean.
    spawn = multiprocessing.get_context("spawn")
    pending: deque[Future[Any]] = deque()
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=_start, initargs=(work,)) as pool:
        try:
            for item in items:
                with _interrupts_ignored():
                    pending.append(pool.submit(_run, item))
                if len(pending) >= 4 * jobs:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Processes started meanwhile ignore Ctrl-C: it is this process that ends them, without a traceback from each."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)


def _start(work: Callable[[Any], Any]) -> None:
    global _work
    _work = work


def _run(item: Any) -> Any:
    if _work is None:
        raise RuntimeError("a worker process without its work")
    return _work(item)
