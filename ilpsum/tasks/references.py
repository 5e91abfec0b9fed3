"""Gold summaries alone, which are never guessed for topics to summarise.

Either JSON lines as in `ilpsum.tasks.jsonl`, without `documents`, or a folder of plain texts:
`TOPIC.txt`, or `TOPIC.A.txt`, `TOPIC.B.txt` and so on for several of a topic. TAC's folder
`Summary/` is one (`TOPIC.A.summary.txt`).
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ilpsum.files.json_text import read_json_lines
from ilpsum.files.reading import decode_text, read_bytes, require_length
from ilpsum.files.start import Start
from ilpsum.records import BrokenTopic, Topic
from ilpsum.tasks import jsonl
from ilpsum.tasks.registry import Format, Reader

_NAME = re.compile(r"(.+?)(?:\.[A-Z])?(?:\.summary)?\.txt")
_EXPECTED = 'a JSON object with "id" and "summaries"', "correct this line"


def recognises(start: Start) -> bool:
    """Return whether a path is a folder of plain texts only, or begins with an object that has an
    id and summaries.
    """
    if not start.path.is_dir():
        return start.text.startswith("{") and {"id", "summaries"} <= start.record.keys()
    files = _files(start.path)
    return bool(files) and all(_NAME.fullmatch(file.name) and file.is_file() for file in files)


def read(path: str | Path) -> Iterator[Topic | BrokenTopic]:
    """Yield the topics; an invalid line yields a `BrokenTopic`. `InputError` if a text cannot be
    read.
    """
    if not Path(path).is_dir():
        yield from jsonl.read_entries(read_json_lines(path), path, _EXPECTED, _topic)
        return
    summaries: dict[str, list[str]] = {}
    for file in _files(Path(path)):
        if name := _NAME.fullmatch(file.name):
            text, _ = decode_text(read_bytes(file), file)
            require_length(text, file.name, file)
            summaries.setdefault(name[1], []).append(text.removeprefix("\ufeff"))
    for topic, texts in summaries.items():
        yield Topic(topic, summaries=tuple(texts))


def _topic(value: Any) -> Topic:
    return jsonl.topic({"documents": [], **value} if isinstance(value, dict) else value)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("[!.]*"))


_LOOKS = 'for gold, a folder of TOPIC.txt or .jsonl with "id" and "summaries"'
REFERENCES = Format("references", Reader(recognises, read, looks=_LOOKS, gold=True))
