"""Exact selection against the published model in three solvers, and against other summarizers, side
by side.

All contestants solve each problem one after the other in this process, so ratios compare times
measured side by side. Times are processor times (user and system, of the process and of the solvers
it starts): all contestants run on one thread, and on a busy machine wall-clock time measures other
work too. The rows have both. LexRank and LSA have no lambda and are timed once per pool.

    python experiments/benchmarks/selection.py run --out rows.jsonl python
    experiments/benchmarks/selection.py report rows.jsonl --plot experiments/results/selection.svg
"""

import argparse
import json
import resource
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.benchmarks.contestants import LARGEST, SUMY, Answer, build, installed, solve
from experiments.benchmarks.selection_instances import LIMIT, Question, data_folder, pool
from features.text import bigrams, words
from ilpsum.selection import Limits, Problem, lambda_path

LAMBDAS = (0.0, 0.1, 0.4, 0.8, 1.0)
GOALS = {30: 10, 100: 30, 300: 100, 1000: 200}
POOLS = {30: 8, 100: 5, 300: 3, 1000: 2, 5000: 2}


@dataclass(frozen=True)
class Timed:
    """The result of a call, with its processor and wall-clock seconds."""

    result: Any
    processor: float
    clock: float


def processor_seconds() -> float:
    usages = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def timed(call: Callable[[], Any]) -> Timed:
    clock, processor = time.perf_counter(), processor_seconds()
    result = call()
    return Timed(result, processor_seconds() - processor, time.perf_counter() - clock)


def fastest(call: Callable[[], Any], times: int = 3) -> Timed:
    """Time a few calls and return the median: one call of milliseconds is too noisy."""
    return sorted((timed(call) for _ in range(times)), key=lambda one: one.processor)[times // 2]


def contest(
    problem: Problem, pooled: Question, patience: float, names: Iterable[str]
) -> Iterable[dict]:
    """Yield a row for each contestant."""
    limits = Limits(seconds=patience)
    for name in ("ours", *names):
        if len(problem) > LARGEST[name] or not installed(name):
            continue
        measure = fastest if name == "ours" else timed
        measured = measure(lambda name=name: solve(name, problem, pooled.sentences, limits))
        answer: Answer = measured.result
        yield {
            "contestant": name,
            "processor": measured.processor,
            "clock": measured.clock,
            "objective": answer.objective,
            "proved": answer.proved,
            "nodes": answer.nodes,
        }


def tokenise_and_index(pooled: Question) -> Problem:
    lengths = [len(sentence.split()) for sentence in pooled.sentences]
    return Problem.build(
        map(bigrams, map(words, pooled.sentences)), lengths, [0.0] * len(lengths), LIMIT
    )


def run(arguments: argparse.Namespace) -> None:
    pooled = pool(arguments.data, 30, 0)
    # The first call imports modules, which is not part of a contestant's time.
    for name in filter(installed, LARGEST):
        solve(name, build(pooled, arguments.relevance, 0.5), pooled.sentences, Limits())
    with arguments.out.open("a", encoding="utf-8") as out:

        def write(**fields: Any) -> None:
            out.write(json.dumps(fields) + "\n")
            out.flush()

        for size in arguments.sizes:
            for seed in range(arguments.pools or POOLS[size]):
                pooled = pool(arguments.data, size, seed)
                index = fastest(lambda pooled=pooled: tokenise_and_index(pooled))
                common = {"size": size, "seed": seed, "relevance": arguments.relevance}
                write(**common, contestant="index", processor=index.processor, clock=index.clock)
                problem = build(pooled, arguments.relevance, 0.5)
                path = timed(lambda problem=problem: lambda_path(problem))
                write(
                    **common,
                    contestant="path",
                    processor=path.processor,
                    clock=path.clock,
                    segments=len(path.result),
                )
                for k, lambda_ in enumerate(arguments.lambdas):
                    names = [name for name in arguments.contestants if k == 0 or name not in SUMY]
                    for line in contest(problem.at(lambda_), pooled, arguments.patience, names):
                        write(**common, **{"lambda": lambda_}, **line)


def paired(rows: Iterable[dict]) -> Iterable[tuple[dict, dict]]:
    """Pair each row of a contestant with ours of the same problem, measured just before it."""
    ours: dict = {}
    for r in rows:
        if r.get("contestant") == "ours":
            ours = r
        if r.get("contestant") in LARGEST:
            yield r, ours


def ratios(
    rows: list[dict], name: str, key: str = "processor"
) -> dict[tuple[int, float], list[float]]:
    """Return by size and lambda the time of a contestant over ours on the same problem."""
    by_problem = defaultdict(list)
    for r, ours in paired(rows):
        if r["contestant"] == name:
            by_problem[r["size"], r["lambda"]].append(r[key] / ours[key])
    return by_problem


def report(arguments: argparse.Namespace) -> None:
    rows = [json.loads(line) for line in arguments.rows.read_text(encoding="utf-8").splitlines()]
    names = [
        name
        for name in LARGEST
        if name != "ours" and any(r.get("contestant") == name for r in rows)
    ]
    sizes = sorted({r["size"] for r in rows})
    tables = {name: ratios(rows, name) for name in names}
    print(f"| sentences | lambda | {' | '.join(names)} |\n{'|---' * (len(names) + 2)}|")
    for size in sizes:
        for lambda_ in LAMBDAS:
            cells = [tables[name].get((size, lambda_)) for name in names]
            if any(cells):
                shown = (
                    f"{statistics.median(c):.3g} ({min(c):.3g}-{max(c):.3g})" if c else ""
                    for c in cells
                )
                print(f"| {size:,} | {lambda_} | {' | '.join(shown)} |")
    timed_rows = [r for r in rows if "contestant" in r]
    report_goals(timed_rows, tables["glpk"])
    report_quality(rows, ["ours", *names])
    report_path(timed_rows)
    if arguments.plot:
        plot(tables, sizes, arguments.plot)


def report_goals(rows: list[dict], table: dict[tuple[int, float], list[float]]) -> None:
    print(
        "\nGLPK over ours at lambda .8 and .4 (processor; clock), and ours over tokenising and indexing:"
    )
    clock = ratios(rows, "glpk", "clock")
    for size in sorted({r["size"] for r in rows}):
        index = {
            r["seed"]: r["processor"]
            for r in rows
            if r["contestant"] == "index" and r["size"] == size
        }
        shares = [
            r["processor"] / index[r["seed"]]
            for r in rows
            if r["contestant"] == "ours" and r["size"] == size
        ]
        pairs, clocked = (
            [*t.get((size, 0.8), []), *t.get((size, 0.4), [])] for t in (table, clock)
        )
        said = f"{statistics.median(pairs):.0f}; {statistics.median(clocked):.0f}" if pairs else "-"
        goal = f" (goal {GOALS[size]})" if size in GOALS else ""
        print(
            f"{size}: {said}{goal}; median {statistics.median(shares):.2f}, worst {max(shares):.2f}"
        )


def report_quality(rows: list[dict], names: list[str]) -> None:
    """Print time, memory, objective, gap and proofs of every method at every size."""
    print(
        "\n| sentences | method | time over ours | MB, process + solver | objective of the optimum | gap | proved |"
    )
    print("|---" * 7 + "|")
    memory = {(r["size"], r["memory_of"]): r for r in rows if "memory_of" in r}
    for size in sorted({r["size"] for r in rows}):
        for name in ["none", *names]:
            mine = [
                (r, ours)
                for r, ours in paired(rows)
                if r["contestant"] == name and r["size"] == size
            ]
            measured = memory.get((size, name))
            own, solver = (
                f"{measured[k] / 1024:.0f}" if measured else ""
                for k in ("process_kilobytes", "solver_kilobytes")
            )
            cells = [
                f"{size:,}",
                name,
                "",
                own if solver in ("", "0") else f"{own} + {solver}",
                "",
                "",
                "",
            ]
            if mine:
                shares = [r["objective"] / (ours["objective"] or 1.0) for r, ours in mine]
                over = [r["processor"] / ours["processor"] for r, ours in mine]
                proved = [r["proved"] for r, _ in mine if r["proved"] is not None]
                cells[2] = f"{statistics.median(over):.3g}"
                cells[4] = f"{statistics.median(shares):.4f} ({min(shares):.4f})"
                cells[5] = f"{1 - statistics.median(shares):.1e} ({1 - min(shares):.1e})"
                # A proof for the pruned model proves nothing for the full one.
                whole = proved and name != "pruned"
                cells[6] = f"{sum(proved)} of {len(proved)}" if whole else "no claim"
            if mine or measured:
                print(f"| {' | '.join(cells)} |")
    beyond = max(r["objective"] - ours["objective"] for r, ours in paired(rows) if r["proved"])
    print(f"\nNo proved objective is above ours by more than {beyond:.0e}.")


def report_path(rows: list[dict]) -> None:
    print(
        "\nWhole lambda path, over one GLPK solve of the same pool at lambda .8 or .4 (median, worst), and segments:"
    )
    glpk = defaultdict(list)
    for r in rows:
        if r["contestant"] == "glpk" and r["lambda"] in (0.4, 0.8):
            glpk[r["size"], r["seed"]].append(r["processor"])
    for size in sorted({key[0] for key in glpk}):
        paths = [
            r
            for r in rows
            if r["contestant"] == "path" and r["size"] == size and (size, r["seed"]) in glpk
        ]
        shares = [r["processor"] / statistics.mean(glpk[size, r["seed"]]) for r in paths]
        segments = [r["segments"] for r in paths]
        print(
            f"{size}: {statistics.median(shares):.3f}, {max(shares):.3f}; {min(segments)}-{max(segments)} segments"
        )


def plot(
    tables: dict[str, dict[tuple[int, float], list[float]]], sizes: list[int], target: Path
) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "ilpsum"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(LAMBDAS), figsize=(14, 3.2), sharey=True)
    for axis, lambda_ in zip(axes, LAMBDAS, strict=True):
        for name, table in tables.items():
            points = [
                (s, statistics.median(table[s, lambda_])) for s in sizes if (s, lambda_) in table
            ]
            if points:
                axis.loglog(*zip(*points, strict=True), marker="o", markersize=3, label=name)
        axis.axhline(1.0, color="grey", linewidth=0.8)
        axis.set_title(f"lambda {lambda_}")
        axis.set_xlabel("sentences")
    axes[0].set_ylabel("time over ours")
    axes[-1].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(target, metadata={"Date": None})


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    running = verbs.add_parser("run")
    running.add_argument("--data", type=Path, default=data_folder())
    running.add_argument("--out", type=Path, required=True)
    running.add_argument("--sizes", type=int, nargs="*", default=sorted(POOLS))
    running.add_argument("--pools", type=int, help="pools of each size")
    running.add_argument("--lambdas", type=float, nargs="*", default=list(LAMBDAS))
    running.add_argument("--relevance", choices=("smooth", "overlap"), default="smooth")
    running.add_argument(
        "--patience",
        type=float,
        default=60.0,
        help="time limit of another solver for one problem, in seconds",
    )
    running.add_argument(
        "--contestants", nargs="*", default=[name for name in LARGEST if name != "ours"]
    )
    running.set_defaults(run=run)
    reporting = verbs.add_parser("report")
    reporting.add_argument("rows", type=Path)
    reporting.add_argument("--plot", type=Path)
    reporting.set_defaults(run=report)
    arguments = parser.parse_args()
    arguments.run(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
