r"""Decode JSON documents and JSON lines, with the line of every error.

A document is read and checked whole, then decoded part by part, so that each part knows its line.
Lone surrogates (`"\ud800"`), which cannot be encoded, become U+FFFD. Every error is an
`InputError`, including those that the decoder reports differently: numbers of thousands of digits,
endless nesting, bytes that are not UTF-8.
"""

import codecs
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ilpsum.errors import InputError
from ilpsum.files.reading import MOST_LINES, read_bytes, read_lines, too_many_lines
from ilpsum.files.records import UNFIT, reason

MAX_DOCUMENT = 2**29
"""Maximum size of a document in bytes; all BioASQ questions to date have 100 MB."""
# Maximum number of values in a document whose lists are read by element, each of which takes 64
# bytes. Text has a comma in 70 bytes.
_MOST_VALUES = 2**23

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(?P<lone>u[dD][89a-fA-F]\w\w)|.)",
    re.DOTALL,
)
# Brackets and white space between two parts, beside a key of which each character is an escape.
_GAP = 200
_KEY_END = re.compile(rb'"\s*:')
_BYTE = re.compile(r"\(byte (\d+)\)")


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a document: a member of the outermost object by its `key`, or an element of a list.

    For an element, `key` is the list's key, empty for an outermost list. `line` is the item's first
    line, from 1.
    """

    key: str
    line: int
    value: Any
    element: bool = False


def parts(path: str | Path, lists: Collection[str] = ()) -> Iterator[Item]:
    """Yield the parts of a JSON document, in order; an empty list is one part.

    Args:
        path: a file, possibly gzipped; `-` is standard input.
        lists: members of the outermost object whose lists are yielded element by element; `a.b` is
            member `b` of the object in member `a`.

    Raises:
        InputError: the file cannot be read, is too large or not valid JSON.
    """
    data = read_bytes(path, MAX_DOCUMENT, "expected a JSON document")
    data = _repaired(data.removeprefix(codecs.BOM_UTF8))
    if lists and data.count(b",") > _MOST_VALUES:
        raise InputError(f"expected at most {_MOST_VALUES:,} values in a JSON document", path)
    place, line = 0, 1
    try:
        for key, raw, element in _split(data, "", lists):
            start = data.find(raw, place)
            # Of a key that occurs twice, the decoder keeps the last value.
            if start < 0 or len(data[place:start].strip()) > _GAP + 6 * len(key):
                json.loads(data, object_pairs_hook=_refuse_twice)
            line, place = line + data.count(b"\n", place, start), start
            yield Item(key, line, _decoded(raw), element)
            line, place = line + raw.count(b"\n"), start + len(raw)
        if len(data[place:].strip()) > _GAP:
            json.loads(data, object_pairs_hook=_refuse_twice)
    except UNFIT as error:
        end = len(data) if "truncated" in str(error) else place
        if byte := _BYTE.search(str(error)):
            end = int(byte[1])
        line += data.count(b"\n", place, end)
        raise InputError(
            f"not valid JSON: {_fault(error)}; expected one JSON document",
            path,
            line,
        ) from None


def _split(data: bytes, key: str, lists: Collection[str]) -> Iterator[tuple[str, bytes, bool]]:
    """Yield key and bytes of each part of an object or a list, and whether it is an element of the
    list.
    """
    outer = msgspec.json.decode(data, type=dict[str, msgspec.Raw] | list[msgspec.Raw])
    if isinstance(outer, list):
        for raw in outer:
            yield key, bytes(raw), True
        if not outer:
            yield key, data, False
        return
    for name, raw in outer.items():
        inner, part = f"{key}.{name}" if key else name, bytes(raw)
        holds = any(path.startswith(f"{inner}.") for path in lists)
        # Millions of values that are no objects are not worth their memory.
        listed = inner in lists and part[:1] == b"[" and b"{" in part
        if listed or (holds and part[:1] == b"{"):
            yield from _split(part, inner, lists)
        else:
            yield inner, part, False


def list_items(path: str | Path, key: str, expected: str) -> Iterator[tuple[int, Any]]:
    """Yield line and value of the elements of an outermost list, or of the list `key` in the
    outermost object.

    `expected` describes the file, for messages. `InputError` if the file cannot be read or has no
    such list, or the list has no object.
    """
    is_there = False
    for item in parts(path, lists=(key,)):
        if item.key not in (key, ""):
            continue
        is_there = True
        if item.element:
            yield item.line, item.value
        elif item.value != []:
            raise InputError(f'"{key}" must be a list of objects', path, item.line)
    if not is_there:
        raise InputError(f'no "{key}"; expected {expected}', path)


def read_json_lines(path: str | Path) -> Iterator[tuple[int, Any | InputError]]:
    """Yield line number and value of each line of newline-delimited JSON; an invalid line yields an
    `InputError`.

    Blank lines are skipped.
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
            yield line, _decoded(_repaired(data))
        except UNFIT as error:
            message = f"not valid JSON: {_fault(error)}; expected one JSON object per line"
            yield line, InputError(message, path, line)


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


def _repaired(data: bytes) -> bytes:
    """Replace escapes of lone surrogates, which the decoder refuses."""
    if not _SURROGATE.search(data):
        return data
    return _ESCAPE.sub(lambda match: rb"\ufffd" if match["lone"] else match[0], data)


def _fault(error: Exception) -> str:
    return reason(error).removeprefix("it is not JSON: ")
