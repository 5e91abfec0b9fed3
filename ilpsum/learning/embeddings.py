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
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.embeddings import Embeddings
from features.folding import folded
from ilpsum import resources
from ilpsum.errors import InputError, counted
from ilpsum.files import persistence
from ilpsum.files.idf import DocumentFrequencies
from ilpsum.files.persistence import fitted, within
from ilpsum.files.reading import open_bytes, read_lines
from ilpsum.files.records import Count

KIND, PROTOCOL = "embeddings", 1
_AGAIN = "make it again with `ilpsum embed`"

# Not all white space of Unicode: words may contain no-break spaces.
_BLANKS = re.compile(rb"[ \t]+")
# Lines of a text that are read as lists of Python floats before they become an array.
_BLOCK = 1000


def load(path: str | Path = "") -> Embeddings:
    """Read word vectors and their IDF from an `.npz`, by default the included ones; once per
    process.

    Raises:
        InputError: the file has another format.
        ModelError: the file does not exist, is damaged or of an unknown version.
    """
    return _read(_npz(path))


@cache
def _read(path: Path) -> Embeddings:
    stored = persistence.load(path, KIND, PROTOCOL, _AGAIN)
    with persistence.model_errors(path, "make the word vectors again"):
        description = msgspec.convert(stored.description, _VectorsDescription)
        fitted(stored.arrays, {"words": "t bytes"})
        words = persistence.unpack(stored.arrays["words"])
        fitted(stored.arrays, {"vectors": "f words d", "frequencies": "i words"}, words=len(words))
        within("frequencies", stored.arrays["frequencies"], 0, 2**53)
        values = idf(description.documents, stored.arrays["frequencies"].astype(np.int64))
        index = {word: row for row, word in enumerate(words)}
        if len(index) != len(words):
            raise InputError("a word occurs twice among the word vectors", path)
        return Embeddings(stored.arrays["vectors"], values, index, description.name)


@cache
def digest(path: str | Path = "") -> str:
    """Return the digest of the vectors and IDF in an `.npz`, which the file records; arguments and
    errors as for `load`.
    """
    return str(persistence.describe(_npz(path), KIND, PROTOCOL, _AGAIN)["digest"])


def _npz(path: str | Path) -> Path:
    path = Path(path or resources.embeddings())
    if path.suffix != ".npz":
        advice = f"make one with `ilpsum embed TEXT... --vectors {path.name} --out NEW.npz`"
        raise InputError(f"expected word vectors with IDF in an .npz; {advice}", path)
    return path


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
    counts = [frequencies.counts.get(word, 1) for word in words]
    arrays = {
        "vectors": vectors.astype(np.float16),
        "frequencies": np.array(counts, dtype=np.uint32),
        "words": persistence.pack(words),
    }
    description = {"name": path.stem, "documents": frequencies.documents, **metadata}
    persistence.save(path, KIND, PROTOCOL, description, arrays)


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

    In a text, spaces or tabs separate a word and its d numbers. A word may contain spaces; no-break
    spaces always belong to it. A first line of two whole numbers is a header, which must be right.
    The first vector of a repeated word counts.

    Raises:
        InputError: the file has none of these formats, a line does not fit the header or the first
            line, or a word is not UTF-8.
    """
    path = Path(path)
    if path.suffix == ".kv":
        raise InputError(
            "a gensim pickle, which is not read; save it with gensim's save_word2vec_format",
            path,
        )
    with open_bytes(path) as stream:
        first, _, rest = stream.read(2**16).partition(b"\n")
    types = path.with_name("types.txt")
    paired = path.name.startswith("vectors.txt") and types.exists()
    header = None if paired else _header(first.removeprefix(codecs.BOM_UTF8))
    if header and min(header) < 1:
        raise _no_vectors("its first line claims no vectors", path)
    # Numbers beyond half precision become infinite, and are rejected below.
    with np.errstate(over="ignore"):
        if header and not _is_text(rest.partition(b"\n")[0]):
            words, vectors = _read_binary(path, *header)
        elif paired:
            words = [_decoded(data, types, line) for line, data in read_lines(types)]
            size = len(first.split())
            lines = read_lines(path)
            vectors = _stacked(_numbers(data.split(), size, "", path, line) for line, data in lines)
        else:
            words = []
            vectors = _stacked(_after_words(path, header, words))
    _check(path, words, vectors, header)
    rows = dict[str, int]()
    for row, word in enumerate(words):
        rows.setdefault(word, row)
    if len(rows) == len(words):
        return words, vectors
    return list(rows), vectors[list(rows.values())]


def as_looked_up(
    words: Sequence[str],
    vectors: NDArray[Any],
) -> tuple[Sequence[str], NDArray[Any]]:
    """Return (V, d) vectors under their words as features look them up, folded and in lower case;
    of several with one form, the word that is already so counts, else the first.

    >>> words, vectors = as_looked_up(["Newts", "BRCA1", "newts"], np.array([[1], [2], [3]]))
    >>> words, vectors.tolist()
    (['newts', 'brca1'], [[3], [2]])
    """
    forms = [folded(word).lower() or word for word in words]
    if forms == words:
        return words, vectors
    rows = dict[str, int]()
    for row in sorted(range(len(words)), key=lambda row: words[row] != forms[row]):
        rows.setdefault(forms[row], row)
    return list(rows), vectors[list(rows.values())]


def _header(line: bytes) -> tuple[int, int] | None:
    """Return the number of words and of dimensions in a header; None for another first line."""
    match = re.fullmatch(rb"\s*(-?\d{1,20})[ \t]+(-?\d{1,20})\s*", line)
    return (int(match[1]), int(match[2])) if match else None


def _is_text(line: bytes) -> bool:
    """Return whether the line of a vector, perhaps cut off, is text."""
    after_word = _BLANKS.split(line, maxsplit=1)[-1]
    return b"\0" not in after_word and any(map(_is_number, after_word.split()[-2:]))


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _decoded(word: bytes, path: Path, line: int | None = None) -> str:
    try:
        return word.decode()
    except UnicodeDecodeError:
        raise InputError(
            f"the word {word[:40]!r} is not UTF-8; convert the file, or remove the word",
            path,
            line,
        ) from None


def _read_binary(path: Path, count: int, size: int) -> tuple[list[str], NDArray[np.float16]]:
    """Read the words of word2vec's binary format, each a text, a space and `size` 32-bit floats."""
    # Before allocating what the header claims: gzip expands one byte to at most 1,032.
    if 4 * count * size > 1032 * path.stat().st_size:
        raise _no_vectors("its first line claims more vectors than the file has", path)
    words = list[str]()
    vectors = np.zeros((count, size), dtype=np.float16)
    with open_bytes(path) as stream:
        stream.readline()
        data, start = b"", 0
        for row in range(count):
            end = data.find(b" ", start)
            while end < 0 or len(data) < end + 1 + 4 * size:
                more = stream.read(2**20)
                if not more:
                    raise _no_vectors(f"it ends after {counted(row, 'vector')}", path)
                data, start = data[start:] + more, 0
                end = data.find(b" ")
            words.append(_decoded(data[start:end].lstrip(b"\n"), path))
            vectors[row] = np.frombuffer(data, "<f4", size, end + 1)
            start = end + 1 + 4 * size
        if (data[start:] + stream.read(2)).strip():
            raise _no_vectors(
                f"it goes on after the {counted(count, 'vector')} of its header",
                path,
            )
    return words, vectors


def _no_vectors(why: str, path: Path) -> InputError:
    return InputError(f"not word vectors in word2vec's form ({why})", path)


def _after_words(
    path: Path,
    header: tuple[int, int] | None,
    words: list[str],
) -> Iterator[list[float]]:
    """Append the word of each line to `words`, and yield its numbers."""
    size = header[1] if header else 0
    for line, data in read_lines(path):
        text = data.removeprefix(codecs.BOM_UTF8).strip(b" \t")
        if not text or (line == 1 and header):
            continue
        fields = _BLANKS.split(text)
        word = _decoded(fields[0], path, line)
        after = fields[1:]
        size = size or len(list(takewhile(_is_number, reversed(after))))
        if len(after) > size and not all(map(_is_number, after)):
            # The word has spaces.
            ends = [blanks.start() for blanks in _BLANKS.finditer(text)]
            word = _decoded(text[: ends[-size]], path, line)
            after = fields[-size:]
        words.append(word)
        yield _numbers(after, size, word, path, line)


def _numbers(fields: Sequence[bytes], size: int, word: str, path: Path, line: int) -> list[float]:
    """Return the numbers in fields; `InputError` if they are not `size` numbers."""
    of_word = f" after the word {word[:40]!r}" if word else ""
    if not size or len(fields) != size:
        expected = counted(size, "number") if size else "numbers"
        raise InputError(f"expected {expected}{of_word}, got {len(fields)}", path, line)
    try:
        return list(map(float, fields))
    except ValueError:
        wrong = next(field for field in fields if not _is_number(field))
        raise InputError(
            f"expected {counted(size, 'number')}{of_word}, got {wrong[:40]!r} among them",
            path,
            line,
        ) from None


def _stacked(rows: Iterator[list[float]]) -> NDArray[np.float16]:
    """Return rows of numbers as an array; as lists they would take 16 times the memory."""
    blocks = [np.zeros((0, 0), dtype=np.float16)]
    while block := list(islice(rows, _BLOCK)):
        blocks.append(np.array(block, dtype=np.float16))
    return np.concatenate(blocks[1:] or blocks)


def _check(
    path: Path,
    words: Sequence[str],
    vectors: NDArray[Any],
    header: tuple[int, int] | None,
) -> None:
    """Raise `InputError` if words and vectors do not fit each other or the header, or a number is
    not finite.
    """
    if not words:
        raise _no_vectors("it has none", path)
    if len(words) != len(vectors):
        numbers = f"{counted(len(words), 'word')} and {counted(len(vectors), 'vector')}"
        raise InputError(f"expected as many vectors as words, got {numbers}", path)
    if header and len(words) != header[0]:
        advice = "copy the file again, or remove the header"
        raise InputError(
            f"the header says {counted(header[0], 'word')}, but there are {len(words):,}; {advice}",
            path,
            1,
        )
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        word = words[int(finite.argmin())]
        raise InputError(
            f"expected numbers that are finite in half precision, not those of {word[:40]!r}",
            path,
        )
