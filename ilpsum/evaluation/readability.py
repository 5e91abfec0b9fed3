"""A reader's score of a summary: the share of its sentences without a fault.

Faults are found by rules, the same that make text read well when it is selected (`ilpsum.pipeline.coherence`,
`ilpsum.papers`), so the score finds no fault that has no rule; `experiments/results/readability.md` compares it with
judgments by hand.
"""

import re
from collections import Counter
from collections.abc import Sequence

from features.sentences import is_whole, split_sentences
from ilpsum.errors import InputError
from ilpsum.papers.labels import label_of, without_label
from ilpsum.papers.pointers import points_away, without_pointers
from ilpsum.papers.prose import is_prose, speaks_of_itself
from ilpsum.pipeline.coherence.anaphora import connective, is_anaphoric
from ilpsum.pipeline.coherence.redundancy import redundant_pairs
from ilpsum.records import Topic

FAULTS = ("opener", "fragment", "pointer", "foreign", "duplicate")
"""What makes a sentence hard to read in its place:

- `opener`: it opens with a connective or an expression that only a preceding sentence resolves, and is first or does
  not follow that sentence;
- `fragment`: it is not whole by its form, or begins with a label or a heading's number;
- `pointer`: it holds a citation or points to a figure, a table or something not shown;
- `foreign`: `we` or `this study` in the summary of a paper that does not hold the sentence;
- `duplicate`: three quarters of its content stems are in an earlier sentence, or the reverse.
"""

_OVERLAP = 0.75
_MOST = 2000
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_ENDS = 40  # letters by which a sentence is found in its document


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a summary; a line end ends one."""
    return [" ".join(text[start:end].split()) for start, end in split_sentences(text)]


def faults(text: str, topic: Topic) -> list[tuple[str, ...]]:
    """Return the faults, names of `FAULTS`, of each sentence of a summary of a topic with its documents.

    `InputError` if the text has more sentences than any summary: each is compared with all others.
    """
    sentences = sentences_of(text)
    if len(sentences) > _MOST:
        raise InputError(f"the summary of {topic.id} has {len(sentences)} sentences, expected at most {_MOST}")
    wholes = [_letters(document.text) for document in topic.documents]
    paper = _letters(topic.reference.text) if topic.reference else ""
    repeated = {k for _, k in redundant_pairs(sentences, _OVERLAP)}
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


def readability(text: str, topic: Topic) -> float:
    """Return the share of a summary's sentences without a fault; 0 without a sentence."""
    found = faults(text, topic)
    return sum(not of_sentence for of_sentence in found) / len(found) if found else 0.0


def counted(found: Sequence[tuple[str, ...]]) -> dict[str, int]:
    """Return how many sentences have each fault, in the order of `FAULTS`."""
    counts = Counter(fault for of_sentence in found for fault in of_sentence)
    return {fault: counts[fault] for fault in FAULTS}


def _read(sentence: str) -> str:
    """Return what is judged for its form: pointers are a fault of their own."""
    return without_pointers(without_label(sentence))


def _letters(text: str) -> str:
    """Return the letters of a text without pointers, in lower case."""
    return _NOT_LETTERS.sub("", without_pointers(text)).casefold()
