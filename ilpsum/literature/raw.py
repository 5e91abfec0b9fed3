"""Raw records: the fields of an article as its source gives them, before the gate.

A parser of a format yields raw records and problems. `ilpsum.literature.gate` makes documents of
the records, and `ilpsum.literature.intake` decides what becomes of the problems.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from ilpsum.literature.markup import PARAGRAPH
from ilpsum.literature.people import people_of
from ilpsum.records import Publication

Fields: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""A row of a format's table: fields of `Raw`, each with the keys where it may stand, the most
telling first.
"""


class Problem(NamedTuple):
    """What is wrong with a file, and was left out or repaired.

    Attributes:
        kind: what is wrong and what came of it, in the same words for all problems of a kind.
        line: the line, from 1, if it is known.
        is_lost: whether a record is lost.
    """

    kind: str
    line: int | None = None
    is_lost: bool = False


class Withdrawn(NamedTuple):
    """PMIDs that a file withdraws."""

    pmids: tuple[str, ...]


class Raw(Publication, frozen=True):
    """An article as its source gives it: the texts of its publication, not cleaned yet, and its
    title, date, abstract and body. Missing fields are empty.

    A source's own words for identifiers, kinds of study and notices are in the fields below; the
    gate sets `year`, `arxiv`, `kinds`, `retracted`, `retracts` and `concern` by them.

    Attributes:
        id: document id; by default the best identifier, else one made from the text.
        accession, database: accession numbers, and whose they are; a PMID if PubMed's or nobody's.
        numbers: fields in which some databases put the PMID, and others something else.
        named: values that hold the article's identifiers of any kind, such as addresses.
        notes: texts in which only a line of its own tells of the article.
        subtitle: follows the title after a colon.
        date: year first, or any text with a year.
        abstract: parts as (label, text) or (label, text, `NlmCategory`); a label may be empty.
        labelled: whether words in the text may be labels of its parts.
        body: paragraphs of a full text as (section kind, heading, text).
        types: publication types.
        status: values that say yes if the article is retracted.
        links: kinds of the notices about the article, such as `RetractionIn`.
        about: kinds of the notices that the record itself is, such as `RetractionOf`.
    """

    id: str = ""
    accession: Sequence[str] = ()
    database: Sequence[str] = ()
    numbers: Sequence[str] = ()
    named: Sequence[str] = ()
    notes: Sequence[str] = ()
    title: str = ""
    subtitle: str = ""
    date: str = ""
    abstract: Sequence[tuple[str, ...]] = ()
    labelled: bool = False
    body: Sequence[tuple[str, str, str]] = ()
    types: Sequence[str] = ()
    status: Sequence[str] = ()
    links: Sequence[str] = ()
    about: Sequence[str] = ()


Parsed: TypeAlias = Raw | Problem | Withdrawn
"""What parsers yield."""

# Fields of which the values of all keys count, and those of lists in one value.
_ALL = frozenset("accession database numbers named notes types mesh status links about".split())
_LISTS = frozenset(("types", "mesh"))
_SEPARATOR = re.compile("[;|]")
_SHORT = 40
_YEAR = re.compile(r"\d{4}")
_NO_TITLE = re.compile(
    r"[\[(\s]*(?:not available|no title(?: available)?|untitled)?[\])\s.]*",
    re.IGNORECASE,
)


def raw_of(fields: Fields, values: Callable[[str], Sequence[str] | None]) -> Raw:
    """Fill a raw record, given a row of a format's table and a function that returns the values of
    a key, if it has any.

    The first key with a value is used; for some fields, such as `types`, all are.
    """
    read: dict[str, object] = {}
    for field, keys in fields:
        texts = list[str]()
        for key in keys:
            texts_of_key = values(key)
            if not texts_of_key:
                continue
            texts += [text for text in texts_of_key if text and not text.isspace()]
            if field == "title":
                texts = [text for text in texts if not is_no_title(text)]
            elif field == "date":
                texts = [text for text in texts if _YEAR.search(text)]
            if texts and field not in _ALL:
                break
        if texts:
            read[field] = _value(field, texts)
    return Raw(labelled=True, **read)  # type: ignore[arg-type]


def raw_of_keys(fields: Fields, values: Mapping[str, Sequence[str]]) -> Raw:
    """Fill a raw record as `raw_of` does, given the values of each key that it has."""
    return raw_of(_present(fields, tuple(values)), values.__getitem__)


@lru_cache(1024)
def _present(fields: Fields, names: tuple[str, ...]) -> Fields:
    """Return the part of a row for a record with these keys; most records of a file have the
    same.
    """
    of_field = ((field, tuple(key for key in keys if key in names)) for field, keys in fields)
    return tuple((field, keys) for field, keys in of_field if keys)


def is_no_title(text: str) -> bool:
    """Return whether a title is empty or says that there is none, such as `[Not Available]`."""
    return len(text) < _SHORT and _NO_TITLE.fullmatch(text) is not None


def _value(field: str, texts: Sequence[str]) -> object:
    """Return the value of a field, given its texts."""
    if field == "authors":
        return people_of(texts)
    if field == "abstract":
        return [("", PARAGRAPH.join(texts))]
    if field in _LISTS:
        return [part.strip() for text in texts for part in _SEPARATOR.split(text)]
    return texts if field in _ALL else "; ".join(texts).strip()
