"""What the experiments share: their options, their progress, and the page that a run writes.

A page says which command made it, when, and with which versions. A run overwrites no file unless
`--overwrite` allows it, and says so before it computes anything.
"""

import argparse
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path

from ilpsum.errors import UsageError

OUT = Path("build/experiments")
PACKAGES = ("ilpsum", "numpy", "scikit-learn")
# Options whose values are places of this machine, which a page does not name.
PLACES = ("--data", "--out")


def parser(program: str, description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options of every experiment: --data, --out and --overwrite.

    Args:
        program: what `python -m` runs: `experiments figure3`, or `experiments.general`.
        description: the docstring of the script.
    """
    data = os.environ.get("ILPSUM_TEST_DATA", "../shared/data")
    options = argparse.ArgumentParser(
        prog=f"python -m {program}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.set_defaults(program=program)
    options.add_argument(
        "--data", type=Path, default=Path(data), metavar="DIR", help="folder of the data sets"
    )
    options.add_argument(
        "--out", type=Path, default=OUT, metavar="DIR", help=f"folder for the page ({OUT})"
    )
    options.add_argument(
        "--overwrite", action="store_true", help="replace pages and plots that --out already has"
    )
    return options


@dataclass(frozen=True)
class Page:
    """A page to write, `NAME.md` in a folder.

    Attributes:
        name: the experiment's name.
        out: the folder.
        command: the command that makes the page.
        packages: distributions whose versions the page names.
        plots: file names of its plots.
    """

    name: str
    out: Path
    command: str
    packages: tuple[str, ...] = PACKAGES
    plots: tuple[str, ...] = ()

    @classmethod
    def begin(
        cls,
        options: argparse.Namespace,
        argv: Sequence[str],
        *,
        name: str = "",
        packages: Sequence[str] = (),
        plots: Sequence[str] = (),
    ) -> "Page":
        """Begin a page before its run; its name is that of the experiment unless another is given.

        Raises:
            UsageError: a file of the page exists, and --overwrite is not given.
        """
        name = name or options.program.replace(".", " ").split()[-1]
        run = command(options.program, argv)
        page = cls(name, options.out, run, (*PACKAGES, *packages), tuple(plots))
        for file in (f"{name}.md", *plots):
            if (page.out / file).exists() and not options.overwrite:
                raise UsageError(
                    f"{page.out / file} exists; choose another --out, or replace it by --overwrite"
                )
        return page

    def plot(self, file: str) -> Path:
        """Return the path of a plot, and make its folder."""
        self.out.mkdir(parents=True, exist_ok=True)
        return self.out / file

    def write(self, title: str, blocks: Iterable[str], settings: str = "") -> None:
        """Write the page and print it.

        Args:
            title: heading of the page.
            blocks: paragraphs and tables in Markdown.
            settings: seeds and sizes that the numbers depend on.
        """
        versions = ", ".join(f"{package} {version(package)}" for package in self.packages)
        versions = versions.replace(",", f"{checkout()},", 1)
        run = "; ".join(filter(None, (date.today().isoformat(), versions, settings)))
        text = "\n\n".join([f"# {title}", f"`{self.command}` ({run})", *blocks])
        self.out.mkdir(parents=True, exist_ok=True)
        (self.out / f"{self.name}.md").write_text(text + "\n", encoding="utf-8")
        print(text)


def checkout() -> str:
    """Return the commit of the checkout in brackets, or nothing without git."""
    git = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=8", "HEAD"]
    try:
        run = subprocess.run(git, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f" ({run.stdout.strip()})"


def command(program: str, argv: Sequence[str]) -> str:
    """Return the command of a run, without places of this machine; files go by their names, and the
    folder of the data sets by DATA.

    >>> command("experiments figure3", ["--data", "/x", "--pools", "snippets", "--overwrite"])
    'python -m experiments figure3 --data DATA --pools snippets'
    """
    shown = []
    rest = iter(argv)
    for argument in rest:
        option, _, value = argument.partition("=")
        if option in PLACES and not value:
            next(rest, None)
        if option == "--data":
            shown += ["--data", "DATA"]
        elif option not in ("--out", "--overwrite"):
            shown.append(Path(argument).name if os.sep in argument else argument)
    return shlex.join(["python", "-m", *program.split(), *shown])


def markdown(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown.

    >>> print(markdown(["system", "score"], [["lead", 0.5]]))
    | system | score |
    |---|---|
    | lead | 0.5000 |
    """
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in rows:
        cells = [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


class Progress:
    """Tells on stderr what a run does, with the seconds since it began."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def __call__(self, what: str) -> None:
        """Print a step."""
        print(f"{time.monotonic() - self._start:6.0f} s  {what}", file=sys.stderr, flush=True)
