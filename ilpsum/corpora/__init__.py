"""Turn files into topics: one reader per format, chosen by name or by the look of the files.

A reader is a module with

- `recognises(path)`: whether a path looks like its format, judged by names and the first bytes; it never raises;
- `OPTIONS`: the names of the `ReaderOptions` that it takes;
- `read(path, *, option=...)`: its topics, lazily, so that a million topics need the memory of a few. A topic that
  cannot be read is yielded as a `BrokenTopic` and reading continues; input of another format raises an `InputError`.
  A topic whose id is known before it is read may be yielded as a `PendingTopic`, which a worker process can load.

`-` is standard input for formats that are one file; `.gz` and `.tar.gz` are streamed, never unpacked.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from features.registry import Registry
from ilpsum.corpora.options import GoldKind, Pool, ReaderOptions, paths
from ilpsum.errors import InputError, SecondTopicError, UsageError
from ilpsum.io.files import open_bytes
from ilpsum.io.names import Seen
from ilpsum.records import BrokenTopic, Incoming, PendingTopic, Topic

__all__ = ["FORMATS", "GoldKind", "Pool", "Reader", "ReaderOptions", "guess", "loaded", "pending_topics", "read_topics"]


class Reader(Protocol):
    """A reader module."""

    def recognises(self, path: Path) -> bool:
        """Return whether the path looks like this format."""
        ...

    @property
    def OPTIONS(self) -> tuple[str, ...]:  # noqa: N802  # a constant of the module
        """The names of its options."""
        ...

    @property
    def read(self) -> Callable[..., Iterator[Incoming]]:
        """The function `read(path, *, option=...)`."""
        ...


# The entry point of another package names a module like those here.
FORMATS: Registry[Callable[[], Reader]] = Registry("format", group="ilpsum.readers", load=lambda point: point.load)

_DEFAULTS = ReaderOptions()

# How each format is recognised, for the error message; formats are guessed in this order.
_LOOKS = {
    "tac": "a topic folder with Annotation/ and Documents_Text/, a folder or .tar.gz of such, or `Topic ID: ...` lines",
    "scisumm": "a topic folder with Reference_XML/ and annotation/, or a folder or .tar.gz of such",
    "bioasq": '.json with "questions"',
    "biogen": '.json of topics with "question" and "narrative"',
    "duc": "*topics*.sgml beside its folders of documents",
    "jsonl": '.jsonl with "id" and "documents"',
}


for _name in _LOOKS:
    FORMATS.add(_name, cast(Callable[[], Reader], partial(import_module, f"ilpsum.corpora.{_name}")))


def guess(path: str | Path) -> str:
    """Return the name of a path's format.

    Raises:
        InputError: the path does not exist, or looks like no format.
    """
    if str(path) == "-":
        names = "|".join(FORMATS)
        raise InputError(f"the format of standard input cannot be guessed; name it with --from {names}", path)
    path = Path(path)
    if not path.exists():
        raise InputError("no such file or folder", path)
    if not path.is_dir():
        # Report an unreadable file, or a pipe, here; the readers' `recognises` never raises.
        with open_bytes(path) as stream:
            if not stream.read(1):
                raise InputError("the file is empty; topics were expected", path)
    for name in FORMATS:  # those of other packages last
        if FORMATS[name]().recognises(path):
            return name
    looks = "; ".join(f"{name}: {look}" for name, look in _LOOKS.items())
    raise InputError(f"not in a known format (looked for {looks}); name the format with --from", path)


def read_topics(
    inputs: str | Path | Sequence[str | Path], form: str | None = None, options: ReaderOptions = _DEFAULTS
) -> Iterator[Topic | BrokenTopic]:
    """Yield the topics of all inputs, lazily, in the order of the inputs.

    Args:
        inputs: one or more files or folders; `-` is standard input.
        form: a name in `FORMATS`, for all inputs; if None, each input's format is guessed.
        options: options of the readers.

    Yields:
        Each topic, or a `BrokenTopic` for one that cannot be read or repeats an id.

    Raises:
        InputError: an input is not in the format; raised after the topics of the inputs before it.
        UsageError: an option that the reader does not have.
        UnknownNameError: no such format.
    """
    return map(loaded, pending_topics(inputs, form, options))


def loaded(topic: Incoming) -> Topic | BrokenTopic:
    """Return a topic, read now if it is still to be read."""
    return topic.load() if isinstance(topic, PendingTopic) else topic


def pending_topics(
    inputs: str | Path | Sequence[str | Path], form: str | None = None, options: ReaderOptions = _DEFAULTS
) -> Iterator[Incoming]:
    """Yield what `read_topics` does, but topics that can be read later, in another process, as `PendingTopic`."""
    seen = Seen()
    for path in paths(inputs):
        name = form or guess(path)
        for number, topic in enumerate(_read(name, Path(path), options), 1):
            if seen.add(topic.id):
                yield topic
            else:
                message = f"{topic.id}: topic {number} here is a second topic with this id; give each topic its own id"
                yield BrokenTopic(topic.id, SecondTopicError(f"{message}, or leave one out", path))


def _read(name: str, path: Path, options: ReaderOptions) -> Iterator[Incoming]:
    reader = FORMATS[name]()
    for option in options.given:
        if option not in reader.OPTIONS:
            known = f"it has {', '.join(reader.OPTIONS)}" if reader.OPTIONS else "it has none"
            raise UsageError(f"the format {name} has no option {option!r}; {known}")
    return reader.read(path, **{option: getattr(options, option) for option in options.given})
