"""Parse news articles as NIST distributes them, in irregular SGML.

Tags may lack ends, entities may be upper case, stories may contain newswire typesetting codes, lack paragraphs or start
before `<TEXT>`, and articles may lack a headline.
"""

import html
import re
from pathlib import Path

from ilpsum.files.reading import decode, read_bytes
from ilpsum.records import Document

_TAG = re.compile(r"<(/?)([A-Za-z_][\w.-]*+)([^<>]*+)>")
_ID = re.compile(r"id\s*+=\s*+\"?\s*+([^\s\"<>]+)", re.IGNORECASE)

# Elements whose text is not part of the story. An unclosed element ends where the next one starts.
_ABOUT = frozenset(
    """
    docno docid doctype date date_time dateline header slug category headline trailer subject byline keyword author
    source copyright notes section length hl dd so in gv fileid first second head typ type docsource datetime
    storyid ident graphic caption annotation correction correction-date title pub page profile edition type desk
    """.split()
)
_STORY = frozenset(("doc", "body", "text", "p", "leadpara", "lp"))

# Newswire typesetting codes (&UR; &LR; &QL; &HT; ...), which are not SGML entities.
_CODE = re.compile(r"&(?!AMP;|LT;|GT;|QUOT;|APOS;|NBSP;|COPY;|REG;)[A-Z]{2,4};")
_NOTE = re.compile(
    r"\(?\s*(?:STORY CAN END HERE|OPTIONAL MATERIAL FOLLOWS|(?:BEGIN|END)S? (?:OPTIONAL|OPT) ?(?:TRIM|MATERIAL)?|"
    r"MORE|END|STORY BEGINS|STORY ENDS|nn|rr|\d+a|pvs)\b[^a-z]*"
)
_DATE = re.compile(r"((?:19|20)\d\d)[-/]?(0[1-9]|1[0-2])[-/]?(0[1-9]|[12]\d|3[01])")
_AMERICAN_DATE = re.compile(r"(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])/((?:19|20)\d\d)")
# Paragraph break in unmarked text: a blank line, or an indented line.
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?:[ ]{2,}|\t)(?=\S)")


def articles(file: Path) -> tuple[list[Document], list[str]]:
    """Return the articles of a file, usually one, and warnings.

    A document's text is the story, one paragraph per line; its title is the headline, if any; its id is the DOCNO, else
    the file name; its date is ISO. `InputError` if the file cannot be read.
    """
    text, warning = decode(read_bytes(file))
    warnings = [f"{file.name}: {warning}"] if warning else []
    stories = []
    for number, story in enumerate(re.split(r"(?=<DOC[\s>])", text, flags=re.IGNORECASE)[1:], 1):
        document = _article(story, file.name if number == 1 else f"{file.name}-{number}")
        if document.text:
            stories.append(document)
        else:
            warnings.append(f"{file.name}: no story, left out")
    return stories, warnings


def _article(markup: str, name: str) -> Document:
    fields: dict[str, list[str]] = {}
    story: list[str] = []
    inside, at, closed = "", 0, -1
    for tag in _TAG.finditer(markup):
        (fields.setdefault(inside, []) if inside else story).append(markup[at : tag.start()])
        at = tag.end()
        closing, element = bool(tag[1]), tag[2].lower()
        if tag.start() < closed:
            # For example a paragraph within a headline.
            continue
        inside, closed = element if element in _ABOUT and not closing else "", -1
        if inside:
            end = re.compile(rf"</{re.escape(inside)}\s*>", re.IGNORECASE).search(markup, at)
            closed = end.start() if end else -1
        if element in _STORY:
            story.append("\n\n")
    (fields.setdefault(inside, []) if inside else story).append(markup[at:])
    known = {key: " ".join(_clean(" ".join(parts)).split()) for key, parts in fields.items()}
    given = _ID.search(markup[: markup.find(">") + 1])
    number = known.get("docno") or known.get("docid") or (given[1] if given else "") or name
    date = _date(known.get("date_time") or known.get("datetime") or known.get("date") or "") or _date(number)
    title = known.get("headline") or known.get("hl") or known.get("title") or ""
    return Document(number, "\n".join(_paragraphs("".join(story))), title=title, date=date)


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
        return f"{year}-{int(month):02}-{int(day):02}"
    return ""
