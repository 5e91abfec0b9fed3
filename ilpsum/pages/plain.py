"""Answers as text, Markdown and JSON."""

import json
import math
import re
from collections.abc import Callable

import msgspec

from ilpsum.pages.view import Answer, AnswerLine, Source
from ilpsum.records import Correction, Outcome, Publication, Sentence

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


def text(answer: Answer, describe: Callable[[Source], str] | None = None) -> str:
    """Return an answer as text: one sentence per line with its source number, then the sources (by `describe`).

    Control characters, which a terminal would interpret, become spaces.
    """
    if answer.lines:
        lines = [f"{line.shown} [{line.source.mark}]" for line in answer.lines]
    else:
        lines = [f"{answer.silence}.", *(f'"{line.shown}" [{line.source.mark}]' for line in answer.nearest)]
    sources = [f"[{source.number}] {(describe or _described)(source)}" for source in answer.quoted]
    return "\n".join(map(_printable, [*lines, *[""] * bool(sources), *sources])) + "\n"


def markdown(answer: Answer) -> str:
    """Return an answer in Markdown: the question, the sentences with reference numbers, and the references."""
    parts = [f"## {_escaped(answer.question or UNASKED)}", ""]
    if answer.corrections:
        parts += [f"*Note: {_escaped('; '.join(map(str, answer.corrections)))}.*", ""]
    parts += [f"{_escaped(line.shown)} {_numbered(line.source)}" for line in answer.lines]
    if not answer.lines:
        parts += [f"*{_escaped(answer.silence)}.*"]
        parts += [f"\n> {_escaped(line.shown)} {_numbered(line.source)}" for line in answer.nearest]
    parts += ["", *(f"{source.number}. {_described(source, markdown=True)}" for source in answer.quoted), ""]
    # Link definitions, so that the reference numbers become links.
    parts += [f"[{source.number}]: {source.url}" for source in answer.quoted if source.url]
    return "\n".join(parts).rstrip() + "\n"


def to_json(answer: Answer) -> str:
    """Return an answer as one line of JSON with the schema of `JsonAnswer`."""
    record = JsonAnswer(
        question=answer.question,
        words=answer.words,
        sentences=list(map(_line, answer.lines)),
        sources=[
            JsonSource(s.number, s.id, s.pmid or None, s.title, s.date, s.url or None, s.publication)
            for s in answer.quoted
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


def _sentence(s: Sentence, text: str, why: str, source: Source | None = None) -> JsonSentence:
    number = source.number if source else msgspec.UNSET
    notice = (source and source.publication.notice) or msgspec.UNSET
    return JsonSentence(text, number, s.document, s.start, s.end, _finite(s.relevance), why, notice)


def _line(line: AnswerLine) -> JsonSentence:
    return _sentence(line.sentence, line.text, line.why, line.source)


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
