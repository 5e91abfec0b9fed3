"""The rows of a sweep's files, as typed records: what reading checks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from ilpsum.io.records import Count, Number, Share, convert
from ilpsum.pipeline.system import System
from ilpsum.sweeps.journal import EXPECTED

Listed = dict[str, tuple[Share, Share, Share]]
"""Recall, precision and F1 by metric."""


class Config(msgspec.Struct):
    """The configuration of a row."""

    system: System
    words: Annotated[int, msgspec.Meta(ge=1, le=2**53)]
    lambda_: Share | Literal["path"] | None = msgspec.field(name="lambda", default=None)


class Best(msgspec.Struct):
    """The best lambda of an exact path, and the interval with its score."""

    lambda_: Share = msgspec.field(name="lambda")
    first: Share = msgspec.field(name="from")
    last: Share = msgspec.field(name="to")


class ResultRow(msgspec.Struct):
    """A row of rows.jsonl."""

    run: str
    config: Config
    score: Share
    scores: Listed
    topics: dict[str, Listed]
    measure: Literal["recall", "precision", "f1"] = "recall"
    best: Best | None = None

    def __post_init__(self) -> None:
        if not self.scores or any(scores.keys() != self.scores.keys() for scores in self.topics.values()):
            raise ValueError("expected the same metrics in `scores` and in each topic")
        if self.best is None and self.config.lambda_ == "path":
            raise ValueError("a path without its best lambda")


class Objective(msgspec.Struct):
    """The terms of an objective."""

    relevance: Number
    coverage: Number
    costs: Number


class StretchRow(msgspec.Struct):
    """An optimal summary in a row of path.jsonl."""

    start: Share
    end: Share
    chosen: tuple[tuple[str, Count, Count], ...]
    objective: Objective
    scores: Listed


class PathRow(msgspec.Struct):
    """A row of path.jsonl."""

    run: str
    topic: str
    segments: tuple[StretchRow, ...]

    def __post_init__(self) -> None:
        ends = [0.0, *(stretch.end for stretch in self.segments)]
        if [s.start for s in self.segments] != ends[:-1] or ends != sorted(set(ends)) or ends[-1] != 1.0:
            raise ValueError("expected stretches of lambda from 0 to 1, each beginning where another ends")
        if any(s.scores.keys() != self.segments[0].scores.keys() or not s.scores for s in self.segments):
            raise ValueError("expected the same metrics in all stretches")


class TopicRow(msgspec.Struct):
    """A row of topics.jsonl: the scores, sentences and seconds of a topic by run."""

    topic: str
    scores: dict[str, Listed]
    chosen: dict[str, tuple[tuple[str, Count, Count], ...]]
    seconds: dict[str, Annotated[float, msgspec.Meta(ge=0.0, le=1e12)]]

    def __post_init__(self) -> None:
        if not self.scores.keys() == self.chosen.keys() == self.seconds.keys() or not all(self.scores.values()):
            raise ValueError("expected scores, sentences and seconds of the same runs")


class OutcomeRow(msgspec.Struct):
    """The summary of a topic in a row of nested.jsonl."""

    scores: Listed
    chosen: tuple[tuple[str, Count, Count], ...]


class ChoiceRow(msgspec.Struct):
    """The choice of a selector in a row of nested.jsonl."""

    run: str
    values: dict[str, str]
    lambda_: Share | None = msgspec.field(name="lambda")
    score: Share
    topics: dict[str, OutcomeRow]


class FoldRow(msgspec.Struct):
    """A row of nested.jsonl: the choices of an outer fold by selector."""

    key: str
    choices: dict[str, ChoiceRow]

    def __post_init__(self) -> None:
        if not self.choices:
            raise ValueError("expected the choice of at least one selector")


def require(row: Mapping[str, Any], kind: type[msgspec.Struct], file: str | Path, line: int | None = None) -> None:
    """Check a row of a file against the record of its kind.

    Raises:
        InputError: it is no such row.
    """
    convert(row, kind, EXPECTED, file, line)
