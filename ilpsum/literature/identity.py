"""Duplicate detection: records of the same article, and equal topics.

Records of an article from several sources become one document: the fullest record, completed by the
others.
"""

import hashlib
import re
from collections import defaultdict
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
# Groups of one key with which another is compared.
_MOST_APART = 100
# Document fields in a digest: content, not publication.
_OF_DOCUMENT = [field.name for field in fields_of(Document) if field.name != "publication"]


def keys_of(document: Document) -> tuple[str, ...]:
    """Return the keys that records of an article share: identifiers, and year with title; only
    records have keys.
    """
    if not document.sections:
        return ()
    keys = (document.id, *ids_of(document.publication), _title_key(document))
    return tuple(dict.fromkeys(filter(None, keys)))


def _title_key(document: Document) -> str:
    """Return year and title as a key; empty if the title is too short or the year unknown."""
    title = _of_title(document.title)
    is_telling = len(title) >= _FEWEST_LETTERS and document.date
    return f"{document.date[:4]} {title}" if is_telling else ""


def grouped(documents: Sequence[Document]) -> list[list[int]]:
    """Group records by article and return the indices of each group, in order of their first.

    A shared key joins records, identifiers before titles: groups are the connected components,
    whatever the order of the records, except that records with different PMIDs or DOIs stay apart,
    for example a preprint and its article. So do records with one title that contradict each other
    in pages or abstract, for example abstracts of a meeting.
    """
    by_id, by_title = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for i, document in enumerate(documents):
        title = _title_key(document)
        for key in keys_of(document):
            (by_title if key == title else by_id)[key].append(i)
    group_of = [_Group(i, document) for i, document in enumerate(documents)]
    for holders in (by_id, by_title):
        for key in sorted(holders):
            _join(holders[key], documents, group_of, is_title=holders is by_title)
    groups = {id(group): group for group in group_of}
    return sorted(sorted(group.indices) for group in groups.values())


def _join(
    holders: list[int],
    documents: Sequence[Document],
    group_of: list["_Group"],
    *,
    is_title: bool,
) -> None:
    """Join the groups of the records that hold a key, as far as they are of one article."""
    if len(holders) < 2:
        return
    # The order of records decides nothing.
    holders = sorted(holders, key=lambda i: _content(documents[i]))
    apart: list[_Group] = []
    for i in holders:
        group = group_of[i]
        if any(group is other for other in apart):
            continue
        for other in apart[:_MOST_APART]:
            if other.admits(group, is_title=is_title):
                other.add(group)
                for index in group.indices:
                    group_of[index] = other
                break
        else:
            apart.append(group)


def _content(document: Document) -> tuple[str, ...]:
    publication = document.publication
    return publication.pmid, publication.doi, publication.pages, document.id, document.text


def _of_title(title: str) -> str:
    """Return the letters and digits of a title, and the signs that are not hyphens within words.

    >>> _of_title("HER2+ newts"), _of_title("HER2- newts"), _of_title("HER-2 newts")
    ('her2plusnewts', 'her2minusnewts', 'her2newts')
    """
    signed = _MINUS.sub(" minus ", folded(title).replace("+", " plus "))
    return _NO_LETTER.sub("", signed.casefold())


class _Group:
    """Records of an article: their indices, a first record, and the PMID and the DOI."""

    def __init__(self, index: int, first: Document) -> None:
        self.indices = [index]
        self._first = first
        self._pmid, self._doi = first.publication.pmid, first.publication.doi

    def admits(self, other: "_Group", *, is_title: bool) -> bool:
        """Return whether another group is of the same article, if they share a title or else an
        identifier.
        """
        pairs = (self._pmid, other._pmid), (self._doi, other._doi)
        if any(mine and theirs and mine != theirs for mine, theirs in pairs):
            return False
        return not (is_title and _contradict(self._first, other._first))

    def add(self, other: "_Group") -> None:
        """Add the records of another group."""
        self.indices += other.indices
        self._pmid, self._doi = self._pmid or other._pmid, self._doi or other._doi


def _contradict(one: Document, other: Document) -> bool:
    """Return whether records with one title and year have other first pages or other abstracts."""
    pages = [_FIRST_PAGE.search(record.publication.pages) for record in (one, other)]
    if len({page[0] for page in pages if page}) > 1:
        return True
    texts = [set(words(record.text[len(record.title) :])) for record in (one, other)]
    fewer = min(map(len, texts))
    return fewer > 0 and len(texts[0] & texts[1]) < _ALIKE * fewer


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
