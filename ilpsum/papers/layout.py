"""Recognise the parts of a paper: title, abstract, sections, headings, captions, tables,
references.

Papers come as text scraped from a publisher's web page, one paragraph per line
(`ilpsum.papers.scraped`). Sections and sentences marked by a source are kept. Any other
text is treated as an abstract.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from features.sentences import split_sentences
from ilpsum.papers import plain, scraped
from ilpsum.papers.scraped import ROLES, BlockRole
from ilpsum.records import Document, Sentence

SECTION_KINDS = (
    "title",
    "front",  # authors, affiliations, dates, keywords, abbreviations
    "abstract",
    "highlights",  # author summary, significance, highlights: a second summary beside the abstract
    "introduction",
    "methods",
    "results",  # also results and discussion in one
    "discussion",
    "conclusion",
    "acknowledgements",  # also funding, contributions, competing interests
    "supplement",
    "references",
    "figure",  # captions
    "table",  # tables and their captions
    "other",  # the body of a review, and unknown sections
)
PROSE: frozenset[BlockRole] = frozenset({"prose"})
FEWEST_WORDS = 3
"""Shorter sentences are fragments, never candidates."""

_BLANK = "".join(c for c in map(chr, range(0x3001)) if c.isspace()) + "\u200b\ufeff"
_BULLETS = _BLANK + "•►▪●■‣"
_BODY = frozenset({"introduction", "methods", "results", "discussion", "conclusion", "other"})
_WORD = re.compile(r"[^\W\d_]{2,}")
_LINE = re.compile(r"[^\n]+")
_ABSTRACT = re.compile(r"\W*(summary|abstract)\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Block(scraped.LinePart):
    """A line of a document and its part in the layout; `start` and `end` exclude surrounding white
    space.
    """

    start: int
    end: int


def outline(document: Document) -> tuple[Block, ...]:
    """Return the layout of a document: its lines in order, each with section and role.

    Every character is in exactly one block, except white space, zero-width spaces and byte order
    marks.

    - Sections marked by the source are kept: a section's text is prose, except its heading, titles
      of papers, references, captions, tables and front matter.
    - A scraped paper is analysed line by line.
    - Any other text is one abstract; labels (`METHODS:` on its own line), subheadings and other
      non-prose lines (`ilpsum.papers.plain`) are headings.
    """
    if document.sections:
        return tuple(_from_sections(document))
    spans = (_bare(document.text, *match.span()) for match in _LINE.finditer(document.text))
    lines = [(start, end) for start, end in spans if start < end]
    texts = [document.text[start:end] for start, end in lines]
    is_paper, news = scraped.is_paper(texts), document.role == "source"
    parts = scraped.parts(texts) if is_paper else plain.parts(texts, document.title, news=news)
    return tuple(
        Block(p.section, p.role, p.heading, *span) for p, span in zip(parts, lines, strict=True)
    )


def title(document: Document) -> str:
    """Return the title of a paper; empty if it has none."""
    titles = (
        document.text[part.start : part.end] for part in outline(document) if part.role == "title"
    )
    return document.title or next(titles, "")


def sentences(document: Document, include: Collection[BlockRole] = PROSE) -> tuple[Sentence, ...]:
    """Return the sentences of a document that may enter a summary, in order.

    White space is collapsed. Fragments are left out: sentences of fewer than `FEWEST_WORDS` words
    or without a word of two letters and, in scraped papers, headings on the same line as their
    paragraph (`Cell Culture and Reagents. Cells were ...`). Sentence boundaries marked by the
    source are kept. `include` gives the roles of blocks to take sentences from, such as prose and
    captions.
    """
    sentences = []
    for block in outline(document):
        if block.role in include:
            places = _boundaries(document, block)
            may_begin_with_heading = (
                len(places) > 1 and block.section in _BODY and not document.sections
            )
            if may_begin_with_heading and _is_run_in(document.text[slice(*places[0])]):
                del places[0]
            for start, end in places:
                text = " ".join(document.text[start:end].strip(_BULLETS).split())
                sentences.append(
                    Sentence(text, document.id, start, end, len(text.split()), block.section)
                )
    return tuple(s for s in sentences if s.words >= FEWEST_WORDS and _WORD.search(s.text))


def _is_run_in(sentence: str) -> bool:
    """Return whether a paragraph's first sentence is its heading: a few words, or capitalised
    words.
    """
    words = sentence.split()
    if len(words) < 5 or len(words) > 15:
        return len(words) < 5
    long = [word for word in words if len(word) > 3]
    return len(long) > 1 and not any(word[0].islower() for word in long)


def abstract_start(document: Document) -> int:
    """Return where the lead baseline of TAC Task 2 starts: after the first line that is only
    `Summary` or `Abstract`.

    Without such a line, it starts with the text; with sections marked by the source, at the
    abstract.
    """
    for section in document.sections:
        if section.kind == "abstract":
            return section.start
    for match in _LINE.finditer(document.text):
        if match.end() - match.start() < 80 and _ABSTRACT.fullmatch(match[0]):
            return match.end()
    return 0


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """Shrink a span by the white space at its ends."""
    raw = text[start:end]
    start += len(raw) - len(raw.lstrip(_BLANK))
    return start, start + len(raw.strip(_BLANK))


def _boundaries(document: Document, block: Block) -> list[tuple[int, int]]:
    """Return start and end in the text of each sentence in a block."""
    if document.sentences:
        return [(s.start, s.end) for s in document.sentences if block.start <= s.start < block.end]
    spans = split_sentences(document.text[block.start : block.end])
    return [(block.start + start, block.start + end) for start, end in spans]


def _from_sections(document: Document) -> Iterator[Block]:
    """Yield blocks of the source's sections; text between them is prose in an unknown section."""
    # Titles count as text in a question's documents; a paper's title adds nothing to its abstract.
    roles = (
        ROLES if document.role in ("source", "snippet", "merged") else ROLES | {"title": "title"}
    )
    at = 0
    for section in sorted(document.sections, key=lambda s: (s.start, s.end)):
        yield from _stretch(document, at, section.start)
        start = max(at, section.start)
        role = roles.get(section.kind, "prose")
        title = section.title.strip()
        if title and section.kind != "title" and document.text.startswith(title, start):
            yield from _stretch(document, start, start + len(title), section.kind, "heading", title)
            start += len(title)
        yield from _stretch(document, start, section.end, section.kind, role, title)
        at = max(at, section.end)
    yield from _stretch(document, at, len(document.text))


def _stretch(
    document: Document,
    start: int,
    end: int,
    section: str = "other",
    role: BlockRole = "prose",
    heading: str = "",
) -> Iterator[Block]:
    """Yield the block of a span, unless it is blank."""
    start, end = _bare(document.text, start, end)
    if start < end:
        yield Block(section, role, heading, start, end)
