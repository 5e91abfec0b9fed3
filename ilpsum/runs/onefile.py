"""What the formats share that keep a run in one file."""

import json
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from ilpsum.records import Summary
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.writer import RunWriter


class OneFileWriter(RunWriter):
    """Writes OUT/NAME.json or the like, and the provenance beside it.

    The file is made of the answers, kept one a line, when the run is complete: its topics come in the order in which
    they were written, a topic that failed has an empty answer in its place, and a topic that failed first and was
    written later (a resumed run) stands where it was written.
    """

    suffix = ".json"

    @property
    def targets(self) -> tuple[str, ...]:
        """The file."""
        return (self.name + self.suffix,)

    @classmethod
    @abstractmethod
    def _object(cls, name: str, summary: Summary) -> dict[str, Any]:
        """A topic's answer in a run of this name, as JSON has it."""

    def _file(self, objects: Iterator[str]) -> Iterator[str]:
        """The file, in pieces, from the answers in their order, each a JSON object; here one a line."""
        return (one + "\n" for one in objects)

    @classmethod
    def _answer(cls, name: str, summary: Summary) -> bytes:
        return json.dumps(cls._object(name, summary), ensure_ascii=False).encode("utf-8", "replace")

    def _prepare(self) -> None:
        """Makes the answers anew from the provenance of what is kept; they are not flushed with every topic."""
        self._answers = self._files.enter_context((self.folder / "answers").open("wb"))
        # The lines of topics that failed, by their ids, and those of failed topics that were answered later.
        self._count, self._failed, self._overtaken = 0, dict[str, int](), set[int]()
        if self.provenance.exists():
            for summary in read_provenance(self.provenance):
                if isinstance(summary, Summary):
                    self._put(summary.topic, self._answer(self.name, summary))

    def _put(self, topic: str, answer: bytes, *, failed: bool = False) -> None:
        if failed and topic in self._failed:
            return
        if failed:
            self._failed[topic] = self._count
        elif topic in self._failed:
            self._overtaken.add(self._failed.pop(topic))
        self._answers.write(answer + b"\n")
        self._count += 1

    def _finish(self) -> None:
        with (
            (self.folder / "answers").open(encoding="utf-8", newline="\n") as answers,
            (self.folder / self.targets[0]).open("w", encoding="utf-8", newline="\n") as stream,
        ):
            kept = (line[:-1] for number, line in enumerate(answers) if number not in self._overtaken)
            stream.writelines(self._file(kept))


def json_list(entries: Iterator[str], before: str, after: str) -> Iterator[str]:
    """A JSON list, an entry a line, between what stands before and after it."""
    yield before + "["
    for number, entry in enumerate(entries):
        yield (",\n" if number else "\n") + entry
    yield "\n]" + after + "\n"


def one_line(text: Any) -> str:
    """A text without line ends, white space folded."""
    return " ".join(str(text).split())
