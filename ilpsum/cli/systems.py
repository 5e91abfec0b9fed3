"""`ilpsum systems`: list the named systems."""

import argparse

from ilpsum.pipeline.system import System, names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add no options: there are none."""


def run(options: argparse.Namespace) -> int:  # noqa: ARG001
    """Print a line for each system: name, tab, description."""
    for name in names():
        print(f"{name}\t{System.load(name).description}")
    return 0
