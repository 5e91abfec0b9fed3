"""Reads the replies of judges, which keep to their protocols more or less.

Nothing of a reply is used but its grades: whole numbers from 0 to 3 of a language model, any finite
numbers of a reranker.
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ilpsum.errors import counted, printable
from ilpsum.files.records import UNFIT

BEST = 3
"""The highest grade of a language model; the lowest is 0."""
GRADES = (0.0, 0.1, 0.6, 1.0)
"""The relevance of a sentence by its grade."""

# A reasoning model's thoughts, which may hold drafts of the reply; their first tag is often left
# out.
_THOUGHTS = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_THINKING = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_GRADES = re.compile(r'"grades"\s*:\s*(?=\[)')
# Of a reply that repeats the key, only the last lists are tried.
_TRIED = 20
_QUOTED = 150
# A model that thinks needs more room, or should not think.
_ROOM = "switch its thinking off or give it more room (judge.body)"


class BadReplyError(Exception):
    """A reply without the grades asked for; asking for fewer sentences may help."""


class _Part(msgspec.Struct):
    text: str = ""


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]


class _Ranked(msgspec.Struct):
    """A document of a reranker's reply: Cohere's form, or that of text-embeddings-inference."""

    index: int
    relevance_score: float | None = None
    score: float | None = None


class _Ranking(msgspec.Struct):
    results: list[_Ranked]


def grades_of(body: bytes, number: int) -> tuple[float, ...]:
    """Return the grades of a number of sentences from the body of a chat completion.

    Thoughts, prose or a fence around the JSON are skipped; whole numbers may be written as floats
    or as texts.

    Raises:
        BadReplyError: not one whole number from 0 to 3 for each sentence.
    """
    try:
        choice = msgspec.json.decode(body, type=_Completion).choices[0]
    except UNFIT:
        raise BadReplyError(_not_json(body, "a chat completion")) from None
    content = choice.message.content or ""
    text = content if isinstance(content, str) else "".join(part.text for part in content)
    text = _THOUGHTS.sub("", text).strip()
    if _THINKING.match(text):
        text = ""
    try:
        return _grades_in(text, number)
    except BadReplyError as error:
        if choice.finish_reason == "length":
            raise BadReplyError(f"its reply was cut off; {_ROOM}") from None
        if not text:
            raise BadReplyError(f"it thought and gave no reply; {_ROOM}") from None
        raise error from None


def _grades_in(text: str, number: int) -> tuple[float, ...]:
    """Return the grades in the last list of a text that fits."""
    error = BadReplyError(f'expected {{"grades": [...]}}, it says {_start(text)}')
    for value in _values_in(text):
        try:
            grades = tuple(map(_grade, value))
        except (ValueError, OverflowError) as unfit:
            error = BadReplyError(str(unfit))
            continue
        if len(grades) == number:
            return grades
        error = BadReplyError(f"expected {counted(number, 'grade')}, got {len(grades):,}")
    raise error


def _values_in(text: str) -> Iterator[Sequence[Any]]:
    """Yield the lists that may be the grades, the last first."""
    places = [match.end() for match in _GRADES.finditer(text)][-_TRIED:]
    for place in reversed(places or [text.find("[")]):
        try:
            value = json.JSONDecoder().raw_decode(text, max(0, place))[0]
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list):
            yield value


def _grade(value: object) -> float:
    """Return a grade; `ValueError` unless the value is a whole number from 0 to 3, possibly as a
    text.
    """
    number = math.nan
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        try:
            number = float(value)
        except ValueError:
            number = math.nan
    if number not in range(BEST + 1):
        raise ValueError(f"expected grades from 0 to {BEST}, got {_start(str(value))}")
    return number


def scores_of(body: bytes, number: int) -> tuple[float, ...]:
    """Return the scores of a number of sentences, in their order, from the body of a reranker's
    reply.

    It is an object with `results` of `index` and `relevance_score`, or a list of `index` and
    `score`, in any order.

    Raises:
        BadReplyError: not one finite score for each sentence.
    """
    try:
        reply = msgspec.json.decode(body, type=_Ranking | list[_Ranked])
    except UNFIT:
        raise BadReplyError(_not_json(body, "a ranking")) from None
    ranked = reply if isinstance(reply, list) else reply.results
    scores = dict[int, float]()
    for one in ranked:
        score = one.score if one.relevance_score is None else one.relevance_score
        if score is None or not math.isfinite(score):
            raise BadReplyError("expected a finite score of each sentence")
        scores[one.index] = score
    if len(ranked) != number or scores.keys() != set(range(number)):
        raise BadReplyError(f"expected {counted(number, 'score')}, one for each sentence")
    return tuple(scores[i] for i in range(number))


def _not_json(body: bytes, expected: str) -> str:
    """Say what a body is instead of the reply of a protocol."""
    problem = problem_in(body)
    if problem:
        return f"it says {problem}"
    return f"expected {expected}, got {_start(body[:1000].decode('utf-8', 'replace'))}"


def problem_in(body: bytes) -> str:
    """Return what the body of an error says, quoted; empty if it says nothing in a known form.

    Known are `{"error": {"message": ...}}`, `{"error": ...}`, `{"message": ...}` and
    `{"detail": ...}`.
    """
    try:
        value = msgspec.json.decode(body)
    except UNFIT:
        return ""
    values = [value]
    for _ in range(2):  # two levels of objects
        values = [inner for outer in values for inner in _told(outer)]
    return next((_start(text) for text in values if isinstance(text, str) and text.strip()), "")


def _told(value: object) -> list[object]:
    """Return what the known keys of an object hold, or the value itself."""
    if not isinstance(value, dict):
        return [value]
    return [value[key] for key in ("error", "message", "detail") if key in value]


def _start(text: str) -> str:
    """Quote the start of a text."""
    line = printable(text[: 4 * _QUOTED])
    return repr(line if len(line) <= _QUOTED else f"{line[:_QUOTED]}...")
