"""Sentences of biomedical papers, found by rules, with their character offsets.

One regular expression finds every place where a sentence may end: a stop with what clings to it (closing brackets and
quotes, citation numbers), or the end of a line. Each place is then decided by the word before the stop and the word
after the gap. No model and no list of names: the rules hold for what papers have in common, abbreviations that never
end a sentence (`Fig.`, `vs.`), those that end one only where an unmistakable beginning follows (`et al.`, initials,
`Inc.`), and sentences that begin with a small letter (`p53`, `miR-372`, `mRNA`, `c-myc`).

The time is linear in the length of the text: whatever the expression repeats is either possessive or bounded.
"""

import re
from typing import Literal

Newlines = Literal["paragraph", "space"]

# Words that are followed by what they introduce: the stop after them never ends a sentence.
_NEVER_LAST = frozenset(
    """
    fig figs eq eqs eqn eqns ref refs tab tabs vs cf viz approx ca dr drs prof mr mrs ms st mt ft e.g i.e pp sec sect
    chap suppl supp supplementary ed eds var gen ser cat al.vs resp.vs ie eg aff
    """.split()
)
# Words that end a sentence only if the next word begins one beyond doubt: they are as often followed by a name or number.
_SELDOM_LAST = frozenset(
    """
    al no nos inc ltd co corp jr sr bros univ inst dept natl acad sci biol chem proc med res am int soc mol nat genet
    immunol rev lett exp clin microbiol environ physiol biophys biochem cancer.res virol pharmacol pathol neurosci
    endocrinol engl eur br ann annu curr opin opt appl phys vol sp spp ssp subsp cv str bd hosp gmbh
    """.split()
)
# Capitalised words that begin sentences and hardly ever follow an abbreviation or an initial within one.
_OPENERS = """
    A About Accordingly Additional Additionally After Again All Also Alternatively Although Altogether Among An Analysis
    And Another Any Are As At Based Because Before Besides Between Both Briefly But By Can Cells Changes Collectively
    Compared Comparison Consequently Consistent Conversely Could Data Despite Did Differences Do Does Due During Each
    Either Equally Even Every Evidence Examination Experiments Expression Finally First Five For Four From Further
    Furthermore Given Having He Hence Here His How However If Importantly In Indeed Initially Instead Interestingly Is
    It Its Last Lastly Later Less Like Likewise Many Mice Moreover Most Much Multiple Neither Nevertheless Next No None
    Nonetheless Nor Not Notably Note Now Of On Once One Only Or Other Our Overall Patients Previous Previously Rather
    Recent Recently Remarkably Results Samples Second Several She Should Similar Similarly Since Six So Some Specifically
    Strikingly Subsequent Subsequently Such Surprisingly Taken That The Their Then There Therefore These They Third This
    Those Three Through Throughout Thus To Together Two Under Unexpectedly Unfortunately Unlike Until Upon Use Using Was
    We Were What When Whereas Where Whether Which While Who Whole Why With Within Without Yet You
    """.split()
# Words after which a single capital letter is part of a name, not an initial: "hepatitis C. Patients".
_LETTERED = frozenset(
    """
    hepatitis vitamin vitamins type types class group groups factor factors kinase protein proteins cyclin panel panels
    complex form forms variant variants subtype subtypes stage influenza site sites domain region box grade arm arms
    cohort cytochrome immunoglobulin cathepsin granzyme cyclosporin cyclosporine amphotericin polymyxin lamin aurora
    coenzyme figure figures fig figs table tables condition experiment experiments solution buffer medium genotype
    component phase plan model step part method category level strain strains clade serotype
    """.split()
)

_STOPS = ".!?…"
_CLOSERS = r"[)\]}\"'”’»›″]{0,4}"
_SQUARE_CITATION = r"\[\d{1,4}[^\[\]\n]{0,60}\](?:[,–-]?\s?\[\d{1,4}\]){0,40}"
_RAISED_CITATION = r"[⁰¹²³⁴⁵⁶⁷⁸⁹][⁰¹²³⁴⁵⁶⁷⁸⁹,⁻–-]{0,40}"
_GLUED_CITATION = r"(?<=[^\W\d_][.!?]|[)\]”\"’][.!?])\d{1,3}(?:[,–-]\s?\d{1,3}){0,30}"
_OPENER = r"(?:" + "|".join(sorted(_OPENERS, key=lambda word: (-len(word), word))) + r")(?![\w.&-])"

_CANDIDATE = {
    newlines: re.compile(
        rf"(?<![{_STOPS}])(?P<stop>[{_STOPS}]++){_CLOSERS}"
        rf"(?P<citation>{_SQUARE_CITATION}|{_RAISED_CITATION}|{_GLUED_CITATION})?"
        rf"(?P<gap>\s++|\Z|(?<=[)\]]\.)(?=[A-Z][a-z])|(?<=[a-z][a-z]\.)(?={_OPENER}))"
        rf"|(?P<newline>{newline})"
    )
    for newlines, newline in (
        ("paragraph", r"[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]\s*+"),
        ("space", r"\n[^\S\n]*+\n\s*+|[\f\u2029]\s*+"),
    )
}
_LINE_END = {
    "paragraph": re.compile(r"[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]"),
    "space": re.compile(r"\n[^\S\n]*+\n|[\f\u2029]"),
}
# The next word with the brackets and quotes before it.
_NEXT = re.compile(r"[(\[{\"'“‘«‹*†‡§¶#]{0,4}+(?P<word>\w[\w'’.+/-]{0,24})?")
_BEGINS = re.compile(_OPENER)
_CITATION_AFTER_GAP = re.compile(rf"{_SQUARE_CITATION}(?=\s)")
# The word before the stop, without the brackets and quotes before it; 40 characters decide every case.
_LAST = re.compile(r"(?:(?P<before>[^\s()\[\]]{1,20})\s{1,3})?[(\[{\"'“‘«]{0,4}(?P<word>[^\s()\[\]{}\"“‘«,;/–—]{0,24})$")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.-?)+[^\W\d_]{1,3}")
_GREEK_NAMES = frozenset("alpha beta gamma delta epsilon zeta kappa lambda sigma omega".split())


def split_sentences(text: str, newlines: Newlines = "paragraph") -> list[tuple[int, int]]:
    r"""The sentences of a text as (start, end) offsets, in order, without white space at either end.

    Every character that is no white space lies in exactly one sentence.

    Args:
        text: any text; offsets count its code points.
        newlines: what a line end means. `paragraph`: it always ends a sentence, as in scraped papers, where a line is
            a paragraph. `space`: it is white space like any other, as in hard-wrapped text; a blank line ends a
            paragraph.

    >>> text = "Fig. 2 shows E. coli (Chen et al., 2000). p53 is lost in cells.12 We agree."
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['Fig. 2 shows E. coli (Chen et al., 2000).', 'p53 is lost in cells.12', 'We agree.']
    """
    line_end = _LINE_END[newlines]
    sentences: list[tuple[int, int]] = []
    start = 0
    for match in _CANDIDATE[newlines].finditer(text):
        if match["newline"] is not None:
            cut = match.start()
        elif match.end() == len(text) or line_end.search(match["gap"]):
            cut = match.start("gap")
        else:
            cut = _cut(text, match, start)
        if cut:
            _append(sentences, text, start, cut)
            start = cut
    _append(sentences, text, start, len(text))
    return sentences


def _append(sentences: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    """Appends the stretch from start to end without the white space around it, if anything is left."""
    stretch = text[start:end]
    bare = stretch.strip()
    if bare:
        start += len(stretch) - len(stretch.lstrip())
        sentences.append((start, start + len(bare)))


def _cut(text: str, match: re.Match[str], start: int) -> int:
    """Where the sentence that began at start ends if it ends at this stop, else 0."""
    follows = match.end()
    end = match.start("gap")
    citation = _CITATION_AFTER_GAP.match(text, follows) if match["citation"] is None else None
    if citation:
        end, follows = citation.end(), citation.end() + 1
    following = _NEXT.match(text, follows)
    word = following["word"] if following else None
    if following is None or word is None or not _may_begin(word):
        return 0
    stop = match.start("stop")
    last = _LAST.search(text, max(start, stop - 48), stop)
    if last is None or not last["word"]:
        return end
    opens = _BEGINS.match(text, following.start("word")) is not None
    return end if _may_end(last["word"], last["before"] or "", word, opens, match, text, start) else 0


def _may_begin(word: str) -> bool:
    """Whether a sentence can begin with this word: a capital, a digit, or a symbol that is written small."""
    first = word[0]
    if not first.islower():
        return True
    if not first.isascii() or any(c.isdigit() or c.isupper() for c in word):
        return len(word) > 1
    return (word[1:2] == "-" and len(word) > 2) or word in _GREEK_NAMES


def _may_end(word: str, before: str, following: str, opens: bool, match: re.Match[str], text: str, start: int) -> bool:
    """Whether a sentence can end with this word and the stop after it, where another could begin."""
    if match["stop"] != "." or match["gap"] == "":
        return True
    lowered = word.lower()
    if lowered in _NEVER_LAST:
        return False
    dotted = _DOTTED.fullmatch(word) is not None
    bracketed = text[match.end("stop") : match.end("stop") + 1] in (")", "]")
    if bracketed and (dotted or lowered in _SELDOM_LAST):
        return False
    if lowered in _SELDOM_LAST:
        return opens
    if dotted:
        return opens or (word[-1].islower() and following[0].isupper())
    if len(word) == 1 and word.isupper():
        return opens or (following[0].isupper() and (before.lower() in _LETTERED or before[-1:].isdigit()))
    # "1." at the very beginning numbers what follows.
    return not (len(word) <= 3 and word.isalnum() and match.start("stop") - start <= len(word) + 2 and not word.islower())
