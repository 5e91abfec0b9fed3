"""Elements of XML files, each read on its own: what is wrong with one costs no other.

The text of an element is found by its tags and parsed alone. What stands between elements is not
parsed, so joined files, and a service's message among records, do no harm, and no entity that a
file defines is ever expanded.
"""

import html
import re
import string
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO
from xml.etree.ElementTree import Element, ParseError, fromstring

from ilpsum.errors import InputError
from ilpsum.files.reading import MAX_TEXT, open_bytes

MOST_NESTED = 200
"""Maximum depth of XML: readers walk through elements recursively."""
MOST_ELEMENTS = 1_000_000
"""Maximum number of elements in one: 16 kB of gzip can hold 4 million."""
_PIECE = 2**16
_ENCODING = re.compile(rb"<\?xml[^>]{0,100}\bencoding\s*=\s*[\"']([\w.-]{1,40})")
_ROOT = re.compile(rb"<([A-Za-z_][\w:.-]{0,99})[\s>/]")
# What a parser refuses, and what it becomes.
_NAMED = re.compile(r"&([A-Za-z]\w{0,30});")
_BARE = re.compile(r"&(?!#?\w{1,31};)|<(?![A-Za-z_/!?])")
_OUTSIDE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_NUMBER = re.compile(r"&#(?:(\d{1,9})|x([0-9A-Fa-f]{1,8}));")
_PREFIX = re.compile(r"[<\s/]([A-Za-z_][\w.-]{0,40}):[A-Za-z_]")
_TAG = re.compile(r"<[^\s/>]+")
_ESCAPED = re.compile("[\udc80-\udcff]")
_UTF_8 = ("utf-8", "utf8")
_KNOWN = frozenset(("amp", "lt", "gt", "quot", "apos"))

Read = tuple[int, Element | None, str]
"""Line of an element, from 1; the element, None if it cannot be read; and what was wrong."""


def elements(path: str | Path, *tags: str) -> Iterator[Element]:
    """Yield the elements with these tags; `InputError` for one that cannot be read, too."""
    for line, element, problem in read_elements(path, *tags):
        if element is None:
            raise InputError(f"{problem}; download the file again", path, line)
        yield element


def read_elements(path: str | Path, *tags: str) -> Iterator[Read]:
    """Yield the elements with these tags, whatever their namespace, and what is wrong with each.

    Characters that XML does not allow, bare ampersands and entities without a definition are
    repaired. Tags lose their namespaces.

    Raises:
        InputError: the file cannot be read, is cut off, or defines entities.
    """
    names = "|".join(tags).encode()
    begins = re.compile(rb"<((?:[\w.-]{1,40}:)?(?:%b))(?=[\s/>])" % names)
    with open_bytes(path) as source:
        texts = _Texts(source, path, begins)
        for line, data in texts:
            element, problem = _parsed(data, texts.encoding)
            if element is not None and (hostile := _too_large(element, data)):
                element, problem = None, hostile
            yield line, element, problem


class _Texts:
    """The texts of elements in a stream, with their lines."""

    def __init__(self, source: BinaryIO, path: str | Path, begins: re.Pattern[bytes]) -> None:
        self._source, self._path, self._begins = source, path, begins
        self._data, self._line, self._is_ended = bytearray(), 1, False
        self._between = 0
        self.encoding = "utf-8"
        self._root = b""

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        self._more()
        self._read_head()
        while True:
            begin = self._begins.search(self._data)
            if begin is None:
                if self._is_ended:
                    self._require_end()
                    return
                # A tag may be divided between two pieces; the end of the root is at the end.
                self._drop(max(0, len(self._data) - 200))
                self._more()
                self._between += len(self._data)
                self._require_record(self._between)
                continue
            self._between = 0
            name = bytes(begin[1])
            self._drop(begin.start())
            end = self._end_of(name)
            yield self._line, bytes(self._data[:end])
            self._drop(end)

    def _more(self) -> None:
        piece = self._source.read(_PIECE)
        self._is_ended = not piece
        self._data += piece

    def _drop(self, end: int) -> None:
        self._line += self._data.count(b"\n", 0, end)
        del self._data[:end]

    def _end_of(self, name: bytes) -> int:
        """Return where the element at the beginning of the data ends; reads as far as needed."""
        end = _end(name)
        searched = 0
        while True:
            if match := end.search(self._data, searched):
                return match.end()
            if self._is_ended:
                raise self._cut_off()
            self._require_record(len(self._data))
            searched = max(0, len(self._data) - 100)
            self._more()

    def _require_record(self, size: int) -> None:
        if size > MAX_TEXT:
            most = MAX_TEXT // 2**20
            message = f"expected records, got {most} MB of XML without one"
            raise InputError(message, self._path, self._line)

    def _read_head(self) -> None:
        """Read encoding and root, and refuse definitions of entities."""
        begin = self._begins.search(self._data)
        head = bytes(self._data[: begin.start() if begin else len(self._data)])
        if b"<!ENTITY" in head:
            raise InputError("XML that defines entities is refused", self._path)
        if encoding := _ENCODING.search(head):
            self.encoding = encoding[1].decode().lower()
            if not _extends_ascii(self.encoding):
                message = f"XML that cannot be decoded (unknown encoding: {self.encoding})"
                raise InputError(message, self._path)
        root = _ROOT.search(head)
        self._root = b"" if root is None else root[1]

    def _require_end(self) -> None:
        if self._root and b"</" + self._root not in self._data:
            raise self._cut_off()

    def _cut_off(self) -> InputError:
        message = "not well-formed XML (the file is cut off); download the file again"
        return InputError(message, self._path, self._line)


def _extends_ascii(encoding: str) -> bool:
    """Whether an encoding is one of texts in which markup stands as in ASCII, as it is searched."""
    # Some encodings can write markup in another way, too: UTF-7, and the escapes of programs.
    texts = r"\x3c", "+ADw-", string.printable
    try:
        return all(text.encode().decode(encoding) == text for text in texts)
    except (LookupError, ValueError):
        return False


@lru_cache(64)
def _end(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"</%b\s*>" % re.escape(name))


def _parsed(data: bytes, encoding: str) -> tuple[Element | None, str]:
    """Return the element of a text, None if it is damaged beyond repair, and what was wrong."""
    if data.count(b"<") > 2 * MOST_ELEMENTS:
        return None, f"expected records, got one of more than {MOST_ELEMENTS:,} elements"
    try:
        return _element(data if encoding in _UTF_8 else data.decode(encoding)), ""
    except (ParseError, ValueError):
        text = _decoded(data, encoding)
    repaired = _repaired(text)
    try:
        element = _element(_declared(repaired))
    except (ParseError, ValueError) as error:
        reason = str(error).partition(":")[0]
        return None, f"not well-formed XML ({reason})"
    is_changed = repaired != text or "\ufffd" in text
    return element, "characters that XML does not allow, repaired" if is_changed else ""


def _element(text: str | bytes) -> Element:
    """Parse a text and remove namespaces; `ParseError` or `ValueError` if it is damaged."""
    # Within an element, no entity can be defined, so the parser of the library is safe; defusedxml
    # would parse in Python.
    element = fromstring(text)  # noqa: S314
    if ("xmlns" if isinstance(text, str) else b"xmlns") in text:  # type: ignore[operator]
        for part in element.iter():
            part.tag = part.tag.rpartition("}")[2]
    return element


def _decoded(data: bytes, encoding: str) -> str:
    """Decode a text; bytes that are not of its encoding are read as cp1252."""
    if encoding not in _UTF_8:
        return data.decode(encoding, "replace")
    text = data.decode("utf-8", "surrogateescape")
    return _ESCAPED.sub(
        lambda byte: bytes([ord(byte[0]) - 0xDC00]).decode("cp1252", "replace"), text
    )


def _repaired(text: str) -> str:
    """Replace what parsers refuse: control characters, bare signs and unknown entities."""
    text = _NUMBER.sub(_character, _NAMED.sub(_entity, _OUTSIDE.sub(" ", text)))
    return _BARE.sub(lambda sign: "&amp;" if sign[0] == "&" else "&lt;", text)


def _declared(text: str) -> str:
    """Declare the prefixes in an element that its file may declare elsewhere."""
    tag = _TAG.match(text)
    if tag is None:
        return text
    begin = text[: text.find(">")]
    prefixes = sorted({*_PREFIX.findall(text)} - {"xml", "xmlns"})
    missing = [prefix for prefix in prefixes if f"xmlns:{prefix}=" not in begin]
    declared = "".join(f' xmlns:{prefix}="x"' for prefix in missing)
    return f"{tag[0]}{declared}{text[tag.end() :]}"


def _entity(match: re.Match[str]) -> str:
    if match[1] in _KNOWN:
        return match[0]
    letters = unescaped_entity(match[0])
    return f"&amp;{match[1]};" if letters == match[0] else letters


def unescaped_entity(entity: str) -> str:
    """Return what an entity of HTML stands for; an unknown one as it is.

    >>> unescaped_entity("&gamma;"), unescaped_entity("&nothing;")
    ('γ', '&nothing;')
    """
    letters = html.unescape(entity)
    # None stands for more than two: of an unknown one, the parser reads the beginning (`&not`).
    return entity if len(letters) > 2 else letters


def _character(match: re.Match[str]) -> str:
    """Return a numeric reference, or a space if XML does not allow its character."""
    code = int(match[1]) if match[1] else int(match[2], 16)
    allowed = code in (9, 10, 13) or 32 <= code < 0xD800 or 0xE000 <= code < 0x110000
    return match[0] if allowed and code not in (0xFFFE, 0xFFFF) else " "


def _too_large(element: Element, data: bytes) -> str:
    """Return what is wrong with an element of too many levels; empty if nothing is."""
    # Only an element with as many end tags can have so many levels.
    if data.count(b"</") <= MOST_NESTED:
        return ""
    levels = [element]
    for _ in range(MOST_NESTED):
        levels = [child for parent in levels for child in parent]
        if not levels:
            return ""
    return f"XML nested more than {MOST_NESTED} deep"
