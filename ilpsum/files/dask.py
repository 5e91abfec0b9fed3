"""Map a function over items on an existing Dask cluster, with the same results as on one machine.

Dask pickles everything it sends, in both directions: anyone who can connect to a scheduler can run code on its workers
and its clients. Use only clusters that you trust like your own machine.
"""

import logging
import re
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ilpsum.errors import IlpsumError, UsageError
from ilpsum.files.processes import single_threaded
from ilpsum.version import versions

_ADDRESS = re.compile(r"dask(\+tls)?://((?:\[[0-9A-Fa-f:.]+\]|[^\s/:\[\]@]+):\d{1,5})/?")
# Selectors and features assume one thread per process.
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class _Parcel:
    """The work or an item, with the sender's versions; keeps Dask from searching it for task graphs."""

    content: Any
    versions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Cluster:
    """An `Executor` on the workers of a Dask scheduler, created by `connect`; Dask reassigns a dead worker's items."""

    client: Any

    def map(self, work: Any, items: Iterable[Any], lost: Any = None) -> Iterator[Any]:
        """See `ilpsum.files.processes.Executor.map`; `UsageError` if a worker has other versions than this machine."""
        # A task, not scattered data: the scheduler can recompute it if the only worker that holds it dies.
        parcel = self.client.submit(_Parcel, work, tuple(versions().items()), pure=False)
        rest, pending = iter(items), deque[Any]()
        try:
            # Pending items; limits the memory of workers and client.
            most = 8 * max(len(self.client.nthreads()), 1)
            while True:
                pending += [(item, self._submit(parcel, item)) for item in islice(rest, most - len(pending))]
                if not pending:
                    return
                item, future = pending.popleft()
                yield self._result(parcel, item, future, lost)
        except Exception as error:
            # A lost scheduler raises many kinds of error, depending on what the client was doing.
            if self.client.status != "running":
                raise IlpsumError("the scheduler is gone; restart it, and continue a run with --resume") from None
            if isinstance(error, ModuleNotFoundError):
                raise UsageError(f"a worker of the cluster lacks {error.name}; install ilpsum on its machine") from None
            raise

    def _submit(self, parcel: Any, item: Any) -> Any:
        return self.client.submit(_run, parcel, _Parcel(item), pure=False)

    def _result(self, parcel: Any, item: Any, future: Any, lost: Any) -> Any:
        from distributed import KilledWorker

        # An item may be blamed for the death of a worker by another one, so it has two more attempts.
        for _ in range(3):
            with suppress(KilledWorker):
                return future.result()
            future = self._submit(parcel, item)
        why = "workers repeatedly died on it (out of memory?); give them more memory, or see their logs"
        if lost is None:
            raise IlpsumError(f"{getattr(item, 'id', 'an item')}: {why}")
        return lost(item, why)


def _run(work: _Parcel, item: _Parcel) -> Any:
    if differ := [f"{name} {value} here" for name, value in work.versions if versions().get(name) != value]:
        raise UsageError(f"a worker has other versions ({', '.join(differ)}); install the same on all machines")
    with _one_at_a_time:
        return single_threaded(work.content, item.content)


@contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """Connect to the scheduler at an address such as `dask://node7:8786`, or `dask+tls://...` for encryption.

    `UsageError` if the address is malformed, Dask is not installed, or no scheduler answers.
    """
    if (match := _ADDRESS.fullmatch(address)) is None:
        raise UsageError(f"--engine {address}: expected dask://HOST:PORT, the address of a Dask scheduler")
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(f"--engine {address}: Dask is not installed: pip install 'ilpsum[dask]'") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are reported in one line
    try:
        client = Client(f"{'tls' if match[1] else 'tcp'}://{match[2]}", timeout=10, set_as_default=False)
    except Exception as error:  # any server may be listening there and fail in any way
        raise UsageError(f"--engine {address}: no Dask scheduler answers there ({error!s:.200})") from None
    with client:
        yield Cluster(client)
