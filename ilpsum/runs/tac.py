"""Runs of TAC 2014 Task 2: a directory SYSX1 with one file a topic, and the same as SYSX1.tar.gz.

The directory's name is the team id followed by the run number. It holds one UTF-8 file for each topic, even if empty,
named exactly like the topic, without extension, of at most 250 words. The same texts always give the same archive, byte
for byte: its members are sorted and carry no times, owners or compressor marks.
"""

import gzip
import re
import stat
import tarfile
from functools import cached_property
from io import BytesIO
from typing import BinaryIO

from ilpsum.errors import InputError, UsageError
from ilpsum.io.atomic import Folder
from ilpsum.io.names import unsafe_name
from ilpsum.records import Summary
from ilpsum.runs.writer import RunWriter

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*[1-5]")


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

    @cached_property
    def _topics(self) -> Folder:
        """The directory in the work folder."""
        if self._part.found(self.name) is None:
            self._part.make(self.name)
        return self._part.folder(self.name)

    def _prepare(self) -> None:
        for name in self._topics.names():
            if name not in self.finished:
                self._topics.remove(name)

    @classmethod
    def _answer(cls, name: str, summary: Summary) -> bytes:  # noqa: ARG003  # files do not name the run
        text = summary.text.strip("\n")
        return (text + "\n").encode("utf-8", "replace") if text else b""

    def _put(self, topic: str, answer: bytes, *, failed: bool = False) -> None:  # noqa: ARG002  # a later answer overwrites it
        if why := unsafe_name(topic):
            raise InputError(f"the topic {topic!r} {why}, so it cannot name a file; rename the topic")
        with self._topics.create(topic) as stream:
            stream.write(answer)

    def _is_intact(self, summary: Summary) -> bool:
        if unsafe_name(summary.topic) or not (found := self._topics.found(summary.topic)):
            return False
        if not stat.S_ISREG(found.st_mode):
            return False
        with self._topics.read(summary.topic) as stream:
            return stream.read() == self._answer(self.name, summary)

    def _finish(self) -> None:
        with self._part.create(f"{self.name}.tar.gz") as raw:
            _pack(self._topics, raw)


def invalid_name(name: str) -> str:
    """Return why a run cannot have this name, or an empty string."""
    if _NAME.fullmatch(name):
        return ""
    return f"{name!r} is not the name of a run; expected a team id of letters and digits and a run number 1-5"


def _pack(folder: Folder, raw: BinaryIO) -> None:
    """Pack a directory; the same files give the same bytes."""
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        top = tarfile.TarInfo(folder.path.name)
        top.type, top.mode = tarfile.DIRTYPE, 0o755
        tar.addfile(top)
        for name in folder.names():
            with folder.read(name) as file:
                data = file.read()
            member = tarfile.TarInfo(f"{folder.path.name}/{name}")
            member.size, member.mode = len(data), 0o644
            tar.addfile(member, BytesIO(data))
