"""The HTTP server: limits on connections and waiting times, and rate-limited logging."""

import asyncio
import contextlib
import ctypes
import logging
import socket

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS, BODY_SECONDS = 20.0, 60.0
"""Timeouts in seconds: to send a request's head or receive the answer, and to send a request's body."""

MOST_CONNECTIONS = 256
"""Maximum simultaneous connections; at most half the process's limit of open files."""

# Backlog of connections that are not yet accepted.
_WAITING = 128
_STOPPING = 5
"""Seconds that running requests get to finish when the server stops."""
# Size of a large block in bytes, and the constant M_MMAP_THRESHOLD of glibc's malloc.h.
_LARGE, _MMAP_THRESHOLD = 2**20, -3
_TRIM_SECONDS = 10
"""Interval in seconds at which freed memory is returned to the system."""


def server(app: ASGIApp) -> uvicorn.Server:
    """Return a server for an application, which logs repeated messages at most once a minute."""
    _map_large_blocks()
    files = _most_files()
    Connection.most = min(MOST_CONNECTIONS, files // 2)
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        log_level="warning",
        lifespan="off",
        # asyncio accepts this many at a time, and a few times as many before it counts the first.
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
    """A connection with timeouts; if there are too many, the one that has waited longest is closed.

    uvicorn itself limits only the idle time after an answer, and does not time out slow senders.
    """

    most = MOST_CONNECTIONS
    _timer: asyncio.TimerHandle | None = None
    _allowed = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for a request, and close the longest-waiting connection if there are too many."""
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
        """Receive a part of a request."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Start waiting for the client to receive the answer and to send its next request."""
        super().on_response_complete()
        self._allowed = 0.0
        self._watch()

    def _watch(self) -> None:
        """Restart the timer if the client has entered another phase: sending the head, sending the body, or waiting."""
        answered = self.cycle is None or self.cycle.response_complete
        allowed = HEAD_SECONDS if answered else BODY_SECONDS if self.cycle.more_body else 0.0
        if allowed != self._allowed:
            self._wait(allowed)
        self._allowed = allowed

    def _wait(self, seconds: float) -> None:
        """Restart the timer; 0 stops it, while the client waits for the server."""
        if self._timer:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, self._end) if seconds else None

    def _end(self) -> None:
        self._wait(0)
        # Unsent data are dropped.
        self.connections.discard(self)
        self.transport.abort()


class Rarely(logging.Filter):
    """Passes each message once a minute, with the number of suppressed repetitions."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, float] = {}
        self._held: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log a record; messages with the same first line and class of error are repetitions."""
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        if error == "CancelledError":  # the server is stopping, which is logged already
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
    """Make the C library return each large block to the system as soon as it is freed.

    By default, it keeps blocks of up to 32 MB in the heap of each thread, where the huge pages that numpy requests
    accumulate over hours despite `_give_back`.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):  # other C libraries lack mallopt
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)


async def _give_back() -> None:
    """Make the C library return freed memory, of which it would otherwise keep up to the peak of each thread."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _most_files() -> int:
    """Return the process's limit of open files; on Windows, twice `MOST_CONNECTIONS`."""
    try:
        import resource
    except ImportError:  # Windows
        return 2 * MOST_CONNECTIONS
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return most if most >= 0 else 2 * MOST_CONNECTIONS
