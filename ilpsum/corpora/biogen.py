"""TREC BioGen topics of 2024 and 2025: questions without documents, which are searched for elsewhere.

2024: `{"topics": [{"id": 116, "topic", "question", "narrative"}]}`; 2025: a list of such objects; or an object a line.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ilpsum.corpora.files import head
from ilpsum.errors import InputError, UsageError
from ilpsum.json_stream import read_json_lines, stream, well_formed
from ilpsum.records import BrokenTopic, Topic

FIELDS = ("topic", "question", "narrative")


def recognises(path: Path) -> bool:
    """Whether a file begins like BioGen topics."""
    begin = head(path).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    return begin[:1] in ("{", "[") and '"question"' in begin and '"narrative"' in begin


def read(path: str | Path, *, fields: Sequence[str] = ("question",)) -> Iterator[Topic | BrokenTopic]:
    """The topics of a file, in its order.

    Args:
        path: JSON document or lines.
        fields: which of `FIELDS` make the query, in this order; a search may want more than the question.

    Raises:
        InputError: the file cannot be read or holds no topics.
        UsageError: a field that there is not.
    """
    for field in fields:
        if field not in FIELDS:
            raise UsageError(f"unknown field {field!r} of a topic; there are: {', '.join(FIELDS)}")
    for line, value in _entries(path):
        try:
            if isinstance(value, InputError):
                raise value
            yield _topic(value, fields, path, line)
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


def _topic(value: Any, fields: Sequence[str], path: str | Path, line: int) -> Topic:
    if not isinstance(value, dict):
        raise InputError('an object with "id" and "question" was expected', path, line)
    name = value.get("id")
    if isinstance(name, bool) or not isinstance(name, int | str) or not str(name).strip():
        raise InputError('"id" must be a number or a text', path, line)
    if not isinstance(value.get("question"), str) or not value["question"].strip():
        raise InputError(f'topic {name}: "question" must be a text', path, line)
    parts = [value.get(field) for field in fields]
    if not all(isinstance(part, str | None) for part in parts):
        raise InputError(f"topic {name}: {', '.join(fields)} must be texts", path, line)
    query = " ".join(" ".join(well_formed(part).split()) for part in parts if part)
    return Topic(well_formed(str(name).strip()), query)
