"""Check that a sweep that is killed repeatedly gives the same results as an undisturbed one.

    python experiments/kill_sweep.py [--data ../shared/data] [--kills 50] [--seed 1] [--out FOLDER]

Figure 3's sweep (configs/sweeps/figure3.toml) over batches 4-6 of BioASQ runs once undisturbed. Then it runs again, is
killed (SIGKILL) after a random time, resumed, killed again, and so on. Each time it finishes, its results are compared
with the undisturbed ones, and it starts over in an empty folder, until all kills are done. Results are equal if
rows.jsonl without its times, path.jsonl, best.toml and the output are the same bytes.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from ilpsum.sweeps.journal import read_rows

CONFIG = Path(__file__).parents[1] / "configs" / "sweeps" / "figure3.toml"
BATCHES = ("2B1", "2B2", "2B3")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("ILPSUM_TEST_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder to work in (default: a temporary folder)")
    options = parser.parse_args()
    work = options.out or Path(tempfile.mkdtemp(prefix="kill-sweep-"))
    work.mkdir(parents=True, exist_ok=True)
    topics = [options.data / "bioasq" / f"{batch}_golden.json.gz" for batch in BATCHES]
    command = [sys.executable, "-c", "import sys; from ilpsum.cli import main; sys.exit(main())", "sweep", str(CONFIG)]
    command += ["--topics", *map(str, topics), "--quiet", "--out"]

    began = time.monotonic()
    printed = subprocess.run([*command, work / "whole"], check=True, capture_output=True).stdout
    whole = time.monotonic() - began
    expected = results(work / "whole", printed)
    print(f"undisturbed: {whole:.0f} s", flush=True)

    draw = random.Random(options.seed)
    kills, finished, stages = 0, 0, Counter()
    while kills < options.kills or finished == 0:
        folder = work / "killed"
        shutil.rmtree(folder, ignore_errors=True)
        while True:
            seconds = draw.uniform(0.0, whole / 3) if kills < options.kills else None
            printed = run(command, folder, seconds)
            if printed is not None:
                break
            kills += 1
            stages[stage(folder)] += 1
            print(f"kill {kills} after {seconds:.1f} s, during {stage(folder)}", flush=True)
        finished += 1
        if results(folder, printed) != expected:
            sys.exit(f"sweep {finished} differs from the undisturbed one: {folder}")
        print(f"sweep {finished} finished, equal to the undisturbed one", flush=True)
    by_stage = ", ".join(f"{count} {name}" for name, count in sorted(stages.items()))
    print(f"{kills} kills ({by_stage}); {finished} sweeps finished, all equal to the undisturbed one")


def run(command: list[object], folder: Path, seconds: float | None) -> bytes | None:
    """Run the sweep; return its output, or None if it was killed."""
    process = subprocess.Popen([*command, folder], stdout=subprocess.PIPE, start_new_session=True)
    try:
        printed, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None
    if process.returncode:
        sys.exit(f"the sweep failed with status {process.returncode}")
    return printed


def results(folder: Path, printed: bytes) -> tuple[object, ...]:
    rows = [{key: value for key, value in row.items() if key != "seconds"} for row in read_rows(folder / "rows.jsonl")]
    files = [(folder / name).read_bytes() for name in ("path.jsonl", "best.toml")]
    # The output contains runs and scores but no folder names.
    return json.dumps(rows), *files, printed


def stage(folder: Path) -> str:
    """Return the stage at which a sweep was killed, from its newest file."""
    if not (folder / "cache").exists():
        return "start"
    newest = max((path for path in folder.rglob("*") if path.is_file()), key=lambda path: path.stat().st_mtime)
    return {"features": "features", "targets": "features", "models": "training"}.get(newest.parts[-3], "paths")


if __name__ == "__main__":
    main()
