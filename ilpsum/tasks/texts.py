"""Read the texts given with a question: abstract files, plain texts, topics in our JSON lines,
folders of them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from ilpsum.errors import InputError, counted, listed
from ilpsum.files.folders import walk
from ilpsum.files.reading import decode, read_bytes, real, require_length
from ilpsum.files.start import Start
from ilpsum.literature import abstracts, articles, identity, pdf
from ilpsum.literature.abstracts import FileWarnings
from ilpsum.literature.markup import unescaped
from ilpsum.papers.plain import headline, unwrapped
from ilpsum.records import BrokenTopic, Document
from ilpsum.tasks import jsonl
from ilpsum.tasks.registry import FORMATS

Kind = Literal["abstracts", "topics", "plain"]
"""Content of a readable file: abstracts, topics in our JSON lines, or plain text."""


def kind_of(start: Start) -> Kind:
    """Return what a file holds, judged by its content; `InputError` as `abstracts.reader_of`, or if
    it holds topics in another format than our JSON lines.
    """
    if _holds_topics(start):
        return "topics"
    return "abstracts" if abstracts.reader_of(start) else "plain"


def _holds_topics(start: Start) -> bool:
    """Return whether a file holds topics in our JSON lines; `InputError` if a file or folder holds
    those of another format.
    """
    for name in FORMATS:
        if FORMATS[name].reader.recognises(start):
            if name == "jsonl":
                return True
            advice = "to summarise them: ilpsum summarize TOPICS --out DIR"
            what = f"topics ({name}), not texts to answer from; {advice}"
            raise abstracts.RefusedError(what, start.path)
    return False


def files_in(
    paths: Sequence[str | Path],
    warnings: FileWarnings,
    *,
    plain: bool = False,
) -> list[str | Path]:
    """Replace each folder by the abstract files in it, sorted; hidden files are left out.

    `warnings` receives a line for each folder that holds files of other kinds, the files found in
    folders, and the errors of unreadable ones. With `plain`, plain texts (.txt) and topics in our
    JSON lines count as well. `InputError` if a folder holds topics, or no abstract file.
    """
    files: list[str | Path] = []
    for path in paths:
        if str(path) == "-" or not Path(path).is_dir():
            if not plain and Path(path).is_file() and kind_of(Start.of(path)) == "topics":
                raise InputError(f"topics, not abstracts; {abstracts.EXPORT}", path)
            files.append(path)
            continue
        _holds_topics(Start.of(path))
        known = len(warnings.errors)
        inside, others = _inside(Path(path), warnings, plain=plain)
        if not inside:
            none = InputError(f"no file of abstracts in the folder; {abstracts.EXPORT}", path)
            raise next(iter(warnings.errors[known:]), none)
        if others:
            number = counted(len(others), "file")
            warnings.lines.append(f"{path}: skipped {number} without abstracts: {listed(others)}")
        warnings.inside.update(map(str, inside))
        files += inside
    return files


def _inside(
    folder: Path,
    warnings: FileWarnings,
    *,
    plain: bool,
) -> tuple[list[Path], list[str]]:
    """Return the abstract files in a folder and its subfolders, and the names of files of other
    kinds.
    """
    inside, others, root = list[Path](), list[str](), real(folder)
    for parent, folders, names in walk(folder, leaves=False):
        for path in (parent / name for name in (*folders, *names)):
            name = path.relative_to(folder)
            if any(part.startswith(".") for part in name.parts):
                continue
            if not real(path).is_relative_to(root):
                what = "a link that leads out of the folder"
                advice = "name its file or folder beside this one"
                warnings.errors.append(InputError(f"{what}; {advice}", path))
                continue
            if path.is_dir():
                continue
            try:
                # Opening a pipe would wait for its writer.
                kind = kind_of(Start.of(path)) if path.is_file() else None
            except abstracts.RefusedError:
                kind = None
            except InputError as error:
                warnings.errors.append(error)
                continue
            is_text = path.name.removesuffix(".gz").lower().endswith((".txt", ".text"))
            is_read = kind == "topics" or (kind == "plain" and is_text)
            if kind == "abstracts" or (plain and is_read):
                inside.append(path)
            else:
                others.append(str(name))
    return inside, others


def documents(
    texts: Sequence[Document | str | Path],
    warnings: FileWarnings | None = None,
) -> Iterator[Document]:
    """Yield the texts that are documents, then the documents of all files, in order; `-` is
    standard input.

    A plain text is one document, named after the file; other files give the documents of their
    records or topics. `InputError` if a file cannot be read, has no text, or is of an unsupported
    kind; or if a folder has no readable file.
    """
    yield from (text for text in texts if isinstance(text, Document))
    warnings = warnings or FileWarnings()
    records, lines, known = list[Document](), warnings.lines, len(warnings.errors)
    paths = [text for text in texts if not isinstance(text, Document)]
    for path in files_in(paths, warnings, plain=True):
        with warnings.reading(path):
            of_file = _of_stdin(lines) if str(path) == "-" else _of_file(Path(path), lines)
            records += list(of_file)  # nothing of a file that cannot be read to its end
    if not records and len(warnings.errors) > known:
        raise warnings.errors[known]
    yield from distinct(records, lines)


def distinct(documents: Iterable[Document], warnings: list[str]) -> Iterator[Document]:
    """Yield documents without duplicates: keeps an article's fullest record, and numbers texts that
    share an id.
    """
    records, repeated = list(documents), list[str]()
    texts, ids = set[tuple[str, str, str]](), set[str]()
    numbers: dict[str, int] = {}
    for group in identity.grouped(records):
        document = identity.united(records[i] for i in group)
        repeated += [document.id] * (len(group) - 1)
        text = document.id, document.title, document.text
        if text in texts:
            warnings.append(f"{document.id}: duplicate with the same text, read once")
            continue
        texts.add(text)
        name = document.id
        while name in ids:
            number = numbers[document.id] = numbers.get(document.id, 1) + 1
            name = f"{document.id}-{number}"
        ids.add(name)
        if name != document.id:
            document = replace(
                document,
                id=name,
                source=document.source or document.id,
            )
        yield document
    if repeated:
        names = listed(list(dict.fromkeys(repeated)))
        warnings.append(f"duplicate records, using the fullest: {names} ({len(repeated)} in all)")


def _of_stdin(warnings: list[str]) -> Iterator[Document]:
    # It can be read only once, but recognising its kind takes its beginning.
    with TemporaryDirectory() as folder:
        path = Path(folder, "stdin")
        path.write_bytes(read_bytes("-", what="expected a text"))
        try:
            yield from _of_file(path, warnings)
        except InputError as error:
            raise InputError(error.message, "standard input", error.line) from None


def _of_file(path: Path, warnings: list[str]) -> Iterator[Document]:
    start = Start.of(path)
    kind = kind_of(start)
    if kind == "abstracts":
        # A reader knows a single article by its file name. The digest tells two files of the same
        # name apart.
        is_article = pdf.is_pdf(start) or articles.is_article(start)
        for document in abstracts.read(start, warnings):
            if is_article and document.id.startswith("record-1-"):
                document = replace(document, id=path.name + document.id.removeprefix("record-1"))
            yield document
    elif kind == "topics":
        for topic in jsonl.read(path):
            if isinstance(topic, BrokenTopic):
                raise topic.error
            yield from topic.documents
    else:
        yield _plain(path, warnings)


def _plain(path: Path, warnings: list[str]) -> Document:
    text, recoded = decode(read_bytes(path))
    if recoded:
        warnings.append(f"{path.name}: {recoded}")
    require_length(text, "this file", path)
    text = unescaped(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
    return Document(path.name, unwrapped(text), title=headline(text))
