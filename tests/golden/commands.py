"""Run the commands of `_commands.json` one after the other in this process, and print their exit
codes.

`< FILE` and `> FILE` at the end of a command are its standard input and output. Two commands are
none of ilpsum's: `library ...` calls it from Python, and after `standin` the services are a
stand-in on this machine.
"""

import contextlib
import json
import os
import runpy
import sys
import traceback
from pathlib import Path


def run(words: list[str]) -> int | str | None:
    """Run one command and return its exit code, or that it crashed."""
    from ilpsum.cli import main

    if words == ["standin"]:
        from tests.ilpsum.answers.standin import Standin

        os.environ.update(Standin(number=450).__enter__().environment)
        return 0
    try:
        if words[0] == "library":
            sys.argv = words
            runpy.run_module("tests.golden.library", run_name="__main__")
            return 0
        return main(words)
    except SystemExit as stop:
        return stop.code
    except Exception:
        traceback.print_exc()
        return "crash"


if __name__ == "__main__":
    codes = []
    for command in json.loads(Path("_commands.json").read_text(encoding="utf-8")):
        given, file = os.devnull, "_output"
        if "<" in command:
            command, given = command[: command.index("<")], command[command.index("<") + 1]
        elif ">" in command:
            command, file = command[: command.index(">")], command[command.index(">") + 1]
        with (
            Path(given).open(encoding="utf-8") as sys.stdin,
            Path(file).open("w", encoding="utf-8", newline="\n") as output,
            contextlib.redirect_stdout(output),
        ):
            codes.append(run(command))
    print(*codes)
