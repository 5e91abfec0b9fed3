"""What a client cannot do to the server: stay for ever, take all connections or all memory, fill the log."""

import asyncio
import contextlib
import logging
import socket
import threading
import time

import pytest

from ilpsum.pages.room import application, server

HOSTS = frozenset({"localhost"})
HEALTH = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n"


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
    "sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: loc", HEALTH + b"GET"]
)
def test_a_client_that_does_not_go_on_is_left(room, monkeypatch, sent):
    monkeypatch.setattr(server, "WAIT_SECONDS", 0.3)
    with serving(application(room, hosts=HOSTS)) as connect:
        began = time.monotonic()
        assert told(connect(sent)).count(b"HTTP/1.1 200") == sent.count(b"health")
        assert 0.2 < time.monotonic() - began < 15


def test_a_client_that_sends_byte_by_byte_is_left(room, monkeypatch):
    monkeypatch.setattr(server, "WAIT_SECONDS", 0.3)
    with serving(application(room, hosts=HOSTS)) as connect:
        began = time.monotonic()
        slow = connect(b"GET / HTTP/1.1\r\n")
        with contextlib.suppress(ConnectionError):
            while time.monotonic() - began < 15:
                slow.sendall(b"a")
                time.sleep(0.02)
        assert 0.2 < time.monotonic() - began < 15


@pytest.fixture
def checked(monkeypatch):
    """The connections whose wait is checked, in order, each time; the checks go on."""
    check, checked = server.Connection._again, []

    def again(connection, before):
        checked.append(connection)
        check(connection, before)

    monkeypatch.setattr(server.Connection, "_again", again)
    return checked


def test_work_takes_its_time(room, monkeypatch, checked):
    monkeypatch.setattr(server, "WAIT_SECONDS", 0.3)
    answer = room.answer

    def slow(ask):
        before = len(checked)
        while len(checked) < before + 3:
            time.sleep(0.01)
        return answer(ask)

    monkeypatch.setattr(room, "answer", slow)
    asked = b"GET /answer.json?question=gentamicin HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with serving(application(room, hosts=HOSTS)) as connect:
        assert told(connect(asked)).startswith(b"HTTP/1.1 200")


def test_beyond_the_most_connections_requests_are_refused(room, monkeypatch, checked):
    monkeypatch.setattr(server, "_MOST_CONNECTIONS", 5)
    monkeypatch.setattr(server, "WAIT_SECONDS", 600)
    with serving(application(room, hosts=HOSTS)) as connect:
        idle = [connect(b"GET / HT") for _ in range(10)]
        assert told(connect(HEALTH)).startswith(b"HTTP/1.1 503")
        # Those that wait are closed, and their places are free.
        for each in checked[:10]:
            each.loop.call_soon_threadsafe(each._again, (None,))
        assert all(told(each) == b"" for each in idle)
        assert healthy(connect)


def test_malformed_chunks_are_no_errors_of_the_server(room, capfd):
    start = b"POST /api/answers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with serving(application(room, hosts=HOSTS)) as connect:
        for chunk in (
            b"ZZZ\r\n",
            b"-1\r\n",
            b"5;" + b"x" * 70_000,
            b"F" * 30 + b"\r\n",
            b"5\r\nabcdeXX",
        ):
            answer = told(connect(start + b"Transfer-Encoding: chunked\r\n\r\n" + chunk))
            assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 405"))
        assert told(
            connect(HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        ).startswith(b"HTTP/1.1 200")
    assert "Traceback" not in capfd.readouterr().err


def test_requests_cancelled_at_the_end_are_no_errors():
    cancelled = asyncio.CancelledError, asyncio.CancelledError(), None
    for error, passes in ((cancelled, False), ((ValueError, ValueError(), None), True)):
        record = logging.LogRecord("x", logging.ERROR, "", 0, "x", (), error)
        assert server._is_of_ours(record) is passes
