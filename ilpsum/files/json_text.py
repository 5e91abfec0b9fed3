r"""Decode JSON documents and JSON lines, with the line of every error.

A document is read and checked whole, then its list is decoded element by element, with their lines.
Lone surrogates (`"\ud800"`), which cannot be encoded, become U+FFFD. Every error is an
`InputError`, including those that the decoder reports differently: numbers of thousands of digits,
endless nesting, bytes that are not UTF-8.
"""

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ilpsum.errors import InputError
from ilpsum.files.reading import MOST_LINES, read_bytes, read_lines, too_many_lines
from ilpsum.files.records import UNFIT, reason

MAX_DOCUMENT = 2**29
"""Maximum size of a document in bytes; all BioASQ questions to date have 100 MB."""
# Maximum number of values in a document: an element of its list takes 64 bytes. Text has a comma in
# 70 bytes.
_MOST_VALUES = 2**23

_NO_SPACE = re.compile(r"\S")
# What Python writes for a number that is none, and texts, in which it is text.
_NO_NUMBER = re.compile(
    # A text without an end goes to that of the file, so that the time is linear.
    rb'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|-?\b(?P<none>NaN|Infinity)\b',
    re.DOTALL,
)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(?P<lone>u[dD][89a-fA-F]\w\w)|.)",
    re.DOTALL,
)
_KEY_END = re.compile(rb'"\s*:')
_BYTE = re.compile(r"\(byte (\d+)\)")


Elements = Iterator[tuple[int, Any]]
"""Line, from 1, and value of each element of a list."""


def list_items(path: str | Path, key: str, expected: str, *, lenient: bool = False) -> Elements:
    """Yield the elements of the list in a document; see `list_document`.

    `expected` describes the file, for messages. `InputError` also if there is no list of objects.
    """
    _, elements = list_document(path, key, lenient=lenient)
    if elements is None:
        raise InputError(f'no list "{key}" of objects; expected {expected}', path)
    yield from elements


def list_document(
    path: str | Path, key: str, *, lenient: bool = False
) -> tuple[Any, Elements | None]:
    """Return a JSON document with its list (or an equal one before it) empty, and the elements of
    the list, decoded one by one; None if there is no list of objects.

    Args:
        path: a file, possibly gzipped; `-` is standard input.
        key: member of the outermost object whose list it is, unless the list is outermost; `a.b` is
            member `b` of the object in member `a`.
        lenient: whether `NaN` and `Infinity`, which Python writes, are read as null.

    Raises:
        InputError: the file cannot be read, is too large or not valid JSON.
    """
    data = _document(path, lenient=lenient)
    try:
        part = _member(data, key)
        is_list = part.lstrip().startswith(b"[")
        values = msgspec.json.decode(part, type=list[msgspec.Raw]) if is_list else None
        if values and part is not data and b"{" not in part:
            values = None
        before, rest = b"", data
        if values:
            before, _, after = data.partition(part)
            rest = before + b"[]" + after
        document = _decoded(rest)
    except UNFIT as error:
        byte = _BYTE.search(str(error))
        end = int(byte[1]) if byte else len(data) if "truncated" in str(error) else 0
        raise _invalid(error, "document", path, 1 + data.count(b"\n", 0, end)) from None
    if values is None:
        return document, None
    return document, _elements(part, 1 + before.count(b"\n"), values, path)


def read_values(path: str | Path) -> Elements:
    """Yield the values of documents that follow one another, leniently; `InputError` for invalid
    JSON.
    """
    data = _document(path, lenient=True)
    place, line = 0, 1
    try:
        text = data.decode().rstrip()
        while place < len(text):
            begin = _NO_SPACE.search(text, place).start()  # type: ignore[union-attr]
            line += text.count("\n", place, begin)
            _, place = json.JSONDecoder().raw_decode(text, begin)
            value = _decoded(text[begin:place].encode())
            yield line, value
            line += text.count("\n", begin, place)
    except json.JSONDecodeError as error:
        raise _invalid(error, "document", path, error.lineno) from None
    except UNFIT as error:
        raise _invalid(error, "document", path, line) from None


def _document(path: str | Path, *, lenient: bool) -> bytes:
    data = read_bytes(path, MAX_DOCUMENT, "expected a JSON document")
    data = _repaired(data.removeprefix(codecs.BOM_UTF8), lenient=lenient)
    if data.count(b",") > _MOST_VALUES:
        raise InputError(f"expected at most {_MOST_VALUES:,} values in a JSON document", path)
    return data


def _member(data: bytes, key: str) -> bytes:
    """Return the value at a path of keys in nested objects, or the one that is no object."""
    for name in key.split("."):
        if data.lstrip().startswith(b"{"):
            members = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
            data = bytes(members.get(name, b"null"))
    return data


def _elements(data: bytes, line: int, values: list[msgspec.Raw], path: str | Path) -> Elements:
    place = 0
    for raw in map(bytes, values):
        start = data.find(raw, place)
        line += data.count(b"\n", place, start)
        try:
            value = _decoded(raw)
        except UNFIT as error:
            raise _invalid(error, "document", path, line) from None
        yield line, value
        line += raw.count(b"\n")
        # An equal element, or one whose text this one contains, may follow.
        place = start + len(raw)


def read_json_lines(
    path: str | Path, *, lenient: bool = False
) -> Iterator[tuple[int, Any | InputError]]:
    """Yield line number and value of each line of newline-delimited JSON; an invalid line yields an
    `InputError`.

    Blank lines are skipped; `lenient` as for `list_document`.
    """
    last = 0
    for line, data in read_lines(path):
        data = data.removeprefix(codecs.BOM_UTF8) if line == 1 else data
        if not data.strip():
            if line - last > MOST_LINES:
                raise too_many_lines(path, line)
            continue
        last = line
        try:
            yield line, _decoded(_repaired(data, lenient=lenient))
        except UNFIT as error:
            yield line, _invalid(error, "object per line", path, line)


def _decoded(data: bytes) -> Any:
    """Decode a value; `ValueError` for a key that occurs twice in an object, of which the decoder
    would keep the last.
    """
    value = msgspec.json.decode(data)
    # A text may hold what ends a key, so a closer look tells.
    if len(_KEY_END.findall(data)) != _keys_in(value):
        json.loads(data, object_pairs_hook=_refuse_twice)
    return value


def _keys_in(value: Any) -> int:
    number, values = 0, [value]
    while values:
        inner = values.pop()
        if isinstance(inner, dict):
            number += len(inner)
            values += inner.values()
        elif isinstance(inner, list):
            values += inner
    return number


def _refuse_twice(pairs: list[tuple[str, Any]]) -> None:
    keys = set[str]()
    for key, _ in pairs:
        if key in keys:
            raise ValueError(f'the key "{key[:100]}" occurs twice in an object')
        keys.add(key)


def well_formed(text: str) -> str:
    r"""Replace the lone surrogates (`"\ud800"`) of a decoded string, which cannot be encoded, by
    U+FFFD.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _repaired(data: bytes, *, lenient: bool) -> bytes:
    """Replace what the decoder refuses: escapes of lone surrogates, and numbers that are none."""
    if lenient and (b"NaN" in data or b"Infinity" in data):
        data = _NO_NUMBER.sub(lambda match: b"null" if match["none"] else match[0], data)
    if not _SURROGATE.search(data):
        return data
    return _ESCAPE.sub(lambda match: rb"\ufffd" if match["lone"] else match[0], data)


def _invalid(error: Exception, expected: str, path: str | Path, line: int) -> InputError:
    why = reason(error).removeprefix("it is not JSON: ")
    return InputError(f"not valid JSON: {why}; expected one JSON {expected}", path, line)
