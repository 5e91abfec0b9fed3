"""Entries of an index: abstracts, a record for each file, and the searchable fields."""

import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Any, TypeVar

import msgspec
from tantivy import Document as Fields
from tantivy import Occur, Query, SchemaBuilder

from ilpsum.answers.alternatives import definitions
from ilpsum.files.numbers import whole_number
from ilpsum.literature.identity import keys_of
from ilpsum.pipeline.reading import Reading, packed
from ilpsum.pipeline.terms import terms
from ilpsum.records import Document

# The searched field: title and abstract.
TERMS = "terms"
# Short and long forms of the abbreviations that an abstract defines.
DEFINED = "defined"
# Digest of the file.
FILE = "file"
# The id as a number; see `identity`.
IDENTITY = "identity"
# Keys shared by records of the same article (`ilpsum.literature.identity.keys_of`), as numbers.
KEYS = "keys"
_STORED = "stored"
_READING = "reading"

# Values of `FILE` for all entries, and for records of files. The library counts deleted entries,
# too, until it merges them away.
EVERY, RECORD = "*", "#"

# An unpacked record larger than this is damaged.
_MOST_BYTES = 2**28
# Preset dictionary for compression; changing or removing it changes the format of the index.
_USUAL = (
    b"after not have this significantly between those which results than these patients treatment "
    b"associated cells "
    b"were that by is as from we are was with for to in and of the "
    b'"retracted":true,"concern":true,"mesh":["Humans",'
    b'"Female","Male","Animals","arxiv":"10.1016/j.","issue":"1","language":"eng"'
    b',"kinds":["review","case-report",'
    b'"cohort"],"doi":"10.1","pmcid":"PMC"},{"family":"","given":"A"}],"journal":"J '
    b'","volume":"1","pages":"1-","year"'
    b':"20","pmid":"1"}}"category":""}],"publication":{"authors":[{"family":"{"title":"RESULTS"'
    b',"kind":"abstract",'
    b'"start":"category":"METHODS"},{"title":"CONCLUSIONS","kind":"abstract","start":1'
    b',"end":1"date":"20","role":'
    b'"source","source":"","sentences":[],"sections":[{"title":"","kind":"title","start":0'
    b',"end":1","terms":"",'
    b'"definitions":[["",""]],"keys":[],"document":{"id":"1","text":"The '
    b'","title":"{"file":"","number":1'
)

Stored = TypeVar("Stored")


@dataclass(frozen=True, slots=True)
class Abstract:
    """An abstract in an index.

    Attributes:
        file: digest of its file.
        terms: terms in order, separated by spaces.
        definitions: short and long form of each abbreviation it defines, as terms separated by
            spaces.
        keys: numbers that it shares with other records of the same article.
        packed: its packed reading, stored beside the rest; empty in memory, where few abstracts are
            read.
    """

    file: str
    number: int
    terms: str
    definitions: tuple[tuple[str, str], ...]
    keys: tuple[int, ...]
    document: Document
    packed: bytes = b""

    @classmethod
    def of(cls, document: Document, number: int, file: str = "") -> "Abstract":
        """Analyse a document."""
        pairs = set()
        for forms in definitions(document.text):
            short, long = (" ".join(terms(form)) for form in forms)
            if short and long and short != long:
                pairs.add((short, long))
        keys = tuple(map(identity, keys_of(document)))
        text = " ".join(terms(document.text))
        return cls(file, number, text, tuple(sorted(pairs)), keys, document)

    @property
    def length(self) -> int:
        """The number of terms."""
        return self.terms.count(" ") + 1 if self.terms else 0


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file in an index: SHA-256, path, number of abstracts and of their terms, warnings,
    withdrawn ids, and its size and times.
    """

    digest: str
    path: str
    documents: int
    terms: int
    warnings: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    state: tuple[int, ...] = ()


@cache
def schema() -> Any:
    """Return the fields. Positions are not indexed: matching all terms of a phrase anywhere
    retrieves better.
    """
    builder = SchemaBuilder().add_text_field(
        TERMS,
        tokenizer_name="whitespace",
        index_option="freq",
    )
    for name in (DEFINED, FILE):
        builder = builder.add_text_field(
            name,
            tokenizer_name="raw",
            index_option="basic",
        )
    builder = builder.add_unsigned_field(IDENTITY, indexed=True, fast=True).add_unsigned_field(
        KEYS,
        indexed=True,
    )
    return (
        builder.add_bytes_field(_STORED, stored=True).add_bytes_field(_READING, stored=True).build()
    )


def add(writer: Any, entry: Abstract, reading: Reading | None = None) -> None:
    """Add an abstract to an index, with its reading if given."""
    fields = _fields(entry, entry.file, EVERY)
    fields.add_text(TERMS, entry.terms)
    for form in sorted({form for pair in entry.definitions for form in pair}):
        fields.add_text(DEFINED, form)
    for key in entry.keys:
        fields.add_unsigned(KEYS, key)
    fields.add_unsigned(IDENTITY, identity(entry.document.id))
    if reading:
        fields.add_bytes(_READING, packed(entry.document, reading))
    writer.add_document(fields)


def add_record(writer: Any, file: IndexedFile) -> None:
    """Add a file's record to an index."""
    writer.add_document(_fields(file, file.digest, EVERY, RECORD, record_of(file.digest)))


def record_of(digest: str) -> str:
    """Return the value of `FILE` that only the record of a file has."""
    return f"{RECORD}{digest}"


def _fields(stored: object, *file: str) -> Any:
    fields = Fields()
    for value in file:
        fields.add_text(FILE, value)
    # The library's own compression is faster, but the index becomes half as large again.
    packing = zlib.compressobj(wbits=-zlib.MAX_WBITS, zdict=_USUAL)
    fields.add_bytes(_STORED, packing.compress(msgspec.json.encode(stored)) + packing.flush())
    return fields


def abstract(found: Any) -> Abstract:
    """Decode an abstract with its reading; `ValueError` if its bytes are damaged."""
    entry, readings = stored(found, Abstract), found.get_all(_READING)
    return replace(entry, packed=readings[0]) if readings else entry


def stored(found: Any, kind: type[Stored]) -> Stored:
    """Decode the stored value of an entry; `ValueError` if its bytes are damaged."""
    try:
        data = zlib.decompressobj(wbits=-zlib.MAX_WBITS, zdict=_USUAL).decompress(
            found[_STORED][0],
            _MOST_BYTES,
        )
    except (IndexError, TypeError, zlib.error) as error:
        raise ValueError(error) from None
    return msgspec.json.decode(data, type=kind)


def term_query(value: str, field: str = TERMS) -> Any:
    """Return a query for one value of a field."""
    return Query.term_query(
        schema(),
        field,
        value,
        index_option="freq" if field == TERMS else "basic",
    )


def all_of(terms: Iterable[str]) -> Any:
    """Return a query that requires all terms."""
    return Query.boolean_query([(Occur.Must, term_query(term)) for term in terms])


def any_of(field: str, values: Iterable[str | int]) -> Any:
    """Return a query for any of several values of a field."""
    return Query.term_set_query(schema(), field, list(values))


def identity(name: str) -> int:
    """Map an id or key to a number; PMIDs never collide, other ids almost never."""
    number = whole_number(name, 18)
    if number is not None:
        return number
    return 2**63 + int(sha256(name.encode()).hexdigest()[:15], 16)
