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
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from ilpsum.errors import IlpsumError
from ilpsum.files.persistence import LARGEST
from ilpsum.files.reading import read_lines
from ilpsum.files.records import checked, encode, to_builtins
from ilpsum.records import BrokenTopic, Summary
from ilpsum.version import versions

VERSION = 4

MAX_LINE = 2**30
"""Maximum bytes of a line, which holds all candidates of a topic and so far exceeds any line of
input."""
EXPECTED = "a JSON object of provenance (topic, text, candidates, ...)", "write the run again"
"""What a line is, and advice, for messages."""


# Numbers that are null where there are none.
_PROOF = ("objective", "bound", "gap")
# Fields of a sentence that are left out where they are empty.
_OPTIONAL = ("section", "why", "features", "holds_answer", "facet")


def summary_line(summary: Summary) -> bytes:
    """Serialise a summary as a provenance line, including the newline."""
    line = to_builtins(summary)
    chosen = set(line.pop("chosen"))
    for i, candidate in enumerate(line["candidates"]):
        candidate["chosen"] = i in chosen
    for name in ("sentences", "candidates"):
        line[name] = [_written(sentence) for sentence in line[name]]
    line["formulation"] = summary.settings.solver.formulation
    line["solver"] = summary.settings.solver.name
    line["versions"] = versions() | line["versions"]
    return encode({"version": VERSION, **line}) + b"\n"


def _written(sentence: dict[str, Any]) -> dict[str, Any]:
    features = {f["name"]: (f["value"], f["rank"]) for f in sentence["features"]}
    sentence["features"] = features
    empty = [name for name in _OPTIONAL if sentence[name] in ("", {}, None)]
    for name in empty:
        del sentence[name]
    return sentence


def failure_line(topic: str, error: object) -> bytes:
    """Serialise a failed topic as a provenance line, including the newline."""
    line = {"version": VERSION, "topic": topic, "error": str(error), "versions": versions()}
    return encode(line) + b"\n"


def read_provenance(path: Path) -> Iterator[Summary | BrokenTopic]:
    """Yield the summaries and failures in a provenance file; `InputError` if the file or a line is
    invalid.
    """
    for number, line in read_lines(path, MAX_LINE):
        if line:
            yield checked(partial(_record, line), EXPECTED, path, number)


def unfinished_provenance(path: Path) -> Iterator[Summary | BrokenTopic]:
    """Read as `read_provenance` does, without a last line that a killed process left unfinished."""
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if line.endswith(b"\n"):
                yield checked(partial(_record, line), EXPECTED, path, number)


def _record(data: bytes) -> Summary | BrokenTopic:
    line = msgspec.json.decode(data, type=dict[str, Any])
    version = line.get("version", VERSION)
    if version != VERSION:
        remedy = "write the run again" if version in range(VERSION) else "update ilpsum"
        raise ValueError(f"provenance of version {str(version)[:20]}, expected {VERSION}; {remedy}")
    if "error" in line:
        return BrokenTopic(
            msgspec.convert(line["topic"], str),
            IlpsumError(msgspec.convert(line["error"], str)),
        )
    line["chosen"] = [i for i, candidate in enumerate(line["candidates"]) if candidate["chosen"]]
    for name in _PROOF:
        line[name] = _number(line[name])
    for sentence in (*line["sentences"], *line["candidates"]):
        _restore(sentence)
    summary = msgspec.convert(line, Summary)
    _require_fit(summary)
    return summary


def _restore(sentence: dict[str, Any]) -> None:
    """Give a sentence its numbers and features as `Sentence` has them."""
    sentence["relevance"] = _number(sentence["relevance"])
    features = []
    for name, (value, rank) in sentence.get("features", {}).items():
        features.append({"name": name, "value": _number(value), "rank": rank})
    sentence["features"] = features


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
    if any(s.end < s.start for s in (*summary.sentences, *summary.candidates)):
        raise ValueError("a sentence that ends before it starts")
    program = summary.program
    if program is None:
        return
    n = len(summary.candidates)
    named = {i for _, holders in program.shared for i in holders}
    for rules in program.stages:
        named.update(rules.exclude)
        for several in (*rules.requires, *rules.connected, *rules.groups):
            named.update(i for i in several if i is not None)
    in_range = all(0 <= i < n for i in named)
    if len(program.own) != n or len(program.lengths) not in (0, n) or not in_range:
        raise ValueError("a program that does not fit the candidates")
