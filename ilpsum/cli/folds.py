"""`ilpsum folds`: list the fold of each topic, for held-out relevance from elsewhere."""

import argparse

from ilpsum.api.candidates import folds_of_topics
from ilpsum.cli.options import SEARCH, add_common, add_input, add_value, positive, topics_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add_value(parser, "--folds", "K", "number of folds", type=positive, required=True)
    add_input(parser, "--pool", "--answers", *SEARCH)
    add_common(parser, "--quiet")


def run(options: argparse.Namespace) -> int:
    """Print a line for each topic: its id, tab, its fold, 1 to K."""
    for topic, fold in folds_of_topics(topics_of(options), options.folds).items():
        print(f"{topic}\t{fold}")
    return 0
