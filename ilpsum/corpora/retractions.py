"""Retracted articles, and notices of retraction, among the documents of a topic: left out unless they are asked for."""

from collections.abc import Iterable, Sequence

from ilpsum.errors import listed
from ilpsum.records import Document


def quotable(documents: Iterable[Document], *, retracted: bool) -> tuple[tuple[Document, ...], tuple[str, ...]]:
    """Return the documents that may be quoted, and a warning that names the others; `retracted` lets all pass."""
    given = tuple(documents)
    gone = [] if retracted else [each.source or each.id for each in given if not each.publication.is_evidence]
    if not gone:
        return given, ()
    return tuple(each for each in given if each.publication.is_evidence), (left_out_retracted(gone),)


def left_out_retracted(names: Sequence[str]) -> str:
    """Name in one line the retracted articles that were left out."""
    return (
        f"retracted, or a notice of it, so not quoted: {listed(names)} ({len(names)} in all); --retracted quotes them"
    )
