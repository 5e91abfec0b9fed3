"""Read the texts given with a question: plain text, PubMed XML, MEDLINE text or JSON lines, guessed per file."""

import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ilpsum.corpora import jsonl, pubmed
from ilpsum.errors import InputError
from ilpsum.io.files import MAX_TEXT, decode, read_bytes
from ilpsum.io.names import Seen
from ilpsum.records import BrokenTopic, Document

_STDIN = "stdin"
# A single line end, which wraps a line if blank lines separate paragraphs.
_WRAP = re.compile(r"(?<=[^\n])\n(?=[^\n])")


def documents(paths: Sequence[str | Path], warnings: list[str] | None = None) -> Iterator[Document]:
    """Yield the documents of all files, in order.

    A plain text is one document, named after the file; a file of abstracts has a document per PMID; topics in our JSON
    lines give their documents. `-` is standard input. A repeated id gets a number; a repeated id with the same text is
    skipped, with a line in `warnings`.

    Raises:
        InputError: a file cannot be read, has no text, or has a broken record.
    """
    seen, texts = Seen(), Seen()
    for path in paths:
        for document in _stdin() if str(path) == "-" else _of_file(Path(path), Path(path).name):
            if not texts.add(f"{document.id}\n{document.title}\n{document.text}"):
                if warnings is not None:
                    warnings.append(f"{document.id}: given twice with the same text, read once")
                continue
            name, number = document.id, 1
            while not seen.add(name):
                number += 1
                name = f"{document.id}-{number}"
            source = document.source or (document.id if name != document.id else "")
            yield document if name == document.id else replace(document, id=name, source=source)


def _stdin() -> Iterator[Document]:
    # Its format is guessed from its beginning, which a pipe gives only once.
    data = sys.stdin.buffer.read(MAX_TEXT + 1)
    if len(data) > MAX_TEXT:
        raise InputError(f"more than {MAX_TEXT // 2**20} MB; give a file instead", "standard input")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, _STDIN)
        copy.write_bytes(data)
        try:
            yield from _of_file(copy, _STDIN)
        except InputError as error:
            raise InputError(error.message, "standard input", error.line) from None


def _of_file(path: Path, name: str) -> Iterator[Document]:
    if pubmed.recognises(path):
        for document in pubmed.documents(path):
            if isinstance(document, InputError):
                raise document
            if document.text:
                yield document
    elif jsonl.recognises(path):
        for topic in jsonl.read(path):
            if isinstance(topic, BrokenTopic):
                raise topic.error
            yield from topic.documents
    else:
        yield _plain(path, name)


def _plain(path: Path, name: str) -> Document:
    data = read_bytes(path)
    if data.startswith(b"%PDF") or b"\x00" in data[:4096]:
        raise InputError("not a text file; extract its text first (pdftotext FILE.pdf)", path)
    text = decode(data)[0].removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise InputError("no text in the file", path)
    if "\n\n" in text.strip():
        # Replace one character by one, so that offsets stay those of the file.
        text = _WRAP.sub(" ", text)
    return Document(name, text)
