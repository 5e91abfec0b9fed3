"""Print, for each Python and platform, whether a plain installation needs wheels only.

Exit 1 if one is missing for a version that the classifiers of pyproject.toml claim.

Nothing is installed: pip resolves the dependencies of pyproject.toml for a machine that need not be
at hand.
"""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = {
    "Linux": ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    "macOS": ("macosx_14_0_arm64", "macosx_12_0_arm64", "macosx_11_0_arm64"),
    "Windows": ("win_amd64",),
}
PIP = (
    sys.executable,
    "-m",
    "pip",
    "install",
    "--dry-run",
    "--ignore-installed",
    "--quiet",
    "--only-binary=:all:",
)


def lacking(requirements: list[str], python: str, platforms: tuple[str, ...]) -> str:
    """Return what pip says no wheel was found for, or nothing."""
    machine = [f"--platform={name}" for name in platforms]
    with tempfile.TemporaryDirectory() as target:
        command = [
            *PIP,
            f"--python-version={python}",
            *machine,
            f"--target={target}",
            *requirements,
        ]
        result = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    errors = [line for line in result.stderr.splitlines() if line.startswith("ERROR: No matching")]
    return (
        ""
        if result.returncode == 0
        else (errors or result.stderr.splitlines() or ["pip failed"])[-1]
    )


def main() -> int:
    """Resolve the dependencies for every pair; return the exit status."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))[
        "project"
    ]
    failed = False
    for python in PYTHONS:
        for system, platforms in PLATFORMS.items():
            problem = lacking(project["dependencies"], python, platforms)
            failed |= (
                bool(problem)
                and f"Programming Language :: Python :: {python}" in project["classifiers"]
            )
            print(f"{python} {system}: {problem or 'wheels for everything'}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
