"""Tables: sequences of records with named columns, printable as text and JSON."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from importlib import import_module
from typing import Any, ClassVar, Protocol, TypeVar, overload

from ilpsum.errors import UsageError


class _Record(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


Record = TypeVar("Record", bound=_Record)


class Table(Sequence[Record]):
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

    def __init__(self, kind: type[Record], records: Iterable[Record]) -> None:
        self._kind, self._records = kind, tuple(records)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> "Table[Record]": ...
    def __getitem__(self, index: int | slice) -> "Record | Table[Record]":
        return Table(self._kind, self._records[index]) if isinstance(index, slice) else self._records[index]

    def __len__(self) -> int:
        return len(self._records)

    def __repr__(self) -> str:
        return f"<table of {len(self)} {self._kind.__name__}: {', '.join(self.columns)}>"

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names."""
        return tuple(each.name for each in fields(self._kind))

    def __str__(self) -> str:
        return "\n".join(aligned(self.rows()))

    def rows(self) -> list[dict[str, Any]]:
        """Return each record as a dict of JSON-compatible values."""
        return [asdict(record) for record in self._records]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the values of each column, JSON-compatible."""
        rows = self.rows()
        return {name: [row[name] for row in rows] for name in self.columns}

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame; `UsageError` if pandas is not installed."""
        return _frame("pandas", self.to_dict())

    def to_polars(self) -> Any:
        """Return a polars.DataFrame; `UsageError` if polars is not installed."""
        return _frame("polars", self.to_dict())


def _frame(library: str, columns: dict[str, list[Any]]) -> Any:
    try:
        return import_module(library).DataFrame(columns)
    except ModuleNotFoundError:
        raise UsageError(f"{library} is not installed: pip install {library}; or use to_dict()") from None


def json_line(row: Mapping[str, Any]) -> str:
    """Serialise a row as a JSON object; floats are rounded to six decimals, non-finite ones become null."""
    return json.dumps(_rounded(row), ensure_ascii=False)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _rounded(each) for name, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list | tuple) else value


# Maximum characters of a printed cell; longer texts are truncated. Of collections only the size is printed.
_WIDEST = 60


def aligned(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a printed table: the header, then rows with text left-aligned and numbers right-aligned."""
    table = list(rows)
    if not table:
        return
    cells = [list(table[0]), *([_cell(value) for value in row.values()] for row in table)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    left = [isinstance(value, str) for value in table[0].values()]
    for line in cells:
        padded = (c.ljust(w) if text else c.rjust(w) for c, w, text in zip(line, widths, left, strict=True))
        yield "  ".join(padded).rstrip()


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, Mapping | list | tuple):
        return f"[{len(value)}]"
    text = " ".join(str(value).split())
    if len(text) > _WIDEST:
        return f"{text[: _WIDEST - 3]}..."
    return f"{value:.4f}" if isinstance(value, float) else text
