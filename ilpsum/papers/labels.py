"""What stands in the sentences of abstracts and is no part of them: labels (`METHODS: We ...`), lists of citations."""

import re

from ilpsum.papers.headings import is_abstract_label

_LABEL = re.compile(r"([^.:]{3,80}):\s+(?=\S)")
# Without a colon only capitals tell a label from the words of a sentence.
_BARE_LABEL = re.compile(r"((?:[A-Z]{4,}|AND|OF|&|/)(?:[ /,&]+(?:[A-Z]{3,}|OF|&))*)\s+(?=[A-Z][a-z]|\d|[A-Z]\s[a-z])")
# The words that labels of abstracts consist of, beside those of `ilpsum.papers.headings`.
_LABEL_WORDS = frozenset(
    """
    a abstract aim aims analyses analysis and approach approaches area areas author authors availability background
    case cases challenge challenges classification clinical collection commentary comparison comparisons conclusion
    conclusions condition conditions considerations contact content context covered criteria data description design
    diagnosis discussion eligibility evaluation evidence exclusion experimental expert extraction findings focus for
    funding future general goal goals highlights history home hypotheses hypothesis implementation implication
    implications importance in included inclusion information interpretation intervention interventions introduction
    is key knowledge known lay learning level limitation limitations literature main major material materials
    measure measurement measurements measures message method methodology methods motivation need new number object
    objective objectives observation observations of opinion or outcome outcomes overview participants patient
    patients perspective perspectives pharmacological point points population practice presentation primary
    principal problem procedure procedures prospects purpose purposes question questions rationale recent
    recommendation recommendations registration relevance report reports research result results review sample scope
    search secondary selection setting settings significance source sources state strategy study subject subjects
    summary supplementary synthesis systematic take target the this to translational treatment trial trials
    unlabelled update what
    """.split()
)
# [3, 4-6]; [Newt et al., 2010; Toad, 2011]; (Newt et al., 2010).
_CITATION_LIST = re.compile(
    r"\s*(?:\[\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*\]|\[[^\[\]]*\bet al\b[^\[\]]*\]"
    r"|\([^()]*\bet al\b\.?,?\s*\(?\d{4}[^()]*\))"
)
_INSERTED = re.compile(r"\s*\[(?:corrected|sic|see comments?|author's transl|proceedings)\]", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+")


def label_of(text: str) -> str:
    """The label of a structured abstract that a sentence begins with, with its colon if it has one; empty without.

    >>> label_of("AIMS AND SCOPE: Newts."), label_of("RESULTS Newts sing."), label_of("Newts: a review.")
    ('AIMS AND SCOPE: ', 'RESULTS ', '')
    """
    label = _LABEL.match(text)
    if label and (is_abstract_label(label[1]) or _is_label(label[1])):
        return label[0]
    label = _BARE_LABEL.match(text)
    return label[0] if label and _is_label(label[1]) else ""


def without_label(text: str) -> str:
    """A sentence without the labels that it begins with; the second is that of a part in the first (`DESIGN: ...`)."""
    for _ in range(2):
        text = text.removeprefix(label_of(text))
    return text


def bare(text: str) -> str:
    """A sentence without label, lists of citations, and what editors insert.

    >>> bare("RESULTS: Newts sing [3, 4-6] (Newt et al., 2010) lowly [corrected].")
    'Newts sing lowly.'
    """
    return _CITATION_LIST.sub("", _INSERTED.sub("", without_label(text)))


def _is_label(text: str) -> bool:
    words = _WORDS.findall(text.lower())
    return 0 < len(words) <= 8 and (text[0].isupper()) and _LABEL_WORDS.issuperset(words)
