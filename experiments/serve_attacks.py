"""Attack a reading room as clients can, and print what it costs.

    python experiments/serve_attacks.py [bodies] [records] [alike]

`bodies`: 150 connections that promise 8 MB and send 7; the resident memory of the server before, while they are open,
and half a minute after they are gone. `records`: a request with 8 MB of CSV, 330,000 tiny records. `alike`: one with
forty texts of 300 sentences that say nearly the same. Of both, the processor time in this process, which answers twice,
the second time from what it remembers. To compare two versions, run it with each in PYTHONPATH. All input is invented.
"""

import json
import random
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

CONNECTIONS, BODY = 150, 7 * 2**20
WORDS = "gentamicin kidney tubule cells zinc newts sing ponds frost velin binds wing tarn moth heal rate".split()


def megabytes(process: int) -> int:
    """Return the resident memory of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1024  # type: ignore[index]


def bodies() -> None:
    """Send bodies by half, and print the memory of the server."""
    command = [sys.executable, "-m", "ilpsum", "serve", "--port", "0", "--quiet"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout
    port, opened = int(re.search(r":(\d+)/", server.stdout.readline())[1]), []  # type: ignore[index]
    lines = "POST /api/answers HTTP/1.1", "Host: localhost", "Content-Type: application/json"
    head = "\r\n".join((*lines, f"Content-Length: {8 * 2**20}", "", "")).encode()
    memory = [megabytes(server.pid)]
    for _ in range(CONNECTIONS):
        opened.append(connection := socket.create_connection(("127.0.0.1", port), timeout=60))
        try:
            connection.sendall(head + b'{"texts": "' + b"x" * BODY)
        except ConnectionError:  # refused while it sends
            continue
    time.sleep(1)
    memory.append(megabytes(server.pid))
    for connection in opened:
        connection.close()
    time.sleep(30)
    memory.append(megabytes(server.pid))
    server.terminate()
    server.wait()
    print(f"bodies: {memory[0]} MB before, {memory[1]} MB while they are open, {memory[2]} MB after")


def records() -> None:
    """Send very many records."""
    table = "PMID,Title,Abstract\n" + "".join(f"{n},N,Newts sing.\n" for n in range(1, 330_001))
    _answered("records", [{"name": "r.csv", "text": table}])


def alike() -> None:
    """Send texts whose sentences say nearly the same."""
    draw = random.Random(1)
    said = "How gentamicin kills kidney tubule cells is that zinc {} leaves the lysosome {}."
    lines = [" ".join(said.format(*draw.choices(WORDS, k=2)) for _ in range(300)) for _ in range(40)]
    _answered("alike", [{"name": f"{n}.txt", "text": line} for n, line in enumerate(lines)])


def _answered(name: str, texts: list[dict[str, str]]) -> None:
    from starlette.testclient import TestClient

    from ilpsum.pages.room import Session, application

    client = TestClient(application(Session(None), hosts=frozenset({"testserver"})))
    ask = {"question": "How does gentamicin kill kidney tubule cells?", "texts": texts}
    for _ in range(2):
        began = time.process_time()
        reply = client.post("/api/answers", content=json.dumps(ask), headers={"content-type": "application/json"})
        warnings = reply.json()["warnings"] if reply.status_code == 200 else [reply.text.strip()]
        print(f"{name}: status {reply.status_code}, {time.process_time() - began:.1f} s; {'; '.join(warnings)[:200]}")


if __name__ == "__main__":
    for each in sys.argv[1:] or ("bodies", "records", "alike"):
        {"bodies": bodies, "records": records, "alike": alike}[each]()
