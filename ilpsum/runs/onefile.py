"""What the formats share that keep a run in one file."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from ilpsum.names import Seen
from ilpsum.records import Summary
from ilpsum.runs.provenance import Failure, read_provenance
from ilpsum.runs.writer import RunWriter


class OneFileWriter(RunWriter):
    """Writes OUT/NAME.json or the like, and the provenance beside it.

    The file is made from the provenance when the run is complete: its topics come in the order in which they were
    written, a topic that failed has an empty answer in its place, and a topic that failed first and was written later
    (a resumed run) stands where it was written.
    """

    suffix = ".json"

    @property
    def targets(self) -> tuple[str, ...]:
        """The file."""
        return (self.name + self.suffix,)

    @abstractmethod
    def _lines(self, answers: Iterator[Summary]) -> Iterator[str]:
        """The file, in pieces, from the answers in their order."""

    def _put(self, summary: Summary) -> None:
        """The provenance keeps it."""

    def _finish(self) -> None:
        with (self.folder / self.targets[0]).open("w", encoding="utf-8", errors="replace", newline="\n") as stream:
            stream.writelines(self._lines(self._answers()))

    def _answers(self) -> Iterator[Summary]:
        answered = Seen()
        for record in read_provenance(self.provenance):
            if isinstance(record, Summary):
                answered.add(record.topic)
        for record in read_provenance(self.provenance):
            if isinstance(record, Summary):
                yield record
            elif isinstance(record, Failure) and answered.add(record.topic):
                yield Summary(record.topic, (), "")


def json_list(entries: Iterator[str], before: str, after: str) -> Iterator[str]:
    """A JSON list, an entry a line, between what stands before and after it."""
    yield before + "["
    for number, entry in enumerate(entries):
        yield (",\n" if number else "\n") + entry
    yield "\n]" + after + "\n"


def one_line(text: Any) -> str:
    """A text without line ends, white space folded."""
    return " ".join(str(text).split())
