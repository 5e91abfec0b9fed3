"""The command that installs an extra."""

import sys

import pytest

from ilpsum import resources


@pytest.mark.parametrize(
    ("prefix", "pip", "command"),
    [
        ("/home/ada/.local/share/pipx/venvs/ilpsum", True, "pipx install --force 'ilpsum[pdf]'"),
        ("/home/ada/.local/share/uv/tools/ilpsum", False, "uv tool install 'ilpsum[pdf]'"),
        ("/home/ada/thesis/.venv", False, "uv pip install 'ilpsum[pdf]'"),
        ("/home/ada/thesis/.venv", True, "pip install 'ilpsum[pdf]'"),
    ],
)
def test_an_extra_is_installed_as_ilpsum_was(monkeypatch, prefix, pip, command):
    monkeypatch.setattr(sys, "prefix", prefix)
    monkeypatch.setattr(resources, "find_spec", lambda name: pip or None)
    assert resources.installs("pdf") == command
