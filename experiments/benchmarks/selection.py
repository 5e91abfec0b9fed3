"""Exact selection against the published model in three solvers, and against other summarizers, side by side.

Every problem is solved by all contestants one after the other in this process, so that ratios are of times measured
side by side. Times are processor times (user and system, of the process and of the solvers it starts): all contestants
run on one thread, and on a machine with other work wall-clock time measures that work too; it is in the rows as well.

    python experiments/benchmarks/selection.py run --out rows.jsonl
    python experiments/benchmarks/selection.py report rows.jsonl --plot experiments/results/selection.svg

sumy takes part where it can be imported (`pip install --target DIR --no-deps sumy docopt-ng breadability pycountry
requests lxml_html_clean lxml chardet`, and DIR in PYTHONPATH); it is fed the sentences ready split, so that it needs no
data of nltk.
"""

import argparse
import importlib.util
import json
import resource
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from selection_instances import LIMIT, Question, data_folder, indexed, pool

from features.text import bigrams, words
from ilpsum.selection import Limits, Problem, lambda_path, select
from ilpsum.selection.paper import solve_paper

LAMBDAS = (0.0, 0.1, 0.4, 0.8, 1.0)
GOALS = {30: 10, 100: 30, 300: 100, 1000: 200}
POOLS = {30: 8, 100: 5, 300: 3, 1000: 2, 5000: 2}
# Where a contestant would take hours it is not asked.
LARGEST = {"glpk": 1000, "cbc": 100, "highs": 1000, "pruned": 300, "lexrank": 300, "lsa": 300}


@dataclass(frozen=True)
class Timed:
    """What a call gave, and the seconds of processor and of the clock it took."""

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
    """The median of a few calls: what takes milliseconds needs more than one."""
    return sorted((timed(call) for _ in range(times)), key=lambda one: one.processor)[times // 2]


def pruned(problem: Problem) -> Problem:
    """Sume's idea: concepts that few sentences hold are worth nothing (here: fewer than two)."""
    held = np.bincount(problem.concepts, minlength=len(problem.weights))
    return replace(problem, weights=np.where(held > 1, problem.weights, 0.0))


def sumy_summary(name: str, pooled: Question, limit: int) -> tuple[int, ...]:
    """The sentences of a sumy summarizer in its own order, as many as fit the limit."""
    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
    from sumy.summarizers.lex_rank import LexRankSummarizer
    from sumy.summarizers.lsa import LsaSummarizer

    class Split:
        """The tokenizer that sumy asks for."""

        @staticmethod
        def to_words(text: str) -> tuple[str, ...]:
            return words(text)

    sentences = [Sentence(text, Split()) for text in pooled.sentences]
    document = ObjectDocumentModel([Paragraph(sentences)])
    summarizer = {"lexrank": LexRankSummarizer, "lsa": LsaSummarizer}[name]()
    mean = sum(len(text.split()) for text in pooled.sentences) / len(sentences)
    places = {id(sentence): k for k, sentence in enumerate(sentences)}
    chosen, left = [], limit
    for sentence in summarizer(document, max(1, int(limit / mean))):
        k = places[id(sentence)]
        if len(pooled.sentences[k].split()) <= left:
            chosen.append(k)
            left -= len(pooled.sentences[k].split())
    return tuple(sorted(chosen))


def contest(problem: Problem, pooled: Question, size: int, patience: float, names: Iterable[str]) -> Iterable[dict]:
    """A row for each contestant."""
    ours = fastest(lambda: select(problem))
    selection = ours.result
    yield row("ours", ours, selection.objective, selection.gap, selection.nodes)
    limits = Limits(seconds=patience)
    for name in names:
        if size > LARGEST[name]:
            continue
        if name in ("lexrank", "lsa"):
            if importlib.util.find_spec("sumy") is not None:
                other = timed(lambda name=name: sumy_summary(name, pooled, LIMIT))
                yield row(name, other, problem.value(other.result), None, 0)
        elif name == "pruned":
            other = timed(lambda: solve_paper(pruned(problem), "highs", limits))
            yield row(name, other, problem.value(other.result.chosen), None, other.result.nodes)
        else:
            other = timed(lambda name=name: solve_paper(problem, name, limits))
            value = problem.value(other.result.chosen)
            yield row(name, other, value, 0.0 if other.result.optimal else float("nan"), other.result.nodes)


def row(name: str, measured: Timed, objective: float, gap: float | None, nodes: int) -> dict:
    memory = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {
        "contestant": name,
        "processor": measured.processor,
        "clock": measured.clock,
        "objective": objective,
        "gap": gap,
        "nodes": nodes,
        "peak_kilobytes_so_far": memory,
    }


def build(pooled: Question, relevance: str, lambda_: float) -> Problem:
    tokens, lengths, values = indexed(pooled, relevance)
    return Problem.build(map(bigrams, tokens), lengths, values, LIMIT, lambda_=lambda_)


def tokenise_and_index(pooled: Question) -> Problem:
    lengths = [len(sentence.split()) for sentence in pooled.sentences]
    return Problem.build(map(bigrams, map(words, pooled.sentences)), lengths, [0.0] * len(lengths), LIMIT)


def run(arguments: argparse.Namespace) -> None:
    pooled = pool(arguments.data, 30, 0)
    for name in ("highs", "glpk", "cbc"):
        solve_paper(build(pooled, arguments.relevance, 0.5), name, Limits())
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
                    **common, contestant="path", processor=path.processor, clock=path.clock, segments=len(path.result)
                )
                for lambda_ in arguments.lambdas:
                    for line in contest(problem.at(lambda_), pooled, size, arguments.patience, arguments.contestants):
                        write(**common, **{"lambda": lambda_}, **line)


def ratios(rows: list[dict], name: str, key: str = "processor") -> dict[tuple[int, float], list[float]]:
    """By size and lambda: time of a contestant over ours on the same problem."""
    ours = {(r["size"], r["seed"], r["lambda"]): r[key] for r in rows if r["contestant"] == "ours"}
    found = defaultdict(list)
    for r in rows:
        if r["contestant"] == name and "lambda" in r:
            found[r["size"], r["lambda"]].append(r[key] / ours[r["size"], r["seed"], r["lambda"]])
    return found


def report(arguments: argparse.Namespace) -> None:
    rows = [json.loads(line) for line in arguments.rows.read_text(encoding="utf-8").splitlines()]
    names = [name for name in LARGEST if any(r["contestant"] == name for r in rows)]
    sizes = sorted({r["size"] for r in rows})
    print("| sentences | lambda | " + " | ".join(names) + " |\n|---|---|" + "---|" * len(names))
    tables = {name: ratios(rows, name) for name in names}
    for size in sizes:
        for lambda_ in LAMBDAS:
            cells = (tables[name].get((size, lambda_)) for name in names)
            shown = (f"{statistics.median(c):.3g} ({min(c):.3g}-{max(c):.3g})" if c else "" for c in cells)
            print(f"| {size} | {lambda_} | " + " | ".join(shown) + " |")
    report_goals(rows, tables["glpk"])
    report_quality(rows, names)
    report_path(rows)
    if arguments.plot:
        plot(tables, sizes, arguments.plot)


def report_goals(rows: list[dict], table: dict[tuple[int, float], list[float]]) -> None:
    print("\nGLPK over ours at lambda .8 and .4 (processor; clock), and ours over tokenising and indexing:")
    clock = ratios(rows, "glpk", "clock")
    for size in sorted({r["size"] for r in rows}):
        index = statistics.median(r["processor"] for r in rows if r["contestant"] == "index" and r["size"] == size)
        ours = [r["processor"] for r in rows if r["contestant"] == "ours" and r["size"] == size]
        pairs = [*table.get((size, 0.8), []), *table.get((size, 0.4), [])]
        clocked = [*clock.get((size, 0.8), []), *clock.get((size, 0.4), [])]
        said = (
            f"{statistics.median(pairs):.0f}; {statistics.median(clocked):.0f} (goal {GOALS[size]})" if pairs else "-"
        )
        print(f"{size}: {said}; median {statistics.median(ours) / index:.2f}, worst {max(ours) / index:.2f}")


def report_quality(rows: list[dict], names: list[str]) -> None:
    ours = {(r["size"], r["seed"], r["lambda"]): r["objective"] for r in rows if r["contestant"] == "ours"}
    print("\nObjective as a share of the optimum (median, worst), and how often the proof was not finished:")
    for name in names:
        mine = [r for r in rows if r["contestant"] == name]
        shares = [r["objective"] / (ours[r["size"], r["seed"], r["lambda"]] or 1.0) for r in mine]
        late = sum(r["gap"] != r["gap"] for r in mine if r["gap"] is not None)
        beyond = max(r["objective"] - ours[r["size"], r["seed"], r["lambda"]] for r in mine)
        print(f"{name}: {statistics.median(shares):.9f}, {min(shares):.9f}; {late} of {len(mine)}; {beyond:.0e} over")
    gaps = [r["gap"] for r in rows if r["contestant"] == "ours"]
    print(f"ours: gap 0 in {sum(gap == 0 for gap in gaps)} of {len(gaps)}")


def report_path(rows: list[dict]) -> None:
    print("\nWhole lambda path, over one GLPK solve of the same pool at lambda .8 or .4 (median, worst), and segments:")
    glpk = defaultdict(list)
    for r in rows:
        if r["contestant"] == "glpk" and r["lambda"] in (0.4, 0.8):
            glpk[r["size"], r["seed"]].append(r["processor"])
    for size in sorted({key[0] for key in glpk}):
        paths = [r for r in rows if r["contestant"] == "path" and r["size"] == size and (size, r["seed"]) in glpk]
        shares = [r["processor"] / statistics.mean(glpk[size, r["seed"]]) for r in paths]
        segments = [r["segments"] for r in paths]
        print(f"{size}: {statistics.median(shares):.3f}, {max(shares):.3f}; {min(segments)}-{max(segments)} segments")


def plot(tables: dict[str, dict[tuple[int, float], list[float]]], sizes: list[int], target: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "ilpsum"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(LAMBDAS), figsize=(14, 3.2), sharey=True)
    for axis, lambda_ in zip(axes, LAMBDAS, strict=True):
        for name, table in tables.items():
            points = [(s, statistics.median(table[s, lambda_])) for s in sizes if (s, lambda_) in table]
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    running = verbs.add_parser("run")
    running.add_argument("--data", type=Path, default=data_folder())
    running.add_argument("--out", type=Path, required=True)
    running.add_argument("--sizes", type=int, nargs="*", default=sorted(POOLS))
    running.add_argument("--pools", type=int, help="pools of each size")
    running.add_argument("--lambdas", type=float, nargs="*", default=list(LAMBDAS))
    running.add_argument("--relevance", choices=("smooth", "overlap"), default="smooth")
    running.add_argument("--patience", type=float, default=300.0, help="seconds that a solver may take for one problem")
    running.add_argument("--contestants", nargs="*", default=list(LARGEST))
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
