"""`ilpsum check`: whether a run keeps every rule of its format, each fault on a line with its place."""

import argparse
import sys
from pathlib import Path

from ilpsum.runs.formats import CHECKED, FORMATS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    parser.add_argument("path", metavar="RUN", type=Path, help="the run: a directory (tac) or a file")
    parser.add_argument("--as", dest="form", required=True, choices=CHECKED, help="the format it should have")
    parser.add_argument("--topics", metavar="FILE", type=Path, help="the topics that the run answers")
    parser.add_argument("--quiet", action="store_true", help="only the faults, no verdict on stderr")
    parser.add_argument("--pmids", metavar="FILE", type=Path, help="the PMIDs that may be cited, one a line")


def run(options: argparse.Namespace) -> int:
    """Prints the faults on stdout; exit status 1 if there is one that is more than a remark."""
    findings = FORMATS[options.form].check(options.path, topics=options.topics, pmids=options.pmids)
    for finding in findings:
        print(finding)
    wrong = sum(not finding.warning for finding in findings)
    verdict = "is valid" if not wrong else f"has {wrong} fault{'s' if wrong > 1 else ''}"
    if not options.quiet:
        print(f"ilpsum: {options.path} {verdict} as {options.form}", file=sys.stderr)
    return 1 if wrong else 0
