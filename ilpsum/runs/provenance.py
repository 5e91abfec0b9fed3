"""The provenance of a run: one JSON object per topic, with all data needed to verify the optimum.

Version 4. An object has `version`, `topic`, `system`, `text`; `objective`, `bound`, `gap`,
`status`, `formulation`, `solver`, `nodes` of the selection; `question`, `settings`, `seconds`,
`warnings`, `versions`, `topic_digest`; `candidates`, each with `document`, `start`, `end`, `words`,
`relevance`, `text`, `chosen`, and `section`, `why`, `holds_answer`, `facet` where known;
`sentences`, the selected ones in text order, with `features` (name: [raw value, rank among the
candidates]). `program` is the rest of the ILP (`ilpsum.records.Program`). `publications` holds the
documents' publication data by id (`ilpsum.records.Publication`), `search` the result of the
document search, if any. Answers with citations have `responses` (`text`, `pmids`, `support`) and
the cited `abstracts`. `seen` tells, for each model used, whether the topic was in its training
(null: its file does not say). A failed topic has only `version`, `topic`, `error` and `versions`.
Non-finite numbers are null.
"""

import math
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from ilpsum.errors import IlpsumError, InputError
from ilpsum.files.persistence import LARGEST
from ilpsum.files.reading import read_lines
from ilpsum.files.records import checked, encode, plain
from ilpsum.records import BrokenTopic, Rules, Summary
from ilpsum.version import versions

VERSION = 4

MAX_LINE = 2**30
"""Maximum bytes of a line, which holds all candidates of a topic and so far exceeds any line of
input."""
_EXPECTED = "a JSON object of provenance (topic, text, candidates, ...)", "write the run again"


class _Failure(msgspec.Struct):
    topic: str
    error: str


_PROOF = ("objective", "bound", "gap")
# Fields of a sentence that are left out where they are empty.
_OPTIONAL = ("section", "why", "features", "holds_answer", "facet")


def summary_line(summary: Summary) -> bytes:
    """Serialise a summary as a provenance line, including the newline."""
    line, solver = plain(summary), summary.settings.solver
    chosen = set(line.pop("chosen"))
    candidates = [
        {**_written(one), "chosen": i in chosen} for i, one in enumerate(line["candidates"])
    ]
    line |= {
        "formulation": solver.formulation,
        "solver": solver.name,
        "versions": {**versions(), **summary.versions},
    }
    line |= {"sentences": [*map(_written, line["sentences"])], "candidates": candidates}
    return encode({"version": VERSION, **line}) + b"\n"


def _written(sentence: dict[str, Any]) -> dict[str, Any]:
    sentence["features"] = {f["name"]: (f["value"], f["rank"]) for f in sentence["features"]}
    return {
        name: value
        for name, value in sentence.items()
        if name not in _OPTIONAL or value not in ("", {}, None)
    }


def failure_line(topic: str, error: object) -> bytes:
    """Serialise a failed topic as a provenance line, including the newline."""
    return (
        encode({"version": VERSION, "topic": topic, "error": str(error), "versions": versions()})
        + b"\n"
    )


def read_provenance(path: Path) -> Iterator[Summary | BrokenTopic]:
    """Yield the summaries and failures in a provenance file; `InputError` if the file or a line is
    invalid.
    """
    for number, line in _lines(path):
        yield checked(partial(_record, line), _EXPECTED, path, number)


def earlier_provenance(path: Path) -> Iterator[Summary | BrokenTopic | InputError]:
    """Read as `read_provenance` does, but yield an error in place of each damaged line.

    Skips a damaged last line without a newline, left by a killed process. `InputError` if the file
    cannot be read.
    """
    with path.open("rb") as stream:
        whole = (
            not stream.seek(0, os.SEEK_END)
            or (stream.seek(-1, os.SEEK_END) and stream.read()) == b"\n"
        )
    damaged: InputError | None = None
    for number, line in _lines(path):
        if damaged:
            yield damaged
        damaged = None
        try:
            record = checked(partial(_record, line), _EXPECTED, path, number)
        except InputError as error:
            damaged = error
        else:
            yield record
    if damaged and whole:
        yield damaged


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    return ((number, line) for number, line in read_lines(path, MAX_LINE) if line)


def _record(data: bytes) -> Summary | BrokenTopic:
    line = msgspec.json.decode(data, type=dict[str, Any])
    if (version := line.get("version", VERSION)) != VERSION:
        remedy = "write the run again" if version in range(VERSION) else "update ilpsum"
        raise ValueError(f"provenance of version {str(version)[:20]}, expected {VERSION}; {remedy}")
    if "error" in line:
        failed = msgspec.convert(line, _Failure)
        return BrokenTopic(failed.topic, IlpsumError(failed.error))
    line["chosen"] = [i for i, candidate in enumerate(line["candidates"]) if candidate["chosen"]]
    line |= {name: _number(line[name]) for name in _PROOF}
    line |= {name: [*map(_read, line[name])] for name in ("sentences", "candidates")}
    summary = msgspec.convert(line, Summary)
    _require_fit(summary)
    return summary


def _read(sentence: dict[str, Any]) -> dict[str, Any]:
    features = sentence.get("features", {}).items()
    known = [
        {"name": name, "value": _number(value), "rank": rank} for name, (value, rank) in features
    ]
    return {**sentence, "relevance": _number(sentence["relevance"]), "features": known}


def _number(value: Any) -> Any:
    """Return nan for null, else the value. `ValueError` for a number whose square would
    overflow.
    """
    if isinstance(value, int | float) and abs(value) > LARGEST:
        raise ValueError(f"a number beyond {LARGEST:g}")
    return math.nan if value is None else value


def _require_fit(summary: Summary) -> None:
    """Raise `ValueError` if spans end before they start, or a program does not fit the
    candidates.
    """
    n, program = len(summary.candidates), summary.program
    if any(s.end < s.start for s in (*summary.sentences, *summary.candidates)):
        raise ValueError("a sentence that ends before it starts")
    if program is None:
        return
    held = [i for _, held_by in program.shared for i in held_by]
    held += [i for rules in program.stages for i in _named(rules)]
    if (
        len(program.own) != n
        or len(program.lengths) not in (0, n)
        or any(not 0 <= i < n for i in held)
    ):
        raise ValueError("a program that does not fit the candidates")


def _named(rules: Rules) -> Iterator[int]:
    """Yield the indices of the candidates in rules."""
    yield from rules.exclude
    for several in (*rules.requires, *rules.connected, *rules.groups):
        yield from (i for i in several if i is not None)
