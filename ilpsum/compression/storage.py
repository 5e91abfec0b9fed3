"""The parser's model file: weights as 8-bit integers, with a scale for each row or column."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct, convert
from numpy.typing import NDArray

from ilpsum.compression.network import Floats
from ilpsum.compression.parser import Parser, WordTable
from ilpsum.errors import ModelError
from ilpsum.io.arrays import fitted
from ilpsum.io.persistence import load, model_errors, unpack
from ilpsum.resources import models

KIND, PROTOCOL = "parser", 1
# Tables are scaled by row, because lookups read rows; matrices by column, one scale per unit.
TABLES = frozenset({"words", "spellings"})
# Shapes of the weights (`network.score`); "1" and "2" are the layers.
SCHEMA = {
    "words": "f rows word", "spellings": "f buckets spelling", "W1": "f 2 input gates1", "U1": "f 2 width1 gates1",
    "b1": "f 2 gates1", "W2": "f 2 both1 gates2", "U2": "f 2 width2 gates2", "b2": "f 2 gates2",
    "right": "f both2 hidden", "left": "f both2 hidden", "hidden_bias": "f hidden", "label": "f hidden labels",
    "label_bias": "f labels", "tag": "f both2 tags", "tag_bias": "f tags",
}  # fmt: skip


class ParserDescription(Struct):
    """What the description of the file holds, besides that of every kind."""

    labels: Annotated[tuple[str, ...], Meta(min_length=2)]
    tags: Annotated[tuple[str, ...], Meta(min_length=1)]
    buckets: Annotated[int, Meta(ge=1, le=2**24)]


@cache
def load_parser(path: str | Path | None = None) -> Parser:
    """Read a parser, by default ours; `ModelError` if it is missing, damaged, no parser, or of another version.

    Each file is read once per process.
    """
    place = models() / "parser.npz" if path is None else path
    try:
        stored = load(place, KIND, PROTOCOL)
    except ModelError as error:
        raise ModelError(f"{error.message.split('; ')[0]}; reinstall ilpsum", error.file) from None
    with model_errors(place, "reinstall ilpsum"):
        known = convert(stored.description, ParserDescription)
        fitted(stored.arrays, {"vocabulary": "t bytes"})
        lexicon = WordTable(unpack(stored.arrays["vocabulary"]), known.buckets)
        weights = {name: restore(stored.arrays, name) for name in SCHEMA}
        sizes = {"rows": len(lexicon.words) + 1, "buckets": lexicon.buckets}
        sizes |= {"labels": len(known.labels), "tags": len(known.tags)}
        for layer in ("1", "2"):
            width = fitted(weights, {f"U{layer}": "f 2 width gates"})["width"]
            sizes |= {f"width{layer}": width, f"gates{layer}": 4 * width, f"both{layer}": 2 * width}
        inputs = fitted(weights, {name: SCHEMA[name] for name in TABLES}, **sizes)
        fitted(weights, SCHEMA, **sizes, input=inputs["word"] + inputs["spelling"])
        return Parser(weights, lexicon, known.labels, known.tags)


def restore(arrays: Mapping[str, NDArray[Any]], name: str) -> Floats:
    """Return an array in single precision, scaled back if quantised; `ValueError` if its scale has another shape."""
    values, scale = arrays[name].astype(np.float32), arrays.get(name + "_scale", np.ones((), np.float32))
    if np.broadcast_shapes(values.shape, scale.shape) != values.shape:
        raise ValueError(f"the scale of the array {name!r} has another shape")
    with np.errstate(over="ignore", invalid="ignore"):  # numbers that are too large are refused after it
        return values * scale.astype(np.float32)
