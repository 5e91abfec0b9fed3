"""The provenance of a run: one JSON object per topic, with all data needed to verify the optimum.

Version 3. An object has `version`, `topic`, `system`, `text`; `objective`, `bound`, `gap`, `status`, `formulation`,
`solver`, `nodes` of the selection; `question`, `settings`, `seconds`, `warnings`, `versions`, `topic_digest`;
`candidates`, each with `document`, `start`, `end`, `words`, `relevance`, `text`, `chosen`, and `section`,
`why`, `holds_answer` where known; `sentences`, the selected ones in text order, with `features` (name: [raw value,
rank among the candidates]). `program` is the rest of the ILP
(`ilpsum.records.Program`). `publications` holds the documents' publication data by id
(`ilpsum.records.Publication`), `search` the result of the document search, if any. Answers with citations have
`responses` (`text`, `pmids`, `support`) and the cited `abstracts`. A failed topic has only `version`, `topic`,
`error` and `versions`. Non-finite numbers are null.
"""

import math
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec

from ilpsum.errors import IlpsumError, InputError
from ilpsum.files.reading import read_lines
from ilpsum.files.records import Count, Number, checked, encode
from ilpsum.records import (
    BrokenTopic,
    CitedAbstract,
    FeatureValue,
    Program,
    Publication,
    Response,
    Rules,
    RunSettings,
    SearchResult,
    Sentence,
    Summary,
)
from ilpsum.version import versions

VERSION = 3

# Maximum bytes of a line, which holds all candidates of a topic and so far exceeds any line of input.
_MAX_LINE = 2**30
_EXPECTED = "a JSON object of provenance (topic, text, candidates, ...)", "write the run again"

# Upper bound of word counts and limits in a damaged file, since searches allocate tables of this size.
_Words = Annotated[int, msgspec.Meta(ge=0, le=10**6)]
_Offset = Annotated[int, msgspec.Meta(ge=0, le=2**40)]


class _SentenceLine(msgspec.Struct, omit_defaults=True):
    document: str
    start: _Offset
    end: _Offset
    words: _Words
    relevance: Number | None
    text: str
    section: str = ""
    why: str = ""
    features: dict[str, tuple[float | None, Count]] = {}
    holds_answer: Number | None = None
    chosen: bool | None = None

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(f"a sentence from {self.start} to {self.end}")


class _SummaryLine(msgspec.Struct):
    version: int
    topic: str
    system: str
    text: str
    objective: Number | None
    bound: Number | None
    gap: float | None
    status: str
    formulation: str
    solver: str
    nodes: int
    question: str
    settings: RunSettings
    seconds: dict[str, float]
    warnings: tuple[str, ...]
    versions: dict[str, str]
    topic_digest: str
    search: SearchResult | None
    responses: tuple[Response, ...]
    abstracts: tuple[CitedAbstract, ...]
    sentences: list[_SentenceLine]
    candidates: list[_SentenceLine]
    program: Program | None = None
    publications: dict[str, Publication] = {}

    def __post_init__(self) -> None:
        n, program = len(self.candidates), self.program
        if program is None:
            return
        held = [i for _, held_by in program.shared for i in held_by]
        held += [i for rules in program.stages for i in _named(rules)]
        if len(program.own) != n or len(program.lengths) not in (0, n) or any(not 0 <= i < n for i in held):
            raise ValueError("a program that does not fit the candidates")


def _named(rules: Rules) -> Iterator[int]:
    """Yield the indices of the candidates in rules."""
    yield from rules.exclude
    for several in (*rules.requires, *rules.connected, *rules.groups):
        yield from (i for i in several if i is not None)


class _FailureLine(msgspec.Struct):
    version: int
    topic: str
    error: str
    versions: dict[str, str] = {}


# Fields that are equal in a record and its line, and fields whose nan becomes null in the line.
_OF_SUMMARY = "topic system text status nodes question settings warnings topic_digest search program responses".split()
_OF_SUMMARY += ["abstracts", "publications"]
_OF_PROOF = ["objective", "bound", "gap"]
_OF_SENTENCE = "document start end words text section why holds_answer".split()


def _fields(record: object, names: list[str], as_: Callable[[Any], Any] = lambda value: value) -> dict[str, Any]:
    return {name: as_(getattr(record, name)) for name in names}


def summary_line(summary: Summary) -> bytes:
    """Serialise a summary as a provenance line, including the newline."""
    chosen = set(summary.chosen)
    line = _SummaryLine(
        **_fields(summary, _OF_SUMMARY),
        **_fields(summary, _OF_PROOF, float),
        version=VERSION,
        formulation=summary.settings.solver.formulation,
        solver=summary.settings.solver.name,
        seconds={stage: float(value) for stage, value in summary.seconds.items()},
        versions={**versions(), **summary.versions},
        sentences=[_sentence_line(sentence, None) for sentence in summary.sentences],
        candidates=[_sentence_line(sentence, i in chosen) for i, sentence in enumerate(summary.candidates)],
    )
    return encode(line) + b"\n"


def failure_line(topic: str, error: object) -> bytes:
    """Serialise a failed topic as a provenance line, including the newline."""
    return encode(_FailureLine(VERSION, topic, str(error), versions())) + b"\n"


def read_provenance(path: Path) -> Iterator[Summary | BrokenTopic]:
    """Yield the summaries and failures in a provenance file; `InputError` if the file or a line is invalid."""
    for number, line in _lines(path):
        yield checked(partial(_record, line), _EXPECTED, path, number)


def earlier_provenance(path: Path) -> Iterator[Summary | BrokenTopic | InputError]:
    """Read as `read_provenance` does, but yield an error in place of each damaged line.

    Skips a damaged last line without a newline, left by a killed process. `InputError` if the file cannot be read.
    """
    with path.open("rb") as stream:
        whole = not stream.seek(0, os.SEEK_END) or (stream.seek(-1, os.SEEK_END) and stream.read()) == b"\n"
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
    return ((number, line) for number, line in read_lines(path, _MAX_LINE) if line)


def _record(data: bytes) -> Summary | BrokenTopic:
    fields = msgspec.json.decode(data, type=dict[str, Any])
    if (version := fields.get("version", VERSION)) != VERSION:
        remedy = "write the run again" if version in range(VERSION) else "update ilpsum"
        raise ValueError(f"provenance of version {str(version)[:20]}, expected {VERSION}; {remedy}")
    if "error" in fields:
        failed = msgspec.convert({"version": VERSION, **fields}, _FailureLine)
        return BrokenTopic(failed.topic, IlpsumError(failed.error))
    line = msgspec.convert(fields, _SummaryLine)
    return Summary(
        **_fields(line, [*_OF_SUMMARY, "seconds", "versions"]),
        **_fields(line, _OF_PROOF, _number),
        sentences=tuple(map(_sentence, line.sentences)),
        candidates=tuple(map(_sentence, line.candidates)),
        chosen=tuple(i for i, entry in enumerate(line.candidates) if entry.chosen),
    )


def _sentence_line(sentence: Sentence, chosen: bool | None) -> _SentenceLine:
    features: dict[str, tuple[float | None, int]] = {f.name: (float(f.value), f.rank) for f in sentence.features}
    own = _fields(sentence, _OF_SENTENCE)
    return _SentenceLine(**own, relevance=float(sentence.relevance), features=features, chosen=chosen)


def _sentence(line: _SentenceLine) -> Sentence:
    features = tuple(FeatureValue(name, _number(value), rank) for name, (value, rank) in line.features.items())
    return Sentence(**_fields(line, _OF_SENTENCE), relevance=_number(line.relevance), features=features)


def _number(value: float | None) -> float:
    return math.nan if value is None else value
