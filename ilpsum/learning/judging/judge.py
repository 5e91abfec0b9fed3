"""A judge outside: grades of the sentences of a question by a language model or a reranker.

The sentences go in several requests of one question, some at a time. Replies are cached on disk by
the whole request, so the same run again needs no judge.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import closing
from functools import cached_property
from math import inf
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
import numpy as np

from features.arrays import Floats
from ilpsum.errors import ArgumentError, UsageError, counted, listed
from ilpsum.files.records import UNFIT, decode, typed
from ilpsum.files.work import Tell, silent
from ilpsum.learning.judging.protocols import PROTOCOLS, instructions, kind_of, with_fields
from ilpsum.learning.judging.replies import GRADES, BadReplyError, problem_in
from ilpsum.literature.client import Client, Patience, Request, ServiceError, require_safe
from ilpsum.literature.services import Cache
from ilpsum.records.tables import JudgeTable
from ilpsum.resources import user_cache

KEY = "ILPSUM_JUDGE_KEY"
"""The environment variable with the key of a service, which is sent to the judge only."""

# Maximum size of a reply in bytes.
_MOST = 2**20
# Maximum age in days of cached replies: a model's name stands for its weights.
_DAYS = 365.0
# Seconds between reports of a wait.
_TICK = 1.0
# Seconds before the further try of a judge that cannot be reached.
_PAUSE = 1.0
# Statuses of a request that names a model that the server lacks, or has fields that it refuses.
_UNFIT = (400, 404, 422)


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


class _Kept(msgspec.Struct, frozen=True):
    """A cached reply."""

    values: tuple[float, ...]


class _Model(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: list[_Model]


class _StoppedError(Exception):
    """Another request of the question has failed, or the user has interrupted."""


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
        UsageError: an address that is neither https nor http in the own network.
    """

    def __init__(self, url: str, model: str = "", **settings: Any) -> None:
        values = {"url": url, "model": model, **settings}
        self.table = typed("judge", values, JudgeTable)
        self.kind = self.table.kind or kind_of(url)
        self.protocol = PROTOCOLS[self.kind]
        if not model and self.kind != "rerank-texts":
            raise UsageError("the judge: name its model (--judge-model, judge.model)")
        self.host = _host_of(url)
        self.name = f"{model} at {self.host}" if model else self.host
        self.version = instructions().version if self.protocol.grades else 0
        self._base = url.rstrip("/").removesuffix(f"/{self.protocol.path}")
        self._fields = _object(self.table.body)
        self._days = 0.0 if self.table.refresh else _DAYS
        require_safe(f"the judge {self.name}", self._base, near=True)

    @classmethod
    def of(cls, table: JudgeTable) -> "Judge":
        """Return the judge of a table; raises as the class does."""
        return cls(**msgspec.to_builtins(table))

    def __call__(self, question: str, sentences: Sequence[str]) -> Floats:
        """Return the (n,) relevance of n sentences to a question: `GRADES` of a language model's
        grades, or a reranker's scores.
        """
        values = self.graded(question, sentences).values
        if not self.protocol.grades:
            return values
        relevance: Floats = np.array(GRADES)[values.astype(int)]
        return relevance

    def graded(self, question: str, sentences: Sequence[str], tell: Tell = silent) -> Graded:
        """Return a judge's grades or scores of n sentences for a question.

        Raises:
            ServiceError: the judge cannot be reached, refuses, or gives no grades, after one
                further try; the message names it and the cause.
            UsageError: httpx2 is not installed, or the cache cannot be written.
        """
        if not sentences:
            return Graded(np.zeros(0), 0)
        size, stopped, lines = self.table.batch, threading.Event(), deque[str]()

        def told(line: str) -> None:
            if stopped.is_set():
                raise _StoppedError
            lines.append(line)

        batches = [sentences[start : start + size] for start in range(0, len(sentences), size)]
        with ThreadPoolExecutor(self.table.jobs) as pool:
            try:
                replies = [pool.submit(self._batch, question, batch, told) for batch in batches]
                self._wait(replies, lines, tell)
                graded = [reply.result() for reply in replies]
            except BaseException:
                # The requests under way end at their next report.
                stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        tell("")
        values = np.array([value for part in graded for value in part.values])
        return Graded(values, sum(part.requests for part in graded), self._doubts(values))

    def _wait(self, replies: Sequence[Future[Graded]], lines: deque[str], tell: Tell) -> None:
        """Wait for the replies, or the first failure; pass on the lines of their threads, or else
        how many are there, about once a second.
        """
        began, pending = time.monotonic(), set(replies)
        while pending:
            done, pending = wait(pending, _TICK, FIRST_EXCEPTION)
            if any(reply.exception() for reply in done):
                return
            if pending:
                there = (
                    f"{len(replies) - len(pending)} of {counted(len(replies), 'reply', 'replies')}"
                )
                waiting = f"the judge {self.name}: {there}, {time.monotonic() - began:.0f} s"
                tell(lines.pop() if lines else waiting)

    def _doubts(self, values: Floats) -> tuple[str, ...]:
        if len(values) == 1 or np.ptp(values) > 0:
            return ()
        what = f"all {len(values):,} sentences the same {'grade' if self.version else 'score'}"
        return (f"the judge {self.name} gave {what}, {values[0]:g}: see whether it reads them",)

    def _batch(self, question: str, sentences: Sequence[str], tell: Tell) -> Graded:
        """Return the grades of the sentences of a request; after a bad reply, those of two requests
        for half of them each.
        """
        try:
            return self._request(question, sentences, tell)
        except BadReplyError as error:
            if len(sentences) > 1:
                tell(f"the judge {self.name}: {error}; asking in two parts")
        half = (len(sentences) + 1) // 2
        try:
            parts = [
                self._request(question, part, tell)
                for part in (sentences[:half], sentences[half:])
                if part
            ]
        except BadReplyError as error:
            raise ServiceError(f"the judge {self.name}: {error}") from None
        values = np.concatenate([part.values for part in parts])
        return Graded(values, sum(part.requests for part in parts))

    def _request(self, question: str, sentences: Sequence[str], tell: Tell) -> Graded:
        """Return the grades of one request, cached or asked for; `BadReplyError` without them."""
        body = self.protocol.body(self.table.model, question, sentences)
        content = msgspec.json.encode(with_fields(body, self._fields))

        def fetch() -> bytes:
            reply = self._asked(content, tell)
            return msgspec.json.encode(_Kept(self.protocol.read(reply, len(sentences))))

        key = f"{self._base} {self.kind} {content.decode()}"
        path = self._cache(self.kind, key, ".json", fetch)
        expected = ("the grades of a judge", "remove this file and run again")
        kept = decode(path.read_bytes(), _Kept, expected, path)
        return Graded(np.array(kept.values), 1)

    @cached_property
    def _cache(self) -> Cache:
        return Cache(self._days, user_cache() / "judge")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Judge) and self.table == other.table

    def __hash__(self) -> int:
        return hash(self.table)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.table.url!r}, {self.table.model!r})"

    def __getstate__(self) -> dict[str, Any]:
        # Each process opens its own cache.
        return {key: value for key, value in vars(self).items() if key != "_cache"}

    def _asked(self, content: bytes, tell: Tell) -> bytes:
        """Return the body of the reply to a request; try once more if the judge cannot be reached
        or does not reply in time.
        """
        request = Request(self.protocol.path, content=content)
        try:
            return self._sent(request, tell)
        except ServiceError as error:
            if error.status:
                raise self._refused(error) from None
            tell(f"{error}; trying once more")
        time.sleep(_PAUSE)
        try:
            return self._sent(request, tell)
        except ServiceError as error:
            raise (self._refused(error) if error.status else error) from None

    def _sent(self, request: Request, tell: Tell) -> bytes:
        seconds = self.table.seconds
        patience = Patience(seconds, tell, silence=seconds, setting="judge.seconds")
        key = os.environ.get(KEY, "")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        client = Client(
            f"the judge {self.name}",
            self._base,
            inf,
            patience,
            headers=headers,
            extra="judge",
            near=True,
        )
        with closing(client):
            return client.ask(request, lambda _body: None, _MOST)

    def _refused(self, error: ServiceError) -> ServiceError:
        """Return the error of a refusal, with what the server says and what to do."""
        status, advice = error.status, f"check the address and {KEY}"
        if 300 <= status < 400:
            advice = "it leads elsewhere, which is not followed; name the address that it leads to"
        elif status in _UNFIT and self.protocol.grades:
            advice = self._models() or (
                "check the address, which usually ends in /v1, and fields that this server refuses "
                "(judge.body)"
            )
        elif status in _UNFIT:
            advice = 'check the address and the form of requests (judge.kind = "rerank-texts")'
        said = problem_in(error.said)
        if key := os.environ.get(KEY, ""):
            said = said.replace(key, "***")
        reason = f"status {status}: {said}" if said else f"status {status}"
        return ServiceError(f"the judge {self.name}: refused ({reason}); {advice}", status)

    def _models(self) -> str:
        """Say which models the server has if it lacks the judge's; empty if it does not tell."""
        try:
            data = msgspec.json.decode(self._sent(Request("models"), silent), type=_Models).data
        except (ServiceError, *UNFIT):
            return ""
        names = [model.id for model in data]
        if not names or self.table.model in names:
            return ""
        return f"it has no model {self.table.model!r}; it has: {listed(names, 10)}"


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
