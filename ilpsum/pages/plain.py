"""Answers as text, Markdown and JSON."""

import json
import math
import re
from collections.abc import Callable

import msgspec

from ilpsum.pages.view import Answer, Source
from ilpsum.records import Outcome, Sentence, notices

WEAK = Outcome.WEAK.said(notices.MAY_NOT_ANSWER)
"""The line above an answer of low probability."""

UNASKED = "Summary"
"""The heading of a summary without a question."""

_MARKDOWN = re.compile(r"([\\`*_\[\]<>~|]|&(?=#?\w+;))")
# Prefixes that turn a line into a list item or heading.
_LIST = re.compile(r"^(\d+|)([.)+-]|#{1,6})(?=\s|$)")


def text(answer: Answer, describe: Callable[[Source], str] | None = None) -> str:
    """Return an answer as text: one sentence per line with its source number, then the sources (by
    `describe`).

    Control characters, which a terminal would interpret, become spaces.
    """
    if answer.lines:
        lines = [f"{WEAK}."] if answer.outcome is Outcome.WEAK else []
        lines += [f"{line.shown} [{line.source.mark}]" for line in answer.lines]
    else:
        lines = [
            f"{answer.silence}.",
            *(f'"{line.shown}" [{line.source.mark}]' for line in answer.nearest),
        ]
    sources = [f"[{source.number}] {(describe or _described)(source)}" for source in answer.quoted]
    return "\n".join(map(_printable, [*lines, *[""] * bool(sources), *sources])) + "\n"


def markdown(answer: Answer) -> str:
    """Return an answer in Markdown: the question, the sentences with reference numbers, and the
    references.
    """
    parts = [f"## {_escaped(answer.question or UNASKED)}", ""]
    if answer.corrections:
        parts += [f"*Note: {_escaped('; '.join(map(str, answer.corrections)))}.*", ""]
    if answer.outcome is Outcome.WEAK:
        parts += [f"*{WEAK}.*", ""]
    parts += [f"{_escaped(line.shown)} {_numbered(line.source)}" for line in answer.lines]
    if not answer.lines:
        parts += [f"*{_escaped(answer.silence)}.*"]
        parts += [f"\n> {_escaped(line.shown)} {_numbered(line.source)}" for line in answer.nearest]
    parts += [
        "",
        *(f"{source.number}. {_described(source, markdown=True)}" for source in answer.quoted),
        "",
    ]
    # Link definitions, so that the reference numbers become links.
    parts += [f"[{source.number}]: {source.url}" for source in answer.quoted if source.url]
    return "\n".join(parts).rstrip() + "\n"


def to_json(answer: Answer) -> str:
    """Return an answer as one line of JSON; undefined numbers are null, and only chosen sentences
    have a `source`.
    """
    summary, search, points = answer.summary, answer.search, answer.points
    record = {
        "question": answer.question,
        "words": sum(len(line.text.split()) for line in answer.lines),
        "sentences": [_sentence(line.sentence, line.text, line.sentence.why,
        line.source) for line in answer.lines],
        "sources": [
            {"number": s.number, "id": s.id, "pmid": s.pmid or None, "title": s.title,
            "date": s.date,
             "url": s.url or None, "size": s.size or None,
             "publication": msgspec.to_builtins(s.publication)}
            for s in answer.quoted
        ],
        # Sentences are numbered from 1; items have the numbers of their sources.
        "sides": {side: [i + 1 for i,
        own in points.sides.items() if own == side] for side in ("yes", "no")},
        "studies": {side: found._asdict() for side, found in points.studies.items()},
        "items": msgspec.to_builtins(points.items),
        "repeated": {"fact": points.fact, "sentences": [i + 1 for i in points.repeats]},
        "left_out": [_sentence(s, s.text, s.why) for s in answer.left_out],
        "objective": _finite(summary.objective),
        "bound": _finite(summary.bound),
        "gap": _finite(summary.gap),
        # Weak evidence is an answer to readers of `outcome`, which is older than degrees.
        "outcome": Outcome.ANSWER if answer.outcome.is_answer else answer.outcome,
        "confidence": answer.outcome.degree if search else None,
        "answerable": _finite(search.answerable) if search else None,
        "unanswered": answer.unanswered or None,
        "corrections": msgspec.to_builtins(answer.corrections),
        "nearest": [_sentence(line.sentence, line.text, line.sentence.why,
        line.source) for line in answer.nearest],
        # Corrections have their own field.
        "warnings": [line for line in summary.warnings if line not in map(str, answer.corrections)],
    }  # fmt: skip
    return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"


def _sentence(s: Sentence, text: str, why: str, source: Source | None = None) -> dict[str, object]:
    """Return a sentence; `notice` marks a source that is retracted or has an expression of
    concern.
    """
    found: dict[str, object] = {"text": text}
    if source:
        found["source"] = source.number
    found |= {
        "document": s.document,
        "start": s.start,
        "end": s.end,
        "relevance": _finite(s.relevance),
        "why": why,
    }
    if source and source.publication.notice:
        found["notice"] = source.publication.notice
    return found


def _described(source: Source, *, markdown: bool = False) -> str:
    """Describe a source on one line; in Markdown its name is a link."""
    escape = _escaped if markdown else str
    title = (
        source.title
        if not source.title or source.title.endswith((".", "?", "!", "]"))
        else f"{source.title}."
    )
    name = (
        f"[{escape(source.name)}]({source.url})" if markdown and source.url else escape(source.name)
    )
    remarks = f"({'; '.join(source.publication.remarks)})" if source.publication.remarks else ""
    parts = (
        escape(title),
        escape(source.byline),
        ", ".join(filter(None, (name, source.year))),
        remarks,
    )
    return " ".join(filter(None, parts))


def _numbered(source: Source) -> str:
    """Return a source number in Markdown, linked by a definition elsewhere in the text, with its
    notice.
    """
    return " ".join(
        filter(
            None,
            (f"[{source.number}]", source.publication.notice and f"({source.publication.notice})"),
        )
    )


def _escaped(text: str) -> str:
    return _LIST.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\1", " ".join(text.split())))


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
