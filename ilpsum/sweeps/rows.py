"""The rows of a sweep's files, as typed records."""

from typing import Annotated, Literal

import msgspec

from ilpsum.io.records import Count, Number, Share
from ilpsum.pipeline.system import System

Listed = dict[str, tuple[Share, Share, Share]]
"""Recall, precision and F1 by metric."""
Seconds = Annotated[float, msgspec.Meta(ge=0.0, le=1e12)]
Chosen = tuple[tuple[str, Count, Count], ...]
"""The places of sentences, in the order of the text."""


class Config(msgspec.Struct, frozen=True):
    """The configuration of a row."""

    system: System
    words: Annotated[int, msgspec.Meta(ge=1, le=2**53)]
    lambda_: Share | Literal["path"] | None = msgspec.field(name="lambda", default=None)


class Best(msgspec.Struct, frozen=True):
    """The best lambda of an exact path, and the interval with its score."""

    lambda_: Share = msgspec.field(name="lambda")
    first: Share = msgspec.field(name="from")
    last: Share = msgspec.field(name="to")


class Source(msgspec.Struct, frozen=True):
    """The topics of a row: a digest of their content, and how many have gold and have none."""

    digest: str
    topics: Count
    without_gold: Count


class Result(msgspec.Struct, frozen=True):
    """A row of rows.jsonl; `run` is the key of configuration, data and settings, equal ones of which run once.

    `score` is the mean over topics and metrics that ranks configurations.
    """

    run: str
    config: Config
    score: Share
    scores: Listed
    topics: dict[str, Listed]
    measure: Literal["recall", "precision", "f1"] = "recall"
    best: Best | None = None
    data: Source | None = None
    folds: int = 0
    seed: int = 0
    signatures: dict[str, str] = {}
    seconds: dict[str, Seconds] = {}
    versions: dict[str, str] = {}

    def __post_init__(self) -> None:
        if not self.scores or any(scores.keys() != self.scores.keys() for scores in self.topics.values()):
            raise ValueError("expected the same metrics in `scores` and in each topic")
        if self.best is None and self.config.lambda_ == "path":
            raise ValueError("a path without its best lambda")

    @property
    def lambda_(self) -> float | None:
        """The lambda of the scores; the best of an exact path; None if the system kept its own or has none."""
        # __post_init__ has required the best of a path.
        return self.best.lambda_ if self.best else self.config.lambda_  # type: ignore[return-value]

    def values(self) -> dict[str, str]:
        """Return the configuration as cells of a table."""
        system = self.config.system
        selection, recipe = system.selection, system.recipe if system.relevance else None
        cells = {"system": system.name, "words": str(self.config.words)}
        cells["lambda"] = "-" if self.lambda_ is None else f"{self.lambda_:.6g}"
        if self.best:
            cells["lambda"] += f" ({self.best.first:.6g}..{self.best.last:.6g})"
        method = cells["method"] = selection.method
        cells["alpha"] = selection.alpha if method in ("ilp", "gain") else "-"
        cells["threshold"] = f"{selection.threshold:g}" if method == "greedy" else "-"
        cells["features"] = system.relevance.features if system.relevance else "-"
        cells |= {name: getattr(recipe, name, "-") for name in ("target", "scaling")}
        lists = {name: getattr(recipe, name, ()) for name in ("C", "gamma", "epsilon")}
        return cells | {name: ",".join(f"{value:g}" for value in values) or "-" for name, values in lists.items()}


class Objective(msgspec.Struct):
    """The terms of an objective."""

    relevance: Number
    coverage: Number
    costs: Number


class StretchRow(msgspec.Struct):
    """An optimal summary in a row of path.jsonl."""

    start: Share
    end: Share
    chosen: Chosen
    objective: Objective
    scores: Listed


class PathRow(msgspec.Struct):
    """A row of path.jsonl."""

    run: str
    topic: str
    segments: tuple[StretchRow, ...]
    breakpoints: tuple[Share, ...] = ()

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
    chosen: dict[str, Chosen]
    seconds: dict[str, Seconds]

    def __post_init__(self) -> None:
        if not self.scores.keys() == self.chosen.keys() == self.seconds.keys() or not all(self.scores.values()):
            raise ValueError("expected scores, sentences and seconds of the same runs")


class OutcomeRow(msgspec.Struct):
    """The summary of a topic in a row of nested.jsonl."""

    scores: Listed
    chosen: Chosen


class ChoiceRow(msgspec.Struct):
    """The choice of a selector in a row of nested.jsonl."""

    run: str
    values: dict[str, str]
    lambda_: Share | None = msgspec.field(name="lambda")
    score: Share
    topics: dict[str, OutcomeRow]

    def __post_init__(self) -> None:
        if not all(self.values.get(name, "").strip() for name in ("lambda", "threshold")):
            raise ValueError("expected lambda and threshold in values")


class FoldRow(msgspec.Struct):
    """A row of nested.jsonl: the choices of an outer fold by selector."""

    key: str
    choices: dict[str, ChoiceRow]
    fold: int = 0

    def __post_init__(self) -> None:
        if not self.choices:
            raise ValueError("expected the choice of at least one selector")
