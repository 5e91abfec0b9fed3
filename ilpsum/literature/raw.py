"""Raw records: the fields of an article as its source gives them, before the gate.

Readers of formats only fill a `Raw`; `ilpsum.literature.gate` makes a document of it.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from features.patterns import regex
from ilpsum.errors import InputError
from ilpsum.files.reading import MOST_LINES, too_many_lines
from ilpsum.records import Author, Document, Publication

_GROUP = regex(
    r"the\b|.*\b(?:group|consorti(?:um|a)|committees?|collaborat(?:ion|ive|ors)|investigators"
    r"|network|organi[sz]ation|"
    r"society|association|initiative|team|trialists|agency|institutes?|federation|commission"
    r"|council|foundation|"
    r"alliance|panel|ministry|university|department|centers?|centres?)\b",
    re.IGNORECASE,
)
# Fields of which all keys count.
_SEVERAL = ("types", "mesh", "named", "notes")
_INITIALS = regex(r"(?:[^\W\d_a-zß-ÿ]\.?[- ]?){1,4}")


@dataclass(frozen=True, slots=True)
class Notice:
    """What a reader reports besides documents: a line for the user, or PMIDs that it withdraws."""

    text: str = ""
    withdrawn: tuple[str, ...] = ()


Read: TypeAlias = Document | Notice | InputError
"""What readers yield: the documents of a file, and notices about it. An unreadable record is an
error, and reading continues.
"""

Keys: TypeAlias = Mapping[str, Sequence[str]]
"""Keys of a format for each field."""


class Raw(Publication, frozen=True):
    """An article as its source gives it: the texts of its publication, not cleaned yet, and its
    title, date, abstract and body. Missing fields are empty.

    A source's own words for the identifiers and the kinds of study are in `number`, `named`,
    `notes` and `types`; the gate sets `year`, `arxiv`, `kinds` and `retracts`.

    Attributes:
        id: document id; by default the best identifier, else one made from the text.
        number, database: an accession number, and whose it is; a PMID if PubMed's or nobody's.
        named: values that hold the article's identifiers of any kind, such as addresses.
        notes: texts in which only a line of its own names an identifier of the article.
        date: year first, or any text with a year.
        abstract: parts as (label, text) or (label, text, `NlmCategory`); a label may be empty.
        labelled: whether words in the text may be labels of its parts.
        body: paragraphs of a full text as (section kind, heading, text).
        types: publication types.
    """

    id: str = ""
    number: str = ""
    database: str = ""
    named: Sequence[str] = ()
    notes: Sequence[str] = ()
    title: str = ""
    date: str = ""
    abstract: Sequence[tuple[str, ...]] = ()
    labelled: bool = False
    body: Sequence[tuple[str, str, str]] = ()
    types: Sequence[str] = ()


def keys(table: str) -> Keys:
    """Parse a format's keys for the fields of a `Raw`, from `field: KEY KEY; field: KEY`."""
    lines = (line.partition(":") for line in table.split(";"))
    return {field.strip(): names.split() for field, _, names in lines}


def raw_of(keys: Keys, get: Callable[[str], Sequence[str]], **read: Any) -> Raw:
    """Fill a raw record, given its format's keys and a function that returns the values of a key.

    The first non-empty key of a field is used; for `types`, `mesh`, `named` and `notes` all are.
    `read` has fields that are read in another way. Values of a repeated abstract are its parts.
    """
    fields: dict[str, Any] = {}
    for field, names in keys.items():
        values = list[str]()
        for name in names:
            if texts := get(name):
                values += [text for text in texts if text and not text.isspace()]
                if values and field not in _SEVERAL:
                    break
        if not values:
            continue
        if field in ("types", "mesh"):
            fields[field] = [part for value in values for part in re.split("[;|]", value)]
        elif field == "abstract":
            fields[field] = [("", text) for text in values]
        elif field in _SEVERAL:
            fields[field] = values
        else:
            fields[field] = "; ".join(values).strip()
    fields.update(read)
    return Raw(**fields)


def tagged(
    path: str | Path,
    lines: Iterable[tuple[int, str]],
    field: re.Pattern[str],
    first: str,
    last: str = "",
) -> Iterator[tuple[int, dict[str, list[str]]]]:
    """Yield the first line number and the fields, by tag, of each record in the numbered lines of
    a file; long values are wrapped.

    The tag `first` begins a record, unless the record has none yet: some programs write other
    fields before it. The tag `last`, alone on a line, may end it; with a value only if nothing or
    the tag `first` follows, since a line of an abstract may look like it (`ER - positive`).
    """
    fields = defaultdict[str, list[list[str]]](list)
    value, begin, doubtful = list[str](), 1, ""
    for number, line in lines:
        if number - begin > MOST_LINES:
            raise too_many_lines(path, number)
        match, text = field.match(line), line.strip()
        tag = match[1].upper() if match else text if text == last else ""
        content = (match[2] or "").strip() if match else ""
        is_end = tag != "" and tag == last
        ends = is_end and not content
        if tag == first:
            ends = doubtful != "" or first in fields
        elif doubtful and text and value:
            value.append(doubtful)
        if text:
            doubtful = content and text if is_end else ""
        if ends:
            yield from _whole(begin, fields)
            fields.clear()
            value, begin = [], number
        if match and not is_end:
            begin = begin if fields else number
            value = [content]
            fields[tag].append(value)
        elif value and text and not is_end:
            value.append(text)
    yield from _whole(begin, fields)


def _whole(
    begin: int, fields: Mapping[str, list[list[str]]]
) -> Iterator[tuple[int, dict[str, list[str]]]]:
    if fields:
        yield begin, {tag: list(map(" ".join, values)) for tag, values in fields.items()}


def authors_of(text: str) -> Iterator[Author]:
    """Yield the authors of a list, separated by semicolons, by `and`, or by commas after initials.

    >>> (
    ...     [a.family for a in authors_of("Newt AB, van Eft C")],
    ...     [a.given for a in authors_of("Newt, Ann; Eft, Bo")]
    ... )
    (['Newt', 'van Eft'], ['Ann', 'Bo'])
    """
    parts = re.split(r";|\sand\s|\s&\s", text)
    if len(parts) == 1 and all(map(_ends_in_initials, text.split(","))):
        parts = text.split(",")
    return (author(part) for part in parts if part.strip())


def _ends_in_initials(name: str) -> bool:
    words = name.rstrip(". ").split()
    return (
        len(words) > 1
        and _INITIALS.fullmatch(words[-1]) is not None
        and not _INITIALS.fullmatch(words[0])
    )


def author(text: str) -> Author:
    """Parse an author: `Newt, Ann`, `Newt AB`, `Ann Newt` or a group; `others` gives an empty name.

    >>> (
    ...     author("van Eft C.B.").given, author("Ann van Eft").family,
    ...     author("The Newt Study Group").family
    ... )
    ('C.B.', 'van Eft', 'The Newt Study Group')
    """
    family, comma, given = text.strip().partition(",")
    words = family.split()
    if family.strip(".").lower() in ("others", "et al"):
        return Author("")
    if comma or len(words) < 2 or _GROUP.match(family):
        return Author(family.strip(), given.strip())
    if _INITIALS.fullmatch(words[-1]):
        return Author(" ".join(words[:-1]), words[-1])
    small = next((i for i, word in enumerate(words[1:-1], 1) if word.islower()), len(words) - 1)
    return Author(" ".join(words[small:]), " ".join(words[:small]))
