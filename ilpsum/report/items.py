"""The names that quoted sentences give to a question for a list, each with the sources that name it.

Names are the members of enumerations (`A, B and C`) and words that look like names of genes, drugs or complexes
(`SKN7`, `CTLA-4`). Rules find them, not a dictionary; `experiments/stance.py` counts how many of the experts' items
they find.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from features.text import STOP_WORDS, Passage, words

MOST = 12
"""The most items that are shown."""

# A sentence that holds less of the question's content words gives no names.
_ABOUT = 0.25
_ASKS = re.compile(
    r"(?:please\s+)?(?:list|name|enumerate|mention)\b|(?:what|which|who)\s+(?:are|were)\b|which\s+(?:[\w-]+\s+){0,3}?[\w-]+[^suia\W]s\b"
    r"|what\s+[\w-]+\s+[\w-]+[^suia\W]s\b",
    re.IGNORECASE,
)
# Bounds keep a search linear in the text.
_WORD = r"(?:[A-Z]\.|[^\s,;:()\[\].]{1,40}(?:\.\d{1,9})?)"
_MEMBER = rf"{_WORD}(?:\s{_WORD}){{0,4}}(?:\s\([^()]{{1,30}}\))?"
_ENUMERATION = re.compile(
    rf"(?<![^\s,;:()\[\].])(?:{_MEMBER}(?:,\s{_MEMBER}){{1,30}},?\s(?:and|or)\s{_MEMBER}|{_MEMBER}\s(?:and|or)\s{_MEMBER})"
)
# No name, but for a capital or a digit in it: an adjective, a participle, an adverb.
_INCOMPLETE = re.compile(r"[a-z -]*[a-z](?:ed|ing|ive|ous|able|ible|ly|ic|al|ent|ant|ary|ate|tory)|[a-z]{1,3}")
# What has names with a capital or a digit; such a name is often printed in brackets after a long one.
_MOLECULES = re.compile(
    r"\b(?:(?:onco)?genes|proteins|receptors|kinases|cytokines|interleukins|(?:mi(?:cro)?|lnc|circ)RNAs|ligands|mutations"
    r"|transcription\s+factors)\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r",?\s(?:and|or)\s|,\s(?:and\s|or\s)?")
_NAME = re.compile(
    r"(?<![\w-])(?=[\w-]*[A-Z])(?:[A-Za-z]*[a-z][A-Z][\w-]*|[A-Z]{2,}[\w-]*|[A-Za-z-]+\d[\w-]*)(?![\w-])"
)
# What is no name: statistics, methods, degrees.
_NO_NAME = frozenset(
    "CI HR OR RR SD SE SEM IQR AUC DNA RNA mRNA PCR RT-PCR USA UK WHO FDA EMA II III IV vs AND BACKGROUND".split()
)
# A member of an enumeration ends before, and the first begins after, one of these.
_EDGE = frozenset(
    STOP_WORDS
    | set(
        "including include includes such namely especially like comprising comprise comprises cause causes caused show"
        " shows showed shown suggest suggests found involved associated related known called named used respectively"
        " e.g i.e has been reported increased decreased reduced show patients features symptoms characterized".split()
    )
)


@dataclass(frozen=True, slots=True)
class Item:
    """A name, and the numbers of the sources that give it."""

    name: str
    sources: tuple[int, ...]


def asks_for_list(question: str) -> bool:
    """Return whether a question asks for several things.

    >>> [asks_for_list(q) for q in ("List newts.", "Which newts sing?", "What is a newt?", "Which virus is it?")]
    [True, True, False, False]
    """
    return _ASKS.match(question.strip()) is not None


def items_of(question: str, quoted: Sequence[tuple[str, int]]) -> tuple[Item, ...]:
    """Return the names in quoted sentences, each given with the number of its source; those of most sources first.

    >>> items_of("Which newts sing?", [("Crested efts, tritons and TRX-1 sing.", 1), ("TRX-1 sings.", 2)])
    (Item(name='TRX-1', sources=(1, 2)), Item(name='Crested efts', sources=(1,)), Item(name='tritons', sources=(1,)))
    """
    asked, initials = frozenset(Passage(question).stems), "".join(word[0] for word in words(question))
    molecules = _MOLECULES.search(question) is not None
    names: dict[str, str] = {}
    # `Shwachman-Diamond syndrome (SDS)`: a short form is no further name.
    short = {name for text, _ in quoted for name in re.findall(r"\(([^\s()]+)\)", text)}
    wanted = frozenset(Passage(question).content_stems)
    for text, _ in quoted:
        if len(wanted.intersection(Passage(text).stems)) < _ABOUT * len(wanted):
            continue
        for name in (*_NAME.findall(text), *_enumerated(text)):
            stems = Passage(name).stems
            known = any(f" {other} " in f" {' '.join(stems)} " for other in names)
            if molecules:
                no_name = name in _NO_NAME or name.lower() in initials or not _NAME.fullmatch(name)
            else:
                no_name = name in _NO_NAME | short or _INCOMPLETE.fullmatch(name) is not None
            if len(name) > 1 and not (known or no_name or asked & {*stems}):
                names[" ".join(stems)] = name
    texts = [(f" {' '.join(Passage(text).stems)} ", source) for text, source in quoted]
    found = [
        Item(name, tuple(dict.fromkeys(source for text, source in texts if f" {stems} " in text)))
        for stems, name in names.items()
    ]
    return tuple(sorted((item for item in found if item.sources), key=lambda item: -len(item.sources)))[:MOST]


def _enumerated(text: str) -> Iterator[str]:
    for match in _ENUMERATION.finditer(text):
        members = _BETWEEN.split(match[0])
        for i, member in enumerate(members):
            printed = member.split()
            edges = [place for place, word in enumerate(printed) if word.lower().strip(".,") in _EDGE]
            # The first member follows what leads to it, the last one precedes the rest of the sentence.
            if edges:
                printed = printed[edges[-1] + 1 :] if i == 0 else printed[: edges[0]]
            # Two of anything are often no list.
            if printed and (len(members) > 2 or any(map(_NAME.search, members))):
                yield " ".join(printed).strip(".\"'")
