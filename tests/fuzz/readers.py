"""The readers that are fuzzed: each reads a folder in which one file is damaged, and uses what it has read."""

import contextlib
import errno
import inspect
import json
import logging
import os
import shutil
import socket
import socketserver
import ssl
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from starlette.testclient import TestClient

import ilpsum
from ilpsum.answers.finding import Wanted, find, save
from ilpsum.answers.searching import AbstractSearch
from ilpsum.cli import main
from ilpsum.compression.compressor import read_word_idf
from ilpsum.compression.parser import load_parser
from ilpsum.errors import InputError, UsageError
from ilpsum.evaluation.sweeps.plan import Sweep, plan
from ilpsum.files import idf
from ilpsum.files.idf import DocumentFrequencies
from ilpsum.files.pmids import Pmids
from ilpsum.learning import embeddings, stored
from ilpsum.learning.models import SystemModel
from ilpsum.literature import abstracts, client, intake, pdf, pdf_pages
from ilpsum.literature.entrez import PubMed
from ilpsum.literature.services import Cache
from ilpsum.pages.room import Session, application
from ilpsum.pages.room.server import server
from ilpsum.pipeline.coherence.statements import KIND, PROTOCOL, RoleModel
from ilpsum.pipeline.system import System
from ilpsum.records import BrokenTopic, Document, Topic
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.reading import read_run
from ilpsum.task1.linker import LinkModel, Query
from ilpsum.task1.thesaurus import Thesaurus
from ilpsum.tasks import guess, read_topics, texts
from ilpsum.tasks.registry import CHECKED, FORMATS
from tests.fuzz import seeds
from tests.ilpsum.answers.standin import Fault, Standin


@dataclass(frozen=True)
class Reader:
    """A reader under test.

    Attributes:
        name: for the table.
        seeds: makes the folder of undamaged files.
        read: reads the folder with one damaged file, whose path is given too.
        files: pattern of the files that are damaged.
        share: how many of a thousand inputs it gets.
        writes: whether it writes into the folder, which is then a copy for each input.
        apart: whether it reads in a process of its own, because a library can end it.
    """

    name: str
    seeds: Callable[[Path], None]
    read: Callable[[Path, Path], object]
    share: int
    files: str = "**/*"
    writes: bool = False
    apart: bool = False


def _topics(path: Path) -> None:
    for topic in read_topics([path], guess(path)):
        assert isinstance(topic, BrokenTopic) or len(topic.id) < 10**6


def _abstracts(_: Path, path: Path) -> None:
    if path.name == "pmids.txt":
        assert "12345678" not in Pmids(path)
        return
    # A process for each PDF takes ten times as long as reading it.
    with mock.patch.object(pdf, "pages_of", pdf_pages.pages):
        for _document in texts.documents([path]).documents:
            pass


def _settings(_: Path, path: Path) -> None:
    if path.parent.name == "systems":
        system = System.load(path)
        system.for_kind("papers").for_reader(strict=True)
    elif path.parent.name == "queries":
        Query.load(path)
    else:
        plan(Sweep.load(path), "tac", "papers")


def _model(_: Path, path: Path) -> None:
    if path.name.startswith("system"):
        model = SystemModel.load(path)
        values = model.relevance.predict(np.full((2, len(model.relevance.columns)), 0.5))
        assert np.isfinite(values).all()
    elif path.name.startswith("task1"):
        model = LinkModel.load(path)
        columns = len(model.facets.citation.stems) + len(model.facets.reference.stems)
        assert model.facets.classifier.probabilities(np.ones((2, columns))).shape == (2, 5)
    elif path.name.startswith("roles"):
        stored.read(RoleModel, path, KIND, PROTOCOL)(["Newts sing."], [0.5])
    else:
        idf.load_idf.__wrapped__(path)("newts")


def _vectors(_: Path, path: Path) -> None:
    if path.suffix == ".npz":
        loaded = embeddings._read.__wrapped__(path)
        assert len(loaded.index) == len(loaded.vectors)
    else:
        words, vectors = embeddings.read_vectors(path)
        assert len(words) == len(vectors)
        embeddings.save(path.with_name("saved.npz"), words, vectors, DocumentFrequencies(1, {}), {})


def _run(_: Path, path: Path) -> None:
    if path.name.endswith("provenance.jsonl"):
        for _record in read_provenance(path):
            pass
        return
    run = read_run(path.parent if path.parent.parent.name == "tac" else path)
    assert run.name
    for form in CHECKED:
        with contextlib.suppress(InputError):
            assert all(len(str(finding)) for finding in FORMATS[form].check(path))


def _report(folder: Path, path: Path) -> None:
    kind = path.relative_to(folder).parts[0]
    runs = {
        "tac": "tac/SYS1",
        "jsonl": "jsonl/SYS1.jsonl",
        "bioasq": "bioasq/SYS1.json",
        "old": "old/r.jsonl",
    }
    if kind in runs:
        _verb("report", str(folder / runs[kind]), "--out", str(folder / "page.html"), "--quiet")


def _sweep(folder: Path, path: Path) -> None:
    name = path.relative_to(folder).parts[0].removesuffix(".toml")
    if path.name == "best.toml":
        System.load(path)
        return
    if path.suffix == ".toml":
        plan(Sweep.load(path), "tac", "papers")
        return
    topics = (str(seeds.given() / "D9001_DEMO"), str(seeds.given() / "D9002_DEMO"))
    _verb(
        "sweep",
        str(folder / f"{name}.toml"),
        "--topics",
        *topics,
        "--out",
        str(folder / name),
        "--quiet",
    )


def _search(folder: Path) -> AbstractSearch:
    return AbstractSearch([seeds.DEMO / "abstracts.xml"], folder / "index")


def _index(folder: Path, path: Path) -> None:
    _search(folder)("Do newts sing in ponds?", 3)


def _built(folder: Path) -> None:
    """Index, and ask once: the processes of the inputs, forked from this one, then have all tables in memory."""
    _index(folder, folder)


def _resume(folder: Path, path: Path) -> None:
    kind = path.relative_to(folder).parts[0]
    sources = {"tac": "D9001_DEMO", "jsonl": "D9001_DEMO", "bioasq": "questions.json"}
    if kind in sources:
        options = (
            "--to",
            kind,
            "--out",
            str(folder / kind),
            "--system",
            "ilp-sum-1-tuned",
            "--words",
            "40",
            "--quiet",
        )
        _verb("summarize", str(seeds.given() / sources[kind]), *options, "--resume")


def _thesaurus(_: Path, path: Path) -> None:
    Thesaurus.read([path])


def _compression(folder: Path, path: Path) -> None:
    if path.name in ("trees.txt", "texts.txt"):
        _verb("compress", str(folder / "texts.txt"), "--trees", str(folder / "trees.txt"))
    else:
        _verb("compress", str(path), "--parse")


def _summarize(folder: Path, path: Path) -> None:
    options = ("--method", "lead", "--out", str(folder / "out"), "--to", "jsonl", "--words", "40")
    main(["summarize", str(path), *options])
    if (folder / "out" / "SYS1.jsonl").exists():
        _verb("evaluate", str(folder / "out" / "SYS1.jsonl"), str(path))


def _parser(_: Path, path: Path) -> None:
    assert load_parser.__wrapped__(path).parse([["Newts", "sing", "."]])


def _table(_: Path, path: Path) -> None:
    assert read_word_idf(path)("newts") >= 0


@cache
def _client() -> TestClient:
    """Return a client of a reading room over the demo's abstracts, in memory."""
    search = AbstractSearch.of_documents(
        d for d in intake.documents(seeds.DEMO / "abstracts.xml") if d.text
    )
    app = application(Session(search), hosts=frozenset({"testserver"}))
    # Entered, it has one event loop for all requests.
    return TestClient(app, raise_server_exceptions=False).__enter__()


def asked(path: Path) -> None:
    """Send the query string in a file to the reading room; `UsageError` if it is refused."""
    # The client takes no longer addresses.
    reply = _client().get("/answer.json", params=path.read_bytes()[: 2**13].decode("latin-1"))
    assert reply.status_code < 500, reply.text
    if reply.status_code >= 400:
        raise UsageError(reply.text.removesuffix("\n"))


def _request(_: Path, path: Path) -> None:
    asked(path)


class _Failures(logging.Handler):
    """Keeps what a server logs of requests that failed."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.failures: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.failures.append(self.format(record))


@cache
def _served() -> tuple[tuple[str, int], _Failures]:
    """Start a server of a reading room over the demo's abstracts, in a thread; return its address and its failures."""
    search = AbstractSearch.of_documents(
        d for d in intake.documents(seeds.DEMO / "abstracts.xml") if d.text
    )
    listener = socket.create_server(("127.0.0.1", 0))
    running = server(application(Session(search), hosts=frozenset({"localhost"})))
    log, failures = logging.getLogger("uvicorn.error"), _Failures()
    log.handlers, log.propagate = [failures], False
    threading.Thread(target=running.run, args=([listener],), daemon=True).start()
    return listener.getsockname(), failures


def _connection(_: Path, path: Path) -> None:
    """Send raw bytes to the reading room, and check that it still serves, and has logged no failure."""
    address, log = _served()
    with (
        contextlib.suppress(ConnectionError),
        socket.create_connection(address, timeout=60) as connection,
    ):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(path.read_bytes())
        # The server handles connections in the order of their bytes: this one has been refused or
        # begun by then.
        with socket.create_connection(address, timeout=60) as other:
            other.sendall(b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert other.recv(4096).startswith(b"HTTP/1.1 200")
        connection.settimeout(0.02)
        with contextlib.suppress(TimeoutError):
            reply = connection.recv(4096)
            assert not reply.startswith((b"HTTP/1.1 500", b"HTTP/1.0 500")), reply
    failures, log.failures[:] = "\n".join(log.failures), []
    assert not failures, failures


@cache
def _standin() -> Standin:
    standin = Standin(20)
    # Without it, each answer waits until the system has acknowledged its head.
    standin.RequestHandlerClass.disable_nagle_algorithm = True
    return standin.__enter__()


@cache
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context()


def _service(folder: Path, path: Path) -> None:
    """Have a service give a damaged answer once, and read what is made of it."""
    standin = _standin()
    standin.asked.clear()
    standin.faults = [Fault(body=path.read_bytes(), only=path.stem)]
    name = "pubmed" if path.stem in ("esearch", "efetch") else "europepmc"
    with (
        mock.patch.dict(os.environ, standin.environment),
        mock.patch.multiple(client, PAUSES=(), _SLOWER=1e-9),
        # Reading all certificates again for each client takes longer than everything else.
        mock.patch("ssl.create_default_context", return_value=_certificates()),
    ):
        wanted = Wanted(query="gentamicin", most=9)
        (finding,) = find(wanted, [name], Cache(0, folder / "cache"))
        save(finding, folder / "out")
    for file in finding.records:
        for _document in intake.documents(file):
            pass


class _Raw(socketserver.ThreadingTCPServer):
    """A service that answers every request by the same bytes."""

    daemon_threads, answer = True, b""

    def finish_request(self, request: Any, _address: object) -> None:
        request.recv(65536)
        with contextlib.suppress(OSError):
            request.sendall(self.answer)


@cache
def _raw() -> _Raw:
    service = _Raw(("127.0.0.1", 0), socketserver.BaseRequestHandler)
    threading.Thread(target=service.serve_forever, args=(0.02,), daemon=True).start()
    return service


def _bytes_of_service(folder: Path, path: Path) -> None:
    """Have a service answer by these bytes, and then leave or say nothing more."""
    service = _raw()
    service.answer = path.read_bytes()
    address = {"ILPSUM_EUTILS_URL": f"http://127.0.0.1:{service.server_address[1]}/"}
    with (
        mock.patch.dict(os.environ, address),
        mock.patch.multiple(client, PAUSES=(), _SLOWER=1e-9),
        mock.patch("ssl.create_default_context", return_value=_certificates()),
    ):
        PubMed(Cache(0, folder / "cache"), client.Patience(2.0)).search("gentamicin", 9)


def _train(folder: Path, path: Path) -> None:
    if path.name == "text.txt":
        options = ("--dimensions", "4", "--epochs", "1", "--min-count", "1", "--quiet")
        _verb("embed", str(path), "--out", str(folder / "v.npz"), *options)
    else:
        _verb(
            "train",
            str(folder / "topics"),
            "--system",
            str(folder / "small.toml"),
            "--out",
            str(folder / "m.npz"),
        )
        _verb(
            "link",
            str(folder / "topics"),
            "--query",
            "bm25",
            "--out",
            str(folder / "links"),
            "--quiet",
        )


def _name(folder: Path, path: Path) -> None:
    """Read a text, a topic of TAC or a run whose name a file holds."""
    # No name has a slash or NUL; `.` and `..` have a folder.
    name = os.fsdecode(path.read_bytes().translate(None, b"/\0")[:240].strip(b".") or b"x")
    place = folder / "of"
    place.mkdir()
    try:
        if path.name == "topic.name":
            shutil.copytree(seeds.given() / "D9001_DEMO", place / name)
            _topics(place)
        elif path.name == "run.name":
            (place / f"{name}.txt").write_text("Newts sing.")
            read_run(place)
        else:
            (place / f"{name}.txt").write_text("Newts sing in ponds.")
            ilpsum.ask("Do newts sing?", place, words=9).written("json")
    except OSError as error:
        # A name that this file system does not have.
        if error.errno not in (errno.EILSEQ, errno.EINVAL, errno.ENAMETOOLONG):
            raise


_MADE: dict[str, Callable[[Any], Any]] = {
    "@numpy": lambda value: np.array(value)[()],
    "@bytes": lambda value: str(value).encode("utf-8", "replace"),
    "@path": lambda value: Path(str(value)),
    "@iterator": iter,
    "@document": lambda value: Document("d", value),
}


def _made(value: Any) -> Any:
    """Return an argument with what JSON cannot say."""
    if value == "@gold":
        return [Topic("t", summaries=("Newts sing in ponds.",))]
    if isinstance(value, list):
        return [_made(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and (name := next(iter(value))) in _MADE:
        return _MADE[name](value[name])
    return {key: _made(item) for key, item in value.items()}


def _call(_: Path, path: Path) -> None:
    """Call a function of the API with the arguments in a file."""
    name = path.name.removesuffix(".call")
    called = ilpsum.Summarizer.load if name == "summarizer" else getattr(ilpsum, name)
    try:
        given = _made(json.loads(path.read_bytes()))
        inspect.signature(called).bind(**given)
    except (ValueError, TypeError, RecursionError) as error:
        raise UsageError("no arguments of this function") from error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            str(called(**given))
        except TypeError as error:
            # Of options that are passed on, Python says what is not one of them.
            if "unexpected keyword argument" not in str(error):
                raise


def _verb(*arguments: str) -> int:
    """Run a verb; 1 and 2 are how it refuses input, and what it prints is checked by the caller."""
    status = main(list(arguments))
    if status in (1, 2):
        raise UsageError("refused")
    return status


# Of a thousand inputs: what reads a file gets dozens, and what runs a whole verb, which takes ten
# times as long, a few.
READERS = (
    Reader("TAC topics", seeds.topics, lambda f, _: _topics(f / "tac"), files="tac/**/*", share=60),
    Reader("DUC topics", seeds.topics, lambda f, _: _topics(f / "duc"), files="duc/**/*", share=60),
    Reader(
        "CL-SciSumm topics",
        seeds.topics,
        lambda f, _: _topics(f / "scisumm"),
        files="scisumm/**/*",
        share=60,
    ),
    Reader("JSON topics", seeds.topics, lambda _, path: _topics(path), files="files/*", share=62),
    Reader("abstracts and PMIDs", seeds.abstracts, _abstracts, share=90),
    Reader("exports and articles", seeds.exports, _abstracts, share=100),
    Reader(
        "lists of identifiers", seeds.lists, lambda _, path: abstracts.read_list(path, []), share=30
    ),
    Reader("system, query and sweep TOML", seeds.settings, _settings, share=70),
    Reader("models", seeds.models, _model, files="models/*", share=60),
    Reader("vectors", seeds.models, _vectors, files="vectors/*", share=60),
    Reader("runs and provenance", seeds.runs, _run, share=80),
    Reader("report", seeds.runs, _report, share=4, writes=True),
    Reader("resumed runs", seeds.runs, _resume, share=3, writes=True),
    Reader("sweep rows and cache", seeds.sweep, _sweep, share=2, writes=True),
    Reader("index", _built, _index, files="index/**/*", share=6, writes=True, apart=True),
    Reader("thesauri", seeds.thesauri, _thesaurus, share=60),
    Reader("the parser's model", seeds.parsers, _parser, share=30),
    Reader("IDF tables", seeds.tables, _table, share=30),
    Reader("requests to serve", seeds.requests, _request, files="*.*", share=40),
    Reader("connections to serve", seeds.requests, _connection, files="raw/*", share=40),
    Reader("answers of services", seeds.services, _service, files="*.[jx]*", share=10, writes=True),
    Reader(
        "bytes of services",
        seeds.services,
        _bytes_of_service,
        files="*.answer",
        share=10,
        writes=True,
    ),
    Reader("train, embed and link", seeds.trainings, _train, share=2, writes=True),
    Reader("texts to compress", seeds.compressions, _compression, share=6),
    Reader(
        "summarize and evaluate",
        seeds.topics,
        _summarize,
        files="files/*.jsonl",
        share=5,
        writes=True,
    ),
    Reader("names of files", seeds.names, _name, share=25, writes=True),
    Reader("arguments of the API", seeds.calls, _call, share=25),
)
