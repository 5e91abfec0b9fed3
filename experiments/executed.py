"""How much of ilpsum a command executes: its functions and files, counted once each.

    python experiments/executed.py summarize demo/topics --out runs
    python experiments/executed.py --ways                     # the four main ways, on the sample input

Functions that run, and files that are imported or run, in `ilpsum` and `features`, of one process (no `--jobs`).
"""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
_ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT)}
WAYS = {
    "papers": "summarize {demo}/topics --team PAPERS --out {out}",
    "BioASQ questions": "summarize {demo}/questions.json --team BIO --out {out}",
    "a searched question": "ask|How does gentamicin kill kidney cells?|--documents|{demo}/abstracts.xml|--words|60",
    "scores": "evaluate {out}/PAPERS1 {demo}/topics",
}


def executed(arguments: list[str]) -> tuple[int, int]:
    """Return the numbers of distinct functions and files of ours that a command executes."""
    functions, files = set[tuple[str, int]](), set[str]()
    ours = tuple(str(ROOT / package) for package in ("ilpsum", "features"))

    def count(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ours):
            files.add(code.co_filename)
            if not code.co_name.startswith("<"):
                functions.add((code.co_filename, code.co_firstlineno))

    sys.setprofile(count)
    try:
        from ilpsum.cli import main

        with contextlib.redirect_stdout(io.StringIO()):
            main(arguments)
    finally:
        sys.setprofile(None)
    return len(functions), len(files)


def ways() -> None:
    """Print the counts of the four main ways, each in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        demo, out = f"{folder}/demo", f"{folder}/runs"
        subprocess.run(
            [sys.executable, "-m", "ilpsum", "demo", "--out", demo, "--quiet"], check=True, capture_output=True
        )
        for name, command in WAYS.items():
            filled = command.format(demo=demo, out=out)
            arguments = filled.split("|") if "|" in filled else filled.split()
            call = [sys.executable, __file__, *arguments]
            done = subprocess.run(call, check=True, capture_output=True, text=True, cwd=ROOT, env=_ENVIRONMENT)
            print(f"{name}: {done.stdout}", end="")


if __name__ == "__main__":
    if sys.argv[1:] == ["--ways"]:
        ways()
    else:
        functions, files = executed(sys.argv[1:])
        print(f"{functions} functions in {files} files")
