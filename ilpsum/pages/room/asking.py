"""Requests to the room, with the bounds of every field."""

from collections.abc import Iterable
from typing import Annotated
from urllib.parse import urlencode

import msgspec
from msgspec import Meta, Struct

from ilpsum.errors import UsageError
from ilpsum.records import KINDS, SourceFilter, StudyKind

MOST_WORDS = 500
"""Maximum word limit of an answer."""

SLIDER_WORDS = 300
"""Maximum word limit of the page's slider; the URL accepts higher ones."""

_Question = Annotated[str, Meta(max_length=1000, description="the question")]
_Words = Annotated[int, Meta(ge=1, le=MOST_WORDS, description="word limit of the answer")]
_Share = Annotated[float, Meta(ge=0.0, le=1.0, description="weight of relevance against coverage; default: as tuned")]
_Place = Annotated[str, Meta(max_length=300, description="a sentence: DOCUMENT:START-END")]
_Places = Annotated[tuple[_Place, ...], Meta(max_length=50)]
_Year = Annotated[int, Meta(ge=1000, le=3000, description="only sources from this year on")]
_Kinds = Annotated[tuple[StudyKind, ...], Meta(max_length=len(KINDS), description="only these kinds of study")]
_Journal = Annotated[str, Meta(max_length=100, description="only journals whose name contains this")]


class Ask(Struct, frozen=True, forbid_unknown_fields=True, rename={"lambda_": "lambda"}, omit_defaults=True):
    """A question with its settings: everything that an answer depends on except the searched abstracts.

    `keep` and `bar` are sentences that the reader forces into or out of the answer. The server searches its abstracts
    and, unless `services` is false, its literature services.
    """

    question: _Question = ""
    words: _Words = 200
    lambda_: _Share | None = None
    keep: _Places = ()
    bar: _Places = ()
    since: _Year | None = None
    kinds: _Kinds = ()
    journal: _Journal = ""
    humans: bool = False
    preprints: bool = True
    services: bool = True

    @property
    def searched(self) -> "Ask":
        """The question with default selection settings: equal ones have the same search results."""
        return msgspec.structs.replace(self, words=200, lambda_=None, keep=(), bar=())

    def within(self, allowed: SourceFilter) -> SourceFilter:
        """Combine the source filters of question and room; `UsageError` if they have no kind of study in common."""
        kinds = tuple(kind for kind in self.kinds or allowed.kinds if not allowed.kinds or kind in allowed.kinds)
        if self.kinds and not kinds:
            raise UsageError(f"this server searches only these kinds of study: {', '.join(allowed.kinds)}")
        return SourceFilter(
            max(filter(None, (self.since, allowed.since)), default=None),
            kinds,
            self.humans or allowed.humans,
            self.preprints and allowed.preprints,
            allowed.retracted,
            self.journal,
        )

    @classmethod
    def of_query(cls, pairs: Iterable[tuple[str, str]]) -> "Ask":
        """Parse a query string, in which `keep`, `bar` and `kinds` may repeat; empty values are ignored."""
        given: dict[str, str | list[str]] = {}
        for key, value in pairs:
            if value and key in ("keep", "bar", "kinds"):
                given.setdefault(key, []).append(value)  # type: ignore[union-attr]  # a list for these keys
            elif value:
                given[key] = value
        return msgspec.convert(given, cls, strict=False)

    @property
    def address(self) -> str:
        """The query string of this question."""
        given = msgspec.to_builtins(self)
        return urlencode({k: str(v).lower() if isinstance(v, bool) else v for k, v in given.items()}, doseq=True)
