"""Topics over processes: each result in the order of the topics, memory for a few of them, whatever their number."""

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ilpsum.errors import IlpsumError

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")

# The work of this process, set once when it starts: a model is not sent again with every topic.
_work: Callable[[Any], Any] | None = None


class Engine(Protocol):
    """What does the same with many items: this process, several of this machine, or a cluster."""

    def map(
        self,
        work: Callable[[Item], Result],
        items: Iterable[Item],
        lost: Callable[[Item, str], Result] | None = None,
    ) -> Iterator[Result]:
        """`map(work, items)`; lazily, a bounded number of items under way, the results in the order of the items.

        Args:
            work: what is done with an item; it, its items and its results must be picklable.
            items: taken one by one as places become free.
            lost: the result of an item at which the machines that work at it die again and again, and why; without
                it such an item ends the work.

        Raises:
            IlpsumError: the machinery failed; what the work itself raises is raised as it is.
        """


@dataclass(frozen=True)
class Processes:
    """The processes of this machine, with at most four items each under way.

    Attributes:
        jobs: how many; 1 works in this one.
    """

    jobs: int = 1

    def map(
        self,
        work: Callable[[Item], Result],
        items: Iterable[Item],
        lost: Callable[[Item, str], Result] | None = None,  # noqa: ARG002  # a process that dies ends the pool
    ) -> Iterator[Result]:
        """See `Engine.map`."""
        return map(partial(steadily, work), items) if self.jobs <= 1 else self._pooled(work, items)

    def _pooled(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        import multiprocessing

        # A forked child would share this process's threads' locks (progress bars, solvers); a spawned one starts clean.
        spawn = multiprocessing.get_context("spawn")
        pending: deque[Future[Any]] = deque()
        with ProcessPoolExecutor(self.jobs, mp_context=spawn, initializer=_start, initargs=(work,)) as pool:
            try:
                for item in items:
                    with _interrupts_ignored():
                        pending.append(pool.submit(_run, item))
                    if len(pending) >= 4 * self.jobs:
                        yield pending.popleft().result()
                while pending:
                    yield pending.popleft().result()
            except BrokenExecutor:
                what = "give it less to do at once (--jobs), and go on with a run by --resume"
                raise IlpsumError(f"a process broke off (killed, or out of memory); {what}") from None
            finally:
                for future in pending:
                    future.cancel()


HERE = Processes()
"""This process alone."""


def steadily(work: Callable[[Item], Result], item: Item) -> Result:
    """`work(item)`, with one thread for products of matrices: their last digits depend on the number of threads."""
    with libraries().limit(limits=1, user_api="blas"):
        return work(item)


@cache
def libraries() -> "ThreadpoolController":
    """The numerical libraries of this process; to find them takes a millisecond."""
    # The controller knows what is loaded when it is made.
    import numpy as np  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


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
    return steadily(_work, item)
