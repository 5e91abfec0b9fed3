"""What an index stores: abstracts, a record of each file, and the fields by which they are found."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, TypeVar

import msgspec

from ilpsum.corpora.duplicates import keys_of
from ilpsum.records import Document
from ilpsum.retrieval.abbreviations import definitions
from ilpsum.retrieval.analysis import terms

TERMS = "terms"
"""The searched field: title and abstract."""
DEFINED = "defined"
"""The forms, short and long, of the abbreviations that an abstract defines."""
FILE = "file"
"""The digest of the file."""
IDENTITY = "identity"
"""The id as a number; see `identity`."""
KEYS = "keys"
"""What other records of the same article have in common with it (`ilpsum.corpora.duplicates.keys_of`)."""
_STORED = "stored"

EVERY, RECORD = "*", "#"
"""Values of `FILE` that all entries have, and the records of files. The library counts deleted entries, too, until it
merges them away."""

Stored = TypeVar("Stored")


@dataclass(frozen=True, slots=True)
class Abstract:
    """An abstract in an index.

    Attributes:
        file: the digest of its file.
        number: its place in the file.
        terms: its terms in order, separated by spaces.
        definitions: the short and the long form of each abbreviation that it defines, as terms separated by spaces.
        document: the abstract itself.
    """

    file: str
    number: int
    terms: str
    definitions: tuple[tuple[str, str], ...]
    document: Document

    @classmethod
    def of(cls, document: Document, number: int, file: str = "") -> "Abstract":
        """Analyse a document."""
        pairs = {(" ".join(terms(short)), " ".join(terms(long))) for short, long in definitions(document.text)}
        pairs = {(short, long) for short, long in pairs if short and long and short != long}
        return cls(file, number, " ".join(terms(document.text)), tuple(sorted(pairs)), document)

    @property
    def length(self) -> int:
        """The number of its terms."""
        return self.terms.count(" ") + 1 if self.terms else 0


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file of abstracts in an index.

    Attributes:
        digest: SHA-256 of the file's bytes, as hexadecimal digits.
        path: where it was when it was indexed.
        documents: number of abstracts.
        terms: total number of their terms.
        warnings: of records that could not be read.
        deleted: ids that the file withdraws.
    """

    digest: str
    path: str
    documents: int
    terms: int
    warnings: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


@cache
def schema() -> Any:
    """Return the fields; positions are not indexed: all terms of a phrase anywhere in an abstract find it better."""
    from tantivy import SchemaBuilder

    builder = SchemaBuilder().add_text_field(TERMS, tokenizer_name="whitespace", index_option="freq")
    for name in (DEFINED, FILE, KEYS):
        builder = builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.add_unsigned_field(IDENTITY, indexed=True, fast=True).add_bytes_field(_STORED, stored=True).build()


def add(writer: Any, entry: Abstract) -> None:
    """Add an abstract to an index."""
    fields = _fields(entry, entry.file, EVERY)
    fields.add_text(TERMS, entry.terms)
    for form in sorted({form for pair in entry.definitions for form in pair}):
        fields.add_text(DEFINED, form)
    for key in keys_of(entry.document):
        fields.add_text(KEYS, key)
    fields.add_unsigned(IDENTITY, identity(entry.document.id))
    writer.add_document(fields)


def add_record(writer: Any, file: IndexedFile) -> None:
    """Add the record of a file to an index."""
    writer.add_document(_fields(file, file.digest, EVERY, RECORD))


def _fields(stored: object, *file: str) -> Any:
    from tantivy import Document as Fields

    fields = Fields()
    for value in file:
        fields.add_text(FILE, value)
    fields.add_bytes(_STORED, msgspec.json.encode(stored))
    return fields


def stored(found: Any, kind: type[Stored]) -> Stored:
    """Return what an entry of the library stores.

    Raises:
        ValueError: its bytes are damaged.
    """
    return msgspec.json.decode(found[_STORED][0], type=kind)


def term_query(value: str, field: str = TERMS) -> Any:
    """Return the query for a value of a field."""
    from tantivy import Query

    return Query.term_query(schema(), field, value, index_option="freq" if field == TERMS else "basic")


def all_of(terms: Iterable[str]) -> Any:
    """Return the query for all of some terms."""
    from tantivy import Occur, Query

    return Query.boolean_query([(Occur.Must, term_query(term)) for term in terms])


def any_of(field: str, values: Iterable[str | int]) -> Any:
    """Return the query for any of some values of a field."""
    from tantivy import Query

    return Query.term_set_query(schema(), field, list(values))


def identity(name: str) -> int:
    """Return the number of an id; different PMIDs have different numbers, other ids almost surely."""
    if name.isascii() and name.isdigit() and len(name) < 19:
        return int(name)
    return 2**63 + int(sha256(name.encode()).hexdigest()[:15], 16)
