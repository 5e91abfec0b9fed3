"""`ilpsum systems`: list the named systems, the settings, those of a system, or the features."""

import argparse
from collections.abc import Iterable
from inspect import getdoc
from itertools import starmap
from typing import Any

from features.sets import FEATURES, Feature
from ilpsum.api.systems import resolved
from ilpsum.api.tables import json_line
from ilpsum.cli.options import add_flag, add_value
from ilpsum.errors import UsageError
from ilpsum.pipeline.settings import Setting, table_of_settings
from ilpsum.pipeline.system import Group, System, names
from ilpsum.selection import SELECTORS
from ilpsum.task1 import linker


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a list."""
    add_value(parser, "name", "NAME|FILE.toml", "a system, with --resolved", nargs="?")
    add_flag(parser, "--resolved", "list the values of a system, and where each comes from")
    add_flag(parser, "--settings", "list the keys of `--set` with their defaults instead")
    add_flag(parser, "--features", "list the features with their columns instead")
    add_flag(parser, "--json", "print the list as JSON lines")


# Group of the listing, and its title.
_TITLES = {
    "published": "Published: --system NAME, as in Malakasiotis et al. (2015)",
    "baselines": "Baselines of the field: with any system, which they replace",
    "ours": "Ours: --system NAME; the default is concepts",
    "published queries": "Published queries of `ilpsum link`, inferred from Cohan et al. (2014)",
    "our queries": "Our queries of `ilpsum link`; the default is best",
}


def run(options: argparse.Namespace) -> int:
    """Print a line for each system, baseline and query, by group: name, tab, description; or for
    each setting: key, default, help; or of a system: kind of topic, key, value, origin; or for each
    feature: name, columns.
    """
    if bool(options.name) != options.resolved:
        raise UsageError("name a system and --resolved together: ilpsum systems NAME --resolved")
    if options.resolved + options.settings + options.features > 1:
        raise UsageError("--resolved, --settings and --features: choose one")
    if options.resolved or options.settings or options.features:
        for line in _listed(options):
            print(json_line(line) if options.json else "\t".join(line.values()))
        return 0
    title = ""
    for row in (*_systems("published"), *_baselines(), *_systems("ours"), *_queries()):
        if options.json:
            print(json_line(row))
            continue
        if row["group"] != title:
            print(f"{chr(10) if title else ''}# {_TITLES[row['group']]}")
            title = row["group"]
        print(f"{row['name']}\t{row['description']}")
    return 0


def _listed(options: argparse.Namespace) -> Iterable[dict[str, str]]:
    """Return the rows of a list that has no groups."""
    if options.resolved:
        rows = resolved(options.name).rows()
        return [{name: _cell(value) for name, value in row.items()} for row in rows]
    if options.settings:
        return map(_setting, table_of_settings(plugins=True).values())
    return starmap(_feature, FEATURES.loadable())


def _feature(name: str, feature: Feature) -> dict[str, str]:
    return {"name": name, "columns": " ".join(feature.columns)}


def _row(group: str, name: str, description: str) -> dict[str, str]:
    return {"group": group, "name": name, "description": description}


def _systems(group: Group) -> list[dict[str, str]]:
    return [_row(group, name, System.load(name).description) for name in names(group)]


def _baselines() -> list[dict[str, str]]:
    rows = list[dict[str, str]]()
    for name, selector in SELECTORS.loadable():
        if selector.needs_relevance:
            continue
        first_paragraph = (getdoc(selector) or "").partition("\n\n")[0]
        rows.append(_row("baselines", f"--method {name}", " ".join(first_paragraph.split())))
    return rows


def _queries() -> list[dict[str, str]]:
    published = [name for name in linker.names() if name.startswith("published-")]
    ours = [name for name in linker.names() if name not in published]
    groups = {"published queries": published, "our queries": ours}
    return [
        _row(group, f"--query {name}", linker.Query.load(name).description)
        for group, queries in groups.items()
        for name in queries
    ]


def _setting(row: Setting) -> dict[str, str]:
    text = row.help
    if row.choices:
        text += f" ({', '.join(map(str, row.choices))})"
    return {"key": row.key, "default": _cell(row.default), "help": text}


def _cell(value: Any) -> str:
    """Return a value as `--set` takes it."""
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
