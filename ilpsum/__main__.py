"""`python -m ilpsum`, and the command `ilpsum`."""

import math
import os
import signal
import sys

# Bytes of memory with which topics of a few papers are summarised.
_LEAST = 256 * 2**20


def run() -> int:
    """Run the command line.

    Until its handler stands, Ctrl-C ends the process as any other program: without a traceback.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    memory = _memory()
    if memory < _LEAST:
        # A library without memory ends the process, with advice on itself.
        what = f"out of memory: {memory // 2**20} MB are allowed (ulimit -v)"
        sys.stderr.write(f"ilpsum: {what}; allow {_LEAST // 2**20} MB or more\n")
        return 1
    if memory < math.inf:
        # Without room for its threads, OpenBLAS interrupts the process.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from ilpsum.cli import main

    return main()


def _memory() -> float:
    """Return how many bytes of memory this process may have (`ulimit -v`)."""
    try:
        import resource
    except ImportError:  # on Windows
        return math.inf
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return math.inf if most == resource.RLIM_INFINITY else most


if __name__ == "__main__":
    sys.exit(run())
