"""`ilpsum report`: compare runs, or the configurations of a sweep, on one HTML page: the result,
then the texts.
"""

import argparse

from ilpsum.api.reporting import report
from ilpsum.cli.options import add_value, shown
from ilpsum.cli.scoring_options import (
    add_baseline,
    add_scoring,
    gold_of,
    metric_names,
    rouge_options,
)
from ilpsum.cli.terminal import list_broken


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add_value(parser, "run_paths", "RUN", "runs on the same topics, or a finished sweep", nargs="+")
    page = "page to write; replaces only an earlier report"
    add_value(parser, "--out", "FILE", page, required=True)
    add_baseline(parser)
    add_scoring(parser)


def run(options: argparse.Namespace) -> int:
    """Write the report and print its path; exit status 1 if a topic cannot be read."""
    gold = gold_of(options) if options.gold else None
    report(
        options.run_paths,
        options.out,
        gold or (),
        metrics=metric_names(options),
        options=rouge_options(options),
        references=options.references,
        measure=options.measure,
        baseline=options.baseline,
        seed=options.seed,
        **shown(options),
    )
    print(options.out)
    return list_broken(gold.failed, "cannot be read and is not scored") if gold else 0
