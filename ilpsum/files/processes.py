"""Map a function over items in local processes, with results in input order and bounded memory."""

import logging
import os
import re
import shutil
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from ilpsum.errors import IlpsumError, UsageError
from ilpsum.resources import installs
from ilpsum.version import versions

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

    from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")

# Pending messages per process; limits memory.
_AHEAD = 4
# Target seconds of work per message, and maximum batch size.
_MESSAGE_SECONDS = 0.2
_LARGEST_BATCH = 32

_UNGUARDED = (
    "jobs: a process could not begin with the script that made the call; put the calls of a script "
    'under `if __name__ == "__main__":`'
)

# This process's work function, set once at start so that a model is not sent with every item.
_work: Callable[[Any], Any] | None = None


@runtime_checkable
class Executor(Protocol):
    """Maps a function over items: in this process, in several local processes, or on a cluster."""

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield `work(item)` for each item, in input order, lazily, with a bounded number of items
        pending.

        The function, its items and its results must be picklable. `IlpsumError` if the executor
        fails, for example because processes die. Exceptions from `work` propagate unchanged.
        """


@dataclass(frozen=True)
class Processes:
    """Runs work in `jobs` local processes (1: the current process), with at most four pending
    messages each.
    """

    jobs: int = 1

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """See `Executor.map`."""
        return (
            map(partial(single_threaded, work), items)
            if self.jobs <= 1
            else self._pooled(work, items)
        )

    def _pooled(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield results in order, from batches that take about `_MESSAGE_SECONDS` each."""
        from multiprocessing.util import get_temp_dir

        _require_children()
        # The fork server's socket is in this folder.
        initial = work, get_temp_dir()
        rest, size, pending = iter(items), 1, deque[Future[tuple[list[Result], float]]]()
        with ProcessPoolExecutor(
            self.jobs,
            _context(work),
            initializer=_start,
            initargs=initial,
        ) as pool:
            try:
                while True:
                    while len(pending) < _AHEAD * self.jobs and (batch := list(islice(rest, size))):
                        with _interrupts_deferred():
                            pending.append(pool.submit(_run, batch))
                    if not pending:
                        return
                    results, seconds = pending.popleft().result()
                    yield from results
                    size = max(
                        1,
                        min(
                            int(_MESSAGE_SECONDS * len(results) / max(seconds, 1e-9)),
                            _LARGEST_BATCH,
                        ),
                    )
            except BrokenExecutor:
                if not _is_guarded():
                    raise UsageError(_UNGUARDED) from None
                cause = "a worker process died (killed or out of memory)"
                raise IlpsumError(
                    f"{cause}; reduce --jobs, and continue a run with --resume"
                ) from None
            except BaseException:
                # After an interrupt, or if the caller stopped early, pending results are unwanted.
                # Before Python 3.14, the pool has no method for this; cancelling a future first
                # would break the pool's thread.
                for process in list((pool._processes or {}).values()):
                    process.terminate()
                raise


HERE = Processes()
"""The current process alone."""


def single_threaded(work: Callable[[Item], Result], item: Item) -> Result:
    """Return `work(item)`, computed with one BLAS thread: the last digits of matrix products depend
    on their number.
    """
    with libraries().limit(limits=1, user_api="blas"):
        return work(item)


@cache
def libraries() -> "ThreadpoolController":
    """Return the controller of this process's numerical libraries; finding them takes a
    millisecond.
    """
    # The controller sees only libraries that are already loaded.
    import numpy as np  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Defer Ctrl-C until the block ends.

    The first submission waits about a second for the fork server to import the work's module.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: received.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
        if received:
            signal.raise_signal(signal.SIGINT)


def _require_children() -> None:
    """Raise `UsageError` if this process cannot have processes of its own."""
    from multiprocessing import current_process

    if current_process().daemon:
        raise UsageError("jobs: a daemonic process has no processes of its own; use jobs=1")
    # Each process begins with the script.
    script = _script()
    if script and not script.exists():
        raise UsageError(f"jobs: processes cannot read the script again from {script}; save it")


def _script() -> Path | None:
    """Return the script that this process runs; None for a prompt, or for a module's code."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    return Path(file) if file else None


def _is_guarded() -> bool:
    """Return whether the script may be begun again: it has a guard, or there is none."""
    script = _script()
    return script is None or b"__main__" in script.read_bytes()


def _context(work: Callable[[Any], Any]) -> "BaseContext":
    """Return how processes start: forked from a server that has already imported the work's module.

    A child forked from this process would inherit locks held by its threads (progress bars,
    solvers). On other systems than Linux, processes are spawned: system libraries of macOS do not
    survive a fork.
    """
    import multiprocessing

    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    module = (work.func if isinstance(work, partial) else work).__module__
    if module != "__main__":
        context.set_forkserver_preload([module])
    return context


def _start(work: Callable[[Any], Any], folder: str) -> None:
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(folder,), daemon=True).start()
    _work = work


def _end_with_parent(folder: str) -> None:
    """Exit when the parent is killed; nothing else would end this process."""
    import multiprocessing

    if parent := multiprocessing.parent_process():
        parent.join()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)


def _run(items: list[Any]) -> tuple[list[Any], float]:
    """Return the results for a batch and the CPU time they took, in seconds."""
    if _work is None:
        raise RuntimeError("a worker process started without its work")
    start = thread_time()
    return [single_threaded(_work, item) for item in items], thread_time() - start


_ADDRESS = re.compile(r"dask(\+tls)?://((?:\[[0-9A-Fa-f:.]+\]|[^\s/:\[\]@]+):\d{1,5})/?")
# Selectors and features assume one thread per process.
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class _Parcel:
    """The work or an item, with the sender's versions; keeps Dask from searching it for task
    graphs.
    """

    content: Any
    versions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Cluster:
    """An `Executor` on the workers of a Dask scheduler, created by `connect`; Dask reassigns a dead
    worker's items.
    """

    client: Any

    def map(self, work: Any, items: Iterable[Any]) -> Iterator[Any]:
        """See `Executor.map`; `UsageError` if a worker has other versions than this machine."""
        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        rest, pending = iter(items), deque[Any]()
        try:
            # A task, not scattered data: the scheduler can recompute it if the only worker that
            # holds it dies.
            parcel = self.client.submit(_Parcel, work, tuple(versions().items()), pure=False)
            # Pending items; limits the memory of workers and client.
            most = 8 * max(len(self.client.nthreads()), 1)
            while True:
                for item in islice(rest, most - len(pending)):
                    pending.append(
                        self.client.submit(_run_there, parcel, _Parcel(item), pure=False)
                    )
                if not pending:
                    return
                yield pending.popleft().result()
        except KilledWorker:
            raise IlpsumError(
                "workers repeatedly died on an item; give them more memory, or see their logs"
            ) from None
        except Exception as error:
            # A lost scheduler raises many kinds of error, depending on what the client was doing;
            # the client may notice the loss only after a request was cut off.
            if self.client.status != "running" or isinstance(error, CommClosedError):
                raise IlpsumError(
                    "the scheduler is gone; restart it, and continue a run with --resume"
                ) from None
            if isinstance(error, ModuleNotFoundError):
                raise UsageError(
                    f"a worker of the cluster lacks {error.name}; install ilpsum on its machine"
                ) from None
            raise


def _run_there(work: _Parcel, item: _Parcel) -> Any:
    if differ := [
        f"{name} {value} here" for name, value in work.versions if versions().get(name) != value
    ]:
        raise UsageError(
            f"a worker has other versions ({', '.join(differ)}); install the same on all machines"
        )
    with _one_at_a_time:
        return single_threaded(work.content, item.content)


@contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """Connect to the scheduler at an address such as `dask://node7:8786`, or `dask+tls://...` for
    encryption.

    `UsageError` if the address is malformed, Dask is not installed, or no scheduler answers.
    """
    if (match := _ADDRESS.fullmatch(address)) is None:
        raise UsageError(
            f"--engine {address}: expected dask://HOST:PORT, the address of a Dask scheduler"
        )
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(f"--engine {address}: Dask is not installed: {installs('dask')}") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are reported in one line
    try:
        client = Client(
            f"{'tls' if match[1] else 'tcp'}://{match[2]}",
            timeout=10,
            set_as_default=False,
        )
    except Exception as error:  # any server may be listening there and fail in any way
        raise UsageError(
            f"--engine {address}: no Dask scheduler answers there ({error!s:.200})"
        ) from None
    with client:
        yield Cluster(client)
