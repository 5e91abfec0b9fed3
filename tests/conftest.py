"""Fixtures and profiles shared by all tests."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# Two tests at a time have a core each; more threads would spend their time waiting for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

# A short profile for every day; `ILPSUM_TESTS=long` tries ten times as many generated examples.
# How fast they are drawn depends on what else the machine does.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("short", _PATIENT, max_examples=40)
settings.register_profile("long", _PATIENT, max_examples=400)
settings.load_profile(os.environ.get("ILPSUM_TESTS", "short"))


# Tests of `make thorough`, which `make test` leaves out.
LONG = (
    "tests/experiments/",
    "tests/system/test_kills.py",
    "tests/features/test_sentences.py::test_genia_abstracts",
    "tests/fuzz/test_growth.py::test_no_regular",
    "tests/ilpsum/cli/test_answers.py::test_all_topics_are_answered",
    "tests/ilpsum/cli/test_compress.py::test_real_titles_lose_no_line",
    "tests/ilpsum/tasks/test_bioasq.py::test_every_question_of_every_edition_is_accounted_for",
    "tests/ilpsum/tasks/test_bioasq.py::test_the_questions_with_all_their_abstracts",
    "tests/ilpsum/files/test_dask.py",
    "tests/ilpsum/answers/test_abstract_search.py::test_a_disk_that_fills_is_one_line_and_the_next_call_goes_on",
    "tests/ilpsum/answers/test_answerability.py::test_everyday_questions_are_refused",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the long tests, before pytest deselects by marks."""
    for item in items:
        if item.nodeid.startswith(LONG):
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session", autouse=True)
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What else the machine does changes nothing: others may build the user's index at the same
    time, or slow a call until it tells its progress.
    """
    from ilpsum.cli import terminal

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        for name in ("_SECONDS_TO_FIRST", "_SECONDS_A_STATUS"):
            patch.setattr(terminal, name, 1e9)
        yield


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data beside the checkout, without which a test is skipped, or in $ILPSUM_TEST_DATA."""
    named = os.environ.get("ILPSUM_TEST_DATA")
    folder = Path(named or Path(__file__).parents[2] / "shared" / "data")
    if not folder.is_dir():
        what = f"no real data at {folder}: set ILPSUM_TEST_DATA to a folder that holds tac2014/, scisumm/, ..."
        pytest.fail(what) if named else pytest.skip(what)
    return folder.resolve()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `ilpsum demo` writes; to add to it, copy it."""
    from ilpsum.cli import main

    target = tmp_path_factory.mktemp("sample") / "demo"
    assert main(["demo", "--out", str(target), "--quiet"]) == 0
    return target


# A topic in the shape of TAC 2014, of invented words: a paper on a moth that never was, and two
# papers that cite it.
_MOTH = """Scale proteins of the tarn moth
Summary
The tarn moth sheds its scales when the first frost falls. We asked which proteins hold the scales in place.
Three velins were found in every scale, and velin 2 binds the wing at low temperature. Moths without velin 2 keep their
scales through the winter. These results suggest that shedding is an active process.
Introduction
Scales of moths have been thought to fall off by wear. No gene had been linked to the loss.
Results
Velin 1 and velin 3 were constant from June to November (Fig. 1). Velin 2 fell by 80% within two days of frost.
Injection of velin 2 restored the scales in 14 of 20 moths.
Discussion
We propose that frost switches velin 2 off. Whether other moths shed in this way is not known.
"""
_BASK = """Frost and the insect wing
Wings change in winter. The loss of scales in the tarn moth follows the fall of velin 2 [7], which binds the wing.
Beetles do nothing of the kind. In moths that lack velin 2 the scales stay on through the winter [7].
"""
_QUILL = """A survey of velins
Velins are a family of nine proteins. Injected velin 2 gave most moths their scales back (Orrin, 2009).
"""
_TEXTS = {"Orrin.txt": _MOTH, "Bask.txt": _BASK, "Quill, O'Dea.txt": _QUILL}
# Citing paper, citance, marker, cited text, facet.
_CITANCES = (
    ("Bask.txt", "The loss of scales in the tarn moth follows the fall of velin 2 [7], which binds the wing.", "7",
     ("Velin 2 fell by 80% within two days of frost.", "We propose that frost switches velin 2 off."), "Results"),
    ("Bask.txt", "In moths that lack velin 2 the scales stay on through the winter [7].", "7",
     ("Moths without velin 2 keep their\nscales through the winter.",), "Implication"),
    ("Quill, O'Dea.txt", "Injected velin 2 gave most moths their scales back (Orrin, 2009).", "Orrin, 2009",
     ("Injection of velin 2 restored the scales in 14 of 20 moths.",), "Method"),
)  # fmt: skip
_SUMMARIES = {
    "A": "The tarn moth sheds its scales at the first frost.\rVelin 2 holds them and is switched off.",
    "B": "Velin 2 binds scales to the wing. Frost lowers it by 80%. Injected velin 2 brings the scales back.",
}


@pytest.fixture
def tac_topic(tmp_path: Path) -> Callable[..., Path]:
    """Writes a small TAC topic and returns its folder: `tac_topic("D9001_TEST", gold=False)`.

    It has a reference paper, two citing papers, three citances marked by the annotators A and B (B
    marks a little less of each), and two summaries; without gold neither the summaries nor the
    fields 9-12.
    """

    def write(name: str = "D9001_TEST", *, gold: bool = True, root: Path | None = None) -> Path:
        folder = (root or tmp_path / "topics") / name
        for part in ("Annotation", "Documents_Text", *(["Summary"] if gold else [])):
            (folder / part).mkdir(parents=True)
        for file, text in _TEXTS.items():
            (folder / "Documents_Text" / file).write_text(text, encoding="utf-8", newline="")
        for letter in "AB":
            lines = [
                _annotation(name, number, letter, gold) for number in range(1, len(_CITANCES) + 1)
            ]
            file = folder / "Annotation" / f"{name}.{letter}.ann.txt"
            file.write_text("\n\n".join(lines) + "\n", encoding="utf-8", newline="")
            if gold:
                summary = folder / "Summary" / f"{name}.{letter}.summary.txt"
                summary.write_text("\ufeff" + _SUMMARIES[letter], encoding="utf-8", newline="")
        return folder

    return write


def _annotation(name: str, number: int, letter: str, gold: bool) -> str:
    citing, citance, marker, cited, facet = _CITANCES[number - 1]
    start = _TEXTS[citing].index(citance)
    mark = _TEXTS[citing].index(marker, start)
    skipped = len(citance.split()[0]) + 1 if letter == "B" else 0
    fields = {
        "Topic ID": name,
        "Citance Number": str(number),
        "Reference Article": " Orrin.txt",
        "Citing Article": f" {citing}",
        "Citation Marker Offset": f" {mark}-{mark + len(marker)}",
        "Citation Marker": f" {marker}",
        "Citation Offset": f" {start + skipped}-{start + len(citance)}",
        "Citation Text": f" {citance[skipped:]}",
    }
    if gold:
        spans = [(_MOTH.index(text), _MOTH.index(text) + len(text)) for text in cited]
        fields["Reference Offset"] = f" {[f'{a}-{b}' for a, b in spans]}"
        fields["Reference Text"] = f" {' ... '.join(' '.join(text.split()) for text in cited)}"
        fields["Discourse Facet"] = f" {facet}_Citation"
        fields["Annotator"] = f" {letter},"
    return "".join(f"{key}: {value} | " for key, value in fields.items()).rstrip()


class Browser:
    """A page in a headless Chromium that keeps a list of everything it should not do."""

    def __init__(self, chromium: Any) -> None:
        self._chromium, self.page, self._own = chromium, None, [""]
        self.complaints: list[str] = []

    def open(
        self,
        address: str | Path,
        *,
        width: int = 1280,
        scheme: str = "light",
        motion: str = "reduce",
    ) -> Any:
        """Open an address and return Playwright's page, which keeps its storage from one address to the next."""
        address = address.as_uri() if isinstance(address, Path) else address
        self._own = address.split("/", 3)[:3]
        if self.page is None:
            self.page = self._chromium.new_context().new_page()
            self.page.on("console", lambda message: self.complaints.append(message.text))
            self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
            self.page.on("request", lambda request: self._requested(request.url))
        self.complaints.clear()
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme=scheme, reduced_motion=motion)
        self.page.goto(address)
        return self.page

    def _requested(self, url: str) -> None:
        if not url.startswith("data:") and url.split("/", 3)[:3] != self._own:
            self.complaints.append(url)

    def close(self) -> None:
        if self.page is not None:
            self.page.context.close()
            self.page = None


# Not for the whole session: while it is open, Playwright's event loop runs in this thread, and no
# other can.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A headless Chromium; `make browser` installs it, and fails without it."""
    program = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        what = "no Chromium or no Playwright: `make browser` installs both"
        pytest.fail(what) if os.environ.get("ILPSUM_BROWSER") else pytest.skip(what)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def browser(chromium: Any) -> Iterator[Browser]:
    opened = Browser(chromium)
    yield opened
    opened.close()
