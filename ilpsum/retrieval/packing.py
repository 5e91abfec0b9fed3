"""How an index stores an abstract: its record and its terms as JSON, compressed with a dictionary of the index's own.

Most words of an abstract occur in the first abstracts of its file, and its terms are beginnings of its words. With both
in one piece and those first abstracts as the dictionary, a piece takes two thirds of the text.
"""

import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from ilpsum.records import Document
from ilpsum.retrieval.abbreviations import definitions
from ilpsum.retrieval.analysis import analyser, normalise, terms

SAMPLE = 20
"""The abstracts that fill a dictionary of deflate, which holds 32 kB."""
_DICTIONARY = 2**15
_LEVEL = 4  # a tenth larger than the best level, in half of its time


@dataclass(frozen=True, slots=True)
class Entry:
    """What an index stores of an abstract.

    Attributes:
        number: its number in the file.
        terms: its terms, sorted, separated by spaces.
        definitions: the short and the long form of each abbreviation that it defines, as terms separated by spaces.
        document: its record.
    """

    number: int
    terms: str
    definitions: tuple[tuple[str, str], ...]
    document: Document

    @classmethod
    def of(cls, number: int, document: Document) -> tuple["Entry", str]:
        """Return the entry of a document, and the normalised text that its terms come from."""
        text = normalise(document.text)
        pairs = {(" ".join(terms(short)), " ".join(terms(long))) for short, long in definitions(document.text)}
        pairs = {(short, long) for short, long in pairs if short and long and short != long}
        found = " ".join(sorted(analyser().analyze(text)))
        return cls(number, found, tuple(sorted(pairs)), document), text


class Packing:
    """Packs and unpacks the entries of an index, given its dictionary."""

    def __init__(self, dictionary: bytes = b"") -> None:
        self.dictionary = dictionary
        self._new = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zdict=dictionary)

    @classmethod
    def of(cls, documents: Iterable[Document]) -> "Packing":
        """Return the packing for documents that resemble these."""
        return cls(b"".join(_encode(Entry.of(n, each)[0]) for n, each in enumerate(documents))[:_DICTIONARY])

    def pack(self, entry: Entry) -> bytes:
        """Return an entry as bytes."""
        compressor = self._new.copy()
        return compressor.compress(_encode(entry)) + compressor.flush()

    def unpack(self, data: bytes) -> Entry:
        """Return the entry of bytes.

        Raises:
            ValueError: the bytes are damaged.
        """
        import msgspec

        try:
            packed = zlib.decompressobj(-zlib.MAX_WBITS, self.dictionary)
            return msgspec.json.decode(packed.decompress(data), type=Entry)
        except (zlib.error, msgspec.DecodeError) as error:
            raise ValueError(str(error)) from None


def _encode(entry: Entry) -> bytes:
    import msgspec

    return msgspec.json.encode(entry)
