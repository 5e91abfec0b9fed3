"""Headings of papers and labels of abstracts, and sentences without them."""

import re
from functools import lru_cache

from features.patterns import regex

_HEADINGS = {
    "abstract": "abstract|summary|synopsis|executive summary",
    "highlights": "authors?['’]?s? summary|(statement of )?significance( "
    "statement)?|highlights|in brief|key points"
    "|graphical abstract|editor['’]?s summary|plain language summary|translational relevance",
    "introduction": "introduction|background|main text|main|introduction and background|text",
    "methods": "(materials?|patients?|subjects?|animals?|participants|samples?|data|design)"
    "(,? (materials?|patients?|animals?|cells))?,? (and|&) methods?"
    "|methods?( (and|&) (materials?|patients|data|subjects))?|(online|supplementary) "
    "methods|methods? summary"
    "|experimental( (procedures?|section|methods?|design|part))?|methodology|star "
    "methods|materials?|procedures"
    "|(our|the|proposed|basic) (approach|method|model|algorithm)|approach",
    "results": "(main |experimental )?results?( (and|&) "
    "(discussions?|evaluation|analysis))?|findings"
    "|experiments?( (and|&) (results?|evaluation))?|(experimental )?evaluation( (and|&) results?)?",
    "discussion": "(general |overall )?discussions?( (and|&) (conclusions?|perspectives?|future "
    "directions|outlook))?"
    "|comments?",
    "conclusion": "(general )?conclusions?|concluding (remarks?|comments|thoughts)"
    "|(conclusions?|summary) (and|&) .{1,40}|(future "
    ")?(perspectives?|prospects|directions|outlook)|closing remarks"
    "|(conclusions?,? )?(and )?future (work|research)",
    "acknowledgements": "acknowledge?ments?( .{1,30})?|funding( statement| sources?| information)?"
    "|financial (support|disclosures?)|(conflicts? of|competing)( financial)? interests?( "
    "statement| disclosure)?"
    "|disclosures?( (of|statement).{0,60})?|authors?['’]? contributions?|grant support"
    "|sources? of (support|funding)|declarations?( of .{1,30})?|contributors",
    "supplement": "(electronic |on-?line )?suppl(ementary|emental|\\.) "
    "(materials?|information|data|files?|content)"
    "|supporting (information|materials?)|supplements?|appendix( [a-z]\\.? ?(suppl.{1,30})?)?"
    "|pre-publication history|additional (files?|material)|accession (numbers?|codes?)"
    "|data (availability|deposition).{0,20}|web (site )?references|urls?",
    "references": "references?( (and|&) (notes|recommended reading|further reading))?|references? "
    "cited|bibliography"
    "|literature( cited)?|cited literature|works cited|notes (and|&) references"
    "|(recommended|further|suggested|selected) readings?",
    "figure": "(legends? (to|for|of) )?figures?( and tables?)?( legends?| captions?)?|legends?"
    "|supplementary figure legends?",
    "front": "(author )?key ?words( and phrases)?|index terms|subject (terms|areas|headings)"
    "|(non-?standard )?abbreviations( used)?|footnotes|author "
    "(information|affiliations|notes)|affiliations"
    "|article (notes|history|information|outline)|notes|correspondence|nomenclature|mesh terms",
}
_KINDS = {kind: regex(wording, re.IGNORECASE) for kind, wording in _HEADINGS.items()}
_NUMBERING = regex(r"(?:\d{1,2}|[IVX]{1,5}|[A-H](?=[.)]))(?:\.\d{1,2}){0,4}[.)]?[\s\u00a0]+(?=\S)")


def section_kind(heading: str) -> str:
    """Return the section kind of a heading, one of `ilpsum.papers.layout.SECTION_KINDS`;
    empty if unknown.

    >>> (
    ...     section_kind("2. Materials and Methods"), section_kind("RESULTS AND DISCUSSION"),
    ...     section_kind("Cell death")
    ... )
    ('methods', 'results', '')
    """
    if len(heading) > 80:
        return ""
    bare = " ".join(_NUMBERING.sub("", heading, count=1).split()).strip(" .:;–—-•*#►")
    return next((kind for kind, wording in _KINDS.items() if wording.fullmatch(bare)), "")


# Words in labels, by the part of an abstract that they name. A label with words of two parts names
# neither; the part "other" says nothing about the study; words of the part "" make a label vague;
# fillers are ignored.
_WORDS_OF = {
    "background": "background context importance introduction",
    "aim": """
        aim aims goal goals hypotheses hypothesis motivation object objective objectives purpose
        purposes
        question questions rationale
        """,
    "method": """
        criteria design extraction intervention interventions material materials measure measurement
        measurements measures method methodology methods participants patient patients procedure
        procedures
        search selection setting settings source sources strategy subject subjects
        """,
    "result": "findings result results",
    "conclusion": "conclusion conclusions discussion interpretation summary",
    "significance": "significance",
    "other": "availability contact covered funding registration scope supplementary",
    "filler": """
        analyses analysis and authors data experimental key main of or outcome outcomes primary
        principal
        research secondary study the
        """,
    "": """
        a abstract acquisition approach approaches area areas author case cases challenge challenges
        classification
        clinical collection commentary comparison comparisons condition conditions considerations
        content definition
        definitions description diagnosis eligibility evaluation evidence exclusion expert focus for
        future general
        highlights history home implementation implication implications in included inclusion
        information is knowledge
        known lay learning level limitation limitations literature major message need new number
        observation
        observations opinion overview perspective perspectives pharmacological point points
        population practice
        presentation problem prospects recent recommendation recommendations relevance report
        reports review sample
        state synthesis systematic take target this to translational treatment trial trials
        unlabelled update what
        """,
}
_PART_OF = {word: part for part, words in _WORDS_OF.items() for word in words.split()}

PARTS = ("background", "aim", "method", "result", "conclusion")
"""Parts of an abstract, which are also the rhetorical roles of its sentences."""

_PART_LABEL = regex(r"([^.:]{3,80}):\s+(?=\S)")
# Without a colon, only capitals distinguish a label from the words of a sentence.
_BARE_LABEL = regex(
    r"((?:[A-Z]{4,}+|AND|OF|&|/)(?:[ /,&]++(?:[A-Z]{3,}+|OF))*(?:[ "
    r"/,&]*&)?)\s+(?=[A-Z][a-z]|\d|[A-Z]\s[a-z])"
)
# A label in the case of a sentence stands before a capital that only a sentence's first word
# explains.
_TITLE_LABEL = regex(r"([A-Z]\w+(?:(?:\s(?:and|&)\s|/)\w+)?)\s(?=[A-Z][\w'’-]*,?\s[a-z(\d])")
# [3, 4-6]; [Newt et al., 2010; Toad, 2011]; (Newt et al., 2010); but not in names such as G1P[8].
_CITATION_LIST = regex(
    r"(?<!\s)(?:\s++|(?<=[a-z]{3})|(?<=[.,;:)\]]))"
    r"(?:\[\d{1,4}(?:\s*+[,;–-]\s*+\d{1,4})*\]|\[(?=[^\[\]]*+\])[^\[\]]*\bet al\b[^\[\]]*\]"
    r"|\([^()]{0,1000}\bet al\b\.?,?\s{0,9}\(?\d{4}[^()]{0,1000}\))"
)
_INSERTED = regex(
    r"(?<!\s)\s*+\[(?:corrected|sic|see comments?|author's transl|proceedings)\]",
    re.IGNORECASE,
)
_WORDS = regex(r"[^\W\d_]+")
_FEWEST_LETTERS = 3  # of a truncated word


def part_of(label: str) -> str:
    """Return the part of an abstract, one of `PARTS`, that a label names; empty if it names none or
    several.

    >>> (
    ...     part_of("METHODS"), part_of("Main outcome measures:"), part_of("METHODS AND RESULTS"),
    ...     part_of("FUNDING")
    ... )
    ('method', 'method', '', '')
    """
    named = _parts(label) - {"filler"}
    part = named.pop() if len(named) == 1 else ""
    return part if part in PARTS else ""


def effective_label(label: str, category: str) -> str:
    """Return a label, or PubMed's `NlmCategory` if the label names no part.

    >>> (
    ...     effective_label("What we did", "METHODS"), effective_label("Findings", "METHODS"),
    ...     effective_label("Note", "")
    ... )
    ('METHODS', 'Findings', 'Note')
    """
    return label if _parts(label) - {"", "filler"} else category or label


def is_abstract_label(line: str) -> bool:
    """Return whether a line is a label in a structured abstract: its words are those of labels, and
    one of them names a part.

    Labels are, for example, `Background` and `Main outcome measures:`.
    """
    return len(line) <= 80 and _is_label(line) and bool(_parts(line) - {"", "filler"})


def _parts(label: str) -> set[str]:
    return {_PART_OF.get(word, "") for word in _WORDS.findall(label.lower())}


def label_of(text: str) -> str:
    """Return the label at the start of a sentence, with its colon and space; empty if there is
    none.

    Before a colon, the label may lack its first letters, as in truncated snippets.

    >>> (
    ...     label_of("AIMS AND SCOPE: Newts."), label_of("BJECTIVE: Newts."),
    ...     label_of("RESULTS Newts sing.")
    ... )
    ('AIMS AND SCOPE: ', 'BJECTIVE: ', 'RESULTS ')
    >>> (
    ...     label_of("Results We found newts."), label_of("Results of newts vary."),
    ...     label_of("Results From All Ponds")
    ... )
    ('Results ', '', '')
    """
    label = _PART_LABEL.match(text)
    if label and ((label[1][0].isupper() and _is_label(label[1])) or _is_cut_label(label[1])):
        return label[0]
    label = _BARE_LABEL.match(text)
    if label and _is_label(label[1]):
        return label[0]
    label = _TITLE_LABEL.match(text)
    return label[0] if label and part_of(label[1]) else ""


# Coherence rules and features repeatedly ask for the label of a sentence.
@lru_cache(maxsize=1 << 12)
def without_label(text: str) -> str:
    """Return a sentence without the one or two labels at its start (`METHODS: DESIGN: ...`)."""
    first = text.removeprefix(label_of(text))
    return first if first == text else first.removeprefix(label_of(first))


def without_additions(text: str) -> str:
    """Return a sentence without labels, citation lists and editorial insertions."""
    text = without_label(text)
    return (
        _CITATION_LIST.sub("", _INSERTED.sub("", text)) if "[" in text or "et al" in text else text
    )


def _is_label(text: str) -> bool:
    words = _WORDS.findall(text.lower())
    return 0 < len(words) <= 8 and _PART_OF.keys() >= set(words)


def _is_cut_label(text: str) -> bool:
    """Return whether a text is a label truncated at its start, within a word: `EAS COVERED`,
    `thods`.
    """
    first, *others = _WORDS.findall(text.lower()) or [""]
    if len(first) < _FEWEST_LETTERS or first in _PART_OF:
        return False
    if not (text.isupper() or text[0].islower()) or not _PART_OF.keys() >= set(others):
        return False
    return any(word.endswith(first) for word in _PART_OF)
