"""Tables: sequences of records with named columns, printable as text and JSON."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields
from html import escape
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Record = TypeVar("Record", bound="DataclassInstance")


class Table(tuple[Record, ...]):
    """A sequence of records of one class, whose fields are the columns.

    >>> from ilpsum import Span
    >>> table = Table(Span, [Span(0, 4), Span(9, 12)])
    >>> table.to_dict()
    {'start': [0, 9], 'end': [4, 12]}
    >>> print(table)
    start  end
        0    4
        9   12
    """

    kind: type[Record]

    def __new__(cls, kind: type[Record], records: Iterable[Record]) -> Self:
        """Return a table of the records, all of class `kind`."""
        table = super().__new__(cls, tuple(records))
        table.kind = kind
        return table

    def __getnewargs__(self) -> tuple[type[Record], tuple[Record, ...]]:
        # What pickle and copy pass to `__new__`.
        return self.kind, tuple(self)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(field.name for field in fields(self.kind))

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        names = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        page = f"<table><tr>{names}</tr>"
        for row in self.rows():
            cells = "".join(f"<td>{escape(cell)}</td>" for cell in _cells(row))
            page += f"<tr>{cells}</tr>"
        return f"{page}</table>"

    def __str__(self) -> str:
        return "\n".join(aligned(self.rows()))

    def rows(self) -> list[dict[str, Any]]:
        """Return each record as a dict of JSON-compatible values."""
        return [asdict(record) for record in self]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the values of each column, JSON-compatible, as `pandas.DataFrame` and
        `polars.DataFrame` take them.
        """
        rows = self.rows()
        return {name: [row[name] for row in rows] for name in self.columns}


def json_line(row: Mapping[str, Any]) -> str:
    """Serialise a row as a JSON object; floats are rounded to six decimals, non-finite ones become
    null.
    """
    return json.dumps(_rounded(row), ensure_ascii=False)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _rounded(part) for name, part in value.items()}
    return [_rounded(part) for part in value] if isinstance(value, list | tuple) else value


# Maximum characters of a printed cell; longer texts are truncated, except signatures, of which
# every part matters. Of collections only the size is printed.
_WIDEST = 60


def aligned(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a printed table: the header, then rows with text left-aligned and numbers
    right-aligned.
    """
    table = list(rows)
    if not table:
        return
    cells = [list(table[0]), *map(_cells, table)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    left = [isinstance(value, str) for value in table[0].values()]
    for line in cells:
        padded = (
            c.ljust(w) if text else c.rjust(w)
            for c, w, text in zip(line, widths, left, strict=True)
        )
        yield "  ".join(padded).rstrip()


def _cells(row: Mapping[str, Any]) -> list[str]:
    return [_cell(value, whole=name == "signature") for name, value in row.items()]


def _cell(value: Any, *, whole: bool = False) -> str:
    if value is None:
        return "-"
    if isinstance(value, Mapping | list | tuple):
        return f"[{len(value)}]"
    text = " ".join(str(value).split())
    if len(text) > _WIDEST and not whole:
        return f"{text[: _WIDEST - 3]}..."
    return f"{value:.4f}" if isinstance(value, float) else text
