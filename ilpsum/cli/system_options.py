"""The options that choose a system and change its settings, made from the tables of `System`."""

import argparse
import inspect
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from ilpsum.cli.options import positive, share
from ilpsum.errors import UsageError
from ilpsum.pipeline.limits import FormatLimits
from ilpsum.pipeline.summarizer import Summarizer
from ilpsum.pipeline.system import (
    READING,
    RULES,
    SEARCHED,
    CandidateTable,
    CoherenceTable,
    CompressionTable,
    OrderTable,
    SelectionTable,
    System,
)
from ilpsum.runs.formats import DEFAULT_SYSTEM, Format

# The keys of a system's file that are options too.
_KEYS: dict[str, tuple[type[msgspec.Struct], str]] = {
    "--method": (SelectionTable, "method"),
    "--threshold": (SelectionTable, "threshold"),
    "--lambda": (SelectionTable, "lambda_"),
    "--order": (OrderTable, "by"),
    "--labels": (OrderTable, "labels"),
    "--overlap": (CoherenceTable, "overlap"),
    "--clean": (CandidateTable, "clean"),
}
# Tables that are options.
_TABLES: dict[str, dict[str, Any]] = {
    "--coherence": {
        "metavar": "RULE,...",
        "help": f"rules of coherence: {', '.join(RULES)}; all, none (default: {', '.join(SEARCHED)} for "
        f"searched abstracts, {', '.join(READING)} for other answers, all for BioGen, otherwise the system's)",
    },
    "--compress": {
        "action": "store_true",
        "default": None,
        "help": "allow compressed variants of sentences (see `ilpsum compress`)",
    },
}


def add_system(add: Callable[..., argparse.Action]) -> None:
    """Add the options that choose a system and its model."""
    add("--system", metavar="NAME|FILE.toml", default=DEFAULT_SYSTEM, help="see `ilpsum systems` (default: concepts)")
    add("--model", metavar="NAME|FILE", help="a model that ships, or a file (default: the system's own)")


def add_settings(add: Callable[..., argparse.Action], *options: str) -> None:
    """Add options that change settings of the system; their values and help are those of its tables."""
    for option in options:
        name = option[2:]
        add(option, dest=f"set_{name}", **(_TABLES[option] if option in _TABLES else _of_key(*_KEYS[option])))


def add_solver(add: Callable[..., argparse.Action]) -> None:
    """Add the options of the solver."""
    add("--solver", default="highs", metavar="NAME", help="highs (default); as published: highs-paper, glpk, cbc")
    add("--node-limit", type=positive, metavar="N", help="stop the proof after N nodes")
    add("--fallback", action="store_true", help="select greedily if the solver is missing or fails, with a warning")


def load(
    options: argparse.Namespace, target: Format | None, *, searched: bool, explained: bool = True, ends: bool = False
) -> Summarizer:
    """Return the summarizer that the options ask for.

    Args:
        options: with those of `add_system`, and any of `add_settings` and `add_solver`.
        target: the format of the run; None for an answer without a run.
        searched: whether the documents come from a search, so that the rules of coherence apply strictly.
        ends: whether an answer may end before its words are used.
        explained: whether someone sees why sentences were chosen and left out.

    Raises:
        UsageError: options that exclude each other, or no such system.
        ModelError: the model cannot be read.
    """
    from ilpsum.selection import Limits

    given = {name[4:]: value for name, value in vars(options).items() if name.startswith("set_") and value is not None}
    system = System.load(options.system)
    if "method" in given:
        system = system.with_method(given["method"])
    _check(system, options.model, given, target)
    cited = target is not None and target.cites
    if searched or cited or target is None:
        system = system.for_reader(strict=searched, cited=cited)
    system = _changed(system, given)
    facets: dict[str, Any] = {}
    if system.order.by == "facet":
        from ilpsum.citances.labels import facets_of

        facets["facets"] = facets_of
    nodes = getattr(options, "node_limit", None)
    return Summarizer.load(
        system,
        options.model,
        lambda_=given.get("lambda"),
        threshold=given.get("threshold"),
        solver=getattr(options, "solver", "highs"),
        limits=Limits(nodes=nodes) if nodes else Limits(),
        fallback=getattr(options, "fallback", False),
        format_limits=target.limits if target else FormatLimits(),
        ends=ends,
        explained=explained,
        **facets,
    )


def _of_key(table: type[msgspec.Struct], key: str) -> dict[str, Any]:
    """Return how argparse reads a key of a table: a switch, one of its values, or a number from 0 to 1."""
    kind, what = get_type_hints(table)[key], _described(table).get(key, "")
    if kind is bool:
        return {"action": argparse.BooleanOptionalAction, "help": what}
    if kind is str:
        return {"metavar": "NAME", "help": what}
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    return {"choices": choices, "help": what} if choices else {"type": share, "metavar": "X", "help": what}


@cache
def _described(table: type[msgspec.Struct]) -> dict[str, str]:
    """Return the first sentence on each key of a table, from its docstring, without names of modules."""
    _, _, attributes = inspect.cleandoc(table.__doc__ or "").partition("Attributes:\n")
    found = re.findall(r"^ {4}(\w+): ((?:.|\n {5,})+)", attributes, re.MULTILINE)
    plain = [(key, re.sub(r" \((?:key )?`[\w.]+`\)", "", " ".join(text.split()))) for key, text in found]
    return {key: text.split(". ")[0].rstrip(".") for key, text in plain}


def _check(system: System, model: str | None, given: Mapping[str, Any], target: Format | None) -> None:
    """Raise a `UsageError` if the system has no use for an option, or options exclude each other."""
    if given.get("labels") and given.get("order") != "facet":
        raise UsageError("--labels requires --order facet")
    if given.get("labels") and target is not None and target.cites:
        raise UsageError(f"answers of the format {target.name} have no labels; leave out --labels")
    if model and not system.learns:
        raise UsageError(f"the system {system.name} has no model; leave out --model")
    if "lambda" in given and not any(each.selector.has_objective for each in system.selections):
        raise UsageError(f"the system {system.name} has no lambda; leave out --lambda")
    if "threshold" in given and not any(each.selector.tunes == "threshold" for each in system.selections):
        raise UsageError(f"the system {system.name} has no threshold; leave out --threshold, or add --method greedy")
    if given.get("clean") and system.selection.selector.copies:
        raise UsageError(f"the system {system.name} copies its text as it is; leave out --clean")
    if given.get("compress") and not system.selection.selector.needs_relevance:
        raise UsageError(f"the system {system.name} compresses no sentences; leave out --compress")
    if given.get("overlap") == 0.0:
        raise UsageError("--overlap 0 would make any two sentences redundant; give a value above 0")


def _changed(system: System, given: Mapping[str, Any]) -> System:
    """Return the system with the coherence, order, cleaning and compression of the options."""
    changed: dict[str, object] = {}
    if "coherence" in given:
        # Rules that were asked for hold, also where they leave words unused.
        changed |= {**_rules(given["coherence"]), "relax": (), "fragments_after": 0}
    elif given.get("compress"):
        changed["anaphora"] = False  # a default, which excludes compression
    if "overlap" in given:
        changed["overlap"] = given["overlap"]
    system = system.with_coherence(**changed)
    if "order" in given:
        order = msgspec.structs.replace(system.order, by=given["order"], labels=given.get("labels", False))
        system = msgspec.structs.replace(system, order=order)
    if "clean" in given:
        system = system.cleaned(given["clean"])
    if given.get("compress"):
        system = msgspec.structs.replace(system, compression=system.compression or CompressionTable())
    return system


def _rules(text: str) -> dict[str, bool]:
    names = [name.strip() for name in text.split(",")]
    if unknown := [name for name in names if name not in (*RULES, "all", "none")]:
        raise UsageError(f"unknown coherence rule {unknown[0]!r}; there are: {', '.join(RULES)}; or all, none")
    if len(set(names)) > 1 and (other := {"all", "none"}.intersection(names)):
        raise UsageError(f"--coherence {min(other)} cannot be combined with rules")
    return {rule: rule in names or "all" in names for rule in RULES}
