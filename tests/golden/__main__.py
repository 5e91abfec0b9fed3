"""Compare what ilpsum computes with what it computed before: `python -m tests.golden`."""

import argparse
import difflib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.golden.cases import CASES, Case
from tests.golden.inputs import write_forms, write_samples
from tests.golden.substance import substance

HERE = Path(__file__).parent
EXPECTED = HERE / "expected.json"
CHECKOUT = HERE.parents[1]


@dataclass(frozen=True)
class Bench:
    """The checkout whose ilpsum runs, the folder for inputs and outputs of the cases, and that of real data, if any."""

    checkout: Path
    work: Path
    data: Path | None

    def folders(self) -> dict[str, str]:
        """Return what stands for the placeholders of commands."""
        places = {
            "demo": self.work / "demo",
            "made": self.work / "made",
            "sample": self.work / "sample",
        }
        return {name: str(path) for name, path in places.items()} | (
            {"data": str(self.data)} if self.data else {}
        )

    def prepare(self) -> None:
        """Write the inputs of the cases."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self._run(self.work, [["demo", "--out", str(self.work / "demo"), "--quiet"]])
        write_forms(self.work / "demo", self.work / "made")
        if self.data:
            write_samples(self.data, self.work / "sample")

    def result(self, case: Case) -> dict[str, str]:
        """Run the commands of a case in a folder of their own, and return the substance of what they wrote."""
        out = self.work / "cases" / case.name
        out.mkdir(parents=True)
        codes = self._run(
            out, [[word.format(**self.folders()) for word in step] for step in case.steps()]
        )
        replaced = {str(out): "OUT", **{path: name for name, path in self.folders().items()}}
        return {"exit": f"{codes}\n", **substance(out, replaced)}

    def _run(self, out: Path, commands: list[list[str]]) -> str:
        """Run commands in one process; standard output and errors go to files there."""
        (out / "_commands.json").write_text(json.dumps(commands), encoding="utf-8")
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join((str(self.checkout), str(CHECKOUT))),
            "PYTHONHASHSEED": "0",
            "OMP_NUM_THREADS": "1",
            # Training amplifies last digits, in which the code for other processors differs.
            "OPENBLAS_CORETYPE": "Haswell",
            "XDG_CACHE_HOME": str(out / "_cache"),
            "COLUMNS": "100",
        }
        command = [sys.executable, "-P", "-m", "tests.golden.commands"]
        with (out / "_errors").open("w") as errors:
            done = subprocess.run(
                command, cwd=out, env=environment, stderr=errors, stdout=subprocess.PIPE, text=True
            )
        return done.stdout.strip() or f"broken: {done.returncode}"


def digests(parts: dict[str, str]) -> dict[str, str]:
    """Return a digest of each part of a result."""
    return {name: hashlib.sha256(text.encode()).hexdigest()[:20] for name, text in parts.items()}


def real_data() -> Path | None:
    """Return the folder of real data, as the other tests find it."""
    folder = Path(
        os.environ.get("ILPSUM_TEST_DATA") or CHECKOUT.parent / "shared" / "data"
    ).resolve()
    return folder if folder.is_dir() else None


def keep(folder: Path, case: Case, result: dict[str, str]) -> None:
    """Write the substance of a case to a folder."""
    for name, text in result.items():
        place = folder / "substance" / case.name / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="")


def read_kept(folder: Path, case: Case) -> dict[str, str]:
    """Return the substance of a case that `--keep` left in a folder."""
    place = folder / "substance" / case.name
    return {
        path.relative_to(place).as_posix(): path.read_text()
        for path in sorted(place.rglob("*"))
        if path.is_file()
    }


def differences(before: dict[str, str], now: dict[str, str]) -> Iterator[str]:
    """Yield the lines of a unified diff of two results."""
    for name in sorted(before.keys() | now.keys()):
        old, new = before.get(name, "").splitlines(), now.get(name, "").splitlines()
        yield from difflib.unified_diff(old, new, f"before/{name}", f"now/{name}", lineterm="", n=1)


def report(
    case: Case, now: dict[str, str], expected: dict[str, str], before: dict[str, str] | None
) -> bool:
    """Print which parts of a result differ from what is expected, and how they differ from another; return whether."""
    found = digests(now)
    which = sorted(
        name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name)
    )
    if which:
        print(f"{case.name} differs: {', '.join(which)}", flush=True)
        print("\n".join(differences(before, now)) if before is not None else "", end="", flush=True)
    return bool(which)


def chosen_cases(options: argparse.Namespace, data: Path | None) -> list[Case]:
    """Return the cases that the options choose."""
    chosen = [
        case
        for case in CASES
        if not (options.quick and case.slow) and not (options.demo and case.needs_data)
    ]
    chosen = [
        case
        for case in chosen
        if not options.only or any(part in case.name for part in options.only)
    ]
    skipped = [case for case in chosen if case.needs_data and not data]
    if skipped:
        print(f"{len(skipped)} cases of real data are skipped: set ILPSUM_TEST_DATA")
    return [case for case in chosen if case not in skipped]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="NAME",
        help="cases whose name contains one of these",
    )
    parser.add_argument("--quick", action="store_true", help="leave out the slow cases")
    parser.add_argument("--demo", action="store_true", help="leave out the cases of real data")
    parser.add_argument(
        "--write", action="store_true", help="write what is computed now as what is expected"
    )
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep outputs and their substance in this folder"
    )
    parser.add_argument(
        "--against",
        type=Path,
        metavar="DIR",
        help="show differences from another checkout, or a kept folder",
    )
    parser.add_argument(
        "--checkout",
        type=Path,
        default=CHECKOUT,
        metavar="DIR",
        help="run the ilpsum of this checkout",
    )
    parser.add_argument(
        "--jobs", type=int, default=2, metavar="N", help="cases at a time (default: 2)"
    )
    return parser.parse_args()


def main() -> int:
    """Run the cases; return 1 if one differs, else 0."""
    options, start, data = arguments(), time.monotonic(), real_data()
    chosen = chosen_cases(options, data)
    expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    differing = 0
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(options.jobs) as pool:
        bench = Bench(options.checkout.resolve(), Path(temporary) / "now", data)
        bench.prepare()
        other = None
        if options.against and (options.against / "ilpsum").is_dir():
            other = Bench(options.against.resolve(), Path(temporary) / "before", data)
            other.prepare()
        for case, now in zip(chosen, pool.map(bench.result, chosen), strict=True):
            if options.write:
                expected[case.name] = digests(now)
            before = None
            if options.against and digests(now) != expected.get(case.name):
                before = other.result(case) if other else read_kept(options.against, case)
            differing += report(case, now, expected.get(case.name, {}), before)
            if options.keep:
                keep(options.keep, case, now)
        if options.keep:
            shutil.copytree(bench.work, options.keep / "outputs", dirs_exist_ok=True)
    if options.write:
        names = {case.name for case in CASES}
        EXPECTED.write_text(
            json.dumps(
                {name: expected[name] for name in sorted(expected) if name in names}, indent=1
            )
            + "\n"
        )
    print(f"{len(chosen)} cases, {differing} differ; {time.monotonic() - start:.0f} s")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
