"""Turn a question into queries for a service: names and rare words first, relaxed step by step.

1. The terms are the words of the question without stop words and instruction words (`list`, `describe`); a quoted
   phrase is one term. The eight terms with the greatest weight are used. The weight is the IDF over biomedical texts
   (`ilpsum.files.idf`), plus 3 for a name (an inner capital, a digit, a capital in a sentence, quotes), plus 2 for a
   word that occurs in MeSH names. The weights were chosen by `experiments/literature_queries.py`.
2. The first query requires all terms. Adjacent words of the question stay adjacent, so that a service can recognise a
   phrase; other terms are joined by AND.
3. Each further query drops the term with the least weight, down to two. The last requires only one of these two.

A query in a service's own language is passed on unchanged.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from features.text import STOP_WORDS
from ilpsum.answers.alternatives import known_terms
from ilpsum.answers.answerability import INSTRUCTIONS
from ilpsum.files.idf import load_idf
from ilpsum.pipeline.terms import terms as analysed

# Maximum number of terms in a query.
MOST_TERMS = 8
# Bonus weights of a name and of a MeSH word.
NAME, MESH = 3.0, 2.0

# Words that give an instruction, or that fit any question.
_IDLE = INSTRUCTIONS | set(
    "use used using effect effects role known there cause causes help helps work works happen happens best".split()
)
_TERM = re.compile(r'"(?P<quoted>[^"]{1,200})"|(?P<word>[^\W_]+(?:[-‐‑–\'’.][^\W_]+)*)')
_POSSESSIVE = re.compile(r"['’]s$")
_UNSAFE = re.compile(r"[^\w\s'’.,/+-]+")


@dataclass(frozen=True, slots=True)
class Term:
    """A word or quoted phrase of a question.

    Attributes:
        text: the term as it is sent.
        place: position in the question; positions of adjacent words differ by one.
        weight: terms with the least weight are dropped first.
    """

    text: str
    place: int
    weight: float


def queries(question: str) -> list[str]:
    """Return the queries for a question, from the strictest to the loosest; none if it has only stop words.

    >>> queries("Can valproate be used during pregnancy?")
    ['valproate AND pregnancy', 'valproate OR pregnancy']
    >>> queries("How does gentamicin kill kidney cells?")[:2]
    ['gentamicin kill kidney cells', 'gentamicin kill kidney']
    """
    found = sorted(terms(question), key=lambda term: (-term.weight, term.place))[:MOST_TERMS]
    loosest = " OR ".join(term.text for term in _in_order(found[:2]))
    return [*(_joined(_in_order(found[:number])) for number in range(len(found), 1, -1)), *filter(None, [loosest])]


def terms(question: str) -> list[Term]:
    """Return the distinct terms of a question, in order."""
    found, place, end, opens = dict[str, Term](), 0, -1, True
    for match in _TERM.finditer(question):
        between = question[end : match.start()] if end >= 0 else question[: match.start()]
        opens = end < 0 or re.search(r"[.?!:]\s", between) is not None
        # Adjacent words have only white space between them.
        place, end = place + (1 if end >= 0 and between.isspace() else 2), match.end()
        if quoted := " ".join(_UNSAFE.sub(" ", match["quoted"] or "").split()):
            place += 1
            found.setdefault(quoted.lower(), Term(f'"{quoted}"', place, _weight(quoted, name=True)))
            place += 1
        elif word := _POSSESSIVE.sub("", match["word"] or ""):
            lower, letter = word.lower(), len(word) == 1 and not word.isdigit()
            if lower in STOP_WORDS or lower in _IDLE or letter:
                place += 1
                continue
            name = any(c.isupper() or c.isdigit() for c in word[1:]) or (word[0].isupper() and not opens)
            found.setdefault(lower, Term(word, place, _weight(word, name=name)))
    return list(found.values())


def _weight(term: str, *, name: bool) -> float:
    parts = analysed(term)
    in_mesh = bool(parts) and known_terms().issuperset(parts)
    return load_idf()(term) + NAME * name + MESH * in_mesh


def _in_order(found: Iterable[Term]) -> list[Term]:
    return sorted(found, key=lambda term: term.place)


def _joined(found: list[Term]) -> str:
    pairs = zip([None, *found], found, strict=False)
    return "".join(
        term.text if before is None else (" " if term.place == before.place + 1 else " AND ") + term.text
        for before, term in pairs
    )
