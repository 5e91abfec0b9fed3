"""Topics over processes: each result in the order of the topics, memory for a few of them, whatever their number."""

import os
import pickle
import shutil
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ilpsum.errors import IlpsumError

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")

# Messages under way for each process, which bounds the memory of all of them.
_AHEAD = 4
# How much work a message should hold, in seconds, and how many items at most: what is soon done is small, too.
_MESSAGE_SECONDS = 0.1
_MOST_TOGETHER = 16

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
    """The processes of this machine, with at most four messages each under way.

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
        pending: deque[Future[tuple[list[Any], float]]] = deque()
        pace = Pace(_AHEAD * self.jobs)
        with (
            _handed_over(work) as file,
            ProcessPoolExecutor(self.jobs, mp_context=spawn, initializer=_start, initargs=(file,)) as pool,
        ):
            try:
                for together in pace.messages(items):
                    with _interrupts_ignored():
                        pending.append(pool.submit(_run, together))
                    if len(pending) >= pace.under_way:
                        yield from pace.learn(*pending.popleft().result())
                while pending:
                    yield from pace.learn(*pending.popleft().result())
            except BrokenExecutor:
                what = "give it less to do at once (--jobs), and go on with a run by --resume"
                raise IlpsumError(f"a process broke off (killed, or out of memory); {what}") from None
            except BaseException:
                # Nobody wants what is under way: an interrupt, or a caller that takes no more.
                _end(pool)
                raise


HERE = Processes()
"""This process alone."""


class Pace:
    """How many items go in one message: to send one takes as long as the work on a small item.

    Args:
        under_way: how many messages are under way; the size changes no sooner than so many have come back.
    """

    def __init__(self, under_way: int) -> None:
        self.under_way, self._size = under_way, 1
        self._messages = self._items = 0
        self._seconds = 0.0

    def messages(self, items: Iterable[Item]) -> Iterator[list[Item]]:
        """The items, as many together as is right when they are taken."""
        rest = iter(items)
        while together := list(islice(rest, self._size)):
            yield together

    def learn(self, results: list[Result], seconds: float) -> list[Result]:
        """The results of a message, from which the size of the next ones is learned.

        Args:
            results: one for each item.
            seconds: how long the work on them took.
        """
        self._messages, self._items, self._seconds = (
            self._messages + 1, self._items + len(results), self._seconds + seconds
        )  # fmt: skip
        if self._messages >= self.under_way:
            wanted = _MESSAGE_SECONDS * self._items / max(self._seconds, 1e-9)
            self._size = max(1, min(int(wanted), _MOST_TOGETHER))
            self._messages, self._items, self._seconds = 0, 0, 0.0
        return results


def timed(work: Callable[[Item], Result], items: Sequence[Item]) -> tuple[list[Result], float]:
    """The results of a message, and how long the work on them took."""
    start = perf_counter()
    return [steadily(work, item) for item in items], perf_counter() - start


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


def _end(pool: ProcessPoolExecutor) -> None:
    """Ends the processes of a pool in the midst of their work; the pool itself gives up what they had under way."""
    # The pool has no call of its own for it before Python 3.14. A future cancelled first would break the pool's thread.
    for process in list((pool._processes or {}).values()):
        process.terminate()


@contextmanager
def _handed_over(work: Callable[[Any], Any]) -> Iterator[Path]:
    """A file that holds the work, pickled.

    What is handed to a process that starts goes through a pipe that holds little: with the work in it the next process
    would not begin to load its libraries before this one has loaded its own.
    """
    with tempfile.TemporaryDirectory(prefix="ilpsum-") as folder:
        file = Path(folder) / "work"
        file.write_bytes(pickle.dumps(work))
        yield file


def _start(file: Path) -> None:
    global _work
    threading.Thread(target=_end_with_parent, args=(file,), daemon=True).start()
    _work = pickle.loads(file.read_bytes())  # noqa: S301  # our own, in a folder that is ours alone


def _end_with_parent(file: Path) -> None:
    """Ends this process when the one that started it was killed: nobody else would."""
    import multiprocessing

    if parent := multiprocessing.parent_process():
        parent.join()
        shutil.rmtree(file.parent, ignore_errors=True)
        os._exit(1)


def _run(items: list[Any]) -> tuple[list[Any], float]:
    if _work is None:
        raise RuntimeError("a worker process without its work")
    return timed(_work, items)
