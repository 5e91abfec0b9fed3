"""Run a command of several checkouts in turn, and print processor time and peak memory of each.

    python experiments/benchmarks/paired.py ../before . --repeat 5 -- -m ilpsum summarize TOPICS
    --out runs --force

What follows `--` are the arguments of Python, which runs in the folder of each checkout with that
folder first on its path. Times are of all processes of a command, also of workers that outlive it
(Linux only).
"""

import argparse
import ctypes
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


def measured(command: Sequence[str], folder: Path = Path()) -> tuple[float, float]:
    """Run a command; return its processor time in seconds and the peak memory of its largest process in MB."""
    # Workers that are forked from a server become our children when it ends.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    environment = {**os.environ, **threads, "PYTHONPATH": str(folder.resolve())}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, process_group=0
    )
    seconds, memory = 0.0, 0
    while True:
        try:
            pid, status, usage = os.wait4(-process.pid, 0)
        except ChildProcessError:
            return seconds, memory / 1024
        if pid == process.pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit(f"{' '.join(command)} ended with status {process.returncode}")
        seconds += usage.ru_utime + usage.ru_stime
        memory = max(memory, usage.ru_maxrss)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkouts", nargs="+", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    own, given = sys.argv[1 : sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1 :]
    options = parser.parse_args(own)
    taken = [
        [measured([sys.executable, *given], folder) for folder in options.checkouts]
        for _ in range(options.repeat)
    ]
    print("| checkout | processor, s | of the last | peak, MB |\n|---|---|---|---|")
    medians = [
        statistics.median(seconds for seconds, _ in runs) for runs in zip(*taken, strict=True)
    ]
    for k, (folder, seconds) in enumerate(zip(options.checkouts, medians, strict=True)):
        peak = max(run[k][1] for run in taken)
        print(f"| {folder} | {seconds:.2f} | {seconds / medians[-1]:.2f} | {peak:.0f} |")


if __name__ == "__main__":
    main()
