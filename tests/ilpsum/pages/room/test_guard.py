"""What the server refuses: other hosts and origins, missing tokens, too much at once, hostile texts."""

import html
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest
from anyio.from_thread import check_cancelled
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.testclient import TestClient

from ilpsum.answers.searching import AbstractSearch
from ilpsum.errors import InputError
from ilpsum.pages.room import Session, application
from ilpsum.pages.room.guard import Queue, is_foreign
from ilpsum.records import Document

HOSTS = frozenset({"testserver", "localhost", "[::1]"})


def status(reply, expected):
    assert reply.status_code == expected, reply.text
    assert reply.text.count("\n") == 1
    assert "Traceback" not in reply.text
    return reply.text


@pytest.mark.parametrize(
    "host", ["evil.example", "testserver.evil.example", "", "127.0.0.2", "[::2]:80", "[::1"]
)
def test_another_host_is_refused(client, host):
    refused = client.get("/", headers={"host": host})
    assert (refused.status_code, refused.text) == (400, "Invalid host header")
    assert refused.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("host", ["testserver", "localhost:8314", "[::1]:8314", "LOCALHOST"])
def test_a_host_of_ours_is_served(room, host):
    client = TestClient(application(room, hosts=HOSTS))
    assert client.get("/api/health", headers={"host": host}).json()["status"] == "ok"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_but_get_without_a_body_is_accepted(client, method):
    status(client.request(method, "/"), 405)
    status(client.request("GET", "/", content=b"{}"), 405)
    status(client.request("GET", "/", content=iter([b"{}"])), 405)


def test_the_token_opens_the_room(room):
    client = TestClient(application(room, hosts=HOSTS, token="s3cret"), follow_redirects=False)
    status(client.get("/"), 401)
    status(client.get("/?token=other"), 401)
    status(client.get("/api/health", headers={"authorization": "Bearer other"}), 401)
    assert client.get("/api/health", headers={"authorization": "Bearer s3cret"}).status_code == 200
    entered = client.get("/?token=s3cret")
    assert entered.status_code == 303
    assert "HttpOnly" in entered.headers["set-cookie"]
    assert "SameSite=strict" in entered.headers["set-cookie"]
    assert client.get("/").status_code == 200  # by the cookie


def test_settings_out_of_bounds_are_refused(client):
    status(client.get("/", headers={"content-length": "9" * 5000}), 405)
    for fields in (
        {"words": 501},
        {"words": 0},
        {"lambda": 1.5},
        {"lambda": "NaN"},
        {"question": "x" * 6001},
        {"unknown": 1},
        {"keep": ["x"] * 51},
        {"kinds": "newts"},
        {"words": "x"},
    ):
        params = {"question": "velin", **fields}
        text = status(client.get("/answer.json", params=params), 422)
        assert text.removesuffix("\n").isprintable()
        # The page stays, and says the same.
        page = client.get("/", params=params)
        assert page.status_code == 422
        said = html.escape(f"{text[:1].upper()}{text[1:-1]}.")
        assert f'role="alert">{said}</p>' in page.text
        assert '<form id="ask"' in page.text
    status(client.get("/answer.json", params={"\x1b[2J": 1}), 422)
    status(client.get("/assets/../app.py"), 404)
    status(client.get("/assets/%2e%2e%2fapp.py"), 404)


def test_requests_that_would_wait_too_long_are_refused(room, monkeypatch):
    begun, release = threading.Semaphore(0), threading.Event()

    def slow(_ask):
        begun.release()
        release.wait(20)
        raise InputError("the index is gone", "index")

    monkeypatch.setattr(room, "answer", slow)
    with TestClient(application(room, hosts=HOSTS, queue=Queue(1))) as client:
        first = threading.Thread(
            target=lambda: client.get("/answer.json", params={"question": "a"})
        )
        first.start()
        assert begun.acquire(timeout=20)
        status(client.get("/answer.json", params={"question": "b"}), 503)
        release.set()
        first.join()
        # The place is free again, and the error of the work is one line.
        assert (
            status(client.get("/answer.json", params={"question": "b"}), 422)
            == "index: the index is gone\n"
        )
        assert begun.acquire(timeout=20)


async def requested(app, name, left, statuses):
    """Ask a question of a name, leave at an event, and note the status under the name."""
    messages = [{"type": "http.request", "body": b""}]

    async def receive():
        if messages:
            return messages.pop()
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        statuses.setdefault(name, message.get("status"))

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/answer.json",
        "client": ("127.0.0.1", 1),
        "scheme": "http",
    }
    address = {"query_string": f"question={name}".encode(), "headers": [(b"host", b"testserver")]}
    await app({**scope, **address}, receive, send)


def test_work_of_clients_that_left_is_not_begun_or_stops(room, monkeypatch):
    """Of three requests to one thread the second leaves before its turn, then the first during its work."""
    begun, left = [], {name: anyio.Event() for name in "abc"}

    def slow(ask):
        begun.append(ask.question)
        for _ in range(2000 if ask.question == "a" else 0):
            time.sleep(0.01)
            check_cancelled()
        raise InputError("the index is gone", "index")

    monkeypatch.setattr("os.cpu_count", lambda: 1)
    monkeypatch.setattr(room, "answer", slow)
    app, statuses = application(room, hosts=HOSTS), {}

    async def visit():
        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(requested, app, "a", left["a"], statuses)
                while not begun:
                    await anyio.sleep(0.01)
                for name in "bc":
                    group.start_soon(requested, app, name, left[name], statuses)
                await anyio.sleep(0.05)
                left["b"].set()
                while "b" not in statuses:
                    await anyio.sleep(0.01)
                left["a"].set()

    # A browser of other tests may have its event loop in this thread.
    with ThreadPoolExecutor() as pool:
        pool.submit(anyio.run, visit).result()
    assert begun == ["a", "c"]
    assert statuses == {"a": 499, "b": 499, "c": 422}


def test_a_fault_is_one_line_and_the_service_goes_on(room, monkeypatch):
    client = TestClient(application(room, hosts=HOSTS), raise_server_exceptions=False)
    with monkeypatch.context() as patch:
        patch.setattr(room, "answer", lambda _ask: 1 / 0)
        assert status(client.get("/answer.json", params={"question": "b"}), 500).startswith(
            "error in ilpsum"
        )
    assert client.get("/answer.json", params={"question": "gentamicin"}).status_code == 200


def test_every_reply_forbids_other_scripts_and_frames(client):
    for path in ("/", "/?question=gentamicin", "/api/health", "/missing", "/assets/room.js"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
    page = client.get("/?question=gentamicin").text
    assert not re.search(
        r"<script(?! src=\"assets/(?:page|room)\.js\" defer></script>)|<style| style=| on\w+=",
        page,
    )


@pytest.mark.parametrize(
    "hostile", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "\u202e\x1b[31m$x"]
)
def test_hostile_text_is_shown_as_text(hostile):
    text = f"Velin {hostile} binds the wing of the tarn moth in winter."
    room = Session(AbstractSearch.of_documents([Document(hostile, text, title=hostile)]))
    room.examples = (hostile,)
    client = TestClient(application(room, hosts=HOSTS))
    question = f"What does velin bind {hostile}"
    place = f"{hostile}:0-{len(text)}"
    for params in (
        {"question": question},
        {"question": question, "keep": place},
        {},
        {"question": hostile},
    ):
        page = client.get("/", params=params).text
        assert page.count("<script") == 2  # its own
        assert "<img" not in page
        assert "\x1b" not in page


# Values that a parser of addresses, hosts, cookies or lengths may refuse.
MALFORMED = (
    "http://[", "http://]/", "http://[::1", "[", "]", "testserver:[", "testserver:]", "[::1]x", "testserver:x",
    "http://testserver:99999999/", "http://a b/", "//", "null", "\x01", "\xff\xfe", "ilpsum-token=[", ";;=;", "9" * 5000,
    "-1", "http://testserver\\@evil.example/", "http://\u00bd.example/",
)  # fmt: skip
PARSED = (
    "host", "origin", "referer", "sec-fetch-site", "cookie", "authorization", "content-length", "transfer-encoding",
    "accept", "accept-encoding", "range", "if-none-match", "connection", "x-forwarded-for", "forwarded",
)  # fmt: skip


@pytest.mark.parametrize("header", PARSED)
def test_a_header_that_cannot_be_parsed_is_no_error_of_ours(room, header, monkeypatch):
    # As with a service, which nothing of another site may reach.
    monkeypatch.setattr(room, "waits", lambda ask: True)
    monkeypatch.setattr(room, "fetch", lambda ask: None)
    client = TestClient(application(room, hosts=HOSTS), raise_server_exceptions=False)
    for place in ("/?question=Do+newts+sing", "/answer.txt?question=Do+newts+sing", "/api/health"):
        for value in MALFORMED:
            reply = client.get(place, headers={header: value.encode("latin-1")})
            assert reply.status_code in (200, 400, 401, 403, 405, 421, 422), (place, value)
            if place.startswith("/answer") and header in ("origin", "referer"):
                status(reply, 403)


@given(value=st.text(st.characters(max_codepoint=255)))
def test_an_address_that_is_not_ours_is_of_another_site(value):
    for name in ("origin", "referer"):
        headers = Headers({"host": "testserver", name: f"http://[{value}"})
        assert is_foreign(headers)
    assert not is_foreign(Headers({"host": "testserver", "origin": "http://testserver"}))
    assert not is_foreign(Headers({"host": "testserver"}))
