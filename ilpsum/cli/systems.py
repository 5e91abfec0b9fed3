"""`ilpsum systems`: list the named systems."""

import argparse

from ilpsum.api.tables import json_line
from ilpsum.pipeline.system import System, names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the output option."""
    parser.add_argument("--json", action="store_true", help="print the systems as JSON lines")


def run(options: argparse.Namespace) -> int:
    """Print a line for each system: name, tab, description."""
    for name in names():
        row = {"name": name, "description": System.load(name).description}
        print(json_line(row) if options.json else "\t".join(row.values()))
    return 0
