"""`ilpsum sweep`: score many configurations on the same topics, and write the best as a system
file.
"""

import argparse
from collections import Counter
from dataclasses import asdict
from functools import partial
from pathlib import Path

from ilpsum.api.sweeping import SweepRun, run_sweep
from ilpsum.api.tables import json_line
from ilpsum.cli.options import add_execution, add_flag, add_topics, add_value, work
from ilpsum.cli.terminal import cell, list_broken, notify
from ilpsum.errors import UsageError, counted
from ilpsum.evaluation.comparison import Pair
from ilpsum.evaluation.sweeps.nested import TRAINED, Estimate
from ilpsum.evaluation.sweeps.plan import Sweep
from ilpsum.evaluation.sweeps.table import printed, read_sweep
from ilpsum.files.work import Work
from ilpsum.records import BrokenTopic
from ilpsum.runs.reading import provenance_path
from ilpsum.runs.seen import training_field, training_note
from ilpsum.tasks import ReaderOptions, readable, resolve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add = partial(add_value, parser)
    add("sweep", "NAME|FILE.toml", "an included sweep (lambda, selectors, ...), or a file")
    add("--out", "DIR", "folder of the results; resumes an interrupted sweep", required=True)
    add_topics(parser, "topics, instead of those that the file names")
    add("--model", "NAME|FILE", "model of all systems (default: their own)")
    add("--cache", "DIR", "folder of summaries that sweeps may share (default: OUT/cache)")
    add_flag(parser, "--json", "print rows, nested estimates and pairs of selectors as JSON lines")
    add_execution(parser)


def run(options: argparse.Namespace) -> int:
    """Run or resume the sweep, print all rows and the best; exit status 1 if a topic cannot be
    read.
    """
    out, sweep = Path(options.out), Sweep.load(options.sweep, options.model or "")
    if provenance_path(out).exists():
        raise UsageError(
            f"--out {out} is a run; give the results of the sweep a folder of their own"
        )
    inputs = options.topics or list(sweep.topics)
    if not inputs:
        raise UsageError(f"{options.sweep} names no topics: add `topics = [...]` or give --topics")
    resolved = resolve(inputs, sweep.form, ReaderOptions.of(sweep))
    broken = list[BrokenTopic]()
    with work(options) as how:
        topics = readable(resolved.topics(), broken)
        swept = run_sweep(sweep, topics, resolved.form, out, Work.of(**how), cache=options.cache)
    if options.json:
        _print_json(swept)
    else:
        for row in printed(read_sweep(out).rows):
            print("\t".join(map(cell, row)))
        _print_best(swept)
    notify(f"see it: ilpsum report {out} --out {out.name}.html", options.quiet)
    for line in _next(out, swept):
        notify(line, options.quiet)
    return list_broken(broken)


def _print_json(swept: SweepRun) -> None:
    """Print an object for each configuration, nested estimate and pair of selectors."""
    table = swept.table
    nested = ({**row, "method": row["method"] or None} for row in table.nested.rows())
    pairs = []
    for words, of_limit in swept.pairs.items():
        pairs += [{"words": words, **asdict(pair)} for pair in of_limit]
    for kind, rows in (
        ("row", table.rows()),
        ("nested", nested),
        ("pair", pairs),
    ):
        for row in rows:
            print(json_line({"kind": kind, **row}))


def _print_best(swept: SweepRun) -> None:
    """Print the best configuration, the nested estimates, and differences between selectors with
    their significance.
    """
    sweep = swept.sweep
    what = (
        f"mean {sweep.measure} of {', '.join(sweep.metrics)} over "
        f"{counted(len(swept.data.topics), 'topic')}"
    )
    for top in swept.best.values():
        values = ", ".join(f"{name} {value}" for name, value in top.values().items())
        note = training_note(training_field(top.overlaps))
        chosen = f"which also chose it; {note}" if note else "which also chose it"
        limit = _limit(swept, top.words)
        print(f"# best{limit}, run {top.run}: {values}: {top.score:.6f} ({what}, {chosen})")
    for estimate in swept.estimates:
        _print_nested(estimate, _limit(swept, estimate.words), is_trained=bool(sweep.folds))
    for words, pairs in swept.pairs.items():
        for pair in pairs:
            _print_pair(pair, _limit(swept, words), is_nested=bool(swept.estimates))


def _limit(swept: SweepRun, words: int) -> str:
    """Return a word limit in words, if the sweep has several."""
    return f", {words} words" if len(swept.best) > 1 else ""


def _print_pair(pair: Pair, limit: str, *, is_nested: bool) -> None:
    """Print the difference of two selectors."""
    difference = f"{pair.difference:+.6f} [{pair.low:+.6f}, {pair.high:+.6f}]"
    if not is_nested:
        test = "not tested, each at its best on these topics: `nested = 5` gives a fair test"
    elif pair.p_value is None:
        test = "too few topics for a test"
    else:
        test = f"p {pair.p_value:.4f}"
    counts = f"wins {pair.wins}, losses {pair.losses}"
    print(f"# {pair.first} - {pair.second}{limit}: {difference}, {test}, {counts}")


def _print_nested(estimate: Estimate, limit: str, *, is_trained: bool) -> None:
    """Print a nested estimate: its score, what was chosen how often, and the scores of topics."""
    name, of = limit, ""
    if estimate.method:
        name, of = f", {estimate.method}{limit}", f" of selector {estimate.method}"
    what = f"each topic by the best system{of} on the other folds"
    if is_trained:
        what += f"; models {TRAINED}"
    choices = [r.run + (f" at {r.tuned}" if r.tuned else "") for r in estimate.chosen]
    chosen = []
    for choice, times in Counter(choices).items():
        chosen.append(f"{choice} ({times} times)" if times > 1 else choice)
    score = f"{estimate.score:.6f} ({what}: {', '.join(chosen)})"
    print(f"# nested{name}, {len(estimate.chosen)} outer folds: {score}")
    scores = " ".join(f"{topic} {score:.6f}" for topic, score in estimate.topics.items())
    print(f"# by topic{name}: {scores}")


def _next(out: Path, swept: SweepRun) -> list[str]:
    """Return the commands that use the best system under each word limit."""
    lines = []
    for words, file in swept.files(out).items():
        command = f"ilpsum summarize INPUT --system {file} --words {words} --out DIR"
        lines.append(f"summarise with it: {command}")
        if swept.sweep.folds:
            lines.append(
                "a run of it by models of other folds (the settings remain chosen on these "
                f"topics): {command} --folds {swept.sweep.folds}"
            )
    choices = [estimate.run for estimate in swept.estimates if not estimate.method]
    lines += [f"the run of the nested choice: {out / run}.jsonl" for run in choices]
    return lines
