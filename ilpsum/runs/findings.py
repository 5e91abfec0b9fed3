"""What the checks of JSON formats share: collecting faults without end, repeated keys, lists of topics and PMIDs."""

import json
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ilpsum.corpora import read_topics
from ilpsum.errors import InputError
from ilpsum.io.files import open_bytes
from ilpsum.io.json_stream import Item, stream
from ilpsum.io.names import Seen
from ilpsum.records import BrokenTopic
from ilpsum.runs.formats import Finding

MAX_FAULTS = 10_000
"""A file of any size is checked to its end, but no more faults than this are told one by one."""

# So many topics are named in one line.
_MOST_NAMED = 100

_BLOCK = 2**18


class Findings:
    """The faults of a run, the first `MAX_FAULTS` one by one."""

    def __init__(self, path: Path) -> None:
        self._path, self._list = path, list[Finding]()
        self._more = {False: 0, True: 0}

    def add(self, place: str | int, message: str, *, warning: bool = False) -> None:
        """A fault, or with `remark` something that is allowed but should be known.

        Args:
            place: a line, or a line and what stands there.
            message: what is wrong, what the format wants.
            warning: no fault.
        """
        if len(self._list) < MAX_FAULTS:
            where = f"{self._path}:{_shown(str(place))}" if place else str(self._path)
            self._list.append(Finding(where, _shown(message), warning))
        else:
            self._more[warning] += 1

    def list(self) -> "list[Finding]":
        """All of them, and how many more there are."""
        more = [
            Finding(str(self._path), f"{count} more {'warnings' if warning else 'errors'} like these", warning)
            for warning, count in self._more.items()
            if count
        ]
        return [*self._list, *more]


class Repeated(dict[str, Any]):
    """A JSON object in which a key stands twice, which JSON's readers pass over in silence."""


def object_hook(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For `json.JSONDecoder`: an object, marked as `Repeated` where a key stands twice."""
    made = dict(pairs)
    return made if len(made) == len(pairs) else Repeated(pairs)


def has_repeated_keys(value: Any) -> bool:
    """Whether a key stands twice in the object or in one within it."""
    if isinstance(value, dict):
        return isinstance(value, Repeated) or any(has_repeated_keys(entry) for entry in value.values())
    return isinstance(value, list) and any(has_repeated_keys(entry) for entry in value)


def document_items(path: Path, name: str, findings: Findings, members: dict[str, tuple[int, Any]]) -> Iterator[Item]:
    """The elements of the list that a JSON document holds under a name; what else is wrong with the document is told.

    Args:
        path: the document.
        name: the list's name.
        findings: take what is wrong.
        members: takes the other members of the document, each with its line.

    Raises:
        InputError: the file cannot be opened.
    """
    if not path.is_file():
        raise InputError("no such run; name its file", path)
    seen: set[str] = set()
    try:
        for item in stream(path, lists=(name,), hook=object_hook):
            if not item.key:
                findings.add(item.line, f'an object with "{name}" was expected, not a list')
                return
            if item.index <= 0 and item.key in seen:
                findings.add(item.line, f'"{item.key}" stands twice; JSON\'s readers see the last only')
            seen.add(item.key)
            if item.element:
                yield item
            elif item.key != name:
                members[item.key] = (item.line, item.value)
            elif item.value != []:
                findings.add(item.line, f'"{name}" must be a list, not {quoted(item.value)}')
    except InputError as error:
        findings.add(error.line or 0, error.message)
        return
    if name not in seen:
        findings.add(0, f'no "{name}"; a list was expected there')


class Topics:
    """The topics that a run should answer, and which it did."""

    def __init__(self, path: Path | None) -> None:
        """Reads the ids of topics, anything that `read_topics` reads.

        Raises:
            InputError: the topics cannot be read.
        """
        self.known = path is not None
        self._ids, self._answered = Seen(), Seen()
        self._path = path
        for name in self._names():
            self._ids.add(name)

    def finding(self, name: str) -> str:
        """Why an answer to this topic cannot be, empty where it can; afterwards the topic is answered."""
        if self.known and name not in self._ids:
            return f"there is no topic {name!r} in {self._path}"
        return "" if self._answered.add(name) else f"a second answer to the topic {name!r}; one was expected"

    def unanswered(self, what: str) -> str:
        """How many topics are without an answer, and the first of them in their order; empty where there is none.

        Args:
            what: what a topic is called.
        """
        count, first = 0, list[str]()
        for name in self._names():
            if name not in self._answered:
                count += 1
                if count <= _MOST_NAMED:
                    first.append(repr(name))
        if count <= 1:
            return f"no answer to the {what} {first[0]}" if count else ""
        return f"no answer to {count} {what}s: {', '.join(first)}{', ...' if count > _MOST_NAMED else ''}"

    def _names(self) -> Iterator[str]:
        if self._path is None:
            return
        for topic in read_topics([self._path]):
            if isinstance(topic, BrokenTopic):
                raise topic.error
            yield topic.id


class Pmids:
    """A list of PMIDs, 4 bytes each, sorted: 10 million need 40 MB."""

    def __init__(self, path: Path) -> None:
        """Reads one PMID a line, `.gz` or not.

        Raises:
            InputError: the file cannot be read, or a line is no PMID.
        """
        numbers = array("I")
        for block in _blocks(path):
            numbers.extend(block)
        self._sorted: NDArray[np.uint32] = np.frombuffer(numbers, dtype=np.uintc)
        self._sorted.sort()

    def __len__(self) -> int:
        return len(self._sorted)

    def __contains__(self, pmid: str) -> bool:
        place = int(np.searchsorted(self._sorted, int(pmid)))
        return place < len(self._sorted) and int(self._sorted[place]) == int(pmid)


def _blocks(path: Path) -> Iterator[list[int]]:
    line, rest = 1, b""
    with open_bytes(path) as stream:
        while data := stream.read(_BLOCK):
            whole, newline, tail = data.rpartition(b"\n")
            block, rest = (rest + whole, tail) if newline else (b"", rest + data)
            if len(rest) > _BLOCK:
                raise InputError("one PMID a line was expected", path, line)
            yield _numbers(block, path, line)
            line += block.count(b"\n") + bool(newline)
    yield _numbers(rest, path, line)


def _numbers(block: bytes, path: Path, line: int) -> list[int]:
    try:
        if block.isascii() and not block.translate(None, b"0123456789\r\n"):
            numbers = [int(entry) for entry in block.split()]
            if max(numbers, default=0) < 10**8:
                return numbers
    except ValueError:
        pass
    for number, entry in enumerate(block.split(b"\n"), line):
        text = entry.strip().decode("utf-8", "replace")
        if text and not is_pmid(text.lstrip("0")):
            raise InputError(f"{text[:40]!r} is no PMID; one a line, of 1 to 8 digits, was expected", path, number)
    return [int(entry) for entry in block.split()]


def is_pmid(value: object) -> bool:
    """Whether a text is a PMID: 1 to 8 digits, the first not 0."""
    return isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 8 and value[0] != "0"


def _shown(text: str) -> str:
    """A text as a terminal may have it: what is not printable becomes U+FFFD."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in text)


def quoted(value: object) -> str:
    """A value for a message, cut."""
    text = json.dumps(value, ensure_ascii=False, default=str) if not isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
