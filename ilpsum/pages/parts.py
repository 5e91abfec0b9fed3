"""Elements shared by pages: facts, warnings, and the list of rejected candidates."""

import math
import re
from collections.abc import Callable, Iterable, Sequence

from ilpsum.pages.markup import Markup, join, tag
from ilpsum.pages.tables import number
from ilpsum.pages.view import Answer
from ilpsum.records import Sentence

# Directory part of a leading file name in a warning (`FILE: ...`, `FILE:LINE: ...`), or of an absolute path in it.
_FOLDERS = re.compile(
    r"^(?:(?:[A-Za-z]:[/\\]|/)(?:[^:]*[/\\])?|[^\s:]*[/\\])(?=[^/\\:]+:(?:\d+:)? )|(?<!\S)/(?:[^\s/:]+/)+(?=[^\s/])"
)

Steer = Callable[[Sentence], Markup]
"""Renders the controls of a sentence."""


def fixed(_sentence: Sentence) -> Markup:
    """Render no controls: saved pages are static."""
    return Markup()


def place_name(sentence: Sentence) -> str:
    """Return the identifier of a sentence in URLs and requests.

    >>> place_name(Sentence("Newts sing.", "7", 0, 11, 2))
    '7:0-11'
    """
    return f"{sentence.document}:{sentence.start}-{sentence.end}"


RESEARCH = Markup(
    '<p class="switch"><label><input type="checkbox" id="researcher" autocomplete="off"> for researchers</label></p>'
)
"""Checkbox that shows elements of class `research`; works without a script."""


def figures(answer: Answer) -> list[str]:
    """Return the known figures of the selection, the solver and the search, each with its name."""
    summary, search = answer.summary, answer.search
    lambda_ = summary.settings.objective.lambda_
    values = (
        ("objective", summary.objective, 4),
        ("bound", summary.bound, 4),
        ("gap", summary.gap, 6),
        ("lambda", math.nan if lambda_ is None else lambda_, 3),
        ("coverage of the question", search.coverage if search else math.nan, 2),
        ("probability of an answer", search.answerable if search else math.nan, 2),
    )
    known = [f"{name} {number(value, digits)}" for name, value, digits in values if math.isfinite(value)]
    return [f"{len(answer.lines)} of {len(summary.candidates)} candidates", *known] if summary.candidates else known


def notes(warnings: Iterable[str]) -> Markup:
    """Return warnings with directories removed from file names, since pages may be shared."""
    return join(*(tag("p", _FOLDERS.sub("", warning), class_="note") for warning in warnings))


def in_words(why: str) -> str:
    """Return a label in lower case if it is in capitals, as section labels are."""
    return why.lower() if why.isupper() else why


def left_out(sentences: Sequence[Sentence], *, steer: Steer = fixed) -> Markup:
    """Return the best rejected candidates, collapsed, each with the reason; empty if there are none."""
    if not sentences:
        return Markup()
    entries = [
        tag("li", tag("p", s.text), tag("p", f"{s.why}. From ", tag("bdi", s.document), class_="facts"), steer(s))
        for s in sentences
    ]
    heading = tag("summary", "Left out: the most relevant sentences that were not chosen")
    return tag("details", heading, tag("ul", *entries), class_="left-out")
