"""Read records of tagged lines: RIS, MEDLINE, EndNote's tagged format and Web of Science's.

What differs between the formats is a `Syntax`. (rispy, measured at 0.10, loses records without
`ER` or with one space after their tags.)
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from msgspec import structs

from features.patterns import regex
from ilpsum.files.reading import MOST_LINES, decode, read_lines, too_many_lines
from ilpsum.files.start import Start
from ilpsum.literature.people import author
from ilpsum.literature.raw import Parsed, Problem, Raw, raw_of, raw_of_keys
from ilpsum.literature.tables import ENDNOTE, MEDLINE, PMID_DIGITS, RIS, WEB_OF_SCIENCE
from ilpsum.records import Author

_Tags = dict[str, list[str]]
_NOT_UTF_8 = "not UTF-8, read as cp1252"
# What services send in place of records.
_MESSAGE = regex(
    r"(?:id: ?\d+ )?Error occurred\b|\{\s?\"error\"|<ERROR>|API rate limit"
    # A page of a browser around the records.
    r"|</?pre>\s*$|<\?xml\b|<!DOCTYPE\b"
)
_MESSAGE_BEGINS = tuple("iE{<A")
_SENT = "a service's message or a tag of a page among the records, left out"
# Characters that tell a format.
_BEGIN = 4096


_RIS_TAGS = [tag for _, tags in RIS for tag in tags] + "TY ER SP EP SN AD ST T3".split()
# One space before the dash needs another one after it: `IL -6` is text.
_RIS_LINE = regex(
    r"[ \t\xa0]{0,8}([A-Z][A-Z0-9])"
    r"(?:(?:[ \xa0]{2}|\t)[-–—][ \t\xa0]{0,3}| [-–—](?:[ \t\xa0]{1,3}|$))(.*)$"
)
_LOWER = regex(r"[ \t]{0,8}([A-Za-z][A-Za-z0-9]) {2}-(?: (.*)|$)")
_TIGHT = regex(
    rf"[ \t\xa0]{{0,8}}({'|'.join(_RIS_TAGS)})[ \t\xa0]{{0,2}}[-–—][ \t\xa0]{{0,3}}(.*)$"
)
# Tags that may stand first in a record of MEDLINE, before the PMID or without one.
_BEFORE_PMID = frozenset(("PMC", "OWN", "STAT", "TI"))
_TITLES = frozenset(("TI", "BTI", "AB", "TT", "%T"))
# Tags of Web of Science around the records of a file.
_FRAME = frozenset(("FN", "VR", "EF"))
# Tags of MEDLINE of which all lines count.
_REPEATED = frozenset(("PT", "MH", "OT", "AB", "LID", "AID"))


def _of_ris(tags: _Tags) -> Raw:
    # Most programs put a record number in ID, so it is a PMID only if it has as many digits as one.
    for value in tags.get("ID", ()):
        if value.isdigit() and 6 <= len(value) <= 8:
            tags.setdefault("AN", []).append(value)
    numbers = [
        value
        for tag, fewest in PMID_DIGITS.items()
        for value in tags.get(tag, ())
        if not value.isdigit() or fewest <= len(value) <= 8
    ]
    pages = dict.fromkeys([*tags.get("SP", ()), *tags.get("EP", ())])
    tags |= {"numbers": numbers, "pages": ["-".join(filter(None, pages))]}
    return raw_of_keys(RIS, tags)


def _of_medline(tags: _Tags) -> Raw:
    def values(tag: str) -> list[str]:
        lines = tags.get(tag, [])
        return lines if tag in _REPEATED else lines[:1]

    raw = raw_of(MEDLINE, values)
    people = map(author, tags.get("FAU") or tags.get("AU") or ())
    dois = [value for value in raw.named if value.endswith("[doi]")]
    return structs.replace(
        raw,
        doi=dois[0] if dois else "",
        named=(),
        authors=(*people, *map(Author, tags.get("CN", ()))),
        links=list(tags),
        about=list(tags),
    )


def _of_endnote(tags: _Tags) -> Raw:
    # Each keyword has a line.
    tags["%K"] = [line for value in tags.get("%K", ()) for line in value.splitlines()]
    return raw_of_keys(ENDNOTE, tags)


def _of_web_of_science(tags: _Tags) -> Raw:
    pages = filter(None, (*tags.get("BP", ()), *tags.get("EP", ())))
    raw = raw_of_keys(WEB_OF_SCIENCE, tags)
    return structs.replace(raw, pages="-".join(pages))


@dataclass(frozen=True)
class Syntax:
    """How records of tagged lines are written.

    Attributes:
        start: tells a file of the format by its first lines.
        line: a line with a tag; groups tag and value.
        first: the tag that begins a record.
        raw: makes a raw record of the values by tag.
        last: the tag that ends a record, if there is one.
        blank: whether blank lines separate records, and what follows one without a tag or an indent
            is not of the record.
    """

    start: re.Pattern[str]
    line: re.Pattern[str]
    first: str
    raw: Callable[[_Tags], Raw]
    last: str = ""
    blank: bool = False


_RIS = Syntax(
    regex(
        r"^[ \t\xa0]{0,8}TY(?: {1,2}- \w"
        r"|[ \t\xa0]{0,3}[-–—][ \t\xa0]{0,3}[A-Z]{3,6}[ \t\xa0]{0,9}(?:[\r\n]|\Z))",
        re.MULTILINE | re.IGNORECASE,
    ),
    _RIS_LINE,
    "TY",
    _of_ris,
    "ER",
)
_SYNTAXES = (
    Syntax(
        regex(
            r"\A(?:PMID|PMC|OWN|STAT|TI)\s{0,2}-\s?(?=[\s\S]{0,9999}^(?:TI|BTI|AB|DP|OWN) {0,2}- )"
            r"|\APMID *- ?\d|^PMID- \d{1,8}\s*\n(?=[\s\S]{0,9999}^(?:TI|AB) {0,2}- )",
            re.MULTILINE,
        ),
        regex(r"([A-Z0-9]{1,4}) *- ?(.*)$"),
        "PMID",
        _of_medline,
        blank=True,
    ),
    Syntax(
        regex(r"\A%[0A-Z][ \t]\S(?=[\s\S]{0,4096}^%T[ \t])", re.MULTILINE),
        regex(r"(%[0-9A-Z@!+>^$#&*~<\]\[(){}=?;:'\"/|\\-])(?:[ \t](.*)|$)"),
        "%0",
        _of_endnote,
    ),
    Syntax(
        regex(r"\A(?:(?:FN |VR )[\s\S]{0,200}^PT |PT [A-Z]\s*\n(?:AU|TI|AF) )", re.MULTILINE),
        regex(r"([A-Z][A-Z0-9])(?: (.*)|$)"),
        "PT",
        _of_web_of_science,
        "ER",
    ),
)


def without_messages(text: str) -> str:
    """Return the start of a file without the messages of a service before the first record."""
    lines = text.split("\n", 20)
    while len(lines) > 1 and (not lines[0].strip() or _MESSAGE.match(lines[0])):
        del lines[0]
    return "\n".join(lines)


def syntax_of(start: Start) -> Syntax | None:
    """Return the syntax of a file of tagged lines; None for any other file."""
    text = without_messages(start.text)
    # RIS and MEDLINE may follow some lines of a database.
    if ris := _RIS.start.search(text[:_BEGIN]):
        return replace(_RIS, line=_ris_line(ris[0]))
    return next((syntax for syntax in _SYNTAXES if syntax.start.search(text)), None)


def _ris_line(first: str) -> re.Pattern[str]:
    """Return the pattern of the lines in a file whose first tag is written like this."""
    begin = first.strip()
    if not begin.startswith("TY"):
        return _LOWER
    return _RIS_LINE if begin[2:3].isspace() else _TIGHT


def read(syntax: Syntax, start: Start) -> Iterator[Parsed]:
    """Yield the records of a file of tagged lines, in file order.

    The first tag begins a record, unless the record has none yet: some programs write other fields
    before it. The last tag, alone on a line, may end it; with a value only if nothing or a first
    tag follows, since a line of an abstract may look like it (`ER - positive`).
    """
    tags, match_tag = _Values(syntax), syntax.line.match
    doubtful, is_blank, begin = "", False, 1
    for number, line, problem in _lines(start):
        if problem:
            yield problem
        if number - begin > MOST_LINES:
            raise too_many_lines(start.path, number)
        text = line.strip()
        if not text:
            is_blank = True
            continue
        tag = content = ""
        if match := match_tag(line):
            tag, content = match[1].upper(), (match[2] or "").strip()
        is_end = syntax.last != "" and syntax.last in (tag, text)
        if (is_end and not content) or tags.end_before(tag, is_blank, doubtful):
            yield from tags.take()
            begin = number
        elif doubtful:
            tags.extend(doubtful)
        doubtful = content and text if is_end else ""
        if tag and not is_end:
            begin = begin if tags.values else number
            tags.add(tag, content)
        elif not is_end and not (syntax.blank and is_blank and not line[:1].isspace()):
            tags.extend(text)
        is_blank = False
    yield from tags.take()


def _lines(start: Start) -> Iterator[tuple[int, str, Problem | None]]:
    """Yield the number and text of each line, and what is wrong with it."""
    for number, data in read_lines(start.path):
        text, repair = decode(data)
        problem = Problem(_NOT_UTF_8, number) if repair else None
        if text[:1] in _MESSAGE_BEGINS and _MESSAGE.match(text):
            text, problem = "", Problem(_SENT, number)
        text = text.removeprefix("\ufeff")
        # Old Mac files end their lines by CR alone.
        for part in text.split("\r") if "\r" in text else (text,):
            yield number, part, problem
            problem = None


class _Values:
    """The values, by tag, of the record that is read; long ones are wrapped."""

    def __init__(self, syntax: Syntax) -> None:
        self._make, self._blank, self._first = syntax.raw, syntax.blank, {syntax.first}
        self.values = defaultdict[str, list[list[str]]](list)
        self._last = list[str]()

    def end_before(self, tag: str, is_blank: bool, doubtful: str) -> bool:
        """Return whether a tag begins another record: a first tag that the record has, or one after
        a blank line or what may be an end; after a blank line also the tag that began the record.
        """
        has_title = not self.values.keys().isdisjoint(_TITLES)
        if is_blank and has_title and tag == next(iter(self.values)):
            return True
        if not (self._blank or tag in self._first):
            return False
        if self._blank and not self.values:
            # Each record begins as the first one does.
            self._first |= {tag} & _BEFORE_PMID
        if tag in self._first and (doubtful or tag in self.values):
            return True
        return self._blank and is_blank and has_title and tag in self._first | _BEFORE_PMID

    def add(self, tag: str, content: str) -> None:
        """Begin a value."""
        self._last = [content]
        self.values[tag].append(self._last)

    def extend(self, text: str) -> None:
        """Continue the last value, if there is one."""
        if self.values:
            self._last.append(text)

    def take(self) -> Iterator[Raw]:
        """Yield the record, if there is one, and begin another."""
        if self.values.keys() - _FRAME:
            yield self._make({tag: list(map("\n".join, of)) for tag, of in self.values.items()})
        self.values.clear()
