"""Options that choose a system and change its settings, generated from the tables of `System`."""

import argparse
import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

import msgspec

from ilpsum.answers.steps import Summarizer
from ilpsum.api.systems import Settings, summarizer
from ilpsum.cli.options import positive, share
from ilpsum.pipeline.system import READING, RULES, SEARCHED, CandidateTable, CoherenceTable, OrderTable, SelectionTable
from ilpsum.runs.formats import DEFAULT_SYSTEM, Format

# Keys of a system file that are also options.
_KEYS: dict[str, tuple[type[msgspec.Struct], str]] = {
    "--method": (SelectionTable, "method"),
    "--threshold": (SelectionTable, "threshold"),
    "--lambda": (SelectionTable, "lambda_"),
    "--order": (OrderTable, "by"),
    "--labels": (OrderTable, "labels"),
    "--overlap": (CoherenceTable, "overlap"),
    "--clean": (CandidateTable, "clean"),
}
# Tables of a system file that are options.
_TABLES: dict[str, dict[str, Any]] = {
    "--coherence": {
        "metavar": "RULE,...",
        "help": f"coherence rules: {', '.join(RULES)}; all, none (default: {', '.join(SEARCHED)} for "
        f"searched abstracts, {', '.join(READING)} for other answers, all for BioGen, otherwise those of the system)",
    },
    "--compress": {
        "action": "store_true",
        "default": None,
        "help": "also choose among compressed sentences (see `ilpsum compress`)",
    },
}


def add_system(add: Callable[..., argparse.Action]) -> None:
    """Add the options that choose a system and its model."""
    add("--system", metavar="NAME|FILE.toml", default=DEFAULT_SYSTEM, help="see `ilpsum systems` (default: concepts)")
    add("--model", metavar="NAME|FILE", help="included model or model file (default: the system's own)")


def add_settings(add: Callable[..., argparse.Action], *options: str) -> None:
    """Add options that change system settings; values and help come from the tables of the system."""
    for option in options:
        name = "lambda_" if option == "--lambda" else option[2:]
        add(option, dest=f"set_{name}", **(_TABLES[option] if option in _TABLES else _of_key(*_KEYS[option])))


def add_solver(add: Callable[..., argparse.Action]) -> None:
    """Add the options of the solver."""
    add("--solver", default="highs", metavar="NAME", help="highs (default); as published: highs-paper, glpk, cbc")
    add("--node-limit", type=positive, metavar="N", help="stop the proof after N nodes")
    add("--fallback", action="store_true", help="if the solver is missing or fails, select greedily, with a warning")


def load(
    options: argparse.Namespace, target: Format | None, *, searched: bool, explained: bool = True, ends: bool = False
) -> Summarizer:
    """Load the summarizer for the options of `add_system`, and of `add_settings` and `add_solver` if added.

    For the other arguments and the exceptions see `ilpsum.api.systems.summarizer` and `PipelineOptions`.
    """
    from ilpsum.selection import Limits

    given = {name[4:]: value for name, value in vars(options).items() if name.startswith("set_") and value is not None}
    how: dict[str, Any] = {"ends": ends, "explained": explained}
    how |= {name: getattr(options, name) for name in ("solver", "fallback") if hasattr(options, name)}
    if nodes := getattr(options, "node_limit", None):
        how["limits"] = Limits(nodes=nodes)
    return summarizer(options.system, options.model, target, searched=searched, options=how, **cast(Settings, given))


def _of_key(table: type[msgspec.Struct], key: str) -> dict[str, Any]:
    """Return argparse arguments for a key of a table: a switch, a name, a choice, or a number from 0 to 1."""
    kind, what = get_type_hints(table)[key], _described(table).get(key, "")
    if kind is bool:
        return {"action": argparse.BooleanOptionalAction, "help": what}
    if kind is str:
        return {"metavar": "NAME", "help": what}
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    return {"choices": choices, "help": what} if choices else {"type": share, "metavar": "X", "help": what}


@cache
def _described(table: type[msgspec.Struct]) -> dict[str, str]:
    """Return the first sentence about each key in a table's docstring, without references in backticks."""
    _, _, attributes = inspect.cleandoc(table.__doc__ or "").partition("Attributes:\n")
    found = re.findall(r"^ {4}(\w+): ((?:.|\n {5,})+)", attributes, re.MULTILINE)
    plain = [(key, re.sub(r" \((?:key )?`[\w.]+`\)", "", " ".join(text.split()))) for key, text in found]
    return {key: text.split(". ")[0].rstrip(".") for key, text in plain}
