"""The gate for arguments of Python: each is checked against the annotation of its function, and
converted, before any work. The command line checks its options itself.

Numbers and arrays of NumPy become Python's, and sequences lists. Numbers are finite and within the
bounds of the annotation, texts can be encoded, and the fields of topics and documents fit their
types.
"""

import errno
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from functools import cache, wraps
from inspect import signature
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)  # fmt: skip

import msgspec

from ilpsum.errors import TOO_LONG, ArgumentError, joined
from ilpsum.files.records import reason, to_builtins
from ilpsum.records import Document, SourceFilter, Topic

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_DESCRIPTIONS: dict[Any, str] = {
    int: "a whole number",
    float: "a finite number",
    bool: "True or False",
    str: "text",
    Path: "a path",
}
_LISTS: dict[Any, Callable[..., Any]] = {Sequence: list, Iterable: list, tuple: tuple}
_MOST: Any = sys.float_info.max
# Records that users make themselves.
_RECORDS = Document, Topic, SourceFilter


def checked(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Return a function that first checks its arguments as `fitting` does."""
    parameters = signature(function)

    @wraps(function)
    def gate(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        bound = parameters.bind(*args, **kwargs)
        hints = _hints(function)
        for name, value in bound.arguments.items():
            if name in hints and value is not parameters.parameters[name].default:
                bound.arguments[name] = fitting(name, value, hints[name])
        return function(*bound.args, **bound.kwargs)

    return gate


def fitting(name: str, value: Any, hint: Any) -> Any:
    """Return an argument as an annotation has it; `ArgumentError` if it does not fit.

    Items of an iterator are checked as they come.
    """
    try:
        return _fitting(name, value, hint)
    except _MisfitError as misfit:
        raise ArgumentError(str(misfit)) from None


@cache
def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(function, include_extras=True)


class _MisfitError(Exception):
    """A value that does not fit, at a place such as `texts[3]`."""

    def __init__(self, place: str, value: object, expected: str) -> None:
        scalar = value is None or isinstance(value, str | Real)
        got = f"{value!r:.60}" if scalar else type(value).__name__
        super().__init__(f"{place}: expected {expected}, got {got}")
        self.place = place


def _fitting(place: str, value: Any, hint: Any) -> Any:
    """Return a value as an annotation describes it; `_MisfitError` if it does not fit."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _bounded(place, value, hint)
    if origin in (Union, UnionType):
        return _one_of(place, value, hint)
    if origin is Unpack and is_typeddict(parts[0]):
        hints = get_type_hints(parts[0], include_extras=True)
        return {name: _fitting(name, value[name], hints.get(name, Any)) for name in value}
    if hint is Any or isinstance(hint, TypeVar):
        return _of_python(value)
    if isinstance(hint, type):
        return _of_class(place, value, hint)
    if origin in _LISTS and _is_list(value):
        items = (fitting(f"{place}[{i}]", item, parts[0]) for i, item in enumerate(value))
        # Topics may be more than fit in memory.
        is_lazy = origin is Iterable and not isinstance(value, Sized)
        return items if is_lazy else _LISTS[origin](items)
    if origin is Mapping and isinstance(value, Mapping):
        keys = {key: _fitting(place, key, parts[0]) for key in value}
        return {keys[key]: _fitting(f"{place}[{key!r}]", value[key], parts[1]) for key in value}
    if origin is Callable and callable(value):
        return value
    if origin is Literal and isinstance(value, str) and value in parts:
        return value
    raise _MisfitError(place, value, _described(hint))


def _one_of(place: str, value: Any, hint: Any) -> Any:
    """Return a value as one of several types has it."""
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    if value is None and NoneType in get_args(hint):
        return None
    if isinstance(value, str | Path) and Path in kinds:
        return _path(place, value)
    for kind in kinds:
        try:
            return _fitting(place, value, kind)
        except _MisfitError as misfit:
            # A type that fits, but not an item; or the only type.
            if misfit.place != place or len(kinds) == 1:
                raise
    raise _MisfitError(place, value, _described(hint))


def _of_class(place: str, value: Any, kind: type) -> Any:
    """Return a value of a class."""
    number: Any = _of_python(value) if kind in (int, float, bool) else value
    if kind in (int, float) and isinstance(number, bool):
        pass
    elif kind is float:
        # Neither an infinity, nor NaN, nor an integer beyond all floats.
        if isinstance(number, Real) and -_MOST <= number <= _MOST:
            return number if isinstance(number, int) else float(number)
    elif kind is int:
        if isinstance(number, Integral):
            return int(number)
    elif isinstance(number, kind):
        if isinstance(number, _RECORDS):
            _require_fields(place, number)
        # A class of text says more than its letters: a path of a folder, a file left out.
        return encodable(place, _of_python(number)) if kind is str else number
    raise _MisfitError(place, number, _described(kind))


def _bounded(place: str, value: Any, hint: Any) -> float:
    """Return a number within the bounds of an annotation."""
    kind, bounds = get_args(hint)
    try:
        number: float = _of_class(place, value, kind)
    except _MisfitError:
        raise _MisfitError(place, value, _described(hint)) from None
    too_small = bounds.ge is not None and number < bounds.ge
    if too_small or (bounds.gt is not None and number <= bounds.gt):
        raise _MisfitError(place, number, _described(hint))
    if bounds.le is not None and number > bounds.le:
        most = f"a number of at most {bounds.le:,}" if kind is int else _described(hint)
        raise _MisfitError(place, number, most)
    return number


def _described(hint: Any) -> str:
    """Describe what an annotation expects."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        kind, bounds = parts[0], hint.__metadata__[0]
        if kind is float and bounds.ge is not None and bounds.le is not None:
            return f"a number from {bounds.ge:g} to {bounds.le:,.7g}"
        least = f"{bounds.ge:g} or more" if bounds.gt is None else f"more than {bounds.gt:g}"
        return f"{_DESCRIPTIONS[kind]}, {least}"
    if origin in (Union, UnionType):
        names = [_described(part) for part in parts if part is not NoneType]
        if Path in parts and str in parts:
            names.remove("text")
        return joined(names, "or")
    if origin in _LISTS:
        return f"a list of {_described(parts[0])}"
    if origin is Literal:
        return joined(parts, "or")
    kinds: dict[Any, str] = {Mapping: "a mapping", Callable: "a function"}
    article = "an" if getattr(hint, "__name__", "")[:1] in "AEIOU" else "a"
    return kinds.get(origin) or _DESCRIPTIONS.get(hint) or f"{article} {hint.__name__}"


def _require_fields(place: str, record: Any) -> None:
    try:
        fields = to_builtins(record)
        msgspec.convert(fields, type(record))
    except (msgspec.ValidationError, TypeError) as error:
        raise ArgumentError(f"{place}: {reason(error)}") from None
    _require_texts(place, fields)


def _require_texts(place: str, value: Any) -> None:
    """Check the texts in nested lists and dictionaries."""
    if isinstance(value, str):
        encodable(place, value)
    elif isinstance(value, dict):
        for key, item in value.items():
            _require_texts(f"{place}: {key}", item)
    elif isinstance(value, list | tuple):
        for item in value:
            _require_texts(place, item)


def encodable(place: str, value: str) -> str:
    """Return a text; `ArgumentError` if it has half of a surrogate pair, which has no encoding."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(
            f"{place}: expected Unicode text, got half of a surrogate pair at {error.start}"
        ) from None
    return value


def _path(place: str, value: str | Path) -> str | Path:
    """Return a path, which need not exist; its bytes need not be UTF-8."""
    if value == "":
        raise ArgumentError(f"{place}: expected a path, got '', which is the working folder")
    try:
        os.lstat(value)
    except UnicodeEncodeError:
        encodable(place, str(value))
    except ValueError as error:
        raise ArgumentError(f"{place}: expected a path, got {value!r:.60} ({error})") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            advice = f"{TOO_LONG}, or make it a Document"
            raise ArgumentError(f"{place}: {value!r:.60} {advice}") from None
    return value


def _is_list(value: Any) -> bool:
    # A summary can be iterated over, too.
    is_record = hasattr(value, "__dataclass_fields__")
    return isinstance(value, Iterable) and not (
        is_record or isinstance(value, str | bytes | Mapping)
    )


def _of_python(value: Any) -> Any:
    """Return a value with NumPy's numbers and arrays as Python's, ranges and sets as lists."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {key: _of_python(item) for key, item in value.items()}
    if isinstance(value, list | tuple | range | set | frozenset):
        return [_of_python(item) for item in value]
    return value
