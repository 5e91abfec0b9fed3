"""Rule-based stance detection: whether a sentence says yes, no or neither to a yes/no question.

A sentence addresses the question if it contains its content words (by stem, or an antonym), except
for at most a quarter of generic words, and neither asks a question nor leaves one open. Its stance
is no if an odd number of negations and antonyms apply to what the question says about its subject,
otherwise yes; clauses, and what `and`, `or` and `nor` join, are counted apart. It is neither if
these disagree, if the sentence negates something else, or is a title that only names its subject.
If the question asks about a benefit, a clause on the subject also says no if it reports no benefit
or no difference, advises against it, or says that a trial was stopped, and a sentence that reports
harm never says yes. Anything else is neither. `experiments/results/page.md` has the errors.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from features.patterns import regex
from features.text import STOP_WORDS, porter
from ilpsum.answers.question_words import is_generic
from ilpsum.pipeline.coherence.statements import states_finding


class Stance(StrEnum):
    """The stance of a sentence on a question."""

    YES = "yes"
    NO = "no"
    NEITHER = ""


_SHARE = 0.75
# A sentence may lack generic words of the question, and one other word if the question has at least
# this many.
_MANY = 6
# Scope of a negation: this many following words, up to the end of the clause.
_SCOPE = 8
# Before `'t`, in this order: can't, won't, isn't. `Isn't it safe?` asks whether it is.
_SHORT_FORMS = {r"\bcan": "can", r"\bwon": "will", "n": ""}
_ASKS = regex(
    r"(?:is|are|was|were|do|does|did|can|could|has|have|had|should|will|would|may|might)\b",
    re.I,
)
# `Based on trials, can ...`
_CLAUSE_BEFORE = regex(
    r"(?P<clause>(?:among|based|according|during|for|from|given|in|with)\b[^,?]{1,80}),"
    r"\s+(?P<asked>.+)",
    re.I | re.S,
)
_TOKEN = regex(r"[^\W_]+(?:['’]t\b)?|[,()]")
_OPEN = regex(
    r"\?$|\b(?:whether|unclear|unknown|uncertain|controvers\w+|conflicting|inconclusive"
    r"|inconsistent|debated?|hypothes\w+"
    r"|remains?\ to\ be|(?:aim|purpose|objective)s?\ (?:was|is|were|of)|not\ (?:been\ "
    r")?(?:known|established|clear)"
    r"|(?:might|may|could)\ (?:be|have|help|improve|reduce|prevent)|were\ "
    r"(?:included|enrolled|randomi[sz]ed|assigned)"
    r"|(?:study|trial|review)\ was\ (?:performed|designed|conducted|undertaken)"
    r"|(?:we|to)\ "
    r"(?:investigated?|examined?|assess(?:ed)?|evaluated?|determined?|tested|test|stud(?:y|ied))"
    r")\b",
    re.IGNORECASE | re.VERBOSE,
)
_NEGATIONS = frozenset(
    "no not never neither none cannot fail fails failed failing unable unlikely".split()
)
_ENDS = frozenset(", ( ) but".split())
_NO_NEGATION = frozenset({"only", "just", "merely", "all", "always", "doubt", "longer"})
_OPPOSITES = (
    "susceptible resistant,sensitive resistant,malignant benign,safe unsafe,safe "
    "harmful,effective ineffective"
    ",increase decrease,increase reduce,higher lower,essential dispensable,required "
    "dispensable,stable unstable"
    ",common rare,dominant recessive,possible impossible,reversible irreversible,similar different"
    ",necessary unnecessary,beneficial harmful,improve worsen,upregulated downregulated"
)
_BRITISH = regex(r"our(?=s?$)|ae|oe")


@lru_cache(1 << 14)
def _stem(word: str) -> str:
    return porter(_BRITISH.sub(lambda match: "or" if match[0] == "our" else "e", word.lower()))


# Words that make a question one about a benefit, unless a word of `_BAD` occurs too; a clause that
# says no need not repeat them.
_GOOD = frozenset(
    map(
        _stem,
        "effective efficacy improve work help benefit beneficial safe safety use treatment "
        "recommend useful indicated"
        " prevent reduce prolong outcome survival approve protect should".split(),
    )
)
_BAD = regex(r"avoid|contraindicat|ineffective|unsafe|stopped|discontinu", re.IGNORECASE)
_MUCH = (
    r"(?:(?:an?|the|any|its|statistically|clinically|significant(?:ly)?|clear(?:ly)?|additional"
    r"|overall|apparent|clinical"
    r"|meaningful|therapeutic|substantial(?:ly)?|further|added|long-term|more)\s+){0,3}"
)
_FOR_ITS_GOOD = (
    r"(?:\s+early)?\s+(?:for|because\s+of|due\s+to|owing\s+to)\s+(?!lack|insufficient|no\b"
    r")(?:\w+\s+){0,2}"
    r"(?:efficacy|benefit|superior)"
)
_NO_GOOD = regex(
    rf"""\b(?:(?:not|n['’]t|never|neither|nor|fail(?:s|ed)?\s+to|unable\s+to|cannot|without)\s+
        (?:(?:(?:appear|seem)\s+to|(?:been\s+)?shown\s+to|been|be)\s+)?{_MUCH}
        (?:superior|better|improv\w+|benefi\w+|efficac\w+|effective\w*|recommend\w*|advis\w+
        |indicated|approved|support\w*
            |reduc\w+|prevent\w*|prolong\w*|enhanc\w*|differ\w*|(?:used|given|offered)\b
            |(?:demonstrat|show|produc|provid|confer|offer|ha[sv]|result|lead|reach
            |me?et)\w*\s+(?:in\s+|to\s+)?{_MUCH}
                (?:benefi\w+|efficac\w+|improv\w+|superior\w*|effect\w*|activity|advantage\w*
                |differen\w+|reduction|primary|end))
    |no\s+{_MUCH}(?:benefi\w+|improve\w+|effect\w*|advantage\w*|efficac\w+|superior\w*|better
    |differen\w+|evidence|role
        |reduction|activity|influence|impact)
    |(?:should|must|to)\s+be\s+(?:avoided|discouraged|stopped|discontinued)|contraindicated|unsafe
    |(?:was|were|been)\s+(?:\w+\s+)?(?:terminated|halted|discontinued|stopped
    |suspended)\b(?!{_FOR_ITS_GOOD})
    |(?:poorer|worse)\s+(?:\w+\s+)?outcomes?|unfavou?rable\s+risk
    |ineffective\w*|inefficac\w+|(?:advise|recommend|warn|caution)\w*\s+against
    |(?:lack|absence)\s+of\s+{_MUCH}(?:benefit|efficacy|effect\w*|improvement|superiority|evidence
    |activity))""",
    re.IGNORECASE | re.VERBOSE,
)
# Reports of harm, which never count as yes to a question about a benefit.
_HARM = regex(
    r"\b(?:terminated|halted|stopped|discontinued|worsened|worse|aggravat\w+|poorer|unfavou?rable"
    r"|detriment\w+)\b",
    re.I,
)
# Starts of clauses, which may have another subject; `but did not` keeps the subject.
_CLAUSE = regex(
    r"[;:]|\b(?:while|whereas|although|though|when|if|because|however|who(?:se|m)?|which"
    r"|(?<!support )that)\b"
    r"|\bbut\b(?!\s+(?:\w+ly\s+)?(?:did|does|do|was|were|is|are|has|have|had|fail\w*|showed|can"
    r"|could|should)\b)",
    re.IGNORECASE,
)


def _is_specific(stem: str) -> bool:
    return stem not in _GOOD and not is_generic(stem)


def _stems(text: str) -> set[str]:
    return set(map(_stem, _TOKEN.findall(text)))


_OPPOSITE: dict[str, set[str]] = {}
for _pair in _OPPOSITES.split(","):
    _one, _other = map(_stem, _pair.split())
    _OPPOSITE.setdefault(_one, set()).add(_other)
    _OPPOSITE.setdefault(_other, set()).add(_one)


@dataclass(frozen=True, slots=True)
class YesNo:
    """A yes/no question: stems of its content words, whether it is negated, and whether it asks
    about a benefit.
    """

    stems: tuple[str, ...]
    negated: bool
    good: bool

    @classmethod
    def of(cls, question: str) -> "YesNo | None":
        """Parse a yes/no question; None for others, and for those that offer a choice (`or`) or
        compare (`than`).

        >>> (
        ...     YesNo.of("Do newts sing?"), YesNo.of("Do newts sing or hum?"),
        ...     YesNo.of("Which newts sing?")
        ... )
        (YesNo(stems=('newt', 'sing'), negated=False, good=False), None, None)
        >>> YesNo.of("Do newts sing more than toads?"), YesNo.of("Do they sing?")
        (None, None)
        >>> YesNo.of("Isn't velin safe?")
        YesNo(stems=('velin', 'safe'), negated=False, good=False)
        >>> YesNo.of("In cold ponds, do newts sing?").stems
        ('newt', 'sing', 'cold', 'pond')
        """
        for short, whole in _SHORT_FORMS.items():
            question = re.sub(rf"{short}['’]t\b", whole, question, flags=re.I)
        if opening := _CLAUSE_BEFORE.match(question.strip()):
            # The subject comes first.
            question = f"{opening['asked'].rstrip('? ')} {opening['clause']}"
        words = question.lower().split()
        if not _ASKS.match(question.strip()) or not {"or", "than"}.isdisjoint(words):
            return None
        tokens = map(str.lower, _TOKEN.findall(question))
        content = [token for token in tokens if token.isalnum() and token not in STOP_WORDS]
        stems = tuple(dict.fromkeys(map(_stem, content)))
        # `Is there a vaccine for malaria?` makes no claim that a sentence could affirm or deny.
        says_nothing = "there" in words[:2] and not any(map(is_generic, stems))
        # With a single content word, any sentence that contains it would take a side.
        good = not _GOOD.isdisjoint(map(_stem, words)) and not _BAD.search(question)
        return None if says_nothing or len(stems) < 2 else cls(stems, "not" in words, good)

    def read(self, sentence: str, *, title: bool = False, source: str = "") -> Stance:
        """Return the stance of a sentence or title; words it lacks may occur in `source`, the text
        of its document.

        >>> asked = YesNo.of("Is velin effective in newts?")
        >>> [asked.read(t).value for t in ("Velin is effective in newts.",
        ...     "In newts velin was ineffective.", "Newts.")]
        ['yes', 'no', '']
        >>> unclear, denied = "It is unclear whether velin is", "Velin is not"
        >>> [asked.read(f"{t} effective in newts.").value for t in (unclear, denied)]
        ['', 'no']
        >>> (
        ...     asked.read("Velin was not superior to rest in newts.").value,
        ...     asked.read("Velin in newts", title=True).value
        ... )
        ('no', '')
        """
        stance = self._said(sentence)
        may_deny = self.good and (bool(source) or self._about <= _stems(sentence))
        # All candidates of a question are read, and the patterns are slow.
        if stance is Stance.NEITHER and not may_deny:
            return Stance.NEITHER
        if _OPEN.search(sentence.strip()):
            return Stance.NEITHER
        if may_deny and (denied := self._denied(sentence, source)):
            return denied
        no_yes = (title and not states_finding(sentence)) or (self.good and _HARM.search(sentence))
        return Stance.NEITHER if no_yes and stance is Stance.YES else stance

    def _denied(self, sentence: str, source: str) -> Stance | None:
        """Return the stance of a clause that reports no benefit of the subject; None if there is
        none.

        It is neither if another clause also addresses the question (`X prevents A, but did not
        improve B`). Other statements before or after a `but` do not matter (`X was well tolerated,
        but did not improve B`).
        """
        parts = [(bool(_NO_GOOD.search(part)), part) for part in _CLAUSE.split(sentence)]
        # Few sentences deny anything, and all candidates of a yes/no question are read.
        if not any(denies for denies, _ in parts):
            return None
        about = self._about
        clauses = [(denies, _stems(part)) for denies, part in parts]
        denied = any(denies and self._subject in stems for denies, stems in clauses)
        if not denied or not about <= _stems(f"{sentence} {source}"):
            return None
        # `_CLAUSE` does not split at a `but` that keeps the subject.
        others = [part for part in re.split(r"\bbut\b", sentence) if not _NO_GOOD.search(part)]
        says_good = not _GOOD.isdisjoint(_stems(" ".join(others)))
        if says_good or any(about <= stems for denies, stems in clauses if not denies):
            return Stance.NEITHER
        return Stance.YES if self.negated else Stance.NO

    def _said(self, sentence: str) -> Stance:
        """Return the stance of a sentence from the question words, negations and antonyms in it."""
        stems = _stems(sentence)
        held = stems.intersection(self.stems)
        opposed = {
            stem for stem in self.stems if stem not in held and _OPPOSITE.get(stem, set()) & stems
        }
        lacking = set(self.stems) - held - opposed
        if len(lacking) > (1 - _SHARE) * len(self.stems):
            return Stance.NEITHER
        specific = [stem for stem in lacking if not is_generic(stem)]
        if len(specific) > (len(self.stems) >= _MANY):
            return Stance.NEITHER
        # The second half of the question: its claim about the subject, which comes first.
        wanted = held.intersection(self.stems[len(self.stems) // 2 :])
        wanted.update(*(_OPPOSITE[stem] for stem in opposed))
        parities = set[int]()
        for clause in _CLAUSE.split(sentence):
            tokens = [token.lower() for token in _TOKEN.findall(clause)]
            clause_stems = list(map(_stem, tokens))
            negations = [i for i, token in enumerate(tokens) if _negates(token)]
            bearing = (_bears(tokens, clause_stems, i, wanted) for i in negations)
            if _denials(tokens, opposed) and not (self._subject in clause_stems and all(bearing)):
                # The negation applies to something else.
                return Stance.NEITHER
            for part in _coordinates(tokens):
                if denials := _denials(part, opposed):
                    parities.add(denials % 2)
        if len(parities) > 1:
            return Stance.NEITHER
        return Stance.NO if (1 in parities) != self.negated else Stance.YES

    @property
    def _about(self) -> set[str]:
        """The specific stems of the question, all of which a denial needs."""
        return {stem for stem in self.stems if _is_specific(stem)}

    @property
    def _subject(self) -> str:
        """The first specific stem of the question: neither generic nor a word about benefit."""
        return next(filter(_is_specific, self.stems), self.stems[0])


def _negates(token: str) -> bool:
    return token in _NEGATIONS or token.endswith(("n't", "n’t"))


def _denials(tokens: Sequence[str], opposed: Iterable[str]) -> int:
    """Return the number of negations, and of opposed stems with an antonym among the tokens."""
    stems = set(map(_stem, tokens))
    antonyms = [stem for stem in opposed if not _OPPOSITE[stem].isdisjoint(stems)]
    return sum(map(_negates, tokens)) + len(antonyms)


def _coordinates(tokens: Sequence[str]) -> list[list[str]]:
    """Split a clause before each `and`, `or` and `nor`: what is denied on both sides is denied
    twice, not affirmed.
    """
    parts = list[list[str]]([[]])
    for token in tokens:
        if token in ("and", "or", "nor"):
            parts.append([])
        parts[-1].append(token)
    return parts


def _bears(tokens: Sequence[str], stems: Sequence[str], at: int, wanted: set[str]) -> bool:
    """Return whether the negation at index `at` applies to one of the wanted stems."""
    if tokens[at + 1 : at + 2] and tokens[at + 1] in _NO_NEGATION:
        return False
    for token, stem in zip(tokens[at + 1 : at + 1 + _SCOPE], stems[at + 1 :], strict=False):
        if token in _ENDS:
            return False
        if stem in wanted:
            return True
    return False
