"""Importing the package."""

import subprocess
import sys
from pathlib import Path


def python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); {code}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_package_stands_before_anything_is_imported(tmp_path):
    # Ctrl-C during the import of the package is a traceback, so it has to be short.
    heavy = "{'msgspec', 'numpy', 'dataclasses', 'ilpsum.records'}"
    done = python(f"import ilpsum; print(sorted({heavy} & sys.modules.keys()))", tmp_path)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_every_public_name_is_there(tmp_path):
    done = python("from ilpsum import *; print(Topic.__name__, ask.__name__)", tmp_path)
    assert (done.stdout, done.stderr) == ("Topic ask\n", "")


def test_a_module_that_hides_features_is_named(tmp_path):
    (tmp_path / "features.py").write_text("print('ran')")
    done = python("import ilpsum", tmp_path)
    assert done.stdout == ""
    assert f"{tmp_path / 'features.py'} hides the package `features`" in done.stderr
