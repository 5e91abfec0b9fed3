"""The text of a source with its quotations marked, and the words of the question in bold."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from features.folding import folded
from features.sentences import split_sentences
from features.text import Passage, porter
from ilpsum.pages import markup
from ilpsum.pages.markup import Markup, join, tag
from ilpsum.pages.view import Source

# Text further from a quotation is collapsed, or dropped if it is longer than this (characters).
_LONGEST = 4000
_WORD = re.compile(r"([^\W_]+)")


class Mark(NamedTuple):
    """A quotation in a source: its span, and the number of the sentence."""

    start: int
    end: int
    sentence: int


def excerpt(source: Source, marks: Sequence[Mark], question: str) -> Markup:
    """Return a source's text, with its marks linked to their sentences; what is far from them is
    collapsed.
    """
    # The text of an abstract starts with the title, which is already in the heading.
    begin = len(source.title) if source.title and source.text.startswith(source.title) else 0
    return join(
        *_marked(source.text, begin, sorted(marks), frozenset(Passage(question).content_stems))
    )


def _marked(
    whole: str, begin: int, marks: Sequence[Mark], asked: frozenset[str]
) -> Iterator[object]:
    """Yield the text from `begin` on, with marks linked to their sentences."""
    done = begin
    for start, end, number in marks:
        if start < done and start >= begin:
            continue
        yield from _between(whole[done:start], asked, after=done > begin, before=True)
        shown = highlighted(whole[start:end] if start >= begin else "", asked)
        yield tag(
            "mark", tag("span", id=f"s{number}"), shown, title=f"sentence {number} of the answer"
        )
        yield tag("sup", "sentence ", tag("a", number, href=f"#l{number}"))
        done = max(done, end)
    # If only the title is quoted, show the first sentence of the text as its context.
    yield from _between(whole[done:], asked, after=done > begin or bool(marks), before=False)


def _between(text: str, asked: frozenset[str], *, after: bool, before: bool) -> Iterator[Markup]:
    """Yield text between marks, keeping one sentence next to each mark (`after`, `before` it);
    collapse the rest.
    """
    spans = split_sentences(text)
    kept = int(after), int(before)
    if len(spans) <= sum(kept):
        yield highlighted(text if after else text.lstrip(), asked)
        return
    low, high = spans[0][1] if after else 0, spans[-1][0] if before else len(text)
    far = text[low:high]
    yield highlighted(text[:low], asked)
    yield tag("span", " … ", class_="gap")
    yield (
        tag("span", highlighted(far.strip(), asked), " ", class_="far")
        if len(far) <= _LONGEST
        else Markup()
    )
    yield highlighted(text[high:], asked)


def highlighted(text: str, asked: frozenset[str]) -> Markup:
    """Return a text with all words whose stems are in `asked` in bold."""
    if not asked:
        return markup.text(text)
    # `re.split` puts captured words at odd indices.
    parts = _WORD.split(text)
    parts[1::2] = [
        tag("b", w) if porter(folded(w).lower()) in asked else markup.text(w) for w in parts[1::2]
    ]
    parts[::2] = map(markup.text, parts[::2])
    return Markup("".join(parts))
