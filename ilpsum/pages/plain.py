"""Answers as text, Markdown, JSON and, with python-docx (the extra `docx`), Word documents."""

import io
import json
import math
import re
from collections.abc import Callable
from importlib.util import find_spec

import msgspec

from ilpsum.errors import UsageError
from ilpsum.pages import references
from ilpsum.pages.markup import printable
from ilpsum.pages.view import Answer, AnswerLine, Source
from ilpsum.records import Correction, Outcome, Publication, Sentence

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
"""The media type of Word documents."""

UNASKED = "Summary"
"""The heading of a summary without a question."""

_MARKDOWN = re.compile(r"([\\`*_\[\]<>~|]|&(?=#?\w+;))")
# Prefixes that turn a line into a list item or heading.
_LIST = re.compile(r"^(\d+|)([.)+-]|#{1,6})(?=\s|$)")


class JsonSource(msgspec.Struct):
    """A quoted source: its number and its publication data."""

    number: int
    id: str
    pmid: str | None
    title: str
    date: str
    url: str | None
    publication: Publication


class JsonSentence(msgspec.Struct):
    """A sentence, its character offsets, and why it was chosen or left out; only chosen sentences have a `source`.

    `notice` marks a document that is retracted or has an expression of concern.
    """

    text: str
    source: int | msgspec.UnsetType
    document: str
    start: int
    end: int
    relevance: float | None
    why: str
    notice: str | msgspec.UnsetType = msgspec.UNSET


class JsonAnswer(msgspec.Struct):
    """An answer; undefined numbers are null."""

    question: str
    words: int
    sentences: list[JsonSentence]
    sources: list[JsonSource]
    left_out: list[JsonSentence]
    objective: float | None
    bound: float | None
    gap: float | None
    outcome: Outcome
    answerable: float | None
    unanswered: str | None
    corrections: list[Correction]
    nearest: list[JsonSentence]
    warnings: list[str]


def text(answer: Answer, *, vancouver: bool = False) -> str:
    """Return an answer as text: one sentence per line with its source number, then the sources.

    `vancouver` formats the sources in Vancouver style (`ilpsum.pages.references`).

    Control characters, which a terminal would interpret, become spaces.
    """
    if answer.lines:
        lines = [f"{line.shown} [{line.source.mark}]" for line in answer.lines]
    else:
        lines = [f"{answer.silence}.", *(f'"{line.shown}" [{line.source.mark}]' for line in answer.nearest)]
    described = references.vancouver if vancouver else _described
    sources = [f"[{source.number}] {described(source)}" for source in quoted(answer)]
    if vancouver and sources:
        sources.insert(0, "References")
    return "\n".join(map(_printable, [*lines, *[""] * bool(sources), *sources])) + "\n"


def markdown(answer: Answer, *, vancouver: bool = False) -> str:
    """Return an answer in Markdown: the question, the sentences with reference numbers, and the references."""
    parts = [f"## {_escaped(answer.question or UNASKED)}", ""]
    if answer.corrections:
        parts += [f"*Note: {_escaped('; '.join(map(str, answer.corrections)))}.*", ""]
    sources = quoted(answer)
    parts += [f"{_escaped(line.shown)} {_numbered(line.source)}" for line in answer.lines]
    if not answer.lines:
        parts += [f"*{_escaped(answer.silence)}.*"]
        parts += [f"\n> {_escaped(line.shown)} {_numbered(line.source)}" for line in answer.nearest]
    parts += ["", *["### References\n"] * (vancouver and bool(sources))]
    parts += (
        f"{s.number}. {_escaped(references.vancouver(s)) if vancouver else _described(s, markdown=True)}"
        for s in sources
    )
    parts.append("")
    # Link definitions, so that the reference numbers become links.
    parts += [f"[{source.number}]: {source.url}" for source in sources if source.url]
    return "\n".join(parts).rstrip() + "\n"


def to_json(answer: Answer) -> str:
    """Return an answer as one line of JSON with the schema of `JsonAnswer`."""
    record = JsonAnswer(
        question=answer.question,
        words=answer.words,
        sentences=list(map(_line, answer.lines)),
        sources=[
            JsonSource(s.number, s.id, s.pmid or None, s.title, s.date, s.url or None, s.publication)
            for s in quoted(answer)
        ],
        left_out=[_sentence(s, s.text, s.why) for s in answer.left_out],
        objective=_finite(answer.objective),
        bound=_finite(answer.bound),
        gap=_finite(answer.gap),
        outcome=answer.outcome,
        answerable=_finite(answer.search.answerable) if answer.search else None,
        unanswered=answer.unanswered or None,
        corrections=list(answer.corrections),
        nearest=list(map(_line, answer.nearest)),
        # Corrections have their own field.
        warnings=[line for line in answer.warnings if line not in map(str, answer.corrections)],
    )
    return json.dumps(msgspec.to_builtins(record), ensure_ascii=False, allow_nan=False) + "\n"


def has_word() -> bool:
    """Return whether python-docx is installed."""
    return find_spec("docx") is not None


def word(answer: Answer) -> bytes:
    """Return an answer as a Word document: the question, the sentences as one paragraph, and the references."""
    if not has_word():
        raise UsageError("Word documents need python-docx; install ilpsum[docx], or download Markdown")
    from docx import Document

    made = Document()
    made.core_properties.title = printable(answer.question)[:255]
    made.add_heading(printable(answer.question or UNASKED), level=1)
    lines = answer.lines or answer.nearest
    if not answer.lines:
        made.add_paragraph(f"{printable(answer.silence)}.")
    paragraph = made.add_paragraph()
    for line in lines:
        paragraph.add_run(f"{printable(line.shown)} ")
        paragraph.add_run(f"{line.source.mark} ").font.superscript = True
    sources = quoted(answer)
    if sources:
        made.add_heading("References", level=2)
    for source in sources:
        made.add_paragraph(f"{source.number}. {printable(references.vancouver(source))}")
    data = io.BytesIO()
    made.save(data)
    return data.getvalue()


FORMS: dict[str, Callable[[Answer], str]] = {
    "json": to_json,
    "ris": lambda answer: references.ris(quoted(answer)),
    "bibtex": lambda answer: references.bibtex(quoted(answer)),
    "csl": lambda answer: references.csl(quoted(answer)),
}
"""Machine-readable formats of an answer or of its quoted sources, by name."""


def _sentence(s: Sentence, text: str, why: str, source: Source | None = None) -> JsonSentence:
    number = source.number if source else msgspec.UNSET
    notice = (source and source.publication.notice) or msgspec.UNSET
    return JsonSentence(text, number, s.document, s.start, s.end, _finite(s.relevance), why, notice)


def _line(line: AnswerLine) -> JsonSentence:
    return _sentence(line.sentence, line.text, line.why, line.source)


def quoted(answer: Answer) -> list[Source]:
    """Return the sources of the sentences, without those that only support them."""
    return list({line.source.number: line.source for line in (*answer.lines, *answer.nearest)}.values())


def _described(source: Source, *, markdown: bool = False) -> str:
    """Describe a source on one line; in Markdown its name is a link."""
    escape = _escaped if markdown else str
    title = source.title if not source.title or source.title.endswith((".", "?", "!", "]")) else f"{source.title}."
    name = f"[{escape(source.name)}]({source.url})" if markdown and source.url else escape(source.name)
    remarks = f"({'; '.join(source.publication.remarks)})" if source.publication.remarks else ""
    parts = (escape(title), escape(source.byline), ", ".join(filter(None, (name, source.year))), remarks)
    return " ".join(filter(None, parts))


def _numbered(source: Source) -> str:
    """Return a source number in Markdown, linked by a definition elsewhere in the text, with its notice."""
    return " ".join(
        filter(None, (f"[{source.number}]", source.publication.notice and f"({source.publication.notice})"))
    )


def _escaped(text: str) -> str:
    return _LIST.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\1", " ".join(text.split())))


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
