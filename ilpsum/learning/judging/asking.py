"""Asks a judge: the requests of a question, some at a time, and what becomes of bad replies.

Replies are cached on disk by the whole request, so the same run again needs no judge.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import closing
from functools import cache
from math import inf

import msgspec

from ilpsum.errors import counted, listed
from ilpsum.files.records import UNFIT, decode
from ilpsum.files.work import Tell, silent
from ilpsum.learning.judging.judge import KEY, Judge
from ilpsum.learning.judging.protocols import with_fields
from ilpsum.learning.judging.replies import BadReplyError, problem_in
from ilpsum.literature.client import Client, Patience, Request, ServiceError
from ilpsum.literature.services import Cache
from ilpsum.resources import user_cache

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

_cache_of = cache(Cache)

# Grades or scores of the sentences of a request.
_Reply = tuple[float, ...]


class _Kept(msgspec.Struct, frozen=True):
    """A cached reply."""

    values: _Reply


class _Model(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: list[_Model]


class _StoppedError(Exception):
    """Another request of the question has failed, or the user has interrupted."""


class Asking:
    """One question to a judge.

    Args:
        judge: the judge.
        question: the question.
        tell: takes a line about once a second.
    """

    def __init__(self, judge: Judge, question: str, tell: Tell) -> None:
        self._judge, self._question, self._tell = judge, question, tell
        # The latest line of the threads, which `_wait` passes on; older ones would come late.
        self._lines = deque[str](maxlen=1)
        self._stopped = threading.Event()

    def of_all(self, sentences: Sequence[str]) -> list[_Reply]:
        """Return the replies that grade one or more sentences; errors as `Judge.graded`."""
        size = self._judge.table.batch
        batches = [sentences[start : start + size] for start in range(0, len(sentences), size)]
        with ThreadPoolExecutor(self._judge.table.jobs) as pool:
            try:
                replies = [pool.submit(self._batch, batch) for batch in batches]
                self._wait(replies)
                graded = [reply for of_batch in replies for reply in of_batch.result()]
            except BaseException:
                # The requests under way end at their next report.
                self._stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        self._tell("")
        return graded

    def _wait(self, replies: Sequence[Future[list[_Reply]]]) -> None:
        """Wait for the replies, or the first failure; pass on the lines of their threads, or else
        how many are there, about once a second.
        """
        began, pending = time.monotonic(), set(replies)
        number = counted(len(replies), "reply", "replies")
        while pending:
            done, pending = wait(pending, _TICK, FIRST_EXCEPTION)
            if any(reply.exception() for reply in done):
                return
            if pending:
                there = len(replies) - len(pending)
                seconds = time.monotonic() - began
                waiting = f"the judge {self._judge.name}: {there} of {number}, {seconds:.0f} s"
                self._tell(self._lines.pop() if self._lines else waiting)

    def _told(self, line: str) -> None:
        if self._stopped.is_set():
            raise _StoppedError
        self._lines.append(line)

    def _batch(self, sentences: Sequence[str]) -> list[_Reply]:
        """Return the reply that grades some sentences; after a bad one, those to two requests for
        half of them each.
        """
        name = self._judge.name
        try:
            return [self._request(sentences)]
        except BadReplyError as error:
            if len(sentences) > 1:
                self._told(f"the judge {name}: {error}; asking in two parts")
        half = (len(sentences) + 1) // 2
        parts = [part for part in (sentences[:half], sentences[half:]) if part]
        try:
            return [self._request(part) for part in parts]
        except BadReplyError as error:
            raise ServiceError(f"the judge {name}: {error}") from None

    def _request(self, sentences: Sequence[str]) -> _Reply:
        """Return the reply to one request, cached or asked for; `BadReplyError` without grades."""
        judge, protocol = self._judge, self._judge.protocol
        body = protocol.body(judge.table.model, self._question, sentences)
        content = msgspec.json.encode(with_fields(body, judge.fields))

        def fetch() -> bytes:
            reply = self._asked(content)
            return msgspec.json.encode(_Kept(protocol.read(reply, len(sentences))))

        days = 0.0 if judge.table.refresh else _DAYS
        replies = _cache_of(days, user_cache() / "judge")
        path = replies(judge.kind, f"{judge.base} {judge.kind} {content.decode()}", ".json", fetch)
        expected = ("the grades of a judge", "remove this file and run again")
        return decode(path.read_bytes(), _Kept, expected, path).values

    def _asked(self, content: bytes) -> bytes:
        """Return the body of the reply to a request; try once more if the judge cannot be reached
        or does not reply in time.
        """
        request = Request(self._judge.protocol.path, content=content)
        for further_tries in (1, 0):
            try:
                return self._sent(request, self._told)
            except ServiceError as error:
                if error.status:
                    raise self._refused(error) from None
                if not further_tries:
                    raise
                self._told(f"{error}; trying once more")
            time.sleep(_PAUSE)
        raise AssertionError("the last try returns or raises")

    def _sent(self, request: Request, tell: Tell) -> bytes:
        seconds = self._judge.table.seconds
        client = Client(
            f"the judge {self._judge.name}",
            self._judge.base,
            inf,
            Patience(seconds, tell, silence=seconds, setting="judge.seconds"),
            headers=self._judge.headers(),
            extra="judge",
            near=True,
        )
        with closing(client):
            return client.ask(request, lambda _body: None, _MOST)

    def _refused(self, error: ServiceError) -> ServiceError:
        """Return the error of a refusal, with what the server says and what to do."""
        status, advice = error.status, f"check the address and {KEY}"
        is_chat = self._judge.protocol.grades
        if 300 <= status < 400:
            advice = "it leads elsewhere, which is not followed; name the address that it leads to"
        elif status in _UNFIT and is_chat:
            advice = self._models() or (
                "check the address, which usually ends in /v1, and fields that this server refuses "
                "(judge.body)"
            )
        elif status in _UNFIT:
            advice = 'check the address and the form of requests (judge.kind = "rerank-texts")'
        problem = problem_in(error.response)
        if key := os.environ.get(KEY, ""):
            problem = problem.replace(key, "***")
        reason = f"status {status}: {problem}" if problem else f"status {status}"
        return ServiceError(f"the judge {self._judge.name}: refused ({reason}); {advice}", status)

    def _models(self) -> str:
        """Say which models the server has if it lacks the judge's; empty if it does not tell."""
        model = self._judge.table.model
        try:
            reply = self._sent(Request("models"), silent)
            names = [entry.id for entry in msgspec.json.decode(reply, type=_Models).data]
        except (ServiceError, *UNFIT):
            return ""
        if not names or model in names:
            return ""
        return f"it has no model {model!r}; it has: {listed(names, 10)}"
