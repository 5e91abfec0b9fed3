"""The text of a source with its quotations marked."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from features.sentences import split_sentences
from ilpsum.pages import markup
from ilpsum.pages.markup import Markup, join, tag
from ilpsum.pages.view import Source

# Text further from a quotation is collapsed, or dropped if it is longer than this (characters).
_LONGEST = 4000


class Mark(NamedTuple):
    """A quotation in a source: its span, and the number of the sentence."""

    start: int
    end: int
    sentence: int


def excerpt(source: Source, marks: Sequence[Mark]) -> Markup:
    """Return a source's text, with its marks linked to their sentences; what is far from them is
    collapsed.
    """
    return join(*_marked(source.text, _begin(source), sorted(marks)))


def heading(source: Source, marks: Sequence[Mark]) -> Markup:
    """Return the title of a source, marked where it is quoted itself."""
    title = source.title.rstrip(".") or source.name
    quoted = [mark for mark in marks if mark.start < _begin(source)]
    if not quoted:
        return markup.text(title)
    places = [tag("span", id=f"s{mark.sentence}") for mark in quoted]
    return tag("mark", *places, title)


def _begin(source: Source) -> int:
    """Return where the text begins after the title, which is in the heading already."""
    return len(source.title) if source.title and source.text.startswith(source.title) else 0


def _marked(whole: str, begin: int, marks: Sequence[Mark]) -> Iterator[object]:
    """Yield the text from `begin` on, with marks linked to their sentences."""
    done = begin
    for start, end, number in marks:
        # The title has its mark in the heading.
        if start < done:
            continue
        yield from _between(whole[done:start], after=done > begin, before=True)
        quotation = tag("span", id=f"s{number}"), whole[start:end]
        yield tag("mark", *quotation, title=f"sentence {number} of the answer")
        back = f"to sentence {number} of the answer"
        yield tag("sup", tag("a", "↑", href=f"#l{number}", aria_label=back))
        done = end
    # If only the title is quoted, show the first sentence of the text as its context.
    yield from _between(
        whole[done:],
        after=done > begin or bool(marks),
        before=False,
    )


def _between(text: str, *, after: bool, before: bool) -> Iterator[Markup]:
    """Yield text between marks, keeping one sentence next to each mark (`after`, `before` it);
    collapse the rest.
    """
    spans = split_sentences(text)
    kept = int(after), int(before)
    if len(spans) <= sum(kept):
        yield markup.text(text if after else text.lstrip())
        return
    low, high = spans[0][1] if after else 0, spans[-1][0] if before else len(text)
    far = text[low:high]
    yield markup.text(text[:low])
    yield tag("span", " … ", class_="gap")
    if len(far) <= _LONGEST:
        yield tag("span", " ", far.strip(), " ", class_="far")
    yield markup.text(text[high:])
