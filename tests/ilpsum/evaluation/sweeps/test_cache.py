"""The keys of the cache of summaries."""

from pathlib import Path
from types import SimpleNamespace

import ilpsum
from ilpsum.evaluation.sweeps import cache


def test_all_of_ilpsum_is_part_of_every_key(tmp_path, monkeypatch):
    """A change of the pipeline or the selection, say, makes other entries."""
    assert (Path(ilpsum.__file__).parent / "pipeline").is_dir()
    (tmp_path / "pipeline").mkdir()
    file = tmp_path / "pipeline" / "candidates.py"
    monkeypatch.setattr(cache, "resources", SimpleNamespace(__file__=str(tmp_path / "__init__.py")))
    digests = set()
    for content in ("1", "2"):
        file.write_text(content)
        digests.add(cache._code.__wrapped__())
    assert len(digests) == 2
