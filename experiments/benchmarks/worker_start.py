"""Start two worker processes with the system `concepts`, in one of three ways, and print the time to their results.

    PYTHONPATH=. python experiments/benchmarks/worker_start.py spawn-file|spawn|forkserver

`spawn-file` passes the work as a pickle in a file, the others as an argument. Linux only.
"""

import multiprocessing
import pickle
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import forkserver
from pathlib import Path

from ilpsum import Summarizer

work = None


def given(summarizer: Summarizer) -> None:
    global work
    work = summarizer


def read(path: Path) -> None:
    given(pickle.loads(path.read_bytes()))


def hold(_: int) -> str:
    time.sleep(0.05)
    return work.system.name


def main() -> None:
    how, file = sys.argv[1], Path(tempfile.mkdtemp()) / "work"
    summarizer = Summarizer.load("concepts")
    list(summarizer.each_kind())
    began = time.perf_counter()
    context = multiprocessing.get_context(how.removesuffix("-file"))
    context.set_forkserver_preload(["ilpsum.cli.summarize"])
    start, what = (read, file) if how == "spawn-file" else (given, summarizer)
    if how == "spawn-file":
        file.write_bytes(pickle.dumps(summarizer))
    with ProcessPoolExecutor(2, context, start, (what,)) as pool:
        assert set(pool.map(hold, range(4))) == {"concepts"}
        clock = time.perf_counter() - began
    if how == "forkserver":
        forkserver._forkserver._stop()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{how}: {used.ru_utime + used.ru_stime:.2f} s of processor time of the children, {clock:.2f} s by the clock")


if __name__ == "__main__":
    main()
