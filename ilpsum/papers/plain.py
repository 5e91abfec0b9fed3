"""Plain texts, such as news and web pages: wrapped lines, titles, and lines that are not prose.

Not prose are bylines, datelines, captions, notices, calls to action and subheadings.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from features.patterns import regex
from ilpsum.files.idf import load_idf, singular
from ilpsum.files.numbers import whole_number
from ilpsum.papers.headings import is_abstract_label, section_kind
from ilpsum.papers.scraped import LinePart

_BYLINE = regex(r"By(?:\s(?:and|for|in|of|the|[A-Z][\w.'’-]*),?)+\.?")
_BESIDE = regex(
    r"""(?:(?:follow|like|find|join|contact)\ us|subscribe|sign\ up|click\ here|read\ (?:more|also
    |next)|share\ this
    |for\ (?:more|further)\ (?:information|details)|advertisement|related(?:\ (?:stories|articles
    |topics))?:
    |(?:last\ )?(?:updated|published|posted)(?::|\ on\b|\ at\b)|(?:additional\ )?reporting\ by\b
    |edit(?:ed|ing)\ by\b
    |©|(?:\(c\)\ |copyright\ )(?:©\ |\(c\)\ )?(?:19|20)\d\d|all\ rights\ reserved
    |[(\[]?(?:file\ )?(?:photo(?:graph)?|image|picture|caption|video|graphic|credit)s?(?:\ (?:by
    |credit))?:)(?!\w)
    |this\ (?:material|article|story)\ may\ not\ be\ (?:published|reproduced|copied)
    |[(\[]?(?:AP|AFP|Reuters)\ photo\b|\#{1,6}\ |\|.*\|$""",
    re.IGNORECASE | re.VERBOSE,
)
# `ASHFORD, England (AP) -- `, `NEW YORK, FEB 26 - `, `LONDON — `; a single dash needs a place in
# capitals before it.
_DATELINE = regex(
    r"""\A[A-Z][A-Z.'’]+(?:[ -][A-Z][A-Z.'’]+){0,3}
    (?:,\ [A-Z\d][\w.]*(?:\ [A-Z\d][\w.]*){0,2}){0,3}(?:\ \([A-Z][\w ./]{1,20}\))?
    \ (?:--|[-–—_])\ (?=["'“‘]?[A-Z\d])""",
    re.VERBOSE,
)
_LISTED = regex(r"\A[*–—-]\s+")
# Longer lines are whole paragraphs: a text made of them is not hard-wrapped.
_WIDEST = 200
# A line shorter than this share of the longest in its paragraph ends on purpose, not by wrapping;
# no text is wrapped more narrowly than this.
_SHORT, _NARROWEST = 0.75, 40
_INDENTED, _BULLET = regex(r"[ ]{2,}|\t"), regex(r"(?:[*•▪●■‣–—-]|\d{1,2}[.)])\s")
# A word before a hyphen at a line's end; the next line's first word; words before which a hyphen is
# suspended (`pre- and post-`); prefixes of names; and how many background abstracts must have each
# part of a compound, and how many times as many as have the compound as one word.
_BEFORE_HYPHEN, _FIRST_WORD = regex(r"([^\W_]{1,40})[-‐‑]\Z"), regex(r"[^\W_]{1,40}")
_SUSPENDS = frozenset("and or to nor versus vs bis".split())
_PREFIXES = frozenset("anti non pre post pro sub inter trans".split())
_FREQUENT, _TIMES_AS_OFTEN = 100, 10
# Minimum share of lines that begin in lower case in a hard-wrapped text.
_CONTINUED = 0.2
# Maximum words in a first line that may be a title and in a line that is not prose; end of a line
# of prose.
_TITLE_WORDS, _APART_WORDS = 20, 12
_STOP = regex(r"[.:;,!?][\"'”’)\]]*\s*$")
_STOPPED = regex(r"[.!?:;,…][\"'”’)\]\d]{0,4}\Z")


# A number before or after a line's text; how many lines must have one, what share of the lines, and
# what share of the numbers must follow each other.
_NUMBER_FIRST = regex(r"^\s{0,9}(\d{1,4})(?:\s+|\Z)")
_NUMBER_LAST = regex(r"(?<!\s)\s+(\d{1,4})\s*\Z")
_FEWEST_NUMBERED, _NUMBERED, _REGULAR = 4, 0.6, 0.8


def unwrapped(text: str) -> str:
    """Join the lines of each paragraph of a hard-wrapped text, and words divided at line ends.

    Blank lines, indents and bullets separate paragraphs. A title, a byline, and a short line
    without end punctuation before a capital (a heading) keep their lines. A text stays as it is if
    lines of more than 200 characters hold half of it, or if it has no blank lines and few signs of
    wrapping (unpunctuated ends, lower-case starts).
    """
    lines = text.split("\n")
    in_long = sum(len(line) for line in lines if len(line) > _WIDEST)
    unstopped = [not _STOP.search(line) for line in lines if len(line) > _NARROWEST]
    continued = sum(line.lstrip()[:1].islower() for line in lines)
    wrapped = "\n\n" in text.strip() or (
        2 * sum(unstopped) > len(unstopped) and continued >= _CONTINUED * len(lines)
    )
    if 2 * in_long > len(text) or not wrapped:
        return text
    # Longest line from each line to the end of its paragraph.
    width, widths, title = 0, list[int](), headline(text)
    for line in reversed(lines):
        width = max(width, len(line)) if line.strip() else 0
        widths.append(width)
    joined = [lines[0]]
    for line, following, width in zip(lines, lines[1:], reversed(widths), strict=False):
        bare, next_ = line.strip(), following.strip()
        ends = not (bare and next_) or bare.lstrip("# ") == title
        ends |= any(map(_BYLINE.fullmatch, (bare, next_)))
        ends |= bool(_INDENTED.match(following)) and not _INDENTED.match(line)
        ends |= _BULLET.match(next_) is not None
        ends |= len(line) < _SHORT * width and not _STOP.search(line) and next_[:1].isupper()
        if ends:
            joined += ["\n", following]
        else:
            joined[-1] = continued_line(joined[-1], next_)
            joined.append(following.lstrip() if joined[-1][-1:] != " " else following)
    return "".join(joined)


def without_line_numbers(text: str) -> str:
    r"""Return a text without the numbers of its lines, as manuscripts have them: at the beginning
    or the end of each line, of each fifth one, or on lines of their own.

    >>> without_line_numbers("1 Newts sing\n2 in ponds.\n3 Toads\n4 hum.")
    'Newts sing\nin ponds.\nToads\nhum.'
    """
    lines = text.split("\n")
    written = sum(bool(line.strip()) for line in lines)
    for pattern in (_NUMBER_FIRST, _NUMBER_LAST):
        matches = filter(None, map(pattern.search, lines))
        numbers = [whole_number(match[1]) or 0 for match in matches]
        steps = [following - number for number, following in pairwise(numbers)]
        for step in (1, 5):
            regular = steps.count(step)
            enough = max(_FEWEST_NUMBERED - 1, _NUMBERED * written / step - 1)
            if regular >= max(enough, _REGULAR * len(steps)):
                return "\n".join(pattern.sub("", line) for line in lines)
    return text


def continued_line(line: str, following: str) -> str:
    """Return a line as the following one continues it, with a space or a hyphen at its end.

    A hyphen stays beside a digit or a capital, and in compounds: both parts are frequent words, and
    the two as one word are not. Any other hyphen divides a word.

    >>> [continued_line(line, then) for line, then in (("CD8-", "positive"), ("IL-", "6"),
    ...     ("dose-", "dependent"), ("treat-", "ment"), ("pre-", "and post-"), ("newts", "sing"))]
    ['CD8-', 'IL-', 'dose-', 'treat', 'pre- ', 'newts ']
    """
    line = line.rstrip(" ")
    if line.endswith("\u00ad"):
        return line[:-1]
    last, first = _BEFORE_HYPHEN.search(line), _FIRST_WORD.match(following)
    if last is None or first is None or first[0].lower() in _SUSPENDS:
        return f"{line} "
    if first[0].istitle() and last[1] not in _PREFIXES:
        return f"{line} "
    if not (last[1][-1].islower() and first[0].islower() and first[0].isalpha()):
        return line
    return line if _is_compound(last[1], first[0]) else line[:-1]


def _is_compound(one: str, other: str) -> bool:
    counts = load_idf().counts
    parts = min(counts.get(singular(one), 0), counts.get(singular(other), 0))
    as_one = counts.get(singular(one + other), 0)
    return len(one) > 2 and parts >= max(_FREQUENT, _TIMES_AS_OFTEN * as_one)


def headline(text: str) -> str:
    """Return the first line of a text if it reads as a title: at most 20 words, no final stop, and
    text below it.

    The first line of a hard-wrapped paragraph is not a title.
    """
    first, _, rest = text.strip().partition("\n")
    if not (rest and 0 < len(first.split()) <= _TITLE_WORDS) or _STOP.search(first):
        return ""
    paragraph = rest.split("\n\n", 1)[0].split("\n")
    widest = max(map(len, paragraph))
    wrapped = (
        _NARROWEST < widest <= _WIDEST
        and len(first) >= _SHORT * widest
        and _STOP.search(paragraph[-1])
    )
    cut = paragraph[0].strip() and (wrapped or paragraph[0].lstrip()[0].islower())
    return "" if cut else first.strip().lstrip("# ")


def parts(lines: list[str], title: str, *, news: bool) -> Iterator[LinePart]:
    """Yield the parts of a plain text: its title if it is the first line, headings, and prose.

    Headings are labels of abstracts and known section headings on their own lines; in `news` (any
    text but a quoted passage), also other lines that are not prose.
    """
    stopped = sum(len(line.split()) for line in lines if _STOPPED.search(line))
    apart = news and 2 * stopped > sum(len(line.split()) for line in lines)
    heading = ""
    for i, (line, following) in enumerate(zip(lines, [*lines, ""][1:], strict=True)):
        if i == 0 and line == title.strip():
            yield LinePart("title", "title", "")
        elif len(lines) > 1 and (
            is_abstract_label(line)
            or section_kind(line)
            or (news and is_beside(line))
            or (apart and _is_apart(line, following))
        ):
            heading = line
            yield LinePart("abstract", "heading", line)
        else:
            yield LinePart("abstract", "prose", heading)


def is_beside(line: str) -> bool:
    """Return whether a line starts like a byline, caption, notice, call to action, or Markdown
    heading or table.
    """
    return _BYLINE.fullmatch(line) is not None or _BESIDE.match(line) is not None


def _is_apart(line: str, following: str) -> bool:
    """Return whether a line of a plain text is not prose: a subheading, a dateline, a label.

    A last line without end punctuation is a truncated sentence; a line before a lower-case letter
    continues there.

    >>> [_is_apart(line, "It rains.") for line in ("What went wrong", "Newts sing.")]
    [True, False]
    """
    if len(line.split()) > _APART_WORDS or line[0] in "•►▪●■‣-*–—" or line[0].islower():
        return False
    return not (_STOPPED.search(line) or not following or following[0].islower())


def without_dateline(text: str, *, first: bool) -> str:
    """Return an article's first sentence without its dateline, or any other sentence without its
    bullet.

    >>> without_dateline("OAKUM, England (AP) -- The newts sang.", first=True)
    'The newts sang.'
    """
    return _DATELINE.sub("", text, count=1) if first else _LISTED.sub("", text, count=1)
