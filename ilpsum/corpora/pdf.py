"""Read articles in PDF, by pypdf (the extra `pdf`): text page by page, in the order in which the file draws it.

Most programs draw one column after the other. Left out are lines that repeat at the top or foot of pages, numbers of
pages, and the list of references; words hyphenated at the end of a line are joined. Figures and tables leave their
words among the sentences, so GROBID's TEI of the same PDF is read better (`ilpsum.corpora.articles`). (pdfminer.six,
measured at 20260107, takes justified lines apart, and twice the time.)
"""

import importlib.util
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ilpsum.corpora import pdf_pages
from ilpsum.corpora.publishing import Reference, ids
from ilpsum.errors import InputError, counted
from ilpsum.io.files import head, read_bytes
from ilpsum.papers.headings import is_page_line, section_kind
from ilpsum.records import Document

NOTE = "a PDF: read in the order in which it is drawn, without running heads and references; check what you quote"
"""The warning that says how a PDF was read."""
_WITHOUT = "run OCR first (ocrmypdf IN.pdf OUT.pdf), or export the abstract in PubMed's format"
_MISSING = "a PDF, which needs pypdf: pip install 'ilpsum[pdf]'; or extract its text (pdftotext FILE.pdf)"
_MOST_BYTES = 64 * 2**20
# What reading a PDF may take, in seconds of processor time, seconds of the clock, and bytes of memory.
SECONDS, WAIT, MEMORY = 60, 600, 2**31
# Fewer letters a page than this are those of a scan's cover sheet.
_FEWEST_LETTERS = 100
# Lines at the top and the foot of a page that may be running heads; the share of pages that they repeat on.
_EDGE, _REPEATED = 3, 0.5
_DIGITS = re.compile(r"\d+")
_STOP = re.compile(r"[.:;?!][\"'”’)\]]{0,3}\d{0,3}$")
# A line this much shorter than the longest of its page ends a paragraph.
_SHORT = 0.8
_HIDDEN = ("references", "acknowledgements", "supplement", "front")


def is_pdf(path: Path) -> bool:
    """Return whether a file starts like a PDF."""
    return head(path, 5) == b"%PDF-"


def read(path: str | Path) -> Iterator[Document | InputError]:
    """Yield the article of a PDF; `InputError` if it is damaged, encrypted or scanned, or pypdf is not installed."""
    pages = [_lines(page) for page in _pages(path)]
    letters = sum(character.isalpha() for page in pages for line in page for character in line)
    if letters < _FEWEST_LETTERS * max(1, len(pages)):
        seen = f"{counted(letters, 'letter')} on {counted(len(pages), 'page')}"
        raise InputError(f"a PDF without text, as of a scan ({seen}); {_WITHOUT}", path)
    lines = _without_running_heads(pages)
    title, parts = _parsed(lines)
    found = ids("\n".join(lines[:60]))
    abstract = [("", text) for kind, _, text in parts if kind == "abstract"]
    body = [part for part in parts if part[0] not in ("abstract", *_HIDDEN)]
    yield Reference(ids=found, title=title, abstract=abstract, body=body).document(1)


def _pages(path: str | Path) -> list[str]:
    """Return the text of each page."""
    if importlib.util.find_spec("pypdf") is None:
        raise InputError(_MISSING, path)
    found = pages_of(read_bytes(path, _MOST_BYTES, "expected an article"))
    if isinstance(found, str):
        raise InputError(found, path)
    return found


def pages_of(data: bytes) -> list[str] | str:
    """Return the text of each page of a PDF, or why there is none; a process of its own reads it."""
    # Without `-P` it would find modules of ours where it looks for those of the library.
    command = [sys.executable, "-P", str(pdf_pages.__file__), str(SECONDS), str(MEMORY)]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=WAIT, check=True)  # noqa: S603  # ours
        return msgspec.json.decode(done.stdout, type=list[str] | str)
    except (subprocess.SubprocessError, msgspec.DecodeError):
        return "a PDF that takes too long or too much memory to read; extract its text (pdftotext FILE.pdf)"


def _lines(page: str) -> list[str]:
    # Ligatures become letters; superscripts stay.
    text = "".join(unicodedata.normalize("NFKC", c) if "\ufb00" <= c <= "\ufb06" else c for c in page)
    return [folded for line in text.splitlines() if (folded := " ".join(line.split()))]


def _without_running_heads(pages: list[list[str]]) -> list[str]:
    """Return the lines of all pages but those that repeat, numbers aside, at the edges of pages."""
    edges = Counter(key for page in pages for key in {_DIGITS.sub("#", line) for line in page[:_EDGE] + page[-_EDGE:]})
    running = {key for key, pages_with in edges.items() if pages_with > max(1, _REPEATED * len(pages))}
    left = []
    for page in pages:
        for i, line in enumerate(page):
            at_edge = min(i, len(page) - 1 - i) < _EDGE
            if not (at_edge and (_DIGITS.sub("#", line) in running or line.isdecimal())):
                left.append(line)
    return left


def _parsed(lines: list[str]) -> tuple[str, list[tuple[str, str, str]]]:
    """Return the title, and the paragraphs below the first heading, each with the kind of its section."""
    longest = max(map(len, lines))
    headings = [i for i, line in enumerate(lines) if section_kind(line)]
    begin = next((i for i in headings if section_kind(lines[i]) in ("abstract", "introduction")), 0)
    title = " ".join(lines[: next((i for i, line in enumerate(lines) if i and _ends_title(line)), 1)][:3])
    parts: list[tuple[str, str, str]] = []
    kind, heading, paragraph = "other", "", ""
    for line in lines[begin:]:
        if opened := section_kind(line):
            parts.append((kind, heading, paragraph))
            kind, heading, paragraph = opened, line, ""
        elif not is_page_line(line):
            paragraph = _joined(paragraph, line)
            if len(line) < _SHORT * longest and _STOP.search(line):
                parts.append((kind, heading, paragraph))
                paragraph = ""
    parts.append((kind, heading, paragraph))
    return title, [part for part in parts if part[2]]


def _ends_title(line: str) -> bool:
    """Return whether a line below the first is no more of the title: authors, a heading, a sentence."""
    return bool("," in line or section_kind(line) or _STOP.search(line) or "@" in line or _DIGITS.search(line))


def _joined(paragraph: str, line: str) -> str:
    if paragraph.endswith(("-", "\u00ad", "\u2010")) and line[:1].islower():
        return paragraph[:-1] + line
    return f"{paragraph} {line}" if paragraph else line
