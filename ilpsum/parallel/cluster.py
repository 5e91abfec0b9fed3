"""Topics over the workers of a Dask cluster that is there already, with the results of one machine.

What travels between the processes is pickled by Dask, in both directions: whoever may connect to a scheduler may run
what he likes on its workers and send what he likes to its clients. A cluster is to be trusted as one's own machine is.
"""

import logging
import platform
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from ilpsum.errors import IlpsumError, UsageError
from ilpsum.parallel.engine import Pace, timed
from ilpsum.version import versions

Item = TypeVar("Item")
Result = TypeVar("Result")

_ADDRESS = re.compile(r"dask(\+tls)?://(\[[0-9A-Fa-f:.]+\]|[^\s/:\[\]@]+):(\d{1,5})/?")

# Messages under way for each worker, which bounds the memory of the workers and of this process.
_AHEAD = 8
# How often an item is given to the cluster anew after its workers died as often as the scheduler bears (3 by default).
_ANEW = 2
_CONNECT_SECONDS = 10
# How often to look for workers that came or went, and how long to wait in silence where there is none.
_LOOK_SECONDS = 2.0
_SILENT_SECONDS = 10.0

# What scheduler, workers and client must agree on before anything is sent.
_PROTOCOL_PACKAGES = ("dask", "distributed")

# The selectors and features are written for one thread a process.
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class _Parcel:
    """Wraps what is sent, so that Dask does not look for parts of a graph in it.

    Attributes:
        content: the work, or the items of a message.
        versions: those of the sender; they come with the work.
    """

    content: Any
    versions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class _OtherVersions:
    """The answer of a worker whose results could differ."""

    told: str


class Cluster:
    """The workers of a Dask scheduler, as an engine; made by `connect`.

    A worker that dies costs nothing but time: Dask gives its items to others, and computes anew what only it had.

    Args:
        client: of `distributed`, connected.
        tell: takes a line for the user.
    """

    def __init__(self, client: Any, tell: Callable[[str], None]) -> None:
        self._client, self._tell = client, tell
        self._workers, self._looked, self._alone = 0, 0.0, 0.0

    def map(
        self,
        work: Callable[[Item], Result],
        items: Iterable[Item],
        lost: Callable[[Item, str], Result] | None = None,
    ) -> Iterator[Result]:
        """See `ilpsum.parallel.engine.Engine.map`; at most eight messages for each worker are under way.

        Raises:
            UsageError: a worker has other versions, or lacks ilpsum.
            IlpsumError: the scheduler is gone, or workers die again and again at one item and `lost` is not given.
        """
        from distributed.comm import CommClosedError

        parcel = _Parcel(work, _versions())
        # A task of its own, not scattered data: where the only worker that has it dies, the scheduler makes it again.
        shared = self._client.submit(_keep, parcel, pure=False)
        pending: deque[tuple[list[Item], Any]] = deque()
        pace = Pace(self._most())
        try:
            for together in pace.messages(items):
                pending.append((together, self._submit(shared, together)))
                pace.under_way = self._most()
                while len(pending) >= pace.under_way:
                    yield from self._results(shared, *pending.popleft(), pace, lost)
            while pending:
                yield from self._results(shared, *pending.popleft(), pace, lost)
        except Exception as error:
            # What a client says whose scheduler went away has many forms, by what it was doing.
            if isinstance(error, CancelledError | CommClosedError) or self._client.status != "running":
                raise IlpsumError("the scheduler is gone; start it again and go on with a run by --resume") from None
            raise
        finally:
            for _, future in pending:
                future.cancel()
            shared.release()

    def _submit(self, shared: Any, items: list[Any]) -> Any:
        return self._client.submit(_run, shared, _Parcel(items), pure=False)

    def _most(self) -> int:
        """How many messages may be under way."""
        if time.monotonic() - self._looked > _LOOK_SECONDS:
            self._count()
        return _AHEAD * max(self._workers, 1)

    def _count(self) -> int:
        """How many workers there are; as many as before while the scheduler does not answer."""
        with suppress(OSError):
            self._workers = len(self._client.nthreads())
        self._looked = time.monotonic()
        return self._workers

    def _results(
        self, shared: Any, items: list[Item], future: Any, pace: Pace, lost: Callable[[Item, str], Result] | None
    ) -> Iterator[Any]:
        """The results of a message; where its workers died again and again, each of its items goes anew by itself."""
        from distributed import KilledWorker

        try:
            results, seconds = self._checked(future)
        except KilledWorker:
            for item in items:
                yield self._alone_result(shared, item, lost)
        else:
            yield from pace.learn(results, seconds)

    def _alone_result(self, shared: Any, item: Item, lost: Callable[[Item, str], Result] | None) -> Any:
        from distributed import KilledWorker

        for _ in range(_ANEW):
            with suppress(KilledWorker):
                return self._checked(self._submit(shared, [item]))[0][0]
        why = "the workers that had it died again and again: out of memory? Give them more, or see their logs"
        if lost is None:
            raise IlpsumError(f"{getattr(item, 'id', 'an item')}: {why}") from None
        return lost(item, why)

    def _checked(self, future: Any) -> Any:
        try:
            result = self._awaited(future)
        except ModuleNotFoundError as error:
            if str(error.name).split(".")[0] in ("ilpsum", "features"):
                raise UsageError(f"a worker of the cluster has no {error.name}: install ilpsum where it runs") from None
            raise
        if isinstance(result, _OtherVersions):
            raise UsageError(result.told)
        return result

    def _awaited(self, future: Any) -> Any:
        """The result, however long it takes; a cluster without workers is told."""
        from distributed import wait

        while True:
            # Only the wait has an end: the result itself may take its time to come over.
            try:
                with self._client.as_current():
                    wait(future, timeout=_LOOK_SECONDS)
            except TimeoutError:
                self._tell_if_alone()
            else:
                return future.result()

    def _tell_if_alone(self) -> None:
        if self._count():
            self._alone = 0.0
        elif not self._alone:
            self._alone = time.monotonic()
        elif time.monotonic() - self._alone > _SILENT_SECONDS:
            self._tell("the cluster has no worker at present; waiting for one")
            self._alone = float("inf")


def _versions() -> tuple[tuple[str, str], ...]:
    """What the bytes of a result depend on; of Python's version the first two numbers."""
    found = dict(versions())
    found["python"] = ".".join(platform.python_version_tuple()[:2])
    return tuple(sorted(found.items()))


def _keep(parcel: _Parcel) -> _Parcel:
    return parcel


def _run(work: _Parcel, items: _Parcel) -> Any:
    """Done by a worker; it may have come to the cluster at any time, so its versions are looked at here."""
    if work.versions != (own := _versions()):
        pairs = [(name, value) for name, value in work.versions if (name, value) not in own]
        differ = [f"{name} {value} here, {dict(own).get(name, 'none')} there" for name, value in pairs]
        named = f"the worker at {socket.gethostname()} has other versions ({'; '.join(differ)})"
        return _OtherVersions(f"{named}: install the same on all machines, or results could differ")
    with _one_at_a_time:
        return timed(work.content, items.content)


@contextmanager
def connect(address: str, tell: Callable[[str], None] = lambda _: None) -> Iterator[Cluster]:
    """The cluster at an address such as `dask://node7:8786` (`dask+tls://` where its connections are encrypted).

    Args:
        address: of the scheduler. Certificates for TLS are those of Dask's own configuration.
        tell: takes a line for the user.

    Raises:
        UsageError: the address cannot be read, Dask is not installed, no scheduler answers, or versions differ.
    """
    tls, host, port = _parsed(address)
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(f"--engine {address}: Dask is not installed: pip install 'ilpsum[dask]'") from None
    # What goes wrong is told here, in one line.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    _reach(address, host, port)
    try:
        place = f"{'tls' if tls else 'tcp'}://{host}:{port}"
        client = Client(place, timeout=_CONNECT_SECONDS, set_as_default=False, name="ilpsum")
    except Exception as error:  # whatever answers there, and however the talk with it broke off
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise UsageError(f"--engine {address}: no Dask scheduler that can be talked to ({reason})") from None
    try:
        _compare(address, client, tell)
        yield Cluster(client, tell)
    finally:
        client.close()


def _parsed(address: str) -> tuple[bool, str, int]:
    match = _ADDRESS.fullmatch(address)
    if not match or not 0 < int(match[3]) < 2**16:
        raise UsageError(
            f"--engine {address}: expected dask://HOST:PORT, the address of a Dask scheduler, such as dask://node7:8786"
        )
    return bool(match[1]), match[2], int(match[3])


def _reach(address: str, host: str, port: int) -> None:
    """Tells at once that nobody listens; Dask would try again and again until its time is up."""
    try:
        socket.create_connection((host.strip("[]"), port), timeout=_CONNECT_SECONDS).close()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"--engine {address}: no scheduler answers there ({reason}); is it running?") from None


def _compare(address: str, client: Any, tell: Callable[[str], None]) -> None:
    """Refuses a cluster of other versions before anything is sent; remarks on what slows it down."""
    found = client.get_versions()
    own = _protocol(found["client"])
    for name, node in [("scheduler", found["scheduler"]), *sorted(found["workers"].items())]:
        if (other := _protocol(node)) != own:
            differ = [f"{key} {own[key]} here, {other[key]} there" for key in own if own[key] != other[key]]
            what = "install the same on all machines"
            raise UsageError(f"--engine {address}: other versions at {name} ({'; '.join(differ)}): {what}")
    threads = client.nthreads()
    if not threads:
        tell(f"the cluster at {address} has no worker yet; waiting for one")
    elif max(threads.values()) > 1:
        tell("workers with several threads do one topic at a time: start more workers with --nthreads 1 each")


def _protocol(node: dict[str, Any]) -> dict[str, str]:
    packages = node["packages"]
    python = ".".join(str(packages["python"]).split(".")[:2])
    return {"python": python, **{name: str(packages.get(name)) for name in _PROTOCOL_PACKAGES}}
