"""Read our own JSON lines, one topic per line, for data without a reader of its own.

`{"id": str, "query": str (optional), "documents": [{"id": str, "title": str (optional), "text": str, "date": str
(optional)}], "summaries": [str] (optional gold), "kind": str (optional)}`. A newline in a text ends a paragraph; the
kind `texts` is that of topics in general English.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ilpsum.errors import InputError
from ilpsum.io.files import head
from ilpsum.io.json_stream import read_json_lines, well_formed
from ilpsum.records import BrokenTopic, Document, Topic

OPTIONS: tuple[str, ...] = ()


def recognises(path: Path) -> bool:
    """Return whether a file starts with an object that has an id and documents."""
    begin = head(path).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    return begin.startswith("{") and '"id"' in begin and '"documents"' in begin and '"questions"' not in begin


def read(path: str | Path) -> Iterator[Topic | BrokenTopic]:
    """Yield the topics of a file, in its order; an invalid line yields a `BrokenTopic`.

    Raises:
        InputError: the file cannot be read.
    """
    return topics(read_json_lines(path), path, _topic)


def topics(
    entries: Iterable[tuple[int, Any]], path: str | Path, make: Callable[[Any, str | Path, int], Topic]
) -> Iterator[Topic | BrokenTopic]:
    """Yield what a function makes of the entries of a file; an invalid one yields a `BrokenTopic`."""
    for line, value in entries:
        try:
            if isinstance(value, InputError):
                raise value
            yield make(value, path, line)
        except InputError as error:
            named = value.get("id") if isinstance(value, dict) else None
            is_name = isinstance(named, int | str) and named
            yield BrokenTopic(well_formed(str(named)) if is_name else f"line {line}", error)


def _topic(value: Any, path: str | Path, line: int) -> Topic:
    if not isinstance(value, dict):
        raise InputError('expected a JSON object with "id" and "documents"', path, line)
    name = _text(value, "id", path, line)
    if not name.strip():
        raise InputError('"id" is empty', path, line)
    documents = value.get("documents")
    if not isinstance(documents, list):
        raise InputError('"documents" must be a list of objects with "id" and "text"', path, line)
    made: dict[str, Document] = {}
    for number, entry in enumerate(documents, 1):
        if not isinstance(entry, dict):
            raise InputError(f"document {number} must be an object", path, line)
        own, text = (_text(entry, key, path, line, f"document {number}: ") for key in ("id", "text"))
        title, date = (
            _text(entry, key, path, line, f"document {number}: ") if entry.get(key) else "" for key in ("title", "date")
        )
        if own in made:
            raise InputError(f"two documents with the id {own!r}", path, line)
        made[own] = Document(own, text, title, date)
    summaries = value.get("summaries") or []
    if not isinstance(summaries, list) or not all(isinstance(summary, str) for summary in summaries):
        raise InputError('"summaries" must be a list of texts', path, line)
    query = _text(value, "query", path, line) if value.get("query") else ""
    kind = _text(value, "kind", path, line) if value.get("kind") else ""
    return Topic(name, query, tuple(made.values()), summaries=tuple(map(well_formed, summaries)), kind=kind)


def _text(entry: dict[str, Any], key: str, path: str | Path, line: int, whose: str = "") -> str:
    value = entry.get(key)
    if not isinstance(value, str):
        raise InputError(f'{whose}"{key}" must be a text', path, line)
    return well_formed(value)
