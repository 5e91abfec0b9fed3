"""The table of the Python reference: every option of every command is in it, and what it names exists."""

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import is_typeddict

import pytest

from ilpsum.cli import VERBS, full_parser

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "python.md"
ROWS = [
    [re.findall("`([^`]+)`", cell) for cell in line.split("|")[1:-1]]
    for line in PAGE.read_text("utf-8").split("## Every option in Python")[1].split("\n## ")[0].splitlines()
    if line.startswith("|")
][2:]
PYTHON = sorted({name for *_, names in ROWS for name in names if name.startswith("ilpsum.")})


def options():
    (verbs,) = (action for action in full_parser()._actions if action.dest == "verb")
    for verb, parser in verbs.choices.items():
        for action in parser._actions:
            if long := [name for name in action.option_strings if name.startswith("--")]:
                yield verb, long[0]


def test_every_option_is_in_the_table_and_no_other():
    every = {(verb, option) for verb, option in options()}
    listed = {(verb, option) for verbs, own, _ in ROWS for verb in verbs or VERBS for option in own}
    assert every <= listed
    # A row of several commands may list an option that only some of them have.
    assert {option for _, option in listed} <= {option for _, option in every}
    assert {verb for verbs, *_ in ROWS for verb in verbs} == set(VERBS)


def found(path):
    parts = path.split(".")
    for k in range(len(parts), 0, -1):
        try:
            value = import_module(".".join(parts[:k]))
        except ModuleNotFoundError:
            continue
        for name in parts[k:]:
            value = getattr(value, name)
        return value
    raise AssertionError(path)


@pytest.mark.parametrize("named", PYTHON)
def test_what_the_table_names_exists(named):
    path, _, arguments = named.rstrip(")").partition("(")
    value = found(path)
    if arguments:
        known = value.__annotations__ if is_typeddict(value) else inspect.signature(value).parameters
        assert set(arguments.split(", ")) <= set(known)
