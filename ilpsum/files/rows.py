"""Rows of named fields: JSON lines, or a table with tabs (.tsv) or commas (.csv), possibly
gzipped.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ilpsum.errors import InputError
from ilpsum.files.json_text import read_json_lines
from ilpsum.files.reading import text_lines
from ilpsum.files.records import encode

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


def written_rows(rows: Iterable[Row], path: str | Path) -> Iterator[bytes]:
    """Yield the lines of a file for rows with the same fields, by its suffix.

    The fields of an inner object become columns of a table; white space in a table is collapsed.
    """
    separator = separator_of(path)
    header = list[str]()
    for row in rows:
        if not separator:
            yield encode(row) + b"\n"
            continue
        values = dict[str, Any]()
        for name, value in row.items():
            values |= value if isinstance(value, dict) else {name: value}
        if not header:
            header = list(values)
            yield _table_line(header, separator)
        yield _table_line([values.get(name) for name in header], separator)


def _table_line(values: Iterable[Any], separator: str) -> bytes:
    texts = ["" if value is None else " ".join(str(value).split()) for value in values]
    if separator == "\t":
        return "\t".join(texts).encode("utf-8", "replace") + b"\n"
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(texts)
    return line.getvalue().encode("utf-8", "replace")


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
