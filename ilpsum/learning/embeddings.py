"""Files of word vectors.

- `.npz`: vectors in half precision and the IDF of their words (`ilpsum.io.persistence`); the form that systems read.
- word2vec's text and binary forms (`.txt`, `.vec`, `.bin`, `.gz` of these) and BioASQ's `vectors.txt` with `types.txt`
  beside it: streamed into half precision, 2 bytes a number (0.7 GB for 1.7 million words in 200 dimensions), from which
  `ilpsum embed TEXT... --vectors FILE --out NEW.npz` makes an `.npz`.

gensim's `.kv` is a pickle, which could run code, and is not read.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.embeddings import Embeddings
from ilpsum import resources
from ilpsum.errors import InputError
from ilpsum.io import persistence
from ilpsum.io.arrays import fitted, within
from ilpsum.io.files import MAX_LINE, open_bytes, read_lines
from ilpsum.io.frequencies import DocumentFrequencies
from ilpsum.io.records import Count

KIND, PROTOCOL = "embeddings", 1

_LONGEST_WORD = 10_000


@cache
def default() -> Embeddings:
    """Return the word vectors that ship with ilpsum; loaded once per process."""
    return load(resources.embeddings())


def load(path: str | Path) -> Embeddings:
    """Read word vectors and their IDF from an `.npz`.

    Raises:
        InputError: the file has another form.
        ModelError: the file does not exist, is damaged or of an unknown version.
    """
    path = Path(path)
    if path.suffix != ".npz":
        advice = f"make one with `ilpsum embed TEXT... --vectors {path.name} --out NEW.npz`"
        raise InputError(f"expected word vectors with IDF in an .npz; {advice}", path)
    stored = persistence.load(path, KIND, PROTOCOL)
    with persistence.model_errors(path, "make the word vectors again"):
        known = msgspec.convert(stored.description, _Description)
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
    """Write V words and (V, d) vectors as `.npz` in half precision; `metadata`, JSON-ready, says how it was made.

    Raises:
        InputError: a word is empty or has a line break.
    """
    path = Path(path)
    if damaged := next((word for word in words if "\n" in word or not word), None):
        raise InputError(f"the word {damaged[:40]!r} is empty or has a line break, which no .npz can hold; remove it")
    arrays = {
        "vectors": vectors.astype(np.float16),
        "frequencies": np.array([frequencies.counts.get(word, 1) for word in words], dtype=np.uint32),
        "words": persistence.pack(words),
    }
    persistence.save(path, KIND, PROTOCOL, {"name": path.stem, "documents": frequencies.documents, **metadata}, arrays)


def idf(documents: int, frequencies: NDArray[np.int64]) -> Floats:
    """Return IDF(w) = log(|D| / |D(w)|) of each word (Malakasiotis et al. 2015): (V,) values, not negative.

    `documents` is |D|, and `frequencies` has the (V,) |D(w)|, of which 0 counts as 1.
    """
    values: Floats = np.log(max(documents, 1) / np.maximum(frequencies, 1).astype(np.float64))
    return np.maximum(values, 0.0)


class _Description(msgspec.Struct):
    """What the description of a file of word vectors holds, besides that of every kind."""

    documents: Count
    name: str


def read_vectors(path: str | Path) -> tuple[list[str], NDArray[Any]]:
    """Read words and (V, d) vectors in half precision from word2vec's text or binary form, or BioASQ's, as a stream.

    Of a repeated word, the first vector counts.

    Raises:
        InputError: the file is in none of these forms; with the line of the error.
    """
    path = Path(path)
    if path.suffix == ".kv":
        raise InputError("a pickle of gensim, which is not read; save it with gensim's save_word2vec_format", path)
    types = path.with_name("types.txt")
    if path.name.startswith("vectors.txt") and types.exists():
        rows = _bioasq_rows(path, types)
    else:
        rows = _binary_rows(path) if _is_binary(path) else _text_rows(path)
    words: dict[str, None] = {}
    rows_read = _Growing()
    for word, vector in rows:
        if word not in words:
            words[word] = None
            rows_read.append(vector, path, len(words))
    if not words:
        raise InputError("no word vectors in the file", path)
    return list(words), rows_read.array()


class _Growing:
    """A matrix of half precision that grows by rows."""

    def __init__(self) -> None:
        self._array = np.zeros((0, 0), np.float16)
        self._count = 0

    def append(self, vector: NDArray[Any], path: Path, line: int) -> None:
        """Add a row; an `InputError` names file and line of a wrong length or a number that half precision lacks."""
        if not self._count:
            self._array = np.zeros((1024, len(vector)), np.float16)
        width = self._array.shape[1]
        if not 0 < len(vector) == width or not np.isfinite(vector).all() or np.abs(vector).max() > 65504:
            raise InputError(f"expected {width or 'some'} finite numbers after the word", path, line)
        if self._count == len(self._array):
            # realloc: the operating system moves large blocks without copying them.
            self._array.resize((self._count + self._count // 2, len(vector)), refcheck=False)
        self._array[self._count] = vector
        self._count += 1

    def array(self) -> NDArray[np.float16]:
        self._array.resize((self._count, self._array.shape[1]), refcheck=False)
        return self._array


def _is_binary(path: Path) -> bool:
    with open_bytes(path) as stream:
        begin = stream.read(2**16)
    first, _, rest = begin.partition(b"\n")
    try:
        begin.decode("utf-8")
    except UnicodeDecodeError as error:
        # An incomplete character at the end of the sample proves nothing.
        if error.start < len(begin) - 4:
            return len(first.split()) == 2
    return b"\x00" in rest


def _text_rows(path: Path) -> Iterator[tuple[str, NDArray[Any]]]:
    for number, data in read_lines(path):
        line = data.decode("utf-8", "replace").strip()
        if not line or (number == 1 and re.fullmatch(r"\d+\s+\d+", line)):
            continue
        word, _, numbers = line.partition(" ")
        yield word, _numbers(numbers, path, number)


def _bioasq_rows(path: Path, types: Path) -> Iterator[tuple[str, NDArray[Any]]]:
    words = (data.decode("utf-8", "replace").strip() for _, data in read_lines(types))
    for number, data in read_lines(path):
        word = next(words, None)
        if word is None:
            raise InputError(f"more vectors than {types.name} has words", path, number)
        yield word, _numbers(data.decode("ascii", "replace"), path, number)
    if next(words, None) is not None:
        raise InputError(f"fewer vectors than {types.name} has words", path)


def _numbers(text: str, path: Path, line: int) -> NDArray[Any]:
    try:
        return np.array(text.split(), dtype=np.float32)
    except ValueError:
        raise InputError("expected a word and its numbers, separated by spaces", path, line) from None


def _binary_rows(path: Path) -> Iterator[tuple[str, NDArray[Any]]]:
    with open_bytes(path) as stream:
        header = stream.readline(100).split()
        if len(header) != 2 or not all(part.isdigit() for part in header):
            raise InputError("expected a first line of two numbers, as in word2vec's binary form", path, 1)
        count, size = (int(part) for part in header)
        if not 0 < 4 * size <= MAX_LINE:
            raise InputError(f"cannot read vectors of {size} numbers", path, 1)
        for number in range(1, count + 1):
            word = bytearray()
            while (character := stream.read(1)) not in (b" ", b""):
                word += character
                if len(word) > _LONGEST_WORD:
                    raise InputError(f"word {number} does not end; the file is damaged", path)
            data = stream.read(4 * size)
            if len(data) < 4 * size:
                raise InputError(f"the file ends at word {number} of {count}; copy it again", path)
            yield word.lstrip(b"\n").decode("utf-8", "replace"), np.frombuffer(data, dtype="<f4")
