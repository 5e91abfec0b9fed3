"""Topics over processes."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ilpsum.files.processes import Processes, libraries


def square(number: int) -> int:
    return number * number


def test_results_come_in_the_order_of_the_items():
    assert list(Processes(2).map(square, range(20))) == [n * n for n in range(20)]
    assert list(Processes(1).map(square, range(5))) == [0, 1, 4, 9, 16]


def test_items_are_taken_as_places_become_free():
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for n in range(1000):
            taken += 1
            yield n

    results = Processes(2).map(square, items())
    assert next(results) == 0
    assert taken <= 8
    results.close()


def test_small_items_go_together(monkeypatch):
    submit, sizes = ProcessPoolExecutor.submit, []

    def counted(pool: ProcessPoolExecutor, work: Any, batch: list[int]) -> Any:
        sizes.append(len(batch))
        return submit(pool, work, batch)

    monkeypatch.setattr(ProcessPoolExecutor, "submit", counted)
    assert list(Processes(2).map(square, range(500))) == [n * n for n in range(500)]
    assert sizes[:8] == [1] * 8
    assert max(sizes) == 32


def refuse(number: int) -> int:
    if number == 30:
        raise ValueError("no such number")
    return number


def test_what_the_work_raises_is_raised():
    with pytest.raises(ValueError, match="no such number"):
        list(Processes(2).map(refuse, range(50)))


def threads(_: int) -> list[int]:
    return [
        library["num_threads"] for library in libraries().info() if library["user_api"] == "blas"
    ]


def test_products_of_matrices_have_one_thread_wherever_they_are_made():
    for executor in (Processes(1), Processes(2)):
        # scipy brings a library of its own, where it was loaded before.
        assert [set(found) for found in executor.map(threads, range(3))] == [{1}] * 3


CALLER = """
import os, sys, time
from ilpsum.files.processes import Processes

def own_id(n):
    time.sleep(0.05)
    return os.getpid()

if __name__ == "__main__":
    for found in Processes(2).map(own_id, range(10_000)):
        print(found, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_processes_end_with_a_caller_that_was_killed(tmp_path):
    script = tmp_path / "caller.py"
    script.write_text(CALLER)
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[3]),
        "TMPDIR": str(tmp_path),
    }
    with subprocess.Popen(
        [sys.executable, script], env=environment, stdout=subprocess.PIPE
    ) as caller:
        assert caller.stdout is not None
        workers = {int(caller.stdout.readline()) for _ in range(20)}
        caller.kill()
        caller.stdout.read()
    assert nothing_is_left(workers, script)


INTERRUPTED = """
import sys
from ilpsum import cli
from ilpsum.files.processes import Processes

def own_id(item):
    import os, time
    time.sleep(0.05 if item[0] < 20 else 60)
    return os.getpid()

def run(arguments):
    # More than a pipe holds: what sends them waits for processes that are gone.
    for found in Processes(2).map(own_id, ((n, bytes(300_000)) for n in range(10_000))):
        print(found, flush=True)

if __name__ == "__main__":
    from ilpsum.cli import demo
    demo.run = run
    sys.exit(cli.main(["demo"]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a process there")
def test_a_second_interrupt_is_one_too_many_and_nobody_is_left(tmp_path):
    script = tmp_path / "caller.py"
    script.write_text(INTERRUPTED)
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[3]),
        "TMPDIR": str(tmp_path),
    }
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, script], env=environment, stdout=pipe, stderr=pipe, text=True
    ) as caller:
        assert caller.stdout is not None
        workers = {int(caller.stdout.readline()) for _ in range(10)}
        time.sleep(1)
        for pause in (0.01, 0.1, 0.0):
            with contextlib.suppress(ProcessLookupError):
                caller.send_signal(signal.SIGINT)
            time.sleep(pause)
        try:
            _, message = caller.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            caller.kill()
            raise
    assert (caller.returncode, message) == (130, "ilpsum: interrupted\n")
    assert nothing_is_left(workers, script)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a process there")
def test_an_interrupt_while_processes_start_is_not_lost(monkeypatch):
    submit, submitted = ProcessPoolExecutor.submit, []

    def interrupted(pool: ProcessPoolExecutor, *given: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        submitted.append(submit(pool, *given))
        return submitted[-1]

    monkeypatch.setattr(ProcessPoolExecutor, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(Processes(2).map(square, range(3)))
    assert len(submitted) == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def nothing_is_left(workers: set[int], script: Path) -> bool:
    """Return whether, within a minute, the processes end and only the script is in its folder."""
    until = time.monotonic() + 60
    while any(map(alive, workers)) or list(script.parent.iterdir()) != [script]:
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # Where nobody reaps it, it stays in the table of processes.
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
