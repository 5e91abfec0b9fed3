"""How an index stores an abstract: its head, which is scored, and its record, in one compressed piece.

Most words of an abstract occur in the first abstracts of its file, and its terms are beginnings of its words. With both
in one piece and those first abstracts as the dictionary, a piece takes two thirds of the text. Of most pieces only the
head is read: it comes first, and decompression stops at its end.
"""

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeAlias

from ilpsum.records import Document
from ilpsum.retrieval.abbreviations import definitions
from ilpsum.retrieval.analysis import terms

Definitions: TypeAlias = tuple[tuple[str, str], ...]
_First: TypeAlias = tuple[str, int, int, Definitions]  # the first line of a head

SAMPLE = 20
"""The abstracts that fill a dictionary of deflate, which holds 32 kB."""
_DICTIONARY = 2**15
_LEVEL = 4  # a tenth larger than the best level, in half of its time
_SIZE = 4  # bytes of the size of a head


class Head(NamedTuple):
    """What a search must know of an abstract to score it.

    Attributes:
        id: its id.
        number: its number in the file.
        length: number of its terms.
        definitions: the short and the long form of each abbreviation that it defines, as terms separated by spaces.
        groups: a line for each number of occurrences from 1 on, with the terms that occur so often between spaces.
    """

    id: str
    number: int
    length: int
    definitions: Definitions
    groups: bytes

    def counts(self, wanted: Mapping[str, bytes]) -> dict[str, int]:
        """Return how often it has each of the wanted terms, given as `between_spaces`."""
        find, count = self.groups.find, self.groups.count
        return {term: count(b"\n", 0, at) + 1 if (at := find(key)) >= 0 else 0 for term, key in wanted.items()}


def between_spaces(wanted: Iterable[str]) -> dict[str, bytes]:
    """Return each term as the heads have it."""
    return {term: f" {term} ".encode() for term in wanted}


@dataclass(frozen=True, slots=True)
class Entry:
    """What an index stores of an abstract: its number in the file, its terms, the forms that it defines, and itself."""

    number: int
    terms: list[str]
    definitions: Definitions
    document: Document

    @classmethod
    def of(cls, number: int, document: Document) -> "Entry":
        """Return the entry of a document."""
        pairs = {(" ".join(terms(short)), " ".join(terms(long))) for short, long in definitions(document.text)}
        pairs = {(short, long) for short, long in pairs if short and long and short != long}
        return cls(number, terms(document.text), tuple(sorted(pairs)), document)


class Packing:
    """Packs and unpacks the entries of a file, given its dictionary."""

    def __init__(self, dictionary: bytes = b"") -> None:
        self.dictionary = dictionary

    @cached_property
    def _new(self) -> "zlib._Compress":
        return zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, 8, zdict=self.dictionary)

    @classmethod
    def of(cls, documents: Iterable[Document]) -> "Packing":
        """Return the packing for documents that resemble these."""
        pieces = (part for n, each in enumerate(documents) for part in _encode(Entry.of(n, each)))
        return cls(b"".join(pieces)[:_DICTIONARY])

    def pack(self, entry: Entry) -> bytes:
        """Return an entry as bytes."""
        head, document = _encode(entry)
        compressor = self._new.copy()
        size = len(head).to_bytes(_SIZE, "little")
        return size + compressor.compress(head + document) + compressor.flush()

    def head(self, data: bytes) -> Head:
        """Return the head of a packed entry.

        Raises:
            ValueError: the bytes are damaged.
        """
        return self._unpack(data)[0]

    def document(self, data: bytes) -> Document:
        """Return the document of a packed entry; errors as of `head`."""
        _, packed = self._unpack(data)
        try:
            found: Document = _decoder(Document)(packed.decompress(packed.unconsumed_tail) + packed.flush())
        except zlib.error as error:
            raise ValueError(str(error)) from None
        return found

    def _unpack(self, data: bytes) -> tuple[Head, "zlib._Decompress"]:
        packed = zlib.decompressobj(-zlib.MAX_WBITS, self.dictionary)
        try:
            head = packed.decompress(memoryview(data)[_SIZE:], max(1, int.from_bytes(data[:_SIZE], "little")))
            first, _, groups = head.partition(b"\n")
            name, number, length, definitions = _decoder(_First)(first)
            return Head(name, number, length, definitions, groups), packed
        except zlib.error as error:
            raise ValueError(str(error)) from None


@cache
def _decoder(kind: Any) -> Any:
    """Return the function that decodes JSON of a type; a `ValueError` says that it is damaged."""
    import msgspec

    return msgspec.json.Decoder(kind).decode


def _encode(entry: Entry) -> tuple[bytes, bytes]:
    """Return the head and the document of an entry."""
    import msgspec

    counts = Counter(entry.terms)
    groups = [list[str]() for _ in range(max(counts.values(), default=0))]
    for term, times in sorted(counts.items()):
        groups[times - 1].append(term)
    lines = [f" {' '.join(group)} " if group else "" for group in groups]
    first = msgspec.json.encode((entry.document.id, entry.number, len(entry.terms), entry.definitions)).decode()
    return "\n".join([first, *lines]).encode(), msgspec.json.encode(entry.document)
