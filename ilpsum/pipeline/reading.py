"""The reading of a searched document: its sentences, and what they state and offer, which no
question changes.

An index stores the reading of each abstract, and a process keeps those of recent documents, so a
question pays only for what depends on it.
"""

import re
import zlib
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from features.answer_cues import AnswerCues, cues_of
from ilpsum.papers import layout, prose
from ilpsum.pipeline.coherence.statements import roles_in, serves_reader
from ilpsum.pipeline.terms import terms
from ilpsum.records import Document, Sentence

# Recent readings take some 20 kB each.
_MOST = 1 << 10
# Of a document with more characters, only the candidates are read, not all sentences.
_LONGEST = 1 << 17

# E-mail addresses and copyright lines, which publishers append to abstracts.
_NOTICE = re.compile(
    r"\w@\w[\w-]*\.\w|©|\(c\)\s?(?:19|20)\d\d|\ball\srights\sreserved\b|^\W*copyright\b",
    re.IGNORECASE,
)


class Row(NamedTuple):
    """The reading of a sentence.

    Attributes:
        roles: probabilities of `features.matching.ROLES`.
        terms: separated by spaces.
        cues: what it offers an answer.
        serves: whether it is informative on its own (`serves_reader`).
    """

    roles: tuple[float, float, float, float, float]
    terms: str
    cues: AnswerCues
    serves: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """The sentences of a document that may be candidates, without addresses, copyright lines,
    labels and pointers.

    Attributes:
        sentences: with broken characters repaired.
        rows: the reading of each.
        terms: the terms of the document, separated by spaces.
    """

    sentences: tuple[Sentence, ...]
    rows: tuple[Row, ...]
    terms: str


# Text, start, end, words and section of each sentence, and its reading.
_Stored = tuple[list[tuple[str, int, int, int, str]], tuple[Row, ...]]
_recent: OrderedDict[Document, Reading] = OrderedDict()


def reading_of(document: Document) -> Reading:
    """Return the reading of a searched document; recent ones are kept."""
    return _recent.get(document) or keep(document, read(document))


def keep(document: Document, reading: Reading) -> Reading:
    """Keep a document's reading for `reading_of`, and return it."""
    _recent[document] = reading
    while len(_recent) > _MOST:
        _recent.popitem(last=False)
    return reading


def read(document: Document) -> Reading:
    """Read a document."""
    mended = map(prose.mended, layout.sentences(document))
    kept = [s for s in mended if not is_notice(s.text)]
    sentences = tuple(prose.changed(s, prose.without_pointers(s.text)) for s in kept)
    return Reading(sentences, _rows(document, sentences), " ".join(terms(document.text)))


def _rows(document: Document, sentences: Sequence[Sentence]) -> tuple[Row, ...]:
    rows = []
    roles = roles_in(document, sentences).tolist()
    for s, of_sentence in zip(sentences, roles, strict=True):
        words = " ".join(terms(s.text))
        rows.append(Row(tuple(of_sentence), words, cues_of(s.text), serves_reader(s)))
    return tuple(rows)


def rows_of(documents: Iterable[Document], sentences: Sequence[Sentence]) -> list[Row]:
    """Return the reading of each candidate. Those missing from their document's reading are read
    together, since each call takes a pass over the document's text.
    """
    rows = dict[tuple[str, int, str], Row]()
    by_document = defaultdict[str, list[Sentence]](list)
    for s in sentences:
        by_document[s.document].append(s)
    for document in documents:
        if _is_read(document):
            reading = reading_of(document)
            rows |= zip(map(_key, reading.sentences), reading.rows, strict=True)
        unread = [s for s in by_document[document.id] if _key(s) not in rows]
        if unread:
            rows |= zip(map(_key, unread), _rows(document, unread), strict=True)
    return [rows[_key(s)] for s in sentences]


def _key(sentence: Sentence) -> tuple[str, int, str]:
    return sentence.document, sentence.start, sentence.text


def terms_of(document: Document) -> list[str]:
    """Return the terms of a document."""
    return reading_of(document).terms.split() if _is_read(document) else terms(document.text)


def _is_read(document: Document) -> bool:
    """Return whether a document is read as a whole: it was already, or it is worth keeping."""
    is_short = document.role == "source" and len(document.text) <= _LONGEST
    return is_short or document in _recent


def is_notice(text: str) -> bool:
    """Whether a sentence is an address or a copyright line.

    >>> is_notice("Copyright 2012 by the Newt Society."), is_notice("Newts sing.")
    (True, False)
    """
    return _NOTICE.search(text) is not None


def packed(document: Document, reading: Reading) -> bytes:
    """Return a reading as bytes, compressed against the document and its terms."""
    sentences = [(s.text, s.start, s.end, s.words, s.section) for s in reading.sentences]
    plain = msgspec.msgpack.encode((sentences, reading.rows))
    dictionary = _dictionary(document, reading.terms)
    packing = zlib.compressobj(wbits=-zlib.MAX_WBITS, zdict=dictionary)
    return packing.compress(plain) + packing.flush()


def unpacked(document: Document, terms: str, data: bytes) -> Reading:
    """Return the reading that `packed` made; `ValueError` if the bytes are damaged."""
    unpacking = zlib.decompressobj(wbits=-zlib.MAX_WBITS, zdict=_dictionary(document, terms))
    try:
        plain = unpacking.decompress(data)
    except zlib.error as error:
        raise ValueError(error) from None
    if not unpacking.eof:
        raise ValueError("the reading is cut off")
    sentences, rows = msgspec.msgpack.decode(plain, type=_Stored)
    return Reading(tuple(Sentence(of[0], document.id, *of[1:]) for of in sentences), rows, terms)


def _dictionary(document: Document, terms: str) -> bytes:
    return f"{terms} {document.text}".encode()
