"""Grades a file of candidates by a judge, for `--relevance`."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from ilpsum.errors import IlpsumError, InputError
from ilpsum.files.atomic import write_atomically, write_errors
from ilpsum.files.records import Count, Number, encode, reason
from ilpsum.files.rows import Row, read_rows, separator_of
from ilpsum.files.work import Progress, Tell, Warn, no_progress, silent
from ilpsum.learning.judging.judge import Judge
from ilpsum.pipeline.judged import judged, of_most_relevant
from ilpsum.records import BrokenTopic

_EXPECTED = "expected the candidates of `ilpsum candidates`, as JSON lines"


class _Candidate(msgspec.Struct, frozen=True):
    """What is read of a candidate; its other fields are kept."""

    topic: str | int
    question: str
    document: str | int
    start: Count
    end: Count
    text: str
    relevance: Number = 0.0


def judge_candidates(
    candidates: str | Path,
    judge: Judge,
    out: str | Path,
    *,
    progress: Progress = no_progress,
    warn: Warn = silent,
    tell: Tell = silent,
) -> list[BrokenTopic]:
    """Write the most relevant candidates of each topic with the grades of a judge, as JSON lines:
    each candidate's fields, and `score`, `grade` and `judge`. A reranker gives no grades.

    Args:
        candidates: file written by `ilpsum candidates`; `-` is standard input.
        judge: the judge.
        out: file to write.
        progress: wraps the topics; gets a description.
        warn: called with each warning, a text.
        tell: takes a line about once a second while the judge is waited for.

    Returns:
        The topics that the judge gave no grades for, with its errors; they are not in the file.

    Raises:
        InputError: the file cannot be read, or a line is not a candidate.
        IlpsumError: no topic has grades, so nothing is written; the error of the first.
    """
    topics = list(_topics(candidates))
    failed = list[BrokenTopic]()
    with write_errors(Path(out)), write_atomically(out) as stream:
        for topic, rows in progress(topics, "topics"):
            try:
                lines = list(_graded(rows, judge, warn, tell))
            except IlpsumError as error:
                failed.append(BrokenTopic(topic, error))
                continue
            stream.writelines(encode(line) + b"\n" for line in lines)
        if len(failed) == len(topics):
            raise failed[0].error
    return failed


def _topics(path: str | Path) -> Iterator[tuple[str, list[tuple[_Candidate, Row]]]]:
    """Yield the candidates of each topic, which may be anywhere in the file, with all fields."""
    topics = dict[str, list[tuple[_Candidate, Row]]]()
    is_table = bool(separator_of(path))
    for line, row in read_rows(path):
        try:
            candidate = msgspec.convert(row, _Candidate, strict=not is_table)
        except msgspec.ValidationError as error:
            raise InputError(f"{reason(error)}; {_EXPECTED}", path, line) from None
        topics.setdefault(str(candidate.topic), []).append((candidate, row))
    if not topics:
        raise InputError(f"no candidates; {_EXPECTED}", path)
    yield from topics.items()


def _graded(
    rows: list[tuple[_Candidate, Row]],
    judge: Judge,
    warn: Warn,
    tell: Tell,
) -> Iterator[Row]:
    """Yield the fields of the candidates of a topic that `JudgeScorer` would have graded."""
    relevance = np.array([candidate.relevance for candidate, _ in rows])
    texts = [candidate.text for candidate, _ in rows]
    graded, values = of_most_relevant(judge, rows[0][0].question, texts, relevance, tell)
    for line in graded.warnings:
        warn(f"{rows[0][0].topic}: {line}")
    scores = judged(values, relevance) if judge.protocol.grades else values
    for i in values:
        row = {name: value for name, value in rows[i][1].items() if name != "features"}
        row["score"] = scores[i]
        if judge.protocol.grades:
            row["grade"] = int(values[i])
        yield row | {"judge": judge.name}
