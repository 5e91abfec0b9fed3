"""The command that installs an extra."""

import json
import sys
from types import SimpleNamespace

import pytest

from ilpsum import resources


@pytest.mark.parametrize(
    ("prefix", "pip", "origin", "command"),
    [
        ("/home/ada/.local/share/pipx/venvs/ilpsum", True, None, "pipx install --force 'ilpsum[pdf]'"),
        ("/home/ada/.local/share/uv/tools/ilpsum", False, None, "uv tool install 'ilpsum[pdf]'"),
        ("/home/ada/thesis/.venv", False, None, "uv pip install 'ilpsum[pdf]'"),
        ("/home/ada/thesis/.venv", True, None, "pip install 'ilpsum[pdf]'"),
        ("/home/ada/.venv", True, {"url": "file:///home/a%20b", "dir_info": {}}, "pip install '/home/a b[pdf]'"),
        (
            "/home/ada/.venv", True, {"url": "file:///src", "dir_info": {"editable": True}},
            "pip install --editable '/src[pdf]'",
        ),
    ],
)  # fmt: skip
def test_an_extra_is_installed_as_ilpsum_was(monkeypatch, prefix, pip, origin, command):
    own = SimpleNamespace(read_text=lambda _: json.dumps(origin) if origin else None)
    monkeypatch.setattr(resources, "distributions", lambda name: [own])
    monkeypatch.setattr(sys, "prefix", prefix)
    monkeypatch.setattr(resources, "find_spec", lambda name: pip or None)
    assert resources.installs("pdf") == command
