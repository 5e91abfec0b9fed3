"""An answer as text, as Markdown and as JSON."""

import json
import math
import re

from ilpsum.report.reading import Quote, Reading, Source

UNASKED = "Summary"
"""The heading of a summary without a question."""

_MARKDOWN = re.compile(r"([\\`*_\[\]<>~])")
_LIST = re.compile(r"^(\d+|)([.)#+-])(?=\s)")


def text(reading: Reading) -> str:
    """Return an answer as text: a sentence a line, each with the number of its source, then the sources.

    Control characters, which a terminal would obey, become spaces.
    """
    if not reading.lines:
        return _printable(f"No answer: {reading.unanswered}.") + "\n"
    lines = [f"{line.text} {_numbers(line.quotes[:1])}" for line in reading.lines]
    sources = [f"[{source.number}] {_described(source)}" for source in reading.sources]
    return "\n".join(map(_printable, [*lines, "", *sources])) + "\n"


def markdown(reading: Reading) -> str:
    """Return an answer in Markdown: the question, a paragraph with numbered references, and the references."""
    parts = [f"## {_escaped(reading.question or UNASKED)}", ""]
    if not reading.lines:
        return "\n".join([*parts, f"*No answer: {_escaped(reading.unanswered)}.*"]) + "\n"
    parts += [f"{_escaped(line.text)} {_numbers(line.quotes[:1])}" for line in reading.lines]
    parts += ["", *(f"{source.number}. {_linked(source)}" for source in reading.sources), ""]
    # Definitions make the numbers links.
    parts += [f"[{source.number}]: {source.url}" for source in reading.sources if source.url]
    return "\n".join(parts).rstrip() + "\n"


def to_json(reading: Reading) -> str:
    """Return an answer as one JSON object on one line; a number that is undefined is null."""
    answer = {
        "question": reading.question,
        "words": sum(len(line.text.split()) for line in reading.lines),
        "sentences": [
            {
                "text": line.text,
                "source": line.quotes[0].source.number,
                "document": line.quotes[0].source.id,
                "start": line.quotes[0].start,
                "end": line.quotes[0].end,
                "relevance": _finite(line.relevance),
                "why": line.why,
            }
            for line in reading.lines
        ],
        "sources": [
            {"number": s.number, "id": s.id, "pmid": s.pmid or None, "title": s.title, "date": s.date}
            for s in reading.sources
        ],
        "left_out": [
            {
                "text": s.text,
                "document": s.document,
                "start": s.start,
                "end": s.end,
                "relevance": _finite(s.relevance),
                "why": s.why,
            }
            for s in reading.left_out
        ],
        "objective": _finite(reading.objective),
        "bound": _finite(reading.bound),
        "gap": _finite(reading.gap),
        "unanswered": reading.unanswered or None,
        "warnings": list(reading.warnings),
    }
    return json.dumps(answer, ensure_ascii=False, allow_nan=False) + "\n"


def _numbers(quotes: tuple[Quote, ...]) -> str:
    return f"[{', '.join(str(quote.source.number) for quote in quotes)}]"


def _described(source: Source) -> str:
    return " ".join(filter(None, (_sentence(source.title), ", ".join(filter(None, (source.name, source.year))))))


def _linked(source: Source) -> str:
    name = f"[{_escaped(source.name)}]({source.url})" if source.url else _escaped(source.name)
    return " ".join(filter(None, (_escaped(_sentence(source.title)), ", ".join(filter(None, (name, source.year))))))


def _sentence(title: str) -> str:
    return title if not title or title.endswith((".", "?", "!", "]")) else f"{title}."


def _escaped(text: str) -> str:
    return _LIST.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\1", " ".join(text.split())))


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
