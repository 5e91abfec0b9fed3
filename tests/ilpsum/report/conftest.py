"""Reports of invented runs, and a real browser to open their pages in."""

import json
import os
import shutil
import subprocess
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ilpsum.records import Document, RunSettings, Sentence, Summary, Topic
from ilpsum.report import Report, gather
from ilpsum.runs.provenance import failure_line, summary_line
from ilpsum.runs.reading import SummaryRun

DOCUMENT = "Ferns\nFerns need deep shade and water. They die in the sun. Moss grows on old walls.\nLichens are slow."
GOLD = ("Ferns need deep shade. Moss grows on walls.", "Lichens are slow to grow.")


def sentence(text: str, *, document: str = "d.txt", source: str = DOCUMENT, relevance: float = 0.0, **more: Any):
    start = source.index(text)
    return Sentence(text, document, start, start + len(text), len(text.split()), relevance=relevance, **more)


CANDIDATES = (
    sentence(
        "Ferns need deep shade and water.", relevance=0.9, section="abstract", facet="results", why="the most relevant"
    ),
    sentence("They die in the sun.", relevance=0.1),
    sentence("Moss grows on old walls.", relevance=0.4),
    sentence("Lichens are slow.", relevance=0.7),
)


@pytest.fixture
def topic() -> Topic:
    return Topic("T1", "What do ferns need?", (Document("d.txt", DOCUMENT, title="On ferns"),), summaries=GOLD)


@pytest.fixture
def report_of(tmp_path: Path) -> Callable[..., Report]:
    """`report_of({"SYSA1": summaries, ...}, topics)`: the report of runs whose files agree with their provenance."""

    def make(runs: dict[str, list[Summary]], topics: list[Topic], **options: Any) -> Report:
        read, provenance = [], {}
        for number, (name, summaries) in enumerate(runs.items()):
            read.append(SummaryRun(name, {summary.topic: summary.text for summary in summaries}))
            provenance[name] = tmp_path / f"{number}.provenance.jsonl"
            lines = [summary_line(summary) for summary in summaries] + [failure_line("T9", "it broke")]
            provenance[name].write_bytes(b"".join(lines))
        return gather(read, provenance, topics, **options)

    return make


@pytest.fixture
def report(report_of: Callable[..., Report], topic: Topic) -> Report:
    """Two runs over one topic that share a sentence, with gold."""
    first = summary_of(topic, (0, 2), system="ilp")
    return report_of({"SYSA1": [first], "SYSB1": [summary_of(topic, (0, 1), system="greedy")]}, [topic])


def summary_of(
    topic: Topic, chosen: tuple[int, ...], *, system: str, candidates: tuple[Sentence, ...] = CANDIDATES
) -> Summary:
    sentences = tuple(candidates[i] for i in chosen)
    text = "\n".join(s.text for s in sentences)
    settings = RunSettings(method="ilp", solver="highs", lambda_=0.5, words=20)
    return Summary(topic.id, sentences, text, candidates, chosen, system, 0.75, 0.75, 0.0, settings=settings)


class Browser:
    """A headless Chromium, driven over a pair of pipes by its DevTools protocol."""

    def __init__(self, program: str, profile: Path) -> None:
        flags = "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking "
        flags += "disable-component-update disable-sync disable-dev-shm-usage remote-debugging-pipe"
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        # The browser reads commands from descriptor 3 and answers on 4.
        start = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        command = [program, *(f"--{flag}" for flag in flags.split()), f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", start, "bash", *command],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.out, self.into = os.fdopen(ours_out, "wb"), os.fdopen(ours_in, "rb")
        self.count, self.rest, self.events = 0, b"", deque()
        self.session = None
        target = next(t for t in self("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self(f"{domain}.enable")

    def __call__(self, method: str, **params: Any) -> dict[str, Any]:
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.out.write(json.dumps(message).encode() + b"\0")
        self.out.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self.count:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            more = os.read(self.into.fileno(), 2**20)
            assert more, "the browser ended"
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def open(self, path: Path, *, width: int = 1280, scheme: str = "light") -> None:
        """Open a page and wait until it is loaded."""
        self("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events.clear()
        self("Page.navigate", url=path.as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())

    def value(self, expression: str) -> Any:
        """Return the value of a JavaScript expression on the page."""
        result = self("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key."""
        text = {"Enter": "\r", "Space": " "}.get(key, "")
        name = " " if key == "Space" else key
        code = {"Enter": 13, "Space": 32, "Tab": 9}[key]
        self("Input.dispatchKeyEvent", type="keyDown", key=name, code=key, text=text, windowsVirtualKeyCode=code)
        self("Input.dispatchKeyEvent", type="keyUp", key=name, code=key, windowsVirtualKeyCode=code)

    def complaints(self) -> list[Any]:
        """Return all console messages and network requests since the page was opened."""
        self.value("0")
        logged = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        asked = [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [e for e in self.events if e["method"] in logged] + [
            u for u in asked if not u.startswith(("file:", "data:"))
        ]

    def close(self) -> None:
        self.session = None
        self("Browser.close")
        self.process.wait(20)
        self.out.close()
        self.into.close()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("no Chromium is installed: the page is not tested in a browser")
    started = Browser(program, tmp_path_factory.mktemp("profile"))
    yield started
    started.close()
