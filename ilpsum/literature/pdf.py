"""Read articles in PDF with pypdf (the extra `pdf`): text page by page, in drawing order.

Most programs draw one column after the other. Words of figures and tables remain among the
sentences, so GROBID's TEI of the same PDF gives better text (`ilpsum.literature.articles`).
(pdfminer.six, measured at 20260107, breaks up justified lines and takes twice the time.)
"""

import importlib.util
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator

import msgspec

from ilpsum.errors import InputError, counted
from ilpsum.files.reading import read_bytes
from ilpsum.files.start import Start
from ilpsum.literature import pdf_pages
from ilpsum.literature.raw import Parsed, Problem, Raw
from ilpsum.papers.headings import section_kind
from ilpsum.papers.plain import continued_line, without_line_numbers
from ilpsum.papers.scraped import is_page_line
from ilpsum.resources import installs

_WITHOUT = "run OCR first (ocrmypdf IN.pdf OUT.pdf), or export the abstract in PubMed's format"
_AS_DRAWN = (
    "a PDF: read in the order in which it is drawn, without running heads and references; check "
    "what you quote"
)
_MOST_BYTES = 64 * 2**20
# Limits for reading a PDF: seconds of CPU time, wall-clock seconds, bytes of memory.
SECONDS, WAIT, MEMORY = 60, 600, 2**31
# With fewer letters per page, the PDF is taken for a scan with a cover sheet.
_FEWEST_LETTERS = 100
# Number of lines at the top and at the foot of a page that may be running heads; minimum share of
# pages with them.
_EDGE, _REPEATED = 3, 0.5
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_DIGITS = re.compile(r"\d+")
_STOP = re.compile(r"[.:;?!][\"'”’)\]]{0,3}\d{0,3}$")
# A line shorter than this share of the longest line may end a paragraph.
_SHORT = 0.8
_HIDDEN = ("references", "acknowledgements", "supplement", "front")


def is_pdf(start: Start) -> bool:
    """Return whether a file starts like a PDF."""
    return start.data.startswith(b"%PDF-")


def read(start: Start) -> Iterator[Parsed]:
    """Yield the article of a PDF; `InputError` if it is damaged, encrypted or scanned, or pypdf is
    not installed.
    """
    path = start.path
    if importlib.util.find_spec("pypdf") is None:
        needed = f"a PDF, which needs pypdf: {installs('pdf')}"
        raise InputError(f"{needed}; or extract its text (pdftotext FILE.pdf)", path)
    texts = pages_of(read_bytes(path, _MOST_BYTES, "expected an article"))
    if isinstance(texts, str):
        raise InputError(texts, path)
    pages = [_lines(without_line_numbers(text)) for text in texts]
    letters = sum(character.isalpha() for page in pages for line in page for character in line)
    if letters < _FEWEST_LETTERS * max(1, len(pages)):
        seen = f"{counted(letters, 'letter')} on {counted(len(pages), 'page')}"
        raise InputError(f"a PDF without text, as of a scan ({seen}); {_WITHOUT}", path)
    lines = _without_running_heads(pages)
    title, parts = _parsed(lines)
    abstract = [("", text) for kind, _, text in parts if kind == "abstract"]
    body = [part for part in parts if part[0] not in ("abstract", *_HIDDEN)]
    yield Raw(named=["\n".join(lines[:60])], title=title, abstract=abstract, body=body)
    yield Problem(_AS_DRAWN)


def pages_of(data: bytes) -> list[str] | str:
    """Return the text of each page of a PDF, or an error message; a separate process reads the
    file.
    """
    # Without `-P`, the process would import our modules in place of library modules.
    command = [sys.executable, "-P", str(pdf_pages.__file__), str(SECONDS), str(MEMORY)]
    try:
        done = subprocess.run(  # noqa: S603  # our own program
            command,
            input=data,
            capture_output=True,
            timeout=WAIT,
            check=True,
        )
        return msgspec.json.decode(done.stdout, type=list[str] | str)
    except (subprocess.SubprocessError, msgspec.DecodeError):
        return (
            "a PDF that takes too long or too much memory to read; extract its text (pdftotext "
            "FILE.pdf)"
        )


def _lines(page: str) -> list[str]:
    return [
        folded
        for line in page.translate(_LIGATURES).splitlines()
        if (folded := " ".join(line.split()))
    ]


def _without_running_heads(pages: list[list[str]]) -> list[str]:
    """Return the lines of all pages without those that repeat, except for digits, at page edges."""
    edges = Counter(
        key
        for page in pages
        for key in {_DIGITS.sub("#", line) for line in page[:_EDGE] + page[-_EDGE:]}
    )
    running = {
        key for key, pages_with in edges.items() if pages_with > max(1, _REPEATED * len(pages))
    }
    kept = []
    for page in pages:
        for i, line in enumerate(page):
            at_edge = min(i, len(page) - 1 - i) < _EDGE
            if not (at_edge and (_DIGITS.sub("#", line) in running or line.isdecimal())):
                kept.append(line)
    return kept


def _parsed(lines: list[str]) -> tuple[str, list[tuple[str, str, str]]]:
    """Return the title, and the paragraphs from the abstract or introduction on as (section kind,
    heading, text).
    """
    longest = max(map(len, lines))
    begin = next(
        (i for i, line in enumerate(lines) if section_kind(line) in ("abstract", "introduction")),
        0,
    )
    title = " ".join(
        lines[: next((i for i, line in enumerate(lines) if i and _ends_title(line)), 1)][:3]
    )
    parts: list[tuple[str, str, str]] = []
    kind, heading, paragraph = "other", "", list[str]()
    for line in lines[begin:]:
        if opened := section_kind(line):
            parts.append((kind, heading, _joined(paragraph)))
            kind, heading, paragraph = opened, line, []
        elif not is_page_line(line):
            paragraph.append(line)
            if len(line) < _SHORT * longest and _STOP.search(line):
                parts.append((kind, heading, _joined(paragraph)))
                paragraph = []
    parts.append((kind, heading, _joined(paragraph)))
    return title, [part for part in parts if part[2]]


def _ends_title(line: str) -> bool:
    """Return whether a line below the first no longer belongs to the title: authors, a heading, a
    sentence.
    """
    return bool(
        "," in line
        or section_kind(line)
        or _STOP.search(line)
        or "@" in line
        or _DIGITS.search(line)
    )


def _joined(lines: list[str]) -> str:
    """Return the lines of a paragraph as one."""
    following = [*lines[1:], ""]
    return "".join(map(continued_line, lines, following)).rstrip(" ")
