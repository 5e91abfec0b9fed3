"""Labels of structured abstracts (`METHODS: We ...`), the parts they name, and citations inserted into sentences."""

import re
from functools import lru_cache

from ilpsum.formats.papers.headings import is_abstract_label

# Words in labels, by the part of an abstract that they name. A label with words of two parts names neither; the part
# "other" is not about the study's content; words of the part "" make a label vague; fillers are ignored.
_WORDS_OF = {
    "background": "background context importance introduction",
    "aim": """
        aim aims goal goals hypotheses hypothesis motivation object objective objectives purpose purposes
        question questions rationale
        """,
    "method": """
        criteria design extraction intervention interventions material materials measure measurement
        measurements measures method methodology methods participants patient patients procedure procedures
        search selection setting settings source sources strategy subject subjects
        """,
    "result": "findings result results",
    "conclusion": "conclusion conclusions discussion interpretation summary",
    "significance": "significance",
    "other": "availability contact covered funding registration scope supplementary",
    "filler": """
        analyses analysis and authors data experimental key main of or outcome outcomes primary principal
        research secondary study the
        """,
    "": """
        a abstract acquisition approach approaches area areas author case cases challenge challenges classification
        clinical collection commentary comparison comparisons condition conditions considerations content definition
        definitions description diagnosis eligibility evaluation evidence exclusion expert focus for future general
        highlights history home implementation implication implications in included inclusion information is knowledge
        known lay learning level limitation limitations literature major message need new number observation
        observations opinion overview perspective perspectives pharmacological point points population practice
        presentation problem prospects recent recommendation recommendations relevance report reports review sample
        state synthesis systematic take target this to translational treatment trial trials unlabelled update what
        """,
}
_PART_OF = {word: part for part, words in _WORDS_OF.items() for word in words.split()}

PARTS = ("background", "aim", "method", "result", "conclusion")
"""Parts of an abstract, which are also the rhetorical roles of its sentences."""

_LABEL = re.compile(r"([^.:]{3,80}):\s+(?=\S)")
# Without a colon, only capitals distinguish a label from the words of a sentence.
_BARE_LABEL = re.compile(
    r"((?:[A-Z]{4,}+|AND|OF|&|/)(?:[ /,&]++(?:[A-Z]{3,}+|OF))*+(?:[ /,&]*&)?)\s+(?=[A-Z][a-z]|\d|[A-Z]\s[a-z])"
)
# [3, 4-6]; [Newt et al., 2010; Toad, 2011]; (Newt et al., 2010); but not in names such as G1P[8].
_CITATION_LIST = re.compile(
    r"(?<!\s)(?:\s++|(?<=[a-z]{3})|(?<=[.,;:)\]]))"
    r"(?:\[\d{1,4}(?:\s*+[,;–-]\s*+\d{1,4})*+\]|\[(?=[^\[\]]*+\])[^\[\]]*\bet al\b[^\[\]]*\]"
    r"|\([^()]{0,1000}\bet al\b\.?,?\s{0,9}\(?\d{4}[^()]{0,1000}\))"
)
_INSERTED = re.compile(r"(?<!\s)\s*+\[(?:corrected|sic|see comments?|author's transl|proceedings)\]", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+")
_FEWEST_LETTERS = 3  # of a truncated word


def part_of(label: str) -> str:
    """Return the part of an abstract, one of `PARTS`, that a label names; empty if it names none or several.

    >>> part_of("METHODS"), part_of("Main outcome measures:"), part_of("METHODS AND RESULTS"), part_of("FUNDING")
    ('method', 'method', '', '')
    """
    named = _parts(label) - {"filler"}
    part = named.pop() if len(named) == 1 else ""
    return part if part in PARTS else ""


def effective_label(label: str, category: str) -> str:
    """Return a label, or PubMed's `NlmCategory` if the label names no part.

    >>> effective_label("What we did", "METHODS"), effective_label("Findings", "METHODS"), effective_label("Note", "")
    ('METHODS', 'Findings', 'Note')
    """
    return label if _parts(label) - {"", "filler"} else category or label


def _parts(label: str) -> set[str]:
    return {_PART_OF.get(word, "") for word in _WORDS.findall(label.lower())}


def label_of(text: str) -> str:
    """Return the label at the start of a sentence, with its colon and space; empty if there is none.

    Before a colon, the label may lack its first letters, as in truncated snippets.

    >>> label_of("AIMS AND SCOPE: Newts."), label_of("BJECTIVE: Newts."), label_of("RESULTS Newts sing.")
    ('AIMS AND SCOPE: ', 'BJECTIVE: ', 'RESULTS ')
    """
    label = _LABEL.match(text)
    if label and (is_abstract_label(label[1]) or _is_label(label[1]) or _is_cut_label(label[1])):
        return label[0]
    label = _BARE_LABEL.match(text)
    return label[0] if label and _is_label(label[1]) else ""


# Coherence rules and features repeatedly ask for the label of a sentence.
@lru_cache(maxsize=1 << 12)
def without_label(text: str) -> str:
    """Return a sentence without the one or two labels at its start (`METHODS: DESIGN: ...`)."""
    first = text.removeprefix(label_of(text))
    return first if first == text else first.removeprefix(label_of(first))


def without_additions(text: str) -> str:
    """Return a sentence without labels, citation lists and editorial insertions."""
    text = without_label(text)
    return _CITATION_LIST.sub("", _INSERTED.sub("", text)) if "[" in text or "et al" in text else text


def _is_label(text: str) -> bool:
    words = _WORDS.findall(text.lower())
    return 0 < len(words) <= 8 and text[0].isupper() and _PART_OF.keys() >= set(words)


def _is_cut_label(text: str) -> bool:
    """Return whether a text is a label truncated at its start, within a word: `EAS COVERED`, `thods`."""
    first, *others = _WORDS.findall(text.lower()) or [""]
    cut = len(first) >= _FEWEST_LETTERS and (text.isupper() or text[0].islower()) and first not in _PART_OF
    return cut and _PART_OF.keys() >= set(others) and any(word.endswith(first) for word in _PART_OF)
