"""Our own JSON lines, one topic per line, for data without a format of its own.

    {"id": str, "query": str, "documents": [DOCUMENT, ...], "summaries": [str, ...], "kind": str}

where a DOCUMENT is

    {"id": str, "title": str, "text": str, "date": str}

Only `id`, `documents` and `text` are required; `summaries` are gold. A newline in a text ends a
paragraph. Use the kind `texts` for topics in general English.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from ilpsum.errors import InputError, SkippedTopicError, counted
from ilpsum.files.json_text import read_json_lines
from ilpsum.files.reading import require_length
from ilpsum.files.records import Expected, checked
from ilpsum.files.start import Start
from ilpsum.literature.markup import PARAGRAPH, one_line, without_markup
from ilpsum.records import BrokenTopic, Document, Summary, Topic
from ilpsum.tasks.registry import Format, Reader
from ilpsum.tasks.submissions import JsonWriter, answers

# Similarity of a slip, such as "summary" for "summaries"; "index" and "kind" have .67.
_CLOSE = 0.75
# Broken entries without an id that are reported one by one, and the number at which reading ends.
_MOST_UNNAMED, _MOST_BROKEN = 5, 10_000
_EXPECTED = 'a JSON object with "id" and "documents"', "correct this line"


class _DocumentLine(msgspec.Struct):
    id: str
    text: str
    title: str | None = None
    date: str | None = None


class _TopicLine(msgspec.Struct):
    id: str
    documents: list[_DocumentLine]
    query: str | None = None
    summaries: list[str] | None = None
    kind: str | None = None


def recognises(start: Start) -> bool:
    """Return whether a file starts with an object that has an id and documents."""
    if not start.text.startswith("{"):
        return False
    return {"id", "documents"} <= start.record.keys() or (
        # The line is longer than what is read of it.
        not start.record and '"id"' in start.text and '"documents"' in start.text
    )


def read(path: str | Path) -> Iterator[Topic | BrokenTopic]:
    """Yield the topics of a file, in file order; an invalid line yields a `BrokenTopic`."""
    return read_entries(read_json_lines(path), path, _EXPECTED, topic)


def read_entries(
    entries: Iterable[tuple[int, Any]],
    path: str | Path,
    expected: Expected,
    make: Callable[[Any], Topic],
) -> Iterator[Topic | BrokenTopic]:
    """Yield the topic that `make` builds from each entry (line, value), or a `BrokenTopic` if it is
    invalid; the first few without an id are reported by line, the others together.

    Raises:
        InputError: no entry is a topic or has an id, as in a file of another format.
    """
    lines, more = set[int](), list[int]()
    first: InputError | None = None
    named = False
    for line, value in entries:
        try:
            if isinstance(value, InputError):
                raise value
            topic = checked(partial(make, value), expected, path, line)
            for document in topic.documents:
                require_length(document.text, document.id, path, line)
            named = True
            yield topic
        except InputError as error:
            first = first or error
            name = value.get("id") if isinstance(value, dict) else None
            if isinstance(name, int | str) and str(name).strip():
                named = True
                yield BrokenTopic(str(name), error)
                continue
            if line in lines or len(lines) == _MOST_UNNAMED:
                more.append(line)
                if len(more) == _MOST_BROKEN:
                    raise InputError(
                        f"too many broken entries; {expected[1]}",
                        path,
                        line,
                    ) from None
            else:
                lines.add(line)
                skipped = SkippedTopicError(error.message, path, line)
                yield BrokenTopic(f"line {line}", skipped)
    if first and not named:
        raise InputError(f"no entry is a topic: {first.message}", path, first.line)
    if more:
        number = counted(len(more), "more entry", "more entries")
        others = SkippedTopicError(f"expected {expected[0]}; correct the file", path, more[0])
        yield BrokenTopic(f"{number} from line {more[0]} on", others)


def topic(value: Any) -> Topic:
    """Return the topic of an object; `msgspec.ValidationError` or `ValueError` if it is none."""
    entry = msgspec.convert(value, _TopicLine)
    _refuse_slips(value)
    if not entry.id.strip():
        raise ValueError('"id" is empty')
    documents: dict[str, Document] = {}
    for line in entry.documents:
        if line.id in documents:
            raise ValueError(f"two documents have the id {line.id!r}")
        text, title = without_markup(line.text).replace(PARAGRAPH, "\n"), one_line(line.title or "")
        documents[line.id] = Document(line.id, text, title, line.date or "")
    return Topic(
        entry.id,
        entry.query or "",
        tuple(documents.values()),
        summaries=tuple(entry.summaries or ()),
        kind=entry.kind or "",
    )


def _refuse_slips(value: Mapping[str, Any]) -> None:
    """Raise `ValueError` if an unknown key is close to a missing one, whose data would be lost.

    Other unknown keys are the user's.
    """
    names = _TopicLine.__struct_fields__
    unknown = [key for key in value if key not in names]
    missing = [name for name in names if name not in value]
    for key in unknown:
        near = get_close_matches(key[:100].lower(), missing, n=1, cutoff=_CLOSE)
        if near:
            raise ValueError(f'"{key[:100]}" is not a key of a topic; did you mean "{near[0]}"?')


class JsonlWriter(JsonWriter):
    """Writes OUT/NAME.jsonl, an object a line.

        {"id", "summary", "sentences": [{"text", "document", "start", "end"}, ...]}

    An answer to a searched question also has its degree, "confidence".
    """

    def fields(self, summary: Summary) -> dict[str, Any]:
        """Return the answer."""
        sentences = [
            {"text": s.text, "document": s.document, "start": s.start, "end": s.end}
            for s in summary.sentences
        ]
        answer = {"id": summary.topic, "summary": summary.text, "sentences": sentences}
        if summary.search:
            answer["confidence"] = summary.search.outcome.degree
        return answer


class _AnswerLine(msgspec.Struct):
    id: str
    summary: str


def texts(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield topic, text and no warning of each answer of a run; `InputError` for a damaged one."""
    return ((answer.id, answer.summary, "") for answer in answers(path, _AnswerLine))


JSONL = Format(
    "jsonl",
    Reader(recognises, read, looks='.jsonl with "id" and "documents"'),
    JsonlWriter,
    texts,
)
