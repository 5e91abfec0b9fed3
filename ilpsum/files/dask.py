"""Map a function over items on an existing Dask cluster, with the same results as on one machine.

Dask pickles everything it sends, in both directions: anyone who can connect to a scheduler can run code on its workers
and its clients. Use only clusters that you trust like your own machine.
"""

import logging
import platform
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from ilpsum.errors import IlpsumError, UsageError
from ilpsum.files.processes import BatchSizer, timed
from ilpsum.version import versions

Item = TypeVar("Item")
Result = TypeVar("Result")

_ADDRESS = re.compile(r"dask(\+tls)?://(\[[0-9A-Fa-f:.]+\]|[^\s/:\[\]@]+):(\d{1,5})/?")

# Pending messages per worker; limits the memory of workers and client.
_AHEAD = 8
# Target seconds of work per message, and maximum batch size: every message costs the scheduler milliseconds.
_MESSAGE_SECONDS = 1.0
_LARGEST_BATCH = 256
# Resubmissions of an item after the scheduler gave it up (by default after three workers died on it).
_RETRIES = 2
_CONNECT_SECONDS = 10
# Seconds between counts of the workers.
_COUNT_SECONDS = 2.0

# Packages whose versions must agree between scheduler, workers and client before anything is sent.
_PROTOCOL_PACKAGES = ("dask", "distributed")

# Selectors and features assume one thread per process.
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class _Parcel:
    """The work with the sender's versions, or a batch of items; keeps Dask from searching it for task graphs."""

    content: Any
    versions: tuple[tuple[str, str], ...] = ()


class Cluster:
    """An `Executor` on the workers of a Dask scheduler, created by `connect`.

    If a worker dies, Dask reassigns its items and recomputes results that only it held.
    """

    def __init__(self, client: Any) -> None:
        self._client, self._workers, self._counted = client, 0, 0.0

    def map(
        self, work: Callable[[Item], Result], items: Iterable[Item], lost: Callable[[Item, str], Result] | None = None
    ) -> Iterator[Result]:
        """See `ilpsum.files.processes.Executor.map`; at most eight messages per worker are pending.

        Raises:
            UsageError: a worker has other versions, or lacks ilpsum.
            IlpsumError: the scheduler is gone, or workers repeatedly die on an item and `lost` is not given.
        """
        from distributed.comm import CommClosedError

        parcel = _Parcel(work, _versions())
        # A task, not scattered data: the scheduler can recompute it if the only worker that holds it dies.
        shared = self._client.submit(_keep, parcel, pure=False)
        pace = BatchSizer(self._most(), _MESSAGE_SECONDS, _LARGEST_BATCH)

        def submit(batch: list[Item]) -> Any:
            pace.pending = self._most()
            return self._submit(shared, batch)

        try:
            yield from pace.map(items, submit, lambda batch, future: self._results(shared, batch, future, pace, lost))
        except Exception as error:
            # A lost scheduler raises many kinds of error, depending on what the client was doing.
            if isinstance(error, CancelledError | CommClosedError) or self._client.status != "running":
                raise IlpsumError("the scheduler is gone; restart it, and continue a run with --resume") from None
            raise
        finally:
            for _, future in pace.under_way:
                future.cancel()
            shared.release()

    def _submit(self, shared: Any, items: list[Any]) -> Any:
        return self._client.submit(_run, shared, _Parcel(items), pure=False)

    def _most(self) -> int:
        """Return the maximum number of pending messages; the previous one while the scheduler does not answer."""
        if time.monotonic() - self._counted > _COUNT_SECONDS:
            with suppress(OSError):
                self._workers = len(self._client.nthreads())
            self._counted = time.monotonic()
        return _AHEAD * max(self._workers, 1)

    def _results(
        self, shared: Any, items: list[Item], future: Any, pace: BatchSizer, lost: Callable[[Item, str], Result] | None
    ) -> Iterator[Any]:
        """Yield a batch's results; if the scheduler gave it up, submit its items one by one."""
        from distributed import KilledWorker

        try:
            results, seconds = self._checked(future)
        except KilledWorker:
            for item in items:
                yield self._single_result(shared, item, lost)
        else:
            yield from pace.learn(results, seconds)

    def _single_result(self, shared: Any, item: Item, lost: Callable[[Item, str], Result] | None) -> Any:
        from distributed import KilledWorker

        for _ in range(_RETRIES):
            with suppress(KilledWorker):
                return self._checked(self._submit(shared, [item]))[0][0]
        reason = "workers repeatedly died on it (out of memory?); give them more memory, or see their logs"
        if lost is None:
            raise IlpsumError(f"{getattr(item, 'id', 'an item')}: {reason}") from None
        return lost(item, reason)

    def _checked(self, future: Any) -> Any:
        try:
            return future.result()
        except ModuleNotFoundError as error:
            if str(error.name).split(".")[0] in ("ilpsum", "features"):
                raise UsageError(f"a worker of the cluster lacks {error.name}; install ilpsum on its machine") from None
            raise


def _versions() -> tuple[tuple[str, str], ...]:
    """Return the versions that results depend on; for Python, major and minor."""
    python = ".".join(platform.python_version_tuple()[:2])
    return tuple(sorted({**versions(), "python": python}.items()))


def _keep(parcel: _Parcel) -> _Parcel:
    return parcel


def _run(work: _Parcel, items: _Parcel) -> Any:
    """Run a batch on a worker; workers may join at any time, so versions are checked here."""
    if work.versions != (own := _versions()):
        pairs = [(name, value) for name, value in work.versions if (name, value) not in own]
        differ = [f"{name} {value} here, {dict(own).get(name, 'none')} there" for name, value in pairs]
        where = f"the worker at {socket.gethostname()} has other versions ({'; '.join(differ)})"
        raise UsageError(f"{where}; install the same on all machines, or results may differ")
    with _one_at_a_time:
        return timed(work.content, items.content)


@contextmanager
def connect(address: str, notify: Callable[[str], None] = lambda _: None) -> Iterator[Cluster]:
    """Connect to the cluster whose scheduler is at an address such as `dask://node7:8786`.

    `dask+tls://` encrypts connections, with certificates from Dask's configuration. `notify` receives lines for the
    user. `UsageError` if the address is malformed, Dask is not installed, no scheduler answers, or versions differ.
    """
    match = _ADDRESS.fullmatch(address)
    if not match or not 0 < int(match[3]) < 2**16:
        expected = "expected dask://HOST:PORT, the address of a Dask scheduler, such as dask://node7:8786"
        raise UsageError(f"--engine {address}: {expected}")
    host, port = match[2], int(match[3])
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(f"--engine {address}: Dask is not installed: pip install 'ilpsum[dask]'") from None
    # Errors are reported below in one line.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    _reach(address, host, port)
    try:
        place = f"{'tls' if match[1] else 'tcp'}://{host}:{port}"
        client = Client(place, timeout=_CONNECT_SECONDS, set_as_default=False, name="ilpsum")
    except Exception as error:  # any server may be listening there and fail in any way
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise UsageError(f"--engine {address}: no usable Dask scheduler there ({reason})") from None
    try:
        _check_versions(address, client, notify)
        yield Cluster(client)
    finally:
        client.close()


def _reach(address: str, host: str, port: int) -> None:
    """Fail at once if no server is listening; Dask would retry until its timeout."""
    try:
        socket.create_connection((host.strip("[]"), port), timeout=_CONNECT_SECONDS).close()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"--engine {address}: no scheduler answers there ({reason}); is it running?") from None


def _check_versions(address: str, client: Any, notify: Callable[[str], None]) -> None:
    """Refuse a cluster with other versions before anything is sent; warn about settings that slow it down."""
    found = client.get_versions()
    own = _protocol(found["client"])
    for name, node in [("scheduler", found["scheduler"]), *sorted(found["workers"].items())]:
        if (other := _protocol(node)) != own:
            differ = [f"{key} {own[key]} here, {other[key]} there" for key in own if own[key] != other[key]]
            advice = "install the same on all machines"
            raise UsageError(f"--engine {address}: other versions at {name} ({'; '.join(differ)}); {advice}")
    threads = client.nthreads()
    if not threads:
        notify(f"the cluster at {address} has no workers yet; waiting for one")
    elif max(threads.values()) > 1:
        message = "each worker handles one topic at a time, whatever its thread count"
        notify(f"{message}; start more workers with --nthreads 1")


def _protocol(node: dict[str, Any]) -> dict[str, str]:
    packages = node["packages"]
    python = ".".join(str(packages["python"]).split(".")[:2])
    return {"python": python, **{name: str(packages.get(name)) for name in _PROTOCOL_PACKAGES}}
