"""Archives of topics: what leads out of them is refused."""

import io
import tarfile
from pathlib import Path

import pytest

from ilpsum.errors import InputError
from ilpsum.files.folders import Shape, topic_folders


@pytest.mark.parametrize("folder", ["../D1", "D0/../../D1", "/D1"])
def test_a_member_that_leads_out_ends_the_archive(tmp_path: Path, folder: str) -> None:
    with tarfile.open(tmp_path / "topics.tar", "w") as archive:
        for place in ("D0", folder):
            member = tarfile.TarInfo(f"{place}/Annotation/a.txt")
            member.size = 4
            archive.addfile(member, io.BytesIO(b"newt"))
    with pytest.raises(InputError, match=r"has an absolute path or `\.\.`.*everything after it are lost"):
        list(topic_folders(tmp_path / "topics.tar", Shape(frozenset({"annotation"}))))
