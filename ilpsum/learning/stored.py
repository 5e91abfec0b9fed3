"""Models as files: a dataclass becomes a JSON description and plain arrays, and is rebuilt from
them.

A field is an array, annotated with its kind and axes, as in `Annotated[Floats, "f v columns"]`
(`persistence.fitted`); a dataclass or None, the names of whose arrays begin with the field's name
and a dot; or a value, which msgspec checks against the field's type. `__post_init__` checks what
types cannot express.
"""

from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec
import numpy as np
from numpy.typing import NDArray

from ilpsum.files import persistence
from ilpsum.files.persistence import Arrays, fitted, prefixed
from ilpsum.learning.seen import packed, unpacked

Model = TypeVar("Model")


def write(model: Any, path: str | Path, kind: str, protocol: int) -> None:
    """Write a model that has `topics` and a `name` to a file; see `ilpsum.files.persistence`."""
    description, arrays = flatten(replace(model, topics=None, name=""))
    persistence.save(path, kind, protocol, description, arrays | packed(model.topics))


def read(model: type[Model], path: str | Path, kind: str, protocol: int) -> Model:
    """Read the model that `write` wrote, named after its file; `ModelError` if the file is missing,
    damaged, or of another kind or version.
    """
    stored = persistence.load(path, kind, protocol)
    with persistence.model_errors(path):
        rebuilt: Any = rebuild(model, stored.description, stored.arrays)
        topics = unpacked(stored.arrays)
    name = Path(path).name.removesuffix(".npz")
    named: Model = replace(rebuilt, topics=topics, name=name)
    return named


def flatten(model: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the JSON-ready description and the arrays of a model; `rebuild` restores it."""
    description: dict[str, Any] = {"type": type(model).__name__}
    arrays: dict[str, NDArray[Any]] = {}
    for name in get_type_hints(type(model)):
        value = getattr(model, name)
        if isinstance(value, np.ndarray):
            arrays[name] = value
        elif is_dataclass(value):
            description[name], of_part = flatten(value)
            arrays |= {f"{name}.{key}": array for key, array in of_part.items()}
        else:
            description[name] = msgspec.to_builtins(value)
    return description, arrays


def rebuild(kind: type[Model], description: Mapping[str, Any], arrays: Arrays) -> Model:
    """Return the model that `flatten` took apart.

    Raises:
        KeyError, TypeError, ValueError: a part is missing or invalid, or an array has another type,
            shape or value than its field allows.
    """
    schema, values = dict[str, str](), dict[str, Any]()
    for name, hint in get_type_hints(kind, include_extras=True).items():
        array = _schema(hint)
        parts = _dataclasses(hint)
        if array:
            schema[name] = array
        elif not parts:
            values[name] = msgspec.convert(description[name], hint)
        elif (part := description[name]) is None and type(None) in get_args(hint):
            values[name] = None
        elif part is None:
            raise ValueError(f"the part {name!r} is missing")
        else:
            values[name] = rebuild(parts[part["type"]], part, prefixed(arrays, f"{name}."))
    fitted(arrays, schema)
    return kind(**values, **{name: arrays[name] for name in schema})


def _schema(hint: Any) -> str:
    """Return the kind and axes with which the type of an array is annotated; empty for other
    fields.

    The type itself is not looked at: NumPy has changed what `NDArray` is (an alias since 2.5).
    """
    marks = getattr(hint, "__metadata__", ())
    return next((mark for mark in marks if isinstance(mark, str)), "")


def _dataclasses(hint: Any) -> dict[str, Any]:
    """Return the dataclasses that a field may hold, by name."""
    kinds = (hint, *get_args(hint))
    return {kind.__name__: kind for kind in kinds if hasattr(kind, "__dataclass_fields__")}
