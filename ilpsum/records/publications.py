"""Publication data of documents, and the filter for publications that may be quoted."""

from typing import Annotated, Literal, TypeAlias, get_args

import msgspec

from ilpsum.records.tables import Help, Table

StudyKind: TypeAlias = Literal[
    "meta-analysis", "systematic-review", "guideline", "randomised", "trial", "cohort", "review",
    "case-report",
    "animal", "in-vitro", "editorial", "preprint",
]  # fmt: skip
_SHOWN: dict[StudyKind, str] = {
    "meta-analysis": "meta-analysis", "randomised": "randomised trial", "trial": "clinical trial",
    "cohort": "cohort study", "animal": "animal study", "in-vitro": "in vitro study",
}  # fmt: skip
KINDS: dict[StudyKind, str] = {
    kind: _SHOWN.get(kind, kind.replace("-", " ")) for kind in get_args(StudyKind)
}
"""Kinds of study with their display names."""
IMPLIED: dict[StudyKind, StudyKind] = {"randomised": "trial", "systematic-review": "review"}
"""Specific kinds with the more general kind that they imply."""


class Author(msgspec.Struct, frozen=True, omit_defaults=True):
    """An author: family name and given names or initials; a group has only a `family` name."""

    family: str
    given: str = ""


class Publication(msgspec.Struct, frozen=True, omit_defaults=True):
    """Publication data; empty values are unknown. A `Struct` because millions are stored.

    Attributes:
        authors: in order.
        journal, volume, issue, pages: as written in the source.
        year: four digits.
        pmid, pmcid, doi, arxiv: identifiers, normalised by `ilpsum.files.identifiers`.
        kinds: kinds of study, in the order of `KINDS`.
        language: as written in the source, such as `eng`.
        mesh: MeSH headings without qualifiers.
        retracted: whether it has been retracted.
        retracts: whether it is a retraction notice.
        concern: whether there is an expression of concern about it.
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
        """Whether it is neither retracted nor a retraction notice."""
        return not (self.retracted or self.retracts)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks for readers: the most specific kinds of study, then the notice."""
        implied = {IMPLIED.get(kind) for kind in self.kinds}
        shown = [KINDS[kind] for kind in self.kinds if kind not in implied]
        return (*shown, self.notice) if self.notice else tuple(shown)

    @property
    def notice(self) -> str:
        """The warning shown with every quotation; empty if there is none."""
        if self.retracts:
            return "retraction notice"
        return "retracted" if self.retracted else "expression of concern" if self.concern else ""


UNPUBLISHED = Publication()
"""Publication data of a text without any."""


Year = Annotated[int, msgspec.Meta(ge=1000, le=3000)]
Language = Annotated[str, msgspec.Meta(pattern="^[a-z]{3}$")]


class SourceFilter(Table, frozen=True):
    """Filter for the documents that a search may return; `until` and `languages` are for services
    alone. Without a date, a document fails `since`, and without a kind of study `kinds`.
    """

    since: Annotated[Year, Help("only documents from this year on")] | None = None
    kinds: Annotated[
        tuple[StudyKind, ...], Help(f"only these kinds of study: {', '.join(KINDS)}")
    ] = ()
    humans: Annotated[bool, Help("no studies of animals or cells alone")] = False
    preprints: Annotated[bool, Help("whether preprints may be quoted")] = True
    retracted: Annotated[
        bool, Help("also retracted articles and retraction notices, marked in quotations")
    ] = False
    journal: Annotated[str, Help("only journals whose name contains this, ignoring case")] = ""
    until: Annotated[Year, Help("services: only documents up to this year")] | None = None
    languages: Annotated[
        tuple[Language, ...], Help("services: three-letter codes, such as eng,ger")
    ] = ()


ANY_BUT_RETRACTED = SourceFilter()
