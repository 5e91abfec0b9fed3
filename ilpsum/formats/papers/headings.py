"""Patterns of scraped papers: headings, and lines of the web page that are not part of the paper."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal


@dataclass(frozen=True, slots=True)
class CaptionLabel:
    """The label that opens a figure or table caption: its number (`2`, `S1`), and the rest of the line."""

    role: Literal["caption", "table"]
    number: str
    caption: str


_HEADINGS = {
    "abstract": "abstract|summary|synopsis|executive summary",
    "highlights": "authors?['’]?s? summary|(statement of )?significance( statement)?|highlights|in brief|key points"
    "|graphical abstract|editor['’]?s summary|plain language summary|translational relevance",
    "introduction": "introduction|background|main text|main|introduction and background|text",
    "methods": "(materials?|patients?|subjects?|animals?|participants|samples?|data|design)"
    "(,? (materials?|patients?|animals?|cells))?,? (and|&) methods?"
    "|methods?( (and|&) (materials?|patients|data|subjects))?|(online|supplementary) methods|methods? summary"
    "|experimental( (procedures?|section|methods?|design|part))?|methodology|star methods|materials?|procedures"
    "|(our|the|proposed|basic) (approach|method|model|algorithm)|approach",
    "results": "(main |experimental )?results?( (and|&) (discussions?|evaluation|analysis))?|findings"
    "|experiments?( (and|&) (results?|evaluation))?|(experimental )?evaluation( (and|&) results?)?",
    "discussion": "(general |overall )?discussions?( (and|&) (conclusions?|perspectives?|future directions|outlook))?"
    "|comments?",
    "conclusion": "(general )?conclusions?|concluding (remarks?|comments|thoughts)"
    "|(conclusions?|summary) (and|&) .{1,40}|(future )?(perspectives?|prospects|directions|outlook)|closing remarks"
    "|(conclusions?,? )?(and )?future (work|research)",
    "acknowledgements": "acknowledge?ments?( .{1,30})?|funding( statement| sources?| information)?"
    "|financial (support|disclosures?)|(conflicts? of|competing)( financial)? interests?( statement| disclosure)?"
    "|disclosures?( (of|statement).{0,60})?|authors?['’]? contributions?|grant support"
    "|sources? of (support|funding)|declarations?( of .{1,30})?|contributors",
    "supplement": "(electronic |on-?line )?suppl(ementary|emental|\\.) (materials?|information|data|files?|content)"
    "|supporting (information|materials?)|supplements?|appendix( [a-z]\\.? ?(suppl.{1,30})?)?"
    "|pre-publication history|additional (files?|material)|accession (numbers?|codes?)"
    "|data (availability|deposition).{0,20}|web (site )?references|urls?",
    "references": "references?( (and|&) (notes|recommended reading|further reading))?|references? cited|bibliography"
    "|literature( cited)?|cited literature|works cited|notes (and|&) references"
    "|(recommended|further|suggested|selected) readings?",
    "figure": "(legends? (to|for|of) )?figures?( and tables?)?( legends?| captions?)?|legends?"
    "|supplementary figure legends?",
    "front": "(author )?key ?words( and phrases)?|index terms|subject (terms|areas|headings)"
    "|(non-?standard )?abbreviations( used)?|footnotes|author (information|affiliations|notes)|affiliations"
    "|article (notes|history|information|outline)|notes|correspondence|nomenclature|mesh terms",
}
_KINDS = {kind: re.compile(wording, re.IGNORECASE) for kind, wording in _HEADINGS.items()}
# Labels in a structured abstract, as whole lines. Stricter than `ilpsum.formats.papers.headings`, which would
# accept headings of a paper such as "Study population".
_LABEL = re.compile(
    r"(study )?(background|objectives?|purpose|aims?|context|importance|rationale|hypothes[ie]s|design|settings?"
    r"|patients|participants|subjects|interventions?|measurements?|(main )?outcome( measures?)?|limitations|scope"
    r"|(principal |main |key )?(findings|results)|interpretation|introduction|discussion|materials? and methods"
    r"|(methods?|methodolog(y|ies)|conclusions?)( ?(/|and|&) ?(principal )?(findings|results|significance"
    r"|relevance|interpretation))?|significance|experimental design|data sources|study selection|data extraction"
    r"|translational relevance|trial registration|funding)"
    r"( ?(and|&|/) ?(objectives?|purpose|aims?|methods?|scope|setting))?",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"(?:\d{1,2}|[IVX]{1,5}|[A-H](?=[.)]))(?:\.\d{1,2}){0,4}[.)]?[\s\u00a0]+(?=\S)")
_MAIN_NUMBER = re.compile(r"(?:\d{1,2}|[IVX]{1,5})(?:\.\s?|\s)\s*(?=[^\W\d])")
_PAGE = re.compile(
    r"""go\ to:|show\ (more|less)|top|open\ a(rchive|ccess).{0,60}|(next|previous)\ section.*|back\ to\ top
    |jump\ to.{0,40}|full[- ]size\ (image|table).*|(figure|table)\ options.*|download\b.{0,80}
    |view\ (larger|this|all|full|large)\b.{0,60}|in\ (this|a\ new)\ (page|window).{0,60}
    |(png|tiff)\ (larger|original)\ image.*|click\ here\ (for|to)\b.{0,80}|help\ with\ \w+\ files.*|cover\ image
    |image|thumbnail|ppt\ powerpoint\ slide|open\ menu|article|(formula|graphic|equation)(\ image|\s?\([\w.]+\))?
    |turn\ mathjax\ on|view\ the\ mathml\ source|(\w+\ )?an\ external\ file\ that\ holds\ a\ picture.*
    |object\ name\ is\ \S+\.(jpe?g|gif|png)\b.{0,150}|logo\ of\ .{1,40}|https?://\S+
    |(doi|pmcid|pmid|\w{2,6}msid|issn)\b:?.{0,60}
    |(author\ information|article\ notes|copyright)\b.{0,60}►.*
    |.*(view\ record\ in\ scopus|full\ text\ via\ crossref|citing\ articles\ \(|cited\ by\ in\ scopus
       |google\ scholar|\[pubmed\]|\[pmc\ free\ article\]|abstract/free\ full\ text).*
    |(article\s*\|\s*)?pdf\ \([\d.,]+\s*[km]b?\).*|under\ an\ elsevier\ user\ license|get\ rights\ and\ content
    |(.{0,60}\ )?(©|copyright\b).{0,160}|.{0,40}all\ rights\ reserved.?
    |\(?(tiff?|pdf|docx?|xlsx?|mov|avi|mpe?g|zip|jpe?g|pptx?|eps|txt|csv)\)?|\([\d.]+\s?[km]b\ \w{2,4}\)
    |the\ publisher['’]s\ final\ edited.*|see\ other\ articles\ in\ pmc.*|this\ article\ has\ been\ cited\ by.*
    |(e-?mail\ the\ )?corresponding\ author(\ contact\ information)?.{0,60}|additional\ file\ \d+:?
    |publisher['’]s\ disclaimer.*|[^\W\d_]{1,2}""",
    re.IGNORECASE | re.VERBOSE,
)
_MAIN_TEXT = re.compile(r"(main )?text|main", re.IGNORECASE)
_BREAK = re.compile(r"go to:|(next|previous) section.*", re.IGNORECASE)
_FLOAT_LINK = re.compile(
    r"view (larger|this)\b.{0,40}|in (this|a new) (page|window).{0,60}|download\b.{0,60}|full[- ]size image.*",
    re.IGNORECASE,
)
_LONGEST = 1000  # no page line is longer
_SHORT = 300
_LETTER = re.compile(r"[^\W\d_]")
_FRONT = re.compile(
    r"(key ?words?( and phrases)?|abbreviations?( used)?|index terms|subject terms|running (title|head))\s?[:.–—-].*"
    r"|key ?words?\s.*|(competing interests|conflicts? of interest|funding|author contributions)\s?[:.].*",
    re.IGNORECASE,
)
_SHORT_FRONT = re.compile(
    r"((manuscript |revision )?(received|accepted)\b.*\d|(edited|communicated|contributed) by\b"
    r"|correspondence( to)?\s?:|requests for reprints|(e-?mail|tel|fax)\b|(\W{0,2}|\d\s?)to whom correspondence\b).*",
    re.IGNORECASE,
)
_JOURNAL = re.compile(
    r".*(author manuscript|published (online|in final)|\bvolume \d|\b(19|20)\d\d\b.{0,20};.{0,40}\d|\bpages? \d).*",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"(?:(?:supplement(?:ary|al)|extended data|additional|online)\s+)?"
    r"(?P<kind>fig(?:ure)?|table|scheme|movie|video|chart|plate|audio|dataset)\.?[\s\u00a0]*"
    r"(?P<number>S?\d{1,3}[A-Z]?)(?P<stop>[.:|]|\s-)?(?P<rest>.*)",
    re.IGNORECASE,
)
_SCRAPED = re.compile(
    r"go to:|show more|full[- ]size image.*|(previous|next) section.*|.*view record in scopus.*|author information ►.*",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(r"\W*(summary|abstract)\W*", re.IGNORECASE)

is_main_heading = _MAIN_NUMBER.match
"""Whether a heading is numbered as a section, not as a subsection: `3. Autophagy`, not `3.1. Autophagy`."""
is_main_text = _MAIN_TEXT.fullmatch
"""Whether a heading only announces the main text."""
is_break = _BREAK.fullmatch
"""Whether a line is page furniture that separates two sections."""
is_float_link = _FLOAT_LINK.fullmatch
"""Whether a page line links to a figure or table and its whole caption follows."""
is_journal_line = _JOURNAL.fullmatch
"""Whether a line above the title names the journal, the issue or the date."""
is_scraper_mark = _SCRAPED.fullmatch
"""Whether a line shows that a text was scraped from a publisher's web page."""
is_abstract_heading = _LEAD_IN.fullmatch
"""Whether a line is just Summary or Abstract."""


def section_kind(heading: str) -> str:
    """Return the section kind of a heading, one of `ilpsum.formats.papers.layout.SECTION_KINDS`; empty if unknown.

    >>> section_kind("2. Materials and Methods"), section_kind("RESULTS AND DISCUSSION"), section_kind("Cell death")
    ('methods', 'results', '')
    """
    if len(heading) > 80:
        return ""
    bare = _bare(heading)
    return next((kind for kind, wording in _KINDS.items() if wording.fullmatch(bare)), "")


def is_abstract_label(line: str) -> bool:
    """Return whether a line is a label in a structured abstract: `Background`, `Main outcome measures:`."""
    return len(line) <= 80 and _LABEL.fullmatch(_bare(line)) is not None


def is_page_line(line: str) -> bool:
    """Return whether a line belongs to the web page: links, counters, licences, numbers."""
    return len(line) <= _LONGEST and (_PAGE.fullmatch(line) is not None or not _LETTER.search(line))


def is_front_line(line: str) -> bool:
    """Return whether a line is front matter wherever it occurs: keywords, dates, correspondence."""
    if len(line) <= _SHORT and _SHORT_FRONT.fullmatch(line):
        return True
    return len(line) <= 2 * _LONGEST and _FRONT.fullmatch(line) is not None


def caption_label(line: str) -> CaptionLabel | None:
    """Return the label of a caption's first line; None for any other line.

    `Figure 3 shows ...` is a sentence, not a caption: without a stop after the number, it must start with a capital.

    >>> caption_label("Figure 2."), caption_label("Figure 3 shows that")
    (CaptionLabel(role='caption', number='2', caption=''), None)
    >>> caption_label("Table S1: Primers")
    CaptionLabel(role='table', number='S1', caption='Primers')
    """
    match = _LABELLED.match(line)
    if not match:
        return None
    rest = match["rest"].strip(" .:|\u00a0")
    if rest and not match["stop"] and not (match["rest"][0].isspace() and rest[0].isupper()):
        return None
    return CaptionLabel("table" if match["kind"].lower() == "table" else "caption", match["number"].upper(), rest)


def _bare(heading: str) -> str:
    """Return a heading without its number and surrounding punctuation, with white space collapsed."""
    return " ".join(_NUMBERING.sub("", heading, count=1).split()).strip(" .:;–—-•*#►")


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

_PART_LABEL = re.compile(r"([^.:]{3,80}):\s+(?=\S)")
# Without a colon, only capitals distinguish a label from the words of a sentence.
_BARE_LABEL = re.compile(
    r"((?:[A-Z]{4,}+|AND|OF|&|/)(?:[ /,&]++(?:[A-Z]{3,}+|OF))*(?:[ /,&]*&)?)\s+(?=[A-Z][a-z]|\d|[A-Z]\s[a-z])"
)
# A label in the case of a sentence stands before a capital that only a sentence's first word explains.
_TITLE_LABEL = re.compile(r"([A-Z]\w+(?:(?:\s(?:and|&)\s|/)\w+)?)\s(?=[A-Z][\w'’-]*,?\s[a-z(\d])")
# [3, 4-6]; [Newt et al., 2010; Toad, 2011]; (Newt et al., 2010); but not in names such as G1P[8].
_CITATION_LIST = re.compile(
    r"(?<!\s)(?:\s++|(?<=[a-z]{3})|(?<=[.,;:)\]]))"
    r"(?:\[\d{1,4}(?:\s*+[,;–-]\s*+\d{1,4})*\]|\[(?=[^\[\]]*+\])[^\[\]]*\bet al\b[^\[\]]*\]"
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
    >>> label_of("Results We found newts."), label_of("Results of newts vary."), label_of("Results From All Ponds")
    ('Results ', '', '')
    """
    label = _PART_LABEL.match(text)
    if label and (is_abstract_label(label[1]) or _is_label(label[1]) or _is_cut_label(label[1])):
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
    return _CITATION_LIST.sub("", _INSERTED.sub("", text)) if "[" in text or "et al" in text else text


def _is_label(text: str) -> bool:
    words = _WORDS.findall(text.lower())
    return 0 < len(words) <= 8 and text[0].isupper() and _PART_OF.keys() >= set(words)


def _is_cut_label(text: str) -> bool:
    """Return whether a text is a label truncated at its start, within a word: `EAS COVERED`, `thods`."""
    first, *others = _WORDS.findall(text.lower()) or [""]
    cut = len(first) >= _FEWEST_LETTERS and (text.isupper() or text[0].islower()) and first not in _PART_OF
    return cut and _PART_OF.keys() >= set(others) and any(word.endswith(first) for word in _PART_OF)
