"""Checks before any work is done for a request: host, origin, token, size, and a place in the queue."""

import hmac
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from anyio import CancelScope, CapacityLimiter, create_task_group
from anyio.to_thread import run_sync
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Result = TypeVar("Result")

MOST_BYTES = 8 * 2**20
"""Maximum body of a request in bytes."""

MOST_IN_FLIGHT = 64 * 2**20
"""Maximum bytes of the bodies of all unanswered requests."""

COOKIE = "ilpsum-token"
"""Name of the cookie that holds the token."""

# Maximum number of requests that wait for services at a time.
_WAITING = 32
_SAFE = ("GET", "HEAD")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}


class Refused(HTTPException):
    """A refused request: its status and a one-line reason."""


class Guard:
    """Refuses requests with a foreign Host or Origin header, without the token, or with too large a body.

    The Host check prevents DNS rebinding, where another site resolves its own name to this machine; the Origin check
    prevents pages of other sites from posting to the server directly.

    Args:
        app: serves the accepted requests.
        hosts: accepted host names, without ports.
        token: secret that clients send as `Authorization: Bearer`, as a cookie, or once as `?token=`; empty for none.
    """

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str], token: str = "") -> None:
        self._app, self._hosts, self._token = app, hosts, token
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request (ASGI)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            headers = Headers(scope=scope)
            self._check(scope["method"], headers, scope["query_string"].decode("latin-1"))
            with self._room_for(headers):
                await self._app(scope, receive, answer)
        except Refused as refused:
            await PlainTextResponse(f"{refused.detail}\n", refused.status_code)(scope, receive, answer)

    def _check(self, method: str, headers: Headers, query: str) -> None:
        host = headers.get("host", "")
        # IPv6 addresses keep their brackets.
        name = host[: host.index("]") + 1] if host.startswith("[") and "]" in host else host.partition(":")[0]
        if name.lower() not in self._hosts:
            raise Refused(421, "this host name is not served here; open the address that ilpsum serve printed")
        if method not in _SAFE:
            origin = headers.get("origin")
            if origin is not None and origin.partition("://")[2] != host:
                raise Refused(403, "requests from pages of other sites are refused")
            # HTML forms of other sites can send neither JSON nor DELETE; DELETE has no body and so no content type.
            if method != "DELETE" and headers.get("content-type", "").partition(";")[0].strip() != "application/json":
                raise Refused(415, "expected a body of the type application/json")
        if self._token and not self._has_token(headers, query):
            raise Refused(401, "the token is missing; open the address that ilpsum serve printed")

    @contextmanager
    def _room_for(self, headers: Headers) -> Iterator[None]:
        """Count the body of a request, whose length the HTTP server holds it to, until it is answered."""
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers:
            raise Refused(411, "expected a body with its content-length")
        size = int(length) if length.isdecimal() and len(length) < 10 else MOST_BYTES + 1
        if size > MOST_BYTES:
            raise Refused(413, f"the request has more than {MOST_BYTES // 2**20} MB; bring fewer texts")
        if size and self._bytes + size > MOST_IN_FLIGHT:
            raise Refused(503, "all requests together bring too much; try again in a few seconds")
        self._bytes += size
        try:
            yield
        finally:
            self._bytes -= size

    def _has_token(self, headers: Headers, query: str) -> bool:
        given = parse_qs(query).get("token", [])
        given += [headers.get("authorization", "").removeprefix("Bearer ")]
        given += [part.strip().removeprefix(f"{COOKIE}=") for part in headers.get("cookie", "").split(";")]
        return any(hmac.compare_digest(value.encode(), self._token.encode()) for value in given)


def is_foreign(headers: Headers) -> bool:
    """Whether a page of another site made the request; programs send none of the headers that say so."""
    if site := headers.get("sec-fetch-site"):
        return site not in ("same-origin", "none")
    page = headers.get("origin") or headers.get("referer")
    return page is not None and urlsplit(page).netloc != headers.get("host", "")


class Queue:
    """Runs work in a few threads, and refuses it while `most` requests are at work or waiting."""

    def __init__(self, most: int = 64) -> None:
        self._most, self._at_work = most, 0
        self._limiters: dict[bool, CapacityLimiter] = {}

    async def run(self, request: Request, work: Callable[..., Result], *arguments: Any, waits: bool = False) -> Result:
        """Call `work` in a thread and return its result; the body of the request must have been read.

        Work that `waits` for a service has threads of its own, so that other requests need not wait for it.

        If the client disconnects, drops a pending call; a running one can poll `anyio.from_thread.check_cancelled`.
        Raises `Refused` if the client has disconnected or too many requests are waiting.
        """
        if self._at_work >= self._most:
            raise Refused(503, "too many requests are waiting; try again in a few seconds")
        if waits not in self._limiters:
            # Made here because it belongs to the running event loop.
            self._limiters[waits] = CapacityLimiter(_WAITING if waits else os.cpu_count() or 1)
        self._at_work += 1
        try:
            async with create_task_group() as group:
                group.start_soon(_until_left, request.receive, group.cancel_scope)
                try:
                    return await run_sync(work, *arguments, limiter=self._limiters[waits])
                finally:
                    group.cancel_scope.cancel()
        except ExceptionGroup as raised:
            # The task group wraps the exception of `work`.
            raise raised.exceptions[0] from None
        finally:
            self._at_work -= 1
        raise Refused(499, "the client has left")


async def _until_left(receive: Receive, scope: CancelScope) -> None:
    """Cancel a scope as soon as the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
