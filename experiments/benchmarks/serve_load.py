"""Load on the reading room: clients at once against loopback, beside the same answers made one by one in process.

    python experiments/benchmarks/serve_load.py ABSTRACTS QUESTIONS.json [--clients 16] [--seconds 60]

Starts `ilpsum serve` in a process of its own, asks it the questions of BioGen topics with httpx2 from threads of this
one, and prints: requests, errors, median and 99th percentile of their time, those of the same answers in process and of
a slider that is moved right after, and the memory of the server in the first and the last quarter. Every question is
asked at five word limits, so that the server cannot answer from what it remembers only.
"""

import argparse
import itertools
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles

import httpx2

from ilpsum.answers.searching import AbstractSearch
from ilpsum.formats import ReaderOptions, read_topics
from ilpsum.pages.room import Session
from ilpsum.pages.room.asking import Ask
from ilpsum.records import Topic

WORDS = (50, 100, 150, 200, 250)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("abstracts")
    parser.add_argument("questions")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--most", type=int, default=20_000, help="requests at most")
    options = parser.parse_args()
    topics = [t for t in read_topics([options.questions], "biogen", ReaderOptions()) if isinstance(t, Topic)]
    asks = [Ask(topic.query, words) for topic, words in itertools.product(topics, WORDS)]
    random.Random(0).shuffle(asks)
    with tempfile.TemporaryDirectory() as index:
        alone, moved, answered = in_process(AbstractSearch([options.abstracts], index), asks)
        command = [sys.executable, "-m", "ilpsum", "serve", "--documents", options.abstracts, "--index", index]
        server = subprocess.Popen([*command, "--port", "0", "--quiet"], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            times, statuses, memory = load(address, asks, server.pid, options)
        finally:
            server.terminate()
            status = server.wait(30)
    print(f"{len(times)} requests of {options.clients} clients in {options.seconds:g} s, statuses {dict(statuses)}")
    print(f"server: {described(times)}; exit status {status}")
    for name, of in (("all", True), ("with an answer", False)):
        first = [t for t, found in zip(alone, answered, strict=True) if of or found]
        then = [t for t, found in zip(moved, answered, strict=True) if of or found]
        print(f"one by one in process, {name} ({len(first)}): {described(first)}; a slider moved: {described(then)}")
    print(f"ratio of medians {median(times) / median(alone):.1f}, over the number of clients {options.clients}")
    quarter = max(1, len(memory) // 4)
    print(f"memory: first quarter {max(memory[:quarter])} MB, last quarter {max(memory[-quarter:])} MB")


def in_process(search: AbstractSearch, asks: Sequence[Ask]) -> tuple[list[float], list[float], list[bool]]:
    """Return the times of the answers, of the same at another lambda asked right after, and which had sentences."""
    room, times, moved, answered = Session(search), list[float](), list[float](), list[bool]()
    draw = random.Random(1)
    for ask in asks:
        times.append(timed(room, ask))
        moved.append(timed(room, Ask(ask.question, ask.words, round(draw.random(), 3))))
        answered.append(bool(room.answer(ask).reading.lines))
    return times, moved, answered


def timed(room: Session, ask: Ask) -> float:
    begin = time.perf_counter()
    room.answer(ask)
    return time.perf_counter() - begin


def load(
    address: str, asks: Sequence[Ask], server: int, options: argparse.Namespace
) -> tuple[list[float], Counter[object], list[int]]:
    """Ask from threads until the time is over; return the times, the statuses and the server's memory in MB."""
    times: list[float] = []
    statuses: Counter[object] = Counter()
    memory: list[int] = []
    end = time.monotonic() + options.seconds
    numbers = itertools.count()

    def client() -> None:
        with httpx2.Client(base_url=address, timeout=60.0) as http:
            while time.monotonic() < end and (number := next(numbers)) < options.most:
                ask = asks[number % len(asks)]
                begin = time.perf_counter()
                try:
                    reply = http.post("/api/answers", json={"question": ask.question, "words": ask.words})
                    statuses[reply.status_code] += 1
                except httpx2.HTTPError as error:
                    statuses[type(error).__name__] += 1
                times.append(time.perf_counter() - begin)

    with httpx2.Client(base_url=address, timeout=60.0) as http:
        while True:
            try:
                http.get("/api/health")
                break
            except httpx2.ConnectError:
                time.sleep(0.1)
    clients = [threading.Thread(target=client) for _ in range(options.clients)]
    for thread in clients:
        thread.start()
    while any(thread.is_alive() for thread in clients):
        memory.append(resident(server))
        time.sleep(1.0)
    return times, statuses, memory


def resident(process: int) -> int:
    """The resident memory of a process in MB."""
    lines = Path(f"/proc/{process}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))


def described(times: Sequence[float]) -> str:
    return f"median {median(times):.3f} s, 99th percentile {percentile(times):.3f} s"


def percentile(times: Sequence[float]) -> float:
    return quantiles(times, n=100)[-1] if len(times) > 1 else times[0]


if __name__ == "__main__":
    main()
