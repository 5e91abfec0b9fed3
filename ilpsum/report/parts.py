"""The parts that pages share: sliders, facts, warnings, and the sentences that were left out."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from math import isfinite

from ilpsum.errors import counted
from ilpsum.records import Sentence
from ilpsum.report.markup import Markup, attributes, filled, join, tag
from ilpsum.report.tables import number
from ilpsum.report.view import Answer

# The folders of a file that a warning begins with (`FILE: ...`, `FILE:LINE: ...`), or of an absolute path inside it.
_FOLDERS = re.compile(
    r"^(?:(?:[A-Za-z]:[/\\]|/)(?:[^:]*[/\\])?|[^\s:]*[/\\])(?=[^/\\:]+:(?:\d+:)? )|(?<!\S)/(?:[^\s/:]+/)+(?=[^\s/])"
)

_PLAINLY = (
    (r" \(rule \w+\)", ""),
    (r"redundant with", "says the same as"),
    (r"the objective\b", "the value of the answer"),
    (r"below the minimum relevance of an answer", "less to the point than the sentences chosen"),
)

Steer = Callable[[Sentence], Markup]
"""Draws what a reader can do with a sentence."""


def fixed(_sentence: Sentence) -> Markup:
    """Draw nothing: a reader of a saved page can do nothing with a sentence."""
    return Markup()


def place_name(sentence: Sentence) -> str:
    """Return the name of a sentence in addresses and requests.

    >>> place_name(Sentence("Newts sing.", "7", 0, 11, 2))
    '7:0-11'
    """
    return f"{sentence.document}:{sentence.start}-{sentence.end}"


def slider(
    id_: str, name: str, label: str, shown: str, hint: str = "", *, value: float | str, low: float, high: float,
    step: float, exact: bool = False, **data: str | bool,
) -> Markup:  # fmt: skip
    """Return a slider with its label, its value and the marks of its breakpoints, which a script draws.

    `shown` is the value in words, which only researchers see if it is `exact`; `hint` says what its ends mean; `data`
    are further attributes of the field.
    """
    return filled(
        "slider.html", id=id_, name=name, label=label, shown=shown, value=value, low=low, high=high, step=step,
        note=tag("span", hint, class_="facts") if hint else "", more=attributes(**data),
        shows=attributes(class_="research" if exact else None),
    )  # fmt: skip


RESEARCH = Markup(
    '<p class="switch"><label><input type="checkbox" id="researcher" autocomplete="off"> for researchers</label></p>'
)
"""The switch that shows the elements of the class `research`; it works without a script."""


def proof(answer: Answer) -> Markup:
    """Return, for researchers, what was solved and what the search found; nothing where neither is known."""
    search, lambda_ = answer.search, answer.settings.objective.lambda_ if answer.settings else None
    values = (
        ("objective", answer.objective, 4),
        ("bound", answer.bound, 4),
        ("gap", answer.gap, 6),
        ("lambda", math.nan if lambda_ is None else lambda_, 3),
        ("coverage of the question", search.coverage if search else math.nan, 2),
        ("probability of an answer", search.answerable if search else math.nan, 2),
    )
    known = [f"{name} {number(value, digits)}" for name, value, digits in values if isfinite(value)]
    parts = [counted(answer.words, "word"), *known]
    scores = [f"{each.document} {each.bm25:.1f}" for each in search.found] if search else []
    bm25 = tag("p", f"BM25: {', '.join(scores)}.", class_="facts research") if scores else ""
    return join(tag("p", f"{', '.join(parts)}.", class_="facts research"), bm25) if known else Markup()


def size_and_proof(answer: Answer, words: int, class_: str = "facts") -> Markup:
    """Return a line with the size of an answer, and the objective and gap of its selection."""
    parts = [counted(words, "word")]
    if answer.candidates:
        parts.append(f"{len(answer.lines)} of {answer.candidates} candidates")
    values = (("objective", answer.objective, 4), ("gap", answer.gap, 6))
    parts += [f"{name} {number(value, digits)}" for name, value, digits in values if isfinite(value)]
    return tag("p", ", ".join(parts), class_=class_)


def notes(warnings: Iterable[str]) -> Markup:
    """Return warnings, of each file its name only: a page may be passed on, and folders are of one computer."""
    return join(*(tag("p", _FOLDERS.sub("", warning), class_="note") for warning in warnings))


def in_words(why: str) -> str:
    """Return a label as prose: one in capitals, such as that of a section, in small letters."""
    return why.lower() if why.isupper() else why


def plainly(why: str) -> str:
    """Return a reason without the words of the method: rules by name, objective, redundant.

    >>> plainly("redundant with sentence 2"), plainly("is a title (rule titles)"), plainly("would lower the objective")
    ('says the same as sentence 2', 'is a title', 'would lower the value of the answer')
    """
    for pattern, plain in _PLAINLY:
        why = re.sub(pattern, plain, why)
    return why


def left_out(sentences: Sequence[Sentence], *, steer: Steer = fixed) -> Markup:
    """Return the best sentences that were left out, folded, each with the reason; nothing without any."""
    if not sentences:
        return Markup()
    entries = [
        tag(
            "li",
            tag("p", s.text),
            tag("p", f"{plainly(s.why)}. From ", tag("bdi", s.document), class_="facts"),
            steer(s),
        )
        for s in sentences
    ]
    heading = tag("summary", "Left out: the most relevant sentences that were not chosen")
    return tag("details", heading, tag("ul", *entries), class_="left-out")
