"""Run the commands of `_commands.json` one after the other in this process, and print their exit codes.

`< FILE` and `> FILE` at the end of a command are its standard input and output; `python SCRIPT ...` runs a script
instead of ilpsum.
"""

import contextlib
import json
import os
import runpy
import sys
from pathlib import Path


def run(words: list[str]) -> int | str | None:
    """Run one command and return its exit code."""
    from ilpsum.cli import main

    try:
        if words[0] == "python":
            sys.argv = words[1:]
            runpy.run_path(words[1], run_name="__main__")
            return 0
        return main(words)
    except SystemExit as stop:
        return stop.code


if __name__ == "__main__":
    codes = []
    for command in json.loads(Path("_commands.json").read_text(encoding="utf-8")):
        file = "_output"
        if ">" in command:
            command, file = command[: command.index(">")], command[-1]
        given = os.devnull
        if "<" in command:
            command, given = command[: command.index("<")], command[command.index("<") + 1]
        with (
            Path(given).open(encoding="utf-8") as sys.stdin,
            Path(file).open("w", encoding="utf-8", newline="\n") as output,
            contextlib.redirect_stdout(output),
        ):
            codes.append(run(command))
    print(*codes)
