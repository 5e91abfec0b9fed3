"""Records as a table: a sequence of them that also has columns."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from importlib import import_module
from typing import Any, ClassVar, Protocol, TypeVar, overload

from ilpsum.errors import UsageError


class _Record(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


Record = TypeVar("Record", bound=_Record)


class Table(Sequence[Record]):
    """Records of one class, in order; each field is a column.

    >>> from ilpsum import Span
    >>> Table(Span, [Span(0, 4), Span(9, 12)]).to_dict()
    {'start': [0, 9], 'end': [4, 12]}
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
        """The names of the columns."""
        return tuple(each.name for each in fields(self._kind))

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the values of each column, in plain types that JSON can hold."""
        rows = [asdict(record) for record in self._records]
        return {name: [row[name] for row in rows] for name in self.columns}

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame.

        Raises:
            UsageError: pandas is not installed.
        """
        return _frame("pandas", self.to_dict())

    def to_polars(self) -> Any:
        """Return a polars.DataFrame.

        Raises:
            UsageError: polars is not installed.
        """
        return _frame("polars", self.to_dict())


def _frame(library: str, columns: dict[str, list[Any]]) -> Any:
    try:
        return import_module(library).DataFrame(columns)
    except ModuleNotFoundError:
        raise UsageError(f"{library} is not installed: pip install {library}; or use to_dict()") from None
