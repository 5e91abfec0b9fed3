"""`ilpsum sweep`: score many configurations on the same topics, and write the best as a system file."""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ilpsum.api.sweeping import run as run_sweep
from ilpsum.api.tables import json_line
from ilpsum.cli.options import add_common, engine, need, share, whole
from ilpsum.cli.terminal import cell, list_broken, notify, progress
from ilpsum.errors import UsageError, counted
from ilpsum.formats import ReaderOptions, resolve
from ilpsum.records import BrokenTopic

if TYPE_CHECKING:
    from ilpsum.api.sweeping import SweepRun
    from ilpsum.evaluation.sweeps.results import Result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add = parser.add_argument
    add("sweep", metavar="NAME|FILE.toml|DIR", help="the sweep, or with --at the folder of a finished one")
    add("--out", metavar="DIR", help="folder of the results; resumes an interrupted sweep")
    add("--topics", nargs="+", metavar="INPUT", help="topics, instead of those in the file")
    add("--model", metavar="NAME|FILE", help="model for all systems (default: their own)")
    add("--at", type=share, metavar="LAMBDA", help="print the scores at this lambda, from the exact path")
    kept = "cache of summaries, which sweeps may share (default: OUT/cache)"
    add("--cache", metavar="DIR", help=kept)
    add("--json", action="store_true", help="print rows, nested estimates and pairs of selectors as JSON lines")
    add_common(parser.add_argument_group("execution"), "--jobs", "--engine", "--quiet")


def run(options: argparse.Namespace) -> int:
    """Run or resume the sweep, print all rows and the best; exit status 1 if a topic cannot be read."""
    from ilpsum.evaluation.sweeps.plan import Sweep
    from ilpsum.evaluation.sweeps.results import table
    from ilpsum.runs.reading import provenance_path

    if options.at is not None:
        return _print_at(options)
    out = Path(need(options.out, "--out DIR", "for the results of the sweep"))
    if provenance_path(out).exists():
        raise UsageError(f"--out {out} is a run; give the results of the sweep a folder of their own")
    sweep = Sweep.load(options.sweep, options.model or "")
    inputs = options.topics or list(sweep.topics)
    if not inputs:
        raise UsageError(f"{options.sweep} names no topics: add `topics = [...]` or give --topics")
    given, broken = resolve(inputs, sweep.form, ReaderOptions.of(sweep)), list[BrokenTopic]()
    shown, warn = partial(progress, quiet=options.quiet), partial(notify, quiet=options.quiet)
    with engine(options) as workers:
        topics = whole(given.topics(), broken)
        swept = run_sweep(
            sweep, topics, given.form, out, engine=workers, cache=options.cache, progress=shown, warn=warn
        )
    if options.json:
        _print_json(swept)
    else:
        _print(table(swept.results))
    _plot(out, swept.results, options.quiet)
    notify(f"see it: ilpsum report {out} --out {out.name}.html", options.quiet)
    _write_best(out, swept, options)
    if not options.json:
        _print_comparisons(swept)
    return list_broken(broken)


def _print_at(options: argparse.Namespace) -> int:
    """Print the scores of a finished sweep at one lambda."""
    from ilpsum.evaluation.sweeps.results import table_at

    if not Path(options.sweep).is_dir():
        named = f"ilpsum sweep {options.out or 'DIR'} --at {options.at:g}"
        raise UsageError(f"--at reads a finished sweep; name the folder of the sweep: {named}")
    rows = table_at(options.sweep, options.at)
    if options.json:
        print("\n".join(map(json_line, rows)))
    else:
        cells = ([f"{v:.6f}" if isinstance(v, float) else str(v) for v in row.values()] for row in rows)
        _print([list(rows[0]), *cells])
    return 0


def _print_json(swept: "SweepRun") -> None:
    """Print an object for each configuration, nested estimate and pair of selectors."""
    nested = ({"method": e.method or None, "score": e.score} for e in swept.estimates)
    for kind, rows in (("row", swept.table.rows()), ("nested", nested), ("pair", map(asdict, swept.pairs))):
        for row in rows:
            print(json_line({"kind": kind, **row}))


def _plot(out: Path, results: "Sequence[Result]", quiet: bool) -> None:
    from ilpsum.evaluation.sweeps.results import plot

    if not (exact := [result for result in results if result.best]):
        return
    try:
        drawn = plot(out / "lambda.svg", exact)
    except UsageError as error:
        notify(f"no plot: {error}", quiet)
        return
    left = f" (the best {drawn} of {len(exact)} configurations)" if drawn < len(exact) else ""
    notify(f"the plot over lambda is {out / 'lambda.svg'}{left}", quiet)


def _write_best(out: Path, swept: "SweepRun", options: argparse.Namespace) -> None:
    """Write the best system; print its settings and the commands that use it."""
    from ilpsum.evaluation.sweeps.results import best, system_toml
    from ilpsum.files.atomic import write_file

    sweep, result, file = swept.sweep, best(swept.results), out / "best.toml"
    write_file(file, system_toml(result, sweep.model).encode())
    values = ", ".join(f"{name} {value}" for name, value in result.values().items() if value != "-")
    what = f"mean {sweep.measure} of {', '.join(sweep.metrics)} over {counted(len(swept.data.topics), 'topic')}"
    if not options.json:
        print(f"# best, run {result.run}: {values}: {result.score:.6f} ({what}, which also chose it)")
    model = sweep.model
    if sweep.folds and result.configuration.system.relevance:
        model = str(out / "best.npz")
        notify(f"train it on all topics: ilpsum train INPUT --system {file} --out {model}", options.quiet)
    command = f"ilpsum summarize INPUT --system {file} --words {result.configuration.words}"
    notify(f"summarise with it: {command}{f' --model {model}' if model else ''}", options.quiet)


def _print_comparisons(swept: "SweepRun") -> None:
    """Print nested cross-validation estimates, and differences between selectors with their significance."""
    for estimate in swept.estimates:
        counts = Counter((result.run, _value(result.values())) for result in estimate.chosen)
        listed = ", ".join(f"{run}{at}{f' ({n} times)' if n > 1 else ''}" for (run, at), n in counts.items())
        name, of = (f", {estimate.method}", f" of selector {estimate.method}") if estimate.method else ("", "")
        what = f"each topic by the best system{of} on the other folds"
        print(f"# nested{name}, {len(estimate.chosen)} outer folds: {estimate.score:.6f} ({what}: {listed})")
    for pair in swept.pairs:
        difference = f"{pair.difference:+.6f} [{pair.low:+.6f}, {pair.high:+.6f}]"
        test = "too few topics for a test" if pair.p_value is None else f"p {pair.p_value:.4f}"
        print(f"# {pair.first} - {pair.second}: {difference}, {test}, wins {pair.wins}, losses {pair.losses}")


def _value(values: "dict[str, str]") -> str:
    """Return the tuned value of a selector, if it has one."""
    named = [f"{name} {values[name].split()[0]}" for name in ("lambda", "threshold") if values[name] != "-"]
    return f" at {', '.join(named)}" if named else ""


def _print(lines: Sequence[Sequence[str]]) -> None:
    for line in lines:
        print("\t".join(map(cell, line)))
