"""Ask a reading room many things at once, for long, and print what it answered and how much memory
it had.

    python -m tests.system.serve_load [--minutes 60] [--clients 8] [--rate 2] [--seed 1]

`ilpsum serve` runs as a process of its own over the demo's abstracts. Each client sends one request
after another, at the rate that is given for all of them, drawn at random: pages and exports of
answers with other questions, words and lambda; and what no browser sends: bodies, other hosts,
heads that never end. Printed is a row a minute: requests by status, and the resident memory of the
server. The last lines say whether another status than expected came and whether the server still
answers. All input ships with ilpsum or is made of invented words.
"""

import argparse
import http.client
import random
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlencode

# 400: another host; 405: a body; 503: too much at once.
EXPECTED = {"200", "400", "405", "422", "503", "left"}
HOSTS = (*["localhost"] * 9, "evil.example")
WORDS = (
    "gentamicin kidney tubule cells mirolone ulcers leg zinc newts sing ponds frost velin binds wing tarn moth does "
    "how why which heal kill rate of the in and"
).split()


class Client(threading.Thread):
    """Sends requests until the end, one after another."""

    def __init__(
        self,
        port: int,
        seed: str,
        end: float,
        seen: Counter[str],
        lock: threading.Lock,
        every: float = 0.0,
    ) -> None:
        super().__init__(daemon=True)
        self._every = every
        self._port, self._draw, self._end = port, random.Random(seed), end
        self._seen, self._lock = seen, lock

    def run(self) -> None:
        """Send requests; what came of each is counted."""
        kinds = (*[self.page] * 6, self.odd, self.left)
        next_one = time.monotonic() + self._draw.uniform(0, self._every)
        while next_one < self._end:
            time.sleep(max(0.0, next_one - time.monotonic()))
            next_one = max(next_one + self._every, time.monotonic())
            try:
                status = self._draw.choice(kinds)()
            except (ConnectionError, http.client.HTTPException) as error:
                status = type(error).__name__
            except TimeoutError:
                status = "no answer in 120 s"
            with self._lock:
                self._seen[status] += 1

    def page(self) -> str:
        """A page or an export."""
        path = self._draw.choice(
            ("/?", "/?", "/answer.md?", "/answer.json?", "/api/health", "/assets/room.js")
        )
        return self._sent(
            "GET", path + urlencode(self._asked(), doseq=True) if path.endswith("?") else path
        )

    def healthy(self) -> bool:
        """Whether the server answers."""
        return any(self._sent("GET", "/api/health") == "200" for _ in range(5))

    def odd(self) -> str:
        """What no browser sends."""
        body = self._draw.choice((b"[" * 9999, b'{"question": "\xff"}'))
        return self._sent(self._draw.choice(("GET", "POST")), "/answer.json", body)

    def left(self) -> str:
        """A connection that is left in the middle, or soon after."""
        head = b"GET /?question=newts HTTP/1.1\r\nHost: localhost\r\n\r\n"
        with socket.create_connection(("127.0.0.1", self._port), timeout=120) as connection:
            connection.sendall(self._draw.choice((b"", head[:40], head)))
            time.sleep(self._draw.choice((0, 0, 0.1, 2)))
        return "left"

    def _asked(self) -> dict[str, object]:
        draw = self._draw
        asked: dict[str, object] = {
            "question": " ".join(draw.choices(WORDS, k=draw.randint(2, 9))),
            "words": draw.randint(20, 300),
        }
        if draw.random() < 0.3:
            asked["lambda"] = round(draw.random(), 2)
        return asked

    def _sent(self, method: str, path: str, body: bytes | None = None) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        try:
            connection.request(method, path, body, {"Host": self._draw.choice(HOSTS)})
            reply = connection.getresponse()
            reply.read()
        finally:
            connection.close()
        return str(reply.status)


def megabytes(process: int) -> int:
    """Return the resident memory of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1024  # type: ignore[index]


def main() -> int:
    """Run the load; exit status 1 if an unexpected status came or the server no longer answers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument(
        "--rate", type=float, default=2.0, help="requests a second, by all clients (default: 2)"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    command = [sys.executable, "-m", "ilpsum", "serve", "--port", "0", "--quiet"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout
    assert server.stderr
    port = int(re.search(r":(\d+)/", server.stdout.readline())[1])  # type: ignore[index]
    seen, lock, began = Counter[str](), threading.Lock(), time.monotonic()
    end, every = began + options.minutes * 60, Counter[str]()
    clients = [
        Client(port, f"{options.seed} {number}", end, seen, lock, options.clients / options.rate)
        for number in range(options.clients)
    ]
    for client in clients:
        client.start()
    print(
        f"| minute | requests by status | memory (MB) |\n|---|---|---|\n| 0 | | {megabytes(server.pid)} |",
        flush=True,
    )
    minute = 0
    while minute < options.minutes:
        minute += 1
        time.sleep(max(0.0, min(began + minute * 60, end) - time.monotonic()))
        with lock:
            now, every = dict(sorted(seen.items())), every + seen
            seen.clear()
        counts = ", ".join(f"{status}: {count}" for status, count in now.items())
        print(f"| {minute} | {counts} | {megabytes(server.pid)} |", flush=True)
    for client in clients:
        client.join(130)
    last = Client(port, "last", 0, seen, lock)
    healthy = last.healthy()
    server.terminate()
    lines = server.communicate()[1].splitlines()
    odd = {status: count for status, count in every.items() if status not in EXPECTED}
    print(f"\n{every.total()} requests; unexpected: {odd or 'none'}; healthy at the end: {healthy}")
    print(f"log: {len(lines)} lines")
    print("\n".join(lines[:20]))
    return 1 if odd or not healthy else 0


if __name__ == "__main__":
    sys.exit(main())
