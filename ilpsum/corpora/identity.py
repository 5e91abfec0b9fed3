"""When two records are of one article, and when two topics are the same.

Records of one article from several sources are one document: the fullest record, and what the others add to it.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace

import msgspec

from ilpsum.io.identifiers import ids_of
from ilpsum.records import Document, Publication, Topic

# Shorter titles (`Editorial`, `Reply`) name no article.
_FEWEST_LETTERS = 25
_NO_LETTER = re.compile(r"[\W_]+")
# What a digest of a document has: what it says, not where it was published.
_OF_DOCUMENT = [field.name for field in fields(Document) if field.name != "publication"]


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


def topic_digest(topic: Topic, *, gold: bool = False) -> str:
    """Return a digest of a topic's question, documents and citances, as 16 hexadecimal digits.

    `gold` includes its gold summaries, as for training and evaluation, and the exact answers that models of searched
    topics are trained on. Its id, the files it was read from, where its documents were published, the reader's warnings
    and the scores of a search have no part in it.
    """
    documents = [{name: getattr(document, name) for name in _OF_DOCUMENT} for document in topic.documents]
    content = (topic.query, documents, topic.citances, *([topic.summaries] if gold else []))
    if gold and topic.search:
        content += (topic.answers,)
    return hashlib.blake2b(msgspec.msgpack.encode(content), digest_size=8).hexdigest()
