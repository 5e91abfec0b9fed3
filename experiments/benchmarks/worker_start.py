"""Start two worker processes with the system `concepts`, in one of two ways, and print the time to their results.

    PYTHONPATH=. python experiments/benchmarks/worker_start.py spawn|forkserver

Linux only.
"""

import multiprocessing
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import forkserver

from ilpsum import Summarizer
from ilpsum.pipeline.system import KINDS

work = None


def given(summarizer: Summarizer) -> None:
    global work
    work = summarizer


def hold(_: int) -> str:
    time.sleep(0.05)
    return work.system.name


def main() -> None:
    how = sys.argv[1]
    summarizer = Summarizer.load("concepts")
    [summarizer.for_kind(kind) for kind in KINDS]
    began = time.perf_counter()
    context = multiprocessing.get_context(how)
    context.set_forkserver_preload(["ilpsum.cli.summarize"])
    with ProcessPoolExecutor(2, context, given, (summarizer,)) as pool:
        assert set(pool.map(hold, range(4))) == {"concepts"}
        clock = time.perf_counter() - began
    if how == "forkserver":
        forkserver._forkserver._stop()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{how}: {used.ru_utime + used.ru_stime:.2f} s of processor time of the children, {clock:.2f} s by the clock")


if __name__ == "__main__":
    main()
