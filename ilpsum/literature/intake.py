"""The one place that decides what becomes of what is wrong with a file of abstracts: a record is
left out, a warning counts what was left out or repaired, or the file is refused.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ilpsum.errors import InputError, counted
from ilpsum.files.reading import require_length
from ilpsum.files.start import Start
from ilpsum.literature.abstracts import INDEXED, reader_of
from ilpsum.literature.gate import to_document
from ilpsum.literature.raw import Parsed, Problem, Withdrawn
from ilpsum.records import Document
from ilpsum.records.notices import LeftOut


class InFolder(str):
    """The path of a file found in a folder: it is left out if it cannot be read, where a file that
    the user names raises its error.
    """


def left_out(path: str | Path, error: InputError) -> LeftOut:
    """Return the message that a file of a folder is left out; raise the error of any other file."""
    if not isinstance(path, InFolder):
        raise error
    return LeftOut(f"{error} (left out; the other files of the folder are used)")


# Unreadable records, beyond the number of the others, with which reading ends.
_MOST_UNREAD = 10_000


class Documents(NamedTuple):
    """Documents, and warnings about the files that they come from."""

    documents: tuple[Document, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """What was read from a file: a document, or what is wrong; the last one of a file has neither
    document nor line, and its problems are warnings about the file.

    Attributes:
        document: None if there is none, or it cannot be read.
        problems: what is wrong with the record; in the last one, a line for each kind.
        withdrawn: PMIDs that the file withdraws.
    """

    document: Document | None = None
    problems: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()


def has_abstract(document: Document) -> bool:
    """Return whether a record has an abstract or full text; a title alone is too little to answer
    from.
    """
    return any(section.kind != "title" for section in document.sections)


def documents(source: str | Path | Start) -> Iterator[Document]:
    """Yield the documents of a file, in file order, also those without an abstract; raises as
    `read` does.
    """
    records = read(source, titles=True)
    return (record.document for record in records if record.document is not None)


def read(
    source: str | Path | Start,
    *,
    titles: bool = False,
    strict: bool = False,
) -> Iterator[Record]:
    """Yield the records of a file of abstracts, in file order, and a last one that says, by kind
    and with numbers, what was left out or repaired.

    `titles` keeps records without an abstract, too; `strict` refuses a file with a record that
    cannot be read. `InputError` if the file cannot be read, is of another kind or cut off, or has
    records and none can be read.
    """
    start = Start.of(source)
    reader = reader_of(start)
    if reader is None:
        raise InputError(f"plain text or topics, not abstracts; {INDEXED}", start.path)
    return _records(start, reader(start), _Tally(start.path, strict=strict), titles=titles)


def _records(
    start: Start,
    parsed_records: Iterator[Parsed],
    tally: "_Tally",
    *,
    titles: bool,
) -> Iterator[Record]:
    for parsed in parsed_records:
        if isinstance(parsed, Problem):
            tally.add(parsed)
        elif isinstance(parsed, Withdrawn):
            yield Record(withdrawn=tuple(filter(None, parsed.pmids)))
        else:
            document = to_document(parsed, tally.records + 1)
            tally.records += 1
            if titles or has_abstract(document):
                require_length(document.text, document.id, start.path)
                yield Record(document)
            else:
                tally.without += 1
    yield Record(problems=tuple(tally.lines()))


class _Tally:
    """Counts of what was wrong with a file, by kind."""

    def __init__(self, path: Path, *, strict: bool) -> None:
        self._path, self._strict = path, strict
        self._repairs = dict[str, list[int]]()
        self._unread, self._first = 0, Problem("")
        self.records = self.without = 0

    def add(self, problem: Problem) -> None:
        """Count a problem; `InputError` if there are too many."""
        if not problem.is_lost:
            lines = self._repairs.setdefault(problem.kind, [])
            lines.append(problem.line or 0)
            return
        if self._strict:
            raise InputError(problem.kind, self._path, problem.line)
        self._first = self._first if self._unread else problem
        self._unread += 1
        if self._unread > self.records + _MOST_UNREAD:
            raise self._error("too many records cannot be read; the first: {}")

    def lines(self) -> Iterator[str]:
        """Yield a line for each kind; `InputError` if no record could be read."""
        if self._unread and not self.records:
            raise self._error(f"no record can be read ({self._unread} in all): {{}}")
        for kind, lines in self._repairs.items():
            more = f" ({len(lines)} in all)" if len(lines) > 1 else ""
            yield f"line {lines[0]}: {kind}{more}" if lines[0] else f"{kind}{more}"
        if self.without:
            yield f"skipped {counted(self.without, 'record')} without an abstract"
        if self._unread:
            first = InputError(self._first.kind, self._path, self._first.line)
            number = counted(self._unread, "record")
            yield f"skipped {number} that cannot be read; the first: {first}"

    def _error(self, message: str) -> InputError:
        first = InputError(self._first.kind, self._path, self._first.line)
        return InputError(message.format(first), self._path)
