"""Writes pages that compare runs, or the configurations of a sweep."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ilpsum.api.inputs import Topics
from ilpsum.api.inputs import read as read_topics
from ilpsum.api.scoring import WARN, named_runs
from ilpsum.errors import UsageError
from ilpsum.evaluation.comparison import other_candidates
from ilpsum.evaluation.gold import Gold, rouge_options
from ilpsum.evaluation.run_scores import Run
from ilpsum.evaluation.sweeps.table import is_sweep, is_table
from ilpsum.files.atomic import require_place
from ilpsum.files.work import Warn
from ilpsum.metrics.rouge import Options
from ilpsum.pages.gathering import Report, gather
from ilpsum.pages.report import write
from ilpsum.pages.sweeping import gather_sweep
from ilpsum.runs.reading import LinkRun, SummaryRun


def report(
    runs: Sequence[str | Path],
    out: str | Path,
    gold: Topics | Gold = (),
    *,
    metrics: Sequence[str] = (),
    baseline: str | Path | None = None,
    options: Options | None = None,
    warn: Warn = WARN,
    **kwargs: Any,
) -> None:
    """Write an HTML page with runs side by side.

    Args:
        runs: paths of runs on the same topics, or of one finished sweep, which has its own topics
            and scores.
        out: the page; replaces only an earlier report.
        gold: topics with gold summaries for the scores.
        metrics: names, as in `ilpsum.evaluate`.
        baseline: the run that the others are compared with, as in `ilpsum.compare`.
        options: ROUGE options, with the defaults of `ilpsum.evaluate`.
        warn: called with each mismatch of runs, provenance and gold.
        kwargs: further arguments of `ilpsum.pages.gathering.gather`, such as `measure`.

    Raises:
        InputError: a run or the gold cannot be read.
        UsageError: the page cannot be written there, a run contains links, or the baseline is none
            of the runs.
    """
    require_place(Path(out), form="html")
    if any(map(is_sweep, runs)):
        _require_sweep(runs, metrics or baseline or gold != ())
        write(out, gather_sweep(Path(runs[0])))
        return
    for path in map(Path, runs):
        if path.is_file() and is_table(path):
            raise UsageError(f"{path} is a file of a sweep: name its folder, {path.parent}")
    read, reference = named_runs(runs, baseline, warn)
    topics = gold if isinstance(gold, Gold) else Gold(read_topics(gold, gold=True))
    summaries = _summaries(read, warn)
    shown = gather(
        summaries,
        topics,
        metrics=metrics,
        options=rouge_options(topics, options or {}),
        reference=reference,
        **kwargs,
    )
    for line in (*other_candidates(read), *_strangers(shown)):
        warn(line)
    if gold == ():
        warn("no gold: no scores")
    elif not shown.compared:
        warn("the topics have no gold: no scores")
    else:
        evaluations = [comparison.evaluations for comparison in shown.compared]
        for line in topics.differences(read, evaluations):
            warn(line)
    write(out, shown)


def _strangers(shown: Report) -> Iterator[str]:
    """Yield which runs have texts that are not those of the provenance beside them."""
    for run in shown.runs:
        summaries = [topic.runs[run] for topic in shown.topics if run in topic.runs]
        differing = sum(summary.differs for summary in summaries)
        if differing:
            yield (
                f"{run}: texts that are not those of its provenance: {differing} of "
                f"{len(summaries)}; scores are from the file, sentences from the provenance, which "
                "may be another run's"
            )


def _require_sweep(paths: Sequence[str | Path], of_runs: object) -> None:
    """Raise `UsageError` if a sweep is not alone, or has what only runs need."""
    if len(paths) > 1:
        raise UsageError("a report shows runs, or one sweep: name the folder of the sweep alone")
    if of_runs:
        raise UsageError(
            "--gold, --metrics and --baseline are for runs: a sweep has its own topics and scores"
        )


def _summaries(runs: Sequence[Run], warn: Warn) -> list[SummaryRun]:
    """Return the runs, all of summaries; warns of those without provenance."""
    summaries = []
    for run in runs:
        if isinstance(run, LinkRun):
            raise UsageError(
                f"{run.name}: contains links, not summaries; score links with `ilpsum evaluate`"
            )
        summaries.append(run)
    missing = sorted(run.name for run in summaries if not run.provenance)
    if missing:
        warn(f"no provenance beside {', '.join(missing)}: shown as plain text")
    return summaries
