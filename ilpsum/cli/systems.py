"""`ilpsum systems`: list the named systems, or the settings."""

import argparse

from ilpsum.api.tables import json_line
from ilpsum.cli.options import add_flag
from ilpsum.pipeline.settings import Setting, table_of_settings
from ilpsum.pipeline.system import System, names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the output option."""
    add_flag(parser, "--settings", "list the keys of `--set` with their defaults instead")
    add_flag(parser, "--json", "print the list as JSON lines")


def run(options: argparse.Namespace) -> int:
    """Print a line for each system: name, tab, description; or for each setting: key, default,
    help.
    """
    if options.settings:
        rows = map(_setting, table_of_settings(plugins=True).values())
    else:
        rows = map(_system, names())
    for row in rows:
        print(json_line(row) if options.json else "\t".join(row.values()))
    return 0


def _system(name: str) -> dict[str, str]:
    return {"name": name, "description": System.load(name).description}


def _setting(row: Setting) -> dict[str, str]:
    what = f"{row.help} ({', '.join(map(str, row.choices))})" if row.choices else row.help
    default = (
        ",".join(row.default)
        if isinstance(row.default, tuple)
        else ""
        if row.default is None
        else row.default
    )
    return {
        "key": row.key,
        "default": str(default).lower() if row.flag else str(default),
        "help": what,
    }
