"""A stand-in judge with an empty cache, without waiting between requests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ilpsum.learning.judging import asking
from ilpsum.literature import client
from tests.ilpsum.learning.judging.standin import StandinJudge, shared_words


@pytest.fixture
def standin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandinJudge]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(client, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(asking, "_PAUSE", 0.0)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", asking.KEY):
        monkeypatch.delenv(name, raising=False)
    with StandinJudge(shared_words) as standin:
        yield standin
