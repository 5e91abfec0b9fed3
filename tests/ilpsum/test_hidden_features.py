"""A user's own `features` beside a script hides ours, which is reported in one line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("hiding", ["features.py", "features/__init__.py"])
def test_the_file_that_hides_our_package_is_named(tmp_path: Path, hiding: str) -> None:
    file = tmp_path / hiding
    file.parent.mkdir(exist_ok=True)
    file.write_text("raise RuntimeError('not to be run')")
    (tmp_path / "script.py").write_text("import ilpsum")
    message = f"ImportError: {file} hides the package `features` that ilpsum needs; rename it"
    assert run(tmp_path, "script.py").stderr.splitlines()[-1] == message
    assert message in run(tmp_path, "-m", "ilpsum", "--version").stderr.splitlines()[-1]


def test_what_hides_nothing_is_no_error_and_numpy_stays_out(tmp_path: Path) -> None:
    (tmp_path / "features").mkdir()
    (tmp_path / "script.py").write_text("import sys, ilpsum\nprint('numpy' in sys.modules, 'features' in sys.modules)")
    done = run(tmp_path, "script.py")
    assert (done.stdout, done.stderr) == ("False False\n", "")
