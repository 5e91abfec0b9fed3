"""What a document says of its publication beside its text, and which publications may be quoted."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import msgspec

StudyKind: TypeAlias = Literal[
    "meta-analysis", "systematic-review", "guideline", "randomised", "trial", "cohort", "review", "case-report",
    "animal", "in-vitro", "editorial", "preprint",
]  # fmt: skip
_SHOWN: dict[StudyKind, str] = {
    "meta-analysis": "meta-analysis", "randomised": "randomised trial", "trial": "clinical trial",
    "cohort": "cohort study", "animal": "animal study", "in-vitro": "in vitro study",
}  # fmt: skip
KINDS: dict[StudyKind, str] = {kind: _SHOWN.get(kind, kind.replace("-", " ")) for kind in get_args(StudyKind)}
"""The kinds of study, each with the words that readers see."""
IMPLIED: dict[StudyKind, StudyKind] = {"randomised": "trial", "systematic-review": "review"}
"""Kinds that are also of another, more general kind."""


class Author(msgspec.Struct, frozen=True, omit_defaults=True):
    """An author: family name and given names or initials, or a group, which has no given names."""

    family: str
    given: str = ""


class Publication(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where and how a text was published; an empty value is unknown. Millions are stored, and a `Struct` is small.

    Attributes:
        authors: in order.
        journal, volume, issue, pages: as the source writes them.
        year: four digits.
        pmid, pmcid, doi, arxiv: identifiers, as `ilpsum.io.identifiers` writes them.
        kinds: of the study, in the order of `KINDS`.
        language: as the source writes it, such as `eng`.
        mesh: MeSH headings, without qualifiers.
        retracted: whether a notice retracts it.
        retracts: whether it is such a notice.
        concern: whether a notice expresses concern about it.
    """

    authors: tuple[Author, ...] = ()
    journal: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    year: str = ""
    pmid: str = ""
    pmcid: str = ""
    doi: str = ""
    arxiv: str = ""
    kinds: tuple[StudyKind, ...] = ()
    language: str = ""
    mesh: tuple[str, ...] = ()
    retracted: bool = False
    retracts: bool = False
    concern: bool = False

    @property
    def is_evidence(self) -> bool:
        """Whether it is neither retracted nor a notice of retraction."""
        return not (self.retracted or self.retracts)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know of it before quoting it: the kinds of study, then the notice."""
        shown = [KINDS[kind] for kind in self.kinds if not {k for k, i in IMPLIED.items() if i == kind} & {*self.kinds}]
        return (*shown, self.notice) if self.notice else tuple(shown)

    @property
    def notice(self) -> str:
        """The caution that every quotation carries; empty if there is none."""
        if self.retracts:
            return "retraction notice"
        return "retracted" if self.retracted else "expression of concern" if self.concern else ""


UNPUBLISHED = Publication()
"""The publication of a text of which nothing is known."""


@dataclass(frozen=True, slots=True)
class SourceFilter:
    """Which documents a search may find.

    Attributes:
        since: the earliest year; a document without a date is left out. None for all.
        kinds: at least one of these kinds of study; none for all.
        humans: whether to leave out studies of animals or cells alone.
        preprints: whether preprints may be found.
        retracted: whether retracted articles and notices of retraction may be found.
        journal: a part of the journal's name, in any case; empty for all.
    """

    since: int | None = None
    kinds: tuple[StudyKind, ...] = ()
    humans: bool = False
    preprints: bool = True
    retracted: bool = False
    journal: str = ""


ANY_BUT_RETRACTED = SourceFilter()
