"""`ilpsum serve` as a process: it starts with one command and stops cleanly."""

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import pytest
import uvicorn

from ilpsum.cli import main


@pytest.fixture
def server(tmp_path):
    started = []

    def start(*options):
        command = [
            sys.executable,
            "-m",
            "ilpsum",
            "serve",
            "--port",
            "0",
            "--index",
            str(tmp_path / "index"),
            *options,
        ]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        return process, process.stdout.readline().strip()

    yield start
    for process in started:
        process.kill()
        process.communicate()


def get(address):
    for _ in range(100):
        try:
            # Cookies, because the address with the token leads to one without it.
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            return opener.open(address, timeout=30).read()
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionError):
                raise
            time.sleep(0.05)
    raise AssertionError("the server does not answer")


def attempt(address):
    try:
        return 200, get(address)
    except urllib.error.HTTPError as error:
        return error.code, error.read()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_the_demo_and_stops_cleanly(server, number):
    process, address = server()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
    assert json.loads(get(f"{address}api/health"))["abstracts"] == 11
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert errors == "ilpsum: Ctrl-C stops the server\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_the_server_listens_for_it_stops_it(monkeypatch, tmp_path, number):
    run, late = uvicorn.Server.run, []

    def signalled(running, sockets):
        def give_up():
            late.append(number)
            running.should_exit = True

        timer = threading.Timer(20, give_up)
        timer.start()
        signal.raise_signal(number)
        run(running, sockets)
        timer.cancel()

    monkeypatch.setattr(uvicorn.Server, "run", signalled)
    assert main(["serve", "--port", "0", "--index", str(tmp_path / "index"), "--quiet"]) == 0
    assert not late


def test_other_machines_need_the_token(server):
    process, address = server("--host", "0.0.0.0", "--name", "localhost")
    match = re.fullmatch(r"(http://localhost:\d+/)\?token=([\w-]{32})", address)
    with pytest.raises(urllib.error.HTTPError, match="401"):
        get(match[1])
    assert b"<form" in get(address)
    process.terminate()
    _, errors = process.communicate(timeout=60)
    assert "can be reached from other machines" in errors


def test_a_deleted_index_is_an_error_of_its_requests_only(server, tmp_path):
    _process, address = server()
    assert get(f"{address}?question=gentamicin").startswith(b"<!DOCTYPE html>")
    for path in sorted((tmp_path / "index").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    for question in ("zinc", "mirolone", "kidney"):
        # What is in memory still answers.
        status, body = attempt(f"{address}answer.json?question={question}")
        assert status == 200 or (status in (422, 503) and body.count(b"\n") == 1)
    assert json.loads(get(f"{address}api/health"))["status"] == "ok"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--port", "70000"], "expected a port from 0 to 65535, got 70000"),
        (["--host", "192.0.2.1", "--port", "1"], "cannot listen on 192.0.2.1:1"),
        (["--documents", "missing.xml"], "missing.xml"),
        (["--port", "0", "--pubmed", "--index", "i"], "index and pmids are for documents"),
    ],
)
def test_wrong_options_are_one_line(capsys, options, expected):
    try:
        status = main(["serve", *options])
    except SystemExit as error:
        status = error.code
    errors = capsys.readouterr().err
    assert (status, errors.count("\n")) == (2, 1)
    assert expected in errors


def test_records_without_an_abstract_open_no_room(tmp_path, capsys):
    file = tmp_path / "x.ris"
    file.write_text("TY  - JOUR\nTI  - Newts\nER  - \n")
    errors = []
    for verb in (["ask", "Newts?"], ["serve", "--port", "0"]):
        assert main([*verb, "--documents", str(file), "--index", str(tmp_path / "index")]) == 2
        errors.append(capsys.readouterr().err)
    assert errors[0] == errors[1]
    assert errors[0].startswith(f"ilpsum: {file}: no record has an abstract; ")


def test_a_name_of_any_host_is_refused(capsys):
    assert main(["serve", "--name", "*.example.org"]) == 2
    assert "--name: expected a host name, without a *" in capsys.readouterr().err


def test_a_port_in_use_is_named(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--port", port]) == 2
    assert f"cannot listen on 127.0.0.1:{port}" in capsys.readouterr().err
