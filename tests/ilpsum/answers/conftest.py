"""A stand-in for the services, to which ilpsum is led, with an empty cache and without waiting between requests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ilpsum.literature import client
from tests.ilpsum.answers.standin import Standin


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pauses between requests and before further attempts."""
    monkeypatch.setattr(client, "_SLOWER", 1e-9)
    monkeypatch.setattr(client, "PAUSES", (0.0, 0.0))


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of its own, and nobody who asks."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in (
        "NCBI_API_KEY",
        "ILPSUM_EMAIL",
        "HTTP_PROXY",
        "http_proxy",
        "ALL_PROXY",
        "all_proxy",
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def standin(
    unhurried: None, environment: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Standin]:
    with Standin(number=450) as standin:
        for name, value in standin.environment.items():
            monkeypatch.setenv(name, value)
        yield standin
