"""What is handed over with a question: plain text, PubMed XML, MEDLINE text or JSON lines, each guessed by its look."""

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
# A line end with a line before and after it: a wrapped line, where there are blank lines to part paragraphs.
_WRAP = re.compile(r"(?<=[^\n])\n(?=[^\n])")


def documents(paths: Sequence[str | Path], warnings: list[str] | None = None) -> Iterator[Document]:
    """The documents of all files, in order.

    A plain text is a document whose id is the file's name; a file of abstracts is as many documents, by PMID; a file of
    topics in our JSON lines gives their documents. `-` is standard input. An id that came before gets a number; where
    the text is the same too, the document is there once.

    Args:
        paths: the files.
        warnings: takes a line for each document that was handed over again.

    Raises:
        InputError: a file that cannot be read, holds no text, or a record of it is broken.
    """
    seen, texts = Seen(), Seen()
    for path in paths:
        for document in _stdin() if str(path) == "-" else _of_file(Path(path), Path(path).name):
            if not texts.add(f"{document.id}\n{document.title}\n{document.text}"):
                if warnings is not None:
                    warnings.append(f"{document.id}: handed over twice with the same text, read once")
                continue
            name, number = document.id, 1
            while not seen.add(name):
                number += 1
                name = f"{document.id}-{number}"
            source = document.source or (document.id if name != document.id else "")
            yield document if name == document.id else replace(document, id=name, source=source)


def _stdin() -> Iterator[Document]:
    # Its form can only be guessed from its beginning, which a pipe gives once.
    data = sys.stdin.buffer.read(MAX_TEXT + 1)
    if len(data) > MAX_TEXT:
        raise InputError(f"more than {MAX_TEXT // 2**20} MB; hand over a file", "standard input")
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, _STDIN)
        kept.write_bytes(data)
        try:
            yield from _of_file(kept, _STDIN)
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
        # One character for one, so that offsets still count in the file's text.
        text = _WRAP.sub(" ", text)
    return Document(name, text)
