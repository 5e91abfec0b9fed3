"""JSON lines in files and in what a command prints."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def lines_of(rows: Iterable[object]) -> str:
    """Rows as the text of a file, one a line."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def read_lines(source: str | Path) -> list[Any]:
    """The rows of a text, or of a file."""
    text = source.read_text("utf-8") if isinstance(source, Path) else source
    return [json.loads(line) for line in text.splitlines()]
