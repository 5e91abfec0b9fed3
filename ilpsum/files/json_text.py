"""Decode JSON documents and JSON lines, with the line of every error.

A document is read whole and decoded part by part, so that each part knows its line. Strings are `well_formed`. Every
error is an `InputError`, including errors that the decoder reports differently: numbers of thousands of digits,
endless nesting, bytes that are not UTF-8.
"""

import codecs
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ilpsum.errors import InputError
from ilpsum.files.reading import read_bytes, read_lines
from ilpsum.files.records import reason, with_texts

MAX_DOCUMENT = 2**30
"""Maximum size of a document in bytes; all BioASQ questions to date have 100 MB."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SPACES = re.compile(r"[ \t\n\r]*+")


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a document: a member of the outermost object by its `key`, or an element of a list.

    For an element, `key` is the list's key, empty for an outermost list. `line` is the item's first line, from 1.
    """

    key: str
    line: int
    value: Any
    element: bool = False


def parts(path: str | Path, lists: Collection[str] = ()) -> Iterator[Item]:
    """Yield the parts of a JSON document, in order; an empty list is one part.

    Args:
        path: a file, possibly gzipped; `-` is standard input.
        lists: members of the outermost object whose lists are yielded element by element; `a.b` is member `b` of the
            object in member `a`.

    Raises:
        InputError: the file cannot be read, is too large or not valid JSON; parts before the error have been yielded.
    """
    text = _Text(path)
    if text.next() not in ("{", "["):
        raise text.error("expected an object or a list")
    yield from text.parts("", lists)
    if text.next():
        raise text.error("text after the end of the document")


def list_items(path: str | Path, key: str, kind: str, expected: str) -> Iterator[Item]:
    """Yield the elements of an outermost list, or of the list `key` in the outermost object.

    `kind` describes the list, and `expected` the file, for messages. `InputError` if the file cannot be read or has no
    such list.
    """
    found = False
    for item in parts(path, lists=(key,)):
        if item.key in (key, ""):
            found = True
            if item.element:
                yield item
            elif item.value != []:
                raise InputError(f'"{key}" must be {kind}', path, item.line)
    if not found:
        raise InputError(f'no "{key}"; expected {expected}', path)


def read_json_lines(path: str | Path) -> Iterator[tuple[int, Any | InputError]]:
    """Yield line number and value of each line of newline-delimited JSON; an invalid line yields an `InputError`.

    Blank lines are skipped.
    """
    for line, data in read_lines(path):
        data = data.removeprefix(codecs.BOM_UTF8) if line == 1 else data
        if not data.strip():
            continue
        try:
            text = data.decode("utf-8")
            yield line, _repaired(_DECODER.decode(text), text)
        except (ValueError, RecursionError) as error:
            what = f"not valid JSON: {reason(error)}; expected one JSON object per line"
            yield line, InputError(what, path, line)


def well_formed(text: str) -> str:
    r"""Replace the lone surrogates (`"\ud800"`) of a decoded string, which cannot be encoded, by U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class _Text:
    """The text of a document, and the place and line up to which it is decoded."""

    def __init__(self, path: str | Path) -> None:
        self.line, self._place, self._path = 1, 0, path
        data = read_bytes(path, MAX_DOCUMENT, "expected a JSON document")
        try:
            self._text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.line = data.count(b"\n", 0, error.start) + 1
            raise self.error("it is not UTF-8") from None

    def parts(self, key: str, lists: Collection[str]) -> Iterator[Item]:
        """Yield the parts of the object or list that begins here and is called `key`."""
        element = self.take("{[") == "["
        closing = "]" if element else "}"
        if self.next() == closing:
            if element:
                yield Item(key, self.line, [])
            self.take(closing)
            return
        separator = ","
        while separator == ",":
            name, opens = key if element else self._key(key), self.next()
            listed = opens == "[" and name in lists
            if not element and (listed or (opens == "{" and any(each.startswith(f"{name}.") for each in lists))):
                yield from self.parts(name, lists)
            else:
                yield Item(name, self.line, self.value(), element)
            separator = self.take(f",{closing}")

    def _key(self, outer: str) -> str:
        if self.next() != '"':
            raise self.error("expected a key in double quotes")
        key = self.value()
        self.take(":")
        return f"{outer}.{key}" if outer else str(key)

    def next(self) -> str:
        """Skip white space and return the next character; empty at the end."""
        self._to(_SPACES.match(self._text, self._place).end())  # type: ignore[union-attr]  # matches nothing, too
        return self._text[self._place : self._place + 1]

    def take(self, expected: str) -> str:
        """Skip white space and one of the expected characters, and return it."""
        character = self.next()
        if not character or character not in expected:
            raise self.error(f"expected {' or '.join(map(repr, expected))}")
        self._place += 1
        return character

    def value(self) -> Any:
        """Decode the value that starts at the current place."""
        start = self._place
        try:
            value, end = _DECODER.raw_decode(self._text, start)
        except (ValueError, RecursionError) as error:
            if isinstance(error, json.JSONDecodeError):
                self._to(min(error.pos, len(self._text)))
            raise self.error(reason(error)) from None
        self._to(end)
        return _repaired(value, self._text[start:end])

    def error(self, what: str) -> InputError:
        """Return an error at the current place."""
        return InputError(f"not valid JSON: {what}; expected one JSON document", self._path, self.line)

    def _to(self, place: int) -> None:
        self.line += self._text.count("\n", self._place, place)
        self._place = place


def _repaired(value: Any, text: str) -> Any:
    """Return a decoded value with well-formed strings; only escapes in `text` can give lone surrogates."""
    return with_texts(value, well_formed) if _SURROGATE.search(text) else value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)
