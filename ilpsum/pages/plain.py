"""Answers as text and JSON."""

from collections.abc import Callable

from ilpsum.answers.points import Points
from ilpsum.errors import counted
from ilpsum.files.records import encode
from ilpsum.pages.view import Answer, AnswerLine, Source
from ilpsum.records import Outcome, Sentence

UNASKED = "Summary"
"""The heading of a summary without a question."""


def counts(answer: Answer) -> str:
    """Return how many sentences an answer quotes, from how many sources of all records found.

    A search of more than the records found says of how many they are the best.
    """
    quoted = len({line.source.number for line in answer.lines})
    search = answer.search
    records = len(answer.records) if search else 0
    sources = counted(quoted, "source")
    if records > quoted:
        sources = f"{quoted} of {counted(records, 'record')}"
        if search and search.searched > records:
            sources += f", the best of {search.searched:,}"
    return f"{counted(len(answer.lines), 'sentence')} from {sources}"


def colophon(answer: Answer) -> str:
    """Return one line on an exported answer: its label, its counts, and where and when it was
    asked.

    Without this line, an answer that leaves the program could be taken for more than it is.
    """
    parts = [answer.outcome.degree]
    if answer.lines:
        parts.append(counts(answer))
    parts += answer.asked
    if answer.graded:
        parts.append(answer.graded)
    return "; ".join(parts)


def text(answer: Answer, describe: Callable[[Source], str] | None = None) -> str:
    """Return an answer as text: one sentence per line with its source number, then the sources (by
    `describe`).

    Control characters, which a terminal would interpret, become spaces.
    """
    lines = []
    if first := answer.opening:
        lines.append(f"{first}.")
    lines += [f"{line.shown} [{line.source.mark}]" for line in answer.lines]
    if not answer.lines:
        lines += [f'"{line.shown}" [{line.source.mark}]' for line in answer.nearest]
    sources = answer.quoted
    if sources:
        lines.append("")
    lines += [f"[{source.number}] {(describe or _described)(source)}" for source in sources]
    if answer.asked or answer.graded:
        lines += ["", f"{answer.question} — {colophon(answer)}."]
    return "\n".join(map(_printable, lines)) + "\n"


def to_json(answer: Answer) -> bytes:
    """Return an answer as one line of JSON; undefined numbers are null, and only chosen sentences
    have a `source`. Sentences are numbered from 1.
    """
    summary = answer.summary
    record = {
        "question": answer.question,
        "words": sum(len(line.text.split()) for line in answer.lines),
        "sentences": [_line(line) for line in answer.lines],
        "sources": [_source(source) for source in answer.quoted],
        **_said(answer.points),
        "left_out": [_sentence(s, s.text) for s in answer.left_out],
        "objective": summary.objective,
        "bound": summary.bound,
        "gap": summary.gap,
        **_outcome(answer),
    }
    if answer.graded:
        record["graded"] = answer.graded
    return encode(record) + b"\n"


def _said(points: Points) -> dict[str, object]:
    """Return the sides that sentences take, and a repeated fact."""
    sides: dict[str, list[int]] = {"yes": [], "no": []}
    for i, side in points.sides.items():
        if side in sides:
            sides[side].append(i + 1)
    repeated = {"fact": points.fact, "sentences": [i + 1 for i in points.repeats]}
    return {"sides": sides, "repeated": repeated}


def _outcome(answer: Answer) -> dict[str, object]:
    """Return whether the question is answered, and what a reader must know about it."""
    search = answer.search
    # Weak evidence is an answer to readers of `outcome`, which is older than degrees.
    outcome = Outcome.ANSWER if answer.outcome.is_answer else answer.outcome
    # Corrections have their own field.
    corrected = set(map(str, answer.corrections))
    return {
        "outcome": outcome,
        "confidence": answer.outcome.degree if search else None,
        "answerable": search.answerable if search and not search.settled else None,
        "unanswered": answer.unanswered or None,
        "corrections": answer.corrections,
        "nearest": [_line(line) for line in answer.nearest],
        "warnings": [line for line in answer.summary.warnings if line not in corrected],
        "asked": answer.asked,
    }


def _source(source: Source) -> dict[str, object]:
    return {
        "number": source.number,
        "id": source.id,
        "pmid": source.pmid or None,
        "title": source.headline,
        "date": source.date,
        "url": source.url or None,
        "publication": source.publication,
    }


def _line(line: AnswerLine) -> dict[str, object]:
    """Return a sentence with its source; `notice` marks one that is retracted or has an expression
    of concern.
    """
    record = {"text": line.text, "source": line.source.number}
    record |= _sentence(line.sentence, line.text)
    if line.source.publication.notice:
        record["notice"] = line.source.publication.notice
    return record


def _sentence(sentence: Sentence, text: str) -> dict[str, object]:
    return {
        "text": text,
        "document": sentence.document,
        "start": sentence.start,
        "end": sentence.end,
        "relevance": sentence.relevance,
        "why": sentence.why,
    }


def _described(source: Source) -> str:
    """Describe a source on one line."""
    title = source.title
    if title and not title.endswith((".", "?", "!", "]")):
        title += "."
    dated = f"{source.name}, {source.year}" if source.year else source.name
    remarks = "; ".join(source.publication.remarks)
    parts = (title, source.byline, dated, remarks and f"({remarks})")
    return " ".join(filter(None, parts))


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
