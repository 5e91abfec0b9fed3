"""The server: how many connections it keeps, how long a client may keep it waiting, and what it logs."""

import asyncio
import contextlib
import ctypes
import logging
import socket

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS, BODY_SECONDS = 20.0, 60.0
"""Seconds that a client has to send the head of a request, or to take an answer; and to send a body."""

MOST_CONNECTIONS = 256
"""Most connections at once; half as many as the process may open files, if that is fewer."""

# Connections that the system keeps until they are accepted.
_WAITING = 128
_STOPPING = 5
"""Seconds that requests at work get when the server stops."""
# Bytes of a large block, and the number of this setting in the GNU C library's malloc.h.
_LARGE, _MMAP_THRESHOLD = 2**20, -3
_TRIM_SECONDS = 10
"""Seconds after which freed memory goes back to the system, again and again."""


def server(app: ASGIApp) -> uvicorn.Server:
    """Return a server of an application, which logs what repeats at most once a minute."""
    _map_large_blocks()
    files = _most_files()
    Connection.most = min(MOST_CONNECTIONS, files // 2)
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        log_level="warning",
        lifespan="off",
        # asyncio accepts so many at a time, and a few times as many before the first is counted.
        backlog=min(_WAITING, files // 16),
        timeout_graceful_shutdown=_STOPPING,
        server_header=False,
        callback_notify=_give_back,
        timeout_notify=_TRIM_SECONDS,
    )
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(Rarely())
    return _Server(config)


class _Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_WAITING)


class Connection(H11Protocol):
    """A connection that ends if its client takes too long; of too many, those end that have waited longest.

    uvicorn has a time limit for idle connections after an answer only, and none for those that send slowly.
    """

    most = MOST_CONNECTIONS
    _timer: asyncio.TimerHandle | None = None
    _allowed = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, and make room for this connection."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > self.most:
            waiting = [c for c in self.connections if isinstance(c, Connection) and c._timer]
            oldest = min(waiting, key=lambda connection: connection._timer.when())  # type: ignore[union-attr]
            self.logger.warning("more than %d connections: those that wait longest are closed", self.most)
            oldest._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        super().connection_lost(exc)
        self._wait(0)

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Begin to wait until the client has taken the answer, and for the next request."""
        super().on_response_complete()
        self._allowed = 0.0
        self._watch()

    def _watch(self) -> None:
        """Wait for what the client has to do next, if that is another thing than before."""
        answered = self.cycle is None or self.cycle.response_complete
        allowed = HEAD_SECONDS if answered else BODY_SECONDS if self.cycle.more_body else 0.0
        if allowed != self._allowed:
            self._wait(allowed)
        self._allowed = allowed

    def _wait(self, seconds: float) -> None:
        """Give the client so many seconds from now; none while it waits for us."""
        if self._timer:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, self._end) if seconds else None

    def _end(self) -> None:
        self._wait(0)
        # What was not yet sent is not sent any more.
        self.connections.discard(self)
        self.transport.abort()


class Rarely(logging.Filter):
    """Lets a message pass once a minute, with the number of those that were held back since the last."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, float] = {}
        self._held: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log a record; the kind of error, not its text, tells messages apart."""
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        if error == "CancelledError":  # the end of the server, which has said so
            return False
        kind = f"{str(record.msg).partition(chr(10))[0]} {error}"
        if record.created < self._last.get(kind, 0.0) + 60:
            self._held[kind] = self._held.get(kind, 0) + 1
            return False
        self._last[kind] = record.created
        if held := self._held.pop(kind, 0):
            record.msg, record.args = f"{record.getMessage().rstrip()} ({held} more like this since)", ()
        return True


def _map_large_blocks() -> None:
    """Have the C library give each large block back when it is freed.

    By default it keeps blocks of up to 32 MB in the heap of each thread. There the huge pages that numpy asks for grow
    back after `_give_back`, hour by hour.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):  # those of other systems cannot
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)


async def _give_back() -> None:
    """Have the C library give back what is freed, which it keeps until then, up to the peak of each thread."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _most_files() -> int:
    """Return how many files the process may have open."""
    try:
        import resource
    except ImportError:  # Windows
        return 2 * MOST_CONNECTIONS
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return most if most >= 0 else 2 * MOST_CONNECTIONS
