"""A judge outside: grades of the sentences of a question by a language model or a reranker.

What is sent, and how, is in `ilpsum.learning.judging.asking`, which brings the HTTP client: it is
imported when a judge is named.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
import numpy as np

from features.arrays import Floats
from ilpsum.errors import ArgumentError, UsageError
from ilpsum.files.records import UNFIT, typed
from ilpsum.files.work import Tell, silent
from ilpsum.learning.judging.protocols import PROTOCOLS, instructions, kind_of
from ilpsum.records.tables import JudgeTable

KEY = "ILPSUM_JUDGE_KEY"
"""The environment variable with the key of a service, which is sent to the judge only."""


class Graded(NamedTuple):
    """What a judge says of n sentences.

    Attributes:
        values: (n,) whole grades from 0 to 3 of a language model, or the scores of a reranker on
            any scale.
        requests: number of requests whose replies these are, cached or not.
        warnings: what makes one doubt the judge.
    """

    values: Floats
    requests: int
    warnings: tuple[str, ...] = ()


class Judge:
    """A language model or a reranker behind a web service, as a source of relevance.

    Pass it as `relevance` to `Summarizer.load` or `select`. Questions and sentences are sent to its
    address; its key is read from the environment variable `ILPSUM_JUDGE_KEY`.

    Args:
        url: address, such as `http://localhost:11434/v1`; a reranker's ends in `/rerank`.
        model: name of the model.
        settings: other keys of the table `judge`, such as `top`.

    Raises:
        ArgumentError: a setting that does not fit.
        UsageError: an address that is neither https nor http in the own network, or a key for a
            name that is asked by http.
    """

    def __init__(self, url: str, model: str = "", **settings: Any) -> None:
        values = {"url": url, "model": model, **settings}
        self.table = typed("judge", values, JudgeTable)
        self.kind = self.table.kind or kind_of(url)
        self.protocol = PROTOCOLS[self.kind]
        if not model and self.kind != "rerank-texts":
            raise UsageError("the judge: name its model (--judge-model, judge.model)")
        self.host = _host_of(url)
        self.name = " at ".join(filter(None, [model, self.host]))
        self.version = instructions().version if self.protocol.grades else 0
        self.base = url.rstrip("/").removesuffix(f"/{self.protocol.path}")
        self.fields = _object(self.table.body)
        from ilpsum.literature.client import require_safe

        require_safe(f"the judge {self.name}", self.base, near=True)
        self.headers()

    @classmethod
    def of(cls, table: JudgeTable) -> "Judge":
        """Return the judge of a table; raises as the class does."""
        return cls(**msgspec.to_builtins(table))

    def graded(self, question: str, sentences: Sequence[str], tell: Tell = silent) -> Graded:
        """Return a judge's grades or scores of n sentences for a question.

        Raises:
            ServiceError: the judge cannot be reached, refuses, or gives no grades, after one
                further try; the message names it and the cause.
            UsageError: httpx2 is not installed, or the cache cannot be written.
        """
        if not sentences:
            return Graded(np.zeros(0), 0)
        from ilpsum.learning.judging.asking import Asking

        replies = Asking(self, question, tell).of_all(sentences)
        values = np.concatenate(replies)
        return Graded(values, len(replies), self._doubts(values))

    def headers(self) -> dict[str, str]:
        """Return the header with the key, if the environment has one; `UsageError` if it would go
        unencrypted to a name, which any computer of a network may claim.
        """
        from ilpsum.literature.client import is_private

        key = os.environ.get(KEY, "")
        if not key:
            return {}
        if urlsplit(self.base).scheme == "http" and not is_private(self.base):
            raise UsageError(
                f"the judge {self.name}: the key in {KEY} is not sent to a name by http; use "
                f"https, a private address in digits, or unset {KEY}"
            )
        return {"Authorization": f"Bearer {key}"}

    def _doubts(self, values: Floats) -> tuple[str, ...]:
        if len(values) == 1 or np.ptp(values) > 0:
            return ()
        what = f"all {len(values):,} sentences the same {'grade' if self.version else 'score'}"
        return (f"the judge {self.name} gave {what}, {values[0]:g}: see whether it reads them",)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Judge) and self.table == other.table

    def __hash__(self) -> int:
        return hash(self.table)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.table.url!r}, {self.table.model!r})"


def _host_of(url: str) -> str:
    """Return host and port of an address; empty if it has none."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:
        return ""


def _object(text: str) -> Mapping[str, Any]:
    """Return the fields in the text of a JSON object; `ArgumentError` if it is none."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any]) if text else {}
    except UNFIT:
        example = '{"reasoning_effort": "none"}'
        raise ArgumentError(
            f"judge.body: expected a JSON object such as {example}, got {text[:60]!r}"
        ) from None
