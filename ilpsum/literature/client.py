"""HTTP client for web services, with the rules that every caller needs: rate, retries, timeouts,
hosts, sizes.
"""

import ipaddress
import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ilpsum.errors import IlpsumError, UsageError, counted
from ilpsum.files.numbers import whole_number
from ilpsum.files.work import Tell, silent
from ilpsum.resources import installs
from ilpsum.version import __version__

if TYPE_CHECKING:
    import httpx2

# Seconds before each retry, unless the service asks for more.
PAUSES = (1.0, 2.0, 4.0, 8.0)

# Timeouts in seconds: to connect, and between bytes; interval at which a wait is reported and can
# be ended.
_CONNECT, _READ, _TICK = 15.0, 30.0, 1.0
# Stay below the permitted rate: travel times vary, and NCBI has refused requests a third of a
# second apart.
_SLOWER = 1.12
# Maximum characters quoted of an error of the HTTP library, which can hold bytes of the service.
_QUOTED = 150
# Bytes that are read of the response that comes with an error.
_ERROR_BYTES = 4000
_PASSWORD = re.compile("//[^/@]*@")
_ERRNO = re.compile(r"\[Errno -?\d+\] ")
_BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class ServiceError(IlpsumError):
    """A service cannot be reached, refuses (with its HTTP status and the start of its response), or
    does not return what was requested.
    """

    def __init__(self, message: str, status: int = 0, response: bytes = b"") -> None:
        super().__init__(message)
        self.status, self.response = status, response


class BadAnswerError(Exception):
    """A missing or unexpected response; retrying may help, after `pause` seconds."""

    def __init__(self, reason: str, pause: float = 0.0) -> None:
        super().__init__(reason)
        self.pause = pause


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a service, and whom to tell meanwhile.

    Attributes:
        seconds: time limit of a request with its pauses and retries.
        tell: takes a line about once a second.
        end: time of the monotonic clock by which all requests must be answered; None for no such
            limit.
        silence: longest wait in seconds for the next byte of a response; None for 30.
        setting: key of the setting that allows more seconds.
    """

    seconds: float = 120.0
    tell: Tell = silent
    end: float | None = None
    silence: float | None = None
    setting: str = "source.seconds"

    def in_all(self) -> "Patience":
        """Return a patience whose time limit, from now, is that of all requests together."""
        return replace(self, end=time.monotonic() + self.seconds)


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a path below the base URL: a GET with query parameters, or a POST of form fields
    or of other content, which is JSON.
    """

    path: str
    fields: Mapping[str, str] = field(default_factory=dict)
    post: bool = False
    content: bytes | None = None

    def options(self) -> dict[str, Any]:
        """Return the request as the HTTP library takes it."""
        if self.content is not None:
            return {
                "method": "POST",
                "content": self.content,
                "headers": {"Content-Type": "application/json"},
            }
        if self.post:
            return {"method": "POST", "data": self.fields}
        return {"method": "GET", "params": self.fields or None}


class _Pace:
    """Spreads requests evenly over time, across all clients of one address in this process."""

    def __init__(self, a_second: float) -> None:
        self._interval, self._next, self._lock = _SLOWER / a_second, 0.0, Lock()

    def wait(self, pause: float) -> None:
        with self._lock:
            begin = max(time.monotonic() + pause, self._next)
            self._next = begin + self._interval
        time.sleep(max(0.0, begin - time.monotonic()))


_pace = cache(lambda _base, a_second: _Pace(a_second))


class Client:
    """HTTP client for one service; uses the environment's proxies and certificates, and always
    verifies certificates.

    Args:
        name: name of the service, for messages.
        base: base URL.
        a_second: maximum requests per second.
        patience: how long to wait.
        headers: further headers of each request, such as a key.
        extra: the extra that installs the HTTP library.
        near: whether plain http is allowed in the own network, too; it passes by the environment's
            proxies, which could read it.

    Raises:
        UsageError: the URL is neither https nor http on this machine, or httpx2 is not installed.
    """

    def __init__(
        self,
        name: str,
        base: str,
        a_second: float,
        patience: Patience | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        extra: str = "pubmed",
        near: bool = False,
    ) -> None:
        require_safe(name, base, near=near)
        try:
            import httpx2
        except ImportError:
            raise UsageError(
                f"{name} needs httpx2, which is not installed: {installs(extra)}"
            ) from None
        self._name, self.base, self._patience = name, base.rstrip("/") + "/", patience or Patience()
        self._httpx, self._pace = httpx2, _pace(self.base, a_second)
        self._silence = self._patience.silence or _READ
        self._is_direct = near and urlsplit(base).scheme == "http"
        standard = {
            "User-Agent": f"ilpsum/{__version__}",
            "Accept": "*/*",
            "Accept-Encoding": "gzip",
        }
        try:
            self._client = httpx2.Client(
                headers={**standard, **(headers or {})},
                timeout=httpx2.Timeout(self._silence, connect=_CONNECT),
                trust_env=not self._is_direct,
            )
        except (ValueError, OSError) as error:
            raise UsageError(f"invalid proxy or certificates in the environment: {error}") from None
        self.close = self._client.close

    def ask(self, request: Request, check: Callable[[bytes], object], most: int) -> bytes:
        """Send a request and return the body; retry if the service is busy or the response is bad.
        Follow no redirect.

        Args:
            request: what to send.
            check: raises a `BadAnswerError` if the body is not what was requested.
            most: maximum size of the unpacked body, in bytes.

        Raises:
            ServiceError: the service cannot be reached, refuses, or never gave a good response.
        """
        pause, end = 0.0, self._patience.end or time.monotonic() + self._patience.seconds
        for further in (*PAUSES, None):
            try:
                body = self._until(end, partial(self._body, request, most, pause))
                check(body)
                return body
            except BadAnswerError as error:
                pause = max(further or 0.0, error.pause)
                if further is None or time.monotonic() + pause > end:
                    when = f"in {counted(round(error.pause), 'second')}" if error.pause else "later"
                    raise ServiceError(f"{self._name}: {error}; try again {when}") from None
                self._patience.tell(f"{self._name}: {error}; asking again in {pause:g} s")
        raise AssertionError("the last attempt returns or raises")

    def _until(self, end: float, work: Callable[[], bytes]) -> bytes:
        """Return the result of `work`, or raise a `ServiceError` at the time `end`.

        The work is done in a thread that is left behind at the end: a client that reads a line, a
        header or a chunk comes back only when it is complete, however slowly its bytes arrive.
        """
        done, began = Future[bytes](), time.monotonic()
        Thread(target=_settle, args=(done, work), daemon=True).start()
        try:
            while not wait([done], max(0.0, min(_TICK, end - time.monotonic()))).done:
                if time.monotonic() >= end:
                    limit = f"within {self._patience.seconds:g} seconds"
                    more = f"try again later, or allow more time ({self._patience.setting})"
                    raise ServiceError(f"{self._name}: no complete answer {limit}; {more}")
                self._patience.tell(
                    f"{self._name}: waiting for an answer, {time.monotonic() - began:.0f} s"
                )
        except BaseException:
            self.close()
            raise
        return done.result()

    def _body(self, request: Request, most: int, pause: float) -> bytes:
        """Send a request and return the body; httpx's errors become errors of the service."""
        try:
            self._pace.wait(pause)
            with self._client.stream(url=self.base + request.path, **request.options()) as response:
                return self._read(response, most)
        except self._httpx.InvalidURL:
            raise ServiceError(f"{self._name}: the query is too long; use fewer words") from None
        except self._httpx.TimeoutException:
            # Do not retry: the caller has already waited long.
            raise ServiceError(
                f"{self._name}: no answer for {self._silence:g} seconds; try again later"
            ) from None
        except (
            self._httpx.ConnectError,
            self._httpx.ProxyError,
            self._httpx.UnsupportedProtocol,
        ) as error:
            what = (
                "its certificate is not valid"
                if "CERTIFICATE" in str(error)
                else "cannot be reached"
            )
            # The number of an error of the system tells a reader nothing.
            reason = _ERRNO.sub("", str(error))[:_QUOTED].lower()
            to_do = "see whether it runs" if self._is_direct else "check the network and the proxy"
            raise ServiceError(f"{self._name}: {what} ({reason}); {to_do}") from None
        except self._httpx.HTTPError as error:
            raise BadAnswerError(f"the response was incomplete ({str(error)[:_QUOTED]})") from None

    def _read(self, response: "httpx2.Response", most: int) -> bytes:
        """Return the body of a successful response, within `most` bytes."""
        status = response.status_code
        if status in _BUSY:
            what = "too many requests" if status == 429 else "busy or broken"
            asked = whole_number(response.headers.get("retry-after", ""))
            raise BadAnswerError(f"{what} (status {status})", asked or 0)
        encoding = response.headers.get("content-encoding", "gzip").strip().lower()
        is_known = encoding in ("gzip", "identity")
        if status != 200:
            # The start of the response may say why.
            begin = next(response.iter_bytes(_ERROR_BYTES), b"") if is_known else b""
            raise ServiceError(
                f"{self._name}: refused (status {status}); check the query and the address",
                status,
                begin,
            )
        if not is_known:
            # A doubly compressed body would fill the memory before its size is known.
            raise BadAnswerError("the response has an unexpected encoding")
        chunks, size = list[bytes](), 0
        for chunk in response.iter_bytes():
            chunks.append(chunk)
            size += len(chunk)
            if size > most:
                raise ServiceError(f"{self._name}: the response has more than {most // 2**20} MB")
        return b"".join(chunks)


def _settle(done: "Future[bytes]", work: Callable[[], bytes]) -> None:
    """Do some work and keep its result, or its exception, for whoever waits for it."""
    try:
        done.set_result(work())
    except BaseException as error:
        done.set_exception(error)


def require_safe(name: str, base: str, *, near: bool) -> None:
    """Raise `UsageError` unless a base URL is https, or http on this machine or, if `near`, in the
    own network: at a private address, or a name without a domain.
    """
    with suppress(ValueError):
        parts = urlsplit(base)
        host = parts.hostname or ""
        is_near = host in _LOOPBACK or (near and (is_private(base) or _is_local_name(host)))
        secure = parts.scheme == "https" or (parts.scheme == "http" and is_near)
        if (
            secure
            and host
            and parts.port != 0
            and not (parts.query or parts.fragment or parts.username)
        ):
            return
    network = " or in your own network" if near else ""
    raise UsageError(
        f"the address of {name}: expected https://HOST/PATH, or http on 127.0.0.1{network}, got "
        f"{_PASSWORD.sub('//***@', base)[:100]}"
    )


def is_private(url: str) -> bool:
    """Return whether the host of a URL is this machine, or a private address in digits."""
    host = urlsplit(url).hostname or ""
    try:
        return host in _LOOPBACK or ipaddress.ip_address(host).is_private
    except ValueError:
        return False


def _is_local_name(host: str) -> bool:
    """Return whether only a local network resolves a host: a name, which begins with a letter, as
    other numbers than dotted ones are public addresses, too.
    """
    is_one_word = "." not in host and ":" not in host
    return host[:1].isalpha() and (is_one_word or host.endswith((".local", ".internal", ".lan")))
