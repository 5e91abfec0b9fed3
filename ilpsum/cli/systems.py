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
    text = row.help
    if row.choices:
        text += f" ({', '.join(map(str, row.choices))})"
    default = "" if row.default is None else str(row.default)
    if isinstance(row.default, tuple):
        default = ",".join(row.default)
    elif row.flag:
        default = default.lower()
    return {"key": row.key, "default": default, "help": text}
