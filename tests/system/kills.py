"""Interrupt everything that writes, at random moments, and check that nothing is lost and a second
call ends the same.

    OMP_NUM_THREADS=1 python -m tests.system.kills [--moments 50] [--seed 1] [--work NAME ...] [--how
    WAY ...]

Each work (a run that continues a published one, a sweep, an index, a model, a report, word vectors,
links, compressed titles, records and full texts of a service, a reading room that indexes) is done
once undisturbed. Then, for each way of interrupting it, it starts in a folder with files of the
user's and with earlier results, is interrupted, and is called again. The ways: SIGKILL, SIGTERM,
SIGINT, SIGINT twice, a disk that is full (a tmpfs of a random size if mounting is allowed, else a
limit on the size of each file), and two processes at once. Checked each time:

* the user's files are as they were, and an earlier result is there in full or the new one is;
* what the first call printed is at most one line, without a traceback, and its exit status is the
  documented one;
* after the second call all results are the same bytes as undisturbed, times in them apart.

Each call is a forked process of this one, which has all modules loaded; the signal of a kill comes
when the call has started. The service is a process on this machine that gives invented records; the
cache of its answers is in the folder of results, and compared with it. A reading room that is ready
is asked one question, whose answer is compared, and stopped. All input ships with ilpsum or is made
of invented words.
"""

import argparse
import contextlib
import importlib
import json
import os
import pkgutil
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import features
import ilpsum
from ilpsum import resources
from ilpsum.answers import indexing
from ilpsum.cli import main

HOWS = ("KILL", "TERM", "INT", "INT twice", "full disk", "two at once")
SWEEP = 'description = "kills"\nsystem = "ilp-sum-2-tuned"\nfolds = 2\n[parameters]\nlambda = [0.3, 0.8]\n'
# The user's files in the folder of results.
OWN = {"thesis.txt": b"keep me", ".hidden": b"keep me", ".SYS1.part.txt": b"keep me"}
_SIGNALS = signal.SIGINT, signal.SIGTERM
_PART = re.compile(r"\..+\.[0-9a-f]{8}\.part")
EARLIER = b"<!doctype html><title>an earlier result</title>"


@dataclass(frozen=True)
class Work:
    """Something that writes.

    Attributes:
        name: for the table.
        argv: the call, of the folder of input and that of results.
        results: the names of its files of results, of which there are earlier ones.
        printed: whether what it prints is its result.
        serves: whether it goes on, once it has printed its address, until it is stopped.
        statuses: exit statuses beside 0 that two calls at once may have.
    """

    name: str
    argv: Callable[[Path, Path], Sequence[object]]
    results: tuple[str, ...] = ()
    printed: bool = False
    serves: bool = False
    statuses: tuple[int, ...] = ()


def summarize(out: Path, *topics: Path) -> list[object]:
    return [
        "summarize",
        *topics,
        "--from",
        "tac",
        "--system",
        "ilp-sum-2-tuned",
        "--out",
        out,
        "--resume",
    ]


def topics(given: Path, number: int = 3) -> list[Path]:
    return sorted((given / "topics").iterdir())[:number]


WORKS = (
    Work(
        "run",
        lambda given, out: summarize(out, *topics(given)),
        statuses=(2,),
    ),
    Work(
        "sweep",
        lambda given, out: ["sweep", given / "s.toml", "--topics", given / "topics", "--out", out],
        statuses=(2,),
    ),
    Work(
        "index",
        lambda given, out: [
            *("ask", "Which newts sing in w7?", "--documents", given / "a.jsonl"),
            *("--index", out / "index"),
        ],
        printed=True,
        statuses=(2,),
    ),
    Work(
        "train",
        lambda given, out: ["train", given / "topics", "--system", "ilp-sum-2-tuned", "--out", out / "m.npz", "--force"],
        ("m.npz",),
    ),
    Work(
        "report",
        lambda given, out: ["report", given / "SYS1", "--gold", given / "topics", "--out", out / "report.html"],
        ("report.html",),
    ),
    Work(
        "embed",
        lambda given, out: [
            *("embed", given / "text.txt", "--dimensions", "20", "--epochs", "1", "--min-count", "2"),
            *("--out", out / "v.npz", "--force"),
        ],
        ("v.npz",),
    ),
    Work(
        "link",
        lambda given, out: ["link", *topics(given, 1), "--out", out / "links.txt", "--force", "--query", "bm25"],
        ("links.txt",),
    ),
    Work("compress", lambda given, _: ["compress", given / "titles.txt"], printed=True),
    Work(
        "fetch",
        lambda _, out: [
            *("fetch", "--pubmed", "--query", "newts", "--most", "600"),
            *("--out", out / "f.xml", "--force"),
        ],
        ("f.xml",),
    ),
    Work(
        "serve",
        lambda given, out: ["serve", "--documents", given / "a.jsonl", "--index", out / "index", "--port", "0"],
        serves=True,
        statuses=(2,),
    ),
)  # fmt: skip


class Service(BaseHTTPRequestHandler):
    """Answers as PubMed does: 500 records for any query."""

    def do_POST(self) -> None:
        """Answer a search, or a request for records."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        asked = {name: values[0] for name, values in parse_qs(body).items()}
        if "term" in asked:
            ids = [str(number) for number in range(1, 501)]
            found = {"count": "500", "idlist": ids}
            return self._send(json.dumps({"esearchresult": found}))
        first = int(asked["id"].partition(",")[0]) - 1
        numbers = range(first + 1, min(first + 200, 500) + 1)
        return self._send(
            f"<PubmedArticleSet>{''.join(map(self._record, numbers))}</PubmedArticleSet>"
        )

    def log_message(self, *_: object) -> None:
        """Log nothing."""

    @staticmethod
    def _record(number: int) -> str:
        return (
            f"<PubmedArticle><MedlineCitation><PMID>{number}</PMID><Article><ArticleTitle>Newt {number}</ArticleTitle>"
            f"<Abstract><AbstractText>Newt {number} sings.</AbstractText></Abstract></Article></MedlineCitation>"
            "</PubmedArticle>"
        )

    def _send(self, text: str) -> None:
        data = text.encode()
        # One who asked may have been killed.
        with contextlib.suppress(ConnectionError):
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)


@contextlib.contextmanager
def service() -> Iterator[None]:
    """Run the service in a process of its own, to which the calls are led."""
    with HTTPServer(("127.0.0.1", 0), Service) as server:
        if not (process := os.fork()):
            with contextlib.suppress(KeyboardInterrupt):
                server.serve_forever()
            os._exit(0)
    os.environ["ILPSUM_EUTILS_URL"] = f"http://127.0.0.1:{server.server_address[1]}/"
    # With a key, requests may follow each other faster.
    os.environ["NCBI_API_KEY"] = "newts"
    try:
        yield
    finally:
        os.kill(process, signal.SIGKILL)
        ended(process)


def call(argv: Sequence[object], printed: Path, errors: Path, limit: int = 0) -> int:
    """Start a call in a process of its own, and return the process's id; `limit` is of the bytes of each file."""
    sys.stdout.flush()
    # Signals wait until the call begins.
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    if process := os.fork():
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        return process
    status = 70
    # A shell lets what it starts in the background ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for number, file in ((1, printed), (2, errors)):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.stdout, sys.stderr = (
            open(1, "w", closefd=False),  # noqa: SIM115
            open(2, "w", buffering=1, closefd=False),  # noqa: SIM115
        )
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        except KeyboardInterrupt:
            os.write(2, b"interrupted before the call\n")
            os._exit(130)
        status = main([*map(str, argv), "--quiet"])
        sys.stdout.flush()
    except SystemExit as end:
        status = int(end.code or 0)
    except BaseException:  # what a user would see as a traceback
        traceback.print_exc()
    finally:
        os._exit(status)


def ended(process: int) -> int:
    """Wait for a process, and return its exit status, or minus the signal that ended it; at most three minutes."""
    end = time.monotonic() + 180
    while not (waited := os.waitpid(process, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(process, signal.SIGKILL)
            raise SystemExit("a call does not end")
        time.sleep(0.002)
    return os.waitstatus_to_exitcode(waited[1])


def asked(address: str) -> bytes:
    """Return what a reading room answers."""
    with urllib.request.urlopen(
        f"{address}answer.json?question=Which+newts+sing+in+w7%3F", timeout=60
    ) as reply:
        answer = json.load(reply)
    return json.dumps({name: value for name, value in answer.items() if name != "seconds"}).encode()


def undisturbed(argv: Sequence[object], printed: Path, errors: Path) -> None:
    if status := ended(call(argv, printed, errors)):
        raise SystemExit(f"{argv} ended with status {status}: {errors.read_text()}")


class Trial:
    """One work in one folder of results, with the user's files and earlier results in it."""

    def __init__(self, work: Work, given: Path, folder: Path, log: Path) -> None:
        self.work, self.given, self.out, self.ready = work, given, folder / "out", 0.0
        # What is printed may be a result; errors may not fail on a full disk.
        self.printed, self.errors = folder / "first", log / "first.err"
        shutil.rmtree(self.out, ignore_errors=True)
        if (given / work.name).exists():
            shutil.copytree(given / work.name, self.out)
        self.out.mkdir(parents=True, exist_ok=True)
        for name, data in {**OWN, **dict.fromkeys(work.results, EARLIER)}.items():
            (self.out / name).parent.mkdir(exist_ok=True)
            (self.out / name).write_bytes(data)
        # Calls inherit it.
        os.environ["XDG_CACHE_HOME"] = str(self.out / "cache")

    def start(self, limit: int = 0, name: str = "first") -> int:
        """Start the call; what it prints goes to files of this name."""
        printed, errors = self.printed.with_name(name), self.errors.with_name(f"{name}.err")
        printed.unlink(missing_ok=True)  # of the call before
        return call(self.work.argv(self.given, self.out), printed, errors, limit)

    def ended(self, process: int, name: str = "first") -> tuple[int, bytes]:
        """Wait for a call, and return its exit status; one that serves is asked when it is ready, and stopped."""
        while self.work.serves:
            waited, status = os.waitpid(process, os.WNOHANG)
            if waited:
                return os.waitstatus_to_exitcode(status), b""
            printed = self.printed.with_name(name)
            if printed.exists() and (address := printed.read_text()).endswith("\n"):
                self.ready = time.monotonic()
                answer = asked(address.strip())
                os.kill(process, signal.SIGTERM)
                return ended(process), answer
            time.sleep(0.01)
        return ended(process), b""

    def complete(self) -> dict[str, bytes]:
        """Call once more, undisturbed, and return the results as bytes by name, without times and random names."""
        status, answer = self.ended(self.start())
        self.require(
            status == 0, f"the second call ended with status {status}: {self.errors.read_text()}"
        )
        found = {"answer": answer} if self.work.serves else {}
        for file in sorted(self.out.rglob("*")):
            name = file.relative_to(self.out).as_posix()
            # The files of an index have random names; what a search in it prints is compared. A
            # kill may leave a part.
            if file.is_file() and not name.startswith("index/") and not _PART.fullmatch(file.name):
                data = self.without_folder(file)
                found[name] = timeless(data) if file.suffix == ".jsonl" else data
        if self.work.printed:
            found["printed"] = self.printed.read_bytes()
        return found

    def without_folder(self, file: Path) -> bytes:
        """Return the bytes of a result; the system file of a sweep names its model by its place."""
        return file.read_bytes().replace(os.fsencode(self.out), b"OUT")

    def check_kept(self, expected: dict[str, bytes]) -> None:
        """Check what an interruption left."""
        for name, data in OWN.items():
            self.require((self.out / name).read_bytes() == data, f"{name} changed")
        for name in self.work.results:
            self.require(
                self.without_folder(self.out / name) in (EARLIER, expected[name]),
                f"{name} is half written",
            )

    def check_end(self, status: int, allowed: Sequence[int], name: str = "first") -> None:
        """Check the exit status and the message of a call."""
        error = self.errors.with_name(f"{name}.err").read_text()
        self.require(status in allowed, f"exit status {status}: {error}")
        self.require("Traceback" not in error and "panicked" not in error, error)
        self.require(
            status <= 0 or len(error.splitlines()) == 1,
            f"status {status}, and not one line: {error!r}",
        )

    def require(self, condition: bool, what: str) -> None:
        """End with a message if a check fails."""
        if not condition:
            raise SystemExit(f"{self.work.name}: {what} ({self.out})")


def timeless(lines: bytes) -> bytes:
    """Return JSON lines without times; the order of topics is that of the interruptions."""
    rows = [
        {key: value for key, value in json.loads(line).items() if key != "seconds"}
        for line in lines.splitlines()
    ]
    return json.dumps(sorted(rows, key=json.dumps)).encode()


def signalled(trial: Trial, how: str, seconds: float, draw: random.Random) -> bool:
    """Send the signals at a random moment, and return whether the call was still at work."""
    numbers = [
        getattr(signal, f"SIG{name}") for name in {"INT twice": ("INT", "INT")}.get(how, (how,))
    ]
    process = trial.start()
    time.sleep(draw.uniform(0, seconds))
    printed = trial.work.serves and trial.printed.exists() and trial.printed.stat().st_size > 0
    for number in numbers:
        os.kill(process, number)  # an ended child stays until it is waited for
        time.sleep(draw.uniform(0, 0.05) if len(numbers) > 1 else 0)
    status = ended(process)
    if how == "KILL":
        trial.require(status in (0, -signal.SIGKILL), f"exit status {status}")
    else:
        # Before our handlers are there and after, the system's apply.
        trial.check_end(status, (0, 128 + numbers[0], -numbers[0]))
    return not printed if trial.work.serves else status != 0


def filled(trial: Trial, disk: Path | None, size: int, draw: random.Random) -> bool:
    """Leave a call less room than its results need, and return whether it failed for that."""
    left = draw.randrange(1, max(size, 2))
    if disk:
        free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
        with (disk / "filler").open("wb") as filler:
            os.posix_fallocate(filler.fileno(), 0, max(free - left, 1))
    status, _ = trial.ended(trial.start(0 if disk else left))
    if disk:
        (disk / "filler").unlink()
    trial.check_end(status, (0, 1))
    return status != 0


def together(trial: Trial, seconds: float, draw: random.Random) -> bool:
    """Start two calls shortly after each other, and return whether one had to wait for the other."""
    first = trial.start()
    time.sleep(draw.uniform(0, seconds))
    second = trial.start(name="second")
    statuses = [trial.ended(first)[0], trial.ended(second, "second")[0]]
    for status, name in zip(statuses, ("first", "second"), strict=True):
        trial.check_end(status, (0, *trial.work.statuses), name)
    trial.require(0 in statuses, f"both ended with {statuses}")
    errors = [trial.errors.with_name(f"{name}.err").read_text() for name in ("first", "second")]
    return statuses != [0, 0] or any("waiting up to" in error for error in errors)


@contextlib.contextmanager
def disk_of(folder: Path) -> Iterator[Path | None]:
    """Mount a file system of 64 MB; None if mounting is not allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@dataclass(frozen=True)
class Undisturbed:
    """What an undisturbed call gives, its seconds (until it is ready, if it serves), and the bytes that it writes."""

    results: dict[str, bytes]
    seconds: float
    size: int

    @classmethod
    def of(cls, work: Work, given: Path, folder: Path) -> "Undisturbed":
        """Call a work once."""
        first = Trial(work, given, folder, folder)
        began = time.monotonic()
        results = first.complete()
        seconds = (first.ready or time.monotonic()) - began
        return cls(
            results,
            seconds,
            sum(file.stat().st_size for file in first.out.rglob("*") if file.is_file()),
        )


def tried(
    work: Work, how: str, given: Path, folder: Path, options: argparse.Namespace, whole: Undisturbed
) -> None:
    """Try one way of interrupting one work at all moments, and print a row of the table."""
    draw, hit = random.Random(f"{options.seed} {work.name} {how}"), 0
    with disk_of(folder / "disk") if how == "full disk" else contextlib.nullcontext() as disk:
        for _ in range(options.moments):
            trial = Trial(work, given, disk or folder, folder)
            if how == "full disk":
                hit += filled(trial, disk, whole.size, draw)
            elif how == "two at once":
                hit += together(trial, whole.seconds, draw)
            else:
                hit += signalled(trial, how, whole.seconds, draw)
            trial.check_kept(whole.results)
            found = trial.complete()
            names = whole.results.keys() | found.keys()
            differ = [name for name in names if found.get(name) != whole.results.get(name)]
            trial.require(not differ, f"after {how}, {differ} differ")
    medium = "" if how != "full disk" else " (tmpfs)" if disk else " (limit on files)"
    print(f"| {work.name} | {how}{medium} | {options.moments} | {hit} |", flush=True)


def prepare(given: Path) -> None:
    """Write the input of all works."""
    shutil.rmtree(given, ignore_errors=True)
    given.mkdir(parents=True)
    for topic in resources.demo().glob("D*"):
        shutil.copytree(topic, given / "topics" / topic.name)
    shutil.copyfile(resources.demo() / "titles.txt", given / "titles.txt")
    (given / "s.toml").write_text(SWEEP)
    draw, words = random.Random(1), [f"w{number}" for number in range(500)]
    texts = [" ".join(draw.choices(words, k=40)) + " newts sing." for _ in range(300)]
    records = (
        {"pmid": str(n), "title": f"Newts {n}", "abstract": text} for n, text in enumerate(texts, 1)
    )
    (given / "a.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (given / "text.txt").write_text("\n".join(texts))
    undisturbed(summarize(given, *topics(given)), given / "log", given / "log.err")
    # What the run continues: a published one of the first topic.
    undisturbed(summarize(given / "run", *topics(given, 1)), given / "log", given / "log.err")


def load() -> None:
    """Import everything that a call imports, so that a call only works."""
    for package in (features, ilpsum):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if "__main__" not in module.name:
                with contextlib.suppress(ImportError):  # what needs an extra
                    importlib.import_module(module.name)
    for name in (
        "gensim.models",
        "highspy",
        "nltk",
        "pulp",
        "scipy.stats",
        "sklearn.svm",
        "tantivy",
        "tqdm",
    ):
        importlib.import_module(name)


def start() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--work", nargs="+", choices=[work.name for work in WORKS], default=[w.name for w in WORKS]
    )
    parser.add_argument("--how", nargs="+", choices=HOWS, default=HOWS)
    parser.add_argument(
        "--every",
        type=int,
        default=1,
        metavar="N",
        help="of the pairs of work and way only each Nth",
    )
    parser.add_argument("--out", type=Path, help="folder to work in (default: a temporary folder)")
    options = parser.parse_args()
    folder = options.out or Path(tempfile.mkdtemp(prefix="kills-"))
    load()
    # So that an index of a few abstracts has several commits.
    indexing._COMMIT_EVERY, indexing._HEAP = 100, 15 * 2**20
    prepare(folder / "given")
    print("| work | interruption | tried | interrupted at work |\n|---|---|---|---|", flush=True)
    pairs = [(work, how) for work in WORKS if work.name in options.work for how in options.how]
    wholes: dict[str, Undisturbed] = {}
    with service():
        for work, how in pairs[:: options.every]:
            place = folder / work.name
            place.mkdir(exist_ok=True)
            if work.name not in wholes:
                wholes[work.name] = Undisturbed.of(work, folder / "given", place)
            tried(work, how, folder / "given", place, options, wholes[work.name])


if __name__ == "__main__":
    start()
