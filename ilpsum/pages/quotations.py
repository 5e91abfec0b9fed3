"""The text of a source with its quotations marked, and the words of the question in bold."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from features.sentences import split_sentences
from features.text import STOP_WORDS, Passage, porter, words
from ilpsum.pages import markup
from ilpsum.pages.markup import Markup, join, tag
from ilpsum.pages.view import Source

# Text further from a quotation is collapsed, or dropped if it is longer than this (characters).
_LONGEST = 4000
_WORD = re.compile(r"([^\W_]+)")


class Mark(NamedTuple):
    """A marked passage of a source: its span, the number of the sentence it supports, its id, a tooltip."""

    start: int
    end: int
    sentence: int
    anchor: str
    title: str


def excerpt(source: Source, marks: Sequence[Mark], question: str) -> Markup:
    """Return a source's text, with its marks linked to their sentences; what is far from them is collapsed."""
    # The text of an abstract starts with the title, which is already in the heading.
    begin = len(source.title) if source.title and source.text.startswith(source.title) else 0
    return join(*_marked(source.text, begin, sorted(marks), frozenset(Passage(question).content_stems)))


def _marked(whole: str, begin: int, marks: Sequence[Mark], asked: frozenset[str]) -> Iterator[object]:
    """Yield the text from `begin` on, with marks linked to their sentences; equal spans share one mark."""
    done = begin
    at: dict[tuple[int, int], list[Mark]] = {}
    for mark in marks:
        at.setdefault((mark.start, mark.end), []).append(mark)
    for (start, end), of_span in at.items():
        if start < done and start >= begin:
            continue
        yield from _between(whole[done:start], asked, after=done > begin, before=True)
        anchors = [tag("span", id=mark.anchor) for mark in of_span]
        titles = "; ".join(mark.title for mark in of_span)
        yield tag("mark", *anchors, highlighted(whole[start:end] if start >= begin else "", asked), title=titles)
        links = join(*(tag("a", mark.sentence, href=f"#l{mark.sentence}") for mark in of_span), between=", ")
        yield tag("sup", "sentence ", links)
        done = max(done, end)
    # If only the title is quoted, show the first sentence of the text as its context.
    yield from _between(whole[done:], asked, after=done > begin or bool(at), before=False)


def _between(text: str, asked: frozenset[str], *, after: bool, before: bool) -> Iterator[Markup]:
    """Yield text between marks, keeping one sentence next to each mark (`after`, `before` it); collapse the rest."""
    spans = split_sentences(text)
    kept = int(after), int(before)
    if len(spans) <= sum(kept):
        yield highlighted(text if after else text.lstrip(), asked)
        return
    low, high = spans[0][1] if after else 0, spans[-1][0] if before else len(text)
    far = text[low:high]
    yield highlighted(text[:low], asked)
    yield tag("span", " … ", class_="gap")
    yield tag("span", highlighted(far.strip(), asked), " ", class_="far") if len(far) <= _LONGEST else Markup()
    yield highlighted(text[high:], asked)


def highlighted(text: str, asked: frozenset[str]) -> Markup:
    """Return a text with all words whose stems are in `asked` in bold."""
    if not asked:
        return markup.text(text)
    # `re.split` puts captured words at odd indices.
    parts = _WORD.split(text)
    parts[1::2] = [tag("b", w) if porter(w.lower()) in asked else markup.text(w) for w in parts[1::2]]
    parts[::2] = map(markup.text, parts[::2])
    return Markup("".join(parts))


def lacking(question: str, sentence: str) -> list[str]:
    """Return the content words of a question that a sentence lacks, compared by stem.

    >>> lacking("Does velin help singing newts?", "Newts sing.")
    ['velin', 'help']
    """
    held = set(Passage(sentence).stems)
    return [word for word in dict.fromkeys(words(question)) if word not in STOP_WORDS and porter(word) not in held]
