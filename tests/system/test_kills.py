"""A sample of the interruptions of tests/system/kills.py: each work and each way once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the script forks")
def test_what_is_interrupted_is_completed_by_a_second_call(tmp_path: Path) -> None:
    # Of ten works and six ways each fifth pair: all works, all ways.
    command = [
        sys.executable,
        "-m",
        "tests.system.kills",
        "--moments",
        "1",
        "--every",
        "5",
        "--out",
        tmp_path,
    ]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[2:]]
    assert len(rows) == 12
    assert len({work for work, *_ in rows}) == 10
    assert len({how.partition(" (")[0] for _, how, *_ in rows}) == 6
