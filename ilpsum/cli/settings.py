"""Options made from the table of settings: a few have names of their own, `--set KEY=VALUE` takes every key."""

import argparse
from typing import Any

from ilpsum.answers.steps import Summarizer
from ilpsum.api.systems import summarizer
from ilpsum.pipeline.settings import named, table_of_settings
from ilpsum.pipeline.system import READING, RULES, SEARCHED
from ilpsum.runs import DEFAULT_SYSTEM

# Options that are settings, with their keys.
_KEYS = {
    "--method": "selection.method",
    "--lambda": "selection.lambda",
    "--order": "order.by",
    "--solver": "solver.name",
    "--since": "source.since",
    "--kinds": "source.kinds",
    "--humans": "source.humans",
    "--retracted": "source.retracted",
    "--exact": "source.exact",
}
_METAVARS = {"--method": "NAME", "--solver": "NAME", "--lambda": "X", "--since": "YEAR", "--kinds": "KIND,..."}
# Settings that change several keys.
_SEVERAL: dict[str, dict[str, Any]] = {
    "--coherence": {
        "metavar": "RULE,...",
        "help": f"coherence rules: {', '.join(RULES)}; all, none (default: {', '.join(SEARCHED)} for "
        f"searched abstracts, {', '.join(READING)} for other answers, all for BioGen, otherwise those of the system)",
    }
}


def add_system(group: "argparse._ActionsContainer") -> None:
    """Add the options that choose a system and its model."""
    add = group.add_argument
    add("--system", metavar="NAME|FILE.toml", default=DEFAULT_SYSTEM, help="see `ilpsum systems` (default: concepts)")
    add("--model", metavar="NAME|FILE", help="included model or model file (default: the system's own)")


def add_settings(group: "argparse._ActionsContainer", *options: str) -> None:
    """Add options that are settings, by name; help and choices come from the table of settings."""
    for option in options:
        if option in _SEVERAL:
            group.add_argument(option, dest=f"set_{option[2:]}", **_SEVERAL[option])
            continue
        row = table_of_settings()[_KEYS[option]]
        kind: dict[str, Any] = {"action": "store_true", "default": None} if row.flag else {}
        if row.choices and not isinstance(row.default, tuple):
            kind = {"choices": row.choices}
        elif not row.flag:
            kind = {"metavar": _METAVARS[option]}
        group.add_argument(option, dest=f"set_{row.key}", help=row.help, **kind)


def add_set(parser: "argparse._ActionsContainer") -> None:
    """Add `--set KEY=VALUE`."""
    text = "change any setting, repeatable: coherence.overlap=0.7 (all: ilpsum systems --settings)"
    action: Any = parser.add_argument(
        "--set", dest="pairs", action="append", default=[], metavar="KEY=VALUE", help=text
    )
    keys = " ".join(f"{key}=" for key in table_of_settings())
    action.complete = {"bash": "", "zsh": f"({keys})"}  # for shtab


def settings_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the settings that options name, by key; `--set` counts before an option. `ArgumentError` if unknown."""
    own = {name[4:]: value for name, value in vars(options).items() if name.startswith("set_") and value is not None}
    return {**own, **named(getattr(options, "pairs", ()))}


def load(
    options: argparse.Namespace, *, searched: bool, explained: bool = True, may_stop_early: bool = False
) -> Summarizer:
    """Load the summarizer that options describe; arguments and exceptions as for `ilpsum.api.systems.summarizer`."""
    given = {key: value for key, value in settings_of(options).items() if not key.startswith(("source.", "run."))}
    kwargs: dict[str, Any] = {"searched": searched, "explained": explained, "may_stop_early": may_stop_early}
    return summarizer(options.system, options.model, settings=given, **kwargs)
