"""Decode JSON and TOML into typed records: JSON files that ilpsum itself writes, and users'
settings.

A record is a `msgspec.Struct` or dataclass whose types and bounds define valid content. Invalid
content raises an `InputError` with its position; no caller reads a raw dictionary. Numbers must fit
in a double; infinities and NaN are not JSON.
"""

import codecs
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from features.registry import unknown
from ilpsum.errors import ArgumentError, InputError, UsageError, shortened
from ilpsum.files.reading import MISSING, read_bytes
from ilpsum.records.tables import Help as Help
from ilpsum.records.tables import Share as Share
from ilpsum.records.tables import Table as Table

Record = TypeVar("Record")

Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A non-negative integer that a double represents exactly."""
Number = Annotated[float, msgspec.Meta(ge=-1e30, le=1e30)]
"""A number whose square and products still fit in a double."""

LARGEST = 10**9
"""The largest integer that an option or a table accepts, such as a word limit."""
Whole = Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
Natural = Annotated[int, msgspec.Meta(ge=1, le=LARGEST)]
Amount = Annotated[float, msgspec.Meta(ge=0.0, le=LARGEST)]
Positive = Annotated[float, msgspec.Meta(gt=0.0, le=LARGEST)]

UNFIT = (
    msgspec.DecodeError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    RecursionError,
    OverflowError,
)
"""Errors of decoding and checking; beyond those msgspec documents, for deep nesting and numbers of
5,000 digits.
"""

Expected = tuple[str, str]
"""What was expected, and advice, for messages."""

# A settings file has a few kB; the time of a dotted key grows with the square of its length, to a
# second here.
_MOST = 16 * 2**10


def decode(
    data: bytes,
    kind: type[Record],
    expected: Expected,
    path: str | Path,
    line: int | None = None,
) -> Record:
    """Decode JSON as a record; `InputError` if the bytes are not valid JSON or do not fit the
    record.
    """
    return checked(lambda: msgspec.json.decode(data, type=kind), expected, path, line)


def to_builtins(record: Any) -> Any:
    """Return a record as plain dictionaries, lists, texts and numbers."""
    return msgspec.to_builtins(record, enc_hook=_builtin)


def _builtin(value: Any) -> str | float:
    """Return a notice as a text, a number of NumPy's as one of Python's."""
    return str(value) if isinstance(value, str) else value.item()


def encode(record: Any) -> bytes:
    """Encode a record as JSON; lone surrogates, which escapes in JSON input can produce, become
    question marks.
    """
    try:
        return msgspec.json.encode(record, enc_hook=_builtin)
    except UnicodeEncodeError:
        text = json.dumps(to_builtins(record), ensure_ascii=False)
        return msgspec.json.encode(json.loads(text.encode("utf-8", "replace")))


def checked(
    make: Callable[[], Record],
    expected: Expected,
    path: str | Path,
    line: int | None = None,
) -> Record:
    """Return `make()`; errors about invalid content become an `InputError`."""
    try:
        return make()
    except UNFIT as error:
        raise InputError(
            f"expected {expected[0]}, but {reason(error)}; {expected[1]}",
            path,
            line,
        ) from None


def reason(error: Exception) -> str:
    """Return a short description, in our words, of a decoding or validation error."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, KeyError):
        return f"{error} is missing"
    if isinstance(error, TypeError | AttributeError):
        return "a value has the wrong type"
    text, _, place = str(error).partition(" - at `")
    place = place.strip("`").removeprefix("key` in `").removeprefix("$").removeprefix(".")
    for theirs, ours in _OURS:
        text = theirs.sub(ours, text)
    text = _TYPE.sub(
        lambda match: " or ".join(_TYPES.get(name, name) for name in match[1].split(" | ")),
        text,
    )
    text = _FIRST.sub(lambda match: match[0].lower(), text)
    return shortened(f"{place}: {text}" if place else text, 300) or type(error).__name__


def read_table(path: Path, kind: type[Record], what: str, examples: str) -> Record:
    """Read a TOML file as a record, whose type rejects unknown keys and values.

    For messages, `what` describes the file (`a system`), and `examples` is the folder of the
    shipped files. `InputError` if the file cannot be read or does not fit the record.
    """
    if not path.exists():
        raise InputError(MISSING, path)
    data = read_bytes(path, _MOST, f"not {what}: expected a short file of TOML")
    # Editors of Windows begin a file with a BOM.
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return msgspec.toml.decode(data, type=kind)
    except UNFIT as error:
        raise InputError(f"not {what}: {unfit(error)}; see {examples} for examples", path) from None


def tables_in(*folders: Path) -> dict[str, Path]:
    """Return the .toml files of folders by their names without suffix, sorted."""
    files = [path for folder in folders for path in folder.glob("*.toml")]
    return {path.stem: path for path in sorted(files, key=lambda path: path.stem)}


def named_file(name: str, included: Mapping[str, Path], what: str) -> Path:
    """Return a .toml file, or the included one of this name; `UsageError` if there is none, with
    those that exist.

    For messages, `what` describes the file (`sweep`).
    """
    if name.endswith(".toml"):
        return Path(name)
    if name not in included:
        raise UsageError(unknown(what, name, included, "; or name a .toml file"))
    return included[name]


def unfit(error: Exception) -> str:
    """Return a short description of what is wrong in a TOML table."""
    return reason(error).replace("an object", "a table")


def typed(name: str, value: Any, kind: type[Record]) -> Record:
    """Convert a value, or the plain fields of a record, to a type; `ArgumentError` if it does not
    fit.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise ArgumentError(f"{name}: {reason(error)}") from None


# Messages of msgspec and of Python's TOML parser, and their replacements for users.
_FIRST = re.compile("^(?:Expected|Invalid|Illegal|Cannot|Un[a-z]+)")
_TYPE = re.compile("`([a-z0-9 |]+)`")
_TYPES = {
    "int": "a whole number", "float": "a number", "str": "text", "bool": "true or false",
    "array": "a list",
    "object": "an object",
}  # fmt: skip
_OURS = [
    (re.compile(theirs, re.DOTALL), ours)
    for theirs, ours in (
        ("^Object missing required field `(.*)`$", r"the key \1 is missing"),
        ("^Object contains unknown field `(.*)`$", r"unknown key \1"),
        ("^Invalid enum value", "unknown value"),
        ("^JSON is malformed", "it is not JSON"),
        # Of Python's error, which newer versions of msgspec pass on in one of theirs.
        ("^'utf-8' codec can't decode .*|^Invalid UTF-8 encoded string$", "it is not UTF-8"),
        (
            r"^'utf-8' codec can't encode .* position (\d+).*",
            r"expected Unicode text, got half of a surrogate pair at \1",
        ),
        ("^Input data was truncated", "it is cut off"),
        ("^(?:Number|Integer value) out of range", "expected a number that fits in a double"),
        (
            "^Exceeds the limit .* integer string conversion.*",
            "a whole number has more than 4,300 digits",
        ),
        ("`str` of length ([^,]*)", r"`str` of \1 characters"),
        ("`array` of length ([^,]*)", r"`array` of \1 entries"),
        (r"`str` matching regex '\\\\S'", "a text that is not blank"),
        ("`str` matching regex .*", "`str` of another form"),
        ("(?<=`) (?=[<>])", " of "),
        (" <= (?=[-0-9])", " at most "),
        (" >= (?=[-0-9])", " at least "),
        (" < (?=[-0-9])", " less than "),
        (" > (?=[-0-9])", " more than "),
    )
]
