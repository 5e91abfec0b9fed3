"""Print the Pythons of this machine that the project claims, one a line: version, tab, program.

They are looked for on PATH and among the versions of pyenv, uv, asdf and mise. What is not there is
told on standard error. Exit 1 if fewer than two are there: one Python alone hides what differs.
"""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
CLAIM = re.compile(r"Programming Language :: Python :: (3\.\d+)")
# Folders of version managers, under their own variable or the home folder, that hold a folder a version.
MANAGERS = {
    "PYENV_ROOT": (".pyenv", "versions"),
    "UV_PYTHON_INSTALL_DIR": (".local/share/uv/python", ""),
    "ASDF_DATA_DIR": (".asdf", "installs/python"),
    "MISE_DATA_DIR": (".local/share/mise", "installs/python"),
}
# Debian's python3 may lack venv.
PROBE = "import ensurepip, sys, venv; print('{}.{}'.format(*sys.version_info))"


def claimed() -> list[str]:
    """Return the versions that the classifiers of pyproject.toml name."""
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    matches = map(CLAIM.fullmatch, project["classifiers"])
    return [match[1] for match in matches if match]


def programs(version: str) -> list[Path]:
    """Return where a Python of a version may be, best first."""
    folders = [Path(folder) for folder in os.get_exec_path()]
    paths = [folder / f"python{version}" for folder in folders]
    for variable, (home, inner) in MANAGERS.items():
        root = Path(os.environ.get(variable) or Path.home() / home) / inner
        paths += sorted(root.glob(f"*{version}*/bin/python{version}"))
    return paths


def runs(program: Path, version: str) -> bool:
    """Return whether a program is a Python of a version that can make environments.

    A pyenv shim is there for versions that are not chosen, and fails.
    """
    if not program.is_file():
        return False
    result = subprocess.run([program, "-c", PROBE], capture_output=True, text=True, check=False)  # noqa: S603
    return result.stdout.strip() == version


def main() -> int:
    """Print the Pythons; return the exit status."""
    there = 0
    for version in claimed():
        program = next((path for path in programs(version) if runs(path, version)), None)
        if program is None:
            print(f"Python {version}: not found", file=sys.stderr)
            continue
        there += 1
        print(f"Python {version}: {program}", file=sys.stderr)
        print(f"{version}\t{program}")
    if there < 2:
        print("fewer than two Pythons: install another, with venv", file=sys.stderr)
    return int(there < 2)


if __name__ == "__main__":
    sys.exit(main())
