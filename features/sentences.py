"""Rule-based sentence splitting for biomedical papers, with character offsets.

One regular expression finds all potential boundaries: a full stop with attached closing brackets,
quotes and citation numbers, or a line end. The words before and after then decide. There is no
model and no list of names. The rules cover abbreviations that never end a sentence (`Fig.`, `vs.`),
abbreviations that end one only before an unambiguous beginning (`et al.`, initials, `Inc.`), and
sentences that begin in lower case (`p53`, `miR-372`, `mRNA`, `c-myc`).

Time is linear in the length of the text: every repetition in the expression is possessive or
bounded.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from features.patterns import regex
from features.text import STOP_WORDS

Newlines = Literal["paragraph", "space"]

# A stop after these words never ends a sentence: they introduce what follows.
_NEVER_LAST = frozenset(
    """
    fig figs eq eqs eqn eqns ref refs tab tabs vs cf viz approx ca dr drs prof mr mrs ms st mt ft
    e.g i.e pp sec sect v chap suppl supp supplementary ed eds var gen ser cat eg aff ver sen rep lt
    sgt maj col capt cpl adm
    """.split()
)
# These words end a sentence only if the next word clearly begins one; otherwise a name or number
# follows.
_SELDOM_LAST = frozenset(
    """
    al no nos inc ltd co corp jr sr bros univ inst dept natl acad sci biol chem proc med res am int
    soc mol nat genet immunol rev lett exp clin microbiol environ physiol biophys biochem virol
    pharmacol pathol neurosci endocrinol engl eur br ann annu curr opin opt appl phys vol dev sp spp
    ssp subsp cv str bd hosp gmbh a.m p.m
    """.split()
)
# These also count in a text of capitals. Others are acronyms there, which may end a sentence (MS).
_ALSO_IN_CAPITALS = frozenset("fig figs eq eqs vs al inc ltd".split())
_MONTHS = frozenset("Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec".split())
# Capitalised words that begin sentences and rarely follow an abbreviation or an initial within one.
_OPENERS = frozenset(
    """
    A About Accordingly Additional Additionally After Again All Also Alternatively Although
    Altogether Among An Analysis And Another Any Are As At Based Because Before Besides Between Both
    Briefly But By Can Cells Changes Collectively Compared Comparison Consequently Consistent
    Conversely Could Data Despite Did Differences Do Does Due During Each Either Equally Even Every
    Evidence Examination Experiments Expression Finally First Five For Four From Further Furthermore
    Given Having He Hence Here His How However If Importantly In Indeed Initially Instead
    Interestingly Is It Its Last Lastly Later Less Like Likewise Many Mice Moreover Most Much
    Multiple Neither Nevertheless Next No None Nonetheless Nor Not Notably Note Now Of On Once One
    Only Or Other Our Overall Patients Previous Previously Rather Recent Recently Remarkably Results
    Samples Second Several She Should Similar Similarly Since Six So Some Specifically Strikingly
    Subsequent Subsequently Such Surprisingly Taken That The Their Then There Therefore These They
    Third This Those Three Through Throughout Thus To Together Two Under Unexpectedly Unfortunately
    Unlike Until Upon Use Using Was We Were What When Whereas Where Whether Which While Who Whole
    Why With Within Without Yet You
    """.split()
)
# After these words, capitalised or not, a capital letter is part of a name: "Figure 2 A",
# "Hepatitis C". So it is after any other lower-case word ("annexin V. Images") unless that precedes
# names of people.
_LETTERED = frozenset(
    """
    figure figures fig figs table tables panel panels group groups type types class stage grade arm
    hepatitis vitamin influenza protein cyclin factor appendix part phase plan model war
    """.split()
)
_BEFORE_NAMES = STOP_WORDS | frozenset(
    "thank thanks acknowledge acknowledges author authors late colleague".split()
)

_STOPS = ".!?…"
_CLOSERS = r"[)\]}\"'”’»›″]{0,4}"
_SQUARE_CITATION = r"\[\d{1,4}[^\[\]\n]{0,60}\](?:[,–-]?\s?\[\d{1,4}\]){0,40}"
_RAISED_CITATION = r"[⁰¹²³⁴⁵⁶⁷⁸⁹][⁰¹²³⁴⁵⁶⁷⁸⁹,⁻–-]{0,40}"
_GLUED_CITATION = (
    r"(?:(?<=[a-z][a-z][a-z][.!?])|(?<=[)\]”\"’][.!?]))\d{1,3}(?:[,–-]\s?\d{1,3}){0,30}"
)
_OPENER = r"(?:" + "|".join(sorted(_OPENERS, key=lambda word: (-len(word), word))) + r")(?![\w.&-])"

# A label attached to the preceding stop (`in cells.RESULTS: We`), and the first letters of one at a
# truncated end.
_GLUED_LABEL = (
    r"[A-Z]{3,20}(?:[ "
    r"/&,]{1,3}[A-Z]{2,20}){0,6}\s?:|(?:Background|Objectives?|Purpose|Aims?|Methods?|Design"
    r"|Results?"
    r"|Findings|Conclusions?|Interpretation|Significance|Discussion)(?: [a-z]{2,20}){0,3}[:.]"
)
_CUT_LABEL = r"(?<=[a-z][a-z][a-z][a-z]\.)(?=[A-Z]{1,20}\Z)"

_LINE_ENDS = r"\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
_BULLETS = "•►▪●■‣"
# All alternatives begin with the same character set, so the search can skip ahead.
_CANDIDATE = {
    newlines: regex(
        rf"[{_STOPS}{_LINE_ENDS}{_BULLETS}]"
        rf"(?:(?<=[{_STOPS}])(?<![{_STOPS}]{{2}})(?P<stop>)[{_STOPS}]*+{_CLOSERS}"
        rf"(?P<citation>{_SQUARE_CITATION}|{_RAISED_CITATION}|{_GLUED_CITATION})?"
        rf"(?P<gap>\s++|\Z|(?<=[)\]]\.)(?=[A-Z][a-z])|(?<=[a-z][a-z]\.)(?={_OPENER})"
        rf"|(?<=[a-z\d)\]%][.!?])(?={_GLUED_LABEL})|{_CUT_LABEL})"
        rf"|{paragraph_end}(?P<newline>)|(?<=\s[{_BULLETS}])(?=\s)(?P<bullet>))"
    )
    for newlines, paragraph_end in (
        ("paragraph", rf"(?<=[{_LINE_ENDS}])\s*+"),
        ("space", r"(?:(?<=\n)[^\S\n]*+\n\s*+|(?<=[\f\u2029])\s*+)"),
    )
}
_PARAGRAPH_END = {
    "paragraph": regex(rf"[{_LINE_ENDS}]"),
    "space": regex(r"\n[^\S\n]*+\n|[\f\u2029]"),
}
# The next word and any brackets and quotes before it.
_NEXT = regex(r"[(\[{\"'“‘«‹*†‡§¶#]{0,4}+(?P<word>\w[\w'’.+/-]{0,24})?")
_BEGINS = regex(rf"{_OPENER}|[A-Z][A-Z/& ]{{3,40}}:")
_NUMBERED = regex(r"\((?:[ivx]{1,4}|[a-h]|\d{1,2})\)")
_CITATION_AFTER_GAP = regex(rf"{_SQUARE_CITATION}(?=\s)")
# The word before the stop and its context, in a window wide enough for every abbreviation.
_WINDOW = 48
_LAST = regex(r"(?s:(?P<head>.*[\s()\[\]{}\"'“‘«,;–—])?)(?P<word>.*)")
_DOTTED = regex(r"(?:[^\W\d_]{1,2}\.-?)+[^\W\d_]{1,3}")
# Word before a single capital letter that is part of a name or a unit, not an initial.
_BEFORE_LETTER = regex(r"(?<![^\s(\[-])([^\W\d_]{2,40})\s$")
_LETTERED_BEFORE = regex(r"(?:[\d°]|\b[A-Z]\)?(?:,| and| or|, and|, or))\s$")
_GREEK_NAMES = frozenset("alpha beta gamma delta epsilon zeta kappa lambda sigma omega".split())
_FIRST = regex(r"[\w'’.+/-]{1,25}")
_LAST_STOP = regex(rf"(?P<word>[^\s(\[]*?(?<![,;:–-]))[.!?]+{_CLOSERS}\Z")
# Number of final characters searched for the last word; the search is quadratic in it.
_ENDING = 200
# Maximum length of a text whose sentences are cached.
_REMEMBERED = 10_000
# Words that cannot end a complete sentence.
_CUT_AFTER = frozenset(
    "vs cf e.g i.e eg ie fig figs approx al dr prof mr mrs and or of the a an with from "
    "than".split()
)
# Remnants of another sentence: `... in cells. Th.`, `... in cells.Th.`,
# `... in cells. of newts sing.`
_REMAINS = regex(
    r"[.!?](?:(?<=[a-z][a-z].)(?:[A-Z]|\s\w{1,3}[.!?]\Z)|(?<=[a-z][a-z][a-z][a-z].)\s[a-z-]"
    r"|[A-Z]{4})"
)


def split_sentences(text: str, newlines: Newlines = "paragraph") -> list[tuple[int, int]]:
    r"""Return the sentences of a text as (start, end) offsets, in order, without surrounding white
    space.

    Every non-white-space character is in exactly one sentence; offsets count code points. With
    `paragraph`, a line end always ends a sentence, as in scraped papers, where each line is a
    paragraph. With `space`, it is ordinary white space, as in hard-wrapped text, and a blank line
    ends a paragraph.

    >>> text = "Fig. 2 shows E. coli (Chen et al., 2000). p53 is lost in cells.12 We agree."
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['Fig. 2 shows E. coli (Chen et al., 2000).', 'p53 is lost in cells.12', 'We agree.']
    """
    return list((_split if len(text) < _REMEMBERED else _split.__wrapped__)(text, newlines))


# A retrieved abstract is split for the decision whether it answers, and again for its candidates.
@lru_cache(maxsize=1 << 8)
def _split(text: str, newlines: Newlines) -> tuple[tuple[int, int], ...]:
    paragraph_end = _PARAGRAPH_END[newlines]
    sentences: list[tuple[int, int]] = []
    # A text without capitals, as from speech recognition, has lower-case beginnings.
    start, caseless = 0, text.islower()
    for match in _CANDIDATE[newlines].finditer(text):
        kind = match.lastgroup
        if kind == "newline":
            end, following = match.start(), match.end()
        elif kind == "bullet":
            end = following = match.start()
        elif match.end() == len(text) or paragraph_end.search(
            text,
            match.start("gap"),
            match.end(),
        ):
            end, following = match.start("gap"), match.end()
        else:
            end, following = _bounds(text, match)
            if not _is_boundary(text, match, start, following, caseless=caseless):
                continue
        _append(sentences, text, start, end)
        start = following
    _append(sentences, text, start, len(text))
    return tuple(sentences)


# Candidates are tested when cleaned, and again by coherence rules.
@lru_cache(maxsize=1 << 10)
def is_whole(text: str) -> bool:
    """Return whether a text is a complete sentence, judged by form.

    It begins with a letter or digit (lower case only in a symbol such as `p53`), ends with a full
    stop that is not part of an abbreviation, contains no remnants of another sentence, and its
    round brackets match.

    >>> [is_whole(text) for text in ("p53 is lost.", "of newts sing.", "Newts sing vs.",
    ...     "Newts (olms sing.", "Newts")]
    [True, False, False, False, False]
    """
    last = _LAST_STOP.search(text, max(0, len(text) - _ENDING))
    if not begins(text):
        return False
    if last is None or _REMAINS.search(text) or text.count("(") != text.count(")"):
        return False
    return last["word"].lower() not in _CUT_AFTER or last["word"].isupper()


def begins(text: str) -> bool:
    """Return whether a text begins as a sentence does: with a capital, a digit or a lower-case
    symbol (`p53`).
    """
    first = _FIRST.match(text)
    return first is not None and first[0][0].isalnum() and _may_begin(first[0])


def joined(spans: Sequence[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Return a source's own sentence spans, joined where it splits a sentence after an
    abbreviation.

    >>> text = "Bikel et al. (1997) count newts. They sing."
    >>> joined([(0, 12), (13, 32), (33, 43)], text)
    [(0, 32), (33, 43)]
    """
    sentences: list[tuple[int, int]] = []
    for start, end in spans:
        if sentences:
            first, last = sentences[-1]
            is_beside = not text[last:start].strip()
            if is_beside and _continues(text[first:last], text[start:end]):
                sentences[-1] = first, end
                continue
        sentences.append((start, end))
    return sentences


def _continues(first: str, second: str) -> bool:
    """Return whether the second of two texts continues the first, which ends in an abbreviation."""
    if not first.endswith("."):
        return False
    last = _LAST.fullmatch(first[-_WINDOW:].removesuffix("."))
    if last is None or last["word"].lower() not in _NEVER_LAST | _SELDOM_LAST:
        return False
    tail = first[-2 * _WINDOW :]
    together = split_sentences(f"{tail} {second[:_WINDOW]}", "space")
    return all(end != len(tail) for _, end in together)


def _append(sentences: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    """Append the span from start to end without surrounding white space, unless nothing is left."""
    span = text[start:end]
    if bare := span.strip():
        start += len(span) - len(span.lstrip())
        sentences.append((start, start + len(bare)))


def _bounds(text: str, match: re.Match[str]) -> tuple[int, int]:
    """Return the end of a sentence and the start of the next; a citation between them belongs to
    the first.
    """
    if match["citation"] is None and (citation := _CITATION_AFTER_GAP.match(text, match.end())):
        return citation.end(), citation.end() + 1
    return match.start("gap"), match.end()


def _is_boundary(
    text: str,
    match: re.Match[str],
    start: int,
    following: int,
    *,
    caseless: bool,
) -> bool:
    """Return whether the sentence that begins at `start` ends at the matched stop and another
    begins at `following`.
    """
    begin = _NEXT.match(text, following)
    next_word = begin["word"] if begin else None
    if next_word is None:
        return False
    if not (caseless or _may_begin(next_word) or _NUMBERED.match(text, following)):
        return False
    stop = match.start()
    is_full_stop = text[stop] == "." and text[stop + 1] not in _STOPS
    has_gap = match.end() > match.start("gap")
    if not (is_full_stop and has_gap):
        return True
    last = _LAST.fullmatch(text, max(start, stop - _WINDOW), stop)
    if last is None:
        return True
    word = last["word"]
    if text[stop - 1 : stop].isspace() or word == "0":
        return not next_word[0].isdigit()  # else a decimal number with a space in it
    if not word:
        return True
    is_first_word = last.start("word") == start
    if is_first_word and len(word) <= 3 and not word.islower():
        # "1." and "No. 3" number what follows.
        is_denial = word.lower() == "no" and not any(map(str.isdigit, next_word))
        return is_denial or word.lower() == "yes"
    if _is_reference(text, last, stop, following, next_word):
        return False
    opens = _BEGINS.match(text, following) is not None or (
        _is_in_capitals(word) and next_word.title() in _OPENERS
    )
    is_bracketed = text[stop + 1] in ")]"
    return _may_end(word, last["head"] or "", next_word, opens, is_bracketed)


def _is_reference(
    text: str,
    last: re.Match[str],
    stop: int,
    following: int,
    word: str,
) -> bool:
    """Return whether a number, or a capital in brackets, continues what stands before the stop."""
    if word[0].isdigit():
        # "Sept. 3", "(EC50 of 4. 5 nM", "(J. Biol. 12, 3-9)"
        opened = text.rfind("(", last.start(), stop)
        if last["word"] in _MONTHS or opened > text.rfind(")", last.start(), stop):
            return True
    # "reported by Chen et al. (Additional file 1)", "Zea mays L. (Poaceae)"
    is_short = len(last["word"]) == 1 or last["word"] in _SELDOM_LAST
    return is_short and text[following] in "([" and word.istitle()


def _may_begin(word: str) -> bool:
    """Return whether a sentence can begin with this word: a capital, a digit, or a lower-case
    symbol.
    """
    first = word[0]
    if not first.islower():
        return True
    if not first.isascii() or any(c.isdigit() or c.isupper() for c in word):
        return len(word) > 1
    return (word[1:2] == "-" and len(word) > 2) or word.partition("-")[0] in _GREEK_NAMES


def _may_end(word: str, head: str, following: str, opens: bool, bracketed: bool) -> bool:
    """Return whether a sentence can end with a word after `head`, given that `following` could
    begin another.
    """
    abbreviation = word.lower()
    if _is_in_capitals(word):
        is_all_capitals = head == head.upper()
        if not is_all_capitals or abbreviation not in _ALSO_IN_CAPITALS:
            abbreviation = ""
    if abbreviation in _NEVER_LAST:
        return False
    is_seldom_last = abbreviation in _SELDOM_LAST
    is_dotted = "." in word and _DOTTED.fullmatch(word) is not None
    if bracketed and (is_dotted or is_seldom_last):
        return False
    if opens:
        return True
    if is_seldom_last:
        return False
    if following.endswith(".") and following[:-1].lower() in _SELDOM_LAST:
        return False  # "Mol. Cell. Biol."
    if is_dotted:
        return word[-1].islower() and following[0].isupper()
    is_initial = len(word) == 1 and word.isupper()
    if is_initial:
        return following[0].isupper() and following[1:] != "." and _is_lettered(head)
    return True


def _is_in_capitals(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def _is_lettered(head: str) -> bool:
    """Return whether a capital letter after this text belongs to a name or unit, as in
    `hepatitis C` and `20 M`.
    """
    if _LETTERED_BEFORE.search(head):
        return True
    before = _BEFORE_LETTER.search(head)
    word = before[1] if before else ""
    return word.lower() in _LETTERED or (
        len(word) > 3 and word.islower() and word not in _BEFORE_NAMES
    )
