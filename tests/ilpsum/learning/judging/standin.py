"""A stand-in for a judge, on the loopback interface: chat completions, and both forms of reranking.

It grades by a function of (question, sentence). Tests script its faults and read its requests. To
try ilpsum without a model:

    python -m tests.ilpsum.learning.judging.standin
"""

import json
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Fault:
    """What happens to one request instead of its reply.

    Attributes:
        status, body, headers: of the reply; a body of None is the right one.
        slow: seconds before the reply.
        content: changes the content of the right chat completion, a text.
        finish: its `finish_reason`.
    """

    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    slow: float = 0.0
    content: Callable[[str], Any] = str
    finish: str = "stop"


class StandinJudge(ThreadingHTTPServer):
    """The server; use it as a context."""

    daemon_threads = True

    def __init__(self, grade: Callable[[str, str], float], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.grade = grade
        self.models = ["newt-7b", "toad-70b"]
        self.asked: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self.faults: list[Fault] = []
        # Once set, slow replies come at once: nobody sleeps beyond the test that asked.
        self.hurry = threading.Event()
        # Requests under way, and the most at a time.
        self.busy = self.most = 0
        self.lock = threading.Lock()

    def __enter__(self) -> "StandinJudge":
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.hurry.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that have left."""

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.host}/v1"

    @property
    def reranker(self) -> str:
        return f"{self.url}/rerank"

    def chat(self, body: dict[str, Any], fault: Fault) -> dict[str, Any]:
        said = json.loads(body["messages"][-1]["content"])
        grades = [self.grade(said["question"], sentence) for sentence in said["sentences"]]
        content = fault.content(json.dumps({"grades": grades}))
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "finish_reason": fault.finish, "message": message}
        return {"object": "chat.completion", "model": body["model"], "choices": [choice]}

    def rerank(self, body: dict[str, Any]) -> Any:
        texts = body.get("documents") or body["texts"]
        scores = [(i, self.grade(body["query"], text) / 3) for i, text in enumerate(texts)]
        scores.sort(key=lambda pair: -pair[1])
        if "texts" in body:
            return [{"index": i, "score": score} for i, score in scores]
        return {"results": [{"index": i, "relevance_score": score} for i, score in scores]}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StandinJudge

    def do_GET(self) -> None:
        models = {"object": "list", "data": [{"id": name} for name in self.server.models]}
        self._send(Fault(), json.dumps(models).encode())

    def do_POST(self) -> None:
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.asked.append(body)
            server.keys.add(self.headers.get("Authorization", ""))
            server.busy += 1
            server.most = max(server.most, server.busy)
            fault = server.faults.pop(0) if server.faults else Fault()
        self.server.hurry.wait(fault.slow)
        ranks = self.path.endswith("/rerank")
        right = server.rerank(body) if ranks else server.chat(body, fault)
        with server.lock:
            server.busy -= 1
        self._send(fault, json.dumps(right).encode())

    def log_message(self, *_: object) -> None:
        pass

    def _send(self, fault: Fault, right: bytes) -> None:
        data = right if fault.body is None else fault.body
        try:
            self.send_response(fault.status)
            headers = {"Content-Type": "application/json", **fault.headers}
            for name, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)
        except ConnectionError:
            pass


def shared_words(question: str, sentence: str) -> int:
    """Grade by the number of words that a sentence shares with the question, at most 3."""
    words = set(question.lower().rstrip("?.").split())
    return min(3, len(words.intersection(sentence.lower().rstrip(".").split())))


if __name__ == "__main__":
    with StandinJudge(shared_words, port=int(*sys.argv[1:2] or ["0"])) as standin:
        sys.stdout.write(f"{standin.url}\n")
        sys.stdout.flush()
        threading.Event().wait()
