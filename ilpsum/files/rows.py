"""Rows of named fields: JSON lines, or a table with tabs (.tsv) or commas (.csv), possibly
gzipped.
"""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ilpsum.errors import InputError
from ilpsum.files.json_text import read_json_lines
from ilpsum.files.reading import text_lines

SEPARATORS = {".tsv": "\t", ".csv": ","}
"""The separator of a table, by the suffix of its file."""

Row = dict[str, Any]


def separator_of(path: str | Path) -> str:
    """Return the separator of a table; empty for JSON lines."""
    return SEPARATORS.get(Path(str(path).removesuffix(".gz")).suffix.lower(), "")


def read_rows(path: str | Path) -> Iterator[tuple[int, Row]]:
    """Yield the line and the fields of each row; those of a table are texts.

    Raises:
        InputError: the file cannot be read, or a line is not an object, or not as long as the first
            line of its table.
    """
    separator = separator_of(path)
    if separator:
        yield from _read_table(path, separator)
        return
    for line, value in read_json_lines(path):
        if isinstance(value, InputError):
            raise value
        if not isinstance(value, dict):
            raise InputError("expected a JSON object per line", path, line)
        yield line, value


def _read_table(path: str | Path, separator: str) -> Iterator[tuple[int, Row]]:
    lines = (text for _, text in text_lines(path))
    # Only commas need quotes: a field of ours has no tab.
    reader = csv.reader(
        lines,
        delimiter=separator,
        quoting=csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL,
    )
    try:
        header = next(reader, [])
        for values in reader:
            if not values:
                continue
            if len(values) != len(header):
                what = f"expected {len(header)} fields as in the first line, got {len(values)}"
                raise InputError(what, path, reader.line_num)
            yield reader.line_num, dict(zip(header, values, strict=True))
    except csv.Error as error:
        raise InputError(f"not a table: {error}", path, reader.line_num) from None
