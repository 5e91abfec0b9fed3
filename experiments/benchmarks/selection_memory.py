"""The memory of exact selection, of the published model in three solvers, and of other summarizers.

    python experiments/benchmarks/selection_memory.py --out memory.jsonl [--sizes 30 100 300 1000 5000]

Each contestant runs in a process of its own that reads the sentences, builds the problem and solves it once. Reported
are the peak of that process and, separately, of the solver it starts (GLPK, CBC). `none` builds the problem without
solving it: the memory of Python, numpy and the problem. Linux only: peaks come from /proc, because getrusage includes
what the parent held when the process started.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

from contestants import LARGEST, build, installed, solve
from selection_instances import Question, data_folder, pool

from ilpsum.selection import Limits

LAMBDA = 0.8


def status(process: int | str) -> dict[str, str]:
    """Return the status of a process from /proc; empty if it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}


def peak(of: dict[str, str]) -> int:
    """Return the largest resident memory so far, in kilobytes."""
    return int(of.get("VmHWM", "0 kB").split()[0])


class Watch(threading.Thread):
    """Records the peak memory of child processes, sampled every few milliseconds until `done` is set."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.done, self.peak = threading.Event(), 0

    def run(self) -> None:
        """Sample until `done` is set."""
        children = Path(f"/proc/self/task/{os.getpid()}/children")
        own = status("self")["Name"]
        while not self.done.wait(0.002):
            for child in children.read_text(encoding="ascii").split():
                now = status(child)
                # Until a child has become the solver, it is a copy of this process.
                if now and now["Name"] != own:
                    self.peak = max(self.peak, peak(now))


def once(contestant: str, patience: float) -> None:
    """Solve the problem read from stdin and write the peaks to stdout."""
    given = json.load(sys.stdin)
    pooled = Question(given["text"], tuple(given["sentences"]))
    problem = build(pooled, given["relevance"], LAMBDA)
    watch = Watch()
    watch.start()
    if contestant != "none":
        solve(contestant, problem, pooled.sentences, Limits(seconds=patience))
    watch.done.set()
    watch.join()
    json.dump({"process_kilobytes": peak(status("self")), "solver_kilobytes": watch.peak}, sys.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--out", type=Path, help="file to append rows to")
    parser.add_argument("--sizes", type=int, nargs="*", default=[30, 100, 300, 1000, 5000])
    parser.add_argument("--relevance", choices=("smooth", "overlap"), default="smooth")
    parser.add_argument("--patience", type=float, default=60.0, help="time limit of another solver, in seconds")
    parser.add_argument("--contestants", nargs="*", default=["none", *LARGEST])
    parser.add_argument("--once", metavar="CONTESTANT", help="used by the processes that this script starts")
    arguments = parser.parse_args()
    if arguments.once:
        once(arguments.once, arguments.patience)
        return 0
    if not arguments.out:
        parser.error("--out FILE is missing: the file to append rows to")
    for size in arguments.sizes:
        pooled = pool(arguments.data, size, 0)
        given = {"text": pooled.text, "sentences": pooled.sentences, "relevance": arguments.relevance}
        for name in arguments.contestants:
            if size > LARGEST.get(name, size) or not installed(name):
                continue
            command = [sys.executable, __file__, "--once", name, "--patience", str(arguments.patience)]
            child = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=True)
            row = {"size": size, "lambda": LAMBDA, "memory_of": name, **json.loads(child.stdout)}
            with arguments.out.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
