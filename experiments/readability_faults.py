"""Faults of readability: what makes a sentence of a summary hard to read in its context.

The coherence rules of the selection (`ilpsum.pipeline.coherence`, `ilpsum.formats.papers`) detect faults; faults
without a rule are missed; `results/readability.md` compares them with manual judgments.
"""

import re

import numpy as np

from features.sentences import is_whole, split_sentences
from ilpsum.errors import InputError
from ilpsum.formats.papers.headings import label_of, without_label
from ilpsum.formats.papers.prose import is_prose, speaks_of_itself, without_pointers
from ilpsum.pipeline.coherence.anaphora import connective, is_anaphoric
from ilpsum.pipeline.coherence.redundancy import redundant
from ilpsum.records import Topic

FAULTS = ("opener", "fragment", "pointer", "foreign", "duplicate")
"""Faults that make a sentence hard to read in its context:

- `opener`: it opens with a connective or anaphoric expression, but does not follow its antecedent from the source;
- `fragment`: it is not a complete sentence by its form, or begins with a label or section number;
- `pointer`: it contains a citation or refers to a figure, a table or something else that is not shown;
- `foreign`: `we` or `this study`, quoted from a document other than the summarised paper;
- `duplicate`: three quarters of its content stems occur in an earlier sentence, or vice versa.
"""

_OVERLAP = 0.75
_MOST = 2000
_NOT_LETTERS = re.compile(r"[\W\d_]+")
# Signs of a pointer in a text after pointers in brackets were removed.
_POINTERS = re.compile(
    r"\b(?:fig(?:ure)?s?|tables?|eqs?|equations?|sections?|appendix)\.?\s?S?\d|(?<![A-Z])\[\d{1,4}(?:\]|[,–-])|\bet\sal\b|\bdata\snot\sshown\b|\b(?:see|shown|described)\s(?:above|below)\b"
    r"|\bfull\stext\b|\bsupplement(?:ary|al)\s(?:data|fig|tab|mat)",
    re.IGNORECASE,
)  # fmt: skip
_ENDS = 40  # letters compared to locate a sentence in its document


def sentences_of(text: str) -> list[str]:
    """Split a summary into sentences; a line end also ends a sentence."""
    return [" ".join(text[start:end].split()) for start, end in split_sentences(text)]


def faults(text: str, topic: Topic) -> list[tuple[str, ...]]:
    """Return the faults (names in `FAULTS`) of each sentence of a summary; the topic must have its documents.

    `InputError` above 2,000 sentences, since the search for duplicates is quadratic.
    """
    sentences = sentences_of(text)
    if len(sentences) > _MOST:
        raise InputError(f"the summary of {topic.id} has {len(sentences)} sentences, expected at most {_MOST}")
    wholes = [_letters(document.text) for document in topic.documents]
    paper = _letters(topic.reference.text) if topic.reference else ""
    repeated = set(np.flatnonzero(redundant(sentences, _OVERLAP).any(axis=0)).tolist())
    found = []
    for i, sentence in enumerate(sentences):
        before = sentences[i - 1] if i else ""
        checks = {
            "opener": bool(connective(sentence) or is_anaphoric(sentence))
            and not (before and any(_letters(before)[-_ENDS:] + _letters(sentence)[:_ENDS] in w for w in wholes)),
            "fragment": bool(label_of(sentence)) or not is_whole(_read(sentence)) or not is_prose(_read(sentence)),
            "pointer": points_away(sentence),
            "foreign": bool(paper) and speaks_of_itself(sentence) and _letters(sentence)[:_ENDS] not in paper,
            "duplicate": i in repeated,
        }
        found.append(tuple(fault for fault in FAULTS if checks[fault]))
    return found


def points_away(text: str) -> bool:
    """Return whether a sentence contains a citation or a pointer.

    >>> [points_away(text) for text in ("Newts sing [3].", "Figure 2 shows newts.", "Newts sing (as toads).")]
    [True, True, False]
    """
    read, whole = without_pointers(text), " ".join(without_label(text).split())
    return _POINTERS.search(text) is not None or read.casefold() != whole.casefold()


def _read(sentence: str) -> str:
    """Return a sentence without label and pointers, which are separate faults."""
    return without_pointers(without_label(sentence))


def _letters(text: str) -> str:
    """Return the lower-cased letters of a text without pointers."""
    return _NOT_LETTERS.sub("", without_pointers(text)).casefold()
