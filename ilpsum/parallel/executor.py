"""Map a function over items in local processes: results in input order, a bounded number of items in memory."""

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

# Pending messages per process; this bounds memory.
_AHEAD = 4
# Target seconds of work per message, and the most items in one.
_MESSAGE_SECONDS = 0.1
_LARGEST_BATCH = 16

# This process's work function, set once at its start so that a model is not sent with every item.
_work: Callable[[Any], Any] | None = None


class Executor(Protocol):
    """Maps a function over items: in this process, in several local ones, or on a cluster."""

    def map(
        self, work: Callable[[Item], Result], items: Iterable[Item], lost: Callable[[Item, str], Result] | None = None
    ) -> Iterator[Result]:
        """Yield `work(item)` for each item, in input order; lazy, with a bounded number of items pending.

        Args:
            work: the function; it, its items and its results must be picklable.
            items: consumed one by one as capacity frees up.
            lost: makes a result from an item, and a reason, when workers repeatedly die on that item; without it such
                an item is an error.

        Raises:
            IlpsumError: the machinery failed. Exceptions from `work` propagate unchanged.
        """


@dataclass(frozen=True)
class Processes:
    """Runs work in `jobs` processes of this machine (1: in the current one), at most four messages pending in each."""

    jobs: int = 1

    def map(
        self,
        work: Callable[[Item], Result],
        items: Iterable[Item],
        lost: Callable[[Item, str], Result] | None = None,  # noqa: ARG002  # a dead process breaks the whole pool
    ) -> Iterator[Result]:
        """See `Executor.map`."""
        return map(partial(single_threaded, work), items) if self.jobs <= 1 else self._pooled(work, items)

    def _pooled(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        import multiprocessing

        # A forked child would inherit locks held by threads (progress bars, solvers); a spawned one starts clean.
        spawn = multiprocessing.get_context("spawn")
        pending: deque[Future[tuple[list[Any], float]]] = deque()
        pace = Pace(_AHEAD * self.jobs)
        with (
            _pickled(work) as file,
            ProcessPoolExecutor(self.jobs, mp_context=spawn, initializer=_start, initargs=(file,)) as pool,
        ):
            try:
                for batch in pace.batches(items):
                    with _interrupts_ignored():
                        pending.append(pool.submit(_run, batch))
                    if len(pending) >= pace.pending:
                        yield from pace.learn(*pending.popleft().result())
                while pending:
                    yield from pace.learn(*pending.popleft().result())
            except BrokenExecutor:
                cause = "a worker process died (killed or out of memory)"
                raise IlpsumError(f"{cause}; reduce --jobs, and continue a run with --resume") from None
            except BaseException:
                # The pending results are no longer wanted: an interrupt, or the caller stopped early. The pool has no
                # method for this before Python 3.14; cancelling a future first would break the pool's thread.
                for process in list((pool._processes or {}).values()):
                    process.terminate()
                raise


HERE = Processes()
"""The current process alone."""


class Pace:
    """Chooses how many items go in one message, so that sending costs little beside the work.

    The batch size changes after as many messages as may be pending have returned.
    """

    def __init__(self, pending: int, seconds: float = _MESSAGE_SECONDS, largest: int = _LARGEST_BATCH) -> None:
        self.pending, self._aim, self._largest = pending, seconds, largest
        self._size = 1
        self._messages = self._items = 0
        self._seconds = 0.0

    def batches(self, items: Iterable[Item]) -> Iterator[list[Item]]:
        """Yield the items in batches of the size that is current when each is taken."""
        rest = iter(items)
        while batch := list(islice(rest, self._size)):
            yield batch

    def learn(self, results: list[Result], seconds: float) -> list[Result]:
        """Adjust the batch size to the seconds that a message took, and return its results, one per item."""
        self._messages += 1
        self._items += len(results)
        self._seconds += seconds
        if self._messages >= self.pending:
            size = int(self._aim * self._items / max(self._seconds, 1e-9))
            self._size = max(1, min(size, self._largest))
            self._messages, self._items, self._seconds = 0, 0, 0.0
        return results


def timed(work: Callable[[Item], Result], items: Sequence[Item]) -> tuple[list[Result], float]:
    """Return the results for a batch and the seconds they took."""
    start = perf_counter()
    return [single_threaded(work, item) for item in items], perf_counter() - start


def single_threaded(work: Callable[[Item], Result], item: Item) -> Result:
    """Return `work(item)`, computed with one BLAS thread: the last digits of a matrix product depend on the number."""
    with libraries().limit(limits=1, user_api="blas"):
        return work(item)


@cache
def libraries() -> "ThreadpoolController":
    """Return the controller of this process's numerical libraries; finding them takes a millisecond."""
    # The controller sees only libraries already loaded.
    import numpy as np  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Make processes started inside the block ignore Ctrl-C; this process ends them, without a traceback from each."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)


@contextmanager
def _pickled(work: Callable[[Any], Any]) -> Iterator[Path]:
    """Write the work to a temporary file, pickled."""
    # An initializer argument goes through a pipe with a small buffer: each process would wait for the one before it to
    # load its libraries.
    with tempfile.TemporaryDirectory(prefix="ilpsum-") as folder:
        file = Path(folder) / "work"
        file.write_bytes(pickle.dumps(work))
        yield file


def _start(file: Path) -> None:
    global _work
    threading.Thread(target=_end_with_parent, args=(file,), daemon=True).start()
    _work = pickle.loads(file.read_bytes())  # noqa: S301  # written by our parent into a private folder


def _end_with_parent(file: Path) -> None:
    """Exit when the parent was killed; nothing else would end this process."""
    import multiprocessing

    if parent := multiprocessing.parent_process():
        parent.join()
        shutil.rmtree(file.parent, ignore_errors=True)
        os._exit(1)


def _run(items: list[Any]) -> tuple[list[Any], float]:
    if _work is None:
        raise RuntimeError("a worker process started without its work")
    return timed(_work, items)
