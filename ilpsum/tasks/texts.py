"""Read the texts given with a question: abstract files, plain texts, topics in our JSON lines,
folders of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from ilpsum.errors import InputError, counted, listed
from ilpsum.files.folders import walk
from ilpsum.files.json_text import well_formed
from ilpsum.files.reading import decode, read_bytes, real, require_length
from ilpsum.files.start import Start
from ilpsum.literature import abstracts, articles, identity, pdf
from ilpsum.literature.intake import Documents, InFolder, left_out, read
from ilpsum.literature.markup import unescaped
from ilpsum.papers.plain import headline, unwrapped, without_line_numbers
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
    for name, form in FORMATS.loadable():
        if not form.reader.gold and form.reader.recognises(start):
            if name == "jsonl":
                return True
            advice = "to summarise them: ilpsum summarize TOPICS --out DIR"
            what = f"topics ({name}), not texts to answer from; {advice}"
            raise abstracts.RefusedError(what, start.path)
    return False


class Files(NamedTuple):
    """Files of texts, those found in folders as `InFolder`, and warnings about the folders."""

    paths: tuple[str | Path, ...]
    problems: tuple[str, ...] = ()


def files_in(paths: Sequence[str | Path], *, plain: bool = False) -> Files:
    """Replace each folder by the abstract files in it, sorted; hidden files are left out, and so
    are those that cannot be read, with a warning.

    With `plain`, plain texts (.txt) and topics in our JSON lines count as well. `InputError` if a
    folder holds topics, or no abstract file.
    """
    files, problems = list[str | Path](), list[str]()
    for path in paths:
        if isinstance(path, InFolder) or str(path) == "-" or not Path(path).is_dir():
            if not plain and Path(path).is_file() and kind_of(Start.of(path)) == "topics":
                raise InputError(f"topics, not abstracts; {abstracts.EXPORT}", path)
            files.append(path)
            continue
        _holds_topics(Start.of(path))
        inside, others, errors = _inside(Path(path), plain=plain)
        if not inside:
            advice = abstracts.EXPORT if plain else abstracts.INDEXED
            none = InputError(f"no file of abstracts in the folder; {advice}", path)
            raise next(iter(errors), none)
        if others:
            number = counted(len(others), "file")
            problems.append(f"{path}: skipped {number} without abstracts: {listed(others)}")
        problems += (left_out(InFolder(path), error) for error in errors)
        files += inside
    return Files(tuple(files), tuple(problems))


def _inside(
    folder: Path,
    *,
    plain: bool,
) -> tuple[list[InFolder], list[str], list[InputError]]:
    """Return the abstract files in a folder and its subfolders, the names of files of other kinds,
    and the errors of those that cannot be read.
    """
    inside, others, errors, root = list[InFolder](), list[str](), list[InputError](), real(folder)
    for parent, folders, names in walk(folder, leaves=False):
        for path in (parent / name for name in (*folders, *names)):
            name = path.relative_to(folder)
            if any(part.startswith(".") for part in name.parts):
                continue
            if not real(path).is_relative_to(root):
                what = "a link that leads out of the folder"
                errors.append(InputError(f"{what}; name its file or folder beside this one", path))
                continue
            if path.is_dir():
                continue
            try:
                # Opening a pipe would wait for its writer.
                kind = kind_of(Start.of(path)) if path.is_file() else None
            except abstracts.RefusedError:
                kind = None
            except InputError as error:
                errors.append(error)
                continue
            is_text = path.name.removesuffix(".gz").lower().endswith((".txt", ".text"))
            is_read = kind == "topics" or (kind == "plain" and is_text)
            if kind == "abstracts" or (plain and is_read):
                inside.append(InFolder(path))
            else:
                others.append(str(name))
    return inside, others, errors


def documents(texts: Sequence[Document | str | Path]) -> Documents:
    """Return the texts that are documents, then the documents of all files, in order, without
    duplicates, and warnings; `-` is standard input.

    A plain text is one document, named after the file; other files give the documents of their
    records or topics. `InputError` if a file cannot be read, has no text, or is of an unsupported
    kind; or if a folder has no readable file.
    """
    whole = tuple(text for text in texts if isinstance(text, Document))
    paths = [text for text in texts if not isinstance(text, Document)]
    files = files_in(paths, plain=True)
    records, problems, first = list[Document](), list(files.problems), None
    for path in files.paths:
        try:
            read = _of_stdin() if str(path) == "-" else _of_file(Path(path))
        except InputError as error:
            # Nothing of a file that cannot be read to its end is used.
            problems.append(left_out(path, error))
            first = first or error
            continue
        records += read.documents
        problems += read.problems
    if not records and first:
        raise first
    kept = distinct(records)
    return Documents((*whole, *kept.documents), (*problems, *kept.problems))


def distinct(documents: Iterable[Document]) -> Documents:
    """Return documents without duplicates: keeps an article's fullest record, and numbers texts
    that share an id.
    """
    records, repeated = list(documents), list[str]()
    kept, problems = list[Document](), list[str]()
    texts, ids = set[tuple[str, str, str]](), set[str]()
    numbers: dict[str, int] = {}
    for group in identity.grouped(records):
        document = identity.united(records[i] for i in group)
        repeated += [document.id] * (len(group) - 1)
        text = document.id, document.title, document.text
        if text in texts:
            problems.append(f"{document.id}: duplicate with the same text, read once")
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
        kept.append(document)
    if repeated:
        names = listed(list(dict.fromkeys(repeated)))
        in_all = f"({len(repeated)} in all)"
        problems.append(f"duplicate records, using the fullest: {names} {in_all}")
    return Documents(tuple(kept), tuple(problems))


def _of_stdin() -> Documents:
    # It can be read only once, but recognising its kind takes its beginning.
    with TemporaryDirectory() as folder:
        path = Path(folder, "stdin")
        data = read_bytes("-", what="expected a text")
        if not data.strip():
            expected = "expected a text or abstracts; pipe some in, or name a file"
            raise InputError(f"it is empty; {expected}", "-")
        path.write_bytes(data)
        try:
            return _of_file(path)
        except InputError as error:
            raise InputError(error.message, "-", error.line) from None


def _of_file(path: Path) -> Documents:
    start = Start.of(path)
    kind = kind_of(start)
    if kind == "plain":
        return _plain(path)
    documents, problems = list[Document](), list[str]()
    if kind == "topics":
        for topic in jsonl.read(path):
            if isinstance(topic, BrokenTopic):
                raise topic.error
            documents += topic.documents
        return Documents(tuple(documents), ())
    # A reader knows a single article by its file name. The digest tells two files of the same name
    # apart.
    is_article = pdf.is_pdf(start) or articles.is_article(start)
    for record in read(start):
        problems += (f"{path.name}: {problem}" for problem in record.problems)
        if document := record.document:
            if is_article and document.id.startswith("record-1-"):
                document = replace(
                    document, id=well_formed(path.name) + document.id.removeprefix("record-1")
                )
            documents.append(document)
    return Documents(tuple(documents), tuple(problems))


def _plain(path: Path) -> Documents:
    name = well_formed(path.name)  # which need not be UTF-8
    text, recoded = decode(read_bytes(path))
    problems = (f"{name}: {recoded}",) if recoded else ()
    require_length(text, "this file", path)
    text = unescaped(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
    text = without_line_numbers(text)
    document = Document(name, unwrapped(text), title=headline(text))
    return Documents((document,), problems)
