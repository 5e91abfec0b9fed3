"""Duplicate detection: records of the same article, and equal topics.

Records of an article from several sources become one document: the fullest record, completed by the
others.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import fields as fields_of
from dataclasses import replace
from typing import Any

import msgspec

from features.folding import folded
from features.text import words
from ilpsum.files.identifiers import ids_of
from ilpsum.records import Document, Publication, Topic

# Shorter titles (`Editorial`, `Reply`) do not identify an article.
_FEWEST_LETTERS = 25
_NO_LETTER = re.compile(r"[\W_]+")
# A minus sign after a name, as in `HER2- newts`, is no hyphen.
_MINUS = re.compile(r"(?<=\w)-(?!\w)")
_FIRST_PAGE = re.compile(r"\w+")
# Minimum share of the words of the shorter abstract that the other has, too.
_ALIKE = 0.6
# Document fields in a digest: content, not publication.
_OF_DOCUMENT = [field.name for field in fields_of(Document) if field.name != "publication"]


def keys_of(document: Document) -> tuple[str, ...]:
    """Return the keys that records of an article share: identifiers, and year with title; only
    records have keys.
    """
    if not document.sections:
        return ()
    title = _of_title(document.title)
    by_title = (
        f"{document.date[:4]} {title}" if len(title) >= _FEWEST_LETTERS and document.date else ""
    )
    return tuple(
        dict.fromkeys(filter(None, (document.id, *ids_of(document.publication), by_title)))
    )


def grouped(documents: Sequence[Document]) -> list[list[int]]:
    """Group records by article and return the indices of each group, in order; a shared key joins
    records.

    Records with different PMIDs or DOIs stay apart, for example a preprint and its article. So do
    records with one title that contradict each other in pages or abstract, for example abstracts
    of a meeting.
    """
    groups: list[_Group] = []
    group_of: dict[str, _Group] = {}
    for i, document in enumerate(documents):
        keys = keys_of(document)
        near = (group_of[key] for key in keys if key in group_of)
        group = next((group for group in near if group.admits(document)), None)
        if group is None:
            group = _Group(document)
            groups.append(group)
        group.add(i, document.publication)
        for key in keys:
            group_of.setdefault(key, group)
    return [group.indices for group in groups]


def _of_title(title: str) -> str:
    """Return the letters and digits of a title, and the signs that are not hyphens within words.

    >>> _of_title("HER2+ newts"), _of_title("HER2- newts"), _of_title("HER-2 newts")
    ('her2plusnewts', 'her2minusnewts', 'her2newts')
    """
    signed = _MINUS.sub(" minus ", folded(title).replace("+", " plus "))
    return _NO_LETTER.sub("", signed.casefold())


class _Group:
    """Records of an article: their indices, its first record, its PMID and its DOI."""

    def __init__(self, first: Document) -> None:
        self.indices = list[int]()
        self._first, self._pmid, self._doi = first, "", ""

    def admits(self, other: Document) -> bool:
        """Return whether a record is of the same article."""
        one = other.publication
        pairs = (self._pmid, one.pmid), (self._doi, one.doi)
        if any(mine and theirs and mine != theirs for mine, theirs in pairs):
            return False
        ids = {self._first.id, self._pmid, self._doi, *ids_of(self._first.publication)} - {""}
        return not ids.isdisjoint((other.id, *ids_of(one))) or not _contradict(self._first, other)

    def add(self, index: int, one: Publication) -> None:
        self.indices.append(index)
        self._pmid, self._doi = self._pmid or one.pmid, self._doi or one.doi


def _contradict(one: Document, other: Document) -> bool:
    """Return whether records with one title and year have other first pages or other abstracts."""
    pages = [_FIRST_PAGE.search(record.publication.pages) for record in (one, other)]
    if len({page[0] for page in pages if page}) > 1:
        return True
    said = [set(words(record.text[len(record.title) :])) for record in (one, other)]
    fewer = min(map(len, said))
    return fewer > 0 and len(said[0] & said[1]) < _ALIKE * fewer


def united(records: Iterable[Document]) -> Document:
    """Return the fullest record of an article, with publication metadata completed from the others.

    Of equally long texts the first is used. A retraction notice in any record counts.
    """
    ordered = sorted(records, key=lambda record: -len(record.text))
    best = ordered[0]
    if all(record.publication == best.publication for record in ordered):
        return best
    fields: dict[str, Any] = {}
    for name in Publication.__struct_fields__:
        values = (getattr(record.publication, name) for record in ordered)
        if value := next(filter(None, values), None):
            fields[name] = value
    publication = Publication(**fields)
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
