"""What the candidates of any question take from a searched document: its sentences, their roles and terms.

An index stores the reading of each abstract, and a process keeps those of recent documents, so that a question pays
only for what it alone decides.
"""

import re
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from features.arrays import Floats
from features.matching import ROLES
from ilpsum.formats.papers import layout, prose
from ilpsum.pipeline.coherence.statements import roles_in
from ilpsum.pipeline.terms import terms
from ilpsum.records import Document, Sentence

# Recent readings take some 20 kB each.
_MOST = 1 << 10

# E-mail addresses and copyright lines, which publishers append to abstracts.
_NOTICE = re.compile(
    r"\w@\w[\w-]*\.\w|©|\(c\)\s?(?:19|20)\d\d|\ball\srights\sreserved\b|^\W*copyright\b", re.IGNORECASE
)

Roles = tuple[float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Reading:
    """The n sentences of a document that may be candidates, without addresses, copyright lines, labels and pointers.

    Attributes:
        sentences: with broken characters repaired.
        roles: (n, 5) probabilities of `features.matching.ROLES`.
        terms: the terms of each sentence, separated by spaces.
        whole: the terms of the document, separated by spaces.
    """

    sentences: tuple[Sentence, ...]
    roles: tuple[Roles, ...]
    terms: tuple[str, ...]
    whole: str


# Text, start, end, words and section of each sentence; roles; terms.
_Rows = tuple[list[tuple[str, int, int, int, str]], tuple[Roles, ...], tuple[str, ...]]
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
    mended = [s for s in map(prose.mended, layout.sentences(document)) if not is_notice(s.text)]
    sentences = tuple(changed(s, prose.without_pointers(s.text)) for s in mended)
    roles = msgspec.convert(roles_in(document, sentences).tolist(), tuple[Roles, ...])
    return Reading(sentences, roles, tuple(" ".join(terms(s.text)) for s in sentences), " ".join(terms(document.text)))


def rows_of(documents: Iterable[Document], sentences: Sequence[Sentence]) -> tuple[Floats, list[str]]:
    """Return the (n, 5) roles and the terms of n candidates; those that no reading has are read one by one."""
    named = {document.id: document for document in documents}
    known = dict[tuple[str, int, str], tuple[Sequence[float], str]]()
    for document in named.values():
        if document.role == "source":
            of = reading_of(document)
            places = ((s.document, s.start, s.text) for s in of.sentences)
            known |= zip(places, zip(of.roles, of.terms, strict=True), strict=True)
    rows = [known.get((s.document, s.start, s.text)) or _row(named[s.document], s) for s in sentences]
    return np.array([roles for roles, _ in rows]).reshape(len(rows), len(ROLES)), [held for _, held in rows]


def _row(document: Document, sentence: Sentence) -> tuple[Sequence[float], str]:
    return roles_in(document, [sentence])[0].tolist(), " ".join(terms(sentence.text))


def terms_of(document: Document) -> list[str]:
    """Return the terms of a document."""
    return reading_of(document).whole.split() if document.role == "source" else terms(document.text)


def is_notice(text: str) -> bool:
    """Whether a sentence is an address or a copyright line.

    >>> is_notice("Copyright 2012 by the Newt Society."), is_notice("Newts sing.")
    (True, False)
    """
    return _NOTICE.search(text) is not None


def changed(sentence: Sentence, text: str) -> Sentence:
    """Return a sentence with its displayed text replaced and its span unchanged."""
    return sentence if text == sentence.text else replace(sentence, text=text, words=len(text.split()))


def packed(document: Document, reading: Reading) -> bytes:
    """Return a reading as bytes, without what the document and its terms hold."""
    sentences = [(s.text, s.start, s.end, s.words, s.section) for s in reading.sentences]
    packing = zlib.compressobj(wbits=-zlib.MAX_WBITS, zdict=_known(document, reading.whole))
    return packing.compress(msgspec.msgpack.encode((sentences, reading.roles, reading.terms))) + packing.flush()


def unpacked(document: Document, whole: str, data: bytes) -> Reading:
    """Return the reading that `packed` made; `ValueError` if the bytes are damaged."""
    try:
        unpacking = zlib.decompressobj(wbits=-zlib.MAX_WBITS, zdict=_known(document, whole))
        sentences, roles, held = msgspec.msgpack.decode(unpacking.decompress(data), type=_Rows)
    except zlib.error as error:
        raise ValueError(error) from None
    return Reading(tuple(Sentence(of[0], document.id, *of[1:]) for of in sentences), roles, held, whole)


def _known(document: Document, whole: str) -> bytes:
    return f"{whole} {document.text}".encode()
