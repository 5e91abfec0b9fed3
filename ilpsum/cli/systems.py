"""`ilpsum systems`: the named systems and what each is."""

import argparse

from ilpsum.pipeline.system import System, names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There are none."""


def run(options: argparse.Namespace) -> int:  # noqa: ARG001
    """A line a system: name, tab, description."""
    for name in names():
        print(f"{name}\t{System.load(name).description}")
    return 0
