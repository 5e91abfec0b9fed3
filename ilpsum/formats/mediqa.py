"""Read MEDIQA 2021 multi-answer summarization (Ben Abacha et al. 2021): consumer questions with several answers.

A folder has one set as distributed by the task: `*Questions.txt` and optionally `*ExtractiveSummaries.txt`, with
`ID||text` on each line; and `*Answers.xlsx`, whose first sheet has a header row, then a question id, an answer id and
the answer in each row. Alternatively a file has one question per line: `{"id", "question", "answers": [str],
"extractive": str (optional gold)}`. Tags are removed, and missing spaces between sentences are inserted.
"""

import html
import io
import re
import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import msgspec

from ilpsum.errors import InputError, UsageError
from ilpsum.files.json_stream import read_json_lines
from ilpsum.files.reading import MAX_TEXT, beginning, read_bytes, text_lines
from ilpsum.files.records import checked
from ilpsum.formats.jsonl import topics
from ilpsum.records import ANSWERS, BrokenTopic, Document, Topic

OPTIONS: tuple[str, ...] = ()

_EXPECTED = 'an object with "id", "question" and "answers"', "correct this line"
_ROWS = "a sheet with headings, then rows of a question's id, an answer's id and the answer", "save it as .xlsx again"
_QUESTIONS, _ANSWERS, _SUMMARIES = "questions.txt", "answers.xlsx", "extractivesummaries.txt"
# Tags of headings and paragraphs end a line; `<b>` and the like do not. Spreadsheets encode a line end as `_x000D_`.
_BLOCK = re.compile(r"</?(?:br|div|h\d|li|ol|p|ul)\b[^<>]*>|_x000D_", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)
_GLUED = re.compile(r"(?<=[a-z)\]][.?!])(?=[A-Z][a-z]* )")

_NotBlank = Annotated[str, msgspec.Meta(pattern=r"\S")]
# Question id, answer id, answer.
_Row = tuple[int | _NotBlank, Any, str]


class _Question(msgspec.Struct):
    id: int | _NotBlank
    question: _NotBlank
    answers: list[str]
    extractive: str | None = None


def recognises(path: Path) -> bool:
    """Return whether a folder has questions and answers, or a file starts like a question with answers."""
    if path.is_dir():
        return all(_files(path, name) for name in (_QUESTIONS, _ANSWERS))
    begin = beginning(path)
    return begin.startswith("{") and '"question"' in begin and '"answers"' in begin


def read(path: str | Path) -> Iterator[Topic | BrokenTopic]:
    """Yield the questions of a folder (which needs openpyxl) or file, in order, with their answers as documents."""
    if Path(path).is_dir():
        return _of_folder(Path(path))
    return topics(read_json_lines(path), path, _of_line)


def entries(path: str | Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, id and text of each entry in a file of `ID||text`; `InputError` for a malformed line."""
    for line, text in text_lines(path):
        name, bars, rest = text.partition("||")
        name = name.strip("\ufeff ")
        if name and bars:
            yield line, name, rest.strip()
        elif text.strip():
            raise InputError("expected ID||text; correct this line", path, line)


def _of_line(value: Any, path: str | Path, line: int) -> Topic:
    entry = checked(lambda: msgspec.convert(value, _Question), _EXPECTED, path, line)
    return _topic(str(entry.id).strip(), entry.question, entry.answers, entry.extractive or "")


def _of_folder(folder: Path) -> Iterator[Topic | BrokenTopic]:
    for name in (_QUESTIONS, _ANSWERS):
        if len(found := _files(folder, name)) != 1:
            raise InputError(f"{len(found)} files *{name}; expected one: name a folder with one set of MEDIQA", folder)
    (questions,), (sheet,) = _files(folder, _QUESTIONS), _files(folder, _ANSWERS)
    answers: dict[str, list[str]] = {}
    for question, _, text in _rows(sheet):
        answers.setdefault(str(question).strip(), []).append(text)
    gold = {name: text for path in _files(folder, _SUMMARIES) for _, name, text in entries(path)}
    for line, name, question in entries(questions):
        if name in answers:
            yield _topic(name, question, answers[name], gold.get(name, ""))
        else:
            message = f"no answer to the question {name} in {sheet.name}; add its answers, or leave the question out"
            yield BrokenTopic(name, InputError(message, questions, line))


def _files(folder: Path, name: str) -> list[Path]:
    """Return the files of a folder whose lower-cased names end with `name`."""
    return sorted(p for p in folder.iterdir() if p.is_file() and p.name.lower().endswith(name))


def _rows(path: Path) -> list[_Row]:
    """Return the rows of a spreadsheet without the header row."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise UsageError(f"{path}: openpyxl is not installed: pip install 'ilpsum[xlsx]'") from None
    data = io.BytesIO(read_bytes(path))
    try:
        with zipfile.ZipFile(data) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MAX_TEXT:
                raise InputError(f"expected at most {MAX_TEXT // 2**20} MB of answers", path)
        sheet = load_workbook(data, read_only=True, data_only=True).worksheets[0]
        rows = [row[:3] for row in islice(sheet.iter_rows(values_only=True), 1, None) if any(row)]
    except (OSError, zipfile.BadZipFile, ValueError, KeyError, IndexError, SyntaxError) as error:
        raise InputError(f"not a spreadsheet: expected {_ROWS[0]}; {_ROWS[1]}", path) from error
    return checked(lambda: msgspec.convert(rows, list[_Row]), _ROWS, path)


def _topic(name: str, question: str, answers: list[str], gold: str) -> Topic:
    texts = (_GLUED.sub(" ", html.unescape(_TAG.sub("", _BLOCK.sub("\n", answer)))).strip() for answer in answers)
    documents = tuple(Document(f"{name}-{number}", text) for number, text in enumerate(texts, 1))
    return Topic(name, " ".join(question.split()), documents, summaries=(gold,) if gold.strip() else (), kind=ANSWERS)
