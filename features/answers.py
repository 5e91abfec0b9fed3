"""Features of answers: what the question asks for, and what kinds of things a sentence offers.

The kinds of question overlap (`Which drugs treat ...?` asks for a list and for treatments). They are equal for all
sentences of a topic; boosted trees combine them with what a sentence offers.
"""

import re

import numpy as np

from features.arrays import Floats
from features.context import Context
from features.text import Passage

# What a question asks for, by its wording.
ASKED = {
    "whether": r"^(?:is|are|was|were|do|does|did|can|could|has|have|should|will)\b",
    "list": r"^(?:list|name|enumerate)\b|\b(?:which|what)\b.*s\s+(?:are|were|have|can|cause|treat)\b",
    "definition": r"^(?:what|who)\s+(?:is|are)\s+(?!the\b)|\bdefin(?:e|ition)|^describe\b",
    "reason": r"^(?:how|why|explain)\b|\bmechanism",
    "quantity": r"\bhow\s+(?:many|much|often|long)\b|^when\b|percentage|prevalence|incidence|\b(?:year|rate|dose)\b",
    "treatment": r"treat|drug|therap|inhibitor|medic|vaccin|antibod|manage",
    "molecule": r"\bgene|protein|mutation|enzyme|receptor|hormone|\bmi?rna",
    "disease": r"disease|syndrome|disorder|symptom|cancer",
}
_ASKED = tuple((name, re.compile(pattern)) for name, pattern in ASKED.items())

_NAME = re.compile(r"(?<!^)\b[A-Z][a-z]{2,}\b|\b\w*[A-Z]\w*[A-Z0-9]\w*\b|\b[a-z]+\d+\w*\b")
_NUMBER = re.compile(r"\b\d[\d.,]*%?")
_ENUMERATION = re.compile(r"such as|including|include[sd]?\b|e\.g\.|namely|[:;]|,\s+\S+\s*,\s+\S+", re.IGNORECASE)
_DEFINITION = re.compile(r"\b(?:is|are)\s+(?:an?|the|characteri[sz]ed|defined|caused)\b", re.IGNORECASE)
_TREATMENT = re.compile(r"\b(?:treat|therap|drug|inhibit|approv|efficac|administ)", re.IGNORECASE)
# A definition names what it defines, so its verb comes early.
_EARLY = 120

COLUMNS = (*"names numbers enumerations defines treats".split(), *(f"asks-for-{name}" for name in ASKED))


def asked_for(question: str) -> frozenset[str]:
    """Return the names in `ASKED` of what a question asks for.

    >>> sorted(asked_for("Which drugs treat newt pox?"))
    ['list', 'treatment']
    """
    lowered = " ".join(question.lower().split())
    return frozenset(name for name, pattern in _ASKED if pattern.search(lowered))


def answers(context: Context) -> Floats:
    """Return `COLUMNS`: (n, 13).

    Of each sentence the number of distinct names that the question lacks, of numbers, and of marks of an enumeration,
    whether it defines something and whether it speaks of treatment; then an indicator of each of `ASKED`.
    """
    question, asked = asked_for(context.query.text), frozenset(context.query.stems)
    kinds = [name in question for name in ASKED]
    return np.array([(*_offers(s.text, asked), *kinds) for s in context.sentences], dtype=np.float64)


def _offers(text: str, asked: frozenset[str]) -> tuple[float, ...]:
    names = {name.lower() for name in _NAME.findall(text)}
    return (
        sum(asked.isdisjoint(Passage(name).stems) for name in names),
        len(_NUMBER.findall(text)),
        len(_ENUMERATION.findall(text)),
        bool(_DEFINITION.search(text[:_EARLY])),
        bool(_TREATMENT.search(text)),
    )
