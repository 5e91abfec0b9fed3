"""What a client cannot do to the server: stay for ever, take all connections or all memory, fill the log."""

import asyncio
import contextlib
import logging
import platform
import resource
import socket
import subprocess
import sys
import threading
import time

import pytest

from ilpsum.pages.room import application, guard, server

HOSTS = frozenset({"localhost"})
HEALTH = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n"


def head(length, route="answers"):
    lines = (
        f"POST /api/{route} HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/json",
        f"Content-Length: {length}",
    )
    return "\r\n".join((*lines, "", "")).encode()


@contextlib.contextmanager
def serving(app):
    """Serve an application in a thread, and give what opens connections to it."""
    listener = socket.create_server(("127.0.0.1", 0))
    running, opened = server.server(app), []

    def connect(sent=b""):
        connection = socket.create_connection(listener.getsockname(), timeout=20)
        connection.sendall(sent)
        opened.append(connection)
        return connection

    thread = threading.Thread(target=running.run, args=([listener],))
    thread.start()
    try:
        yield connect
    finally:
        for connection in opened:
            connection.close()
        running.should_exit = True
        thread.join(20)


def told(connection):
    """Return all that comes until the server closes a connection."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def healthy(connect):
    connection = connect(HEALTH)
    return connection.recv(65536).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: loc", head(100) + b'{"question": ', HEALTH + b"GET"]
)
def test_a_client_that_does_not_go_on_is_left(room, monkeypatch, sent):
    monkeypatch.setattr(server, "WAIT_SECONDS", 0.3)
    with serving(application(room, hosts=HOSTS)) as connect:
        slow, began = connect(sent), time.monotonic()
        assert told(slow).count(b"HTTP/1.1 200") == sent.count(b"health")
        assert 0.2 < time.monotonic() - began < 5


def test_a_client_that_sends_byte_by_byte_is_left(room, monkeypatch):
    monkeypatch.setattr(server, "WAIT_SECONDS", 0.3)
    with serving(application(room, hosts=HOSTS)) as connect:
        slow, began = connect(b"GET / HTTP/1.1\r\n"), time.monotonic()
        with contextlib.suppress(ConnectionError):
            while time.monotonic() - began < 5:
                slow.sendall(b"a")
                time.sleep(0.02)
        assert 0.2 < time.monotonic() - began < 5


def test_work_takes_its_time(room, monkeypatch):
    monkeypatch.setattr(server, "WAIT_SECONDS", 0.2)
    answer = room.answer
    monkeypatch.setattr(room, "answer", lambda ask: (time.sleep(0.7), answer(ask))[1])
    body = b'{"question": "gentamicin"}'
    with serving(application(room, hosts=HOSTS)) as connect:
        assert told(connect(head(len(body)) + body)).startswith(b"HTTP/1.1 200")


def test_beyond_the_most_connections_requests_are_refused(room, monkeypatch):
    monkeypatch.setattr(server, "_MOST_CONNECTIONS", 5)
    monkeypatch.setattr(server, "WAIT_SECONDS", 1)
    with serving(application(room, hosts=HOSTS)) as connect:
        idle = [connect(b"GET / HT") for _ in range(10)]
        time.sleep(0.2)
        assert told(connect(HEALTH)).startswith(b"HTTP/1.1 503")
        # Those that wait are closed, and their places are free.
        assert all(told(each) == b"" for each in idle)
        assert healthy(connect)


def test_bodies_half_sent_are_bounded_together(room, monkeypatch):
    monkeypatch.setattr(guard, "MOST_IN_FLIGHT", 2 * 2**20)
    half = b'{"question": "velin", "texts": [{"text": "' + b"x" * 400_000
    with serving(application(room, hosts=HOSTS)) as connect:
        sending = [connect(head(2**20) + half) for _ in range(2)]
        time.sleep(0.5)
        assert connect(head(2**20) + half).recv(65536).startswith(b"HTTP/1.1 503")
        assert healthy(connect)
        for connection in sending:
            connection.close()
        time.sleep(0.5)
        # Their bytes are free again.
        body = b'{"question": "gentamicin", "texts": [{"text": "' + b"Velin binds. " * 50_000 + b'"}]}'
        assert connect(head(len(body)) + body).recv(65536).startswith(b"HTTP/1.1 200")


def test_a_client_that_leaves_while_it_sends_is_one_debug_line(room, caplog, capsys):
    caplog.set_level(logging.DEBUG, "ilpsum.pages.room")
    with serving(application(room, hosts=HOSTS)) as connect:
        connect(head(1000) + b'{"question": ').close()
        deadline = time.monotonic() + 10
        while not caplog.records and time.monotonic() < deadline:
            time.sleep(0.01)
        assert healthy(connect)
    (record,) = caplog.records
    assert (record.levelname, record.exc_info) == ("DEBUG", None)
    assert "left" in record.getMessage()
    assert capsys.readouterr().err == ""


def test_malformed_chunks_are_no_errors_of_the_server(room, capfd):
    start = b"POST /api/answers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with serving(application(room, hosts=HOSTS)) as connect:
        for chunk in (b"ZZZ\r\n", b"-1\r\n", b"5;" + b"x" * 70_000, b"F" * 30 + b"\r\n", b"5\r\nabcdeXX"):
            answer = told(connect(start + b"Transfer-Encoding: chunked\r\n\r\n" + chunk))
            assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 411"))
        assert told(connect(HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))).startswith(b"HTTP/1.1 200")
    assert "Traceback" not in capfd.readouterr().err


def test_requests_cancelled_at_the_end_are_no_errors():
    cancelled = asyncio.CancelledError, asyncio.CancelledError(), None
    for error, passes in ((cancelled, False), ((ValueError, ValueError(), None), True)):
        record = logging.LogRecord("x", logging.ERROR, "", 0, "x", (), error)
        assert server._is_of_ours(record) is passes


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_is_freed_goes_back_to_the_system(room, monkeypatch):
    monkeypatch.setattr(server, "_TRIM_SECONDS", 0.1)
    kept = [bytes(2000) for _ in range(50_000)]
    last = kept[-1]
    with serving(application(room, hosts=HOSTS)):
        full = resident()
        kept.clear()
        end = time.monotonic() + 20
        # The last one keeps the end of the heap, which would go back without being asked for.
        while resident() > full - 60 and time.monotonic() < end:
            time.sleep(0.05)
        assert resident() <= full - 60
    assert last == bytes(2000)


def resident():
    """Return the megabytes of memory of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


_LARGE_BLOCKS = """
import threading
import numpy as np
from ilpsum.pages.room import server

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4 // 1024

def work():
    for size in range(1, 7):
        arrays = [np.ones(size * 500_000) for _ in range(4)]

server._of_c_library("mallopt", server._MMAP_THRESHOLD, server._LARGE)
before = resident()
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(resident() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a setting of the GNU C library")
def test_large_blocks_go_back_when_they_are_freed():
    grown = subprocess.run([sys.executable, "-c", _LARGE_BLOCKS], capture_output=True, text=True, check=True)
    assert int(grown.stdout) < 50  # MB; 130 and more by default
