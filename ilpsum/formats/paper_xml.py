"""Parse papers in CL-SciSumm's XML: `<PAPER><S sid="0">title</S><ABSTRACT><S sid="1">...</S></ABSTRACT> ...`.

Many of the real files are neither well-formed nor UTF-8, so tags of the format are found by name and everything else is
text. Only the five XML entities and character references are expanded. Text outside sentences (headings of subsections)
is left out.
"""

import re
from dataclasses import dataclass, field
from typing import Self

from ilpsum.errors import InputError, counted
from ilpsum.files.reading import decode_text
from ilpsum.formats.papers.headings import section_kind
from ilpsum.records import Document, Role, Section, Span

_TAG = re.compile(
    r"""<(?P<end>/?)(?P<name>PAPER|TITLE|ABSTRACT|SECTION|SUBSECTION|COMMUNITY|HUMAN|SUMMARY|S(?=\s+[a-z]*id\b|>))\b
    (?P<attributes>(?:"[^"<]*"|[^<>"])*|[^<>]*)/?>""",
    re.VERBOSE,
)
# A title may contain the quotation marks that enclose it.
_TITLE = re.compile(r"title\s*=\s*([\"'])")
_TITLE_END = {'"': re.compile(r'"(?=\s+number\s*=|\s*$)'), "'": re.compile("'")}
_SID = re.compile(r"\bsid\s*+=\s*+[\"']?\s*+([0-9]{1,9})\b")
_REFERENCE = re.compile(r"&(lt|gt|amp|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper and the spans of its numbered sentences.

    Attributes:
        document: the sentences joined by newlines, with sentence boundaries and sections.
        spans: the span of each sentence in the document's text, by `sid`.
        warnings: repairs that were made.
    """

    document: Document
    spans: dict[int, Span]
    warnings: tuple[str, ...]


def parse_paper(data: bytes, place: str, name: str, role: Role = "source") -> Paper:
    """Parse a paper in UTF-8 or else cp1252, even if its XML is damaged.

    `place` is the file name for messages, and `name` the document id. `InputError` if there are no sentences, or the
    data contain NUL bytes.
    """
    text, recoded = decode_text(data, place)
    reading = _TagReader().read(text)
    if not reading.sentences:
        raise InputError('no sentences; expected <S sid="1">...</S> in a <PAPER>', place)
    stray = f"{counted(reading.stray, 'character')} outside sentences left out" if reading.stray else ""
    twice = f"{counted(reading.twice, 'duplicate sentence number')}; the first of each counts" if reading.twice else ""
    warnings = [f"{place}: {warning}" for warning in (recoded, stray, twice) if warning]
    document = Document(
        name,
        "\n".join(reading.sentences),
        title=reading.title,
        role=role,
        sentences=tuple(reading.spans),
        sections=tuple(reading.sections),
    )
    return Paper(document, reading.by_sid, tuple(warnings))


def sentences_of(text: str) -> list[str]:
    """Return the sentences that a text marks by `<S>`."""
    return _TagReader().read(text).sentences


def plain(text: str) -> str:
    """Resolve entities, collapse white space and remove control characters."""
    return " ".join(_CONTROL.sub(" ", _REFERENCE.sub(_resolved, text)).split())


def _title(attributes: str) -> str:
    start = _TITLE.search(attributes)
    end = start and _TITLE_END[start[1]].search(attributes, start.end())
    return plain(attributes[start.end() : end.start()]) if start and end else ""


def _resolved(match: re.Match[str]) -> str:
    name = match[1]
    if name in _NAMED:
        return _NAMED[name]
    code = int(name[2:], 16) if name.startswith("#x") else int(name[1:])
    # Surrogates and numbers beyond Unicode are not characters.
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else " "


@dataclass(slots=True)
class _TagReader:
    sentences: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    by_sid: dict[int, Span] = field(default_factory=dict)
    title: str = ""
    length: int = 0
    stray: int = 0
    twice: int = 0
    _pieces: list[str] | None = None
    _sid: int | None = None
    _section: tuple[str, str, int] = ("", "other", 0)
    _heading: bool = False

    def read(self, text: str) -> Self:
        """Read the text of a file and return this object, which then holds the paper."""
        place = 0
        for tag in _TAG.finditer(text):
            self._text(text[place : tag.start()])
            self._tag(tag["name"], bool(tag["end"]), tag["attributes"])
            place = tag.end()
        if place:
            self._text(text[place:])
        self._close_sentence()
        self._open_section("", "other")
        return self

    def _text(self, text: str) -> None:
        if self._pieces is not None:
            self._pieces.append(text)
        elif not self._heading:
            self.stray += len(plain(text))

    def _tag(self, name: str, end: bool, attributes: str) -> None:
        self._close_sentence()
        self._heading = name in ("SUBSECTION", "TITLE") and not end
        if name == "S" and not end:
            found = _SID.search(attributes)
            self._sid, self._pieces = int(found[1]) if found else None, []
        elif name == "ABSTRACT":
            self._open_section("", "other" if end else "abstract")
        elif name == "SECTION":
            title = "" if end else _title(attributes)
            kind = section_kind(title)
            # In the body, `Summary` is a paper's last section.
            self._open_section(title, "conclusion" if kind == "abstract" else kind or "other")

    def _close_sentence(self) -> None:
        if self._pieces is None:
            return
        text = plain("".join(self._pieces))
        self._pieces = None
        if not text:
            return
        start = self.length + (1 if self.sentences else 0)
        span = Span(start, start + len(text))
        self.length = span.end
        self.sentences.append(text)
        self.spans.append(span)
        if self._sid is not None:
            self.twice += self._sid in self.by_sid
            self.by_sid.setdefault(self._sid, span)
        if self._sid == 0 and not self.title:
            self.title = text
            self.sections.append(Section("", "title", span.start, span.end))
            self._section = (*self._section[:2], span.end + 1)

    def _open_section(self, title: str, kind: str) -> None:
        """Start a section, after storing the previous one if it has text."""
        before, before_kind, start = self._section
        if self.length > start:
            self.sections.append(Section(before, before_kind, start, self.length))
        self._section = (title, kind, self.length + (1 if self.sentences else 0))
