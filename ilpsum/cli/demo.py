"""`ilpsum demo`: write sample input, summarise the sample papers and score the summaries."""

import argparse
from pathlib import Path

from ilpsum import resources
from ilpsum.api.inputs import topics_of
from ilpsum.api.reporting import report
from ilpsum.api.runs import write_run
from ilpsum.api.scoring import evaluate
from ilpsum.cli.options import add_flag, add_value
from ilpsum.errors import UsageError
from ilpsum.files.atomic import locked, require_folder, require_place, write_errors, write_file

_METRICS = ("ROUGE-1", "ROUGE-2", "ROUGE-SU4")
# Seconds to wait for another demo in the same folder.
_PATIENCE = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add_value(parser, "--out", "DIR", "folder to write to (default: demo)", default="demo")
    add_flag(parser, "--quiet", "print only the scores")


def run(options: argparse.Namespace) -> int:
    """Write the input, the run and its report; print the scores."""
    out = Path(options.out)
    require_folder(out)
    with write_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        # A second demo waits, and then finds the first one's run.
        with locked(out / ".demo.lock", "is writing this demo", _PATIENCE):
            _write(out, quiet=options.quiet)
    return 0


def _write(out: Path, *, quiet: bool) -> None:
    page = out / "report.html"
    if page.exists():
        require_place(page, form="html")
    topics = topics_of(resources.demo(), "tac")
    try:
        # A demo that is there is kept, as it has the same settings.
        written = write_run(topics, out=out, to="tac", team="DEMO", resume=True)
    except UsageError:
        problem = "is a run of your own, or of another version of ilpsum; remove the folder"
        raise UsageError(f"{out / 'DEMO1'}: {problem} or name another with --out") from None
    _copy_input(out)
    scores = evaluate(written.path, topics, _METRICS)
    report([written.path], page, topics)
    if not quiet:
        print(
            f"Summarised {len(topics)} invented papers by the system {written.system} in at most "
            "250 words each.\n"
        )
    print(
        f"{'recall against four gold summaries':36}"
        + "".join(f"{metric:>11}" for metric in _METRICS)
    )
    for topic in topics:
        print(
            f"{topic.id:36}"
            + "".join(f"{row.recall:11.4f}" for row in scores if row.topic == topic.id)
        )
    if not quiet:
        print(f"\n{page} shows the summaries, why each sentence was chosen, and the papers.")
        print(f"{written.path} is the run, {out / 'topics'} its input. More sample input: {out}")
        print(
            f'Ask: ilpsum ask "How does gentamicin kill kidney cells?" {out / "abstracts.xml"} '
            "--words 60"
        )


def _copy_input(out: Path) -> None:
    """Copy the demo's topics, questions and abstracts to `out` without overwriting files."""
    for source in sorted(path for path in resources.demo().rglob("*") if path.is_file()):
        place = source.relative_to(resources.demo())
        target = out / "topics" / place if len(place.parts) > 1 else out / place
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            write_file(target, source.read_bytes())
