"""What a sentence says to a question of yes or no: yes, no, or neither, by a few rules that a reader can follow.

A sentence speaks to the question if it holds its content words (by stem, or by a word that means the opposite), but for
a quarter at most that say little, asks nothing and leaves nothing open. It says no if an odd number of negations and
opposites bear on what the question says of its subject, otherwise yes; one that denies something else says neither.
What the rules miss stands with neither side. `experiments/stance.py` counts their mistakes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from features.stemming import porter
from features.text import STOP_WORDS


class Stance(StrEnum):
    """What a sentence says to a question."""

    YES = "yes"
    NO = "no"
    NEITHER = ""


_SHARE = 0.75
# Words of a question that a sentence may lack; of the others it may lack one, if they are many.
_LIGHT = frozenset(
    map(
        porter,
        "associated association related relation linked link involved involvement effective effect used use treatment"
        " patients people role risk cause caused disease present known considered common play help".split(),
    )
)
_MANY = 6
# A negation bears on so many words after it, up to the end of its clause.
_SCOPE = 8
_ASKS = re.compile(r"(?:is|are|was|were|do|does|did|can|could|has|have|had|should|will|would|may|might)\b", re.I)
_TOKEN = re.compile(r"[^\W_]+(?:['’]t\b)?|[,;:()]")
_OPEN = re.compile(
    r"\?$|\b(?:whether|unclear|unknown|uncertain|controvers\w+|conflicting|inconclusive|inconsistent|debated?|hypothes\w+"
    r"|remains?\ to\ be|(?:aim|purpose|objective)s?\ (?:was|is|were|of)|not\ (?:been\ )?(?:known|established|clear)"
    r"|(?:we|to)\ (?:investigated?|examined?|assess(?:ed)?|evaluated?|determined?|tested|test|stud(?:y|ied)))\b",
    re.IGNORECASE | re.VERBOSE,
)
_NEGATIONS = frozenset("no not never neither none cannot fail fails failed failing unable unlikely".split())
_ENDS = frozenset(", ; : ( ) but whereas although while which however because".split())
_NO_NEGATION = frozenset({"only", "just", "merely", "all", "always", "doubt", "longer"})
_OPPOSITES = (
    "susceptible resistant,sensitive resistant,malignant benign,safe unsafe,safe harmful,effective ineffective"
    ",increase decrease,increase reduce,higher lower,essential dispensable,required dispensable,stable unstable"
    ",common rare,dominant recessive,possible impossible,reversible irreversible,similar different"
    ",necessary unnecessary,beneficial harmful,improve worsen,upregulated downregulated"
)
_BRITISH = re.compile(r"our(?=s?$)|ae|oe")


def _stem(word: str) -> str:
    return porter(_BRITISH.sub(lambda match: "or" if match[0] == "our" else "e", word.lower()))


_OPPOSITE: dict[str, set[str]] = {}
for _pair in _OPPOSITES.split(","):
    _one, _other = map(_stem, _pair.split())
    _OPPOSITE.setdefault(_one, set()).add(_other)
    _OPPOSITE.setdefault(_other, set()).add(_one)


@dataclass(frozen=True, slots=True)
class YesNo:
    """A question of yes or no: the stems of its content words, and whether it asks for the contrary."""

    stems: tuple[str, ...]
    negated: bool

    @classmethod
    def of(cls, question: str) -> "YesNo | None":
        """Return a question of yes or no; None for one that offers a choice (`or`) or compares (`than`).

        >>> YesNo.of("Do newts sing?"), YesNo.of("Do newts sing or hum?"), YesNo.of("Which newts sing?")
        (YesNo(stems=('newt', 'sing'), negated=False), None, None)
        >>> YesNo.of("Do newts sing more than toads?"), YesNo.of("Do they sing?")
        (None, None)
        """
        words = question.lower().split()
        if not _ASKS.match(question.strip()) or not {"or", "than"}.isdisjoint(words):
            return None
        content = [w for w in map(str.lower, _TOKEN.findall(question)) if w.isalnum() and w not in STOP_WORDS]
        stems = tuple(dict.fromkeys(map(_stem, content)))
        # `Is there a vaccine for malaria?` says nothing of its subject that a sentence could affirm or deny.
        says_nothing = "there" in words[:2] and _LIGHT.isdisjoint(stems)
        # With one content word any sentence that holds it would take a side.
        return None if says_nothing or len(stems) < 2 else cls(stems, "not" in words)

    def read(self, sentence: str) -> Stance:
        """Return what a sentence says to the question.

        >>> asked = YesNo.of("Is velin effective in newts?")
        >>> [asked.read(t).value for t in ("Velin is effective in newts.", "In newts velin was ineffective.", "Newts.")]
        ['yes', 'no', '']
        >>> [asked.read(f"{t} effective in newts.").value for t in ("It is unclear whether velin is", "Velin is not")]
        ['', 'no']
        """
        if _OPEN.search(sentence.strip()):
            return Stance.NEITHER
        tokens = [token.lower() for token in _TOKEN.findall(sentence)]
        stems = [_stem(token) for token in tokens]
        held = {stem for stem in self.stems if stem in stems}
        opposed = {stem for stem in self.stems if stem not in held and _OPPOSITE.get(stem, set()) & {*stems}}
        lacking = {*self.stems} - held - opposed
        if len(lacking) > (1 - _SHARE) * len(self.stems) or len(lacking - _LIGHT) > (len(self.stems) >= _MANY):
            return Stance.NEITHER
        # What the question says of its subject, which comes first.
        said = {*self.stems[len(self.stems) // 2 :]}
        wanted = (held & said).union(*(_OPPOSITE[stem] for stem in opposed))
        negations = [i for i, token in enumerate(tokens) if token in _NEGATIONS or token.endswith(("n't", "n’t"))]
        bearing = [i for i in negations if self._bears(tokens, stems, i, wanted)]
        if len(bearing) < len(negations):
            # It denies something else.
            return Stance.NEITHER
        return Stance.NO if (len(opposed) + len(bearing) + self.negated) % 2 else Stance.YES

    @staticmethod
    def _bears(tokens: Sequence[str], stems: Sequence[str], at: int, wanted: set[str]) -> bool:
        """Return whether the token at a place negates one of the wanted stems."""
        if tokens[at + 1 : at + 2] and tokens[at + 1] in _NO_NEGATION:
            return False
        for token, stem in zip(tokens[at + 1 : at + 1 + _SCOPE], stems[at + 1 :], strict=False):
            if token in _ENDS:
                return False
            if stem in wanted:
                return True
        return False
