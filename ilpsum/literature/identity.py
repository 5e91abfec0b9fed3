"""Duplicate detection: records of the same article, and equal topics.

Records of an article from several sources become one document: the fullest record, completed by the
others.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace

import msgspec

from ilpsum.files.identifiers import ids_of
from ilpsum.records import Document, Publication, Topic

# Shorter titles (`Editorial`, `Reply`) do not identify an article.
_FEWEST_LETTERS = 25
_NO_LETTER = re.compile(r"[\W_]+")
# Document fields in a digest: content, not publication.
_OF_DOCUMENT = [field.name for field in fields(Document) if field.name != "publication"]


def keys_of(document: Document) -> tuple[str, ...]:
    """Return the keys that records of an article share: identifiers, and year with title; only
    records have keys.
    """
    if not document.sections:
        return ()
    title = _NO_LETTER.sub("", document.title.casefold())
    by_title = (
        f"{document.date[:4]} {title}" if len(title) >= _FEWEST_LETTERS and document.date else ""
    )
    return tuple(
        dict.fromkeys(filter(None, (document.id, *ids_of(document.publication), by_title)))
    )


def grouped(documents: Sequence[Document]) -> list[list[int]]:
    """Group records by article and return the indices of each group, in order; a shared key joins
    records.

    Records with different PMIDs, or with different DOIs, stay apart despite equal titles: a
    preprint, its article.
    """
    groups: list[_Group] = []
    group_of: dict[str, _Group] = {}
    for i, document in enumerate(documents):
        keys = keys_of(document)
        found = next((group_of[key] for key in keys if key in group_of), None)
        if found is None or not found.admits(document.publication):
            found = _Group()
            groups.append(found)
        found.add(i, document.publication)
        for key in keys:
            group_of.setdefault(key, found)
    return [group.indices for group in groups]


class _Group:
    """Records of an article: their indices, its PMID, and the DOIs of all records and of those
    without a PMID.
    """

    def __init__(self) -> None:
        self.indices = list[int]()
        self._pmid, self._dois, self._without_pmid = "", set[str](), set[str]()

    def admits(self, one: Publication) -> bool:
        """Return whether no record has another PMID, or another DOI and no common PMID."""
        if one.pmid and self._pmid not in ("", one.pmid):
            return False
        others = self._without_pmid if one.pmid else self._dois
        return not one.doi or others <= {one.doi}

    def add(self, index: int, one: Publication) -> None:
        self.indices.append(index)
        self._pmid = self._pmid or one.pmid
        if one.doi:
            self._dois.add(one.doi)
            if not one.pmid:
                self._without_pmid.add(one.doi)


def united(records: Iterable[Document]) -> Document:
    """Return the fullest record of an article, with publication metadata completed from the others.

    Of equally long texts the first is used. A retraction notice in any record counts.
    """
    ordered = sorted(records, key=lambda record: -len(record.text))
    best = ordered[0]
    if all(record.publication == best.publication for record in ordered):
        return best
    added = {
        name: next(
            (value for record in ordered if (value := getattr(record.publication, name))), empty
        )
        for name, empty in msgspec.structs.asdict(Publication()).items()
    }
    publication = Publication(**added)
    return replace(
        best,
        id=publication.pmid or best.id,
        date=best.date or ordered[-1].date,
        publication=publication,
    )


def topic_digest(topic: Topic, *, gold: bool = False) -> str:
    """Return a digest of a topic's query, documents and citances, as 16 hexadecimal digits.

    `gold` includes the gold summaries and, in searched topics, the exact answers, on which models
    are trained.
    """
    documents = [
        {name: getattr(document, name) for name in _OF_DOCUMENT} for document in topic.documents
    ]
    content = (topic.query, documents, topic.citances, *([topic.summaries] if gold else []))
    if gold and topic.search:
        content += (topic.answers,)
    return hashlib.blake2b(msgspec.msgpack.encode(content), digest_size=8).hexdigest()
