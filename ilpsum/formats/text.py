"""Read the texts given with a question: abstract files, plain texts, topics in our JSON lines,
folders of them.
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ilpsum.errors import InputError, listed
from ilpsum.files.reading import decode, read_bytes
from ilpsum.formats import abstracts, articles, identity, jsonl, pdf
from ilpsum.formats.papers.plain import headline, unwrapped
from ilpsum.records import BrokenTopic, Document
from ilpsum.records.notices import At, Duplicates, SameText

_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8}\d{0,2});", re.IGNORECASE)


def documents(
    paths: Sequence[str | Path], warnings: list[str], damaged: abstracts.SkippedFiles | None = None
) -> Iterator[Document]:
    """Yield the documents of all files, in order; `-` is standard input.

    A plain text is one document, named after the file; other files give the documents of their
    records or topics. `warnings` receives what was skipped, `damaged` the unreadable files in
    folders. `InputError` if a file cannot be read, has no text, or is of an unsupported kind; or if
    a folder has no readable file.
    """
    damaged, found = damaged or abstracts.SkippedFiles(), list[Document]()
    for path in abstracts.files_in(paths, warnings, damaged, plain=True):
        with damaged.reading(path):
            read = (
                _of_stdin(warnings)
                if str(path) == "-"
                else _of_file(Path(path), Path(path).name, warnings)
            )
            found += list(read)  # nothing of a file that cannot be read to its end
    if damaged.errors and not found:
        raise damaged.errors[0]
    yield from distinct(found, warnings)


def distinct(found: Iterable[Document], warnings: list[str]) -> Iterator[Document]:
    """Yield documents without duplicates; of an article's records the fullest, of texts with one id
    numbered ones.
    """
    given, repeated, seen = list(found), list[str](), dict[str, Document]()
    texts, numbers = set[tuple[str, str, str]](), dict[str, int]()
    for group in identity.grouped(given):
        document = identity.united(given[i] for i in group)
        repeated += [document.id] * (len(group) - 1)
        if (text := (document.id, document.title, document.text)) in texts:
            warnings.append(SameText(document.id))
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
        warnings.append(Duplicates(listed(list(dict.fromkeys(repeated))), len(repeated)))


def _of_stdin(warnings: list[str]) -> Iterator[Document]:
    # It can be read only once, but recognising its kind takes its beginning.
    with TemporaryDirectory() as folder:
        path = Path(folder, "stdin")
        path.write_bytes(read_bytes("-", what="expected a text"))
        try:
            yield from _of_file(path, "stdin", warnings)
        except InputError as error:
            raise InputError(error.message, "standard input", error.line) from None


def _of_file(path: Path, name: str, warnings: list[str]) -> Iterator[Document]:
    kind = abstracts.kind_of(path)
    if kind == "abstracts":
        # A reader knows a single article by its file name. The digest tells two files of the same
        # name apart.
        named = pdf.is_pdf(path) or articles.is_article(path)
        for document in abstracts.read(path, warnings):
            yield (
                replace(document, id=re.sub("^record-1(?=-)", lambda _: name, document.id))
                if named
                else document
            )
    elif kind == "topics":
        for topic in jsonl.read(path):
            if isinstance(topic, BrokenTopic):
                raise topic.error
            yield from topic.documents
    else:
        yield _plain(path, name, warnings)


def _plain(path: Path, name: str, warnings: list[str]) -> Document:
    text, recoded = decode(read_bytes(path))
    warnings += [At(name, recoded)] if recoded else []
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return Document(name, unwrapped(text), title=headline(text))
