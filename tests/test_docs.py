"""Commands and Python snippets of README.md and docs/ run, a page in a folder of its own; every
link leads somewhere.

Fenced blocks are run by their language: `sh` (a command a line), `console` (`$ command`, then the
output to expect, in which `...` stands for anything), `python` (the blocks of a page share their
names) and `toml` whose first line is `# FILE.toml` (written to that file). `<!-- not run: REASON
-->` above a block exempts it.
"""

import doctest
import json
import re
import runpy
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from experiments.registry import EXPERIMENTS
from ilpsum.cli import main
from ilpsum.literature import client
from tests.ilpsum.answers.standin import Standin

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))
LINKED = (
    *PAGES,
    *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "experiments").rglob("*.md")),
)
_BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<reason>.+?) -->\n)?^```(?P<language>\w+)[^\n]*\n(?P<body>.*?)^```$",
    re.M | re.S,
)
_SOURCE = re.compile(r"`((?:features|ilpsum|tests|experiments|configs|docs)/[\w./-]*)`")
_SCRIPT = re.compile(r"python (experiments/[\w/]+\.py|-m (?:experiments|tests)[.\w]+)")
_EXPERIMENT = re.compile(r"python -m experiments ([a-z][\w-]*)")
# Most pages begin with it: they have a copy of what it wrote. It runs on the pages that show what
# it prints.
DEMO = "ilpsum demo --out demo"
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)")


@dataclass(frozen=True)
class Block:
    """A fenced block: the page and line where it starts, its language and its text."""

    place: str
    language: str
    body: str


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text("utf-8")
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("language")) + 1
        if match["reason"] is None:
            yield Block(f"{page.relative_to(ROOT)}:{line}", match["language"], match["body"])


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a block, each with the output to expect ("" for any)."""
    body = block.body.replace("\\\n", " ")
    if block.language == "sh":
        for line in body.splitlines():
            if shlex.split(line, comments=True):
                yield line, ""
        return
    for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        yield command, output.strip("\n")


def run(block: Block, capsys: pytest.CaptureFixture[str]) -> None:
    for command, expected in commands(block):
        program, *arguments = shlex.split(command, comments=True)
        if command == DEMO and not expected:
            continue
        assert program == "ilpsum", (
            f"{block.place}: {command}: only ilpsum is run; say `<!-- not run: REASON -->`"
        )
        capsys.readouterr()
        status = main(arguments)
        printed = capsys.readouterr()
        assert status == 0, f"{block.place}: {command}: exit status {status}: {printed.err}"
        if expected:
            same = doctest.OutputChecker().check_output(
                expected + "\n", printed.out, doctest.ELLIPSIS
            )
            assert same, f"{block.place}: {command}: expected\n{expected}\nbut got\n{printed.out}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to work in, with a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    with Standin() as standin:
        for name, value in standin.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(client, "_SLOWER", 1e-9)
        yield work


@pytest.mark.parametrize(
    "page", [p for p in PAGES if any(blocks(p))], ids=lambda path: str(path.relative_to(ROOT))
)
def test_every_block_runs(page, folder, demo, capsys):
    shutil.copytree(demo, folder / "demo")
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language in ("sh", "console"):
            run(block, capsys)
        elif block.language == "python":
            exec(compile(block.body, block.place, "exec"), names)
        elif block.language in ("toml", "text") and (
            name := re.match(r"# ([\w.-]+\.(toml|txt))\n", block.body)
        ):
            (folder / name[1]).write_text(block.body, "utf-8")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(notebook, folder):
    names: dict[str, object] = {"__name__": "__main__"}
    for number, cell in enumerate(json.loads(notebook.read_text("utf-8"))["cells"], start=1):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], f"{notebook.name}: cell {number} keeps its output"
            exec(compile("".join(cell["source"]), f"{notebook.name}, cell {number}", "exec"), names)


@pytest.mark.parametrize("script", ["train_and_sweep", "ilp_against_greedy"])
def test_scripts_run(script, folder, demo, monkeypatch):
    shutil.copytree(demo, folder / "demo")
    monkeypatch.setattr("sys.argv", [script])
    runpy.run_path(str(ROOT / "docs" / "scripts" / f"{script}.py"), run_name="__main__")


@pytest.mark.parametrize("page", LINKED, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_named_files_exist(page):
    text = page.read_text("utf-8")
    for target in _LINK.findall(text):
        assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"
    for path in _SOURCE.findall(text):
        assert (ROOT / path).exists(), f"{page.relative_to(ROOT)} names {path}"
    for script in _SCRIPT.findall(text):
        path = (
            script
            if script.endswith(".py")
            else script.removeprefix("-m ").replace(".", "/") + ".py"
        )
        assert (ROOT / path).exists(), f"{page.relative_to(ROOT)} calls {script}"
    for name in _EXPERIMENT.findall(text):
        assert name in EXPERIMENTS, f"{page.relative_to(ROOT)} runs the experiment {name}"
