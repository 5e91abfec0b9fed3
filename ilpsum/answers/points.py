"""What the sentences of an answer say: yes or no, the names in a list, one fact repeated (`stance`,
`items`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from features.answers import asked_for, asks_for_list
from features.patterns import regex
from features.text import STOP_WORDS, Passage, porter, words
from ilpsum.answers.stance import Stance, YesNo
from ilpsum.answers.studies import Studies, tally
from ilpsum.papers.headings import part_of, without_label
from ilpsum.pipeline.coherence.redundancy import same_finding
from ilpsum.pipeline.coherence.statements import LabelledSections
from ilpsum.records import UNPUBLISHED, Document, Publication, Sentence

# Maximum number of items shown.
MOST = 12

# Bounded repeats keep matching linear in the length of the text.
_WORD = r"(?:[A-Z]\.|[^\s,;:()\[\].]{1,40}(?:\.\d{1,9})?)"
_MEMBER = rf"{_WORD}(?:\s{_WORD}){{0,4}}(?:\s\([^()]{{1,30}}\))?"
_ENUMERATION = regex(
    rf"(?<![^\s,;:()\[\].])(?:{_MEMBER}(?:,\s{_MEMBER}){{1,30}},?\s(?:and|or)\s{_MEMBER}"
    rf"|{_MEMBER}\s(?:and|or)\s{_MEMBER})"
)
_BETWEEN = regex(r",?\s(?:and|or)\s|,\s(?:and\s|or\s)?")
_BRACKETED = regex(r"\s\([^()]*\)$")
_NAME = regex(
    r"(?<![\w-])(?=[\w-]*[A-Z])(?:[A-Za-z]*[a-z][A-Z][\w-]*|[A-Z]{2,}[\w-]*|[A-Za-z-]+\d[\w-]*"
    r")(?![\w-])"
)
# Not names on their own: lower-case adjectives, participles and adverbs; counts; compounds such as
# `X-related`.
_INCOMPLETE = regex(
    r"[a-z -]*[a-z](?:ed|ing|ive|ous|able|ible|ly|ic|al|ent|ant|ary|ate|tory)|[a-z]{1,3}|\d+ .*"
    r"|.*-(?:related|mediated|associated|positive|negative|specific|based|like|induced|dependent"
    r"|supplied)"
)
# Stop list: statistics, methods, authorities, and words common in abstracts.
_NO_NAME = frozenset(
    "AND AUC BMI CI CNS CSF CSV CT DNA ECG EEG ELISA EMA EU FDA FISH GWAS HR II III IQR IV MRI "
    "NGS NICE OMIM OR PCR PET"
    " QoL RCT RCTs RNA RNAs ROC RR RT-PCR SD SE SEM SNP SNPs UK USA WHO cDNA mRNA mRNAs miRNA "
    "miRNAs qPCR vs".split()
).union(
    "activation activity addition adults analysis association cells children controls data "
    "deficiency development"
    " diagnosis disease diseases disorder disorders effects expression finally function functions "
    "genes group"
    " growth humans inhibition initiation levels maintenance management mice molecules novel "
    "others patients placebo"
    " prevention processes proteins rats regulation review risk safety signaling simple therapy "
    "time together"
    " treatment treatments types use vitro women years".split()
)
# Words that end a member of an enumeration; the first member begins after one.
_EDGE = frozenset(
    STOP_WORDS
    | set(
        "including include includes included such namely especially like comprising comprise "
        "comprises cause causes"
        " show shows showed suggest suggests found involved associated related known called named "
        "used respectively"
        " e.g i.e has been reported increased decreased reduced patients features symptoms "
        "characterized".split()
    )
)
_DRUG = regex(
    r"(?=[\w-]{,30}\d)[A-Za-z][\w-]{2,30}|(?:[\w-]{1,30}\s)?[\w-]{3,30}(?:[ai]b|[aeiou]n[ei]?"
    r"|[aio]de|[ao]te|ol|am|ane|ept|il|ir|us|el|fen|acid)"
)

_ASKS_FOR_ONE = regex(
    r"(?:in\s+)?(?:which|what|who|whom|where|when|how\s+(?:many|much))\b", re.IGNORECASE
)
# Questions with several answers, or whose answer is not a name.
_OPEN = regex(
    r"\b(?:functions?|roles?|mechanisms?|effects?|used\s+for|known\s+about|differences?"
    r"|associations?|links?|relation\w*"
    r"|basis|impact|importance|principles?|consequences?)\b",
    re.IGNORECASE,
)
_SAYS_LITTLE = frozenset(
    map(
        porter,
        "patient treatment disease study cell protein gene effect clinical human result group "
        "associated increase high"
        " level use cause common drug therapy risk include develop occur function case known "
        "novel new report".split(),
    )
)
# Minimum number and share of sentences that name the answer; minimum share of the first sentence's
# question words.
_FEWEST, _MOST_OF, _ABOUT = 3, 0.6, 0.6
_PRINTED = regex(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Item:
    """A name and the numbers of the sources that contain it."""

    name: str
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A type of entity that questions ask for: the words that name it, and the form of its names.

    Attributes:
        members: minimum members of an enumeration for a name with a single source.
        about: minimum share of the question's content words in the sentence for `members` to apply.
        many: minimum members if the sentence has fewer, as when it abbreviates the subject.
    """

    words: re.Pattern[str]
    form: re.Pattern[str]
    members: int
    about: float
    many: int = 31


# The type whose words occur first in the question applies.
_WANTED = (
    _Wanted(
        regex(
            r"\b(?:(?:onco)?genes|proteins|receptors|kinases|enzymes|cytokines|interleukins"
            r"|(?:mi(?:cro)?|lnc|circ)-?RNAs|ligands"
            r"|mutations|transcription\s+factors|antigens|subunits|markers)\b",
            re.IGNORECASE,
        ),
        _NAME, 0, 0.5, 6,
    ),
    _Wanted(
        regex(
            r"\b(?:drugs?|medications?|medicines|inhibi?tors|agonists|antagonists|antibodies"
            r"|antibiotics|treatments|vaccines"
            r"|therap(?:y|ies)|antidotes|steroids|agents|compounds|blockers)\b",
            re.IGNORECASE,
        ),
        _DRUG, 0, 0.5, 4,
    ),
    _Wanted(
        regex(
            r"\b(?:symptoms|features|signs|characteristics|manifestations|effects|events|diseases"
            r"|disorders|syndromes|cancers"
            r"|tumou?rs|factors|conditions|complications|indications|types|causes|roles|functions"
            r"|organs|findings)\b",
            re.IGNORECASE,
        ),
        regex(rf"(?!{_NAME.pattern}$).+"), 4, 0.5,
    ),
    _Wanted(regex("$"), regex(".+"), 5, 0.5),
)  # fmt: skip


def items_of(question: str, quoted: Sequence[tuple[str, int]]) -> tuple[Item, ...]:
    """Return the names in sentences, given as (text, source number); the names with most sources
    come first.

    >>> items_of("Which genes sing?", [("The singing genes TRX-1 and TRX-2 sing.", 1),
    ...     ("TRX-2 sings.", 2)])
    (Item(name='TRX-2', sources=(1, 2)), Item(name='TRX-1', sources=(1,)))
    """
    wanted = min(
        _WANTED,
        key=lambda each: (
            found.start() if (found := each.words.search(question)) else len(question) + 1
        ),
    )
    asked, content = frozenset(Passage(question).stems), frozenset(Passage(question).content_stems)
    initials = "".join(word[0] for word in words(question))
    # `Shwachman-Diamond syndrome (SDS)`: an abbreviation is not a second name, except of molecules.
    short = (
        {name for text, _ in quoted for name in re.findall(r"\(([^\s()]+)\)", text)}
        if wanted.form != _NAME
        else ()
    )
    sure: dict[str, bool] = {}
    names: dict[str, str] = {}
    for text, _ in quoted:
        about = len(content.intersection(Passage(text).stems)) >= wanted.about * len(content)
        for name, members in _named(without_label(text)):
            stems = Passage(name).stems
            no_name = name in _NO_NAME or name in short or name.lower() in initials or part_of(name)
            if (
                no_name
                or asked & {*stems}
                or not wanted.form.fullmatch(name)
                or _INCOMPLETE.fullmatch(name)
            ):
                continue
            key = " ".join(stems)
            names.setdefault(key, name)
            sure[key] = sure.get(key, False) or members >= (
                wanted.members if about else wanted.many
            )
    texts = [(f" {' '.join(Passage(text).stems)} ", source) for text, source in quoted]
    items = []
    for key, name in names.items():
        sources = tuple(dict.fromkeys(source for text, source in texts if f" {key} " in text))
        if len(sources) > 1 or (sources and sure[key]):
            items.append(Item(name, sources))
    return tuple(sorted(items, key=lambda item: -len(item.sources)))[:MOST]


def _named(text: str) -> Iterator[tuple[str, int]]:
    """Yield each name with the size of its enumeration; 0 outside enumerations."""
    for match in _ENUMERATION.finditer(text):
        members = _BETWEEN.split(match[0])
        for i, member in enumerate(members):
            printed = _BRACKETED.sub("", member).split()
            edges = [
                place for place, word in enumerate(printed) if word.lower().strip(".,") in _EDGE
            ]
            # The first match includes the words before the enumeration, the last one those after
            # it.
            if edges:
                printed = printed[edges[-1] + 1 :] if i == 0 else printed[: edges[0]]
            name = " ".join(printed).strip(".\"'")
            if len(name) > 1:
                yield name, len(members)
    yield from ((name, 0) for name in _NAME.findall(text))


def repeating(question: str, sentences: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """Return the answer as the first sentence writes it, and the indices of the sentences that
    repeat it.

    >>> newts = (
    ...     "Velin is reversed by frostin.", "Frostin, an antidote, reversed velin.",
    ...     "Frostin reverses velin."
    ... )
    >>> repeating("Which drug can reverse velin?", newts), repeating("Does frostin reverse velin?",
    ...     newts)
    (('frostin', (1, 2)), ('', ()))
    """
    asked = asked_for(question)
    one = _ASKS_FOR_ONE.match(question.strip()) and not (
        asks_for_list(question) or _OPEN.search(question)
    )
    if not one or "definition" in asked or len(sentences) < _FEWEST:
        return "", ()
    words, stems = (
        frozenset(Passage(question).stems),
        [dict.fromkeys(Passage(s).content_stems) for s in sentences],
    )
    held = {
        new: {i for i, own in enumerate(stems) if new in own}
        for new in stems[0]
        if new not in words | _SAYS_LITTLE
    }
    most = max(map(len, held.values()), default=0)
    if most < max(_FEWEST, _MOST_OF * len(sentences)):
        return "", ()
    keys = [new for new, places in held.items() if len(places) == most]
    naming = set.intersection(*(held[key] for key in keys))
    about, first = words.intersection(stems[0]), sentences[0]
    near = {i for i in naming - {0} if len(about.intersection(stems[i])) >= _ABOUT * len(about)}
    printed = dict.fromkeys(
        word for word in _PRINTED.findall(first) if porter(word.lower()) in keys
    )
    return " ".join(printed), tuple(
        i for i in sorted(near) if same_finding(first, sentences[i], question)
    )


class Finding(NamedTuple):
    """A sentence of an answer: as printed, its place, and the number, text and publication of its
    source.
    """

    text: str
    sentence: Sentence
    source: int
    whole: str
    publication: Publication = UNPUBLISHED


@dataclass(frozen=True, slots=True)
class Points:
    """What an answer says; sentences are given by index.

    Attributes:
        sides: the sides that sentences take on a yes/no question.
        studies: the number and kinds of the sources on each side.
        items: names that answer a list question; none if sentences take sides.
        fact: the answer to a question for one fact, and the sentences that repeat the first one's.
    """

    sides: Mapping[int, Stance]
    studies: Mapping[Stance, Studies]
    items: tuple[Item, ...]
    fact: str
    repeats: tuple[int, ...]


def points_of(question: str, findings: Sequence[Finding]) -> Points:
    """Return what the sentences of an answer say; nothing without a question."""
    sides = _sides(question, findings)
    is_list = asks_for_list(question) and not sides
    items = (
        items_of(question, [(found.text, found.source) for found in findings]) if is_list else ()
    )
    sources = {
        side: {findings[i].source: findings[i].publication for i in sides if sides[i] is side}
        for side in Stance
    }
    studies = (
        {side: tally(sources[side].values()) for side in (Stance.YES, Stance.NO)} if sides else {}
    )
    return Points(sides, studies, items, *repeating(question, [found.text for found in findings]))


def _sides(question: str, findings: Sequence[Finding]) -> dict[int, Stance]:
    """Return the side of each finding that takes one; sources with findings on both sides are left
    out.
    """
    asked = YesNo.of(question)
    sides: dict[int, Stance] = {}
    for i, found in enumerate(findings if asked else ()):
        label = (
            LabelledSections(Document("", found.whole)).label(found.sentence.start)
            or found.sentence.section
        )
        if asked and part_of(label) not in ("background", "aim", "method"):
            sides[i] = asked.read(
                found.text, title=found.sentence.section == "title", source=found.whole
            )
    said: dict[int, set[Stance]] = {}
    for i, side in sides.items():
        said.setdefault(findings[i].source, set()).add(side)
    return {
        i: side
        for i, side in sides.items()
        if side and not {Stance.YES, Stance.NO} <= said[findings[i].source]
    }
