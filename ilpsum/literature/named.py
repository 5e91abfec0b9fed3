"""Read records whose fields have names: rows of tables, and objects of JSON.

Names are compared by their letters, and both kinds share one row of the format's table
(`ilpsum.literature.tables.NAMED`), since programs give the same names in both.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from json import JSONDecoder
from typing import Any

from msgspec import ValidationError, convert, structs

from features.folding import folded
from ilpsum.errors import InputError
from ilpsum.files.json_text import list_items, read_json_lines, read_values
from ilpsum.files.reading import LONGEST_TEXT, decode, read_lines
from ilpsum.files.records import reason
from ilpsum.files.start import Start
from ilpsum.literature.passages import Passage, of_passages
from ilpsum.literature.people import author, people_of
from ilpsum.literature.raw import Parsed, Problem, Raw, raw_of_keys
from ilpsum.literature.tables import FIRST_PAGE, LAST_PAGE, NAMED
from ilpsum.records import Author

_COLUMNS = frozenset((*(name for _, names in NAMED for name in names), *FIRST_PAGE, *LAST_PAGE))
_NAMES = dict(NAMED)
_SEPARATORS = ",;\t|"
# Lines of a file that may stand before the header, and characters that tell a table.
_MOST_BEFORE, _BEGIN = 40, 4096
# Column name in any table: at most three words, without punctuation.
_COLUMN = re.compile(r"\w[^\s.,;:!?]{0,30}(?: [^\s.,;:!?]{1,30}){0,2}")
_NO_LETTER = re.compile("[^a-z]")
# A value that a spreadsheet must not take for a number or a formula, and a quote that R escaped.
_GUARDED = re.compile(r"='?\"(.*)\"", re.DOTALL)
_RAW_QUOTE = re.compile(r'(?:^|\t)"[^"\t\n]{0,999}"[^"\t\n]', re.MULTILINE)
_R_QUOTE = re.compile(r'\\"(?!\s*(?:[,;\t]|$))')
# OpenAlex lists the places of each word of an abstract.
_Places = dict[str, list[int]] | None
_NOT_UTF_8 = "not UTF-8, read as cp1252"


def letters(name: str) -> str:
    """Reduce a name to lower-case letters without accents.

    >>> letters("Author(s)"), letters("ids.pmid"), letters("Título")
    ('authors', 'idspmid', 'titulo')
    """
    return _NO_LETTER.sub("", folded(name).casefold())


@dataclass(frozen=True, slots=True)
class Table:
    """The header of a table: separator, column names, the known ones by their index, and the
    number of lines before it.
    """

    separator: str
    names: tuple[str, ...]
    columns: dict[int, str]
    before: int = 0

    def column_of(self, field: str) -> int | None:
        """Return the index of the first column for a field; None if there is none."""
        columns = {name: column for column, name in reversed(self.columns.items())}
        return next((columns[name] for name in _NAMES[field] if name in columns), None)

    @property
    def is_telling(self) -> bool:
        """Whether it is a header of references."""
        columns = (self.column_of(field) for field in ("title", "abstract", "pmid"))
        return len(self.columns) > 1 and any(column is not None for column in columns)


def table_of(start: Start) -> Table | None:
    """Return the header of a table of references, which may follow some lines about the export;
    None if there is none.
    """
    for number, line in enumerate(start.text.split("\n", _MOST_BEFORE)[:_MOST_BEFORE]):
        tables = [_table(line.strip("\r"), separator, number) for separator in _SEPARATORS]
        best = max(tables, key=lambda table: len(table.columns))
        if best.is_telling:
            return best
    return None


def _table(line: str, separator: str, before: int) -> Table:
    try:
        names = next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        names = []
    reduced = enumerate(map(letters, names))
    columns = {column: name for column, name in reduced if name in _COLUMNS}
    return Table(separator, tuple(names), columns, before)


def is_table(start: Start) -> bool:
    """Return whether a text is a table with a header, whatever its columns.

    The column names are short, no space follows a separator, and all rows have the same number of
    cells.
    """
    lines = [line for line in start.text[:_BEGIN].splitlines() if line.strip()]
    for separator in _SEPARATORS:
        try:
            header, *rows = csv.reader(lines, delimiter=separator)
        except (csv.Error, ValueError):
            continue
        named = len(header) > 1 and all(map(_COLUMN.fullmatch, header))
        # The last of several rows may be truncated.
        if named and rows and all(len(row) == len(header) for row in rows[:-1] or rows):
            return True
    return False


def without_abstracts(table: Table | None) -> str:
    """Return the error message for a CSV file without a column of abstracts."""
    if table is None:
        return (
            "a table whose header names no text; expected the columns Title and Abstract, one "
            "record a row"
        )
    if {"PMID", "Journal/Book"} <= {name.strip("\ufeff ") for name in table.names}:
        return (
            "PubMed's CSV has no abstracts; save the results in the format PubMed instead "
            "(.txt or .nbib)"
        )
    return (
        "a CSV file without a column named Abstract; export the references with their "
        "abstracts, as RIS or CSV"
    )


def read_table(table: Table, start: Start) -> Iterator[Parsed]:
    """Yield the rows of a table with this header, in file order; a row with too few or too many
    cells is a problem.

    `InputError` if a quote is never closed.
    """
    problems = list[Problem]()
    # Web of Science and others write quotation marks between tabs as they are.
    is_raw = table.separator == "\t" and _RAW_QUOTE.search(start.text) is not None
    is_raw |= table.names[0].strip("\ufeff") == "PT"
    csv.field_size_limit(LONGEST_TEXT)
    reader = csv.reader(
        _lines(start, table.before, problems),
        delimiter=table.separator,
        quoting=csv.QUOTE_NONE if is_raw else csv.QUOTE_MINIMAL,
        skipinitialspace=True,
        strict=True,
    )
    rows = (row for row in reader if any(map(str.strip, row)))
    needed = [table.column_of(field) or 0 for field in ("abstract", "title")]
    fewest, width = max(needed) + 1, len(table.names)
    try:
        next(rows, None)  # the header
        for row in rows:
            yield from problems
            problems.clear()
            if len(row) < fewest or any(map(str.strip, row[width:])):
                message = f"expected {width} cells, got {len(row)}; export the file again"
                yield Problem(message, reader.line_num + table.before, is_lost=True)
                continue
            # Some programs drop empty cells at the end of a row.
            row += [""] * (width - len(row))
            cells: dict[str, list[str]] = {}
            for column, name in table.columns.items():
                # Of columns with one name the first counts that is not empty.
                if cell := _cell(row[column]):
                    cells.setdefault(name, [cell])
            yield _of_fields(cells)
    except csv.Error as error:
        message = f"not valid CSV ({error}); is a quote left open?"
        raise InputError(message, start.path, reader.line_num + table.before) from None
    yield from problems


def _lines(start: Start, before: int, problems: list[Problem]) -> Iterator[str]:
    """Yield the lines from the header on."""
    # Lines before the header are counted from the first that is not blank.
    lead = start.data[: start.data.find(start.data.strip()[:1])].count(b"\n")
    for number, data in read_lines(start.path):
        if number <= before + lead:
            continue
        text, repair = decode(data)
        if repair:
            problems.append(Problem(_NOT_UTF_8, number))
        if "\\" in text:
            text = _R_QUOTE.sub('""', text)
        yield text.removeprefix("\ufeff").replace("\0", "") + "\n"


def _of_fields(fields: Mapping[str, list[str]]) -> Raw:
    """Return a raw record, in which an accession number is of no known database unless one is
    named.
    """
    raw = raw_of_keys(NAMED, fields)
    is_nobodys = raw.accession and not raw.database
    return structs.replace(
        raw,
        database=("unknown",) if is_nobodys else raw.database,
        pages=raw.pages or _pages(fields),
    )


def _pages(fields: Mapping[str, list[str]]) -> str:
    """Return the first and the last page, where fields tell them."""
    first = next((fields[name][0] for name in FIRST_PAGE if name in fields), "")
    last = next((fields[name][0] for name in LAST_PAGE if name in fields), "")
    return "-".join(dict.fromkeys(filter(None, (first, last))))


def _cell(text: str) -> str:
    text = text.strip()
    guarded = _GUARDED.fullmatch(text)
    return guarded[1].replace('""', '"') if guarded else text


# Where a document has its list of records, and fields that hold a record.
_LISTS = (
    "resultList.result", "message.items", "PubTator3", "items", "results", "articles", "records",
    "references", "documents", "data", "publications", "papers", "hits.hits", "hits", "result",
    "response.docs", "collection",
)  # fmt: skip
_CERTAIN = ("resultList.result", "message.items")
_LAST_KEYS = "|".join(path.rpartition(".")[2] for path in _LISTS)
_LIST = re.compile(rf'"({_LAST_KEYS})"\s*:\s*\[\s*\{{')
_WRAPPERS = ("data", "message", "_source", "csljson", "article")
_TITLES = frozenset(_NAMES["title"])
_ABSTRACTS = frozenset(_NAMES["abstract"]) | {"abstractinvertedindex"}
_IDENTIFIERS = frozenset((*_NAMES["pmid"], *_NAMES["doi"], "type", "itemtype"))
_PEOPLE = ("author", "authors", "creators", "authorList", "authorships", "Authors", "Author")
_EXPECTED = "expected a record, an object with a title"
# Deeper levels of an object hold no field of an article.
_DEPTH = 6


def json_list(start: Start) -> str | None:
    """Return where a JSON document has its list of records: a path, or "" for a list, an object or
    JSON lines; None if it holds no records.
    """
    if start.text[:1] not in ("{", "["):
        return None
    record = start.record
    if _is_record(_unwrapped(record)):
        return ""
    if not start.text.startswith("{"):
        return None
    for path in _LISTS:
        value: Any = record
        for part in path.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if path in _CERTAIN and isinstance(value, list):
            return path
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return path if _is_record(_unwrapped(value[0])) else None
    # The document is longer than what is read of it.
    match = None if record else _LIST.search(start.text)
    key = match[1] if match else None
    return next((path for path in _LISTS if path.rpartition(".")[2] == key), None)


def _is_record(value: dict[str, Any]) -> bool:
    names = set(map(letters, value))
    if "passages" in names or _collected(value):
        return True
    has_title, has_abstract = bool(names & _TITLES), bool(names & _ABSTRACTS)
    return (has_title and (has_abstract or bool(names & _IDENTIFIERS))) or (
        has_abstract and bool(names & _IDENTIFIERS)
    )


def _collected(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the documents of a collection of BioC, or the records in an object by their PMIDs;
    empty for any other object.
    """
    documents = value.get("documents")
    if isinstance(documents, list):
        return [one for one in documents if isinstance(one, dict) and "passages" in one]
    inner = [
        {"pmid": key, **one}
        for key, one in value.items()
        if key.isdigit() and isinstance(one, dict) and _is_record(one)
    ]
    return inner if len(inner) == len(value) else []


def _unwrapped(value: Any) -> dict[str, Any]:
    """Return the object with the fields of a record, which may be within another one."""
    if not isinstance(value, dict):
        return {}
    for key in _WRAPPERS:
        inner = value.get(key)
        if isinstance(inner, dict) and _is_record(inner):
            return inner
    return value


def read_json(path: str, start: Start) -> Iterator[Parsed]:
    """Yield the records of a JSON document or of JSON lines, in file order."""
    if path or start.text.startswith("["):
        values = list_items(start.path, path, "a list of records", lenient=True)
    elif not _is_lines(start):
        values = read_values(start.path)
    else:
        values = read_json_lines(start.path, lenient=True)
    for line, value in values:
        if isinstance(value, InputError):
            yield Problem(value.message, value.line, is_lost=True)
        elif isinstance(value, dict) and not _is_message(value):
            for record in _collected(value) or [value]:
                yield _of_object(_unwrapped(record), line)
        else:
            yield Problem(_EXPECTED, line, is_lost=True)


def _is_lines(start: Start) -> bool:
    """Return whether the first object has a line of its own."""
    first = start.text.partition("\n")[0].rstrip()
    try:
        _, end = JSONDecoder().raw_decode(first)
    except (ValueError, RecursionError):
        return first.endswith("}") or len(start.text.rstrip()) == len(first)
    return end == len(first)


def _is_message(value: dict[str, Any]) -> bool:
    return "error" in value and not _is_record(value)


def _of_object(record: dict[str, Any], line: int) -> Raw | Problem:
    """Return the record of a JSON object, whatever its fields are called."""
    pmid = record.get("pmid")
    for name in ("title", "abstract", "abstractText"):
        if isinstance(record.get(name), int | float | bool | dict):
            got = repr(record[name])[:50]
            return Problem(f"{name}: expected text, got {got}", line, is_lost=True)
    if isinstance(pmid, bool | list | dict) or (isinstance(pmid, float) and pmid % 1):
        return Problem(f"pmid: expected a number, got {repr(pmid)[:50]}", line, is_lost=True)
    if "passages" in record:
        return _of_bioc(record)
    try:
        places = convert(record.get("abstract_inverted_index"), _Places)
    except ValidationError as error:
        return Problem(f"abstract_inverted_index: {reason(error)}", line, is_lost=True)
    fields: dict[str, list[str]] = {}
    people = [record[key] for key in _PEOPLE if record.get(key)]
    rest = {key: value for key, value in record.items() if key not in _PEOPLE}
    _flatten(rest, "", fields, 0)
    if places:
        fields["abstract"] = [_of_places(places)]
    _combine(fields)
    raw = _of_fields(fields)
    if not (raw.title or raw.abstract):
        return Problem(_EXPECTED, line, is_lost=True)
    return structs.replace(raw, authors=_people(people[0])) if people else raw


def _flatten(value: Any, name: str, fields: dict[str, list[str]], depth: int) -> None:
    """Add the texts and numbers of a value by their names, those of nested ones joined."""
    if isinstance(value, dict):
        if depth < _DEPTH:
            for key, inner in value.items():
                _flatten(inner, name + letters(key), fields, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _flatten(inner, name, fields, depth + (name == ""))
    elif isinstance(value, str | int | float):
        fields.setdefault(name, []).append(str(value))


def _of_places(places: dict[str, list[int]]) -> str:
    """Return a text of the places of its words."""
    words = [(place, word) for word, of in places.items() for place in of if place >= 0]
    return " ".join(word for _, word in sorted(words))


def _combine(fields: dict[str, list[str]]) -> None:
    """Put together what JSON divides: dates, and identifiers of a source."""
    for name in [name for name in fields if name.endswith("dateparts")]:
        fields[name] = ["-".join(fields[name][:3])]
    source = fields.get("source", [])
    if source and len(source[0]) <= 4 and "id" in fields:
        # Europe PMC: MED has PubMed's numbers, PMC those of PubMed Central, PPR preprints.
        del fields["source"]
        fields["accessionnumber"], fields["database"] = fields["id"], source
        if source[0] == "PPR":
            fields.setdefault("type", []).append("preprint")
    for name in [name for name in fields if name.endswith("type")]:
        stated = zip(fields[name], fields.get(f"{name[:-4]}value", ()), strict=False)
        fields.setdefault("identifiers", []).extend(f"{kind}: {value}" for kind, value in stated)
    keywords = [part for text in fields.get("keyword", ()) for part in text.split(",")]
    if keywords:
        fields["keyword"] = keywords


def _people(value: Any) -> tuple[Author, ...]:
    if isinstance(value, dict):
        value = value.get("author") or value.get("Author") or []
    if isinstance(value, str):
        return people_of([value])
    people = list[Author]()
    for one in value if isinstance(value, list) else ():
        people += people_of([one]) if isinstance(one, str) else [_person(one)]
    return tuple(people)


def _person(record: Any) -> Author:
    """Return an author of an object; one who is not an author has no name."""
    if not isinstance(record, dict) or record.get("creatorType") not in (None, "author"):
        return Author("")
    inner = record.get("author")
    record = inner if isinstance(inner, dict) else record

    def first(*keys: str) -> str:
        values = (record.get(key) for key in keys)
        return next((value for value in values if isinstance(value, str) and value), "")

    if family := first("lastName", "family", "last_name", "surname", "lastname"):
        particle = first("non-dropping-particle")
        forenames = first("firstName", "initials", "given", "first_name", "firstname", "forename")
        return Author(f"{particle} {family}".strip(), forenames)
    # Zotero and Crossref name only groups by one name.
    is_group = "creatorType" in record or "sequence" in record
    if group := first("collectiveName", "literal", *(["name"] if is_group else [])):
        return Author(group)
    return author(first("fullName", "name", "display_name", "full_name"))


def _of_bioc(record: dict[str, Any]) -> Raw:
    """Return the record of a document of BioC, whose passages tell what they are."""
    passages = list[Passage]()
    for passage in record["passages"] if isinstance(record["passages"], list) else ():
        if isinstance(passage, dict) and isinstance(passage.get("text"), str):
            told = passage.get("infons")
            told = told if isinstance(told, dict) else {}
            texts = {key: value for key, value in told.items() if isinstance(value, str)}
            passages.append((texts, passage["text"]))
    fields = {name: [value] for name, value in record.items() if isinstance(value, str)}
    if isinstance(people := record.get("authors"), list):
        fields["authors"] = list(map(str, people))
    return of_passages(str(record.get("pmid") or record.get("id") or ""), passages, fields)
