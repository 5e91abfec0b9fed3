"""BioASQ Task B: the official JSON of questions, `.gz` or not, each question a topic.

A question's documents are made in one of three ways, the pools:

- `snippets`: each gold snippet a document, in the file's order;
- `merged`: one document for each PMID, in ascending PMID (an order that knows nothing of the gold), of the title's
  snippets, then the other sections by name, snippets by offset, what overlaps kept once;
- `abstracts`: title and abstract of every document of the question that the given files hold, in the question's order.

The ideal answers are the gold summaries, the expert's first. Titles are part of the documents' texts.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from ilpsum.corpora import pubmed
from ilpsum.corpora.options import Pool, paths
from ilpsum.corpora.pieces import join_overlapping
from ilpsum.errors import InputError, UsageError
from ilpsum.io.files import head
from ilpsum.io.json_stream import Item, stream, well_formed
from ilpsum.papers.headings import is_abstract_label
from ilpsum.records import BrokenTopic, Document, Section, Topic

# A line end within a sentence: what follows begins neither a sentence nor a heading.
_WRAPPED = re.compile(r"[^\S\n]*\n\s*(?=[a-z(\[,;])")
_NAME = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A gold snippet: a stretch of a section of a document, quoted.

    Attributes:
        pmid: the document's PMID; the end of its URL where that is none (an article of PMC).
        section: `title`, `abstract` or `sections.N`.
        start, end: where the file says that it stands in the section; often not quite true.
        text: the quoted text.
    """

    pmid: str
    section: str
    start: int
    end: int
    text: str


OPTIONS: tuple[str, ...] = ("pool", "answers", "documents")


def recognises(path: Path) -> bool:
    """Whether a file begins like the official JSON."""
    begin = head(path).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    return begin.startswith("{") and '"questions"' in begin


def read(
    path: str | Path,
    *,
    pool: Pool = "snippets",
    answers: str | Path | Sequence[str | Path] = (),
    documents: str | Path | Sequence[str | Path] = (),
) -> Iterator[Topic | BrokenTopic]:
    """The questions of a file, in its order, each read when it is asked for.

    Args:
        path: official JSON, `{"questions": [...]}`; `-` is standard input.
        pool: how a question's documents are made.
        answers: official JSON whose ideal answers are joined by id to the questions that have none.
        documents: abstracts for the pool `abstracts`, as PubMed XML, MEDLINE text or JSON lines.

    Yields:
        A topic for each question; one without snippets or abstracts has no documents.

    Raises:
        UsageError: no such pool, or the pool `abstracts` without documents.
        InputError: a file that cannot be read or holds no questions.
    """
    if pool not in get_args(Pool):
        raise UsageError(f"unknown pool {pool!r}; there are: {', '.join(get_args(Pool))}")
    if pool == "abstracts" and not documents:
        raise UsageError("the pool abstracts needs the abstracts; name their files with --documents")
    ideal = {key: value for file in paths(answers) for key, value in _answers(file)}
    texts = _abstracts(path, paths(documents)) if pool == "abstracts" else {}
    for item in questions(path):
        try:
            yield _topic(item, path, pool, ideal, texts)
        except InputError as error:
            named = item.value.get("id") if isinstance(item.value, dict) else ""
            yield BrokenTopic(well_formed(str(named or f"question on line {item.line}")), error)


def questions(path: str | Path) -> Iterator[Item]:
    """The questions of a file, decoded and not yet looked at.

    Raises:
        InputError: the file cannot be read or holds no list of questions.
    """
    found = False
    for item in stream(path, lists=("questions",)):
        if item.key in ("questions", ""):
            found = True
            if not item.element and item.value != []:
                raise InputError('"questions" must be a list of questions', path, item.line)
            if item.element:
                yield item
    if not found:
        raise InputError('no "questions"; BioASQ JSON {"questions": [...]} was expected', path)


def snippets(question: dict[str, Any], place: tuple[str | Path, int]) -> list[Snippet]:
    """The snippets of a question, in the file's order, those without text left out.

    Raises:
        InputError: a snippet that is none.
    """
    listed = question.get("snippets")
    if not isinstance(listed, list | None):
        raise _fault(question, '"snippets" must be a list', place)
    found = []
    for number, snippet in enumerate(listed or (), 1):
        if not isinstance(snippet, dict) or not isinstance(snippet.get("text"), str):
            raise _fault(question, f'snippet {number} must be an object with a "text"', place)
        pmid = _document_name(snippet.get("document"))
        if not pmid:
            raise _fault(question, f'snippet {number}: "document" must be the URL of its document', place)
        text = _WRAPPED.sub(" ", well_formed(snippet["text"])).strip()
        if text:
            start, end = (_offset(snippet.get(f"offsetIn{side}Section")) for side in ("Begin", "End"))
            section = str(snippet.get("beginSection") or "abstract")
            found.append(Snippet(pmid, section, start, max(start, end), text))
    return found


def merge(pieces: Iterable[Snippet]) -> list[Document]:
    """The pool `merged`: a document for each PMID, in ascending PMID, of what its snippets cover.

    Pieces of one section that have nothing in common become paragraphs.
    """
    by_place: dict[str, dict[str, list[Snippet]]] = {}
    for piece in pieces:
        by_place.setdefault(piece.pmid, {}).setdefault(piece.section, []).append(piece)
    merged = []
    # PMIDs have no leading zeros: the shorter is the smaller.
    for pmid in sorted(by_place, key=lambda pmid: (not pmid.isdecimal(), len(pmid) if pmid.isdecimal() else 0, pmid)):
        text, sections = "", []
        for name in sorted(by_place[pmid], key=_section_order):
            parts = sorted(by_place[pmid][name], key=lambda piece: (piece.start, -piece.end))
            body = "\n".join(join_overlapping((part.start, part.end, part.text) for part in parts))
            start = len(text) + bool(text)
            text = f"{text}\n{body}" if text else body
            sections += _sections(body, "title" if name == "title" else "abstract", start)
        merged.append(Document(pmid, text, source=pmid, sections=tuple(sections)))
    return merged


def _sections(text: str, kind: str, offset: int = 0) -> list[Section]:
    """A section, cut at the lines that are labels of a structured abstract, which become titles."""
    labels, place = [(0, "")], 0
    for line in text.split("\n") if kind == "abstract" else ():
        if is_abstract_label(line):
            labels.append((place, line.strip()))
        place += len(line) + 1
    ends = [start for start, _ in labels[1:]] + [len(text)]
    cut = ((start, end, title) for (start, title), end in zip(labels, ends, strict=True))
    return [Section(title, kind, offset + start, offset + end) for start, end, title in cut if start < end]


def _document_name(url: object) -> str:
    """The PMID that a URL ends in, else whatever it ends in."""
    return pubmed.pmid_of(url) or (
        well_formed(url).strip().rstrip("/").rpartition("/")[2] if isinstance(url, str) else ""
    )


def _section_order(name: str) -> tuple[bool, list[tuple[int, str]]]:
    # The title first; sections.2 before sections.10.
    parts = [(int(part), "") if part.isdecimal() else (0, part) for part in _NAME.split(name)]
    return name != "title", parts


def _topic(
    item: Item, path: str | Path, pool: Pool, ideal: dict[str, tuple[str, ...]], texts: dict[str, Document]
) -> Topic:
    place = (path, item.line)
    question = item.value
    if not isinstance(question, dict):
        raise InputError("a question must be a JSON object", path, item.line)
    name = question.get("id")
    if not isinstance(name, str) or not name.strip():
        raise InputError('a question without an "id" (a text)', path, item.line)
    body = question.get("body")
    if not isinstance(body, str):
        raise _fault(question, 'no "body"; the question\'s text was expected there', place)
    name = well_formed(name.strip())
    return Topic(
        name,
        query=" ".join(well_formed(body).split()),
        documents=tuple(_documents(question, pool, texts, place)),
        summaries=_ideal(question, place) or ideal.get(name, ()),
        kind=well_formed(str(question.get("type") or "")),
    )


def _documents(
    question: dict[str, Any], pool: Pool, texts: dict[str, Document], place: tuple[str | Path, int]
) -> list[Document]:
    if pool == "abstracts":
        return [texts[pmid] for pmid in dict.fromkeys(_pmids(question, place)) if pmid in texts]
    pieces = snippets(question, place)
    if pool == "merged":
        return merge(pieces)
    counted: dict[str, int] = {}
    made = []
    for piece in pieces:
        counted[piece.pmid] = number = counted.get(piece.pmid, 0) + 1
        sections = _sections(piece.text, "title" if piece.section == "title" else "abstract")
        name = f"{piece.pmid}-{number}"
        made.append(Document(name, piece.text, role="snippet", source=piece.pmid, sections=tuple(sections)))
    return made


def _pmids(question: dict[str, Any], place: tuple[str | Path, int]) -> list[str]:
    listed = question.get("documents")
    if not isinstance(listed, list | None):
        raise _fault(question, '"documents" must be a list of URLs', place)
    return [pmid for url in listed or () if (pmid := pubmed.pmid_of(url))]


def _ideal(question: dict[str, Any], place: tuple[str | Path, int]) -> tuple[str, ...]:
    ideal = question.get("ideal_answer")
    listed = ideal if isinstance(ideal, list) else [] if ideal is None else [ideal]
    if not all(isinstance(answer, str) for answer in listed):
        raise _fault(question, '"ideal_answer" must be a text or a list of texts', place)
    return tuple(well_formed(answer).strip() for answer in listed if answer.strip())


def _answers(path: str | Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    for item in questions(path):
        if isinstance(item.value, dict) and isinstance(item.value.get("id"), str):
            found = _ideal(item.value, (path, item.line))
            if found:
                yield item.value["id"].strip(), found


def _abstracts(path: str | Path, files: Sequence[str | Path]) -> dict[str, Document]:
    """The abstracts of the files that some question of `path` names, by PMID."""
    if str(path) == "-":
        raise UsageError("the pool abstracts reads the questions twice and cannot take them from standard input")
    wanted = {
        pmid
        for item in questions(path)
        if isinstance(item.value, dict) and isinstance(item.value.get("documents"), list)
        for pmid in _pmids(item.value, (path, item.line))
    }
    found: dict[str, Document] = {}
    for file in files:
        for document in pubmed.documents(file):
            if isinstance(document, InputError):
                raise document
            if document.id in wanted and document.text:
                found.setdefault(document.id, document)
    return found


def _offset(value: object) -> int:
    return value if isinstance(value, int) else 0


def _fault(question: dict[str, Any], reason: str, place: tuple[str | Path, int]) -> InputError:
    return InputError(f"question {question.get('id')}: {reason}", *place)
