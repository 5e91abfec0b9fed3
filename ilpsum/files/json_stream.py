"""Read JSON documents item by item: a list of any length takes the memory of its longest item.

Python's decoder decodes the items; this module only walks the outermost brackets. Strings are `well_formed`. Every
error is an `InputError` with a line, including errors that the decoder reports differently: numbers of thousands of
digits, endless nesting, bytes that are not UTF-8. (ijson, measured at 3.6, reports no lines, turns a lone surrogate
into `?`, and its C backend crashes the process on 100,000 open brackets.)
"""

import codecs
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from ilpsum.errors import InputError
from ilpsum.files.reading import open_bytes, read_lines
from ilpsum.files.records import reason, with_texts

MAX_ITEM = 64 * 2**20
"""Maximum length of an item in characters; a question with 1,000 abstracts has 2 MB."""

_CHUNK = 2**16
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SPACE = " \t\n\r"
_SPACES = re.compile(f"[{_SPACE}]*+")
_AFTER_VALUE = frozenset(_SPACE + ",:]}")
# Maximum length of a token, outside strings and brackets, that a chunk end can split: an escape or a literal.
_CUT = 16


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a document: a member of the outermost object by its `key`, or an element of a list.

    For an element, `key` is the list's key, empty for an outermost list. `line` is the item's first line, from 1.
    """

    key: str
    line: int
    value: Any
    element: bool = False


def stream(path: str | Path, lists: Collection[str] = ()) -> Iterator[Item]:
    """Yield the parts of a JSON document, in order; an empty list is one part.

    Args:
        path: a file, possibly gzipped; `-` is standard input.
        lists: members of the outermost object whose lists are yielded element by element; `a.b` is member `b` of the
            object in member `a`.

    Raises:
        InputError: the file cannot be read or is not valid JSON; parts before the error have been yielded.
    """
    with open_bytes(path) as source:
        text = _Text(source, path)
        first = text.skip()
        if first == "{":
            yield from _members(text, lists)
        elif first == "[":
            yield from _elements(text, "")
        else:
            raise text.error("expected an object or a list")
        if text.skip():
            raise text.error("text after the end of the document")


def list_items(path: str | Path, key: str, kind: str, expected: str) -> Iterator[Item]:
    """Yield the elements of an outermost list, or of the list `key` in the outermost object.

    `kind` describes the list, and `expected` the file, for messages. `InputError` if the file cannot be read or has no
    such list.
    """
    found = False
    for item in stream(path, lists=(key,)):
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


def _members(text: "_Text", lists: Collection[str]) -> Iterator[Item]:
    text.take()
    if text.skip() == "}":
        text.take()
        return
    while True:
        if text.skip() != '"':
            raise text.error("expected a key in double quotes")
        key = text.value()
        if text.skip() != ":":
            raise text.error("expected ':'")
        text.take()
        if text.skip() == "[" and key in lists:
            yield from _elements(text, key)
        elif text.skip() == "{" and (inner := [n[len(key) + 1 :] for n in lists if n.startswith(f"{key}.")]):
            yield from (replace(item, key=f"{key}.{item.key}") for item in _members(text, inner))
        else:
            line = text.line
            yield Item(key, line, text.value())
        if not text.continues("}"):
            return


def _elements(text: "_Text", key: str) -> Iterator[Item]:
    text.take()
    if text.skip() == "]":
        yield Item(key, text.line, [])
        text.take()
        return
    more = True
    while more:
        text.skip()
        line = text.line
        yield Item(key, line, text.value(), element=True)
        more = text.continues("]")


class _Text:
    """A window on the text of a document; text that has been decoded is dropped."""

    def __init__(self, source: BinaryIO, path: str | Path) -> None:
        self.line = 1
        self._source, self._path = source, path
        self._bytes = codecs.getincrementaldecoder("utf-8-sig")()
        self._text, self._place, self._ended = "", 0, False

    def skip(self) -> str:
        """Skip white space and return the next character; empty at the end."""
        while True:
            end = _SPACES.match(self._text, self._place).end()  # type: ignore[union-attr]  # matches nothing, too
            self.line += self._text.count("\n", self._place, end)
            self._place = end
            if self._place < len(self._text) or self._ended:
                return self._text[self._place : self._place + 1]
            self._more()

    def take(self) -> None:
        """Skip one character."""
        self.line += self._text[self._place] == "\n"
        self._place += 1

    def continues(self, closing: str) -> bool:
        """Skip a comma or the closing bracket; return whether it was a comma."""
        character = self.skip()
        if character not in (",", closing):
            raise self.error(f"expected ',' or '{closing}'")
        self.take()
        return character == ","

    def value(self) -> Any:
        """Decode the value that starts at the current position."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._place)
                value = _repaired(value, self._text[self._place : end])
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or error.pos > len(self._text) - _CUT
                if self._ended or not cut:
                    raise self.error(reason(error), error.pos) from None
            except (ValueError, RecursionError) as error:
                raise self.error(reason(error)) from None
            else:
                # A number at the end of the window may continue beyond it (`-0` of `-0.5`).
                if self._ended or end + _CUT <= len(self._text) or self._text[end : end + 1] in _AFTER_VALUE:
                    self.line += self._text.count("\n", self._place, end)
                    self._place = end
                    return value
            self._more()

    def error(self, what: str, place: int | None = None) -> InputError:
        """Return an error at the current position, or at a later one in the window."""
        line = self.line + (0 if place is None else self._text.count("\n", self._place, place))
        return InputError(f"not valid JSON: {what}; expected one JSON document", self._path, line)

    def _more(self) -> None:
        # Double the window, so that a long item is decoded only a few times.
        held = len(self._text) - self._place
        if held > MAX_ITEM:
            raise self.error(f"an item of more than {MAX_ITEM // 2**20} M characters")
        data = self._source.read(max(_CHUNK, held))
        self._ended = not data
        try:
            fresh = self._bytes.decode(data, final=self._ended)
        except UnicodeDecodeError:
            raise self.error("it is not UTF-8", len(self._text)) from None
        self._text, self._place = self._text[self._place :] + fresh, 0


def _repaired(value: Any, text: str) -> Any:
    """Return a decoded value with well-formed strings; only escapes in `text` can give lone surrogates."""
    return with_texts(value, well_formed) if _SURROGATE.search(text) else value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)
