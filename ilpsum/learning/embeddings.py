"""Word vector files.

- `.npz`: half-precision vectors and the IDF of their words (`ilpsum.files.persistence`); the format
  that systems read.
- word2vec's text and binary formats (`.txt`, `.vec`, `.bin`, optionally `.gz`) and BioASQ's
  `vectors.txt` with `types.txt` beside it; `ilpsum embed TEXT... --vectors FILE --out NEW.npz`
  converts them to `.npz`. They take 2 bytes per number (0.7 GB for 1.7 million words in 200
  dimensions).

gensim's `.kv` is a pickle, which could run code, and is not read.
"""

import codecs
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from gzip import BadGzipFile
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.embeddings import Embeddings
from ilpsum import resources
from ilpsum.errors import InputError, counted
from ilpsum.files import persistence
from ilpsum.files.idf import DocumentFrequencies
from ilpsum.files.persistence import fitted, within
from ilpsum.files.reading import open_bytes, text_lines
from ilpsum.files.records import Count, reason

KIND, PROTOCOL = "embeddings", 1


@cache
def default() -> Embeddings:
    """Return the word vectors that ship with ilpsum; loaded once per process."""
    return load(resources.embeddings())


def load(path: str | Path) -> Embeddings:
    """Read word vectors and their IDF from an `.npz`.

    Raises:
        InputError: the file has another format.
        ModelError: the file does not exist, is damaged or of an unknown version.
    """
    path = Path(path)
    if path.suffix != ".npz":
        advice = f"make one with `ilpsum embed TEXT... --vectors {path.name} --out NEW.npz`"
        raise InputError(f"expected word vectors with IDF in an .npz; {advice}", path)
    stored = persistence.load(path, KIND, PROTOCOL)
    with persistence.model_errors(path, "make the word vectors again"):
        known = msgspec.convert(stored.description, _VectorsDescription)
        fitted(stored.arrays, {"words": "t bytes"})
        words = persistence.unpack(stored.arrays["words"])
        fitted(stored.arrays, {"vectors": "f words d", "frequencies": "i words"}, words=len(words))
        within("frequencies", stored.arrays["frequencies"], 0, 2**53)
        values = idf(known.documents, stored.arrays["frequencies"].astype(np.int64))
        index = {word: row for row, word in enumerate(words)}
        if len(index) != len(words):
            raise InputError("a word occurs twice among the word vectors", path)
        return Embeddings(stored.arrays["vectors"], values, index, known.name)


def save(
    path: str | Path,
    words: Sequence[str],
    vectors: NDArray[Any],
    frequencies: DocumentFrequencies,
    metadata: Mapping[str, Any],
) -> None:
    """Write V words and (V, d) vectors as `.npz` in half precision; `metadata` is JSON-ready
    provenance.

    Raises:
        InputError: a word is empty or has a line break.
    """
    path = Path(path)
    damaged = next((word for word in words if "\n" in word or not word), None)
    if damaged is not None:
        raise InputError(
            f"the word {damaged[:40]!r} is empty or has a line break, which no .npz can hold; "
            "remove it"
        )
    arrays = {
        "vectors": vectors.astype(np.float16),
        "frequencies": np.array(
            [frequencies.counts.get(word, 1) for word in words], dtype=np.uint32
        ),
        "words": persistence.pack(words),
    }
    persistence.save(
        path,
        KIND,
        PROTOCOL,
        {"name": path.stem, "documents": frequencies.documents, **metadata},
        arrays,
    )


def idf(documents: int, frequencies: NDArray[np.int64]) -> Floats:
    """Return IDF(w) = log(|D| / |D(w)|) for each word (Malakasiotis et al. 2015): (V,) non-negative
    values.

    `documents` is |D|, and `frequencies` has the (V,) document frequencies |D(w)|; 0 counts as 1.
    """
    values: Floats = np.log(max(documents, 1) / np.maximum(frequencies, 1).astype(np.float64))
    return np.maximum(values, 0.0)


class _VectorsDescription(msgspec.Struct):
    """Description fields specific to word vector files."""

    documents: Count
    name: str


def read_vectors(path: str | Path) -> tuple[list[str], NDArray[Any]]:
    """Read words and (V, d) vectors in half precision from word2vec's text or binary format, or
    BioASQ's.

    For a repeated word, the first vector is used.

    Raises:
        InputError: the file has none of these formats.
    """
    path = Path(path)
    if path.suffix == ".kv":
        raise InputError(
            "a gensim pickle, which is not read; save it with gensim's save_word2vec_format", path
        )
    with open_bytes(path) as stream:
        header, _, rest = stream.read(2**16).partition(b"\n")
    types = path.with_name("types.txt")
    try:
        # Numbers beyond half precision become infinite, and are rejected below.
        with np.errstate(over="ignore"):
            if len(header.split()) == 2 and _is_binary(rest):
                words, vectors = _read_binary(path, header)
            elif path.name.startswith("vectors.txt") and types.exists():
                words, vectors = (
                    [line for _, line in text_lines(types)],
                    _numbers(line for _, line in text_lines(path)),
                )
            else:
                words = []
                vectors = _numbers(_after_words(path, words))
    # gensim unpacks by itself.
    except (ValueError, EOFError, MemoryError, zlib.error, BadGzipFile) as error:
        raise InputError(f"not word vectors in word2vec's form ({reason(error)})", path) from None
    if not words or len(words) != len(vectors) or not np.isfinite(vectors).all():
        found = f"{counted(len(words), 'word')} and {counted(len(vectors), 'vector')}"
        raise InputError(
            f"expected as many vectors as words, finite in half precision, got {found}", path
        )
    rows = {word: row for row, word in reversed(list(enumerate(words)))}
    if len(rows) == len(words):
        return words, vectors
    places = sorted(rows.values())
    return [words[row] for row in places], vectors[places]


def _is_binary(sample: bytes) -> bool:
    """Return whether a sample of a file is not text; it may end within a character."""
    try:
        return "\0" in codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return True


def _read_binary(path: Path, header: bytes) -> tuple[list[str], NDArray[np.float16]]:
    from gensim.models import KeyedVectors

    # gensim allocates what the header claims; gzip expands one byte to at most 1,032.
    claimed = [int(number) for number in header.split()]
    if min(claimed) < 1 or 4 * math.prod(claimed) > 1032 * path.stat().st_size:
        raise ValueError("its first line claims more vectors than the file has, or none")
    found = KeyedVectors.load_word2vec_format(
        str(path), binary=True, unicode_errors="replace", datatype=np.float16
    )
    # Repeated words leave empty rows at the end.
    return found.index_to_key[: found.next_index], found.vectors[: found.next_index]


def _after_words(path: Path, words: list[str]) -> Iterator[str]:
    """Append the first word of each line to `words`, and yield the rest; a first line of two
    numbers is a header.
    """
    for number, line in text_lines(path):
        word, _, numbers = line.strip().partition(" ")
        if word and not (number == 1 and word.isdigit() and numbers.isdigit()):
            words.append(word)
            yield numbers


def _numbers(lines: Iterator[str]) -> NDArray[np.float16]:
    first = next(lines, "")
    if not first.split():
        raise ValueError("its first line has no numbers")
    return np.asarray(np.loadtxt(chain([first], lines), dtype=np.float16, comments=None, ndmin=2))
