"""Records of one article from several sources are one document: the fullest record, and what the others add to it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import msgspec

from ilpsum.io.identifiers import ids_of
from ilpsum.records import Document, Publication

# Shorter titles (`Editorial`, `Reply`) name no article.
_FEWEST_LETTERS = 25
_NO_LETTER = re.compile(r"[\W_]+")


def keys_of(document: Document) -> tuple[str, ...]:
    """Return the names by which other records of the same article can be found: identifiers, and title with year.

    Texts without marked sections, which are no records, have none.
    """
    if not document.sections:
        return ()
    title = _NO_LETTER.sub("", document.title.casefold())
    by_title = f"{document.date[:4]} {title}" if len(title) >= _FEWEST_LETTERS and document.date else ""
    return tuple(dict.fromkeys(filter(None, (document.id, *ids_of(document.publication), by_title))))


def grouped(documents: Sequence[Document]) -> list[list[int]]:
    """Return the indices of the records of each article, in order; records that share a key are of one article.

    Equal titles of one year do not join records with different PMIDs or different DOIs: a preprint and its article.
    """
    groups: list[list[int]] = []
    group_of: dict[str, list[int]] = {}
    for i, document in enumerate(documents):
        keys = keys_of(document)
        found = next((group_of[key] for key in keys if key in group_of), None)
        if found is None or any(_differ(documents[other].publication, document.publication) for other in found):
            found = []
            groups.append(found)
        found.append(i)
        for key in keys:
            group_of.setdefault(key, found)
    return groups


def united(records: Iterable[Document]) -> Document:
    """Return the fullest of the records of an article, with what the others add on its publication.

    Of equally long texts the first counts. A notice in any of them counts.
    """
    ordered = sorted(records, key=lambda record: -len(record.text))
    best = ordered[0]
    if all(record.publication == best.publication for record in ordered):
        return best
    added = {
        name: next((value for record in ordered if (value := getattr(record.publication, name))), empty)
        for name, empty in msgspec.structs.asdict(Publication()).items()
    }
    publication = Publication(**added)
    return replace(best, id=publication.pmid or best.id, date=best.date or ordered[-1].date, publication=publication)


def _differ(one: Publication, other: Publication) -> bool:
    """Return whether two publications have different PMIDs, or different DOIs and no common PMID."""
    if one.pmid and other.pmid:
        return one.pmid != other.pmid
    return bool(one.doi and other.doi and one.doi != other.doi)
