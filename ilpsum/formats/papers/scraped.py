"""Infer the layout of a paper scraped from a publisher's web page from its lines alone.

The pages of Elsevier, PubMed Central, HighWire and others differ in few things: the names of headings, where captions
start and end, and which lines are page furniture. Every rule here looks at a line's wording, length and neighbours.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Literal

from ilpsum.formats.papers import headings

BlockRole = Literal["title", "front", "heading", "caption", "table", "reference", "prose", "meta"]


@dataclass(frozen=True, slots=True)
class LinePart:
    """The part of a line in the layout.

    Attributes:
        section: one of `ilpsum.formats.papers.layout.SECTION_KINDS`.
        role: the line's role. `meta` lines belong to the web page (links, counters, licences) or to acknowledgements
            and supplements.
        heading: the last heading above the line, or the line itself if it is one.
    """

    section: str
    role: BlockRole
    heading: str


_LONGEST_HEADING = 200
_SHORTEST_PARAGRAPH = 150
_LONGEST_CAPTION_TITLE = 400  # on pages that show only a caption's title
_LONGEST_TABLE = 400  # lines
_LONGEST_STOPPED = 120
_LONGEST_FRAGMENT = 100
_SENTENCE_END = re.compile(r"[.?!…]['\"”’)\]]*$")
_STOPPED = re.compile(r"[.;:,…!]['\"”’)\]]*$")
_PANEL = re.compile(r"\(?[A-Z](?:(?:[-–,&]| and |, )\s?[A-Z])*[):.]\s")
_OPTIONS = re.compile(r"(?:figure|table) options", re.IGNORECASE)
_LONGEST_ABSTRACT = 10_000
_SEVERAL = 4  # so many consecutive headings are a list of links

_BODY = frozenset({"introduction", "methods", "results", "discussion", "conclusion"})
_AFTER_ABSTRACT = frozenset({"introduction", "front", "highlights"})
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
    """Return whether the lines are a scraped paper, judged by page lines, references and sections."""
    short = [line for line in lines if len(line) <= _LONGEST_HEADING]
    if any(headings.is_scraper_mark(line) for line in short):
        return True
    kinds = {headings.section_kind(line) for line in short}
    several = len(kinds & (_BODY | {"acknowledgements"})) >= 3
    return "references" in kinds or (several and ("introduction" in kinds or sum(map(len, lines)) > _LONGEST_ABSTRACT))


def parts(lines: Sequence[str]) -> list[LinePart]:
    """Return the part of each line of a paper; the lines are stripped, and none is blank."""
    return _Reader(lines).read()


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.kinds = [headings.section_kind(line) for line in lines]
        self.labels = [headings.caption_label(line) for line in lines]
        self.marks: list[BlockRole | None] = [None] * len(lines)
        self._mark()
        self.section, self.heading = "front", ""
        self.abstract_end = -1  # the line after the abstract, once it has started
        research = [i for i, kind in enumerate(self.kinds) if kind in ("methods", "results")]
        self.last_research = max(research, default=-1)
        self.last_abstract = max((i for i, kind in enumerate(self.kinds) if kind == "abstract"), default=-1)
        self.is_numbered = any(kind and headings.is_main_heading(x) for kind, x in zip(self.kinds, lines, strict=True))
        self.abstract_seen = False  # whether a paragraph of the abstract was seen
        self.body_seen = False  # whether a paragraph of the body was seen
        self.stopped_headings = self._stopped_headings()

    def _mark(self) -> None:
        """Mark the lines recognised by wording alone: page lines, captions and tables."""
        for i, line in enumerate(self.lines):
            if headings.is_page_line(line):
                self.marks[i] = "meta"
            elif "\t" in line and (len(line) < 500 or line.count("\t") > 3):
                self.marks[i] = "table"
        for i, label in enumerate(self.labels):
            if label and self.marks[i] is None:
                end = self._end_of_float(i, label)
                for j in range(i, end or i + 1):
                    self.marks[j] = self.marks[j] or label.role
                if end is None:
                    self._mark_caption(i, label)
        # Consecutive headings with nothing between them are links to sections.
        is_open = [bool(kind) and mark is None for kind, mark in zip(self.kinds, self.marks, strict=True)]
        for is_row, places in groupby(range(len(is_open)), is_open.__getitem__):
            row = list(places)
            if is_row and len(row) >= _SEVERAL:
                self.marks[row[0] : row[-1] + 1] = ["meta"] * len(row)

    def _end_of_float(self, start: int, label: headings.CaptionLabel) -> int | None:
        """Return the line after a figure or table, if the page marks its end."""
        for j in range(start + 1, min(start + _LONGEST_TABLE, len(self.lines))):
            if _OPTIONS.match(self.lines[j]):
                return j
            is_another = (other := self.labels[j]) and other.number != label.number
            is_short = len(self.lines[j]) <= _LONGEST_HEADING
            if self.kinds[j] in _BODY or self.kinds[j] == "references" or (is_another and is_short):
                return None
        return None

    def _mark_caption(self, start: int, label: headings.CaptionLabel) -> None:
        """Mark the caption after a label: one line, unless the label's line contains it, and the panels below."""
        lines, marks, role, j = self.lines, self.marks, self.marks[start], start + 1
        while j < len(lines) and not headings.is_break(lines[j]):
            if marks[j] != "meta" and self.labels[j] != label:
                break
            marks[j] = marks[j] or role
            j += 1
        shown_whole = any(headings.is_float_link(line) for line in lines[start:j])
        if not label.caption and j < len(lines) and marks[j] is None and not self.kinds[j]:
            if not shown_whole and len(lines[j]) > _LONGEST_CAPTION_TITLE:
                return
            marks[j] = role
            j += 1
        while j < len(lines) and marks[j] is None and _PANEL.match(lines[j]):
            marks[j] = role
            j += 1

    def read(self) -> list[LinePart]:
        first = self._first()
        title = self._title(first)
        if first < len(self.lines) and self._begins_structured(first):
            self._enter("abstract")
        result = []
        for i in range(len(self.lines)):
            mark = self.marks[i]
            if i == title:
                result.append(LinePart("title", "title", ""))
            elif mark == "meta" or i < first:
                listed = mark and self.section == "references" and not headings.is_break(self.lines[i])
                result.append(LinePart(self.section, "reference" if listed else mark or "front", self.heading))
            elif mark is not None:
                result.append(LinePart("table" if mark == "table" else "figure", mark, self.heading))
            else:
                result.append(self._part(i))
        return result

    def _first(self) -> int:
        """Return the first line after the front matter: the abstract's heading, another heading, or a paragraph."""
        unmarked = [i for i in range(len(self.lines)) if self.marks[i] is None]
        opening = [i for i in unmarked if self.kinds[i] not in ("", "front", "figure", "supplement")]
        known = opening[0] if opening else len(self.lines)
        before_body = next((n for n, i in enumerate(opening) if self.kinds[i] in _BODY), len(opening))
        if any(self.kinds[i] == "abstract" for i in opening[:before_body]):
            return known
        return next((i for i in unmarked if i < known and _is_prose(self.lines[i])), known)

    def _title(self, first: int) -> int | None:
        """Return the index of the title among the lines above the abstract, or None."""
        above = [i for i in range(first) if self.marks[i] is None and not headings.is_front_line(self.lines[i])]
        likely = [i for i in above if not headings.is_journal_line(self.lines[i]) and self.lines[i].count(" ") >= 2]
        return next(iter(likely or above), None)

    def _part(self, i: int) -> LinePart:
        line, kind = self.lines[i], self.kinds[i]
        if self.section == "abstract" and i >= self.abstract_end:
            self._enter("introduction")
        if self._begins_late(i):
            self._begin_prose(i)
        if self.section == "abstract" and headings.is_abstract_label(line):
            self.heading = line
            return LinePart("abstract", "heading", line)
        if kind and (self.section != "references" or self._leaves_references(i)):
            self._open(kind, i)
            return LinePart(self.section, "heading", line)
        if self.section == "front" and not (self.body_seen or headings.is_front_line(line)) and _is_prose(line):
            self._begin_prose(i)
        elif headings.is_front_line(line):
            return LinePart(self.section, "front", self.heading)
        if self.section in ROLES:
            return LinePart(self.section, ROLES[self.section], self.heading)
        role = self._role_in_body(i)  # may open a section
        return LinePart(self.section, role, self.heading)

    def _role_in_body(self, i: int) -> BlockRole:
        """Return whether a line of the body is a heading, a paragraph, or a fragment between formulas."""
        line = self.lines[i]
        if self.section != "highlights":
            if self._is_heading(i):
                self._open_unknown(line, i)
                return "heading"
            if len(line) < _LONGEST_FRAGMENT and not _SENTENCE_END.search(line):
                return "meta"
        self.abstract_seen = self.abstract_seen or self.section == "abstract"
        self.body_seen = self.body_seen or self.section not in ("abstract", "highlights")
        return "prose"

    def _enter(self, section: str) -> None:
        self.section, self.heading = section, ""

    def _open(self, kind: str, i: int) -> None:
        """Open the section of a known heading."""
        if kind == "abstract" and self.abstract_seen:
            kind = "conclusion" if self.body_seen else "highlights"  # a summary at the end, or a second one before it
        if headings.is_main_text(self.lines[i]) and not self._has_headings(i):
            kind = "other"
        self._enter(kind)
        self.heading = self.lines[i]
        if kind == "abstract":
            self.abstract_end = self._end_of_abstract(i + 1)

    def _begin_prose(self, i: int) -> None:
        """Treat prose without a heading after front matter as the abstract, unless there was one already."""
        if self.abstract_seen:
            self._enter("introduction")
        else:
            self._enter("abstract")
            self.abstract_end = self._end_of_abstract(i)

    def _begins_structured(self, first: int) -> bool:
        """Return whether a structured abstract without a heading starts at a line; a paper must follow it."""
        kinds = [kind for kind in self.kinds if kind]
        if "abstract" in kinds or self.kinds[first] not in _BODY or not headings.is_abstract_label(self.lines[first]):
            return False
        end = self._end_of_structured(first)
        rest = {kind for kind in self.kinds[end:] if kind in _BODY}
        if sum(headings.is_abstract_label(line) for line in self.lines[first:end]) < 2 or len(rest) < 3:
            return False
        self.abstract_end = end
        return True

    def _begins_late(self, i: int) -> bool:
        """Return whether an abstract without a heading starts below a list of highlights."""
        return (
            self.section == "highlights"
            and self.heading.lower() == "highlights"
            and not self.abstract_seen
            and not self.body_seen
            and i > self.last_abstract
            and _is_prose(self.lines[i])
            and self.lines[i][0].isalnum()
        )

    def _open_unknown(self, line: str, i: int) -> None:
        """Open an unknown heading: a subsection or, in a review, a section of its body."""
        self.heading = line
        if self.section == "abstract":
            self.section = "introduction"
        is_main = self.is_numbered and headings.is_main_heading(line)
        if is_main or (self.section == "introduction" and i >= self.last_research):
            self.section = "other"

    def _end_of_abstract(self, start: int) -> int:
        """Return the line after the abstract that starts at a line."""
        # It extends to the next heading if that opens the introduction or closes an abstract (keywords, highlights), or
        # if the abstract is structured; otherwise only its first paragraph is certain.
        end_of_first = start
        for j in range(start, len(self.lines)):
            if self.marks[j] is not None:
                continue
            line, kind = self.lines[j], self.kinds[j]
            if end_of_first == start and headings.is_abstract_label(line):
                return self._end_of_structured(start)
            closes = kind in _AFTER_ABSTRACT or (not kind and headings.is_front_line(line))
            if closes or kind or self._is_heading(j):
                return j if closes else end_of_first
            if end_of_first == start:
                end_of_first = j + 1
        return end_of_first

    def _end_of_structured(self, start: int) -> int:
        """Return the line after a structured abstract: at a break, keywords, an introduction, or a repeated label."""
        labels: set[str] = set()
        for j in range(start, len(self.lines)):
            line, text, is_label = self.lines[j], self.lines[j].lower(), headings.is_abstract_label(self.lines[j])
            if self.marks[j] is not None:
                ends = bool(headings.is_break(line))
            elif is_label:
                ends = text in labels or (bool(labels) and self.kinds[j] == "introduction")
                labels.add(text)
            else:
                ends = bool(self.kinds[j]) or headings.is_front_line(line)
            if ends:
                return j
        return len(self.lines)

    def _leaves_references(self, i: int) -> bool:
        """Return whether a known heading ends the references; a cited paper's title may have the same wording."""
        kind, below = self.kinds[i], self._following(i)
        if kind in ("acknowledgements", "supplement", "figure"):
            return True
        return kind in _BODY and below is not None and (_is_prose(self.lines[below]) or bool(self.kinds[below]))

    def _is_heading(self, i: int) -> bool:
        """Return whether a line is an unknown heading: short, without a full stop, and not the last line."""
        line = self.lines[i]
        if len(line) > _LONGEST_HEADING or self._following(i) is None:
            return False
        if _STOPPED.search(line):
            return i in self.stopped_headings
        # A lower-case word continues a sentence.
        word = line.split()[0]
        return not (word.isalpha() and word.islower() and word.isascii())

    def _following(self, i: int) -> int | None:
        """Return the next line that is not a page line."""
        return next((j for j in range(i + 1, min(i + 100, len(self.lines))) if self.marks[j] != "meta"), None)

    def _is_stopped_heading(self, i: int) -> bool:
        """Return whether a line may be a heading that ends with a full stop: a short sentence above a paragraph."""
        line, below = self.lines[i], self._following(i)
        return (
            len(line) <= _LONGEST_STOPPED
            and line.endswith(".")
            and below is not None
            and self.marks[below] is None
            and len(self.lines[below]) >= _SHORTEST_PARAGRAPH
            and not self.kinds[i]
        )

    def _stopped_headings(self) -> frozenset[int]:
        """Return headings that end with full stops, in sections with many such lines and few other headings."""
        result: set[int] = set()
        edges = [i for i, kind in enumerate(self.kinds) if kind]
        for start, end in pairwise([0, *edges, len(self.lines)]):
            short = [i for i in range(start, end) if self.marks[i] is None and len(self.lines[i]) <= _LONGEST_STOPPED]
            stopped = [i for i in short if self._is_stopped_heading(i)]
            plain = sum(not self.kinds[i] and not _STOPPED.search(self.lines[i]) for i in short)
            if len(stopped) >= _SEVERAL and len(stopped) > 2 * plain:
                result.update(stopped)
        return frozenset(result)

    def _has_headings(self, i: int) -> bool:
        """Return whether unknown headings follow before the next known one."""
        for j in range(i + 1, len(self.lines)):
            if self.marks[j] is None and (self.kinds[j] or self._is_heading(j)):
                return not self.kinds[j] or self.kinds[j] in _BODY
        return False


def _is_prose(line: str) -> bool:
    """Return whether a line is a paragraph: long, ending like a sentence, mostly lower-case words."""
    if len(line) < _SHORTEST_PARAGRAPH or line[-1] not in '.?!)]”"' or headings.is_front_line(line):
        return False
    words = line[:2000].split()
    return len(words) >= 20 and sum(word[0].islower() for word in words) >= 0.55 * len(words)
