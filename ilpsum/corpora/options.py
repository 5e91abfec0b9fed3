"""The options of all readers, in one record."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

Pool = Literal["snippets", "merged", "abstracts", "searched"]
"""What the documents of a BioASQ question are; see `ilpsum.corpora.bioasq`."""

GoldKind = Literal["all", "abstract", "community", "human"]
"""Which gold summaries a CL-SciSumm topic has; see `ilpsum.corpora.scisumm`."""


@dataclass(frozen=True, slots=True)
class ReaderOptions:
    """What a user asked of a reader; an empty value means the reader's default.

    Attributes:
        pool: a `Pool`.
        answers: files whose ideal answers are joined by id.
        summaries: a `GoldKind`.
        documents: files of abstracts.
        retracted: whether retracted abstracts may be quoted.
        damaged: gets the files of abstracts in folders that cannot be read (`ilpsum.corpora.abstracts.Damaged`).
    """

    pool: str = ""
    answers: tuple[str | Path, ...] = ()
    summaries: str = ""
    documents: tuple[str | Path, ...] = ()
    retracted: bool = False
    damaged: object = None

    @classmethod
    def of(cls, source: object) -> "ReaderOptions":
        """Take the options from the attributes of an object that has them: parsed arguments, a sweep."""
        return cls(
            getattr(source, "pool", None) or "",
            paths(getattr(source, "answers", None) or ()),
            getattr(source, "summaries", None) or "",
            paths(getattr(source, "documents", None) or ()),
            damaged=getattr(source, "damaged", None),
        )

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the options that are not empty."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name))


def paths(value: str | Path | Sequence[str | Path]) -> tuple[str | Path, ...]:
    """Return one path or several as a tuple."""
    return (value,) if isinstance(value, str | Path) else tuple(value)
