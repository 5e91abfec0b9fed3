"""The manners of the client, and what it refuses."""

import contextlib
import gzip
import itertools
import logging
import socketserver
import ssl
import subprocess
import threading
import time

import pytest

from ilpsum.answers.finding import Wanted, find
from ilpsum.errors import UsageError
from ilpsum.literature import client
from ilpsum.literature.client import PAUSES, Client, Patience, ServiceError
from ilpsum.literature.entrez import PubMed
from ilpsum.literature.services import Cache
from tests.ilpsum.answers.standin import Fault, Standin

NEWTS = Wanted(query="newts", most=5)
# A hundred megabytes, in a kilobyte.
TWICE = gzip.compress(gzip.compress(b" " * 10**8))


class Clock:
    """A clock for the client alone that only its sleeping moves."""

    def __init__(self):
        self.now, self.slept = 0.0, []

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        self.slept.append(seconds)


@pytest.fixture
def clock(monkeypatch):
    # The pace of an earlier test is one of real time, and a port can be used again.
    client._pace.cache_clear()
    clock = Clock()
    monkeypatch.setattr(client, "time", clock)
    return clock


def asked(standin, wanted=NEWTS, service="pubmed"):
    """Ask, and return the lines of what was found, or of the error."""
    try:
        return find(wanted, [service])[0].notes
    except ServiceError as error:
        return (str(error),)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_service_is_asked_again(standin, status):
    standin.faults = [Fault(status, b"busy")] * 2
    assert asked(standin) == ("PubMed: newts: 450 found, 5 fetched",)
    assert len(standin.asked) == 4


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault(503, b"busy"), "busy or broken (status 503); try again later"),
        (Fault(429, b"{}"), "too many requests (status 429); try again later"),
        (Fault(body=b"<!DOCTYPE html><title>Down</title>"), "expected JSON, got a web page; try again later"),
        (Fault(body=b"<HTML>Down", headers={"Content-Type": "application/json"}), "expected JSON, got a web page; try"),
        (Fault(body=b""), "expected JSON, got a part of it or something else; try again later"),
        (Fault(body=b'{"error": "API rate limit exceeded"}'), "it says 'API rate limit exceeded'; check a query of"),
        (Fault(body=b'{"esearchresult": {"count": "x"}}'), "expected the result of a search, got other JSON; try"),
        (Fault(body=b'{"esearchresult": {"count": "%s"}}' % (b"9" * 5000)), "expected the result of a search, got"),
        (Fault(body=TWICE, headers={"Content-Encoding": "gzip, gzip"}), "the response has an unexpected encoding"),
        (Fault(cut=20), "the response was incomplete (peer closed connection without sending complete message"),
    ],
)  # fmt: skip
def test_a_service_that_never_answers_well_is_one_line(standin, fault, expected):
    standin.faults = [fault] * 3
    (line,) = asked(standin)
    assert line.startswith(f"PubMed: {expected}")
    assert line.isprintable()
    assert len(standin.asked) == 3
    # The service is well again, and nothing of the failure is in the cache.
    assert asked(standin) == ("PubMed: newts: 450 found, 5 fetched",)


@pytest.mark.parametrize(
    "damage",
    [
        lambda body: body[: len(body) // 2],
        lambda body: body.replace(b"<PMID", b"<PMID <", 1),
        lambda body: body.replace(
            b"<PubmedArticleSet>", b"<!DOCTYPE x [<!ENTITY e 'x'>]><PubmedArticleSet>"
        ),
        lambda body: body.replace(b"Newts", b"\xff\xfe"),
        lambda _: b"<eFetchResult><ERROR>Unable to obtain query #1</ERROR></eFetchResult>",
        lambda _: b"<!DOCTYPE html><html><body>Try later</body></html>",
    ],
)
def test_damaged_records_are_asked_for_again_and_never_kept(standin, damage):
    standin.faults = [Fault(only="efetch", raw=damage)] * 3
    (line,) = asked(standin)
    assert line.startswith("PubMed: ")
    assert line.endswith("; try again later")
    assert asked(standin) == ("PubMed: newts: 450 found, 5 fetched",)


def test_a_gzip_that_is_cut_off_is_asked_for_again(standin):
    def cut(body):
        return gzip.compress(body)[:-40]

    standin.faults = [Fault(only="efetch", raw=cut, headers={"Content-Encoding": "gzip"})]
    assert asked(standin) == ("PubMed: newts: 450 found, 5 fetched",)
    assert len(standin.asked) == 3


def test_a_service_says_how_long_to_wait(standin, clock):
    standin.faults = [Fault(429, b"", {"Retry-After": "7"}), Fault(503, b"", {"Retry-After": "90"})]
    assert asked(standin) == ("PubMed: newts: 450 found, 5 fetched",)
    assert [wait for wait in clock.slept if wait > 1] == [7, 90]
    standin.faults = [Fault(429, b"", {"Retry-After": "Sun, 06 Nov 1994 08:49:37 +99999999"})]
    assert asked(standin, Wanted(query="eels", most=5))[0].startswith("PubMed: eels: ")
    standin.faults = [Fault(429, b"", {"Retry-After": "86400"}, only="rest")]
    assert asked(standin, service="europepmc") == (
        "Europe PMC: too many requests (status 429); try again in 86,400 seconds",
    )


def test_pauses_double_before_a_busy_service_is_given_up(standin, clock, monkeypatch):
    monkeypatch.setattr(client, "PAUSES", PAUSES)
    standin.faults = [Fault(503, b"busy")] * 5
    assert asked(standin) == ("PubMed: busy or broken (status 503); try again later",)
    assert len(standin.asked) == 5
    assert clock.slept == [0, 1, 2, 4, 8]


def test_a_refusal_is_final(standin):
    standin.faults = [Fault(400, b"no")]
    assert asked(standin) == ("PubMed: refused (status 400); check the query and the address",)
    assert len(standin.asked) == 1


@pytest.mark.parametrize("a_second", [3, 10])
def test_requests_keep_the_rate(clock, a_second):
    times = []
    pace = client._Pace(a_second)
    for pause in (0, 0, 0, 5, 0, 0):
        pace.wait(pause)
        times.append(clock.now)
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert times[0] == 0
    assert gaps.pop(2) == pytest.approx(5)
    assert gaps == pytest.approx([1.12 / a_second] * 4)
    # Not more than allowed in any second.
    assert max(sum(0 <= other - time < 1 for other in times) for time in times) <= a_second


def test_the_rate_is_that_of_whoever_asks_and_of_all_its_clients(standin, monkeypatch):
    first, second = PubMed(Cache()), PubMed(Cache())
    assert first._client._pace is second._client._pace
    assert first.a_second == 3
    monkeypatch.setenv("NCBI_API_KEY", "k")
    assert PubMed(Cache()).a_second == 10


def test_a_limit_of_the_service_is_waited_for(standin):
    standin.limit = 1
    assert asked(standin) == ("PubMed: newts: 450 found, 5 fetched",)
    *_, before, last = (each.at for each in standin.asked)
    assert last - before >= 1


def test_a_key_and_an_address_go_with_every_request_and_into_no_file(
    standin, monkeypatch, tmp_path, caplog
):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("NCBI_API_KEY", "s3cret")
    monkeypatch.setenv("ILPSUM_EMAIL", "ada@example.org")
    assert asked(standin) == ("PubMed: newts: 450 found, 5 fetched",)
    assert {each.body.decode().partition("&tool=")[2] for each in standin.asked} == {
        "ilpsum&email=ada%40example.org&api_key=s3cret"
    }
    assert all("s3cret" not in each.target for each in standin.asked)
    assert not any(b"s3cret" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    standin.faults = [Fault(400, b"s3cret")]
    assert "s3cret" not in asked(standin, Wanted(query="other", most=1))[0]
    assert "POST" in caplog.text
    assert "s3cret" not in caplog.text


@pytest.mark.parametrize(
    "target", ["http://127.0.0.2/", "https://example.org/x", "{here}/eutils/esearch.fcgi"]
)
def test_no_redirect_is_followed(standin, target):
    standin.faults = [Fault(302, b"", {"Location": target.format(here=standin.address)})]
    assert asked(standin) == ("PubMed: refused (status 302); check the query and the address",)
    assert len(standin.asked) == 1


def test_an_endless_answer_is_not_read(standin, monkeypatch):
    monkeypatch.setattr("ilpsum.literature.services.MAX_TEXT", 2**20)
    bomb = gzip.compress(bytes(8 * 2**20))
    standin.faults = [Fault(body=bomb, headers={"Content-Encoding": "gzip"})]
    assert asked(standin) == ("PubMed: the response has more than 2 MB",)


def test_a_slow_service_is_given_up(standin, monkeypatch):
    monkeypatch.setattr(client, "_READ", 0.2)
    standin.faults = [Fault(slow=600)] * 3
    assert asked(standin) == ("PubMed: no answer for 0.2 seconds; try again later",)
    assert len(standin.asked) == 1


def test_pauses_add_up_to_a_bound(standin, clock):
    standin.faults = [Fault(429, b"", {"Retry-After": "70"})] * 5
    assert asked(standin) == ("PubMed: too many requests (status 429); try again in 70 seconds",)
    assert len(standin.asked) == 2


_HEAD = b"HTTP/1.1 200 OK\r\n"
_ZIPPED, _GZIP = b"Content-Encoding: gzip\r\n", gzip.compress(b"")


@pytest.mark.parametrize(
    ("start", "again"),
    [
        (_HEAD + b"Content-Length: 100000\r\n\r\n", b"{"),
        (_HEAD + b"X-Header: ", b"x"),
        (b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
        (_HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;", b"e"),
        (_HEAD + _ZIPPED + b"Transfer-Encoding: chunked\r\n\r\n", b"%x\r\n%s\r\n" % (len(_GZIP), _GZIP)),
        (_HEAD + _ZIPPED + b"Content-Length: 100000\r\n\r\n\x1f\x8b\x08\x08\0\0\0\0\0\xff", b"n"),
    ],
    ids=["a body", "a header", "provisional answers", "a chunk's extension", "empty members", "a name in gzip"],
)  # fmt: skip
def test_whatever_drips_is_given_up(environment, monkeypatch, start, again):
    monkeypatch.setattr(client, "_TICK", 0.05)
    told = []
    with Dripping(start, again) as service:
        monkeypatch.setenv("ILPSUM_EUTILS_URL", service.address)
        with pytest.raises(
            ServiceError, match=r"^PubMed: no complete answer within 1\.2 seconds; try again later"
        ):
            find(NEWTS, ["pubmed"], patience=Patience(1.2, told.append))
        assert service.gone.wait(60), "the client keeps the connection"
    first, *waiting, last = told
    assert (first, last) == ("PubMed: searching newts", "")
    # A busy machine may leave no time to tell it.
    assert set(waiting) <= {f"PubMed: waiting for an answer, {n} s" for n in (0, 1)}


class Dripping(socketserver.ThreadingTCPServer):
    """A service that answers without end, a few bytes at a time; `gone` is set when its client has gone."""

    daemon_threads = allow_reuse_address = True

    def __init__(self, start, again):
        super().__init__(("127.0.0.1", 0), None)
        self.start, self.again, self.gone = start, again, threading.Event()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def finish_request(self, request, _address):
        request.recv(65536)
        with contextlib.suppress(OSError):
            request.sendall(self.start)
            while True:
                request.sendall(self.again)
                time.sleep(0.01)
        self.gone.set()

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


def test_whoever_waits_is_told_why_and_may_leave(standin, monkeypatch):
    told = []
    monkeypatch.setattr(client, "_TICK", 600.0)
    standin.faults = [Fault(503, b"busy")]
    find(NEWTS, ["pubmed"], patience=Patience(tell=told.append))
    assert told == [
        "PubMed: searching newts",
        "PubMed: busy or broken (status 503); asking again in 0 s",
        "PubMed: newts: 450 found, 5 fetched",
        "PubMed: fetching records, 1 file so far",
        "",
    ]

    def leave(text):
        if "waiting" in text:
            raise InterruptedError

    monkeypatch.setattr(client, "_TICK", 0.05)
    standin.faults = [Fault(slow=600)]
    with pytest.raises(InterruptedError):
        find(Wanted(query="toads"), ["pubmed"], patience=Patience(tell=leave))


def test_a_question_has_one_limit_for_all_its_requests(standin):
    standin.faults = [Fault(slow=0.7)] * 9
    with pytest.raises(ServiceError, match="no complete answer within 1 seconds"):
        find(Wanted("How do newts of the north sing in ponds?"), ["pubmed"], patience=Patience(1.0))
    assert len(standin.asked) < 5
    assert asked(standin, Wanted(query="newts", most=5))


def test_a_service_out_of_reach_is_one_line_at_once(standin, monkeypatch):
    monkeypatch.setenv("ILPSUM_EUTILS_URL", "http://127.0.0.1:1/")
    (line,) = asked(standin)
    assert line == "PubMed: cannot be reached (connection refused); check the network and the proxy"


def test_a_proxy_of_the_environment_is_used(standin, monkeypatch):
    monkeypatch.setenv("ILPSUM_EUTILS_URL", "http://localhost:1/eutils")
    monkeypatch.setenv("http_proxy", standin.address)
    monkeypatch.setenv("no_proxy", "")
    assert asked(standin) == ("PubMed: newts: 450 found, 5 fetched",)
    assert standin.asked[0].target == "http://localhost:1/eutils/esearch.fcgi"


def test_a_certificate_of_nobody_is_refused(standin, monkeypatch, tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    make = "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=127.0.0.1 -days 2".split()
    try:
        subprocess.run(
            [*make, "-keyout", key, "-out", certificate], check=True, capture_output=True
        )
    except FileNotFoundError:
        pytest.skip("no openssl to make a certificate")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with Standin() as secure:
        secure.socket = context.wrap_socket(secure.socket, server_side=True)
        monkeypatch.setenv("ILPSUM_EUTILS_URL", secure.address.replace("http:", "https:"))
        (line,) = asked(secure)
    assert line.startswith("PubMed: its certificate is not valid (")
    assert secure.asked == []


@pytest.mark.parametrize(
    "base",
    ["http://example.org/", "http://127.0.0.1.example.org/", "ftp://127.0.0.1/", "file:///etc", "127.0.0.1", "https://",
     "https://user:word@example.org/", "https://example.org/?x=1", "https://example.org:99999/", "https://[::1/"],
)  # fmt: skip
def test_an_address_is_https_or_this_machine(base):
    with pytest.raises(UsageError, match=r"expected https://HOST/PATH, or http on 127\.0\.0\.1"):
        Client("PubMed", base, 3)


def test_a_query_that_no_address_can_hold_is_one_line(standin):
    assert asked(standin, Wanted(query="a" * 70_000, most=5), "europepmc") == (
        "Europe PMC: the query is too long; use fewer words",
    )
    with pytest.raises(UsageError, match="not valid UTF-8"):
        asked(standin, Wanted(query="newts \udcff"))


def test_without_the_library_there_is_a_line(standin, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "httpx2", None)
    with pytest.raises(
        UsageError, match=r"PubMed needs httpx2, which is not installed: .*install.*\[pubmed\]'"
    ):
        find(NEWTS, ["pubmed"])
