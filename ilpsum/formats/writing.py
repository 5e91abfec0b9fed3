"""Base classes of the writers of formats: the files of a run, which `ilpsum.runs.writer.RunWriter` fills."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

from ilpsum.errors import InputError, UsageError
from ilpsum.files.json_text import read_json_lines
from ilpsum.files.reading import unsafe_name
from ilpsum.records import Summary

PROVENANCE = ".provenance.jsonl"
"""End of the name of a run's provenance."""


class FormatWriter(ABC):
    """The files of run `name` in one format; `UsageError` if the format cannot use the name."""

    # Additional files of the format in the folder of an unfinished run.
    scratch: ClassVar[tuple[str, ...]] = ()

    def __init__(self, name: str, contact_email: str = "") -> None:
        if why := self.refusal(name):
            raise UsageError(why)
        self.name, self.contact_email = name, contact_email

    @staticmethod
    def refusal(name: str) -> str:
        """Return why the format cannot use a run's name, or an empty string."""
        why = unsafe_name(name)
        return f"the name of a run {why}: {name!r}" if why else ""

    @property
    @abstractmethod
    def targets(self) -> tuple[str, ...]:
        """Names of the run's files and folders, without the provenance."""

    @classmethod
    @abstractmethod
    def answer(cls, name: str, summary: Summary) -> bytes:
        """Return a topic's part of the files of run `name`; `InputError` if the format cannot represent it."""

    @abstractmethod
    def prepare(self, folder: Path, opened: ExitStack) -> None:
        """Prepare a folder, empty except for the provenance, for the answers; `opened` closes before `finish`."""

    @abstractmethod
    def put(self, topic: str, answer: bytes, *, failed: bool = False) -> None:
        """Write an answer, replaceable if `failed`, to the folder; `InputError` if the format cannot use the id."""

    @abstractmethod
    def finish(self) -> None:
        """Complete the files in the folder."""

    @staticmethod
    @abstractmethod
    def texts(path: Path) -> Iterator[tuple[str, str, str]]:
        """Yield topic, text and warning of each answer of a written run; `InputError` if one is damaged."""


class OneFileWriter(FormatWriter):
    """Writes OUT/NAME.json or the like.

    Collects answers one per line, and builds the file from them when the run is complete. Topics appear in the order
    of writing, failed ones with an empty answer. If a resumed run answers a failed topic, the answer replaces the empty
    one, at the later position.
    """

    suffix = ".json"
    scratch = ("answers",)

    @property
    def targets(self) -> tuple[str, ...]:
        """The run file."""
        return (self.name + self.suffix,)

    @classmethod
    @abstractmethod
    def fields(cls, name: str, summary: Summary) -> dict[str, Any]:
        """Return a topic's answer as a JSON object; `name` is the run's name."""

    def file(self, objects: Iterator[str]) -> Iterator[str]:
        """Yield the file in pieces, given the answers as JSON objects in order; by default, one object per line."""
        return (line + "\n" for line in objects)

    @classmethod
    def answer(cls, name: str, summary: Summary) -> bytes:
        """Return the answer as a line of JSON."""
        return json.dumps(cls.fields(name, summary), ensure_ascii=False).encode("utf-8", "replace")

    def prepare(self, folder: Path, opened: ExitStack) -> None:
        """Open the file of answers."""
        self._folder = folder
        self._answers = opened.enter_context((folder / "answers").open("xb"))
        # Line numbers of failed topics by id, and of failures replaced by a later answer.
        self._count, self._failed, self._replaced = 0, dict[str, int](), set[int]()

    def put(self, topic: str, answer: bytes, *, failed: bool = False) -> None:
        """Append an answer."""
        if failed and topic in self._failed:
            return
        if failed:
            self._failed[topic] = self._count
        elif topic in self._failed:
            self._replaced.add(self._failed.pop(topic))
        self._answers.write(answer + b"\n")
        self._count += 1

    def finish(self) -> None:
        """Build the file."""
        with (self._folder / "answers").open("rb") as answers, (self._folder / self.targets[0]).open("xb") as stream:
            current = (line[:-1].decode() for number, line in enumerate(answers) if number not in self._replaced)
            stream.writelines(piece.encode() for piece in self.file(current))


def lines_of(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield JSON lines with their line numbers; `InputError` for a damaged one."""
    for line, value in read_json_lines(path):
        if isinstance(value, InputError):
            raise value
        yield line, value


def texts_of(path: Path, items: Iterable[tuple[int, Any]], *keys: str) -> Iterator[tuple[str, str, str]]:
    """Yield topic, text and no warning of each (line, object), given the keys of the two."""
    for line, value in items:
        topic, text = (value.get(key) if isinstance(value, dict) else None for key in keys)
        if not isinstance(topic, str) or not isinstance(text, str):
            raise InputError('expected an object with "{}" and "{}"'.format(*keys), path, line)
        yield topic, text, ""


def json_list(entries: Iterator[str], before: str, after: str) -> Iterator[str]:
    """Yield `before`, a JSON list with one entry per line, and `after`."""
    yield before + "["
    for number, entry in enumerate(entries):
        yield (",\n" if number else "\n") + entry
    yield "\n]" + after + "\n"
