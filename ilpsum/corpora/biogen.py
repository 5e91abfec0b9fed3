"""TREC BioGen topics of 2024 and 2025: questions without documents; `ilpsum.retrieval` finds those.

2024: `{"topics": [{"id": 116, "topic", "question", "narrative"}]}`; 2025: a list of such objects; or an object a line.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ilpsum.errors import InputError
from ilpsum.io.files import head
from ilpsum.io.json_stream import read_json_lines, stream, well_formed
from ilpsum.records import BrokenTopic, Topic

OPTIONS: tuple[str, ...] = ()


def recognises(path: Path) -> bool:
    """Whether a file begins like BioGen topics."""
    begin = head(path).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    return begin[:1] in ("{", "[") and '"question"' in begin and '"narrative"' in begin


def read(path: str | Path) -> Iterator[Topic | BrokenTopic]:
    """The topics of a file, in its order: the question as query, the field "topic" as subject.

    Args:
        path: JSON document or lines.

    Raises:
        InputError: the file cannot be read, or holds no topics.
    """
    for line, value in _entries(path):
        try:
            if isinstance(value, InputError):
                raise value
            yield _topic(value, path, line)
        except InputError as error:
            named = value.get("id") if isinstance(value, dict) else None
            yield BrokenTopic(str(named) if isinstance(named, int | str) and named else f"line {line}", error)


def _entries(path: str | Path) -> Iterator[tuple[int, Any]]:
    if str(path) != "-" and _is_lines(path):
        yield from read_json_lines(path)
        return
    found = False
    for item in stream(path, lists=("topics",)):
        if item.key in ("topics", ""):
            found = True
            if not item.element and item.value != []:
                raise InputError('"topics" must be a list', path, item.line)
            if item.element:
                yield item.line, item.value
    if not found:
        raise InputError('no "topics"; {"topics": [...]}, a list, or an object a line was expected', path)


def _is_lines(path: str | Path) -> bool:
    """Whether the first line is a whole topic."""
    for _, value in read_json_lines(path):
        return isinstance(value, dict) and "question" in value
    return False


def _topic(value: Any, path: str | Path, line: int) -> Topic:
    if not isinstance(value, dict):
        raise InputError('an object with "id" and "question" was expected', path, line)
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
