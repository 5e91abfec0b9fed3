"""The provenance of a run: one JSON object a topic, with all that is needed to prove the optimum again.

A line has `topic`, `system`, `text`, `details` (lambda, word limit, seed, formulation, solver, ...), `objective`,
`bound`, `gap`, `seconds`, `remarks`, `versions`; `candidates`, each with `document`, `start`, `end`, `words`,
`relevance`, `text`, `chosen`, and `section`, `facet`, `why` where known; `sentences`, the chosen ones in the order of
the text, each with `features` too: by name the raw value and its rank among the candidates. A shortened form of a
sentence follows its whole one, with that one's place, and has `original`, the whole text, and `cuts`, each with its
`rule`, `start` and `end` in `original`, and `text`; one form of a sentence at most is chosen. A topic that failed has
`topic`, `error` and `versions`. A number that is none is null, never NaN.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ilpsum.errors import InputError
from ilpsum.io.files import read_lines
from ilpsum.records import Cut, FeatureValue, Sentence, Summary
from ilpsum.version import versions

# A line holds every candidate of a topic: far longer than a line of any input.
_MAX_LINE = 2**30


@dataclass(frozen=True, slots=True)
class Failure:
    """A topic without a summary, and why."""

    topic: str
    error: str


def summary_line(summary: Summary) -> bytes:
    """A summary as a line of provenance, with its newline."""
    chosen = set(summary.chosen)
    details = dict(summary.details)
    return _line(
        {
            "topic": summary.topic,
            "system": summary.system,
            "text": summary.text,
            "objective": _plain(summary.objective),
            "bound": _plain(summary.bound),
            "gap": _plain(summary.gap),
            "seconds": _plain(summary.seconds),
            "remarks": summary.warnings,
            "versions": versions() | details.pop("versions", {}),
            "details": _plain(details),
            "sentences": [_sentence(sentence) for sentence in summary.sentences],
            "candidates": [
                _sentence(sentence) | {"chosen": index in chosen} for index, sentence in enumerate(summary.candidates)
            ],
        }
    )


def failure_line(topic: str, error: object) -> bytes:
    """A topic that failed as a line of provenance, with its newline."""
    return _line({"topic": topic, "error": str(error), "versions": versions()})


def read_provenance(path: Path) -> Iterator[Summary | Failure]:
    """The summaries of a run as its provenance keeps them, in the order in which they were made.

    `details["versions"]` holds the versions that a line names.

    Raises:
        InputError: the file cannot be read, or a line is no object of provenance.
    """
    for number, line in read_lines(path, _MAX_LINE):
        try:
            yield _record(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            message = "a JSON object of provenance was expected (topic, text, candidates, ...); write the run again"
            raise InputError(message, path, number) from None


def _record(fields: dict[str, Any]) -> Summary | Failure:
    if "error" in fields:
        return Failure(str(fields["topic"]), str(fields["error"]))
    candidates = fields["candidates"]
    return Summary(
        topic=str(fields["topic"]),
        sentences=tuple(_read_sentence(entry) for entry in fields["sentences"]),
        text=str(fields["text"]),
        candidates=tuple(_read_sentence(entry) for entry in candidates),
        chosen=tuple(index for index, entry in enumerate(candidates) if entry["chosen"]),
        system=str(fields["system"]),
        objective=_number(fields["objective"]),
        bound=_number(fields["bound"]),
        gap=_number(fields["gap"]),
        details=dict(fields["details"]) | {"versions": dict(fields["versions"])},
        seconds=dict(fields["seconds"]),
        warnings=tuple(fields["remarks"]),
    )


def _sentence(sentence: Sentence) -> dict[str, Any]:
    named = {"section": sentence.section, "facet": sentence.facet, "why": sentence.why}
    return {
        "document": sentence.document,
        "start": sentence.start,
        "end": sentence.end,
        "words": sentence.words,
        "relevance": _plain(sentence.relevance),
        "text": sentence.text,
        **{name: value for name, value in named.items() if value},
        **({"features": {f.name: [_plain(f.value), f.rank] for f in sentence.features}} if sentence.features else {}),
        **(_shortening(sentence) if sentence.original else {}),
    }


def _shortening(sentence: Sentence) -> dict[str, Any]:
    whole = sentence.original
    cuts = [{"rule": c.rule, "start": c.start, "end": c.end, "text": whole[c.start : c.end]} for c in sentence.cuts]
    return {"original": whole, "cuts": cuts}


def _read_sentence(fields: dict[str, Any]) -> Sentence:
    return Sentence(
        text=str(fields["text"]),
        document=str(fields["document"]),
        start=int(fields["start"]),
        end=int(fields["end"]),
        words=int(fields["words"]),
        section=str(fields.get("section", "")),
        relevance=_number(fields["relevance"]),
        facet=str(fields.get("facet", "")),
        why=str(fields.get("why", "")),
        features=tuple(
            FeatureValue(str(name), _number(value), int(rank))
            for name, (value, rank) in fields.get("features", {}).items()
        ),
        original=str(fields.get("original", "")),
        cuts=tuple(Cut(str(c["rule"]), int(c["start"]), int(c["end"])) for c in fields.get("cuts", ())),
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _line(fields: dict[str, Any]) -> bytes:
    text = json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
    # Lone surrogates can come in through escapes of a JSON input; UTF-8 has no place for them.
    return text.encode("utf-8", "replace") + b"\n"


def _plain(value: Any) -> Any:
    """A value as JSON has it: numpy's scalars and arrays as Python's, what is not finite as null."""
    if isinstance(value, str | int) or value is None:
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return str(value)
