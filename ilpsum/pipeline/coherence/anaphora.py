"""Connectives and anaphora: sentence openings that depend on the preceding sentence.

Connectives (`However, ...`, `In contrast, ...`, `Second, ...`) can be removed if the preceding
sentence is missing. Anaphoric expressions (`These results ...`, `They ...`, `In such patients ...`)
make no sense without it. Expressions without an antecedent are neither: `This study` (the cited
abstract itself), `It is known that`, `Those with asthma`, `Both A and B`.
"""

import re
from functools import lru_cache

from features.patterns import regex
from ilpsum.papers.headings import without_label

_CONNECTIVE = regex(
    r"""(?:
        however|therefore|thus(?!\ far\b)|hence|moreover|furthermore|additionally|consequently
        |nevertheless|nonetheless
        |conversely|similarly|likewise|accordingly|otherwise|subsequently|meanwhile|thereby
        |thereafter|correspondingly
        |yet(?!\ to\b)|and|but|or|nor|indeed
        |in\ (?:addition(?!\ to\b)|contrast(?!\ (?:to|with)\b)|comparison(?!\ (?:to|with)\b)|turn
        |particular|fact
           |other\ words)
        |by\ contrast|as\ (?:a\ (?:result|consequence)(?!\ of\b)|such|well(?!\ as\b))
        |for\ (?:example|instance)
        |on\ the\ (?:other\ hand|one\ hand|contrary)|at\ the\ same\ time|even\ so|if\ (?:so|not)\b
        |more\ specifically
        |(?:also|further|besides|instead|rather|then|still|so|specifically|alternatively|finally
        |lastly|equally
           |(?:first|second|third|fourth|last|next)(?:ly)?)(?=,)
    )(?![\w-]),?\s+""",
    re.IGNORECASE | re.VERBOSE,
)
# A word capitalised only at the beginning of a sentence: `newts`, not `miR-372` or `p53`.
_PLAIN_WORD = regex(r"[a-z]+(?![\w-])")
# Nouns that refer to the abstract's own study, with modifiers: `This phase 2, double-blind trial`.
_MODIFIER = (
    r"(?:(?!(?:is|are|was|were|be|been|has|have|had|may|can|could|did|does|in|of|by|for|with|on|to"
    r"|that|which|from|at|as|and|or|the|a|an|we)\b)[\w-]+,?\s+)"
)
_ITSELF = (
    r"(?:(?:is|was)\s+(?:an?|the\s+first|one\s+of\s+the\s+first)\s+)?"
    rf"{_MODIFIER}{{0,7}}"
    r"(?:study|research|review|article|paper|report|work|trial|survey|chapter|meta-?analysis"
    r"|guidelines?|guidance|case|overview|update|commentary|analysis|investigation|issue|statement"
    r"|document|perspective)\b"
)
# What may precede an anaphoric word: `In these patients`, `Taken together, this`, `To test this`,
# `Clinically, it`.
_BEFORE = regex(
    r"""(?:(?:
        (?:in\ order\ )?to(?:\ [a-z-]+){1,4}?(?=\ (?:this|these)\b)
        |to\ [a-z]+(?=\ (?:it|them|so)\b)
        |\w+ly(?=,)
        |in|of|among|amongst|for|to|by|from|with|within|without|at|on|upon|after|before|during
        |despite|under|through|using|given|because(?:\ of)?|due\ to|owing\ to|based\ on
        |according\ to|beyond|unlike|like|as|while|although|though|since|if|when|where|whereas
        |taken|all|some|most|many|several|together
        |(?:one|two|each|part|both|none|neither)\ of
        |(?:consistent|together|compared)\ (?:with|to)
        |in\ (?:line|addition|contrast|response|accordance|light|view)\ (?:with|to|of)
        |collectively|overall|in\ (?:conclusion|summary)|only),?\s+)""",
    re.IGNORECASE | re.VERBOSE,
)
# An impersonal `it`: `It is known that`, `It is important to`; not `It appears to reduce` or `It is
# a gene that`.
_COPULA = (
    r"(?:is|was|has\ been|remains?|seems|appears|may\ be|might\ be|can\ be|should\ be|would\ be"
    r"|became|becomes)"
)
_JUDGED = (
    r"(?:advisable|appropriate|challenging|common|critical|crucial|desirable|difficult|easy"
    r"|essential|feasible|good|hard|helpful|imperative|important|impossible|impractical"
    r"|interesting|mandatory|natural|necessary|noteworthy|possible|practical|preferable|premature"
    r"|prudent|reasonable|recommended|tempting|unlikely|urgent|useful|usual|vital|wise|worthwhile)"
)
_ANAPHOR = regex(
    rf"""(?:
        this(?!\s+{_ITSELF})
        |these(?!\s+(?:guidelines|recommendations|guidance)\b)
        |those(?!\s+(?:
            who|that|which|whose|with|without|in|of|from|having|aged|at|on|\w+ing
           |\w+ed)\b)
        |such(?!\s+as\b)
        |so(?=,)|they|them|their|theirs|themselves|(?-i:He|She|His|Her)|its|itself
        |it(?!\s+is\ (?:now|almost|about|over|more\ than)\b)
            (?!\s+(?:is|was)\s+(?:(?-i:[A-Z])[\w-]+\s+){{1,3}}(?:who|that)\b)
            (?!\s+{_COPULA}\s+(?:(?!(?:an?|the|one)\b)[\w-]+\s+){{0,3}}(?:that|whether|why|how
            |unclear|unknown)\b)
            (?!\s+{_COPULA}\s+(?:\w+ly\s+|also\s+|more\s+
            |not\s+)?{_JUDGED}\s+(?:for\s+(?:[\w-]+\s+){{1,4}})?to\b)
        |(?:the\ )?(?:latter|former|aforementioned|above)
        |the\ (?:same|other|others|rest|remaining|other\ two)(?!\s+(?:most|main|major|types?
        |forms?)\b)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
# Quantities of a previously mentioned entity: `Both were`, `One of them`, `One such newt`,
# `Another, ...`.
_QUANTITY = regex(
    r"""(?:both|neither|either|none|some|most|many|all|several|few|each|one|two|three|four|five
    |half|another|others)
        (?:\s+of\s+(?:them|these|those|which|whom)\b|\s+such\b(?!\ as\b)
           |\s+(?:were|was|are|is|had|have|has|showed|may|can|did|received)\b|,)
        |another\b|others\b""",
    re.IGNORECASE | re.VERBOSE,
)
# A reference to an earlier sentence after a few words: `Expansion of these cells`, `We show that
# both trials`.
_INSIDE = regex(
    rf"""(?:[\w(),/-]+\s+){{1,5}}?(?:
        (?:these|those|both)\s+(?:two\s+|three\s+)?[a-z-]+s\b(?!\s+(?:and|of|or|that|which|who
        |with)\b)
        |(?:by|for|from|in|of|on|to|with)\s+this\s+(?!{_ITSELF})[a-z])""",
    re.VERBOSE,
)

# The abstract's subject, not named: `The disease is rare`.
_UNNAMED = regex(
    r"""the\ (?:algorithm|approach|condition|data|database|disease|disorder|drug|infection|method
    |package|procedure
        |results|software|statistics|syndrome|technique|tool|tumou?rs?)\s+
        (?:also|are|can|could|do(?:es)?|has|have|is|may|might|must|should|was|were|will|would
           |(?:show|suggest|include|provide|cause|affect)s?)\b""",
    re.IGNORECASE | re.VERBOSE,
)


# Roles, statements and rules ask for it in turn.
@lru_cache(maxsize=1 << 11)
def connective(text: str) -> str:
    """Return the connectives that open a sentence after any label, with their commas and spaces:
    the verbatim start of `without_label(text)`, by whose length callers cut it; empty without one.

    >>> (
    ...     connective("However, newts sing."), connective("RESULTS: And yet newts sing."),
    ...     connective("Newts sing.")
    ... )
    ('However, ', 'And yet ', '')
    """
    opening = without_label(text)
    end = 0
    while match := _CONNECTIVE.match(opening, end):
        end = match.end()
    return opening[:end]


def without_connective(text: str) -> str:
    """Return a sentence without its label and opening connectives, recapitalised; unchanged if it
    has no connective.

    >>> without_connective("However, newts sing."), without_connective("Thus far, newts sing.")
    ('Newts sing.', 'Thus far, newts sing.')
    """
    opening = connective(text)
    rest = without_label(text)[len(opening) :] if opening else text
    return rest[:1].upper() + rest[1:] if opening and _PLAIN_WORD.match(rest) else rest


def is_anaphoric(text: str) -> bool:
    """Whether a sentence opens (after any connectives) with an expression that needs the preceding
    sentence.

    >>> [is_anaphoric(t) for t in ("However, this is so.", "In these ponds newts sing.",
    ...     "RESULTS: They sing.")]
    [True, True, True]
    >>> [is_anaphoric(t) for t in ("However, newts sing.", "It is known that newts sing.",
    ...     "Those with gills swim.")]
    [False, False, False]
    >>> [is_anaphoric(t) for t in ("Also, it appears to help.", "It is a gene that newts have.",
    ...     "It is hard to hear.")]
    [True, True, False]
    """
    opening = without_connective(without_label(text))[:200].lstrip(" \t\"'“‘(*•–—-")
    if _QUANTITY.match(opening):
        return True
    for _ in range(3):
        if _ANAPHOR.match(opening):
            return True
        before = _BEFORE.match(opening)
        if before is None:
            return False
        opening = opening[before.end() :]
    return False


def lacks_referent(text: str) -> bool:
    """Whether a sentence refers within its first words to something that it does not name.

    >>> texts = (
    ...     "Use of these ponds is rare.", "The disease is rare.",
    ...     "The disease of newts is rare."
    ... )
    >>> [lacks_referent(text) for text in texts]
    [True, True, False]
    """
    opening = without_connective(text)
    return is_anaphoric(opening) or bool(_INSIDE.match(opening) or _UNNAMED.match(opening))
