"""What a call takes, measured so that neither other work on the machine nor other tests change it."""

import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from time import process_time


def within(seconds: float, work: Callable[[], object]) -> bool:
    """Return whether a call takes at most some seconds of processor time, in one of three tries: a
    busy machine, or a collection of all garbage, slows one.
    """
    for _ in range(3):
        began = process_time()
        work()
        if process_time() - began < seconds:
            return True
    return False


def peak(work: Callable[[], object]) -> int:
    """Return the most bytes that a call has in use at a time, NumPy's arrays among them.

    Memory that is asked for and never touched counts, too.
    """
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def resident_peak(work: Callable[[], object]) -> int:
    """Return the bytes by which a call makes this process grow at most; on Linux alone.

    The largest size is forgotten first: else it is that of an earlier test.
    """
    Path("/proc/self/clear_refs").write_text("5")
    before = _largest()
    work()
    return _largest() - before


def _largest() -> int:
    (kilobytes,) = re.findall(r"^VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text(), re.M)
    return 1024 * int(kilobytes)
