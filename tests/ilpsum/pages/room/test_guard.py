"""What the server refuses: other hosts and origins, missing tokens, too much at once, hostile texts."""

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest
from anyio.from_thread import check_cancelled
from starlette.testclient import TestClient

from ilpsum.errors import InputError
from ilpsum.pages.room import application
from ilpsum.pages.room.guard import MOST_BYTES, Queue

HOSTS = frozenset({"testserver", "localhost", "[::1]"})
JSON = {"content-type": "application/json"}


def status(reply, expected):
    assert reply.status_code == expected, reply.text
    assert reply.text.count("\n") == 1
    assert "Traceback" not in reply.text
    return reply.text


@pytest.mark.parametrize("host", ["evil.example", "testserver.evil.example", "", "127.0.0.2", "[::2]:80"])
def test_another_host_is_refused(client, host):
    status(client.get("/", headers={"host": host}), 421)


@pytest.mark.parametrize("host", ["testserver", "localhost:8314", "[::1]:8314", "LOCALHOST"])
def test_a_host_of_ours_is_served(room, host):
    client = TestClient(application(room, hosts=HOSTS))
    assert client.get("/api/health", headers={"host": host}).json()["status"] == "ok"


def test_a_page_of_another_site_cannot_post(client):
    body = '{"question": "velin"}'
    status(client.post("/api/answers", content=body, headers={**JSON, "origin": "https://evil.example"}), 403)
    status(client.post("/api/answers", content=body, headers={**JSON, "origin": "null"}), 403)
    assert client.post("/api/answers", content=body, headers={**JSON, "origin": "http://testserver"}).status_code == 200
    status(client.post("/api/answers", content=body, headers={**JSON, "origin": "http://["}), 403)
    # What a form of another site can send without being asked.
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        status(client.post("/api/answers", content=body, headers={"content-type": kind}), 415)


def test_the_token_opens_the_room(room):
    client = TestClient(application(room, hosts=HOSTS, token="s3cret"), follow_redirects=False)
    status(client.get("/"), 401)
    status(client.get("/?token=other"), 401)
    status(client.get("/api/health", headers={"authorization": "Bearer other"}), 401)
    status(client.delete("/api/texts/0"), 401)
    assert client.get("/api/health", headers={"authorization": "Bearer s3cret"}).status_code == 200
    entered = client.get("/?token=s3cret")
    assert entered.status_code == 303
    assert "HttpOnly" in entered.headers["set-cookie"]
    assert "SameSite=strict" in entered.headers["set-cookie"]
    assert client.get("/").status_code == 200  # by the cookie


@pytest.mark.parametrize("body", [b'{"question": "\xff"}', b'{"\\u001b[2J": 1}', b"[" * 10**5, b"", b"9" * 5000])
def test_a_body_that_does_not_fit_is_refused_in_one_printable_line(client, body):
    for route in ("answers", "texts"):
        text = status(client.post(f"/api/{route}", content=body, headers=JSON), 422)
        assert text.startswith("the request: expected an object with the fields of the API")
        assert text.removesuffix("\n").isprintable()


def test_too_much_is_refused(client):
    status(client.get("/", headers={"content-length": "9" * 5000}), 413)
    status(client.post("/api/answers", content=b"x" * (MOST_BYTES + 1), headers=JSON), 413)

    def endless():
        for _ in range(MOST_BYTES // 2**20 + 2):
            yield b" " * 2**20

    # The length of a body must be told, so that the server can hold the client to it.
    status(client.post("/api/answers", content=endless(), headers=JSON), 411)
    for fields in (
        {"words": 501},
        {"words": 0},
        {"lambda": 1.5},
        {"lambda": "NaN"},
        {"question": "x" * 1001},
        {"texts": [{"text": "velin"}] * 201},
        {"texts": [{"text": ""}]},
        {"held": "../../etc/passwd"},
        {"unknown": 1},
        {"keep": ["x"] * 51},
        {"question": None},
    ):
        status(client.post("/api/answers", json={"question": "velin", **fields}), 422)
    status(client.post("/api/answers", content=b"[" * 100_000, headers=JSON), 422)
    status(client.post("/api/answers", content=b"{", headers=JSON), 422)
    status(client.get("/?words=x"), 422)
    status(client.get("/assets/../app.py"), 404)
    status(client.get("/assets/%2e%2e%2fapp.py"), 404)
    status(client.put("/api/answers", content=b"{}", headers=JSON), 405)


def test_requests_that_would_wait_too_long_are_refused(room, monkeypatch):
    begun, release = threading.Semaphore(0), threading.Event()

    def slow(_ask):
        begun.release()
        release.wait(20)
        raise InputError("the index is gone", "index")

    monkeypatch.setattr(room, "answer", slow)
    with TestClient(application(room, hosts=HOSTS, queue=Queue(1))) as client:
        first = threading.Thread(target=lambda: client.post("/api/answers", json={"question": "a"}))
        first.start()
        assert begun.acquire(timeout=20)
        status(client.post("/api/answers", json={"question": "b"}), 503)
        release.set()
        first.join()
        # The place is free again, and the error of the work is one line.
        assert status(client.post("/api/answers", json={"question": "b"}), 422) == "index: the index is gone\n"
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

    scope = {"type": "http", "method": "GET", "path": "/answer.json", "client": ("127.0.0.1", 1), "scheme": "http"}
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
        assert status(client.post("/api/answers", json={"question": "b"}), 500).startswith("error in ilpsum")
    assert client.post("/api/answers", json={"question": "gentamicin"}).status_code == 200


def test_every_reply_forbids_other_scripts_and_frames(client):
    for path in ("/", "/?question=gentamicin", "/api/health", "/missing", "/assets/room.js"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
    page = client.get("/?question=gentamicin").text
    assert not re.search(r"<script(?! src=\"/assets/(?:page|room)\.js\" defer></script>)|<style| style=| on\w+=", page)


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "\u202e\x1b[31m$x"])
def test_hostile_text_is_shown_as_text(client, hostile):
    text = f"Velin {hostile} binds the wing of the tarn moth in winter."
    held = client.post("/api/texts", json={"texts": [{"name": hostile, "text": text}]}).json()["id"]
    question = f"What does velin bind {hostile}"
    place = f"{hostile}:0-{len(text)}"
    for params in ({"question": question, "held": held}, {"question": question, "held": held, "keep": place}):
        page = client.get("/", params=params).text
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "\x1b" not in page
    assert (
        client.get("/", params={"question": hostile, "words": "30", "lambda": "0.5"}).text.count("<script") == 2
    )  # its own
