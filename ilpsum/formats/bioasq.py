"""BioASQ Task B: topics from the official JSON of questions, `.gz` or not, and submissions of ideal answers.

The pool determines a question's documents:

- `snippets`: each gold snippet is a document, in the file's order;
- `merged`: one document per PMID, in ascending order (independent of the gold standard), with the title's snippets
  first, then the other sections by name, snippets by offset, overlaps merged;
- `abstracts`: title and abstract of each listed document that is in the given files, in the question's order;
- `searched`: none; `ilpsum.answers` attaches the documents that a search finds.

The ideal answers are the gold summaries, the expert's first; factoid and list questions also have exact answers.
Titles are part of the document texts.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, get_args

from ilpsum.errors import InputError, UsageError
from ilpsum.files.json_text import Item, list_items
from ilpsum.files.reading import beginning
from ilpsum.formats import Pool, abstracts, paths, pubmed
from ilpsum.formats.filtering import quotable
from ilpsum.formats.findings import Findings, document_items, quoted
from ilpsum.formats.jsonl import read_entries
from ilpsum.formats.papers.headings import is_abstract_label
from ilpsum.formats.registry import FORMATS, Finding, Paths
from ilpsum.formats.writing import OneFileWriter, json_list
from ilpsum.records import BrokenTopic, Document, Section, Summary, Topic

# A line break within a sentence: the next line starts neither a sentence nor a heading.
_WRAPPED = re.compile(r"(?<!\s)(?=[^\S\n]*+\n)\s++(?=[a-z(\[,;])")
_NAME = re.compile(r"(\d{1,18})")

_Place: TypeAlias = tuple[str | Path, int]
"""File and line number."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A gold snippet: a quoted passage of a section.

    Attributes:
        pmid: the document's PMID, or the last part of its URL (for a PMC article).
        section: `title`, `abstract` or `sections.N`.
        start, end: offsets in the section as given in the file; often slightly wrong.
        text: the quoted text.
    """

    pmid: str
    section: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Answers:
    ideal: tuple[str, ...] = ()
    exact: tuple[tuple[str, ...], ...] = ()


OPTIONS: tuple[str, ...] = ("pool", "answers", "documents", "retracted", "damaged")


def recognises(path: Path) -> bool:
    """Return whether a file starts like the official JSON."""
    begin = beginning(path)
    return begin.startswith("{") and '"questions"' in begin


def read(
    path: str | Path,
    *,
    pool: Pool = "snippets",
    answers: str | Path | Sequence[str | Path] = (),
    documents: str | Path | Sequence[str | Path] = (),
    retracted: bool = False,
    damaged: abstracts.SkippedFiles | None = None,
) -> Iterator[Topic | BrokenTopic]:
    """Yield the questions of a file as topics, lazily, in file order.

    Args:
        path: official JSON, `{"questions": [...]}`; `-` is standard input.
        pool: how a question's documents are chosen.
        answers: official JSON files whose ideal and exact answers are joined by id to questions that lack them.
        documents: abstract files for the pool `abstracts` (`ilpsum.formats.abstracts`).
        retracted: whether to keep retracted abstracts.
        damaged: collects unreadable abstract files found in folders.

    Yields:
        A topic per question; without snippets or abstracts it has no documents. The first topic carries the warnings
        about the abstract files.

    Raises:
        UsageError: an unknown pool, or the pool `abstracts` without documents.
        InputError: a file that cannot be read or has no questions.
    """
    if pool not in get_args(Pool):
        raise UsageError(f"unknown pool {pool!r}; expected one of {', '.join(get_args(Pool))}")
    if pool == "abstracts" and not documents:
        raise UsageError("the pool abstracts needs files of abstracts; name them with --documents")
    known = {key: value for file in paths(answers) for key, value in _answers(file)}
    warnings = list[str]()
    texts = _abstracts(path, paths(documents), warnings, damaged) if pool == "abstracts" else {}
    entries = ((item.line, item.value) for item in questions(path))
    for topic in read_entries(entries, path, lambda value, path, line: _topic(value, (path, line), pool, known, texts)):
        if isinstance(topic, Topic):
            quoted, notes = quotable(topic.documents, retracted=retracted)
            topic = replace(topic, documents=quoted, warnings=(*warnings, *topic.warnings, *notes))
            warnings = []
        yield topic


def questions(path: str | Path) -> Iterator[Item]:
    """Yield the questions of a file, decoded but not validated; `InputError` if it has no list of questions."""
    return list_items(path, "questions", "a list of questions", 'BioASQ JSON {"questions": [...]}')


def snippets(question: dict[str, Any], place: _Place) -> list[Snippet]:
    """Return a question's snippets with text, in file order; `InputError` for a malformed snippet."""
    listed = question.get("snippets")
    if not isinstance(listed, list | None):
        raise _error(question, '"snippets" must be a list', place)
    found = []
    for number, snippet in enumerate(listed or (), 1):
        if not isinstance(snippet, dict) or not isinstance(snippet.get("text"), str):
            raise _error(question, f'snippet {number} must be an object with a "text"', place)
        pmid = _document_name(snippet.get("document"))
        if not pmid:
            raise _error(question, f'snippet {number}: "document" must be the URL of its document', place)
        text = _WRAPPED.sub(" ", snippet["text"]).strip()
        if text:
            offsets = (snippet.get(f"offsetIn{side}Section") for side in ("Begin", "End"))
            start, end = (offset if isinstance(offset, int) else 0 for offset in offsets)
            section = str(snippet.get("beginSection") or "abstract")
            found.append(Snippet(pmid, section, start, max(start, end), text))
    return found


def merge(pieces: Iterable[Snippet]) -> list[Document]:
    """Build the pool `merged`: one document per PMID, in ascending order, with the text that its snippets cover.

    Non-overlapping snippets of a section become paragraphs.
    """
    by_place: dict[str, dict[str, list[Snippet]]] = {}
    for piece in pieces:
        by_place.setdefault(piece.pmid, {}).setdefault(piece.section, []).append(piece)
    merged = []
    # PMIDs have no leading zeros, so a shorter one is smaller.
    for pmid in sorted(by_place, key=lambda pmid: (not pmid.isdecimal(), len(pmid) if pmid.isdecimal() else 0, pmid)):
        text, sections = "", []
        for name in sorted(by_place[pmid], key=_section_order):
            parts = sorted(by_place[pmid][name], key=lambda piece: (piece.start, -piece.end))
            body = "\n".join(join_overlapping((part.start, part.end, part.text) for part in parts))
            start = len(text) + bool(text)
            text = f"{text}\n{body}" if text else body
            sections += _sections(body, "title" if name == "title" else "abstract", start)
        merged.append(Document(pmid, text, role="merged", source=pmid, sections=tuple(sections)))
    return merged


def join_overlapping(pieces: Iterable[tuple[int, int, str]]) -> list[str]:
    """Merge overlapping passages, given as (start, end, text) by start and descending end, into stretches of text.

    Offsets decide what overlaps, as the pool `merged` is defined; where they are wrong, an overlap is cut a few
    letters early or late (experiments/results/tried.md). A passage within the preceding stretch is dropped; one that
    extends it is appended from the stretch's end on, after a space unless the overlapping letters match.

    >>> join_overlapping([(0, 20, "The mice were given "), (9, 28, "were given the drug"), (40, 50, "They slept")])
    ['The mice were given the drug', 'They slept']
    """
    stretches: list[str] = []
    end = -1
    for start, stop, text in pieces:
        if not stretches or start >= end:
            stretches.append(text)
        elif stop > end:
            overlap, before = end - start, stretches[-1]
            seam = "" if before.endswith(text[:overlap]) else " "
            stretches[-1] = before + seam + text[overlap:]
        end = max(end, stop)
    return stretches


def _sections(text: str, kind: str, offset: int = 0) -> list[Section]:
    """Split a section at lines that are labels of a structured abstract; the labels become section titles."""
    labels, place = [(0, "")], 0
    for line in text.split("\n") if kind == "abstract" else ():
        if is_abstract_label(line):
            labels.append((place, line.strip()))
        place += len(line) + 1
    ends = [start for start, _ in labels[1:]] + [len(text)]
    cut = ((start, end, title) for (start, title), end in zip(labels, ends, strict=True))
    return [Section(title, kind, offset + start, offset + end) for start, end, title in cut if start < end]


def _document_name(url: object) -> str:
    """Return the PMID at the end of a URL, or else the last part of the URL."""
    last = url.strip().rstrip("/").rpartition("/")[2] if isinstance(url, str) else ""
    return pubmed.pmid_of(url) or last


def _section_order(name: str) -> tuple[bool, list[tuple[int, str]]]:
    # The title first; sections.2 before sections.10.
    parts = [(int(part), "") if part.isdecimal() else (0, part) for part in _NAME.split(name)]
    return name != "title", parts


def _topic(question: Any, place: _Place, pool: Pool, known: dict[str, _Answers], texts: dict[str, Document]) -> Topic:
    if not isinstance(question, dict):
        raise InputError("a question must be a JSON object", *place)
    name = question.get("id")
    if not isinstance(name, str) or not name.strip():
        raise InputError('a question without an "id" (a text)', *place)
    body = question.get("body")
    if not isinstance(body, str):
        raise _error(question, 'no "body"; expected the text of the question', place)
    name = name.strip()
    joined = known.get(name, _Answers())
    return Topic(
        name,
        query=" ".join(body.split()),
        documents=tuple(_documents(question, pool, texts, place)),
        summaries=_ideal(question, place) or joined.ideal,
        kind=str(question.get("type") or ""),
        answers=_exact(question, place) or joined.exact,
        relevant=_relevant(question, place),
        snippets=_marked(question),
    )


def _documents(question: dict[str, Any], pool: Pool, texts: dict[str, Document], place: _Place) -> list[Document]:
    if pool == "searched":
        return []
    if pool == "abstracts":
        return [texts[pmid] for pmid in _relevant(question, place) if pmid in texts]
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


def _relevant(question: dict[str, Any], place: _Place) -> tuple[str, ...]:
    """Return the distinct PMIDs of the documents listed for a question."""
    listed = question.get("documents")
    if not isinstance(listed, list | None):
        raise _error(question, '"documents" must be a list of URLs', place)
    return tuple(pmid for pmid in dict.fromkeys(map(pubmed.pmid_of, listed or ())) if pmid)


def _marked(question: dict[str, Any]) -> tuple[str, ...]:
    """Return the distinct snippet texts; only pools built from snippets report malformed ones."""
    listed = question.get("snippets")
    texts = (s.get("text") for s in (listed if isinstance(listed, list) else ()) if isinstance(s, dict))
    return tuple(dict.fromkeys(text for text in texts if isinstance(text, str) and text.strip()))


def _ideal(question: dict[str, Any], place: _Place) -> tuple[str, ...]:
    ideal = question.get("ideal_answer")
    listed = ideal if isinstance(ideal, list) else [] if ideal is None else [ideal]
    if not all(isinstance(answer, str) for answer in listed):
        raise _error(question, '"ideal_answer" must be a text or a list of texts', place)
    return tuple(answer.strip() for answer in listed if answer.strip())


def _exact(question: dict[str, Any], place: _Place) -> tuple[tuple[str, ...], ...]:
    """Return the items of the exact answer, each as a tuple of synonyms.

    All texts of a factoid question are synonyms of one item; each entry of a list question is an item.
    """
    exact = question.get("exact_answer")
    if exact is None or question.get("type") not in ("factoid", "list"):
        return ()
    entries = exact if question["type"] == "list" and isinstance(exact, list) else [exact]
    items = (tuple(_texts(entry, question, place)) for entry in entries)
    return tuple(item for item in items if item)


def _texts(value: object, question: dict[str, Any], place: _Place) -> Iterator[str]:
    """Yield the strings in nested lists; numbers are converted to strings."""
    if isinstance(value, list):
        for entry in value:
            yield from _texts(entry, question, place)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        if text := str(value).strip():
            yield text
    elif value is not None:
        raise _error(question, '"exact_answer" must be a text, or lists of texts', place)


def _answers(path: str | Path) -> Iterator[tuple[str, _Answers]]:
    for item in questions(path):
        if isinstance(item.value, dict) and isinstance(item.value.get("id"), str):
            place = (path, item.line)
            yield item.value["id"].strip(), _Answers(_ideal(item.value, place), _exact(item.value, place))


def _abstracts(
    path: str | Path, files: Sequence[str | Path], warnings: list[str], damaged: abstracts.SkippedFiles | None
) -> dict[str, Document]:
    """Return the abstracts in `files` that the questions of `path` list, by PMID."""
    if str(path) == "-":
        raise UsageError("the pool abstracts reads the questions twice, so they cannot come from standard input")
    values = (item.value for item in questions(path) if isinstance(item.value, dict))
    lists = (value["documents"] for value in values if isinstance(value.get("documents"), list))
    wanted = {pubmed.pmid_of(url) for urls in lists for url in urls} - {""}
    found: dict[str, Document] = {}
    for file in files:
        with (damaged or abstracts.SkippedFiles()).reading(file):
            unread, first = 0, ""
            for document in abstracts.documents(file):
                if isinstance(document, InputError):
                    unread, first = unread + 1, first or str(document)
                elif document.id in wanted and document.text:
                    found.setdefault(document.id, document)
            warnings += (f"{Path(file).name}: {line}" for line in abstracts.skipped(Path(file), 0, unread, first))
    return found


def _error(question: dict[str, Any], reason: str, place: _Place) -> InputError:
    return InputError(f"question {question.get('id')}: {reason}", *place)


class BioasqWriter(OneFileWriter):
    """Writes OUT/NAME.json: `{"questions": [{"id", "ideal_answer"}]}`, in the order of writing."""

    @classmethod
    def fields(cls, name: str, summary: Summary) -> dict[str, Any]:  # noqa: ARG003  # a submission names no run
        """Return the answer."""
        return {"id": summary.topic, "ideal_answer": " ".join(summary.text.split())}

    def file(self, objects: Iterator[str]) -> Iterator[str]:
        """Yield the submission."""
        return json_list(objects, '{"questions": ', "}")

    @staticmethod
    def texts(path: Path) -> Iterator[tuple[str, str, str]]:
        """Yield the ideal answers of a submission."""
        for item in questions(path):
            topic, answer = (
                item.value.get(k) if isinstance(item.value, dict) else None for k in ("id", "ideal_answer")
            )
            if isinstance(answer, list):
                answer = answer[0] if answer else ""
            if not isinstance(topic, str) or not isinstance(answer or "", str):
                raise InputError('expected a question with "id" and "ideal_answer"', path, item.line)
            yield topic, answer or "", "" if answer else "no ideal_answer"


def check(path: Path, *, topics: Paths | None = None) -> list[Finding]:
    """Return the errors and warnings of a submission; arguments and exceptions as for `Format.check`."""
    findings = Findings(path, topics, "question")
    for item in document_items(path, "questions", findings, {}):
        _check_answer(item.value, item.line, findings)
    return findings.all()


def _check_answer(value: Any, line: int, findings: Findings) -> None:
    if not isinstance(value, dict):
        findings.add(line, f"expected an object for each question, got {quoted(value)}")
        return
    question = value.get("id")
    if not isinstance(question, str) or not question:
        findings.add(line, f'expected a non-empty string as "id", got {quoted(question)}')
        return
    place = f"{line}: question {question}"
    findings.answered(question, place)
    exact = value.get("exact_answer")
    if exact is not None and not isinstance(exact, str | list):
        findings.add(place, f'expected a string or a list as "exact_answer", got {quoted(exact)}')
    # A system may give only an exact or only an ideal answer.
    if "ideal_answer" in value or exact is None:
        _check_ideal(value.get("ideal_answer"), place, findings)


def _check_ideal(ideal: Any, place: str, findings: Findings) -> None:
    answers = ideal if isinstance(ideal, list) else [ideal]
    if not answers or not all(isinstance(answer, str) for answer in answers):
        findings.add(place, f'expected a string or a list of strings as "ideal_answer", got {quoted(ideal)}')
        return
    most = FORMATS["bioasq"].words
    for answer in answers:
        words = len(answer.split())
        if words > most:
            findings.add(place, f"the ideal answer has {words} words; at most {most} are allowed")
        if not words:
            findings.add(place, "empty ideal answer", warning=True)
