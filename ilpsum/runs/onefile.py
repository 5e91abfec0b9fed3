"""Base class of writers of single-file runs."""

import json
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from ilpsum.records import Summary
from ilpsum.runs.writer import RunWriter


class OneFileWriter(RunWriter):
    """Writes OUT/NAME.json or the like, and the provenance beside it.

    Collects answers one per line, and builds the file from them when the run is complete. Topics appear in the order
    of writing, failed ones with an empty answer. If a resumed run answers a failed topic, the answer replaces the empty
    one, at the later position.
    """

    suffix = ".json"
    _scratch = ("answers",)

    @property
    def targets(self) -> tuple[str, ...]:
        """The run file."""
        return (self.name + self.suffix,)

    @classmethod
    @abstractmethod
    def _object(cls, name: str, summary: Summary) -> dict[str, Any]:
        """Return a topic's answer as a JSON object; `name` is the run's name."""

    def _file(self, objects: Iterator[str]) -> Iterator[str]:
        """Yield the file in pieces, given the answers as JSON objects in order; by default, one object per line."""
        return (line + "\n" for line in objects)

    @classmethod
    def _answer(cls, name: str, summary: Summary) -> bytes:
        return json.dumps(cls._object(name, summary), ensure_ascii=False).encode("utf-8", "replace")

    def _prepare(self) -> None:
        self._answers = self._files.enter_context((self.folder / "answers").open("xb"))
        # Line numbers of failed topics by id, and of failures replaced by a later answer.
        self._count, self._failed, self._replaced = 0, dict[str, int](), set[int]()

    def _put(self, topic: str, answer: bytes, *, failed: bool = False) -> None:
        if failed and topic in self._failed:
            return
        if failed:
            self._failed[topic] = self._count
        elif topic in self._failed:
            self._replaced.add(self._failed.pop(topic))
        self._answers.write(answer + b"\n")
        self._count += 1

    def _finish(self) -> None:
        with (self.folder / "answers").open("rb") as answers, (self.folder / self.targets[0]).open("xb") as stream:
            current = (line[:-1].decode() for number, line in enumerate(answers) if number not in self._replaced)
            stream.writelines(piece.encode() for piece in self._file(current))


def json_list(entries: Iterator[str], before: str, after: str) -> Iterator[str]:
    """Yield `before`, a JSON list with one entry per line, and `after`."""
    yield before + "["
    for number, entry in enumerate(entries):
        yield (",\n" if number else "\n") + entry
    yield "\n]" + after + "\n"
