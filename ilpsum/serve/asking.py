"""What a client asks of the room, with the bounds of every field."""

from collections.abc import Iterable
from typing import Annotated
from urllib.parse import urlencode

import msgspec
from msgspec import Meta, Struct

MOST_WORDS = 500
"""The longest answer."""

SLIDER_WORDS = 300
"""The longest answer that the slider of the page offers; a longer one can be asked for by its address."""

MOST_TEXTS = 200
"""Most texts that are pasted or dropped at once."""

_Question = Annotated[str, Meta(max_length=1000, description="the question; an API needs one")]
_Words = Annotated[int, Meta(ge=1, le=MOST_WORDS, description="word limit of the answer")]
_Share = Annotated[float, Meta(ge=0.0, le=1.0, description="weight of relevance against coverage; default: as tuned")]
_Place = Annotated[str, Meta(max_length=300, description="a sentence: DOCUMENT:START-END")]
_Places = Annotated[tuple[_Place, ...], Meta(max_length=50)]
_Held = Annotated[str, Meta(pattern="^([0-9a-f]{32})?$", description="texts that the room holds; empty: the search")]


class BroughtText(Struct, frozen=True, forbid_unknown_fields=True):
    """A text to answer from: plain, or a file of abstracts (PubMed XML, MEDLINE, RIS, CSV, JSON)."""

    text: Annotated[str, Meta(min_length=1)]
    name: Annotated[str, Meta(min_length=1, max_length=200)] = "text"


_Texts = Annotated[tuple[BroughtText, ...], Meta(max_length=MOST_TEXTS)]


class Ask(Struct, frozen=True, forbid_unknown_fields=True, rename={"lambda_": "lambda"}, omit_defaults=True):
    """A question with its settings: everything that an answer depends on, but for the searched abstracts.

    `keep` and `bar` are sentences that the reader wants or does not want. Without `texts` and `held` the abstracts of
    the room are searched.
    """

    question: _Question = ""
    words: _Words = 200
    lambda_: _Share | None = None
    keep: _Places = ()
    bar: _Places = ()
    held: _Held = ""

    @classmethod
    def of_query(cls, pairs: Iterable[tuple[str, str]]) -> "Ask":
        """Return the question of an address, whose `keep` and `bar` may be repeated; empty values are left out.

        Raises:
            msgspec.ValidationError: a field is unknown or outside its bounds.
        """
        given: dict[str, str | list[str]] = {}
        for key, value in pairs:
            if value and key in ("keep", "bar"):
                given.setdefault(key, []).append(value)  # type: ignore[union-attr]  # a list for these keys
            elif value:
                given[key] = value
        return msgspec.convert(given, cls, strict=False)

    @property
    def address(self) -> str:
        """The query string that asks the same."""
        return urlencode(msgspec.to_builtins(self), doseq=True)


class Question(Ask, frozen=True, forbid_unknown_fields=True, rename={"lambda_": "lambda"}, omit_defaults=True):
    """A question to the API, which may bring its own texts."""

    texts: _Texts = ()

    @property
    def ask(self) -> Ask:
        """The question without its texts."""
        return Ask(self.question, self.words, self.lambda_, self.keep, self.bar, self.held)


class BroughtTexts(Struct, frozen=True, forbid_unknown_fields=True):
    """Texts for the room to hold."""

    texts: Annotated[tuple[BroughtText, ...], Meta(min_length=1, max_length=MOST_TEXTS)]
