"""Parse annotation lines of TAC 2014 and CL-SciSumm: `Key: value | Key: value | ... |`, one record
per line.

Keys are recognised by name, so a bar within a citation text (`p(e|f)`) is kept. White space around
values, blank lines, letter case of keys, and the kind of line end (LF, CR or CRLF) do not matter.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import get_args

from ilpsum.errors import InputError
from ilpsum.files.folders import TopicFiles
from ilpsum.files.numbers import whole_number
from ilpsum.files.reading import decode_text, unsafe_name
from ilpsum.records import BrokenTopic, Citance, Document, Facet, Span, Topic

KEYS = (
    "Topic ID",
    "Citance Number",
    "Reference Article",
    "Citing Article",
    "Citation Marker Offset",
    "Citation Marker",
    "Citation Offset",
    "Citation Text",
    "Reference Offset",
    "Reference Text",
    "Discourse Facet",
    "Annotator",
)
SUFFIX = re.compile(r"\.(txt|xml)$", re.IGNORECASE)
"""Suffix of a paper's file, which some annotations leave out."""

_LOWER = {key.lower(): key for key in KEYS}
_KEY = re.compile(
    r"(?:^|\|)[ \t\ufeff]*(" + "|".join(key.replace(" ", r"[ \t]+") for key in KEYS) + r")[ \t]*:",
    re.I,
)
_LINE_END = re.compile(rb"\r\n|\r|\n")
_RANGE = re.compile(r"([0-9]{1,9})\s*-\s*([0-9]{1,9})")
_FACETS: dict[str, Facet] = {facet: facet for facet in get_args(Facet)}
_FACETS |= {"methods": "method", "result": "results", "implications": "implication", "aims": "aim"}


@dataclass(frozen=True, slots=True)
class Line:
    """An annotation line: file, line number, values by key in `KEYS`, and whether it was decoded as
    cp1252.
    """

    file: str
    number: int
    fields: dict[str, str]
    recoded: bool = False

    def text(self, key: str) -> str:
        """Return a field's value; `InputError` if the line has no such field."""
        if key not in self.fields:
            raise self.error(f"expected `{key}: ...`; the fields are {', '.join(KEYS)}")
        return self.fields[key]

    def name(self, key: str) -> str:
        """Return a topic or file name; `InputError` if the field is missing or not a plain name."""
        value = self.text(key)
        if why := unsafe_name(value):
            raise self.error(f"the {key} {shown(value)} {why}; expected a plain name")
        return value

    def integer(self, key: str) -> int:
        """Return a field's value as an integer; `InputError` if it is missing or not a number."""
        value = self.text(key)
        number = whole_number(value)
        if number is None:
            raise self.error(f"the {key} {shown(value)} is not a number")
        return number

    def span(self, key: str) -> Span:
        """Return a field's value as one span; `InputError` if it is missing or not a single
        `START-END`.
        """
        spans = self.spans(key)
        if len(spans) != 1:
            what = f"the {key} {shown(self.text(key))} has {len(spans)} spans"
            raise self.error(f"{what}; expected one START-END")
        return spans[0]

    def spans(self, key: str) -> tuple[Span, ...]:
        """Return the spans of a field, `['1-20', '31-40']` or `1-20`; `InputError` if any is
        malformed or empty.
        """
        spans = []
        for item in self.items(key):
            match = _RANGE.fullmatch(item)
            start, end = map(whole_number, match.groups()) if match else (None, None)
            if start is None or end is None or start >= end:
                expected = "expected START-END in characters, START before END, such as '1179-1547'"
                raise self.error(f"the {key} {shown(item)}: {expected}")
            spans.append(Span(start, end))
        if not spans:
            raise self.error(f"the {key} is empty; expected START-END")
        return tuple(spans)

    def items(self, key: str) -> list[str]:
        """Return the items of a list `['a', 'b']`, or one bare item; `InputError` if a bracket is
        missing.
        """
        value = self.text(key)
        if value.startswith("[") != value.endswith("]"):
            what = f"the {key} {shown(value)} has one bracket"
            raise self.error(f"{what}; expected a list such as ['1-20', '31-40']")
        items = value.removeprefix("[").removesuffix("]").split(",")
        bare = (item.strip().strip("'\"").strip() for item in items)
        return list(filter(None, bare))

    def facets(self) -> tuple[Facet, ...]:
        """Return the discourse facets, usually one; `InputError` if there is none or one is
        unknown.
        """
        facets = []
        for item in self.items("Discourse Facet"):
            name = item.lower().removesuffix("citation").rstrip("_ \t")
            if name not in _FACETS:
                kinds = ", ".join(sorted(set(_FACETS.values())))
                advice = f"expected one of {kinds} (as in Results_Citation)"
                raise self.error(f"unknown facet {shown(item)}; {advice}")
            facets.append(_FACETS[name])
        if not facets:
            raise self.error("the Discourse Facet is empty; expected one such as Results_Citation")
        return tuple(dict.fromkeys(facets))

    def error(self, message: str) -> InputError:
        """Return an error with the position of this line."""
        return InputError(message, self.file, self.number)

    @property
    def place(self) -> str:
        """File and line number, for a message."""
        return f"{self.file}:{self.number}"


def parse_line(data: bytes, file: str, number: int) -> Line | None:
    """Parse a line of an annotation file; None for a blank line.

    Bytes that are not valid UTF-8 are decoded as cp1252. `InputError` if the line is not an
    annotation.
    """
    decoded, recoded = decode_text(data, file, number)
    text = decoded.strip("\ufeff \t\r\n")
    if not text:
        return None
    keys = list(_KEY.finditer(text))
    if not keys or keys[0].start() > 0:
        message = f"expected `Key: value | Key: value | ...`, got {shown(text)}"
        raise InputError(message, file, number)
    fields: dict[str, str] = {}
    for key, following in zip(keys, [*keys[1:], None], strict=True):
        name = _LOWER[" ".join(key[1].lower().split())]
        if name in fields:
            raise InputError(f"duplicate field {name}", file, number)
        value = text[key.end() : following.start() if following else len(text)]
        # A bar ends a field, also an empty one: `Topic ID: D1 | | Citance Number: 1 |`.
        fields[name] = value.rstrip("| \t").strip()
    return Line(file, number, fields, bool(recoded))


def parse_lines(data: bytes, file: str) -> Iterator[Line]:
    """Yield the annotations of a file; `InputError` if a line is not an annotation."""
    for number, line in enumerate(_LINE_END.split(data), 1):
        if (parsed := parse_line(line, file, number)) is not None:
            yield parsed


@dataclass(slots=True)
class TopicReader(ABC):
    """Reads one topic of annotated citances from its files, and collects warnings."""

    files: TopicFiles
    warnings: list[str] = field(default_factory=list)

    @abstractmethod
    def topic(self) -> Topic:
        """Build the topic; raises the error that breaks it."""

    def read(self) -> Topic | BrokenTopic:
        """Read the files, if they are not read yet, and build the topic."""
        self.files = self.files.read()
        self.warnings += self.files.warnings
        try:
            if self.files.error is not None:
                raise self.files.error
            return self.topic()
        except InputError as error:
            return BrokenTopic(self.files.name, error)

    def warn(self, line: Line, message: str) -> None:
        """Add a warning with the position of a line."""
        self.warnings.append(f"{line.place}: {message}")

    def built(
        self,
        documents: tuple[Document, ...],
        citances: tuple[Citance, ...],
        summaries: Iterable[str],
    ) -> Topic:
        """Return the topic of the citances, which are its query."""
        query, gold = "\n".join(citance.text for citance in citances), tuple(summaries)
        return Topic(
            self.files.name,
            query,
            documents,
            citances,
            summaries=gold,
            warnings=tuple(self.warnings),
        )

    def grouped(self, lines: Iterable[Line]) -> Iterator[tuple[int, str, list[Line]]]:
        """Yield each citance's number, citing paper and lines; `InputError` for a number used for
        two papers.
        """
        groups: dict[int, list[Line]] = {}
        for line in lines:
            groups.setdefault(line.integer("Citance Number"), []).append(line)
        for number, group in sorted(groups.items()):
            citing = group[0].name("Citing Article")
            for line in group:
                other = line.name("Citing Article")
                if SUFFIX.sub("", other) != SUFFIX.sub("", citing):
                    where = f"in {shown(other)}, but {group[0].place} says {shown(citing)}"
                    raise line.error(f"citance {number} is {where}; number each citance once")
            yield number, citing, group


def letters_and_digits(text: str) -> str:
    """Reduce a text to lower-case ASCII letters and digits, to compare quotes."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def shown(value: str) -> str:
    """Quote and shorten an input value for a message."""
    return repr(value if len(value) <= 60 else value[:60] + "...")
