"""Checks before any work is done for a request: method, token, and a place in the queue."""

import hmac
import os
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from anyio import CancelScope, CapacityLimiter, create_task_group
from anyio.to_thread import run_sync
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Result = TypeVar("Result")

COOKIE = "ilpsum-token"
"""Name of the cookie that holds the token."""

# Maximum number of requests that wait for services at a time.
_WAITING = 32
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


class Guard:
    """Refuses requests without the token, or other than GET without a body.

    Args:
        app: serves the accepted requests.
        token: secret that clients send as `Authorization: Bearer`, as a cookie, or once as
            `?token=`; empty for none.
    """

    def __init__(self, app: ASGIApp, *, token: str = "") -> None:
        self._app, self._token = app, token

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
            self._check(HTTPConnection(scope), scope["method"])
            await self._app(scope, receive, answer)
        except HTTPException as refused:
            await PlainTextResponse(f"{refused.detail}\n", refused.status_code)(
                scope,
                receive,
                answer,
            )

    def _check(self, client: HTTPConnection, method: str) -> None:
        headers = client.headers
        # Without bodies there is nothing to bound, and nothing that a form of another site could
        # send.
        has_body = "transfer-encoding" in headers or headers.get("content-length", "0") != "0"
        if has_body or method not in ("GET", "HEAD"):
            raise HTTPException(405, "expected a GET request without a body")
        if self._token and not self._has_token(client):
            raise HTTPException(
                401, "the token is missing; open the address that ilpsum serve printed"
            )

    def _has_token(self, client: HTTPConnection) -> bool:
        values = client.query_params.getlist("token")
        values.append(client.headers.get("authorization", "").removeprefix("Bearer "))
        values.append(client.cookies.get(COOKIE, ""))
        token = self._token.encode()
        return any(hmac.compare_digest(value.encode(), token) for value in values)


def is_foreign(headers: Headers) -> bool:
    """Whether a page of another site made the request; programs send none of the headers that say
    so.
    """
    if site := headers.get("sec-fetch-site"):
        return site not in ("same-origin", "none")
    page = headers.get("origin") or headers.get("referer")
    try:
        return page is not None and urlsplit(page).netloc != headers.get("host", "")
    except ValueError:  # no address, such as one with a single bracket
        return True


class Queue:
    """Runs work in a few threads, and refuses it while `most` requests are at work or waiting."""

    def __init__(self, most: int = 64) -> None:
        self._most, self._at_work = most, 0
        self._limiters: dict[bool, CapacityLimiter] = {}

    async def run(
        self,
        request: Request,
        work: Callable[..., Result],
        *arguments: Any,
        waits: bool = False,
    ) -> Result:
        """Call `work` in a thread and return its result.

        Work that `waits` for a service has threads of its own, so that other requests need not wait
        for it.

        If the client disconnects, drops a pending call; a running one can poll
        `anyio.from_thread.check_cancelled`. Raises `HTTPException` if the client has disconnected
        or too many requests are waiting.
        """
        if self._at_work >= self._most:
            raise HTTPException(503, "too many requests are waiting; try again in a few seconds")
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
        raise HTTPException(499, "the client has left")


async def _until_left(receive: Receive, scope: CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
