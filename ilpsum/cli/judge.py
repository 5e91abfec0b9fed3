"""`ilpsum judge`: grade a file of candidates by a language model or a reranker."""

import argparse
from pathlib import Path

from ilpsum.cli.options import add_common, add_value, shown
from ilpsum.cli.setting_options import add_judge, add_set, judge_of
from ilpsum.cli.terminal import Status, list_broken
from ilpsum.errors import UsageError
from ilpsum.files.atomic import require_place
from ilpsum.files.work import silent


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    candidates = "file of candidates: JSON lines, .tsv or .csv, or - for stdin"
    scores = "file of scores to write, as JSON lines"
    add_value(parser, "candidates", "INPUT", candidates)
    add_value(parser, "-o", "FILE", scores, dest="output", required=True)
    add_judge(parser)
    add_set(parser, "judge")
    add_common(parser, "--force", "--quiet")


def run(options: argparse.Namespace) -> int:
    """Write the scores; exit status 1 if the judge gave no grades for a topic."""
    from ilpsum.api.judging import judge_candidates

    judge = judge_of(options)
    if judge is None:
        raise UsageError("name the address of the judge (--judge URL)")
    out = Path(options.output)
    require_place(out, "-o", force=options.force)
    failed = judge_candidates(
        options.candidates,
        judge,
        out,
        tell=silent if options.quiet else Status(),
        **shown(options),
    )
    return list_broken(failed, "has no grades")
