"""What a question asks for besides its subject, and whether an answer gives it.

An answer on the right subject may say something else: what a drug is, and none of its side effects.
In BioASQ, the experts' snippets give what is asked for in 819 of 837 such questions.
"""

import re
from collections.abc import Sequence

from features.answers import asked_for
from features.aspects import aspects_of, tells
from ilpsum.errors import joined

_ASKS_FOR_NUMBER = re.compile(
    r"\bhow (?:many|much|often|long)\b|^when (?:was|were|did)\b"
    r"|\b(?:percentage|prevalence|incidence|year|rate)\b"
)
_NUMBER = re.compile(
    # A digit in a name is not a number: `TELM1`, `IL-6`.
    r"(?<![\w-])\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundreds?"
    r"|thousands?|millions?|half|thirds?|quarters?"
    r"|fifth|tenth|once|twice|daily|weekly|monthly)\b",
    re.IGNORECASE,
)


def missing(question: str, texts: Sequence[str]) -> str:
    """Return what a question asks for and no text gives, in a line; empty if one does, or if the
    question asks whether something is so.

    >>> missing("dose of warfarin", ["Warfarin is an anticoagulant."])
    'the answer says nothing about dose, which the question asks about'
    >>> missing("What is the prevalence of newt pox?", ["Half of all newts have it."])
    ''
    """
    lowered = " ".join(question.lower().split())
    if "whether" in asked_for(lowered):
        return ""
    if not any(tells(question, text) for text in texts):
        aspects = joined(aspects_of(question), "or")
        return f"the answer says nothing about {aspects}, which the question asks about"
    if _ASKS_FOR_NUMBER.search(lowered) and not any(map(_NUMBER.search, texts)):
        return "the answer gives no number, which the question asks for"
    return ""
