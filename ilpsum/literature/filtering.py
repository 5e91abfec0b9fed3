"""Filter documents by publication metadata: which may be retrieved and quoted."""

from collections.abc import Iterable, Sequence

from ilpsum.errors import listed
from ilpsum.files.numbers import whole_number
from ilpsum.records import Document, SourceFilter


def admits(wanted: SourceFilter, document: Document) -> bool:
    """Return whether a document passes a filter.

    Without a study kind, a document is taken as neither a preprint nor an animal study, and it
    fails a filter by kind; without a date, it fails a filter by year.
    """
    published = document.publication
    kinds = published.kinds
    if not (wanted.retracted or published.is_evidence):
        return False
    if wanted.since is not None:
        year = whole_number(document.date[:4])
        if year is None or year < wanted.since:
            return False
    if wanted.kinds and set(wanted.kinds).isdisjoint(kinds):
        return False
    if "preprint" in kinds and not wanted.preprints:
        return False
    if wanted.humans and "animal" in kinds:
        return False
    # A study of cells only.
    if wanted.humans and "in-vitro" in kinds and "Humans" not in published.mesh:
        return False
    return wanted.journal.casefold() in published.journal.casefold()


def missing_metadata(wanted: SourceFilter, documents: Sequence[Document]) -> tuple[str, ...]:
    """Return a notice for each filter that some documents lack the metadata for, with their
    number.
    """
    lacking: dict[str, int] = {}
    for document in documents:
        published = document.publication
        needed = (
            (wanted.since is None or document.date, "name no year, and are left out"),
            (not wanted.kinds or published.kinds, "name no kind of study, and are left out"),
            (
                not wanted.humans or published.kinds or published.mesh,
                "lack MeSH data and may be animal studies",
            ),
            (not wanted.journal or published.journal, "name no journal, and are left out"),
        )
        for value, what in needed:
            lacking[what] = lacking.get(what, 0) + (not value)
    records = f"of {len(documents)} records with words of the question"
    return tuple(f"{number} {records} {what}" for what, number in lacking.items() if number)


def quotable(
    documents: Iterable[Document],
    *,
    retracted: bool,
) -> tuple[tuple[Document, ...], tuple[str, ...]]:
    """Return the documents that may be quoted, and a warning that names the rest; `retracted`
    admits all.
    """
    admitted, refused = list[Document](), list[str]()
    for document in documents:
        if retracted or document.publication.is_evidence:
            admitted.append(document)
        else:
            refused.append(document.source or document.id)
    return tuple(admitted), (retracted_notice(refused),) if refused else ()


def retracted_notice(names: Sequence[str]) -> str:
    """Return the warning that names the retracted articles left out."""
    return (
        f"retracted, or a notice of it, so not quoted: {listed(names)} ({len(names)} in all); "
        "the option retracted quotes them"
    )
