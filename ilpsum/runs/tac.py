"""Runs of TAC 2014 Task 2: a directory SYSX1 with one file a topic, and the same as SYSX1.tar.gz.

The directory's name is the team id followed by the run number. It holds one UTF-8 file for each topic, even if empty,
named exactly like the topic, without extension, of at most 250 words. The same texts always give the same archive, byte
for byte: its members are sorted and carry no times, owners or compressor marks.
"""

import gzip
import tarfile
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from ilpsum.errors import InputError, UsageError
from ilpsum.io.files import unsafe_name
from ilpsum.records import Summary
from ilpsum.runs.formats import RUN_ID
from ilpsum.runs.writer import RunWriter


class TacWriter(RunWriter):
    """Writes OUT/NAME/, OUT/NAME.tar.gz and OUT/NAME.provenance.jsonl.

    Arguments as for `RunWriter`; the name is a team id and a run number, like `SYSX1`.
    """

    @classmethod
    def _require_name(cls, name: str) -> None:
        if message := invalid_name(name):
            raise UsageError(message)
        super()._require_name(name)

    @property
    def targets(self) -> tuple[str, ...]:
        """The directory and its archive."""
        return self.name, f"{self.name}.tar.gz"

    def _prepare(self) -> None:
        (self.folder / self.name).mkdir()

    @classmethod
    def _answer(cls, name: str, summary: Summary) -> bytes:  # noqa: ARG003  # files do not name the run
        text = summary.text.strip("\n")
        return (text + "\n").encode("utf-8", "replace") if text else b""

    def _put(self, topic: str, answer: bytes, *, failed: bool = False) -> None:  # noqa: ARG002  # a later answer overwrites it
        if why := unsafe_name(topic):
            raise InputError(f"the topic {topic!r} {why}, so it cannot name a file; rename the topic")
        (self.folder / self.name / topic).write_bytes(answer)

    def _finish(self) -> None:
        with (self.folder / f"{self.name}.tar.gz").open("xb") as raw:
            _pack(self.folder / self.name, raw)


def invalid_name(name: str) -> str:
    """Return why a run cannot have this name, or an empty string."""
    if RUN_ID.fullmatch(name):
        return ""
    return f"{name!r} is not the name of a run; expected a team id of letters and digits and a run number 1-5"


def _pack(folder: Path, raw: BinaryIO) -> None:
    """Pack a directory; the same files give the same bytes."""
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        top = tarfile.TarInfo(folder.name)
        top.type, top.mode = tarfile.DIRTYPE, 0o755
        tar.addfile(top)
        for path in sorted(folder.iterdir()):
            data = path.read_bytes()
            member = tarfile.TarInfo(f"{folder.name}/{path.name}")
            member.size, member.mode = len(data), 0o644
            tar.addfile(member, BytesIO(data))
