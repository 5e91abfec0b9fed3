"""Options made from the table of settings: a few have names of their own, `--set KEY=VALUE` takes
every key.
"""

import argparse
from functools import partial
from typing import Any

from ilpsum.answers.steps import Summarizer
from ilpsum.api.systems import summarizer
from ilpsum.cli.options import SEARCH, SERVICES, SOURCES, add_common, add_value
from ilpsum.errors import ArgumentError, UsageError
from ilpsum.learning.judging.judge import KEY, Judge
from ilpsum.pipeline.settings import (
    TABLES,
    changed,
    parsed,
    require_fitting,
    row_of,
    table_of_settings,
)
from ilpsum.records.tables import RULES, JudgeTable
from ilpsum.runs import DEFAULT_SYSTEM
from ilpsum.selection import SELECTORS

# Options that are settings: the key, and what stands for the value if the table has no choices.
_OPTIONS = {
    "--method": ("selection.method", "NAME"),
    "--lambda": ("selection.lambda", "X"),
    "--order": ("order.by", ""),
    "--solver": ("solver.name", "NAME"),
    "--relevance": ("relevance.scores", "FILE"),
    "--since": ("source.since", "YEAR"),
    "--kinds": ("source.kinds", "KIND,..."),
    "--humans": ("source.humans", ""),
    "--retracted": ("source.retracted", ""),
    "--exact": ("source.exact", ""),
    "--judge": ("judge.url", "URL"),
    "--judge-model": ("judge.model", "NAME"),
    "--refresh": ("judge.refresh", ""),
}


_JUDGE = (
    "A language model or a reranker grades the sentences. It receives the question\n"
    f"and up to 45 sentences; {KEY} holds the API key of a service."
)


def add_judge(parser: argparse.ArgumentParser) -> None:
    """Add the options of a judge."""
    group = parser.add_argument_group("a judge", _JUDGE)
    add_settings(group, "--judge", "--judge-model", "--refresh")


def add_sources(parser: argparse.ArgumentParser, abstracts: str, *services: str) -> None:
    """Add the options of what a question is answered from: groups for `abstracts`, for services
    (their title, and more options), for filters and for a judge.
    """
    title, *more = services
    add_common(parser.add_argument_group(abstracts), *SEARCH)
    add_common(parser.add_argument_group(title), *SERVICES, *more)
    filters = "documents that may be quoted (default: all but retracted ones)"
    add_settings(parser.add_argument_group(filters), *SOURCES, "--exact")
    add_judge(parser)


def judge_of(options: argparse.Namespace) -> Judge | None:
    """Return the judge that options describe; None without an address."""
    table = changed(JudgeTable(), "judge", settings_of(options))
    return Judge.of(table) if table.url else None


def add_system(group: "argparse._ActionsContainer") -> None:
    """Add the options that choose a system and its model."""
    system = f"system, see `ilpsum systems` (default: {DEFAULT_SYSTEM})"
    model = "included model, or model file (default: the system's)"
    add_value(group, "--system", "NAME|FILE.toml", system, default=DEFAULT_SYSTEM)
    add_value(group, "--model", "NAME|FILE", model)


def add_settings(group: "argparse._ActionsContainer", *options: str) -> None:
    """Add options that are settings, by name; help and choices come from the table of settings."""
    for option in options:
        key, metavar = _OPTIONS[option]
        row = row_of(key)
        kind: dict[str, Any] = {"metavar": metavar} if metavar else {"choices": row.choices}
        if row.flag:
            kind = {"action": "store_true", "default": None}
        elif metavar:
            kind["type"] = partial(_fitting, key)
        group.add_argument(option, dest=f"set_{key}", help=row.help, **kind)


def _fitting(key: str, text: str) -> str:
    """Return the text of an option if it fits its setting."""
    try:
        require_fitting(key, text)
    except ArgumentError as error:
        why = str(error).removeprefix(f"{key}: ")
        if why.startswith("expected"):
            why = f"{why.partition(', got ')[0]}, got {text[:40]}"
        raise argparse.ArgumentTypeError(why) from None
    return text


def add_coherence(group: "argparse._ActionsContainer") -> None:
    """Add `--coherence`, which sets several keys."""
    text = (
        f"apply only these coherence rules: {', '.join(RULES)}; or all, none (default: by kind of "
        "topic, see docs/guides/answers.md)"
    )
    add_value(group, "--coherence", "RULE,...", text, dest="set_coherence")


def add_set(parser: "argparse._ActionsContainer", *tables: str) -> None:
    """Add `--set KEY=VALUE`, for the keys of some tables; by default of all."""
    others = [table for table in TABLES if tables and table not in tables]
    if tables and "selection" not in tables:
        others += SELECTORS
    keys = [key for key in table_of_settings() if key.partition(".")[0] not in others]
    text = f"change a setting, such as {keys[0]}; repeatable; `ilpsum systems --settings` lists all"
    action: Any = add_value(
        parser,
        "--set",
        "KEY=VALUE",
        text,
        dest="pairs",
        action="append",
        default=[],
    )
    action.complete = {"bash": "", "zsh": f"({' '.join(f'{key}=' for key in keys)})"}  # for shtab
    parser.set_defaults(not_settable=others)


def settings_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the settings that options name, by key; `--set` counts before an option.

    Raises:
        ArgumentError: an unknown key.
        UsageError: the verb does not have the setting.
    """
    by_option = {
        name[4:]: value
        for name, value in vars(options).items()
        if name.startswith("set_") and value is not None
    }
    if by_option.get("judge.refresh") and any(
        vars(options).get(name) for name in ("pubmed", "europepmc")
    ):
        by_option["source.refresh"] = True
    by_set = parsed(getattr(options, "pairs", ()))
    for key in by_set:
        if key.partition(".")[0] in options.not_settable:
            raise UsageError(
                f"--set {key}: `ilpsum {options.verb}` does not use this setting; leave it out"
            )
    return {**by_option, **by_set}


def load(options: argparse.Namespace, **kwargs: Any) -> Summarizer:
    """Load the summarizer that options describe; keywords and exceptions as for
    `ilpsum.api.systems.summarizer`.
    """
    settings = {
        key: value
        for key, value in settings_of(options).items()
        if not key.startswith(("source.", "run."))
    }
    return summarizer(options.system, options.model, settings=settings, **kwargs)
