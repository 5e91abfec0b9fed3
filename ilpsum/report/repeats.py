"""The sentences of an answer that give the fact of its first sentence again, to a question for one thing.

What most sentences name beside the words of the question is what it asks for (`dabigatran`, of an antidote). A sentence
that names it with what the first one has of the question adds a source, not a fact. `experiments/stance.py` counts how
many of them hold the experts' answer.
"""

import re
from collections.abc import Sequence

from features.answers import asked_for, asks_for_list
from features.stemming import porter
from features.text import Passage

_ASKS = re.compile(r"(?:in\s+)?(?:which|what|who|whom|where|when|how\s+(?:many|much))\b", re.IGNORECASE)
# What has several answers, or none in a name.
_OPEN = re.compile(
    r"\b(?:functions?|roles?|mechanisms?|effects?|used\s+for|known\s+about|differences?|associations?|links?|relation\w*"
    r"|basis|impact|importance|principles?|consequences?)\b",
    re.IGNORECASE,
)
_SAYS_LITTLE = frozenset(
    map(
        porter,
        "patient treatment disease study cell protein gene effect clinical human result group associated increase high"
        " level use cause common drug therapy risk include develop occur function case known novel new report".split(),
    )
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATION = re.compile(r"\b(?:no|not|never|neither|nor|without|fail\w*)\b", re.IGNORECASE)
# Sentences, and their share, that name what is asked for; the share of the question's words in the first one.
_FEWEST, _MOST_OF, _ABOUT = 3, 0.6, 0.6
_PRINTED = re.compile(r"[^\W_]+")


def repeating(question: str, sentences: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """Return what is asked for, as the first sentence prints it, and the places of the others that give it again.

    >>> newts = "Velin is reversed by frostin.", "Frostin, an antidote, reversed velin.", "Frostin reverses velin."
    >>> repeating("Which drug can reverse velin?", newts), repeating("Does frostin reverse velin?", newts)
    (('frostin', (1, 2)), ('', ()))
    """
    asked = asked_for(question)
    one = _ASKS.match(question.strip()) and not (asks_for_list(question) or _OPEN.search(question))
    if not one or "definition" in asked or len(sentences) < _FEWEST:
        return "", ()
    words, stems = frozenset(Passage(question).stems), [dict.fromkeys(Passage(s).content_stems) for s in sentences]
    held = {
        new: {i for i, own in enumerate(stems) if new in own} for new in stems[0] if new not in words | _SAYS_LITTLE
    }
    most = max(map(len, held.values()), default=0)
    if most < max(_FEWEST, _MOST_OF * len(sentences)):
        return "", ()
    keys = [new for new, places in held.items() if len(places) == most]
    naming = set.intersection(*(held[key] for key in keys))
    about, first = words.intersection(stems[0]), sentences[0]

    def same(sentence: str) -> bool:
        numbers = "quantity" not in asked or {*_NUMBER.findall(sentence)} <= {*_NUMBER.findall(first)}
        return numbers and bool(_NEGATION.search(sentence)) == bool(_NEGATION.search(first))

    near = {i for i in naming - {0} if len(about.intersection(stems[i])) >= _ABOUT * len(about)}
    printed = dict.fromkeys(word for word in _PRINTED.findall(first) if porter(word.lower()) in keys)
    return " ".join(printed), tuple(i for i in sorted(near) if same(sentences[i]))
