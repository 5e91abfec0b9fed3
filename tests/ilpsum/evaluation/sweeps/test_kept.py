"""The texts that a sweep keeps."""

from types import SimpleNamespace

import pytest

from ilpsum.errors import InputError
from ilpsum.evaluation.sweeps.kept import write_texts
from ilpsum.pipeline.system import System
from ilpsum.records import Document, Topic


def test_a_cache_that_names_another_document_is_one_line(tmp_path):
    interval = SimpleNamespace(chosen=(("pond.4xt", 0, 11),))
    path = SimpleNamespace(topic="q", intervals=[interval])
    result = SimpleNamespace(
        configuration=SimpleNamespace(system=System.load("lead")), paths=[path]
    )
    with pytest.raises(InputError, match="names a document"):
        write_texts(
            tmp_path, [result], [Topic("q", documents=(Document("pond.txt", "Newts sing."),))]
        )
    assert not [*tmp_path.iterdir()]
