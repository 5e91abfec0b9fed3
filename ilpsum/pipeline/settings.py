"""The table of settings: the keys of systems, solver, sources and runs, each with its type, bounds,
default and help.

A setting is one row: a field of a table, annotated with its `Help`. System files, `--set KEY=VALUE`
on the command line, `settings={KEY: VALUE}` in Python and the reference page are made from it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec.structs import replace

from features.registry import suggested
from ilpsum.errors import ArgumentError, UsageError
from ilpsum.files.records import LARGEST, Help, Table, reason
from ilpsum.pipeline.system import FILE_TABLES, System
from ilpsum.records import SourceFilter
from ilpsum.records.tables import CandidateTable, CoherenceTable, RelevanceTable, SelectionTable
from ilpsum.selection import SELECTORS

Values = Mapping[str, Any]
"""Values by key, such as `coherence.overlap`; texts are converted to the type of the setting."""

OPTION = "option"
"""The origin of a setting that an option or an argument of Python makes."""

SHORT = {
    "method": "selection.method",
    "lambda": "selection.lambda",
    "alpha": "selection.alpha",
    "threshold": "selection.threshold",
    "features": "relevance.features",
    "target": "recipe.target",
    "scaling": "recipe.scaling",
    "C": "recipe.C",
    "gamma": "recipe.gamma",
    "epsilon": "recipe.epsilon",
    "order": "order.by",
    "solver": "solver.name",
}
"""Short names of settings in Python and in sweeps. `coherence` has no key of its own: the names of
the rules in force, separated by commas, `all` or `none`."""

_NAMES = {key: name for name, key in SHORT.items()}

# A number that msgspec takes for a text.
_POINT_FIRST = re.compile(r"-?\.[0-9]+")

Kept = TypeVar("Kept", bound=Table)


class SolverTable(Table, frozen=True):
    """The solver of the ILP and its limits."""

    name: Annotated[str, Help("highs; as published: highs-paper, glpk, cbc")] = "highs"
    nodes: Annotated[int, Help("stop the proof after so many nodes", ge=1, le=LARGEST)] = 10_000_000


class SourceTable(SourceFilter, frozen=True):
    """The documents that may be quoted, and the requests to literature services."""

    exact: Annotated[
        bool, Help("search for the words as written, without correcting typing errors")
    ] = False
    refresh: Annotated[
        bool, Help("services: ignore the cache, which keeps responses for 30 days")
    ] = False
    seconds: Annotated[
        float, Help("services: seconds to wait for a question (fetch: a request)", gt=0)
    ] = 120.0


class RunTable(Table, frozen=True):
    """The limits and the contact of a run."""

    bytes: (
        Annotated[int, Help("byte limit of a text, line ends between sentences included", ge=1)]
        | None
    ) = None
    contact_email: Annotated[str, Help("contact address of a biogen-2024 run")] | None = None


TABLES: dict[str, type[Table]] = {
    **FILE_TABLES,
    "solver": SolverTable,
    "source": SourceTable,
    "run": RunTable,
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A row: key, line of help, default, the choices if the values are limited, and whether it is a
    flag.
    """

    key: str
    help: str
    default: Any
    choices: tuple[str, ...]
    flag: bool


@cache
def table_of_settings(*, plugins: bool = False) -> dict[str, Setting]:
    """Return all settings by key but those of recipes, which matter only to training, the
    parameters of selectors last; with `plugins`, also those of other packages' selectors, which
    must be loaded for it.
    """
    selectors = SELECTORS if plugins else SELECTORS.own
    rows = dict[str, Setting]()
    for name in (*TABLES, *selectors):
        if name != "recipe":
            rows |= _rows(name)
    return rows


@cache
def _rows(name: str) -> dict[str, Setting]:
    """Return the settings of a table, or the parameters of a selector, by key."""
    table = TABLES.get(name) or SELECTORS[name].parameters
    schema = msgspec.json.schema(table)["$defs"][table.__name__]["properties"]
    rows = {}
    for field, kind in schema.items():
        # An optional value: its kind or null.
        kind |= kind.get("anyOf", [{}])[0]
        choices = kind.get("enum") or kind.get("items", {}).get("enum", ())
        key = f"{name}.{field}"
        rows[key] = Setting(
            key,
            kind.get("description", ""),
            default=kind.get("default"),
            choices=tuple(choices),
            flag=kind.get("type") == "boolean",
        )
    return rows


def row_of(key: str) -> Setting:
    """Return the setting of a key; `ArgumentError` for an unknown one, with those that exist."""
    table = key.partition(".")[0]
    rows = _rows(table) if table in TABLES or table in SELECTORS else {}
    if key in rows:
        return rows[key]
    tables = f"keys of the tables {', '.join(TABLES)}, and of selectors"
    full = key_named(key)
    near = f"; did you mean {full}?" if full else suggested(key, table_of_settings())
    raise ArgumentError(
        f"unknown setting {key[:100]!r}{near}; `ilpsum systems --settings` lists all; there are: "
        f"{', '.join(rows) or tables}"
    )


def key_named(name: str) -> str:
    """Return the first key with this name, in whichever table; empty if there is none."""
    return next((key for key in table_of_settings() if key.endswith(f".{name}")), "")


def name_of(key: str) -> str:
    """Return the short name of a setting, or its key if it has none."""
    return _NAMES.get(key, key)


def parsed(pairs: Iterable[str]) -> dict[str, str]:
    """Return the values of `KEY=VALUE` pairs by key; `ArgumentError` for another form or an unknown
    key.
    """
    values = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ArgumentError(
                f"--set {pair[:100]}: expected KEY=VALUE, such as coherence.overlap=0.7"
            )
        row_of(key)
        values[key] = value
    return values


def with_settings(system: System, values: Values, source: str = OPTION) -> System:
    """Return a system, and the systems of its kinds, with other values of some keys; the one way to
    change a system.

    `System.origins` records the `source`, so that the values count before those that training
    tuned. Keys of other tables (solver, source, run) are ignored. A method that uses no predicted
    relevance makes a baseline, named after the method and without a model: whatever the system,
    its candidates are the sentences of the documents, without rules, unless an option says
    otherwise.

    Raises:
        ArgumentError: a value does not fit.
        UsageError: the system lacks the model that a key or method needs.
    """
    others = tuple(f"{name}." for name in TABLES if name not in FILE_TABLES)
    values = {key: value for key, value in values.items() if not key.startswith(others)}
    if not values:
        return system
    if system.kinds is not None:
        kinds = {kind: with_settings(one, values, source) for kind, one in system.kinds.items()}
        system = replace(system, kinds=kinds)
        if not system.learns:
            system = replace(system, name=kinds["papers"].name)
    else:
        if values.get("relevance.scores") and system.relevance is None:
            system = replace(system, relevance=RelevanceTable())
        if "selection.method" in values:
            system = _with_method(system, str(values["selection.method"]))
        for key in values:
            if key.startswith("relevance.") and not system.selector.needs_relevance:
                raise UsageError(f"the system {system.name} uses no relevance; leave out {key}")
        tables = {
            name: table for name in FILE_TABLES if (table := getattr(system, name)) is not None
        }
        new = {name: changed(table, name, values) for name, table in tables.items()}
        system = replace(system, **new, parameters=_parameters(system, values))
    return replace(system, origins={**system.origins, **dict.fromkeys(values, source)})


def _parameters(system: System, values: Values) -> dict[str, dict[str, Any]]:
    """Return the written parameters of selectors, updated by those among the values."""
    written = {selector: dict(table) for selector, table in system.parameters.items()}
    for key in values:
        selector, _, name = key.partition(".")
        if selector not in FILE_TABLES:
            row_of(key)
            table = changed(system.parameters_of(selector), selector, {key: values[key]})
            written.setdefault(selector, {})[name] = getattr(table, name)
    return written


def value_of(system: System, key: str) -> Any:
    """Return the value of a setting of a system without kinds; None if it lacks the table."""
    name, _, field = key.partition(".")
    table = getattr(system, name) if name in FILE_TABLES else system.parameters_of(name)
    return getattr(table, field.replace("lambda", "lambda_"), None)


def _with_method(system: System, method: str) -> System:
    """Return a system with another selector, without the parts that this cannot use."""
    selector = SELECTORS[method]
    if not selector.needs_relevance:
        return _baseline(system, method)
    if system.relevance is None:
        raise UsageError(
            f"the system {system.name} has no model to select by; leave out the method {method}"
        )
    weights = system.selection.weights if selector.has_objective else "equal"
    selection = replace(system.selection, method=method, weights=weights)
    return replace(system, selection=selection)


def _baseline(system: System, method: str) -> System:
    """Return the baseline of a method that uses no predicted relevance; of the system it keeps the
    parameters of selectors, and the options for what the method uses.
    """
    selector = SELECTORS[method]
    used = ["candidates.", "selection.concepts"]
    if not selector.copies:
        used.append("coherence.")
    options = {
        key: value_of(system, key)
        for key, origin in system.origins.items()
        if origin == OPTION and key.startswith(tuple(used))
    }
    candidates = CandidateTable(citances=selector.chooses_citances)
    return System(
        description=system.description,
        name=method if system.relevance else system.name,
        candidates=changed(candidates, "candidates", options),
        selection=changed(SelectionTable(method=method), "selection", options),
        coherence=changed(CoherenceTable(), "coherence", options),
        parameters=system.parameters,
        origins=dict.fromkeys(options, OPTION),
        chosen_on=system.chosen_on if method in system.parameters else "",
    )


def changed(table: Kept, name: str, values: Values) -> Kept:
    """Return a table with the values that name its keys (`NAME.KEY`); `ArgumentError` if one does
    not fit.
    """
    prefix = f"{name}."
    new = {
        key.removeprefix(prefix): _plain(key, value)
        for key, value in values.items()
        if key.startswith(prefix)
    }
    if not new:
        return table
    try:
        return msgspec.convert({**msgspec.to_builtins(table), **new}, type(table), strict=False)
    except (msgspec.ValidationError, ValueError, LookupError) as error:
        why = reason(error)
        field, _, rest = why.partition(": ")
        field = field.partition("[")[0]
        if field in new:
            key, why = prefix + field, rest.replace(" or null", "")
        else:
            key = prefix + next(iter(new))
        choices = row_of(key).choices
        if choices and "unknown value" in why:
            why += f"; there are: {', '.join(choices)}"
        raise ArgumentError(f"{key}: {why}") from None


def require_fitting(key: str, value: Any) -> None:
    """Raise `ArgumentError` unless a value fits its setting, a key of `TABLES`."""
    name = key.partition(".")[0]
    changed(TABLES[name](), name, {key: value})


def _plain(key: str, value: Any) -> Any:
    """Return a value as TOML has it: a text becomes a list at its commas, NumPy's scalars become
    Python's.
    """
    if hasattr(value, "item"):
        return value.item()
    default = row_of(key).default
    if isinstance(value, str) and _POINT_FIRST.fullmatch(value):
        return float(value)
    if isinstance(value, str) and isinstance(default, tuple):
        return [part.strip() for part in value.split(",") if part.strip()]
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    return [value] if isinstance(default, tuple) and not isinstance(value, list) else value
