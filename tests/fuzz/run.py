"""Throw damaged files at every reader: `python -m tests.fuzz.run --number 100000` prints a table of
what happened.

An input passes if it is read, or refused by an error of ours in one printable line in our words, in
at most ten seconds of processor time and 500 MB of memory, and if what is printed holds no control
characters.
"""

import argparse
import contextlib
import gc
import io
import itertools
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time

from features.registry import UnknownNameError
from ilpsum.cli.terminal import escaped
from ilpsum.errors import IlpsumError
from tests.fuzz.growth import limited
from tests.fuzz.mutators import mutate
from tests.fuzz.readers import READERS, Reader

SECONDS, MEGABYTES = 10.0, 500
# A library can end a process, which SECURITY.md says where it is known; any other reader would end
# this one.
_FINE = ("read", "refused", "ended")
_MEMORY = "/dev/shm"
# Words of libraries that no user should read.
_FOREIGN = re.compile(r"`(int|float|str|bool|array|object)\b|codec can't|set_int_max_str_digits")


@dataclass
class Tally:
    """What happened to the inputs of a reader."""

    outcomes: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    faults: list[str] = field(default_factory=list)


class Fuzzer:
    """Damages copies of the seeds; the same seed gives the same inputs."""

    def __init__(self, home: Path, seed: int, readers: Sequence[Reader] = READERS) -> None:
        self.readers, self._seed, self._home, self._copies = readers, seed, home, 0
        self._names: dict[str, list[Path]] = {}
        self._memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.tallies = {reader.name: Tally() for reader in readers}

    def run(self, number: int) -> Iterator[tuple[str, Tally]]:
        """Throw inputs at the readers, each its share; yield what happened, reader by reader."""
        total = sum(reader.share for reader in self.readers)
        for reader in self.readers:
            for case in range(max(1, number * reader.share // total)):
                self.case(reader, case)
            yield reader.name, self.tallies[reader.name]

    def whole(self, reader: Reader) -> str:
        """Return what happens to the undamaged files of a reader: `read`, if all are."""
        seeds = self._seeds(reader)
        for path in self._files(reader, seeds):
            name = path.relative_to(seeds)
            with self._copied(reader) as work:
                outcome = _outcome(reader, work, work / name)
            if outcome != "read":
                return f"{name}: {outcome}"
        return "read"

    def case(self, reader: Reader, case: int) -> None:
        """Throw one input at a reader."""
        random_ = random.Random(f"{self._seed} {reader.name} {case}")
        with self._copied(reader) as work:
            if reader.name not in self._names:
                self._names[reader.name] = [
                    path.relative_to(work) for path in self._files(reader, work)
                ]
            path = work / random_.choice(self._names[reader.name])
            before = path.read_bytes()
            path.write_bytes(mutate(path.name, before, random_))
            try:
                self._judge(reader, work, path, f"{reader.name} {case} ({path.relative_to(work)})")
            finally:
                if not reader.writes:
                    path.write_bytes(before)

    @contextlib.contextmanager
    def _copied(self, reader: Reader) -> Iterator[Path]:
        seeds = self._seeds(reader)
        if not reader.writes:
            yield seeds
            return
        self._copies += 1
        work = self._home / f"work{self._copies}" / "seed"
        shutil.copytree(seeds, work)
        try:
            yield work
        finally:
            # A thread of the search library may still write.
            shutil.rmtree(work.parent, ignore_errors=True)

    def _files(self, reader: Reader, work: Path) -> list[Path]:
        return sorted(path for path in work.glob(reader.files) if path.is_file())

    def _judge(self, reader: Reader, work: Path, path: Path, name: str) -> None:
        tally = self.tallies[reader.name]
        began = process_time()
        outcome, printed = "hang", io.StringIO()
        with limited(SECONDS), warnings.catch_warnings(), contextlib.redirect_stdout(printed):
            warnings.simplefilter("ignore", ResourceWarning)
            with contextlib.redirect_stderr(printed):
                outcome = (_apart if reader.apart else _outcome)(reader, work, path)
        text = printed.getvalue()
        if "a bug in ilpsum" in text:
            outcome = f"fault: {text}"
        elif escaped(text) != text:
            outcome = f"control characters: {text!r}"
        before, self._memory = self._memory, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if (grown := (self._memory - before) // 1024) > MEGABYTES:
            outcome = f"memory: {grown} MB"
        tally.slowest = max(tally.slowest, process_time() - began)
        tally.outcomes[outcome if outcome in _FINE else "fault"] += 1
        if outcome not in _FINE:
            tally.faults.append(f"{name}: {outcome}")

    def _seeds(self, reader: Reader) -> Path:
        folder = self._home / reader.seeds.__name__.strip("_")
        if not folder.exists():
            with contextlib.redirect_stdout(io.StringIO()):
                reader.seeds(folder)
            for path in folder.rglob("*"):
                path.chmod(0o755 if path.is_dir() else 0o644)
        return folder


def _outcome(reader: Reader, work: Path, path: Path) -> str:
    try:
        reader.read(work, path)
    except (IlpsumError, UnknownNameError) as error:
        text = str(error)
        fine = isinstance(error, UnknownNameError) or (text.isprintable() and len(text) < 2000)
        return "refused" if fine and not _FOREIGN.search(text) else f"no line of ours: {text!r}"
    except SystemExit:
        return "refused"
    except Exception:
        return traceback.format_exc(limit=-4)
    except BaseException as error:
        if type(error).__name__ in ("PanicException",):
            return traceback.format_exc(limit=-4)
        raise
    return "read"


def _apart(reader: Reader, work: Path, path: Path) -> str:
    """Return what happens in a process of its own: `ended` if a signal ended that."""
    reading, writing = os.pipe()
    gc.freeze()  # a collection in the child would copy all that it shares with this process
    if not (child := os.fork()):
        outcome = "hang"
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what the library says of its end
            signal.alarm(60)
            with limited(SECONDS):
                outcome = _outcome(reader, work, path)
        finally:
            os.write(writing, outcome.encode("utf-8", "replace")[:2000])
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        outcome = pipe.read().decode("utf-8", "replace")
    ended = -os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return outcome or (
        "ended" if ended in (signal.SIGABRT, signal.SIGBUS, signal.SIGSEGV) else f"hang ({ended})"
    )


def table(tallies: Iterable[tuple[str, Tally]]) -> Iterator[str]:
    """Yield the lines of a table of what happened."""
    yield "| reader | inputs | read | refused in one line | ended | faults | slowest (s) |"
    yield "|---|---|---|---|---|---|---|"
    for name, tally in tallies:
        counts = [
            tally.outcomes.total(),
            *(tally.outcomes[outcome] for outcome in (*_FINE, "fault")),
        ]
        yield f"| {name} | {' | '.join(map(str, counts))} | {tally.slowest:.1f} |"


def main() -> int:
    """Run the fuzzer; exit status 1 if an input was not handled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--number", type=int, default=2000, help="inputs, over all readers (default: 2000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed (default: 1)")
    parser.add_argument(
        "--minutes",
        type=float,
        help="go on with the next seeds until the time is up or one has a fault",
    )
    parser.add_argument("--reader", help="only the readers whose name contains this")
    parser.add_argument(
        "--case", type=int, help="only this input of the reader, with its traceback"
    )
    options = parser.parse_args()
    readers = [reader for reader in READERS if (options.reader or "") in reader.name]
    if options.case is not None:
        with _home() as home:
            fuzzer = Fuzzer(Path(home), options.seed, readers)
            fuzzer.case(readers[0], options.case)
        return _told(fuzzer.tallies.items())
    end = time.monotonic() + 60 * (options.minutes or 0)
    for seed in itertools.count(options.seed):
        with _home() as home:
            sys.stdout.write(f"seed {seed}\n")
            status = _told(Fuzzer(Path(home), seed, readers).run(options.number))
        if status or time.monotonic() >= end:
            return status
    raise AssertionError("there is always another seed")


def _home() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for the files, in memory where the system has such a place."""
    return tempfile.TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None)


def _told(tallies: Iterable[tuple[str, Tally]]) -> int:
    """Print the table and the faults, and return the exit status."""
    faults: list[str] = []

    def noted() -> Iterator[tuple[str, Tally]]:
        for name, tally in tallies:
            faults.extend(tally.faults)
            yield name, tally

    for line in table(noted()):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    sys.stdout.write("\n".join(["", *map(escaped, faults)]) + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
