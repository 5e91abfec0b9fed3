"""Writes pages that compare runs, or the configurations of a sweep."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from ilpsum.api.inputs import Topics, topics_of
from ilpsum.api.scoring import WARN, reference_of, runs_at
from ilpsum.errors import UsageError
from ilpsum.evaluation.comparison import other_candidates
from ilpsum.evaluation.gold import Gold, rouge_options
from ilpsum.evaluation.scoring import Run
from ilpsum.evaluation.sweeps.results import ROWS
from ilpsum.files.atomic import require_place
from ilpsum.files.work import Warn
from ilpsum.metrics.rouge import Options
from ilpsum.pages.gathering import gather
from ilpsum.pages.report import write
from ilpsum.pages.sweeping import gather_sweep
from ilpsum.runs.reading import provenance_path


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
        gold: topics with gold summaries for the scores, and documents for the context of sentences.
        metrics: names, as in `ilpsum.evaluate`.
        baseline: the run that the others are compared with, as in `ilpsum.compare`.
        options: ROUGE options, with the defaults of `ilpsum.evaluate`.
        warn: called with each mismatch of runs and gold.
        kwargs: further arguments of `ilpsum.pages.gathering.gather`, such as `measure`.

    Raises:
        InputError: a run or the gold cannot be read.
        UsageError: the page cannot be written there, a run contains links, or the baseline is none
            of the runs.
    """
    require_place(Path(out), form="html")
    if any(Path(path, ROWS).is_file() for path in runs):
        _require_sweep(runs, metrics or baseline or gold != ())
        write(out, gather_sweep(runs[0]))
        return
    read = runs_at(runs, warn)
    reference = reference_of(read, runs, baseline)
    topics = gold if isinstance(gold, Gold) else Gold(topics_of(gold))
    rules = rouge_options(topics, options or {})
    places = _provenance(read, runs, warn)
    shown = gather(
        read,
        places,
        topics,
        metrics=metrics,
        options=rules,
        reference=reference,
        **kwargs,
    )
    for line in other_candidates(read):
        warn(line)
    if gold == ():
        warn("no gold: no scores, and candidates in place of documents around the sentences")
    elif not shown.scores:
        warn("the topics have no gold: no scores")
    else:
        by_run = zip(*shown.scores, strict=True)
        for line in topics.differences(read, list(chain.from_iterable(by_run))):
            warn(line)
    write(out, shown)


def _require_sweep(paths: Sequence[str | Path], of_runs: object) -> None:
    """Raise `UsageError` if a sweep is not alone, or has what only runs need."""
    if len(paths) > 1:
        raise UsageError("a report shows runs, or one sweep: name the folder of the sweep alone")
    if of_runs:
        raise UsageError(
            "--gold, --metrics and --baseline are for runs: a sweep has its own topics and scores"
        )


def _provenance(runs: Sequence[Run], paths: Sequence[str | Path], warn: Warn) -> dict[str, Path]:
    """Return the provenance of each run that has some, by name."""
    places = {run.name: provenance_path(path) for run, path in zip(runs, paths, strict=True)}
    missing = sorted(name for name, path in places.items() if not path.is_file())
    if missing:
        warn(f"no provenance beside {', '.join(missing)}: shown as plain text")
    return {name: path for name, path in places.items() if name not in missing}
