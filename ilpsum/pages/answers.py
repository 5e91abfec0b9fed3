"""The page of one answer: the leading sentence, the other sentences, and the sources beside them.

The page never gives a verdict: sentences are listed under "yes" or "no" as they read, with the number of studies.
"""

from collections.abc import Iterator, Sequence

from ilpsum.answers.points import Item
from ilpsum.answers.stance import Stance
from ilpsum.errors import counted
from ilpsum.pages import plain, sources
from ilpsum.pages.markup import Markup, framed, join, tag
from ilpsum.pages.parts import RESEARCH, Steer, figures, fixed, left_out, notes, place_name
from ilpsum.pages.references import vancouver
from ilpsum.pages.view import Answer, AnswerLine
from ilpsum.records import Outcome, notices
from ilpsum.version import __version__

# The 1-based number of a line in the answer, and the line.
_Numbered = tuple[int, AnswerLine]

_SIDES = {Stance.YES: "Seem to say yes", Stance.NO: "Seem to say no"}
_SORTED = "A few rules on the words of the question decide the side of a sentence; read it before you rely on it."


def page(answer: Answer, title: str = "", about: Markup | str = "") -> str:
    """Return the page of one answer; equal answers give equal pages.

    `title` replaces a missing question; `about` is shown below the heading.
    """
    footer = f"Made by ilpsum {__version__}. Every sentence is quoted from its source and links to its place there."
    return framed(
        answer.question or title,
        about=tag("p", about) if about else "",
        switches=RESEARCH,
        main=beside(answer),
        footer=tag("p", footer),
        skip="Skip to the answer",
    )


def beside(answer: Answer, steer: Steer = fixed, tools: Markup | str = "", most: int | None = None) -> Markup:
    """Return an answer beside its sources.

    `steer` renders the controls of a sentence; `tools` holds the controls of the whole answer; `most` bounds the
    rejected sentences shown.
    """
    warnings, search = answer.summary.warnings, answer.search
    # Filters that could not be checked; why nothing was found already says it.
    unchecked = search.missing_metadata if search and search.found else ()
    # The text that the copy button copies.
    copied = tag("template", plain.text(answer, vancouver), class_="copied") if answer.lines else ""
    section = tag(
        "section",
        tag("h2", answer.outcome.degree, id="answer"),
        tag("p", *_state(answer), class_="state"),
        *(tag("p", f"{line}.", class_="note") for line in unchecked),
        *(_read(answer) if answer.lines else _nearest(answer)),
        tag("p", tools, copied, class_="tools") if tools or copied else "",
        _by_sentence(answer, steer),
        left_out(answer.left_out[:most], steer=steer),
        *_figures(answer),
        tag("details", tag("summary", "Notes"), notes(warnings), class_="notes") if warnings else "",
        class_=f"said is-{answer.outcome}",
        aria_labelledby="answer",
    )
    return tag("div", section, sources.section(answer), class_="beside")


def _state(answer: Answer) -> Iterator[object]:
    """Yield the outcome in plain words."""
    if answer.lines:
        quoted = len(answer.quoted)
        found = len(answer.search.found) if answer.search else 0
        of = f"{quoted} of the {found} sources found" if found > quoted else counted(quoted, "source")
        if answer.outcome is Outcome.WEAK:
            yield tag("strong", f"{str(notices.MayNotAnswer()).capitalize()}. ")
        yield f"{counted(len(answer.lines), 'sentence')}, quoted from {of}."
        if answer.search and (doubt := answer.search.doubt):
            yield tag("strong", f" {doubt[:1].upper()}{doubt[1:]}.")
        if answer.corrections:
            yield f" {'; '.join(map(str, answer.corrections)).capitalize()}."
        return
    yield f"{answer.unanswered[:1].upper()}{answer.unanswered[1:]}."
    if answer.nearest:
        yield " These sentences come near the question; they do not answer it."


def _read(answer: Answer) -> Iterator[Markup]:
    """Yield the leading sentence, then the yes and no columns or the items, then the remaining sentences."""
    points = answer.points
    stances = {i + 1: side for i, side in points.sides.items()}
    # Lead with the first sentence that takes a side and keeps its connective, if there is one.
    first_side = min((number for number in stances if not answer.lines[number - 1].cut), default=1)
    numbered = sorted(enumerate(answer.lines, start=1), key=lambda each: each[0] != first_side)
    (lead, first), *rest = numbered
    yield tag("blockquote", tag("p", _sentence(lead, first)), sources.facts(first), class_="lead")
    again = [each for each in rest if each[0] - 1 in points.repeats]
    rest = [each for each in rest if each not in again]
    if again:
        numbers = ", ".join(dict.fromkeys(str(line.source.number) for _, line in again))
        listed = tag("ul", *(tag("li", _sentence(*each)) for each in again))
        yield tag("details", tag("summary", f"{points.fact}: also in {numbers}"), listed, class_="also")
    if stances:
        yield _sides(numbered, stances)
        rest = [each for each in rest if each[0] not in stances]
    yield _items(points.items)
    if rest:
        yield tag("p", join(*(_sentence(*each) for each in rest), between=" "), class_="rest")


def _sides(numbered: Sequence[_Numbered], stances: dict[int, Stance]) -> Markup:
    """Return the "yes" and "no" sentences in two columns, each with its number of studies."""
    studies = {line.source.id for _, line in numbered}
    columns = []
    for side, title in _SIDES.items():
        own = [each for each in numbered if stances.get(each[0]) is side]
        count = f"{len({line.source.id for _, line in own})} of {counted(len(studies), 'study', 'studies')}"
        entries = [
            tag("li", "the sentence above" if number == numbered[0][0] else _sentence(number, line))
            for number, line in own
        ]
        listed = tag("ul", *entries) if entries else ""
        columns.append(tag("section", tag("h3", title, " ", tag("span", count, class_="count")), listed, class_=side))
    return join(tag("div", *columns, class_="sides"), tag("p", _SORTED, class_="note"))


def _items(found: Sequence[Item]) -> Markup:
    """Return the names that answer a list question, with the number of sources for each."""
    if not found:
        return Markup()
    entries = [tag("li", item.name, " ", tag("span", counted(len(item.sources), "source"))) for item in found]
    return tag("section", tag("h3", "Named in these sentences"), tag("ul", *entries), class_="items")


def _nearest(answer: Answer) -> Iterator[Markup]:
    for number, line in enumerate(answer.nearest, start=1):
        lacking = sources.lacking(answer.question, line.text)
        lacks = tag("p", "Does not mention: ", ", ".join(lacking), class_="facts") if lacking else ""
        yield tag("blockquote", tag("p", _sentence(number, line)), lacks, sources.facts(line), class_="near")


def _sentence(number: int, line: AnswerLine) -> Markup:
    """Return a sentence with its source numbers; an ellipsis replaces a removed connective."""
    links = join(*(sources.link(quote, number) for quote in line.quotes), between=", ")
    quoted = tag("a", line.text, href=f"#s{number}", class_="quoted")
    return tag("span", _cut(number, line), quoted, tag("sup", links), id=f"l{number}", class_="sentence")


def _cut(number: int, line: AnswerLine) -> Markup:
    """Return the ellipsis that replaces a connective and reveals the preceding sentence."""
    if not line.cut:
        return Markup()
    before = f"{sources.before(line.quotes[0], line.cut)} {line.cut.strip()} …".strip()
    name, of = f"b{number}", f"Preceding sentence in the source: {before}"
    button = tag("button", "…", type="button", popovertarget=name, class_="cut", title=before, aria_label=of)
    return join(button, tag("span", before, id=name, popover="auto", class_="before"), " ")


def _figures(answer: Answer) -> Iterator[Markup]:
    """Yield the figures of the solver and the search, for researchers."""
    words = sum(len(line.text.split()) for line in answer.lines)
    yield tag("p", f"{', '.join([counted(words, 'word'), *figures(answer)])}.", class_="facts research")
    if answer.search and (found := answer.search.found):
        bm25 = ", ".join(f"{each.document} {each.bm25:.1f}" for each in found)
        yield tag("p", f"BM25: {bm25}.", class_="facts research")


def _by_sentence(answer: Answer, steer: Steer) -> Markup:
    """Return the sentences as a list, each with its sources, its reason and its controls."""
    if not answer.lines:
        return Markup()
    lines = []
    for number, line in enumerate(answer.lines, start=1):
        links = join(*(sources.link(quote, number, full=True) for quote in line.quotes), between=", ")
        sentence = tag("p", tag("a", line.shown, href=f"#s{number}"), " [", links, "]")
        why = tag("p", f"Chosen: {line.why}.", class_="facts") if line.why else ""
        citation = f"“{line.shown}” ({vancouver(line.source).rstrip('.')})"
        name = place_name(line.sentence)
        lines.append(
            tag("li", sentence, sources.facts(line), why, steer(line.sentence), data_place=name, data_citation=citation)
        )
    heading = tag("summary", "Sentence by sentence, with the reason for each")
    return tag("details", heading, tag("ol", *lines, class_="answer"), class_="by-sentence")
