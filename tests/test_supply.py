"""Dependencies have tested bounds."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
FILE = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
GROUPS = [
    FILE["build-system"]["requires"],
    FILE["project"]["dependencies"],
    *FILE["project"]["optional-dependencies"].values(),
]
REQUIREMENTS = sorted({requirement for group in GROUPS for requirement in group})


@pytest.mark.parametrize("text", REQUIREMENTS)
def test_a_dependency_has_a_lower_and_an_upper_bound_and_is_tested_between_them(text):
    requirement = Requirement(text)
    assert sorted(bound.operator for bound in requirement.specifier) == ["<", ">="]
    try:
        installed = version(requirement.name)
    except PackageNotFoundError:
        pytest.skip("of an extra that is not installed")
    assert requirement.specifier.contains(installed)


CONTAINER = (ROOT / "Containerfile").read_text("utf-8")


def test_the_container_has_the_bounds_of_the_project_and_no_root():
    installed = re.findall(r'"([\w-]+(?:\[\w+\])?>=[^"]+)"', CONTAINER)
    assert len(installed) == 14
    assert set(installed) <= set(REQUIREMENTS)
    assert CONTAINER.index("USER 10001") < CONTAINER.index("ENTRYPOINT")
    for name in re.findall(r"^COPY (?!--)(.+) \S+$", CONTAINER, re.M):
        assert all((ROOT / each).exists() for each in name.split())
