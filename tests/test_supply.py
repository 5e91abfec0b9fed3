"""Dependencies have tested bounds."""

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

FILE = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
GROUPS = [
    FILE["build-system"]["requires"],
    FILE["project"]["dependencies"],
    *FILE["project"]["optional-dependencies"].values(),
]
REQUIREMENTS = sorted({requirement for group in GROUPS for requirement in group})


@pytest.mark.parametrize("text", REQUIREMENTS)
def test_a_dependency_has_a_lower_and_an_upper_bound_and_is_tested_between_them(text: str) -> None:
    requirement = Requirement(text)
    assert sorted(bound.operator for bound in requirement.specifier) == ["<", ">="]
    try:
        installed = version(requirement.name)
    except PackageNotFoundError:
        pytest.skip("of an extra that is not installed")
    assert requirement.specifier.contains(installed)
