"""Non-prose lines of news and web pages: bylines, datelines, captions, notices, calls to action."""

import re

_BYLINE = re.compile(r"By(?:\s(?:and|for|in|of|the|[A-Z][\w.'’-]*),?)+\.?")
_BESIDE = re.compile(
    r"""(?:(?:follow|like|find|join|contact)\ us|subscribe|sign\ up|click\ here|read\ (?:more|also|next)|share\ this
    |for\ (?:more|further)\ (?:information|details)|advertisement|related(?:\ (?:stories|articles|topics))?:
    |(?:last\ )?(?:updated|published|posted)(?::|\ on\b|\ at\b)|(?:additional\ )?reporting\ by\b|edit(?:ed|ing)\ by\b
    |©|(?:\(c\)\ |copyright\ )(?:©\ |\(c\)\ )?(?:19|20)\d\d|all\ rights\ reserved
    |[(\[]?(?:file\ )?(?:photo(?:graph)?|image|picture|caption|video|graphic|credit)s?(?:\ (?:by|credit))?:)(?!\w)
    |this\ (?:material|article|story)\ may\ not\ be\ (?:published|reproduced|copied)
    |[(\[]?(?:AP|AFP|Reuters)\ photo\b|\#{1,6}\ |\|.*\|$""",
    re.IGNORECASE | re.VERBOSE,
)
# `ASHFORD, England (AP) -- `, `NEW YORK, FEB 26 - `, `LONDON — `; a single dash needs a place in capitals before it.
_DATELINE = re.compile(
    r"""\A[A-Z][A-Z.'’]+(?:[ -][A-Z][A-Z.'’]+){0,3}
    (?:,\ [A-Z\d][\w.]*(?:\ [A-Z\d][\w.]*){0,2}){0,3}(?:\ \([A-Z][\w ./]{1,20}\))?
    \ (?:--|[-–—_])\ (?=["'“‘]?[A-Z\d])""",
    re.VERBOSE,
)

_BULLET = re.compile(r"\A[*–—-]\s+")


def is_byline(line: str) -> bool:
    """Return whether a line names the authors: `By Ada Ulm, Reporter`."""
    return _BYLINE.fullmatch(line) is not None


def is_beside(line: str) -> bool:
    """Return whether a line starts like a byline, caption, notice, call to action, or Markdown heading or table."""
    return is_byline(line) or _BESIDE.match(line) is not None


def without_dateline(text: str, *, first: bool) -> str:
    """Return an article's first sentence without its dateline, or any other sentence without its bullet.

    >>> without_dateline("OAKUM, England (AP) -- The newts sang.", first=True)
    'The newts sang.'
    """
    return _DATELINE.sub("", text, count=1) if first else _BULLET.sub("", text, count=1)
