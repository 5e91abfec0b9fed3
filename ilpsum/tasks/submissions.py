"""What the formats of runs share: base classes of their writers, and the findings of their
checks.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from ilpsum.errors import InputError, UsageError, listed
from ilpsum.files.json_text import Elements, list_document, list_items, read_json_lines
from ilpsum.files.pmids import Pmids
from ilpsum.files.reading import unsafe_name
from ilpsum.files.records import Record, checked, reason
from ilpsum.records import BrokenTopic, Summary
from ilpsum.tasks import paths, read_topics
from ilpsum.tasks.registry import Paths

PROVENANCE = ".provenance.jsonl"
"""End of the name of a run's provenance."""

RUN_ENDS = ("", ".json", ".jsonl", ".tar.gz")
"""Ends of the names of all files and folders of runs that writers make."""

_EXPECTED = "an answer of a run", "`ilpsum check` lists every error"
# Maximum unanswered topics listed by name.
_MAX_LISTED = 100


class FormatWriter(ABC):
    """Makes the files of the run `name` from its answers; `UsageError` if the format cannot use the
    name.
    """

    def __init__(self, name: str, contact_email: str | None = None) -> None:
        if why := self.refusal(name):
            raise UsageError(why)
        if contact_email is not None:
            raise UsageError(
                "run.contact_email is for biogen-2024 runs; those of other formats have no "
                "contact address"
            )
        self.name = name

    @staticmethod
    def refusal(name: str) -> str:
        """Return why the format cannot use a run's name, or an empty string."""
        why = unsafe_name(name)
        return f"the name of a run {why}: {name!r}" if why else ""

    @property
    @abstractmethod
    def targets(self) -> tuple[str, ...]:
        """Names of the run's files and folders, without the provenance."""

    def require(self, summary: Summary) -> None:  # noqa: B027  # most formats represent all
        """Raise `InputError` if the format cannot represent a topic's summary."""

    @abstractmethod
    def answer(self, summary: Summary) -> bytes:
        """Return a topic's part of the files, given a summary that the format can represent."""

    @abstractmethod
    def write(self, folder: Path, answers: Iterable[tuple[str, bytes]]) -> None:
        """Write the files to a folder, from the topics and their answers."""


class JsonWriter(FormatWriter):
    """Writes OUT/NAME.jsonl, an object per topic, in the order of writing."""

    suffix = ".jsonl"
    # In a document, the texts before and after the list of answers; empty for JSON lines.
    frame: tuple[str, str] = "", ""

    @property
    def targets(self) -> tuple[str, ...]:
        """The run file."""
        return (self.name + self.suffix,)

    @abstractmethod
    def fields(self, summary: Summary) -> dict[str, Any]:
        """Return a topic's answer as a JSON object."""

    def answer(self, summary: Summary) -> bytes:
        """Return the answer as a line of JSON."""
        return json.dumps(self.fields(summary), ensure_ascii=False).encode("utf-8", "replace")

    def write(self, folder: Path, answers: Iterable[tuple[str, bytes]]) -> None:
        """Write the file."""
        before, after = self.frame
        with (folder / self.targets[0]).open("xb") as stream:
            if not before:
                stream.writelines(answer + b"\n" for _, answer in answers)
                return
            stream.write(f"{before}[".encode())
            stream.writelines(
                (b",\n" if number else b"\n") + answer for number, (_, answer) in enumerate(answers)
            )
            stream.write(f"\n]{after}\n".encode())


def answers(path: Path, kind: type[Record], name: str = "") -> Iterator[Record]:
    """Yield the answers of a written run: the elements of a named list, or JSON lines; `InputError`
    if damaged.
    """
    entries = list_items(path, name, f'{{"{name}": [...]}}') if name else read_json_lines(path)
    for line, value in entries:
        if isinstance(value, InputError):
            raise value
        yield checked(partial(msgspec.convert, value, kind), _EXPECTED, path, line)


@dataclass(frozen=True, slots=True)
class Finding:
    """An error or warning of a check: its place and a message. Warnings do not make a run
    invalid.
    """

    place: str
    message: str
    warning: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {'warning: ' if self.warning else ''}{self.message}"


def no_such_run(path: Path, expected: str) -> InputError:
    """Return the error for a run that does not exist; it names files beside it that differ only in
    the extension.
    """
    folder = path.parent
    files = folder.iterdir() if folder.is_dir() else ()
    near = sorted(file.name for file in files if file.stem == path.stem)
    hint = f" (did you mean {listed(near)}?)" if near else ""
    return InputError(f"no such run; {expected}{hint}", path)


class Findings:
    """Collects the findings of a run, in the order in which they are added.

    Attributes:
        place: line, or description that starts with one, of the next findings; empty for the whole
            run.
        list: the findings so far.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.place, self.list = path, "", list[Finding]()

    def add(self, message: str, *, warning: bool = False) -> None:
        """Add a finding at the current place."""
        place = f"{self.path}:{self.place}" if self.place else str(self.path)
        self.list.append(Finding(place, message, warning))

    def limit(self, what: str, count: int, unit: str, most: int) -> None:
        """Add a finding if a part of the run has more than `most` units, such as words."""
        if count > most:
            self.add(f"{what} has {count} {unit}; at most {most} are allowed")


class Answers(Findings):
    """Collects the findings of a JSON run of answers, an object each.

    `topics` are files of the topics to answer, `pmids` is a file of the PMIDs that may be cited,
    both if known. `noun` is the format's word for a topic.

    Attributes:
        members: those of the document, by key, without the elements of its list.

    Raises:
        InputError: the run does not exist, or the topics or PMIDs cannot be read.
    """

    def __init__(
        self,
        path: Path,
        topics: Paths | None,
        pmids: Path | None = None,
        noun: str = "topic",
    ) -> None:
        super().__init__(path)
        if not path.is_file():
            if path.is_dir():
                raise InputError("expected a file, got a folder", path)
            raise no_such_run(path, "expected a file")
        self.members: Mapping[str, Any] = {}
        self._noun = noun
        self._released = Pmids(pmids) if pmids else None
        self._files = [str(file) for file in paths(topics or ())]
        self._unanswered, self._answered = dict[str, None](), set[str]()
        for topic in read_topics(self._files):
            if isinstance(topic, BrokenTopic):
                raise topic.error
            self._unanswered[topic.id] = None

    def records(self, kind: type[Record], name: str = "") -> Iterator[Record]:
        """Yield the records of JSON lines, or of the named list of a JSON document, each with its
        place; other content gives findings.
        """
        try:
            for line, value in self._elements(name) if name else read_json_lines(self.path):
                self.place = str(line)
                if isinstance(value, InputError):
                    self.add(value.message)
                    continue
                try:
                    record = msgspec.convert(value, kind)
                except msgspec.ValidationError as error:
                    self.add(reason(error))
                else:
                    yield record
        except InputError as error:
            self.place = str(error.line or "")
            self.add(error.message)
        if not (name or self.place):
            self.add("no answers; expected one JSON object a line")
        self.place = ""

    def _elements(self, name: str) -> Elements:
        document, elements = list_document(self.path, name)
        if elements is None or not isinstance(document, dict):
            raise InputError(f'expected an object with a list "{name}"')
        self.members = document
        return elements

    def answered(self, topic: str) -> None:
        """Add a topic to the place and mark it as answered; add a finding if it is unknown or
        answered already.
        """
        self.place += f": {self._noun} {topic}"
        if topic in self._answered:
            self.add(f"a second answer to the topic {topic!r}; expected one")
        elif self._files and topic not in self._unanswered:
            self.add(f"no topic {topic!r} in {listed(self._files)}")
        else:
            self._unanswered.pop(topic, None)
            self._answered.add(topic)

    def released(self, pmid: str, where: str) -> None:
        """Add a finding if a PMID may not be cited."""
        if self._released is not None and pmid not in self._released:
            self.add(f"{where}{pmid} is not among the released PMIDs")

    def all(self) -> list[Finding]:
        """Return the findings, and a warning about unanswered topics."""
        missing, self.place = list(map(repr, self._unanswered)), ""
        if missing:
            several = f"{len(missing)} {self._noun}s:" if len(missing) > 1 else f"the {self._noun}"
            self.add(f"no answer to {several} {listed(missing, _MAX_LISTED)}", warning=True)
        return self.list


def quoted(value: object) -> str:
    """Format a value for a message, truncated to 60 characters."""
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
