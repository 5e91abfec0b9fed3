"""What a question asks about its subject, and the words by which a sentence tells it.

Relevance is a match with the subject above all, since the words of an aspect are frequent: many
sentences on a drug say nothing of its mechanism of action. Language models grade such sentences
lower than experts mark them (experiments/results/evidence.md).
"""

import re
from functools import lru_cache
from typing import NamedTuple


class Aspect(NamedTuple):
    """Patterns of lower-case text: of questions for an aspect, and of sentences that tell it."""

    asked: re.Pattern[str]
    told: re.Pattern[str]


def _aspect(asked: str, told: str) -> Aspect:
    """Compile an aspect from the beginnings of words, separated by spaces; `_` ends a word."""
    patterns = []
    for beginnings in (asked, told):
        alternatives = "|".join(beginnings.replace("_", r"\b").split())
        patterns.append(re.compile(rf"\b(?:{alternatives})"))
    return Aspect(*patterns)


ASPECTS = {
    "treatment": _aspect(
        "treat therap manage_ management drugs?_ medicin medicat",
        "treat therap drugs?_ inhibitor approv effective efficac administ respon improv reduc "
        "surg operat manage dos(?:e|age|ing) mg_ vaccin antibod transplant remission relie agonist "
        "supplement trial placebo heal cure benefi superior recover",
    ),
    "mechanism": _aspect(
        "mechanism mode[\\s]of[\\s]action",
        "mechanism inhibit activat block bind acts?_ acting_ action mediat via_ through_ regulat "
        "receptor pathway (?:ant)?agonist induc target suppress prevent enhanc increas decreas",
    ),
    "cause": _aspect(
        "caus(?:e|es|ed)_ a?etiolog reason due_",
        "caus due_ result mutat lead_ leads_ led_ a?etiolog attribut deficien associat induc "
        "trigger responsib factor gene develop aris",
    ),
    "diagnosis": _aspect(
        "diagnos criteri detect tests?_ tested_",
        "diagnos criteri test detect screen biops imag assay sensitiv specific measur level "
        "marker biomarker ultraso scan mri_ ct_ pcr_ finding",
    ),
    "prognosis": _aspect(
        "prognos surviv mortality life[\\s]expectancy",
        "prognos surviv mortal death died dies?_ fatal outcome life recurr",
    ),
    "inheritance": _aspect(
        "inherit",
        "inherit autosom recessive dominant x-linked mitochond famil hereditary",
    ),
    "harm": _aspect(
        "side[\\s-]effects? adverse toxicit safe_ safety tolera harm",
        "side[\\s-]effects? adverse toxic safe tolera harm events?_ complicat discontinu risk "
        "bleed nausea vomit headache dizz fatigue somnolen rash diarrh death died malform miscarr",
    ),
    "dose": _aspect(
        "dos(?:e|es|age|ing)_",
        "\\d[\\d.,]*[\\s-]*(?:mg|g|mcg|ml|iu|units?|mmol)_ dos(?:e|es|age|ing)_",
    ),
    "prevention": _aspect("prevent", "prevent prophyla protect reduc vaccin avoid lower"),
}


@lru_cache(maxsize=8)
def aspects_of(question: str) -> tuple[str, ...]:
    """Return the aspects that a question asks for.

    >>> aspects_of("What is the mechanism of action of velin?")
    ('mechanism',)
    """
    lower = question.lower()
    return tuple(name for name, aspect in ASPECTS.items() if aspect.asked.search(lower))


def tells(question: str, sentence: str) -> bool:
    """Whether a sentence has a word of an aspect that the question asks for; true for a question
    without any.

    >>> question = "What is the mechanism of action of velin?"
    >>> tells(question, "Velin blocks singing."), tells(question, "Velin is a new drug.")
    (True, False)
    """
    asked = aspects_of(question)
    if not asked:
        return True
    lower = sentence.lower()
    return any(ASPECTS[name].told.search(lower) for name in asked)
