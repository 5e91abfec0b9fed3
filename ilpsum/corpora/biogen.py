"""Read TREC BioGen topics of 2024 and 2025: questions without documents, which `ilpsum.retrieval` attaches.

2024: `{"topics": [{"id": 116, "topic", "question", "narrative"}]}`; 2025: a list of such objects; or one object per
    line.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ilpsum.corpora.jsonl import topics
from ilpsum.errors import InputError
from ilpsum.io.files import head
from ilpsum.io.json_stream import list_items, read_json_lines, well_formed
from ilpsum.records import BrokenTopic, Topic

OPTIONS: tuple[str, ...] = ()


def recognises(path: Path) -> bool:
    """Return whether a file starts like BioGen topics."""
    begin = head(path).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    return begin[:1] in ("{", "[") and '"question"' in begin and '"narrative"' in begin


def read(path: str | Path) -> Iterator[Topic | BrokenTopic]:
    """Yield the topics of a file, in its order, with the question as query and the field "topic" as subject.

    Raises:
        InputError: the file cannot be read or has no topics.
    """
    return topics(_entries(path), path, _topic)


def _entries(path: str | Path) -> Iterator[tuple[int, Any]]:
    if str(path) != "-" and _is_lines(path):
        yield from read_json_lines(path)
        return
    for item in list_items(path, "topics", "a list", '{"topics": [...]}, a list, or one object per line'):
        yield item.line, item.value


def _is_lines(path: str | Path) -> bool:
    """Return whether the first line is a whole topic."""
    _, value = next(read_json_lines(path), (0, None))
    return isinstance(value, dict) and "question" in value


def _topic(value: Any, path: str | Path, line: int) -> Topic:
    if not isinstance(value, dict):
        raise InputError('expected an object with "id" and "question"', path, line)
    name = value.get("id")
    if isinstance(name, bool) or not isinstance(name, int | str) or not str(name).strip():
        raise InputError('"id" must be a number or a text', path, line)
    if not isinstance(value.get("question"), str) or not value["question"].strip():
        raise InputError(f'topic {name}: "question" must be a text', path, line)
    subject = value.get("topic")
    if not isinstance(subject, str | None):
        raise InputError(f'topic {name}: "topic" must be a text', path, line)
    return Topic(well_formed(str(name).strip()), _folded(value["question"]), subject=_folded(subject or ""))


def _folded(text: str) -> str:
    return " ".join(well_formed(text).split())
