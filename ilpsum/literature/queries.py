"""From a question to queries of a service: names and rare words first, relaxed step by step.

1. The words of the question, without stop words and words that only instruct (`list`, `describe`), are its terms; what
   stands in quotes is one term. The eight with the greatest weight are used: the IDF over biomedical texts
   (`ilpsum.io.idf`), plus 3 for a name (a capital inside, a digit, a capital within a sentence, quotes), plus 2 for a
   word that occurs in names of MeSH. The weights were chosen by `experiments/literature_queries.py`.
2. The first query asks for all of them. Words that are neighbours in the question stay neighbours, so that a service
   can recognise a phrase; the others are joined by AND.
3. Each further query leaves out the term with the least weight, down to two. The last asks for either of these.

A query of a service's own language is passed on as it is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from features.text import STOP_WORDS
from ilpsum.io.idf import load_idf
from ilpsum.retrieval.analysis import terms as analysed
from ilpsum.retrieval.synonyms import known_terms

MOST_TERMS = 8
"""The most terms that a query has."""
NAME, MESH = 3.0, 2.0
"""What a name and a word of MeSH weigh more than another word."""

# Words that say what to do, or that fit any question.
_IDLE = frozenset(
    "list please name describe define explain give mention summarize summarise provide yes enumerate discuss elaborate "
    "use used using effect effects role known there cause causes help helps work works happen happens best".split()
)
_TERM = re.compile(r'"(?P<quoted>[^"]{1,200})"|(?P<word>[^\W_]+(?:[-‐‑–\'’.][^\W_]+)*)')
_POSSESSIVE = re.compile(r"['’]s$")
_UNSAFE = re.compile(r"[^\w\s'’.,/+-]+")


@dataclass(frozen=True, slots=True)
class Term:
    """A word or quoted phrase of a question.

    Attributes:
        text: as it is asked for.
        weight: the more, the later it is left out.
        joined: whether it follows the term before without a word or a stop between.
    """

    text: str
    weight: float
    joined: bool


def queries(question: str) -> list[str]:
    """Return the queries for a question, from the strictest to the loosest; none if it has only stop words.

    >>> queries("Can valproate be used during pregnancy?")
    ['valproate AND pregnancy', 'valproate OR pregnancy']
    >>> queries('How does gentamicin kill kidney cells?')[:2]
    ['gentamicin kill kidney cells', 'gentamicin kill kidney']
    """
    found = terms(question)
    by_weight = sorted(range(len(found)), key=lambda i: (found[i].weight, -i), reverse=True)[:MOST_TERMS]
    asked = [_joined(found, sorted(by_weight[:number])) for number in range(len(by_weight), 1, -1)]
    loosest = " OR ".join(found[i].text for i in sorted(by_weight[:2]))
    return [*asked, loosest] if loosest else []


def terms(question: str) -> list[Term]:
    """Return the terms of a question, each once, in its order."""
    return list({term.text.lower(): term for term in reversed(list(_terms(question)))}.values())[::-1]


def _terms(question: str) -> Iterator[Term]:
    last, opens = -1, True
    for match in _TERM.finditer(question):
        between = question[last:match.start()] if last >= 0 else ""
        opens = opens or bool(re.search(r"[.?!:]\s", between))
        if quoted := " ".join(_UNSAFE.sub(" ", match["quoted"] or "").split()):
            yield Term(f'"{quoted}"', _weight(quoted, name=True), joined=False)
            last = -1
        elif match["word"]:
            word = _POSSESSIVE.sub("", match["word"])
            if word.lower() in STOP_WORDS or word.lower() in _IDLE or (len(word) == 1 and not word.isdigit()):
                last = -1
            else:
                name = any(c.isupper() or c.isdigit() for c in word[1:]) or (word[0].isupper() and not opens)
                yield Term(word, _weight(word, name=name), joined=last >= 0 and not between.strip())
                last = match.end()
        opens = False


def _weight(term: str, *, name: bool) -> float:
    parts = analysed(term)
    in_mesh = bool(parts) and known_terms().issuperset(parts)
    return load_idf()(term) + NAME * name + MESH * in_mesh


def _joined(found: list[Term], chosen: list[int]) -> str:
    text, before = "", -2
    for i in chosen:
        text += (" " if found[i].joined and before == i - 1 else " AND " if text else "") + found[i].text
        before = i
    return text
