"""Files to topics: one reader a format, found by name or by the look of the files.

A reader is a module with

- `recognises(path)`: whether a path looks like its format, told from names and the first bytes, never by an error;
- `read(path, **options)`: its topics, lazily, so that a million topics need the memory of a few. A topic that cannot be
  read is yielded as a `BrokenTopic` and the next one follows; input that is no such format at all raises an
  `InputError`. Options are keyword-only parameters of `read`, and only those a caller names are handed over.

`-` is standard input for the formats that are one file; `.gz` and `.tar.gz` are read as they are, as a stream.
"""

import importlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from features.registry import Registry
from ilpsum.errors import InputError, SecondTopicError, UsageError
from ilpsum.io.files import open_bytes
from ilpsum.io.names import Seen
from ilpsum.records import BrokenTopic, Topic

__all__ = ["FORMATS", "Reader", "guess", "read_topics"]


class Reader(Protocol):
    """What a reader module offers."""

    def recognises(self, path: Path) -> bool:
        """Whether the path looks like this format."""
        ...

    @property
    def read(self) -> Callable[..., Iterator[Topic | BrokenTopic]]:
        """`read(path, *, option=...)`: the topics of a path."""
        ...


FORMATS: Registry[Callable[[], Reader]] = Registry("format")

# What each format looks like, for the error that says what was looked for; the order is that of guessing.
_LOOKS = {
    "tac": "a topic folder with Annotation/ and Documents_Text/, a folder or .tar.gz of such, or `Topic ID: ...` lines",
    "scisumm": "a topic folder with Reference_XML/ and annotation/, or a folder or .tar.gz of such",
    "bioasq": '.json with "questions"',
    "biogen": '.json of topics with "question" and "narrative"',
    "duc": "*topics*.sgml beside its folders of documents",
    "jsonl": '.jsonl with "id" and "documents"',
}


def _loader(name: str) -> Callable[[], Reader]:
    return lambda: cast(Reader, importlib.import_module(f"ilpsum.corpora.{name}"))


for _name in _LOOKS:
    FORMATS.add(_name, _loader(_name))


def guess(path: str | Path) -> str:
    """The name of the format that a path is in.

    Raises:
        InputError: there is no such path, or no format looks like it; the error lists what was looked for.
    """
    if str(path) == "-":
        names = "|".join(FORMATS)
        raise InputError(f"the format of standard input cannot be guessed; name it with --from {names}", path)
    path = Path(path)
    if not path.exists():
        raise InputError("no such file or folder", path)
    if path.is_file():
        # What cannot be read at all says so itself; the readers only look.
        with open_bytes(path) as stream:
            if not stream.read(1):
                raise InputError("the file is empty; topics were expected", path)
    for name in FORMATS:
        if FORMATS[name]().recognises(path):
            return name
    looks = "; ".join(f"{name}: {look}" for name, look in _LOOKS.items())
    raise InputError(f"not in a known format (looked for {looks}); name the format with --from", path)


def read_topics(inputs: Sequence[str | Path], form: str | None = None, **options: Any) -> Iterator[Topic | BrokenTopic]:
    """The topics of all inputs, lazily, in the order of the inputs and, within one, of its reader.

    Args:
        inputs: files or folders; `-` is standard input.
        form: a name of `FORMATS`, for all inputs; guessed for each where it is None.
        options: handed to the reader, which must know them.

    Yields:
        Each topic, or a `BrokenTopic` for one that cannot be read or whose id came before.

    Raises:
        InputError: an input that is no such format at all. It comes after the topics of the inputs before it.
        UsageError: an option that the reader does not have.
        UnknownNameError: no such format.
    """
    seen = Seen()
    for path in inputs:
        name = form or guess(path)
        for number, topic in enumerate(_reader(name, options)(Path(path), **options), 1):
            if seen.add(topic.id):
                yield topic
            else:
                again = f"topic {number} here is a second topic with this id"
                what = "give each topic an id of its own, or leave one out"
                yield BrokenTopic(topic.id, SecondTopicError(f"{topic.id}: {again}; {what}", path))


def _reader(name: str, options: dict[str, Any]) -> Callable[..., Iterator[Topic | BrokenTopic]]:
    read = FORMATS[name]().read
    known = [p.name for p in inspect.signature(read).parameters.values() if p.kind is p.KEYWORD_ONLY]
    for option in options:
        if option not in known:
            there_is = f"it has {', '.join(known)}" if known else "it has none"
            raise UsageError(f"the format {name} has no option {option!r}; {there_is}")
    return read
