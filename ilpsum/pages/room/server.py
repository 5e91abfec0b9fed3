"""The HTTP server: uvicorn with a limit on connections and on the time that it waits for a
client.
"""

import asyncio
import logging

import uvicorn
from h11 import LocalProtocolError
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

WAIT_SECONDS = 30.0
"""A connection that waits for its client is closed after this time in seconds, or at most twice as
much.
"""

_MOST_CONNECTIONS = 256
# Seconds that running requests get to finish when the server stops.
_STOPPING = 5


def server(app: ASGIApp) -> uvicorn.Server:
    """Return a server for an application; it logs errors only."""
    logging.getLogger("uvicorn.error").addFilter(_is_of_ours)
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            log_level="error",
            lifespan="off",
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=_STOPPING,
            server_header=False,
        )
    )


class Connection(H11Protocol):
    """A connection that is closed if it waits too long for its client; uvicorn itself waits for
    ever.
    """

    _check: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to check."""
        super().connection_made(transport)
        self._again(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop to check."""
        super().connection_lost(exc)
        if self._check:
            self._check.cancel()

    def _again(self, before: object) -> None:
        """Close the connection if it still waits for the request after that of `before`, else check
        again.
        """
        waits = self.cycle is None or self.cycle.response_complete
        now = (self.cycle,) if waits else None
        if waits and now == before:
            self.connections.discard(self)
            self.transport.abort()  # drops unsent data
        else:
            self._check = self.loop.call_later(WAIT_SECONDS, self._again, now)


def _is_of_ours(record: logging.LogRecord) -> bool:
    """Return whether a log record is of another error than these.

    A request is cancelled when the server stops. A malformed body is answered by uvicorn, while we
    refuse it.
    """
    return not (
        record.exc_info and record.exc_info[0] in (asyncio.CancelledError, LocalProtocolError)
    )
