"""The manners of a client of a web service, kept here and not by its callers: rate, retries, time-outs, hosts, sizes."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Self, TypeVar
from urllib.parse import urlsplit

from ilpsum.errors import IlpsumError, UsageError
from ilpsum.version import __version__

if TYPE_CHECKING:
    import httpx2

Answer = TypeVar("Answer")

PAUSES = (1.0, 2.0, 4.0, 8.0)
"""Seconds before each further attempt, unless the service names more."""

# Seconds: to connect, until the next bytes, for a whole answer, and the longest pause that a service may ask for.
_CONNECT, _READ, _WHOLE, _LONGEST_PAUSE = 15.0, 60.0, 600.0, 120.0
# A little slower than allowed, since requests do not take the same time to arrive.
_SLOWER = 1.05
_REDIRECTS = 5
_BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class ServiceError(IlpsumError):
    """A service that cannot be reached, refuses, or does not give what was asked for."""


class RefusedError(ServiceError):
    """A request that a service refuses, with its status."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class BadAnswerError(Exception):
    """An answer that is not what was asked for, or none; asking again may help.

    Args:
        reason: in a few words.
        pause: seconds that the service asks to wait.
    """

    def __init__(self, reason: str, pause: float = 0.0) -> None:
        super().__init__(reason)
        self.pause = pause


@dataclass(frozen=True, slots=True)
class Address:
    """Where a service is, and how often it may be asked.

    Attributes:
        name: of the service, for messages.
        base: its address, which ends in a slash.
        hosts: that it may redirect to.
        a_second: most requests a second.
    """

    name: str
    base: str
    hosts: frozenset[str]
    a_second: float

    @classmethod
    def of(cls, name: str, base: str, a_second: float, *, variable: str, other: str = "") -> "Address":
        """Return the address of a service: `base`, or `other`, which a variable of the environment names.

        Raises:
            UsageError: the other one is neither https nor http on this machine.
        """
        base = (other or base).rstrip("/") + "/"
        try:
            parts = urlsplit(base)
            host, secure = parts.hostname or "", parts.scheme == "https"
            plain = parts.port != 0 and not (parts.query or parts.fragment or parts.username)
        except ValueError:
            host, secure, plain = "", False, False
        if not (host and plain and (secure or (parts.scheme == "http" and host in _LOOPBACK))):
            raise UsageError(f"{variable}: expected https://HOST/PATH, or http on 127.0.0.1, got {other[:100]}")
        return cls(name, base, frozenset({host}), a_second)


class _Pace:
    """Spreads requests evenly, over all clients of one address in this process."""

    def __init__(self, a_second: float) -> None:
        self._interval, self._next, self._lock = _SLOWER / a_second, 0.0, Lock()

    def wait(self, pause: float = 0.0) -> None:
        """Wait until the next request may be sent, at least `pause` seconds."""
        with self._lock:
            begin = max(time.monotonic() + pause, self._next)
            self._next = begin + self._interval
        time.sleep(max(0.0, begin - time.monotonic()))


_pace_of = cache(lambda address: _Pace(address.a_second))


class Client:
    """Asks one service; to be used as a context, which closes its connections.

    Proxies (`HTTPS_PROXY`, `NO_PROXY`) and certificates (`SSL_CERT_FILE`) are those of the environment, and certificates
    are always checked.

    Raises:
        UsageError: the client library is not installed, or the environment names an unusable proxy.
    """

    def __init__(self, address: Address) -> None:
        try:
            import httpx2
        except ImportError:
            raise UsageError("searching services needs httpx2, which is missing; install ilpsum[pubmed]") from None
        self._address, self._pace, self._http = address, _pace_of(address), httpx2
        headers = {"User-Agent": f"ilpsum/{__version__}", "Accept": "*/*", "Accept-Encoding": "gzip"}
        limits = httpx2.Timeout(_READ, connect=_CONNECT)
        try:
            self._client = httpx2.Client(headers=headers, timeout=limits, base_url=address.base)
        except (ValueError, OSError) as error:
            raise UsageError(f"the proxy or the certificates that the environment names: {error}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def ask(
        self,
        path: str,
        fields: Mapping[str, str],
        read: Callable[[bytes], Answer],
        *,
        most: int,
        post: bool = False,
    ) -> Answer:
        """Return what `read` makes of the body of an answer; ask again if the service is busy or answers badly.

        Args:
            path: below the address.
            fields: of the query, or of the form if `post`.
            read: raises a `BadAnswerError` if the body is not what was asked for.
            most: the largest body, in bytes, unpacked.

        Raises:
            ServiceError: the service cannot be reached, refuses, or never answered well.
        """
        pause = 0.0
        for further in (*PAUSES, None):
            try:
                return read(self._body(path, fields, most, pause, post=post))
            except BadAnswerError as error:
                if further is None or error.pause > _LONGEST_PAUSE:
                    wait = f"; it asks to wait {error.pause:.0f} seconds" if error.pause else "; try again later"
                    raise ServiceError(f"{self._address.name}: {error}{wait}") from None
                pause = max(further, error.pause)
        raise AssertionError("unreachable")

    def _body(self, path: str, fields: Mapping[str, str], most: int, pause: float, *, post: bool) -> bytes:
        http, name = self._http, self._address.name
        if post:
            request = self._client.build_request("POST", path, data=fields)
        else:
            request = self._client.build_request("GET", path, params=fields)
        try:
            for _ in range(_REDIRECTS + 1):
                self._pace.wait(pause)
                response = self._client.send(request, stream=True)
                try:
                    if not response.has_redirect_location:
                        self._accept(response)
                        return _bounded(response, most, name)
                    request = self._redirected(response)
                finally:
                    response.close()
        except http.TimeoutException:
            raise BadAnswerError("no answer in time") from None
        except (http.ConnectError, http.ProxyError, http.UnsupportedProtocol, http.InvalidURL) as error:
            what = "its certificate is not valid" if "CERTIFICATE" in str(error) else "cannot be reached"
            advice = "check the network and the proxy; what was fetched before is in the cache"
            raise ServiceError(f"{name}: {what} ({_short(error)}); {advice}") from None
        except http.HTTPError as error:
            raise BadAnswerError(f"the answer broke off ({_short(error)})") from None
        raise ServiceError(f"{name}: more than {_REDIRECTS} redirects; check its address")

    def _accept(self, response: "httpx2.Response") -> None:
        """Let only a success pass."""
        status = response.status_code
        if status in _BUSY:
            what = "too many requests" if status == 429 else "the service is busy or broken"
            raise BadAnswerError(f"{what} (status {status})", _asked_pause(response.headers.get("retry-after", "")))
        if status != 200:
            refused = "no such record" if status == 404 else "refused"
            raise RefusedError(f"{self._address.name}: {refused} (status {status})", status)

    def _redirected(self, response: "httpx2.Response") -> "httpx2.Request":
        """Return the request that a redirect asks for, if it stays with the service."""
        request = response.next_request
        if request is None or request.url.host not in self._address.hosts or not self._as_secure(request.url.scheme):
            where = request.url.host if request else "no address"
            raise ServiceError(f"{self._address.name}: redirected to {where}, which is not the service; not followed")
        return request

    def _as_secure(self, scheme: str) -> bool:
        return scheme in ("https", urlsplit(self._address.base).scheme)


def _bounded(response: "httpx2.Response", most: int, name: str) -> bytes:
    """Return a body of at most `most` bytes that arrives in time."""
    chunks, size, end = list[bytes](), 0, time.monotonic() + _WHOLE
    for chunk in response.iter_bytes():
        size += len(chunk)
        if size > most:
            raise ServiceError(f"{name}: an answer of more than {most // 2**20} MB is not read")
        if time.monotonic() > end:
            raise BadAnswerError(f"no whole answer in {_WHOLE:.0f} seconds")
        chunks.append(chunk)
    return b"".join(chunks)


def _asked_pause(header: str) -> float:
    """Return the seconds of a `Retry-After`, a number or a date; 0 if it is neither."""
    if header.isascii() and header.isdigit():
        return float(header[:9])
    try:
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return 0.0


def _short(error: Exception) -> str:
    return str(error)[:200] or type(error).__name__
