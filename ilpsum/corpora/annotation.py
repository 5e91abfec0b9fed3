"""Annotation lines of TAC 2014 and CL-SciSumm: `Key: value | Key: value | ... |`, a record a line.

Keys are told apart from the text around them by their names: a bar within a citation text (`p(e|f)`) stays in it. A key
that stands twice, a number that is none and a list without its end are errors; white space around values, blank lines,
upper and lower case of keys, LF, CR and CRLF make no difference.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ilpsum.errors import InputError
from ilpsum.io.files import MAX_LINE, decode
from ilpsum.io.names import unsafe_name
from ilpsum.records import Facet, Span

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
_LOWER = {key.lower(): key for key in KEYS}
_KEY = re.compile(r"(?:^|\|)[ \t\ufeff]*(" + "|".join(key.replace(" ", r"[ \t]+") for key in KEYS) + r")[ \t]*:", re.I)
_LINE_END = re.compile(rb"\r\n|\r|\n")
_RANGE = re.compile(r"([0-9]{1,9})\s*-\s*([0-9]{1,9})")
_NUMBER = re.compile(r"[0-9]{1,9}")
_FACETS: dict[str, Facet] = {
    "hypothesis": "hypothesis",
    "method": "method",
    "methods": "method",
    "result": "results",
    "results": "results",
    "implication": "implication",
    "implications": "implication",
    "discussion": "discussion",
    "aim": "aim",
    "aims": "aim",
}
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Line:
    """An annotation line.

    Attributes:
        file, number: where it stands.
        fields: the values by their names in `KEYS`.
        recoded: whether it was not UTF-8 and is read as cp1252.
    """

    file: str
    number: int
    fields: dict[str, str]
    recoded: bool = False

    def has(self, key: str) -> bool:
        """Whether the line has a field, empty or not."""
        return key in self.fields

    def text(self, key: str) -> str:
        """A field's value.

        Raises:
            InputError: the line has no such field.
        """
        try:
            return self.fields[key]
        except KeyError:
            raise self.error(f"no `{key}: ...`; the fields are {', '.join(KEYS)}") from None

    def name(self, key: str) -> str:
        """A field's value that names a topic or a file.

        Raises:
            InputError: it is missing, or no name for a file.
        """
        value = self.text(key)
        if why := unsafe_name(value):
            raise self.error(f"the {key} {shown(value)} {why}; a plain name was expected")
        return value

    def integer(self, key: str) -> int:
        """A field's value as a number.

        Raises:
            InputError: it is missing or no number.
        """
        value = self.text(key)
        if not _NUMBER.fullmatch(value):
            raise self.error(f"the {key} {shown(value)} is not a number")
        return int(value)

    def span(self, key: str) -> Span:
        """A field's value as one span.

        Raises:
            InputError: it is missing, or not one `START-END`.
        """
        spans = self.spans(key)
        if len(spans) != 1:
            raise self.error(f"the {key} {shown(self.text(key))} has {len(spans)} spans; one START-END was expected")
        return spans[0]

    def spans(self, key: str) -> tuple[Span, ...]:
        """A field's value as spans, `['1-20', '31-40']` or a bare `1-20`.

        Raises:
            InputError: it is missing, or not a list of `START-END` with START before END.
        """
        spans = []
        for item in self.items(key):
            found = _RANGE.fullmatch(item)
            if not found:
                raise self.error(f"the {key} {shown(item)} is not START-END in characters, like '1179-1547'")
            span = Span(int(found[1]), int(found[2]))
            if span.start >= span.end:
                raise self.error(f"the {key} {shown(item)} does not end after it starts; START before END was expected")
            spans.append(span)
        if not spans:
            raise self.error(f"the {key} is empty; START-END was expected")
        return tuple(spans)

    def items(self, key: str) -> list[str]:
        """A field's value as the items of a list, `['a', 'b']`, or one bare item.

        Raises:
            InputError: it is missing, or its bracket is not closed.
        """
        value = self.text(key)
        if value.startswith("[") != value.endswith("]"):
            raise self.error(f"the {key} {shown(value)} has one bracket; a list like ['1-20', '31-40'] was expected")
        items = (item.strip().strip("'\"").strip() for item in value.removeprefix("[").removesuffix("]").split(","))
        return [item for item in items if item]

    def facets(self) -> tuple[Facet, ...]:
        """The discourse facets, of which there is one as a rule.

        Raises:
            InputError: the field is missing or empty, or names a facet that there is not.
        """
        found = []
        for item in self.items("Discourse Facet"):
            name = item.lower().removesuffix("citation").rstrip("_ \t")
            if name not in _FACETS:
                known = ", ".join(sorted(set(_FACETS.values())))
                raise self.error(f"unknown facet {shown(item)}; there are: {known} (as in Results_Citation)")
            found.append(_FACETS[name])
        if not found:
            raise self.error("the Discourse Facet is empty; one like Results_Citation was expected")
        return tuple(dict.fromkeys(found))

    def error(self, message: str) -> InputError:
        """An error at this line."""
        return InputError(message, self.file, self.number)

    def warning(self, message: str) -> str:
        """A remark on this line."""
        return f"{self.file}:{self.number}: {message}"


def parse_line(data: bytes, file: str, number: int) -> Line | None:
    """A line of an annotation file; None for a blank one.

    Bytes that are not UTF-8 are read as cp1252.

    Raises:
        InputError: the line is no annotation.
    """
    if len(data) > MAX_LINE:
        raise InputError(f"a line of more than {MAX_LINE // 2**20} MB; an annotation was expected", file, number)
    if b"\0" in data:
        raise InputError("NUL bytes; a line of text was expected (save UTF-16 as UTF-8)", file, number)
    decoded, recoded = decode(data)
    text = decoded.strip("\ufeff \t\r\n")
    if not text:
        return None
    found = list(_KEY.finditer(text))
    if not found or found[0].start() > 0:
        raise InputError(f"`Key: value | Key: value | ...` was expected, not {shown(text)}", file, number)
    fields: dict[str, str] = {}
    for key, following in zip(found, [*found[1:], None], strict=True):
        name = _LOWER[" ".join(key[1].lower().split())]
        if name in fields:
            raise InputError(f"the field {name} stands twice; each once was expected", file, number)
        value = text[key.end() : following.start() if following else len(text)].strip()
        fields[name] = value if following else value.removesuffix("|").rstrip()
    return Line(file, number, fields, bool(recoded))


def parse_lines(data: bytes, file: str) -> Iterator[Line]:
    """The annotations of a file.

    Raises:
        InputError: a line is no annotation.
    """
    for number, line in enumerate(_LINE_END.split(data), 1):
        if (parsed := parse_line(line, file, number)) is not None:
            yield parsed


def folded(text: str) -> str:
    """Text as quotes are compared: lower-cased, reduced to ASCII letters and digits."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def shown(value: str) -> str:
    """A value from input, short enough for a message."""
    return repr(value if len(value) <= _SHOWN else value[:_SHOWN] + "...")
