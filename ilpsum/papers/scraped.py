"""Infer the layout of a paper scraped from a publisher's web page from its lines alone.

The pages of Elsevier, PubMed Central, HighWire and others differ in few things: the names of
headings, where captions start and end, and which lines belong to the page. Every rule looks at the
wording, length and neighbours of a line.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from features.patterns import regex
from ilpsum.papers.headings import is_abstract_label, section_kind

BlockRole = Literal["title", "front", "heading", "caption", "table", "reference", "prose", "meta"]


@dataclass(frozen=True, slots=True)
class LinePart:
    """The part of a line in the layout.

    Attributes:
        section: one of `ilpsum.papers.layout.SECTION_KINDS`.
        role: the line's role. `meta` lines belong to the web page (links, counters, licences) or to
            acknowledgements and supplements.
        heading: the last heading above the line, or the line itself if it is one.
    """

    section: str
    role: BlockRole
    heading: str


class CaptionLabel(NamedTuple):
    """The label that opens a figure or table caption: its number (`2`, `S1`), and the rest of the
    line.
    """

    role: Literal["caption", "table"]
    number: str
    caption: str


_PAGE = regex(
    r"""go\ to:|show\ (more|less)|top|open\ a(rchive|ccess).{0,60}|(next|previous)\ section.*
    |back\ to\ top
    |jump\ to.{0,40}|full[- ]size\ (image|table).*|(figure|table)\ options.*|download\b.{0,80}
    |view\ (larger|this|all|full|large)\b.{0,60}|in\ (this|a\ new)\ (page|window).{0,60}
    |(png|tiff)\ (larger|original)\ image.*|click\ here\ (for|to)\b.{0,80}|help\ with\ \w+\ files.*
    |cover\ image
    |image|thumbnail|ppt\ powerpoint\ slide|open\ menu|article|(formula|graphic|equation)(\ image
    |\s?\([\w.]+\))?
    |turn\ mathjax\ on|view\ the\ mathml\ source
    |(\w+\ )?an\ external\ file\ that\ holds\ a\ picture.*
    |object\ name\ is\ \S+\.(jpe?g|gif|png)\b.{0,150}|logo\ of\ .{1,40}|https?://\S+
    |(doi|pmcid|pmid|\w{2,6}msid|issn)\b:?.{0,60}
    |(author\ information|article\ notes|copyright)\b.{0,60}►.*
    |.*(view\ record\ in\ scopus|full\ text\ via\ crossref|citing\ articles\ \(
    |cited\ by\ in\ scopus
       |google\ scholar|\[pubmed\]|\[pmc\ free\ article\]|abstract/free\ full\ text).*
    |(article\s*\|\s*)?pdf\ \([\d.,]+\s*[km]b?\).*|under\ an\ elsevier\ user\ license
    |get\ rights\ and\ content
    |(.{0,60}\ )?(©|copyright\b).{0,160}|.{0,40}all\ rights\ reserved.?
    |\(?(tiff?|pdf|docx?|xlsx?|mov|avi|mpe?g|zip|jpe?g|pptx?|eps|txt|csv)\)?
    |\([\d.]+\s?[km]b\ \w{2,4}\)
    |the\ publisher['’]s\ final\ edited.*|see\ other\ articles\ in\ pmc.*
    |this\ article\ has\ been\ cited\ by.*
    |(e-?mail\ the\ )?corresponding\ author(\ contact\ information)?.{0,60}|additional\ file\ \d+:?
    |publisher['’]s\ disclaimer.*|[^\W\d_]{1,2}""",
    re.IGNORECASE | re.VERBOSE,
)
_LETTER = regex(r"[^\W\d_]")
_LONGEST_PAGE_LINE = 1000
_FLOAT_LINK = regex(
    r"view (larger|this)\b.{0,40}|in (this|a new) (page|window).{0,60}|download\b.{0,60}|full[- "
    r"]size image.*",
    re.IGNORECASE,
)
_FRONT = regex(
    r"((key ?words?( and phrases)?|abbreviations?( used)?|index terms|subject terms|running "
    r"(title|head))\s?[:.–—-]"
    r"|key ?words?\s|(competing interests|conflicts? of interest|funding|author "
    r"contributions)\s?[:.]"
    r"|(manuscript |revision )?(received|accepted)\b.*\d|(edited|communicated|contributed) by\b"
    r"|correspondence( to)?\s?:|requests for reprints|(e-?mail|tel|fax)\b|(\W{0,2}|\d\s?)to whom "
    r"correspondence\b).*",
    re.IGNORECASE,
)
_JOURNAL = regex(
    r".*(author manuscript|published (online|in final)|\bvolume "
    r"\d|\b(19|20)\d\d\b.{0,20};.{0,40}\d|\bpages? \d).*",
    re.IGNORECASE,
)
_LABELLED = regex(
    r"(?:(?:supplement(?:ary|al)|extended data|additional|online)\s+)?"
    r"(?P<kind>fig(?:ure)?|table|scheme|movie|video|chart|plate|audio|dataset)\.?[\s\u00a0]*"
    r"(?P<number>S?\d{1,3}[A-Z]?)(?P<stop>[.:|]|\s-)?(?P<rest>.*)",
    re.IGNORECASE,
)
_SCRAPED = regex(
    r"go to:|show more|full[- ]size image.*|(previous|next) section.*|.*view record in "
    r"scopus.*|author information ►.*",
    re.IGNORECASE,
)
_PANEL = regex(r"\(?[A-Z](?:(?:[-–,&]| and |, )\s?[A-Z])*[):.]\s")
_MAIN_TEXT = regex(r"(main )?text|main", re.IGNORECASE)
_MAIN_NUMBER = regex(r"(?:\d{1,2}|[IVX]{1,5})(?:\.\s?|\s)\s*(?=[^\W\d])")
_OPTIONS = regex(r"(?:figure|table) options", re.IGNORECASE)
_SENTENCE_END = regex(r"[.?!…]['\"”’)\]]*$")
_STOPPED = regex(r"[.;:,…!]['\"”’)\]]*$")
_LONGEST_HEADING = 200
_SHORTEST_PARAGRAPH = 150
_LONGEST_CAPTION_TITLE = 400
_LONGEST_TABLE = 400  # lines
_LONGEST_FRAGMENT = 100

_BODY = frozenset({"introduction", "methods", "results", "discussion", "conclusion"})
# Headings that end the references; those of the body may be titles of cited papers.
_AFTER_REFERENCES = ("acknowledgements", "supplement", "figure")
ROLES: dict[str, BlockRole] = {
    "front": "front",
    "references": "reference",
    "figure": "caption",
    "table": "table",
    "acknowledgements": "meta",
    "supplement": "meta",
}
"""Role of the lines in each kind of section that is not prose."""


def is_paper(lines: Sequence[str]) -> bool:
    """Return whether the lines are a scraped paper, judged by page lines, references and
    sections.
    """
    short = [line for line in lines if len(line) <= _LONGEST_HEADING]
    if any(map(_SCRAPED.fullmatch, short)):
        return True
    kinds = set(map(section_kind, short))
    several = len(kinds & (_BODY | {"acknowledgements"})) >= 3
    return "references" in kinds or (several and "introduction" in kinds)


def is_page_line(line: str) -> bool:
    """Return whether a line belongs to the web page: links, counters, licences, numbers."""
    return len(line) <= _LONGEST_PAGE_LINE and (
        _PAGE.fullmatch(line) is not None or not _LETTER.search(line)
    )


def caption_label(line: str) -> CaptionLabel | None:
    """Return the label of a caption's first line; None for any other line.

    `Figure 3 shows ...` is a sentence, not a caption: without a stop after the number, it must
    start with a capital.

    >>> caption_label("Figure 2."), caption_label("Figure 3 shows that")
    (CaptionLabel(role='caption', number='2', caption=''), None)
    >>> caption_label("Table S1: Primers")
    CaptionLabel(role='table', number='S1', caption='Primers')
    """
    match = _LABELLED.match(line)
    if not match:
        return None
    rest = match["rest"].strip(" .:|\u00a0")
    if rest and not match["stop"] and not (match["rest"][0].isspace() and rest[0].isupper()):
        return None
    return CaptionLabel(
        "table" if match["kind"].lower() == "table" else "caption",
        match["number"].upper(),
        rest,
    )


def parts(lines: Sequence[str]) -> list[LinePart]:
    """Return the part of each line of a paper; the lines are stripped, and none is blank."""
    return _Reader(lines).read()


class _Reader:
    """Reads the lines of a paper from top to bottom; see `parts`."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.kinds = [section_kind(line) for line in lines]
        self.labels = [caption_label(line) for line in lines]
        # The roles of lines that wording alone tells.
        self.marks: list[BlockRole | None] = [None] * len(lines)
        self._mark_pages_and_tables()
        self._mark_floats()
        self.section, self.heading = "front", ""
        self.abstract_end = -1  # the line after the abstract, once it has started
        self.last_research = max(
            (i for i, kind in enumerate(self.kinds) if kind in ("methods", "results")),
            default=-1,
        )
        self.is_numbered = any(
            kind and _MAIN_NUMBER.match(line) for kind, line in zip(self.kinds, lines, strict=True)
        )
        self.abstract_seen = self.body_seen = False  # whether one of its paragraphs was read

    def _mark_pages_and_tables(self) -> None:
        for i, line in enumerate(self.lines):
            if is_page_line(line):
                self.marks[i] = "meta"
            elif "\t" in line and (len(line) < 500 or line.count("\t") > 3):
                self.marks[i] = "table"

    def _mark_floats(self) -> None:
        """Mark figures and tables from their labels on, but for lines that are marked already."""
        for start, label in enumerate(self.labels):
            if label is None or self.marks[start]:
                continue
            end = self._end_of_float(start, label) or self._end_of_caption(start, label)
            for i in range(start, end):
                self.marks[i] = self.marks[i] or label.role

    def _end_of_float(self, start: int, label: CaptionLabel) -> int:
        """Return the line after a figure or table, if the page marks its end, else 0."""
        for j in range(start + 1, min(start + _LONGEST_TABLE, len(self.lines))):
            if _OPTIONS.match(self.lines[j]):
                return j
            other = self.labels[j]
            if self.kinds[j] in _BODY or (other and other.number != label.number):
                break
        return 0

    def _end_of_caption(self, start: int, label: CaptionLabel) -> int:
        """Return the line after a caption: below the label, unless its line contains it, and the
        panels below.
        """
        j = start + 1
        while j < len(self.lines) and (self.marks[j] == "meta" or self.labels[j] == label):
            j += 1
        if not label.caption and j < len(self.lines) and not (self.marks[j] or self.kinds[j]):
            # A link to the figure shows that its whole caption follows, not only the title.
            is_linked = any(map(_FLOAT_LINK.fullmatch, self.lines[start:j]))
            if not is_linked and len(self.lines[j]) > _LONGEST_CAPTION_TITLE:
                return j
            j += 1
        while j < len(self.lines) and not self.marks[j] and _PANEL.match(self.lines[j]):
            j += 1
        return j

    def read(self) -> list[LinePart]:
        """Return the part of the paper that each line belongs to."""
        first = self._first()
        title = self._title(first)
        if self._begins_structured(first):
            self._open("abstract", "", first)
        result = []
        for i, mark in enumerate(self.marks):
            if i == title:
                result.append(LinePart("title", "title", ""))
            elif mark == "meta" or i < first:
                listed = mark and self.section == "references"
                result.append(
                    LinePart(self.section, "reference" if listed else mark or "front", self.heading)
                )
            elif mark is not None:
                result.append(
                    LinePart("table" if mark == "table" else "figure", mark, self.heading)
                )
            else:
                result.append(self._part(i))
        return result

    def _first(self) -> int:
        """Return the first line after the front matter: the abstract's heading, another heading, or
        a paragraph.
        """
        unmarked = [i for i in range(len(self.lines)) if self.marks[i] is None]
        opens = (i for i in unmarked if self.kinds[i] not in ("", "front", "figure", "supplement"))
        heading = next(opens, len(self.lines))
        if "abstract" in self.kinds[heading : heading + 1]:
            return heading
        return next((i for i in unmarked if i < heading and _is_prose(self.lines[i])), heading)

    def _title(self, first: int) -> int | None:
        """Return the index of the title among the lines above the abstract, or None."""
        above = [i for i in range(first) if self.marks[i] is None and not _is_front(self.lines[i])]
        for i in above:
            line = self.lines[i]
            if line.count(" ") >= 2 and not _JOURNAL.fullmatch(line):
                return i
        return above[0] if above else None

    def _part(self, i: int) -> LinePart:
        line, kind, is_front = self.lines[i], self.kinds[i], _is_front(self.lines[i])
        if self.section == "abstract" and i >= self.abstract_end:
            self.section, self.heading = "introduction", ""
        role: BlockRole
        if self.section == "abstract" and is_abstract_label(line):
            role, self.heading = "heading", line
        elif kind and (self.section != "references" or kind in _AFTER_REFERENCES):
            role = "heading"
            self._open(kind, line, i + 1)
        elif is_front:
            role = "front"
        else:
            late = self.section == "highlights" and not (
                self.abstract_seen or "abstract" in self.kinds[i:]
            )
            if (late or self.section == "front") and not self.body_seen and _is_prose(line):
                # Prose without a heading after front matter or highlights is the abstract, if there
                # was none yet.
                self._open("introduction" if self.abstract_seen else "abstract", "", i)
            role = ROLES.get(self.section) or self._role_in_body(i)
        return LinePart(self.section, role, self.heading)

    def _role_in_body(self, i: int) -> BlockRole:
        """Return whether a line of the body is a heading, a paragraph, or a fragment between
        formulas.
        """
        line = self.lines[i]
        if self.section != "highlights":
            if self._is_heading(i):
                self._open_unknown(i)
                return "heading"
            if len(line) < _LONGEST_FRAGMENT and not _SENTENCE_END.search(line):
                return "meta"
        self.abstract_seen = self.abstract_seen or self.section == "abstract"
        self.body_seen = self.body_seen or self.section not in ("abstract", "highlights")
        return "prose"

    def _open(self, kind: str, heading: str, start: int) -> None:
        """Open a section of a known kind, whose text starts at a line."""
        if kind == "abstract" and self.abstract_seen:
            # A summary at the end, or a second one before the body.
            kind = "conclusion" if self.body_seen else "highlights"
        if _MAIN_TEXT.fullmatch(heading) and not self._has_headings(start):
            kind = "other"
        self.section, self.heading = kind, heading
        if kind == "abstract":
            self.abstract_end = self._end_of_abstract(start)

    def _begins_structured(self, first: int) -> bool:
        """Return whether a structured abstract without a heading starts at a line; a paper must
        follow it.
        """
        end = self._end_of_abstract(first)
        labels = sum(map(is_abstract_label, self.lines[first:end]))
        return (
            "abstract" not in self.kinds
            and labels > 1
            and len(_BODY.intersection(self.kinds[end:])) > 2
        )

    def _open_unknown(self, i: int) -> None:
        """Open an unknown heading: a subsection or, in a review, a section of its body."""
        self.heading = self.lines[i]
        if self.section == "abstract":
            self.section = "introduction"
        is_main = self.is_numbered and _MAIN_NUMBER.match(self.lines[i])
        if is_main or (self.section == "introduction" and i >= self.last_research):
            self.section = "other"

    def _end_of_abstract(self, start: int) -> int:
        """Return the line after an abstract: its first paragraph, or what stands below its labels.

        Labels end at another heading, an introduction, keywords, or where one is repeated.
        """
        unmarked = [j for j in range(start, len(self.lines)) if self.marks[j] is None]
        labels: set[str] = set()
        for j in unmarked:
            line = self.lines[j].lower()
            if is_abstract_label(line):
                if line in labels or (labels and self.kinds[j] == "introduction"):
                    return j
                labels.add(line)
            elif not labels:
                return j + 1
            elif self.kinds[j] or _is_front(line):
                return j
        return len(self.lines)

    def _is_heading(self, i: int) -> bool:
        """Return whether a line is an unknown heading: short, without a full stop, and not the last
        line.
        """
        line = self.lines[i]
        if len(line) > _LONGEST_HEADING or _STOPPED.search(line):
            return False
        # A lower-case word continues a sentence.
        word = line.split()[0]
        follows = any(mark != "meta" for mark in self.marks[i + 1 : i + 100])
        return follows and not (word.isalpha() and word.islower() and word.isascii())

    def _has_headings(self, start: int) -> bool:
        """Return whether the next heading from a line on is one of the body, known or not."""
        for i in range(start, len(self.lines)):
            if self.marks[i] is not None:
                continue
            if self.kinds[i] or self._is_heading(i):
                return self.kinds[i] in ("", *_BODY)
        return False


def _is_front(line: str) -> bool:
    """Return whether a line is front matter wherever it occurs: keywords, dates, correspondence."""
    return len(line) <= 2 * _LONGEST_PAGE_LINE and _FRONT.fullmatch(line) is not None


def _is_prose(line: str) -> bool:
    """Return whether a line is a paragraph: long, ending like a sentence, mostly lower-case
    words.
    """
    if len(line) < _SHORTEST_PARAGRAPH or line[-1] not in '.?!)]”"' or _is_front(line):
        return False
    words = line[:2000].split()
    return len(words) >= 20 and sum(word[0].islower() for word in words) >= 0.55 * len(words)
