"""The texts that a sweep keeps, and its rows."""

import json
from types import SimpleNamespace

import pytest

from ilpsum.errors import InputError
from ilpsum.evaluation.sweeps.kept import KeptRow, read_kept, write_texts
from ilpsum.evaluation.sweeps.plan import Configuration
from ilpsum.files.records import encode
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.system import System
from ilpsum.records import Document, Topic
from tests.systems import LEAD


def test_a_cache_that_names_another_document_is_one_line(tmp_path):
    interval = SimpleNamespace(chosen=(("pond.4xt", 0, 11),))
    path = SimpleNamespace(topic="q", intervals=[interval])
    result = SimpleNamespace(configuration=SimpleNamespace(system=System.load(LEAD)), paths=[path])
    with pytest.raises(InputError, match="names a document"):
        write_texts(
            tmp_path, [result], [Topic("q", documents=(Document("pond.txt", "Newts sing."),))]
        )
    assert not [*tmp_path.iterdir()]


def test_rows_of_ilpsum_0_3_are_read(tmp_path):
    values = {"lexrank.damping": 0.5, "selection.method": "lexrank"}
    system = with_settings(System.load(LEAD), values)
    row = KeptRow("run", "asked", Configuration(system, 100, None), "recall", {})
    content = json.loads(encode(row))
    written = content["config"]["system"]
    assert written["parameters"] == {"lexrank": {"damping": 0.5}}
    assert set(values) <= set(written["origins"])
    written["parameters"] = [["lexrank.damping", 0.5]]
    written["origins"] = list(written["origins"].items())
    path = tmp_path / "rows.jsonl"
    path.write_bytes(encode(content) + b"\n")
    assert read_kept(tmp_path) == [row]
    written["parameters"] = [["lexrank.damping"]]
    for damaged in (encode(content), path.read_bytes()[:-2]):
        path.write_bytes(damaged + b"\n")
        with pytest.raises(InputError, match=r"rows\.jsonl:1: .*a row of a sweep"):
            read_kept(tmp_path)
