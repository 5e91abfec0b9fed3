"""`python -m ilpsum`, and the command `ilpsum`."""

import signal
import sys


def run() -> int:
    """Run the command line.

    Until its handler stands, Ctrl-C ends the process as any other program: without a traceback.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ilpsum.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(run())
