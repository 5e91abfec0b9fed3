"""Statements: the sentences of an abstract that can be part of an answer.

Not statements: questions, aims, announcements (`We review ...`), case histories, calls for further research,
and notes of registers and publishers (trial numbers, funding, copyright, addresses).
"""

import re
from bisect import bisect_right

from ilpsum.papers.labels import effective_label, label_of, without_label
from ilpsum.pipeline.coherence.anaphora import without_connective
from ilpsum.records import Document, Sentence

_LABEL_START = re.compile(r"(?:^|\n|[.!?)\]]\s+)(?=[A-Z])")
_LONGEST_LABEL = 90

_STUDY = r"(?:study|review|article|paper|report|work|trial|meta-?analysis|survey|chapter|analysis|research)"
_WE = r"(?:we|the\s+authors?|the\s+present\s+\w+|(?:this|our)\s+(?:[\w-]+\s+){0,3}" + _STUDY + ")"
_NO_STATEMENT = re.compile(
    rf"""
    (?:the\ )?(?:[\w-]+\s+){{0,3}}(?:aims?|purposes?|objectives?|goals?)\ (?:of|was|is|were|are|in)\b
    |(?:{_WE}|here,?\ we|herein,?\ we
        |in\ (?:this|the\ present|our)\ (?:[\w-]+\s+){{0,3}}{_STUDY},?\ (?:we|the\ authors))
        \s+(?:(?:then|also|therefore|further|here|now|briefly|first|next|retrospectively|prospectively|systematically|will
            |is|have|has|was|were)\s+){{0,3}}
        (?:aims?|aimed|sought|intended|designed|undertaken|carried\ out|conducted|performed|set\ out|investigate[sd]?
           |examine[sd]?|evaluate[sd]?|assess(?:e[sd])?|analy[sz]e[sd]?|compare[sd]?|review(?:s|ed)?|discuss(?:es|ed)?
           |summari[sz]e[sd]?|describe[sd]?|outlines?|focus(?:es|ed)?|explore[sd]?|stud(?:y|ies|ied)|present(?:s|ed)?
           |tested|test|measured?|determined?|used?|enrolled|searched|included|collected|recruited|attempted|wanted
           |hypothesi[sz]ed?|asked|address(?:es|ed)?|provides?|highlights?|considers?|introduces?|screened|sequenced|genotyped|report)\b
    |to\ (?:\w+ly\ )?(?:\w+,?\s+(?:and\ |or\ )?)?(?:assess|evaluate|determine|investigate|examine|compare|explore
        |identify|describe|review|test|study|analy[sz]e|establish|estimate|summari[sz]e|report|present|address|provide|clarify|elucidate
        |understand|characteri[sz]e|discuss|find|verify|confirm)\b
    |(?:a\ )?(?:literature|medline|pubmed|systematic|computeri[sz]ed|electronic)\ (?:[\w/]+\s+){{0,2}}search
    |(?:further|future|more|additional|larger|well-designed|prospective)\s+(?:[\w,-]+\s+){{0,4}}
        (?:study|studies|research|trials?|work|investigations?|evidence)\s+(?:[\w,-]+\s+){{0,6}}
        (?:needed|required|warranted|necessary|essential|recommended)
    |(?:a|one|two|three|\d+)\s+(?:[\w-]+\s+){{0,4}}(?:cases?|reports?)\.?$
    |(?:in\s+)?(?:an?|the|this|our|one)\s+(?:[\w-]+,?\s+){{0,4}}\d{{1,3}}[-\s](?:years?|months?|weeks?|days?)[-\s]old\b
    |(?:in\s+)?(?:the|this|our)\s+(?:present\s+)?(?:patient|proband|case|infant|boy|girl|man|woman)(?!['’-]|\w|\ of\b)
    |we\s+(?:experienced|encountered|diagnosed|treated)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ANYWHERE = re.compile(
    r"""clinicaltrials\.gov|\bNCT\d{6}|\bISRCTN|\bfunded\ by\b|copyright|©|all\ rights\ reserved|\bPROSPERO\b
    |https?://|www\.|supplementary\ (?:data|information|material)|psycinfo|this\ article\ is\ part\ of
    |formula:\ see\ text|author's\ transl
    |\bpatient\ (?-i:[A-Z]|\d+)\b|see\ editorial|level\ of\ evidence
    |are\ (?:discussed|reviewed|presented|described|summari[sz]ed)\.?$
    |(?:is|was)\ (?:discussed|reviewed|presented|summari[sz]ed)\.?$
    |(?:further|future|more|additional)\s+(?:[\w,-]+\s+){0,3}(?:study|studies|research|trials?|work|investigations?)
        \s+(?:is|are|will\ be|to)\b
    |\bwere\ (?:then\ |also\ |randomly\ |retrospectively\ |prospectively\ ){0,2}(?:collected|recruited|enrolled
        |interviewed|randomi[sz]ed|assigned|reviewed|searched|isolated\ from|obtained\ from|included\ in)\b
    |\b(?:remains?|needs?)\ to\ be\ (?:determined|elucidated|established|clarified|investigated|defined)""",
    re.IGNORECASE | re.VERBOSE,
)

# Verbs by which a title states a finding; participles and plurals of nouns are left out where they are common.
_FINITE = re.compile(
    r"""\b(?:is|are|was|were|has|have|does|do|did|can|cannot|may|might|must|should|will|not
    |(?:accelerat|activat|ameliorat|attenuat|caus|compris|contribut|correlat|decreas|deplet|determin|differentiat|disrupt
        |driv|elevat|encod|enhanc|facilitat|generat|improv|increas|induc|involv|mediat|modulat|promot|provid|reduc
        |regulat|requir|restor|reveal|suppress|underli|upregulat|downregulat)es
    |(?:abolish|control|confer|correct|delay|depend|exert|exhibit|extend|form|impair|indicat|inhibit|interact|lead
        |maintain|play|predict|prevent|prolong|protect|remain|represent|respond|result|show|stabili[sz]e|stimulat
        |suggest|support|target|trigger|affect|alter|block|bind|act|contain|demonstrate|confirm|identif(?:y|ie)
        |disrupt|suppress|reveal|lower|link|limit|improve|reduce|cause|require|involve)(?:s|es)
    |increase[ds]?\ (?:the|risk)|reduced?\ (?:the|risk)|identified|inhibited|improved|associated\ with|linked\ to)\b""",
    re.VERBOSE,
)


def states_finding(title: str) -> bool:
    """Whether a title is a sentence that states something, judged by its verbs.

    >>> [states_finding(t) for t in ("Velin makes newts sing: frost causes song.", "Velin in newts: a review.")]
    [True, False]
    """
    return not title.rstrip(" .").endswith("?") and _FINITE.search(title) is not None


class LabelledSections:
    """The sections of a document, by titles and by labels in its text, found once."""

    def __init__(self, document: Document) -> None:
        titled = ((section.start, effective_label(section.title, section.category)) for section in document.sections)
        starts = [(start, label) for start, label in titled if label]
        ends = (match.end() for match in _LABEL_START.finditer(document.text))
        labels = ((end, label_of(document.text[end : end + _LONGEST_LABEL])) for end in ends)
        starts += [(end, label.strip(" :")) for end, label in labels if label]
        # A section without a title ends the labelled one before it.
        labelled = {start for start, _ in starts}
        starts += [(s.start, "") for s in document.sections if not s.title and s.start not in labelled]
        starts.sort()
        self._starts, self._labels = [start for start, _ in starts], [label for _, label in starts]

    def label(self, offset: int) -> str:
        """Return the label of the section at an offset; empty if it has none."""
        number = bisect_right(self._starts, offset)
        return self._labels[number - 1] if number else ""


def position_in(document: Document, start: int) -> float:
    """Return the relative position of an offset in a document's abstract without title, from 0 to 1."""
    begin = min((section.start for section in document.sections if section.kind == "abstract"), default=0)
    return max(0, start - begin) / max(1, len(document.text) - begin)


def is_statement(sentence: Sentence) -> bool:
    """Whether a sentence says something that can be part of an answer.

    >>> [is_statement(Sentence(t, "d", 0, 1, 9)) for t in ("Newts sing.", "Do newts sing?", "We aimed to count newts.")]
    [True, False, False]
    """
    text = without_connective(without_label(sentence.text))
    return not text.endswith("?") and not _NO_STATEMENT.match(text) and not _ANYWHERE.search(text)
