"""Read the texts given with a question: abstract files, plain texts, topics in our JSON lines, folders of them."""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from ilpsum.errors import InputError, listed
from ilpsum.files.reading import MAX_TEXT, as_file, decode, open_bytes, read_bytes
from ilpsum.formats import abstracts, articles, identity, jsonl, pdf
from ilpsum.formats.papers.newswire import is_byline
from ilpsum.records import BrokenTopic, Document

_STDIN = "stdin"
# Longer lines are whole paragraphs: a text made of them is not hard-wrapped.
_WIDEST = 200
# A line shorter than this share of the longest in its paragraph was ended on purpose, not by wrapping; texts are not
# wrapped more narrowly than this.
_SHORT, _NARROWEST = 0.75, 40
_INDENTED, _BULLET = re.compile(r"[ ]{2,}|\t"), re.compile(r"(?:[*•▪●■‣–—-]|\d{1,2}[.)])\s")
# Minimum share of lines that begin in lower case in a hard-wrapped text.
_CONTINUED = 0.2
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8}\d{0,2});", re.IGNORECASE)

# Maximum words in a first line that may be a title, and punctuation that ends a line of text.
_TITLE_WORDS = 20
_STOP = re.compile(r"[.:;,!?][\"'”’)\]]*\s*$")


def documents(
    paths: Sequence[str | Path], warnings: list[str], damaged: abstracts.SkippedFiles | None = None
) -> Iterator[Document]:
    """Yield the documents of all files, in order.

    A plain text is one document, named after the file; an abstract file has one document per record; topics in our
    JSON lines yield their documents. `-` is standard input. Of several records of an article the fullest is used; a
    different text with the same id gets a number. `warnings` receives what was skipped, `damaged` the unreadable files
    in folders. `InputError` if a file cannot be read, has no text, or is of an unsupported kind; or if a folder has no
    readable file.
    """
    damaged, found = damaged or abstracts.SkippedFiles(), list[Document]()
    for path in abstracts.files_in(paths, warnings, damaged, plain=True):
        with damaged.reading(path):
            found += list(_of_input(path, warnings))
    if damaged.errors and not found:
        raise damaged.errors[0]
    yield from distinct(found, warnings)


def documents_in(texts: Iterable[tuple[str, bytes]], warnings: list[str], most: int) -> Iterator[Document]:
    """Yield the documents of in-memory texts, given as (name, bytes), recognised and read as files are.

    Only the first `most` are read, with a warning. `InputError` if a text is empty or of an unsupported kind.
    """
    found = (document for name, data in texts for document in _of_bytes(data, name, warnings))
    first = list(islice(found, most))
    if next(found, None):
        warnings.append(f"more than {most} texts or records: reading only the first {most}")
    yield from distinct(first, warnings)


def distinct(found: Iterable[Document], warnings: list[str]) -> Iterator[Document]:
    """Yield documents without duplicates and with unique ids; of an article's records, the fullest."""
    given, repeated, seen = list(found), list[str](), dict[str, Document]()
    texts, numbers = set[tuple[str, str, str]](), dict[str, int]()
    for group in identity.grouped(given):
        document = identity.united(given[i] for i in group)
        repeated += [document.id] * (len(group) - 1)
        if (text := (document.id, document.title, document.text)) in texts:
            warnings.append(f"{document.id}: duplicate with the same text, read once")
            continue
        texts.add(text)
        name = document.id
        while name in seen:
            number = numbers[document.id] = numbers.get(document.id, 1) + 1
            name = f"{document.id}-{number}"
        source = document.source or (document.id if name != document.id else "")
        seen[name] = document if name == document.id else replace(document, id=name, source=source)
    yield from seen.values()
    if repeated:
        named = listed(list(dict.fromkeys(repeated)))
        warnings.append(f"duplicate records, using the fullest: {named} ({len(repeated)} in all)")


def _of_input(path: str | Path, warnings: list[str]) -> Iterator[Document]:
    standard = str(path) == "-"
    if Path(path).is_file() and not standard:
        yield from _of_file(Path(path), Path(path).name, warnings)
        return
    # A pipe can be read only once, but recognising its kind takes its beginning.
    with open_bytes(path) as stream:
        data = stream.read(MAX_TEXT + 1)
    where = "standard input" if standard else str(path)
    if len(data) > MAX_TEXT:
        raise InputError(f"more than {MAX_TEXT // 2**20} MB; give a file instead", where)
    yield from _of_bytes(data, _STDIN if standard else Path(path).name, warnings, where)


def _of_bytes(data: bytes, name: str, warnings: list[str], where: str = "") -> Iterator[Document]:
    with as_file(data) as path:
        try:
            yield from _of_file(path, name, warnings)
        except InputError as error:
            raise InputError(error.message, where or name, error.line) from None


def _of_file(path: Path, name: str, warnings: list[str]) -> Iterator[Document]:
    kind = abstracts.kind_of(path, name)
    if kind == "abstracts":
        # A reader knows a single article by its file name. The digest tells two files of the same name apart.
        named = pdf.is_pdf(path) or articles.is_article(path)
        for document in abstracts.read(path, warnings):
            yield replace(document, id=re.sub("^record-1(?=-)", lambda _: name, document.id)) if named else document
    elif kind == "topics":
        for topic in jsonl.read(path):
            if isinstance(topic, BrokenTopic):
                raise topic.error
            yield from topic.documents
    elif kind == "ids":
        raise InputError(abstracts.IDS, path)
    else:
        yield _plain(path, name, warnings)


def _plain(path: Path, name: str, warnings: list[str]) -> Document:
    text, recoded = decode(read_bytes(path))
    warnings += [f"{name}: {recoded}"] if recoded else []
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return Document(name, _unwrapped(text), title=_headline(text))


def _unwrapped(text: str) -> str:
    """Join the lines of each paragraph of a hard-wrapped text; offsets stay valid.

    Blank lines, indents and bullets separate the paragraphs. A title, a byline, and a short line without end
    punctuation before a capital (a heading) stay lines. All lines stay if lines of more than 200 characters hold half
    of the text, or if there are no blank lines and few signs of wrapping (unpunctuated ends, lower-case starts).
    """
    lines = text.split("\n")
    in_long = sum(len(line) for line in lines if len(line) > _WIDEST)
    unstopped = [not _STOP.search(line) for line in lines if len(line) > _NARROWEST]
    continued = sum(line.lstrip()[:1].islower() for line in lines)
    wrapped = "\n\n" in text.strip() or (2 * sum(unstopped) > len(unstopped) and continued >= _CONTINUED * len(lines))
    if 2 * in_long > len(text) or not wrapped:
        return text
    # Longest line from each line to the end of its paragraph.
    width, widths, title = 0, list[int](), _headline(text)
    for line in reversed(lines):
        width = max(width, len(line)) if line.strip() else 0
        widths.append(width)
    joined = [lines[0]]
    for line, following, width in zip(lines, lines[1:], reversed(widths), strict=False):
        bare, next_ = line.strip(), following.strip()
        ends = not (bare and next_) or is_byline(bare) or is_byline(next_) or bare.lstrip("# ") == title
        ends |= bool(_INDENTED.match(following)) and not _INDENTED.match(line)
        ends |= _BULLET.match(next_) is not None
        ends |= len(line) < _SHORT * width and not _STOP.search(line) and next_[:1].isupper()
        joined += ["\n" if ends else " ", following]
    return "".join(joined)


def _headline(text: str) -> str:
    """Return the first line of a text if it reads as a title: at most 20 words, no final stop, and text below it.

    The first line of a hard-wrapped paragraph is not a title.
    """
    first, _, rest = text.strip().partition("\n")
    if not (rest and 0 < len(first.split()) <= _TITLE_WORDS) or _STOP.search(first):
        return ""
    paragraph = rest.split("\n\n", 1)[0].split("\n")
    widest = max(map(len, paragraph))
    wrapped = _NARROWEST < widest <= _WIDEST and len(first) >= _SHORT * widest and _STOP.search(paragraph[-1])
    cut = paragraph[0].strip() and (wrapped or paragraph[0].lstrip()[0].islower())
    return "" if cut else first.strip().lstrip("# ")
