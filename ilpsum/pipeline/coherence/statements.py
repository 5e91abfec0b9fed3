"""Statements: abstract sentences that can be part of an answer.

Not statements: questions, aims, announcements (`We review ...`), case histories, calls for further
research, and registry and publisher notes (trial numbers, funding, copyright, addresses).
"""

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.matching import ROLES as ROLES
from features.patterns import regex
from features.sentences import is_whole
from features.text import words
from ilpsum import resources
from ilpsum.learning import stored
from ilpsum.learning.seen import TrainedOn
from ilpsum.papers.headings import (
    effective_label,
    label_of,
    part_of,
    without_additions,
    without_label,
)
from ilpsum.pipeline.coherence.anaphora import is_anaphoric, lacks_referent, without_connective
from ilpsum.records import Document, Sentence

_LABEL_START = regex(r"(?:^|\n|[.!?)\]]\s+)(?=[A-Z])")
_LONGEST_LABEL = 90

_STUDY = (
    r"(?:study|review|article|paper|report|work|trial|meta-?analysis|survey|chapter|analysis"
    r"|research)"
)
_WE = r"(?:we|the\s+authors?|the\s+present\s+\w+|(?:this|our)\s+(?:[\w-]+\s+){0,3}" + _STUDY + ")"
_AIM = r"""(?:the\ )?(?:[\w-]+\s+){0,3}(?:aims?|purposes?|objectives?|goals?)\ (?:of|was|is|were
|are|in)\b
    |to\ (?:\w+ly\ )?(?:\w+,?\s+(?:and\ |or\ )?)?(?:assess|evaluate|determine|investigate|examine
    |compare|explore
        |identify|describe|review|test|study|analy[sz]e|establish|estimate|summari[sz]e|report
        |present|address|provide|clarify|elucidate
        |understand|characteri[sz]e|discuss|find|verify|confirm)\b"""
_IS_AIM = regex(
    rf"{_AIM}|{_WE}\s+(?:aim(?:s|ed)?|sought|intend(?:s|ed)?|wanted|ask(?:s|ed)?)\b",
    re.I | re.X,
)
# The same inside a sentence, and what is still being studied.
_STATES_AIM = regex(
    rf"""\b(?:we|authors?|{_STUDY})\ (?:\w+ly\ )?
        (?:aim(?:s|ed)?|sought|intend(?:s|ed)?|wanted)\ to\b
    |\b(?:aim|purpose|objective|goal)s?\ (?:of|was|is|were)\b
    |\b(?:is|are)\ (?:(?:currently|now|being)\ )*
        (?:assess|evaluat|examin|investigat|test)(?:ing|ed)\b""",
    re.I | re.X,
)
_NO_STATEMENT = regex(
    rf"""
    {_AIM}
    |(?:{_WE}|here,?\ we|herein,?\ we
        |in\ (?:this|the\ present|our)\ (?:[\w-]+\s+){{0,3}}{_STUDY},?\ (?:we|the\ authors))
        \s+(?:(?:then|also|therefore|further|here|now|briefly|first|next|retrospectively
        |prospectively|systematically|will
            |is|have|has|was|were)\s+){{0,3}}
        (?:aims?|aimed|sought|intended|designed|undertaken|carried\ out|conducted|performed
        |set\ out|investigate[sd]?
           |examine[sd]?|evaluate[sd]?|assess(?:e[sd])?|analy[sz]e[sd]?|compare[sd]?|review(?:s
           |ed)?|discuss(?:es|ed)?
           |summari[sz]e[sd]?|describe[sd]?|outlines?|focus(?:es|ed)?|explore[sd]?|stud(?:y|ies
           |ied)|present(?:s|ed)?
           |tested|test|measured?|determined?|used?|enrolled|searched|included|collected|recruited
           |attempted|wanted
           |hypothesi[sz]ed?|asked|address(?:es|ed)?|provides?|highlights?|considers?|introduces?
           |screened|sequenced|genotyped|report)\b
    |an?\ (?:[\w-]+\ ){{0,3}}{_STUDY}\ (?:was|is|has\ been)
        \ (?:undertaken|conducted|carried\ out|performed|designed|initiated)\b
    |(?:a\ )?(?:literature|medline|pubmed|systematic|computeri[sz]ed
    |electronic)\ (?:[\w/]+\s+){{0,2}}search
    |(?:further|future|more|additional|larger|well-designed|prospective)\s+(?:[\w,-]+\s+){{0,4}}
        (?:study|studies|research|trials?|work|investigations?|evidence)\s+(?:[\w,-]+\s+){{0,6}}
        (?:needed|required|warranted|necessary|essential|recommended)
    |(?:a|one|two|three|\d+)\s+(?:[\w-]+\s+){{0,4}}(?:cases?|reports?)\.?$
    |(?:in\s+)?(?:an?|the|this|our|one)\s+(?:[\w-]+,?\s+){{0,4}}\d{{1,3}}[-\s](?:years?|months?
    |weeks?|days?)[-\s]old\b
    |(?:in\s+)?(?:the|this|our)\s+(?:present\s+)?(?:patient|proband|case|infant|boy|girl|man
    |woman)(?!['’-]|\w|\ of\b)
    |we\s+(?:experienced|encountered|diagnosed|treated)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# An announcement that names what was found or made.
_REPORT = regex(
    r"""(?:here(?:in)?,?\s+|in\s+(?:this|the\s+present)\s+[\w-]+,?\s+)?(?:we|the\s+authors?)\s+
    (?:also\s+|further\s+|have\s+|here\s+|herein\s+|now\s+|then\s+){0,2}(?:describe|introduce
    |present|report)(?:s|d|ed)?\b""",
    re.IGNORECASE | re.VERBOSE,
)
_ANYWHERE = regex(
    r"""clinicaltrials\.gov|\bNCT\d{6}|\bISRCTN|\bfunded\ by\b|copyright|©|all\ rights\ reserved
    |\bPROSPERO\b
    |https?://|www\.|supplementary\ (?:data|information|material)|psycinfo
    |this\ article\ is\ part\ of
    |formula:\ see\ text|author's\ transl
    |\bpatient\ (?-i:[A-Z]|\d+)\b|see\ editorial|level\ of\ evidence
    |are\ (?:discussed|reviewed|presented|described|summari[sz]ed)\.?$
    |(?:is|was)\ (?:discussed|reviewed|presented|summari[sz]ed)\.?$
    |(?:further|future|more|additional)\s+(?:[\w,-]+\s+){0,3}(?:study|studies|research|trials?|work
    |investigations?)
        \s+(?:is|are|will\ be|to)\b
    |\bwere\ (?:then\ |also\ |randomly\ |retrospectively\ |prospectively\ ){0,2}(?:collected
    |recruited|enrolled
        |interviewed|randomi[sz]ed|assigned|reviewed|searched|isolated\ from|obtained\ from
        |included\ in)\b
    |\b(?:remains?|needs?)\ to\ be\ (?:determined|elucidated|established|clarified|investigated
    |defined)""",
    re.IGNORECASE | re.VERBOSE,
)

_STUDIES = (
    r"(?:stud(?:y|ies)|data|trials?|evidence|information|research|reports?|attention|knowledge)"
)
_LATELY = r"(?:(?:still|largely|yet|currently|mostly|relatively|often|highly|generally)\ )*"
_GAP = regex(
    rf"""\b(?:
    (?:few|no|limited|scarce|little|scant|insufficient|sparse)\ (?:[\w-]+\ ){{0,3}}?{_STUDIES}
        \ (?:[\w-]+\ ){{0,4}}?(?:ha(?:s|ve)|exists?|are|is|available|(?:address|assess|compar
        |evaluat|examin|investigat)\w*)
    |{_STUDIES}\ (?:[\w/-]+\ ){{0,12}}?(?:is|are|remain)\ {_LATELY}
        (?:limited|lacking|scarce|sparse|scant|insufficient)
    |(?:little|less)\ (?:is|was|has\ been)\ (?:\w+\ )?(?:known|understood|reported|studied)
    |(?:paucity|dearth|lack|scarcity)\ of\ (?:[\w-]+\ ){{0,3}}{_STUDIES}
    |(?:remains?|is|are|was|were)\ {_LATELY}
        (?:unclear|unknown|undefined|elusive|(?:un|under)explored|undetermined|unresolved
        |(?:poorly|incompletely|not\ (?:(?:fully|well|yet|completely|been|entirely)\ )+)
            (?:understood|known|established|elucidated|clear|characteri[sz]ed|defined|studied
            |investigated|explored|evaluated|determined))
    |(?:has|have)\ yet\ to\ be
    |(?:has|have)\ (?:not|never|rarely|seldom)\ (?:(?:yet|been|previously|fully|well)\ )*
        (?:understood|established|elucidated|defined|studied|investigated|explored|evaluated
        |determined|examined|assessed|described|clarified)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
# A clause before the gap, or after it, states something.
_CONCESSION = regex(
    r"\b(?:although|though|while|whereas|despite|until|since|because|but|however)\b", re.I
)
_FINDING_AFTER = regex(r"\b(?:but|here|until)\b", re.I)


def _forms(verbs: str) -> str:
    """Return a pattern of the present forms of verbs."""
    forms = (
        f"{verb[:-1]}(?:y|ies)" if verb.endswith(("fy", "ry")) else f"{verb}(?:e?s)?"
        for verb in verbs.split()
    )
    return "|".join(forms)


# Verbs by which a title states a finding. Verbs that are also nouns count only if no preposition
# follows.
_VERBS = """
    abolish accelerate accompany acquire activate affect alleviate allow alter ameliorate appear
    arise attenuate augment
    become bind coincide comprise confer confirm connect constitute contain contribute cooperate
    coordinate correlate
    decline define degrade deliver demonstrate depend deplete destabilize determine differ
    differentiate disrupt elevate
    elicit eliminate emerge enable encode enhance ensure establish exacerbate exceed exert exhibit
    exist extend
    facilitate fail generate govern highlight identify illustrate impair impede implicate improve
    include indicate
    induce inhibit inactivate initiate interact interfere involve localize maintain mediate modify
    modulate occur
    orchestrate organize originate participate phosphorylate play possess potentiate precede predict
    predispose preserve
    prevent promote protect provide recapitulate recognize recruit reduce regulate relate remain
    repress require rescue
    reside resolve respond restore restrict reveal share show stabilize stimulate strengthen suggest
    suppress sustain
    tolerate transform trigger undergo underlie upregulate downregulate utilize vary worsen
"""
_NOUNS = """
    act aid block cause control correct decrease delay drive effect form function increase influence
    lead limit link
    lower result shape signal silence support target transport yield
"""
VERB = regex(_forms(_VERBS))
_AFTER_A_PLURAL = "block cause control develop drive influence link mark produce target"
_FINITE = regex(
    rf"""(?<!\w-)(?<!\bto\ )\b(?:is|are|was|were|has|have|had|do|does|did|can|cannot|could|may
    |might|must|should
    |will|would|(?:{_forms(_VERBS)})(?!\s*(?:$|[,:;.?)]))
    |(?:{"|".join(_NOUNS.split())})s
        (?!\s+(?:after|among|and|as|at|between|by|during|for|from|in|of|on|or|to|versus|vs|with)\b
        |\s*(?:$|[,:;.?)]))
    |(?:act|lead|result)s?\ (?:as|in|to)
    |(?<=[s\d]\ )(?:{"|".join(_AFTER_A_PLURAL.split())})(?!\ (?:and|of|or)\b)(?=\ )
    |increased?\ the|reduced?\ the|inhibited)\b""",
    re.IGNORECASE | re.VERBOSE,
)
# `MethPed: an R package for ...` defines MethPed.
_NAMED = regex(r"[\w./+-]+(?:\ [\w./+-]+)?\s?[:,]\ (?:an?|the)\ ", re.IGNORECASE)


def states_finding(title: str) -> bool:
    """Whether a title is a statement: it has a finite verb, or begins with a name and its
    definition.

    >>> [states_finding(t) for t in ("Velin makes newts sing: frost causes song.", "Velin: a drug.",
    ...     "Velin in newts.")]
    [True, True, False]
    """
    text = title.rstrip(" .")
    return not text.endswith("?") and (
        _FINITE.search(text) is not None or _NAMED.match(text) is not None
    )


def stands_alone(sentence: Sentence) -> bool:
    """Whether a sentence can open an answer: a complete statement, but not of an aim, that needs no
    preceding sentence.

    >>> texts = (
    ...     "Newts sing.", "They sing.", "Do newts sing?", "To assess newts.",
    ...     "In ponds, we aimed to count newts.", "We show that newts sing."
    ... )
    >>> [stands_alone(Sentence(t, "d", 0, 1, 9)) for t in texts]
    [True, False, False, False, False, True]
    """
    text = without_connective(without_label(sentence.text))
    if sentence.section == "title":
        return states_finding(text)
    if text.endswith("?") or _IS_AIM.match(text) or _STATES_AIM.search(text):
        return False
    return is_whole(text) and not lacks_referent(text)


def states_gap(text: str) -> bool:
    """Whether a sentence says only that something is unknown or was seldom studied.

    >>> texts = ("Few studies have assessed newts.", "However, why newts sing is unclear.",
    ...     "Newts sing, but why is unclear.", "Although few data are available, newts sing.")
    >>> [states_gap(text) for text in texts]
    [True, True, False, False]
    """
    text = without_connective(without_label(text))
    gap = _GAP.search(text)
    if not gap:
        return False
    return not (_CONCESSION.search(text, 0, gap.start()) or _FINDING_AFTER.search(text, gap.end()))


def serves_reader(sentence: Sentence) -> bool:
    """Whether a sentence is informative on its own: a statement, but not of a gap, or a title that
    states something.

    >>> texts = (
    ...     "We aimed to count newts.", "Use of these ponds is rare.", "They sing.",
    ...     "We report a singing newt."
    ... )
    >>> [serves_reader(Sentence(t, "d", 0, 1, 9)) for t in texts]
    [False, False, True, True]
    >>> serves_reader(Sentence("Song of newts.", "d", 0, 1, 9, "title"))
    False
    """
    if sentence.section == "title":
        return states_finding(sentence.text)
    text = without_connective(without_label(sentence.text))
    states = is_statement(sentence) or (
        _REPORT.match(text) is not None and not _ANYWHERE.search(text)
    )
    return states and not states_gap(text) and (is_anaphoric(text) or not lacks_referent(text))


_ANIMALS = regex(
    r"\b(?:mice|mouse|rats?|murine|rodents?|rabbits?|zebrafish|tadpoles?|xenopus|drosophila|canine"
    r"|porcine|monkeys?|macaques?)\b",
    re.I,
)
_PEOPLE = regex(
    r"\b(?:patients?|people|persons?|humans?|adults?|men|women|children|infants?|volunteers?"
    r"|participants?)\b",
    re.I,
)


def is_on_animals(text: str) -> bool:
    """Whether a text mentions animals of laboratories, and no people.

    >>> [is_on_animals(text) for text in ("Velin helps mice.", "Velin helps men, not mice.")]
    [True, False]
    """
    return _ANIMALS.search(text) is not None and not _PEOPLE.search(text)


class LabelledSections:
    """Labelled sections of a document, from its section titles and the labels in its text."""

    def __init__(self, document: Document) -> None:
        titled = (
            (section.start, effective_label(section.title, section.category))
            for section in document.sections
        )
        starts = [(start, label) for start, label in titled if label]
        for match in _LABEL_START.finditer(document.text):
            start = match.end()
            if label := label_of(document.text[start : start + _LONGEST_LABEL]):
                starts.append((start, label.strip(" :")))
        labelled = {start for start, _ in starts}
        # An untitled section ends the preceding labelled one.
        untitled = {section.start for section in document.sections if not section.title}
        starts += [(start, "") for start in untitled - labelled]
        starts.sort()
        self._starts = [start for start, _ in starts]
        self._labels = [label for _, label in starts]

    def label(self, offset: int) -> str:
        """Return the label of the section at a character offset; empty if it has none."""
        number = bisect_right(self._starts, offset)
        return self._labels[number - 1] if number else ""


def positions_in(document: Document, sentences: Iterable[Sentence]) -> list[float]:
    """Return the relative positions, from 0 to 1, of sentences in a document's abstract without
    its title.
    """
    starts = [section.start for section in document.sections if section.kind == "abstract"]
    begin = min(starts, default=0)
    length = max(1, len(document.text) - begin)
    return [max(0, sentence.start - begin) / length for sentence in sentences]


def is_statement(sentence: Sentence) -> bool:
    """Whether a sentence is a statement that can be part of an answer.

    >>> [is_statement(Sentence(t, "d", 0, 1, 9)) for t in ("Newts sing.", "Do newts sing?",
    ...     "We aimed to count newts.")]
    [True, False, False]
    """
    text = without_connective(without_label(sentence.text))
    return not text.endswith("?") and not _NO_STATEMENT.match(text) and not _ANYWHERE.search(text)


KIND, PROTOCOL = "roles", 2
_FIFTHS = 5
_DIGITS = regex(r"\d+")


def role_features(text: str, position: float) -> tuple[str, ...]:
    """Return the names of a sentence's active binary features; labels and opening connectives are
    ignored.

    `position` is the relative position in the abstract, from 0 (start) to 1 (end).
    """
    tokens = words(_DIGITS.sub("0", without_connective(without_additions(text))))
    pairs = map(" ".join, itertools.pairwise(tokens))
    opening = " ".join(tokens[:2])
    fifth = min(int(position * _FIFTHS), _FIFTHS - 1)
    features = (*tokens, *pairs, f"^ {opening}", f"@ {fifth}")
    return tuple(dict.fromkeys(features))


@dataclass(frozen=True)
class RoleModel:
    """A trained classifier: names of the V features, (5, V) weights by role, and (5,) biases."""

    names: tuple[str, ...]
    weights: Annotated[NDArray[np.floating[Any]], "f roles names"]
    offsets: Annotated[NDArray[np.floating[Any]], "f roles"]
    topics: TrainedOn = None
    name: str = ""

    def __post_init__(self) -> None:
        if self.weights.shape != (len(ROLES), len(self.names)):
            raise ValueError("expected a weight for each role and feature")

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}

    def __call__(self, texts: Sequence[str], positions: Iterable[float]) -> Floats:
        """Return the (n, 5) probabilities of `ROLES` for n sentences."""
        # One entry for each known feature of each sentence.
        features, owners = list[int](), list[int]()
        for number, (text, position) in enumerate(zip(texts, positions, strict=True)):
            for name in role_features(text, position):
                if name in self._rows:
                    features.append(self._rows[name])
                    owners.append(number)
        sentence = np.array(owners, dtype=np.intp)
        weights = self.weights[:, features]
        sums = [np.bincount(sentence, of_role, len(texts)) for of_role in weights]
        scores = self.offsets + np.array(sums).T
        powers: Floats = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
        powers /= powers.sum(axis=1, keepdims=True)
        return powers


@cache
def shipped() -> RoleModel:
    """Return the shipped model, loaded once per process."""
    return stored.read(RoleModel, resources.models() / "roles.npz", KIND, PROTOCOL)


def roles_in(document: Document, sentences: Sequence[Sentence]) -> Floats:
    """Return the (n, 5) probabilities of `ROLES` for a document's sentences; 1 for the role that a
    label names.
    """
    sections = LabelledSections(document)
    roles = shipped()([s.text for s in sentences], positions_in(document, sentences))
    for i, s in enumerate(sentences):
        if part := part_of(sections.label(s.start)):
            roles[i] = [role == part for role in ROLES]
    return roles
