"""Parse papers in CL-SciSumm's XML.

    <PAPER><S sid="0">title</S><ABSTRACT><S sid="1">...</S></ABSTRACT> ...

Many of the real files are neither well-formed nor UTF-8, so tags of the format are found by name
and everything else is text. All real files close the outermost element; one that does not was cut
off. Only the five XML entities and character references are expanded. Text outside sentences
(headings of subsections) is left out.
"""

import html
import re
from itertools import pairwise
from typing import NamedTuple

from ilpsum.errors import InputError, counted
from ilpsum.files.numbers import whole_number
from ilpsum.files.reading import decode_text
from ilpsum.papers.headings import section_kind
from ilpsum.records import Document, Role, Section, Span

_TAG = re.compile(
    r"""<(?P<end>/?)(?P<name>PAPER|TITLE|ABSTRACT|SECTION|SUBSECTION|COMMUNITY|HUMAN|SUMMARY
    |S(?=\s+[a-z]*id\b|>))\b
    (?P<attributes>(?:"[^"<]*"|[^<>"])*|[^<>]*)/?>""",
    re.VERBOSE,
)
# A title may contain the quotation marks that enclose it.
_TITLE = re.compile(r"title\s*=\s*([\"'])")
_TITLE_END = {'"': re.compile(r'"(?=\s+number\s*=|\s*$)'), "'": re.compile("'")}
_SID = re.compile(r"\bsid\s*+=\s*+[\"']?\s*+([0-9]{1,9})\b")
_REFERENCE = re.compile(r"&(?:lt|gt|amp|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});")
# The start tag of the outermost element of a paper or summary.
_OUTERMOST = re.compile(r"<(PAPER|ABSTRACT|COMMUNITY|HUMAN|SUMMARY)\b[^<>]*(?<!/)>")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Paper(NamedTuple):
    """A paper: the sentences joined by newlines, with sections; their spans by `sid`; and warnings
    about repairs.
    """

    document: Document
    spans: dict[int, Span]
    warnings: tuple[str, ...]


def parse_paper(data: bytes, place: str, name: str, role: Role = "source") -> Paper:
    """Parse a paper in UTF-8 or else cp1252, even if its XML is damaged.

    `place` is the file name for messages, and `name` the document id. `InputError` if the file is
    cut off, has no sentences, or contains NUL bytes.
    """
    text, recoded = decode_text(data, place)
    require_whole(text, place)
    sentences, marked, outside = _tagged(text)
    if not sentences:
        raise InputError('no sentences; expected <S sid="1">...</S> in a <PAPER>', place)
    spans, by_sid = list[Span](), dict[int, Span]()
    start = repeated = 0
    for sid, sentence in sentences:
        spans.append(Span(start, start + len(sentence)))
        start = spans[-1].end + 1
        if sid is not None:
            repeated += sid in by_sid
            by_sid.setdefault(sid, spans[-1])
    bounds = [*marked, (len(spans), "", "")]
    sections = (
        Section(title, kind, spans[first].start, spans[after - 1].end)
        for (first, title, kind), (after, _, _) in pairwise(bounds)
        if first < after
    )
    document = Document(
        name,
        "\n".join(sentence for _, sentence in sentences),
        title=next((sentence for sid, sentence in sentences if sid == 0), ""),
        role=role,
        sentences=tuple(spans),
        sections=tuple(sections),
    )
    warnings = [f"{place}: {recoded}"] if recoded else []
    if outside:
        characters = counted(outside, "character")
        warnings.append(f"{place}: {characters} outside sentences left out")
    if repeated:
        numbers = counted(repeated, "number")
        warnings.append(f"{place}: {numbers} of several sentences; the first of each counts")
    return Paper(document, by_sid, tuple(warnings))


def require_whole(text: str, place: str) -> None:
    """Raise an `InputError` if a paper or summary in XML lacks its end tag: it was cut off."""
    outermost = _OUTERMOST.search(text)
    if outermost and text.find(f"</{outermost[1]}", outermost.end()) < 0:
        what = f"the XML is cut off (no </{outermost[1]}>)"
        raise InputError(f"{what}; copy or download the file again", place)


def sentences_of(text: str) -> list[str]:
    """Return the sentences that a text marks by `<S>`."""
    return [sentence for _, sentence in _tagged(text)[0]]


def strip_markup(text: str) -> str:
    """Resolve entities, collapse white space and remove control characters."""
    # Surrogates and numbers beyond Unicode, which become U+FFFD, are not characters.
    text = _REFERENCE.sub(
        lambda reference: html.unescape(reference[0]).replace("\ufffd", " "),
        text,
    )
    return " ".join(_CONTROL.sub(" ", text).split())


def _tagged(text: str) -> tuple[list[tuple[int | None, str]], list[tuple[int, str, str]], int]:
    """Return sentences with their `sid`, where sections begin (title, kind), and the number of
    characters outside.
    """
    tags = list(_TAG.finditer(text))
    ends = [*(tag.start() for tag in tags), len(text)]
    sentences, sections = list[tuple[int | None, str]](), [(0, "", "other")]
    stray, titled = len(strip_markup(text[: ends[0]])), False
    for tag, end in zip(tags, ends[1:], strict=True):
        name, closes, inside = tag["name"], bool(tag["end"]), strip_markup(text[tag.end() : end])
        if name == "ABSTRACT":
            sections.append((len(sentences), "", "other" if closes else "abstract"))
        elif name == "SECTION":
            title = "" if closes else _title(tag["attributes"])
            kind = section_kind(title) or "other"
            # In the body, `Summary` is a paper's last section.
            sections.append((len(sentences), title, "conclusion" if kind == "abstract" else kind))
        if closes or name not in ("S", "SUBSECTION", "TITLE"):
            stray += len(inside)
        elif name == "S" and inside:
            sid = _SID.search(tag["attributes"])
            sentences.append((whole_number(sid[1]) if sid else None, inside))
            if sentences[-1][0] == 0 and not titled:
                titled = True
                sections += [(len(sentences) - 1, "", "title"), (len(sentences), *sections[-1][1:])]
    return sentences, sections, stray


def _title(attributes: str) -> str:
    start = _TITLE.search(attributes)
    end = start and _TITLE_END[start[1]].search(attributes, start.end())
    return strip_markup(attributes[start.end() : end.start()]) if start and end else ""
