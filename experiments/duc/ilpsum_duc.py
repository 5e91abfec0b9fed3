"""Read DUC 2005-2007 and TAC from 2008 on: query-focused news summarization, one folder per year.

`*topics*.sgml` has the topics; a folder named after a topic has its articles, one file each;
models `D0601.M.250.A.B` (topic without its letter, M, word limit, letter of
the set, assessor) are the gold summaries, plain or in SEE (see `ilpsum.tasks.see`); peers, whose last part is a number, are ignored. Files
may be at any depth of the folder, also behind symbolic links.

A topic of the update task has several document sets and becomes one topic per set: `D0703A-A`,
`D0703A-B`, ...
"""

import html
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ilpsum.errors import InputError
from ilpsum.files.folders import walk
from ilpsum.files.json_text import well_formed
from ilpsum.files.numbers import whole_number
from ilpsum.files.reading import LONGEST_TEXT, decode, head, read_bytes
from ilpsum.files.start import Start
from ilpsum.records import BrokenTopic, Document, Topic
from ilpsum.tasks import see
from ilpsum.tasks.registry import Format, Reader

_STORY_TAG = re.compile(r"<(/?)([A-Za-z_][\w.-]*+)([^<>]*+)>")

# Elements whose text is not part of the story. An unclosed element ends where the next one starts.
_ABOUT = frozenset(
    """
    docno docid doctype date date_time dateline header slug category headline trailer subject byline
    keyword author source copyright notes section length hl dd so in gv fileid first second head typ
    type docsource datetime storyid ident graphic caption annotation correction correction-date
    title pub page profile edition type desk
    """.split()
)
_STORY = frozenset(("doc", "body", "text", "p", "leadpara", "lp"))

# Newswire typesetting codes (&UR; &LR; &QL; &HT; ...), which are not SGML entities.
_CODE = re.compile(r"&(?!AMP;|LT;|GT;|QUOT;|APOS;|NBSP;|COPY;|REG;)[A-Z]{2,4};")
_NOTE = re.compile(
    r"\(?\s*(?:STORY CAN END HERE|OPTIONAL MATERIAL FOLLOWS|(?:BEGIN|END)S? (?:OPTIONAL|OPT) "
    r"?(?:TRIM|MATERIAL)?|"
    r"MORE|END|STORY BEGINS|STORY ENDS|nn|rr|\d+a|pvs)\b[^a-z]*"
)
_DATE = re.compile(r"((?:19|20)\d\d)[-/]?(0[1-9]|1[0-2])[-/]?(0[1-9]|[12]\d|3[01])")
_AMERICAN_DATE = re.compile(r"(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])/((?:19|20)\d\d)")
# Paragraph break in unmarked text: a blank line, or an indented line.
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?:[ ]{2,}|\t)(?=\S)")


def articles(file: Path) -> tuple[list[Document], list[str]]:
    """Return the articles of a file, usually one, and warnings.

    A document's text is the story, one paragraph per line; its title is the headline, if any; its
    id is the DOCNO, else the file name; its date is ISO. `InputError` if the file cannot be read.
    """
    text, warning = decode(read_bytes(file, LONGEST_TEXT, "expected an article"))
    warnings = [f"{file.name}: {warning}"] if warning else []
    name = well_formed(file.name)
    stories = []
    for number, story in enumerate(re.split(r"(?=<DOC[\s>])", text, flags=re.IGNORECASE)[1:], 1):
        document = _article(story, name if number == 1 else f"{name}-{number}")
        if document.text:
            stories.append(document)
        else:
            warnings.append(f"{file.name}: no story, left out")
    return stories, warnings


def _article(markup: str, name: str) -> Document:
    # Texts by the element that holds them; those of the story have none.
    parts = defaultdict[str, list[str]](list)
    inside, at, closed = "", 0, -1
    for tag in _STORY_TAG.finditer(markup):
        parts[inside].append(markup[at : tag.start()])
        at = tag.end()
        closing, element = bool(tag[1]), tag[2].lower()
        if tag.start() < closed:
            # For example a paragraph within a headline.
            continue
        inside, closed = "", -1
        if element in _ABOUT and not closing:
            inside = element
            end = re.compile(rf"</{element}\s*>", re.IGNORECASE).search(markup, at)
            closed = end.start() if end else -1
        if element in _STORY:
            parts[""].append("\n\n")
    parts[inside].append(markup[at:])
    story = "".join(parts.pop("", []))
    fields = {key: " ".join(_clean(" ".join(texts)).split()) for key, texts in parts.items()}

    def first(*names: str) -> str:
        return next(filter(None, map(fields.get, names)), "") or ""

    start_tag = markup[: markup.find(">") + 1]
    number = first("docno", "docid") or _id(start_tag) or name
    date = _date(first("date_time", "datetime", "date")) or _date(number)
    title = first("headline", "hl", "title")
    return Document(number, "\n".join(_paragraphs(story)), title, date)


def _id(tag: str) -> str:
    """Return the id in a tag; empty if there is none."""
    match = _ID.search(tag)
    return match[1] if match else ""


def _paragraphs(story: str) -> list[str]:
    folded = (" ".join(_clean(part).split()) for part in _PARAGRAPH.split(story.replace("\r", "")))
    return [part for part in folded if part and not _NOTE.fullmatch(part)]


def _clean(text: str) -> str:
    """Remove entities and typesetting codes, and normalise quotes and dashes."""
    plain = html.unescape(_CODE.sub(" ", text))
    return plain.replace("``", '"').replace("''", '"').replace(" _ ", " — ").replace("\x7f", "")


def _date(text: str) -> str:
    if match := _DATE.search(text):
        return "-".join(match.groups())
    if match := _AMERICAN_DATE.search(text):
        month, day, year = match.groups()
        return f"{year}-{month:0>2}-{day:0>2}"
    return ""


_TOPIC = re.compile(r"<topic\b([^<>]*)>(.*?)(?=</topic\s*>|<topic\b|\Z)", re.DOTALL | re.IGNORECASE)
_SET = re.compile(
    r"<docs(?:et)?-?(\w?)\b([^<>]*)>(.*?)(?=</docs|<docs|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_LISTED = re.compile(r"<doc\s[^<>]*?id\s*+=\s*+\"?([^\s\"<>/]+)", re.IGNORECASE)
_ID = re.compile(r"id\s*+=\s*+\"?\s*+([^\s\"<>/]+)", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
# D0601.M.250.A.B, D0801-A.M.100.A.B, d301i.M.250.I.A
_MODEL = re.compile(r"(D\d+)[A-Z]?(?:-([A-Z]))?\.M\.(\d+)\.([A-Z])\.[A-Z]", re.IGNORECASE)
_NAME = re.compile(r"(D\d+)([A-Z]?)", re.IGNORECASE)
# Suffixes of article files.
_SUFFIXES = (".sgml", ".sgm", ".xml", ".txt", ".gz")


class _Model(NamedTuple):
    """A model summary and the parts of its name; letters are upper case."""

    update: str  # letter of the document set, if the name has one
    words: int  # word limit
    letter: str  # letter of the set
    path: Path


class _Year(NamedTuple):
    """The topics files of a year, its folders by lower-case name, and its models by upper-case
    topic number, sorted by name.
    """

    topics: list[Path]
    folders: dict[str, list[Path]]
    models: dict[str, list[_Model]]


def recognises(start: Start) -> bool:
    """Return whether a folder contains a `*topics*.sgml` file, or a file is one."""
    return bool(_topic_files(start.path))


def read(path: str | Path) -> Iterator[Topic | BrokenTopic]:
    """Yield the topics of a year's folder, or of a topics file in it, in file order."""
    path = Path(path)
    files = _topic_files(path)
    if not files:
        raise InputError("no *topics*.sgml; expected a year's folder of DUC", path)
    year = _look_around(path if path.is_dir() else path.parent)
    for file in files:
        text = decode(read_bytes(file))[0]
        topics = list(_TOPIC.finditer(text))
        if not topics:
            raise InputError("no <topic>; expected topics in SGML", file, 1)
        for match in topics:
            line = 1 + text.count("\n", 0, match.start())
            try:
                yield from _topics(match[1], match[2], year, file, line)
            except InputError as error:
                yield BrokenTopic(_field(match[2], "num") or f"topic on line {line}", error)


def _topic_files(path: Path) -> list[Path]:
    if path.is_dir():
        return _look_around(path).topics
    is_one = _is_sgml(path) and b"<topic" in head(path).lower()
    return [path] if is_one else []


def _is_sgml(path: Path) -> bool:
    return path.suffix.lower() in (".sgml", ".sgm")


def _look_around(folder: Path) -> _Year:
    year = _Year([], {}, {})
    for parent, names, files in walk(folder):
        for name in names:
            year.folders.setdefault(name.lower(), []).append(parent / name)
        for name in files:
            path = parent / name
            if "topics" in name.lower() and _is_sgml(path) and path.is_file():
                year.topics.append(path)
            if match := _MODEL.fullmatch(name):
                number, update, words, letter = match.groups()
                limit = whole_number(words) or 0
                model = _Model((update or "").upper(), limit, letter.upper(), path)
                year.models.setdefault(number.upper(), []).append(model)
    year.topics.sort()
    for of_topic in year.models.values():
        of_topic.sort(key=lambda model: model.path.name)
    return year


def _topics(attributes: str, body: str, year: _Year, file: Path, line: int) -> Iterator[Topic]:
    name = _field(body, "num") or _id(attributes)
    parts = _NAME.fullmatch(name)
    if not parts:
        raise InputError("a topic without <num>; expected <num> D0601A </num>", file, line)
    title, narrative = _field(body, "title"), _field(body, "narr") or _field(body, "narrative")
    query = f"{title} {narrative}".strip()
    number, letter = parts[1].upper(), parts[2].upper()
    models = year.models.get(number, [])
    sets = list(_SET.finditer(body))
    if len(sets) < 2:
        listed = _names(sets[0][3]) if sets else []
        models = [model for model in models if not model.update and letter in ("", model.letter)]
        # The update task of the same year has shorter models under the same names.
        longest = max((model.words for model in models), default=0)
        yield _topic(name, query, _articles(year, [name], listed), models, longest)
        return
    for number_of_set, match in enumerate(sets):
        update = (match[1] or chr(ord("A") + number_of_set)).upper()
        full = _id(match[2]) or f"{name}-{update}"
        of_set = [model for model in models if (model.update or model.letter) == update]
        shortest = min((model.words for model in of_set), default=0)
        stories = _articles(year, [full, f"{name}-{update}", name], _names(match[3]))
        yield _topic(full, query, stories, of_set, shortest)


def _topic(
    name: str,
    query: str,
    read: tuple[list[Document], list[str]],
    models: list[_Model],
    words: int,
) -> Topic:
    documents, warnings = read
    summaries = list[str]()
    for model in models:
        if model.words == words:
            text = see.text_of(decode(read_bytes(model.path))[0].removeprefix("\ufeff"))
            summaries += filter(None, [" ".join(text.split())])
    return Topic(
        name,
        query,
        tuple(documents),
        summaries=tuple(summaries),
        warnings=tuple(warnings),
        kind="news",
    )


def _articles(year: _Year, names: list[str], listed: list[str]) -> tuple[list[Document], list[str]]:
    """Return the listed (or all) articles of the first named folder with any, without duplicates,
    and warnings.
    """
    folders = (folder for name in names for folder in year.folders.get(name.lower(), []))
    files = next(filter(None, map(_story_files, folders)), [])
    warnings = [] if files else [f"no folder {names[0]} with documents"]
    documents: dict[str, Document] = {}
    texts: dict[str, str] = {}
    by_name: dict[str, Document] = {}
    for file in files:
        stories, repaired = articles(file)
        warnings += repaired
        for story in stories:
            folded = " ".join(story.text.split())
            twin = story.id if story.id in documents else texts.get(folded)
            if twin:
                warnings.append(f"{file.name}: same text as {twin}, left out")
            else:
                documents[story.id] = story
                texts[folded] = story.id
            by_name[story.id.lower()] = by_name[_stem(file)] = documents[twin or story.id]
    if not listed:
        return list(documents.values()), warnings
    if files:
        # Warnings about articles of other document sets do not concern this topic.
        warnings = [f"document {name} is missing" for name in listed if name.lower() not in by_name]
    chosen = (by_name.get(name.lower()) for name in listed)
    return list({story.id: story for story in chosen if story}.values()), warnings


def _stem(file: Path) -> str:
    return (file.stem if file.suffix.lower() in _SUFFIXES else file.name).lower()


def _story_files(folder: Path) -> list[Path]:
    """Return the article files of a folder."""
    files = (file for file in folder.iterdir() if file.is_file() and file.name[0] != ".")
    return sorted(file for file in files if b"<doc" in head(file).lower())


def _names(text: str) -> list[str]:
    return _LISTED.findall(text) or _TAG.sub(" ", text).split()


def _field(body: str, tag: str) -> str:
    """Return the text of an element up to its end tag or else the next tag, with white space
    collapsed.
    """
    match = re.search(rf"<{tag}\s*>(.*?)(?=</?[a-z]|\Z)", body, re.DOTALL | re.IGNORECASE)
    return " ".join(html.unescape(_TAG.sub(" ", match[1])).split()) if match else ""


DUC = Format("duc", Reader(recognises, read, looks="*topics*.sgml beside its folders of documents"))
