"""Duplicate detection: records of the same article, and equal topics.

Records of an article from several sources become one document: the fullest record, completed by the others.
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
    """Return the keys by which records of the same article are matched: identifiers, and year with title.

    Texts without marked sections are not records and have no keys.
    """
    if not document.sections:
        return ()
    title = _NO_LETTER.sub("", document.title.casefold())
    by_title = f"{document.date[:4]} {title}" if len(title) >= _FEWEST_LETTERS and document.date else ""
    return tuple(dict.fromkeys(filter(None, (document.id, *ids_of(document.publication), by_title))))


def grouped(documents: Sequence[Document]) -> list[list[int]]:
    """Group records by article and return the indices of each group, in order; a shared key joins records.

    Records with different PMIDs, or with different DOIs, stay apart despite equal titles: a preprint, its article.
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
    """Return the fullest record of an article, with publication metadata completed from the others.

    Of equally long texts the first is used. A retraction notice in any record counts.
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


def topic_digest(topic: Topic, *, gold: bool = False) -> str:
    """Return a digest of a topic's query, documents and citances, as 16 hexadecimal digits.

    `gold` includes the gold summaries, as for training and evaluation, and the exact answers on which models of
    searched topics are trained. Excluded are the id, source files, publication metadata, the reader's warnings and
    retrieval scores.
    """
    documents = [{name: getattr(document, name) for name in _OF_DOCUMENT} for document in topic.documents]
    content = (topic.query, documents, topic.citances, *([topic.summaries] if gold else []))
    if gold and topic.search:
        content += (topic.answers,)
    return hashlib.blake2b(msgspec.msgpack.encode(content), digest_size=8).hexdigest()
