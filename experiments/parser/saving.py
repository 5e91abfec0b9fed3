"""Writing of the parser's model file, which `ilpsum.compression.parser` reads: weights rounded to 8 bits."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ilpsum.compression.network import Floats
from ilpsum.compression.parser import KIND, PROTOCOL, SCHEMA, TABLES, Parser
from ilpsum.files.persistence import pack, save

ATTRIBUTION = "Corpus annotations (c) GENIA Project; the GENIA Treebank is licensed under CC BY 3.0"


def save_parser(path: str | Path, parser: Parser, metadata: Mapping[str, Any]) -> None:
    """Write a parser, with rounded weights, and its JSON-ready training data and settings to a model file."""
    arrays: dict[str, NDArray[Any]] = {"vocabulary": pack(parser.lexicon.words)}
    for name in SCHEMA:
        if parser.weights[name].ndim == 1:
            arrays[name] = parser.weights[name].astype(np.float32)
        else:
            arrays[name], arrays[name + "_scale"] = quantise(
                parser.weights[name], -1 if name in TABLES else -2
            )
    names = {"labels": parser.labels, "tags": parser.tags, "buckets": parser.lexicon.buckets}
    description = {**names, "attribution": ATTRIBUTION, "facts": dict(metadata)}
    save(path, KIND, PROTOCOL, description, arrays)


def quantise(values: Floats, axis: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Round values to integers from -127 to 127, and return these with their scale along `axis`."""
    scale = np.abs(values).max(axis=axis, keepdims=True) / 127
    scale[scale == 0] = 1
    return np.rint(values / scale).astype(np.int8), scale.astype(np.float32)
