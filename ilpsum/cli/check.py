"""`ilpsum check`: check a run against the rules of its format."""

import argparse
from dataclasses import asdict
from pathlib import Path

from ilpsum.api.tables import json_line
from ilpsum.cli.options import add_flag, add_topics, add_value
from ilpsum.cli.terminal import notify
from ilpsum.errors import InputError, counted, printable
from ilpsum.runs.reading import likely_format
from ilpsum.tasks.registry import CHECKED, chosen


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add_value(parser, "path", "RUN", "run: a directory (tac) or a file")
    add_value(
        parser,
        "--as",
        "FORMAT",
        f"format of the run: {', '.join(CHECKED)}",
        dest="form",
        required=True,
    )
    add_topics(parser, "topics of the run")
    add_flag(parser, "--quiet", "print only errors and warnings, without the verdict")
    add_flag(parser, "--json", "print errors, warnings and the verdict as JSON lines")
    add_value(parser, "--pmids", "FILE", "citable PMIDs, one per line or a JSON list", type=Path)


def run(options: argparse.Namespace) -> int:
    """Print errors and warnings on stdout; exit status 1 if there are errors."""
    path = Path(options.path)
    form = chosen(options.form, CHECKED)
    try:
        findings = form.check(path, topics=options.topics, pmids=options.pmids)
    except InputError as error:
        if error.file is None or Path(error.file) != path:
            raise
        message = error.message + _suggestion(path, options.form)
        raise InputError(message, path, error.line) from None
    for finding in findings:
        print(json_line(asdict(finding)) if options.json else printable(str(finding)))
    errors = sum(not finding.warning for finding in findings)
    if errors:
        result = f"has {counted(errors, 'error')} as {options.form}"
        verdict = result + _suggestion(path, options.form)
    else:
        # What the verdict does not cover, since a file is not given.
        unchecked = [] if options.topics else ["its topics (--topics)"]
        if form.cites and not options.pmids:
            unchecked.append("its PMIDs (--pmids)")
        verdict = f"is valid as {options.form}"
        if unchecked:
            verdict += f"; not checked: {' and '.join(unchecked)}"
    if options.json:
        counts = {"errors": errors, "warnings": len(findings) - errors}
        print(json_line({"place": str(path), "message": verdict, "valid": not errors, **counts}))
    notify(f"{path} {verdict}", options.quiet)
    return 1 if errors else 0


def _suggestion(path: Path, form: str) -> str:
    """Return a hint with the format that the run looks like, if it differs and has a check."""
    likely = likely_format(path)
    return (
        f"; it looks like {likely}: try --as {likely}"
        if likely in CHECKED and likely != form
        else ""
    )
