"""Fields shared by adapters that are pydantic models, and their JSON serialisation."""

from typing import Any, Self

import msgspec
from pydantic import BaseModel, ConfigDict, field_validator

from ilpsum.answers.steps import Summarizer
from ilpsum.errors import ArgumentError
from ilpsum.files.progress import Progress
from ilpsum.integrations import OPTIONS, SEPARATOR
from ilpsum.passages.costs import Count, counted_by
from ilpsum.passages.scoring import Concepts, Relevance, Reranker
from ilpsum.passages.selecting import Predicate


class _Saved(msgspec.Struct, forbid_unknown_fields=True):
    """An adapter as JSON; `needs` lists the fields that cannot be saved."""

    adapter: str
    options: dict[str, str | float | None]
    needs: list[str]


class PassageFields(BaseModel):
    """The arguments of `ilpsum.passages.select`; the budget applies to the contents joined by `separator`.

    A `count` given by name, such as `tiktoken:cl100k_base`, can be saved; a function cannot.
    """

    @field_validator("count")
    @classmethod
    def _known(cls, count: str | Count | None) -> str | Count | None:
        counted_by(count)  # an unknown name fails here, not at the first call
        return count

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    budget: float = 300
    count: str | Count | None = None
    separator: str = SEPARATOR
    relevance: Relevance | Reranker | None = None
    mix: float | None = None
    concepts: Concepts | None = None
    lambda_: float | None = None
    keep: Predicate | None = None
    bar: Predicate | None = None
    per_source: int | None = None
    system: str | Summarizer = "concepts"
    progress: Progress | None = None

    def to_json(self, **_: Any) -> str:
        """Serialise the adapter as JSON; fields with functions or summarizers are only listed, for `from_json`."""
        options = {name: getattr(self, name) for name in OPTIONS}
        plain = {name: value for name, value in options.items() if isinstance(value, str | int | float | None)}
        needs = [name for name in options if name not in plain]
        return msgspec.json.encode(_Saved(type(self).__name__, plain, needs)).decode()

    @classmethod
    def from_json(cls, data_str: str, **functions: Any) -> Self:
        """Restore an adapter from `to_json`; `functions` are the fields that could not be saved.

        Raises:
            ArgumentError: the text is not a saved adapter of this class, or a function is missing.
        """
        try:
            saved = msgspec.json.decode(data_str, type=_Saved)
        except msgspec.MsgspecError as error:
            raise ArgumentError(f"not a saved {cls.__name__}: {error}") from None
        if saved.adapter != cls.__name__:
            raise ArgumentError(f"a saved {saved.adapter[:40]!r}, not a {cls.__name__}")
        if missing := [name for name in saved.needs if name not in functions]:
            given = ", ".join(f"{name}=..." for name in missing)
            raise ArgumentError(f"{missing[0]} cannot be saved; pass it again: from_json(text, {given})")
        return cls(**{**saved.options, **functions})
