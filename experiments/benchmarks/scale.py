"""Measure memory and time by number of topics, the speed-up of two workers, and what the caller of workers does.

    python experiments/benchmarks/scale.py sizes [--marks 10000 50000 100000] [--out FOLDER]
    python experiments/benchmarks/scale.py workers [--topics 3000] [--documents 2] [--repeat 5] [--out FOLDER]
    python experiments/benchmarks/scale.py workers --more TOPICS... [--repeat 5] -- [options of summarize]
    python experiments/benchmarks/scale.py caller --few TOPICS... --more TOPICS... [--checkouts ../before .]
        [--dask sent|shared] [--repeat 5] -- [options of summarize]
    python experiments/benchmarks/scale.py reading [--topics 3000] [--more TOPICS...]

Unless topics are given, a topic is a question and documents (by default two) of generated words, whose frequencies fall
as 1/rank. `sizes` runs `ilpsum summarize --system ilp-sum-1` in one process and prints, at each mark of finished
topics, the peak memory so far (VmHWM of /proc, so Linux only) and the processor time since the start. `workers`
summarises with one process and with two workers, local (`--jobs`) and of a Dask cluster, in turn, and prints the ratio
of wall-clock times, the load of the machine before, and the processor time of all processes including the cluster's.
The bound is the speed-up on two idle cores: the processor time of `--jobs 1` over half of that of all processes with
two workers.

`caller` summarises the topics of `--few` and of `--more` with one process and with two workers, and prints the
processor time per topic of the difference, which is free of what starting costs: of the one process, and of the caller
of the workers. Their ratio is the largest speed-up: with more workers the caller would have no time left. Checkouts are
measured in turn; the medians of all turns count. `reading` prints what it takes to read a topic of a file, and to send
it to another process.
"""

import argparse
import contextlib
import json
import os
import pickle
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from paired import measured

from ilpsum.files.reading import read_lines
from ilpsum.formats import bioasq, read_topics

ILPSUM = [sys.executable, "-c", "import sys; from ilpsum.cli import main; sys.exit(main())"]
# Runs ilpsum, and writes the processor time from the opening of a run to its end.
CALLER = """
import sys, time
from ilpsum.cli import main
from ilpsum.runs.writer import RunWriter
opened, closed, times = RunWriter.__init__, RunWriter.close, []
def begin(run, *given, **named):
    opened(run, *given, **named)
    times.append(time.process_time())
def end(run):
    times.append(time.process_time())
    closed(run)
RunWriter.__init__, RunWriter.close = begin, end
spent = sys.argv.pop(1)
status = main()
open(spent, "w").write(str(times[1] - times[0]))
sys.exit(status)
"""
PLAIN = ["--system", "ilp-sum-1", "--to", "jsonl"]
SYLLABLES = [
    "ba",
    "dor",
    "fen",
    "gul",
    "hap",
    "ki",
    "lom",
    "mer",
    "nis",
    "pra",
    "quo",
    "rel",
    "sut",
    "tav",
    "vin",
    "zek",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["sizes", "workers", "caller", "reading"])
    parser.add_argument("--marks", type=int, nargs="+", default=[10_000, 50_000, 100_000])
    parser.add_argument("--topics", type=int, default=3000)
    parser.add_argument("--documents", type=int, default=2, help="documents per topic, of 3 to 6 sentences each")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder to work in (default: a temporary folder)")
    parser.add_argument("--few", nargs="+", type=Path, help="topics")
    parser.add_argument("--more", nargs="+", type=Path, help="more topics, `--few` among them or not")
    parser.add_argument("--checkouts", nargs="+", type=Path, default=[Path()])
    parser.add_argument("--dask", choices=["sent", "shared"], help="workers of a Dask cluster, and who reads")
    given = sys.argv[1:] if "--" in sys.argv else [*sys.argv[1:], "--"]
    end = given.index("--")
    options = parser.parse_args(given[:end], argparse.Namespace(summarize=given[end + 1 :]))
    with tempfile.TemporaryDirectory(prefix="scale-") as temporary:
        folder = options.out or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        {"sizes": sizes, "workers": workers, "caller": caller, "reading": reading}[options.what](options, folder)


def sizes(options: argparse.Namespace, folder: Path) -> None:
    marks = sorted(options.marks)
    topics = write(folder / "topics.jsonl", marks[-1], options.documents, options.seed)
    run = folder / "run"
    print(f"load before: {os.getloadavg()[0]:.1f}")
    print(
        "| topics | peak memory, MB | processor, s | ms a topic since the last mark | clock, s |\n|---|---|---|---|---|"
    )
    began = time.perf_counter()
    process = subprocess.Popen(command([topics], run, [*PLAIN, "--jobs", "1"]), env=environment())
    now = (0.0, 0.0)
    growing, seen, done, last = run / ".SYS1.part" / "SYS1.provenance.jsonl", 0, 0, (0, 0.0)
    for mark in marks:
        while done < mark and process.poll() is None:
            time.sleep(0.05)
            with contextlib.suppress(OSError), growing.open("rb") as stream:
                stream.seek(seen)
                data = stream.read()
                seen += len(data)
                done += data.count(b"\n")
            # After the end of the process the last measurement before counts.
            with contextlib.suppress(OSError, StopIteration):
                now = peak(process.pid), processor(process.pid)
        memory, used = now
        each = 1000 * (used - last[1]) / (mark - last[0])
        print(f"| {mark} | {memory:.0f} | {used:.0f} | {each:.2f} | {time.perf_counter() - began:.0f} |", flush=True)
        last = mark, used
    if process.wait():
        sys.exit(f"ilpsum ended with status {process.returncode}")
    with (run / "SYS1.jsonl").open("rb") as stream:
        written = sum(1 for _ in stream)
    size = (run / "SYS1.provenance.jsonl").stat().st_size / 1e6
    print(f"{written} summaries written, provenance {size:.0f} MB; load after: {os.getloadavg()[0]:.1f}")


def peak(pid: int) -> float:
    """Return the peak memory of a process so far, in MB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def processor(pid: int) -> float:
    """Return the processor time of a process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def workers(options: argparse.Namespace, folder: Path) -> None:
    topics = options.more or [write(folder / "topics.jsonl", options.topics, options.documents, options.seed)]
    given = options.summarize or PLAIN
    print("| engine | turn | one process, s (processor) | two workers, s | ratio | bound | load before |")
    print("|---|---|---|---|---|---|---|")
    ratios: dict[str, list[float]] = {"processes": [], "Dask": []}
    with cluster(folder / "cluster", 2) as (there, its):
        for turn in range(1, options.repeat + 1):
            load, runs = os.getloadavg()[0], [folder / name for name in ("one", *ratios)]
            one, *others = (
                seconds(topics, run, [*given, *how[0]], how[1])
                for run, how in zip(runs, ((["--jobs", "1"], []), (["--jobs", "2"], []), (there, its)), strict=True)
            )
            if len({run_of(folder) for folder in runs}) > 1:
                sys.exit("the run of two workers differs from that of one")
            for run in runs:
                shutil.rmtree(run)
            for name, two in zip(ratios, others, strict=True):
                ratios[name].append(one[0] / two[0])
                cells = [f"{clock:.1f} ({processor:.1f})" for clock, processor in (one, two)]
                cells += [f"{ratios[name][-1]:.2f}", f"{2 * one[1] / two[1]:.2f}", f"{load:.1f}"]
                print(f"| {name} | {turn} | {' | '.join(cells)} |", flush=True)
    for name, found in ratios.items():
        print(f"| {name} | median of {len(found)} | | | {statistics.median(found):.2f} | | |", flush=True)


def caller(options: argparse.Namespace, folder: Path) -> None:
    given = [str(path.absolute()) if path.exists() else str(path) for path in map(Path, options.summarize)]
    found: dict[Path, list[tuple[float, float, float]]] = {checkout: [] for checkout in options.checkouts}
    for turn in range(options.repeat):
        for number, checkout in enumerate(options.checkouts):
            load, one = os.getloadavg()[0], each(options, folder, [*given, "--jobs", "1"], checkout)
            shared = ["--shared"] * (options.dask == "shared")
            started = cluster(folder / f"{turn}-{number}", 2, checkout) if options.dask else contextlib.nullcontext()
            with started as there:
                how = [*there[0], *shared] if there else ["--jobs", "2"]
                two = each(options, folder, [*given, *how], checkout)
            found[checkout].append((one, two, load))
    print("| checkout | one process, ms a topic | caller of two workers | largest speed-up | load |")
    print("|---|---|---|---|---|")
    for checkout, turns in found.items():
        one, two, load = (statistics.median(values) for values in zip(*turns, strict=True))
        print(f"| {checkout} | {one:.2f} | {two:.2f} | {one / two:.1f} | {load:.1f} |")


def reading(options: argparse.Namespace, folder: Path) -> None:
    print("| file | topics | reading, ms a topic | of it finding where topics end | sending |\n|---|---|---|---|---|")
    for path in options.more or [write(folder / "topics.jsonl", options.topics, options.documents, options.seed)]:
        parts = read_lines if path.suffix == ".jsonl" else bioasq.questions
        whole, topics = quickest(lambda path=path: list(read_topics([path])))
        ends, _ = quickest(lambda path=path, parts=parts: list(parts(path)))
        sending, _ = quickest(lambda topics=topics: [pickle.dumps(topic) for topic in topics])
        cells = [f"{1000 * seconds / len(topics):.3f}" for seconds in (whole, ends, sending)]
        print(f"| {path.name} | {len(topics)} | {' | '.join(cells)} |")


def quickest(work: Callable[[], list[Any]]) -> tuple[float, list[Any]]:
    """Return the least processor time of five calls, and the result."""
    spent = []
    for _ in range(5):
        began = time.process_time()
        result = work()
        spent.append(time.process_time() - began)
    return min(spent), result


def each(options: argparse.Namespace, folder: Path, how: list[str], checkout: Path) -> float:
    """Return the milliseconds of processor time that the process of a run spends on a topic once it has started."""
    spent = []
    for topics in (options.few, options.more):
        inputs = [str(path.absolute()) for path in topics]
        code = [sys.executable, "-c", CALLER, str(folder / "spent"), "summarize", *inputs, "--out", str(folder / "run")]
        measured([*code, "--quiet", *how], checkout)
        with (folder / "run" / "SYS1.provenance.jsonl").open("rb") as stream:
            spent.append((float((folder / "spent").read_text()), sum(1 for _ in stream)))
        shutil.rmtree(folder / "run")
    (few, some), (more, all_) = spent
    return 1000 * (more - few) / (all_ - some)


def run_of(folder: Path) -> bytes:
    """Return the content of a run's own file."""
    return next(p.read_bytes() for p in folder.iterdir() if p.stem == "SYS1" and "json" in p.suffix)


def command(topics: list[Path], out: Path, how: list[str]) -> list[str]:
    return [*ILPSUM, "summarize", *map(str, topics), "--out", str(out), "--quiet", *how]


def environment() -> dict[str, str]:
    """Return an environment with one thread per process, so that one worker does not use several cores."""
    return {**os.environ, **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}}


def seconds(topics: list[Path], out: Path, how: list[str], others: list[int]) -> tuple[float, float]:
    """Return the wall-clock time of a run, and the processor time of its processes and of `others`."""
    began, before = time.perf_counter(), sum(map(processor, others))
    spent, _ = measured(command(topics, out, how))
    return time.perf_counter() - began, spent + sum(map(processor, others)) - before


@contextlib.contextmanager
def cluster(folder: Path, count: int, checkout: Path = Path()) -> Iterator[tuple[list[str], list[int]]]:
    """Start a scheduler and `count` workers of a checkout; yield the options for them and the process ids."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "scheduler.json"
    options = ["--scheduler-file", str(file.absolute()), "--no-dashboard"]
    running = []

    def start(name: str, *more: str) -> None:
        started = [sys.executable, "-m", f"distributed.cli.{name}", *options, *more]
        with (folder / "log").open("ab") as log:
            env = {**environment(), "PYTHONPATH": str(checkout.resolve())}
            running.append(subprocess.Popen(started, env=env, cwd=checkout, stdout=log, stderr=log))

    try:
        start("dask_scheduler", "--port", "0", "--host", "127.0.0.1")
        while not file.exists():
            time.sleep(0.1)
        for _ in range(count):
            start("dask_worker", "--nthreads", "1", "--no-nanny", "--local-directory", str(folder.absolute()))
        address = json.loads(file.read_text())["address"].replace("tcp://", "dask://")
        yield ["--engine", address], [process.pid for process in running]
    finally:
        for process in running:
            process.send_signal(signal.SIGKILL)
            process.wait()


def write(path: Path, count: int, size: int, seed: int) -> Path:
    """Write `count` topics with `size` documents; topic i is the same in every file with this seed and size."""
    names = random.Random(seed)
    vocabulary = list(dict.fromkeys("".join(names.choices(SYLLABLES, k=names.randint(2, 4))) for _ in range(12_000)))
    weights = list(accumulate(1 / rank for rank in range(1, len(vocabulary) + 1)))
    with path.open("w", encoding="utf-8") as stream:
        for number in range(count):
            draw = random.Random(f"{seed} {number}")

            def text(least: int, most: int, draw: random.Random = draw) -> str:
                words = draw.choices(vocabulary, cum_weights=weights, k=draw.randint(least, most))
                return " ".join(words).capitalize()

            documents = [
                {"id": f"{number}-{d}", "text": " ".join(f"{text(8, 28)}." for _ in range(draw.randint(3, 6)))}
                for d in range(size)
            ]
            topic = {"id": f"T{number:06}", "query": f"{text(5, 12)}?", "documents": documents}
            stream.write(json.dumps(topic) + "\n")
    return path


if __name__ == "__main__":
    main()
