"""JSON documents read item by item: a list of any length costs the memory of its longest item.

Python's decoder does the decoding; here only the outermost brackets are walked. Every fault is an `InputError` with the
line on which it stands, also what the decoder itself reports otherwise: numbers of thousands of digits, nesting without
end, bytes that are no UTF-8.
"""

import codecs
import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ilpsum.errors import InputError
from ilpsum.io.files import open_bytes, read_lines

MAX_ITEM = 64 * 2**20
"""Longest item, in characters; a question with 1,000 abstracts is 2 MB."""

_CHUNK = 2**16
_SPACE = " \t\n\r"
_AFTER_VALUE = frozenset(_SPACE + ",:]}")
# The longest token that a chunk's end can cut without the decoder seeing a string or a bracket: an escape, a literal.
_CUT = 16

PairsHook = Callable[[list[tuple[str, Any]]], Any]


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a document.

    Attributes:
        key: the member of the outermost object that it is, or is an element of; empty in an outermost list.
        line: where it begins, from 1.
        value: the decoded value.
        index: which element of the member (or of an outermost list) it is, from 0; -1 where it is the whole member.
    """

    key: str
    line: int
    value: Any
    index: int = -1

    @property
    def element(self) -> bool:
        """Whether it is one element and not the whole member."""
        return self.index >= 0


def stream(path: str | Path, lists: Collection[str] = (), hook: PairsHook | None = None) -> Iterator[Item]:
    """The parts of one JSON document, in its order; an empty list is a part as a whole.

    Args:
        path: the file, gzip or not; `-` is standard input.
        lists: the members of the outermost object whose lists are to come element by element.
        hook: as `json.JSONDecoder`'s `object_pairs_hook`.

    Raises:
        InputError: the file cannot be read, or is no JSON from some line on; what stood before has been yielded.
    """
    with open_bytes(path) as source:
        text = _Text(source, path, hook)
        first = text.skip()
        if first == "{":
            yield from _members(text, lists)
        elif first == "[":
            yield from _elements(text, "")
        else:
            raise text.finding("a JSON object or list was expected")
        if text.skip():
            raise text.finding("more text after the end of the JSON document")


def read_json_lines(path: str | Path, hook: PairsHook | None = None) -> Iterator[tuple[int, Any | InputError]]:
    """The values of newline-delimited JSON with their lines; a line that is no JSON comes as an `InputError`.

    Blank lines are passed over.
    """
    decoder = json.JSONDecoder(object_pairs_hook=hook, parse_constant=_no_constant)
    for line, data in read_lines(path):
        data = data.removeprefix(codecs.BOM_UTF8) if line == 1 else data
        if not data.strip():
            continue
        try:
            yield line, decoder.decode(data.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            reason = f"not valid JSON: {_reason(error)}; one JSON object a line was expected"
            yield line, InputError(reason, path, line)


def well_formed(text: str) -> str:
    r"""A decoded string that can be written again: lone surrogates (`"\ud800"`) become U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _members(text: "_Text", lists: Collection[str]) -> Iterator[Item]:
    text.take()
    if text.skip() == "}":
        text.take()
        return
    while True:
        if text.skip() != '"':
            raise text.finding("a key in double quotes was expected")
        key = text.value()
        if text.skip() != ":":
            raise text.finding("':' was expected")
        text.take()
        if text.skip() == "[" and key in lists:
            yield from _elements(text, key)
        else:
            line = text.line
            yield Item(key, line, text.value())
        if not text.goes_on("}"):
            return


def _elements(text: "_Text", key: str) -> Iterator[Item]:
    text.take()
    if text.skip() == "]":
        yield Item(key, text.line, [])
        text.take()
        return
    index, more = 0, True
    while more:
        text.skip()
        line = text.line
        yield Item(key, line, text.value(), index)
        index, more = index + 1, text.goes_on("]")


class _Text:
    """A window on the text of a document: what has been decoded is dropped."""

    def __init__(self, source: BinaryIO, path: str | Path, hook: PairsHook | None) -> None:
        self.line = 1
        self._source, self._path = source, path
        self._bytes = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder(object_pairs_hook=hook, parse_constant=_no_constant)
        self._text, self._place, self._ended = "", 0, False

    def skip(self) -> str:
        """Passes over white space and returns the next character, empty at the end."""
        while True:
            while self._place < len(self._text) and self._text[self._place] in _SPACE:
                self.take()
            if self._place < len(self._text) or self._ended:
                return self._text[self._place : self._place + 1]
            self._more()

    def take(self) -> None:
        """Passes over one character."""
        self.line += self._text[self._place] == "\n"
        self._place += 1

    def goes_on(self, closing: str) -> bool:
        """Whether a comma follows (passed over) and not the closing bracket (passed over)."""
        character = self.skip()
        if character not in (",", closing):
            raise self.finding(f"',' or '{closing}' was expected")
        self.take()
        return character == ","

    def value(self) -> Any:
        """Decodes the value that begins here."""
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._place)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or error.pos > len(self._text) - _CUT
                if self._ended or not cut:
                    raise self.finding(_reason(error), error.pos) from None
            except (ValueError, RecursionError) as error:
                raise self.finding(_reason(error)) from None
            else:
                # A number that ends near the window's end may go on behind it (`-0` of `-0.5`).
                if self._ended or end + _CUT <= len(self._text) or self._text[end : end + 1] in _AFTER_VALUE:
                    self.line += self._text.count("\n", self._place, end)
                    self._place = end
                    return value
            self._more()

    def finding(self, reason: str, place: int | None = None) -> InputError:
        """What is wrong here, or at a place further on in the window."""
        line = self.line + (0 if place is None else self._text.count("\n", self._place, place))
        return InputError(f"not valid JSON: {reason}; write the file again as one JSON document", self._path, line)

    def _more(self) -> None:
        # As much again as is held, so that a long item is decoded a few times only.
        held = len(self._text) - self._place
        if held > MAX_ITEM:
            raise self.finding(f"one item of more than {MAX_ITEM // 2**20} M characters")
        data = self._source.read(max(_CHUNK, held))
        self._ended = not data
        try:
            fresh = self._bytes.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            raise self.finding(f"not UTF-8 ({error.reason})", len(self._text)) from None
        self._text, self._place = self._text[self._place :] + fresh, 0


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8: byte {error.start + 1}, {error.reason}"
    if isinstance(error, json.JSONDecodeError):
        return error.msg[0].lower() + error.msg[1:]
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)
