"""Read TREC BioGen topics of 2024 and 2025: questions without documents, which `ilpsum.answers` attaches.

2024: `{"topics": [{"id": 116, "topic", "question", "narrative"}]}`; 2025: a list of such objects. One object per line
is accepted as well.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from ilpsum.files.json_text import list_items, read_json_lines
from ilpsum.files.reading import beginning
from ilpsum.files.records import checked
from ilpsum.formats.jsonl import read_entries
from ilpsum.records import BrokenTopic, Topic

OPTIONS: tuple[str, ...] = ()

_EXPECTED = 'an object with "id" and "question"', "correct this topic"
_NotBlank = Annotated[str, msgspec.Meta(pattern=r"\S")]


class _Question(msgspec.Struct):
    id: int | _NotBlank
    question: _NotBlank
    topic: str | None = None


def recognises(path: Path) -> bool:
    """Return whether a file starts like BioGen topics."""
    begin = beginning(path)
    return begin[:1] in ("{", "[") and '"question"' in begin and '"narrative"' in begin


def read(path: str | Path) -> Iterator[Topic | BrokenTopic]:
    """Yield the topics of a file, in file order; the question is the query, the field "topic" the subject."""
    return read_entries(_entries(path), path, _topic)


def _entries(path: str | Path) -> Iterator[tuple[int, Any]]:
    if str(path) != "-" and _is_lines(path):
        yield from read_json_lines(path)
        return
    for item in list_items(path, "topics", "a list", '{"topics": [...]}, a list, or one object per line'):
        yield item.line, item.value


def _is_lines(path: str | Path) -> bool:
    """Return whether the first line is a complete topic."""
    _, value = next(read_json_lines(path), (0, None))
    return isinstance(value, dict) and "question" in value


def _topic(value: Any, path: str | Path, line: int) -> Topic:
    entry = checked(lambda: msgspec.convert(value, _Question), _EXPECTED, path, line)
    query, subject = (" ".join(text.split()) for text in (entry.question, entry.topic or ""))
    return Topic(str(entry.id).strip(), query, subject=subject)
