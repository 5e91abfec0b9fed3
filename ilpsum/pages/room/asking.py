"""Requests to the room, with the bounds of every field."""

from dataclasses import replace
from datetime import date
from typing import Annotated, TypeVar
from urllib.parse import parse_qs, urlencode

import msgspec
from msgspec import Meta, Struct

from ilpsum.answers.sources import Sources
from ilpsum.errors import UsageError
from ilpsum.records import KINDS, Language, SourceFilter, StudyKind, Year
from ilpsum.records.tables import Share

MOST_WORDS = 500
"""Maximum word limit of an answer."""

MOST_CHARACTERS = 6000
"""Maximum length of a question."""

SLIDER_WORDS = 300
"""Maximum word limit of the page's slider; the URL accepts higher ones."""

Name = TypeVar("Name", bound=str)

REVIEWS_AND_TRIALS: tuple[StudyKind, ...] = (
    "meta-analysis",
    "systematic-review",
    "randomised",
    "trial",
    "review",
)
"""Kinds of study that the box beside the question stands for."""

# What a field may hold.
_Question = Annotated[str, Meta(max_length=MOST_CHARACTERS)]
_Words = Annotated[int, Meta(ge=1, le=MOST_WORDS)]
_Place = Annotated[str, Meta(max_length=300)]
_Places = Annotated[tuple[_Place, ...], Meta(max_length=50)]
_Languages = Annotated[tuple[Language, ...], Meta(max_length=20)]
_Query = Annotated[str, Meta(max_length=2000)]
_Kinds = Annotated[tuple[StudyKind, ...], Meta(max_length=len(KINDS))]
_Journal = Annotated[str, Meta(max_length=100)]


class Ask(
    Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"lambda_": "lambda"},
    omit_defaults=True,
):
    """A question with its settings: everything that an answer depends on except the searched
    abstracts.

    Attributes:
        question: the question.
        words: word limit of the answer.
        lambda_: weight of relevance against coverage; None for the tuned one.
        keep, bar: sentences that the reader forces into or out of the answer, as
            DOCUMENT:START-END.
        since, until: only sources from this year on, or up to it.
        languages: only sources in these, by three-letter codes.
        query: query in the services' language; empty for the one made for them.
        kinds: only these kinds of study.
        evidence: only reviews and trials, or also those if there are `kinds`.
        journal: only journals whose name contains this.
        humans: whether to leave out studies of animals or cells alone.
        preprints: whether to quote preprints.
        services: whether to ask the literature services, if there are other abstracts.
        judge: whether the judge grades the sentences, if the server has one.
        exact: whether to search for the words as written, without correcting typing errors.
    """

    question: _Question = ""
    words: _Words = 200
    lambda_: Share | None = None
    keep: _Places = ()
    bar: _Places = ()
    since: Year | None = None
    until: Year | None = None
    languages: _Languages = ()
    query: _Query = ""
    kinds: _Kinds = ()
    journal: _Journal = ""
    humans: bool = False
    preprints: bool = True
    services: bool = True
    judge: bool = True
    evidence: bool = False
    exact: bool = False

    @property
    def unfiltered(self) -> "Ask":
        """The question without its filters of sources."""
        return msgspec.structs.replace(
            self,
            since=None,
            until=None,
            languages=(),
            kinds=(),
            evidence=False,
            journal="",
            humans=False,
            preprints=True,
        )

    @property
    def searched(self) -> "Ask":
        """The question with default selection settings: equal ones have the same search results."""
        return msgspec.structs.replace(
            self,
            words=200,
            lambda_=None,
            keep=(),
            bar=(),
        )

    def within(self, room: Sources, *, has_abstracts: bool) -> Sources:
        """Return the sources of a room as the reader restricts them; `has_abstracts`: whether it
        holds abstracts, and not services alone.

        `UsageError` if nothing is left, or if a restriction is for services that are not asked.
        """
        _require_possible(self.since, self.until)
        if has_abstracts and not self.services:
            room = _without_services(room)
        allowed = room.wanted
        since, until = self._years(allowed)
        kinds = self._kinds(allowed)
        languages = _common(self.languages, allowed.languages, "languages")
        journal = self.journal or allowed.journal
        if allowed.journal.casefold() not in journal.casefold():
            raise UsageError(f"this server searches only journals named {allowed.journal}")
        preprints = self.preprints and allowed.preprints
        if kinds == ("preprint",) and not preprints:
            raise UsageError("only preprints are asked for, and preprints are left out")
        wanted = msgspec.structs.replace(
            allowed,
            since=since,
            until=until,
            kinds=kinds,
            humans=self.humans or allowed.humans,
            preprints=preprints,
            journal=journal,
            languages=languages,
        )
        return replace(
            room,
            wanted=wanted,
            query=self.query or room.query,
            exact=self.exact or room.exact,
        )

    def _years(self, allowed: SourceFilter) -> tuple[int | None, int | None]:
        """Return the first and the last year that the reader and the server accept."""
        since = max(filter(None, (self.since, allowed.since)), default=None)
        until = min(filter(None, (self.until, allowed.until)), default=None)
        if since and until and since > until:
            years = f"from {allowed.since or 'any year'} to {allowed.until or 'now'}"
            raise UsageError(f"this server searches only sources {years}")
        return since, until

    def _kinds(self, allowed: SourceFilter) -> tuple[StudyKind, ...]:
        """Return the kinds of study that the reader and the server accept, in fixed order."""
        asked = {*self.kinds, *(REVIEWS_AND_TRIALS if self.evidence else ())}
        in_order = tuple(kind for kind in KINDS if kind in asked)
        return _common(in_order, allowed.kinds, "kinds of study")

    @classmethod
    def of_query(cls, query: str) -> "Ask":
        """Parse a query string, in which keys of lists may repeat; empty values are ignored."""
        lists = ("keep", "bar", "kinds", "languages")
        fields = {
            key: values if key in lists else values[-1] for key, values in parse_qs(query).items()
        }
        return msgspec.convert(fields, cls, strict=False)

    @property
    def address(self) -> str:
        """The query string of this question."""
        fields = msgspec.to_builtins(self)
        for name, value in fields.items():
            if isinstance(value, bool):
                fields[name] = str(value).lower()
        return urlencode(fields, doseq=True)


def latest_year() -> int:
    """Return the latest year that a source may be of: journals date issues ahead."""
    return date.today().year + 1


def _require_possible(since: int | None, until: int | None) -> None:
    """Raise `UsageError` for years that no source can be of."""
    for year in filter(None, (since, until)):
        if year > latest_year():
            raise UsageError(f"no source is from {year}; give {latest_year()} or earlier")
    if since and until and since > until:
        raise UsageError(f"no year is from {since} to {until}; exchange the two")


def _without_services(room: Sources) -> Sources:
    """Return the sources of a room without the services and what only they can filter."""
    wanted = msgspec.structs.replace(room.wanted, until=None, languages=())
    return replace(room, services=(), wanted=wanted, query="", refresh=False)


def _common(asked: tuple[Name, ...], allowed: tuple[Name, ...], what: str) -> tuple[Name, ...]:
    """Return what the reader asks for, or else all that the server allows."""
    common = tuple(value for value in asked or allowed if not allowed or value in allowed)
    if asked and not common:
        raise UsageError(f"this server searches only these {what}: {', '.join(allowed)}")
    return common
