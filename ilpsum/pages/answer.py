"""The page of one answer: its sentences, each with its study, beside the sources that they are
quoted from.

The page never gives a verdict: sentences are listed under "yes" or "no" as they read, with the
number of studies.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ilpsum.answers.points import Item, Points
from ilpsum.answers.stance import Stance
from ilpsum.errors import counted
from ilpsum.pages import plain
from ilpsum.pages.markup import Markup, framed, head, join, number, table, tag
from ilpsum.pages.quotations import Mark, excerpt
from ilpsum.pages.references import vancouver
from ilpsum.pages.view import Answer, AnswerLine, Source
from ilpsum.records import KINDS, Outcome, Sentence, notices
from ilpsum.version import __version__

Steer = Callable[[Sentence], Markup]
"""Renders the controls of a sentence."""

# The 1-based number of a line in the answer, and the line.
_Numbered = tuple[int, AnswerLine]

_SIDES = {Stance.YES: "Seem to say yes", Stance.NO: "Seem to say no"}
_SORTED = (
    "A few rules on the words of the question decide the side of a sentence; read it before "
    "you rely on it."
)
# Directory part of a leading file name in a warning (`FILE: ...`, `FILE:LINE: ...`), or of an
# absolute path in it.
_FOLDERS = re.compile(
    r"^(?:(?:[A-Za-z]:[/\\]|/)(?:[^:]*[/\\])?|[^\s:]*[/\\])(?=[^/\\:]+:(?:\d+:)? "
    r")|(?<!\S)/(?:[^\s/:]+/)+(?=[^\s/])"
)


def page(answer: Answer) -> str:
    """Return the page of one answer; equal answers give equal pages."""
    footer = (
        f"Made by ilpsum {__version__}. Every sentence is quoted from its source and links "
        "to its place there."
    )
    title = answer.question or plain.UNASKED
    return framed(title, main=beside(answer), footer=tag("p", footer), skip="Skip to the answer")


def fixed(_sentence: Sentence) -> Markup:
    """Render no controls: saved pages are static."""
    return Markup()


def place_name(sentence: Sentence) -> str:
    """Return the identifier of a sentence in URLs and requests.

    >>> place_name(Sentence("Newts sing.", "7", 0, 11, 2))
    '7:0-11'
    """
    return f"{sentence.document}:{sentence.start}-{sentence.end}"


def beside(
    answer: Answer,
    steer: Steer = fixed,
    tools: Markup | str = "",
    most: int | None = None,
    searched: object = "",
) -> Markup:
    """Return an answer beside its sources.

    `steer` renders the controls of a sentence; `tools` holds the controls of the whole answer;
    `most` bounds the rejected sentences shown; `searched` says what services found.
    """
    # The text that the copy button copies.
    copied = tag("template", plain.text(answer, vancouver), class_="copied") if answer.lines else ""
    search = answer.search
    # Filters that could not be checked; why nothing was found already says it.
    unchecked = search.missing_metadata if search and search.found else ()
    near = (
        _line(each, fixed, "blockquote", full=True) for each in enumerate(answer.nearest, start=1)
    )
    section = tag(
        "section",
        tag("h2", answer.outcome.degree, id="answer"),
        tag("p", *_state(answer), class_="state"),
        tag("p", searched, class_="facts") if searched else "",
        notes(f"{line}." for line in unchecked),
        *(_read(answer, steer) if answer.lines else near),
        tag("p", tools, copied, class_="tools") if tools or copied else "",
        left_out(answer.left_out[:most], steer),
        _made(answer),
        class_=f"said is-{answer.outcome}",
        aria_labelledby="answer",
    )
    return tag("div", section, _sources(answer), _records(answer), class_="beside")


def _state(answer: Answer) -> Iterator[object]:
    if answer.lines:
        quoted, search = len({line.source.number for line in answer.lines}), answer.search
        found = len(answer.records) if search else 0
        best = f", the best of {search.searched:,}" if search and search.searched > found else ""
        of = (
            f"{quoted} of the {found} records found{best}"
            if found > quoted
            else counted(quoted, "source")
        )
        if answer.outcome is Outcome.WEAK:
            yield tag("strong", f"{_begun(notices.MAY_NOT_ANSWER)} ")
        yield f"{counted(len(answer.lines), 'sentence')}, quoted from {of}."
        if search and search.doubt:
            yield tag("strong", f" {_begun(search.doubt)}")
        old = (line for line in answer.summary.warnings if isinstance(line, notices.NothingNewer))
        yield from (
            f" {_begun(line)}" for line in ("; ".join(map(str, answer.corrections)), *old) if line
        )
        return
    yield _begun(answer.unanswered)
    if answer.nearest:
        yield " These sentences come near the question; they do not answer it."


def _begun(line: str) -> str:
    return f"{line[:1].upper()}{line[1:]}."


def _read(answer: Answer, steer: Steer) -> Iterator[Markup]:
    """Yield the leading sentence, then the yes and no columns or the items, then the remaining
    sentences.
    """
    points = answer.points
    stances = {i + 1 for i in points.sides}
    # Lead with the first sentence that takes a side and keeps its connective, if there is one.
    first_side = min((number for number in stances if not answer.lines[number - 1].cut), default=1)
    numbered = sorted(enumerate(answer.lines, start=1), key=lambda each: each[0] != first_side)
    lead, *rest = numbered
    yield _line(lead, steer, "blockquote", full=True)
    if points.repeats:
        others = dict.fromkeys(str(answer.lines[i].source.number) for i in points.repeats)
        yield tag("p", f"{points.fact}: also in {', '.join(others)}", class_="note")
    if stances:
        yield _sides(numbered, points, steer)
        rest = [each for each in rest if each[0] not in stances]
    yield _items(points.items)
    if rest:
        yield tag("ul", *(_line(each, steer) for each in rest), class_="rest")


def _sides(numbered: Sequence[_Numbered], points: Points, steer: Steer) -> Markup:
    """Return the "yes" and "no" sentences in two columns, each with the number and kinds of its
    studies.
    """
    studies = {line.source.id for _, line in numbered}
    columns = []
    for side, title in _SIDES.items():
        own = [each for each in numbered if points.sides.get(each[0] - 1) is side]
        found = points.studies[side]
        kinds = ", ".join(f"{KINDS[kind]} ({number})" for kind, number in found.kinds.items())
        count = (
            f"{found.number} of "
            f"{counted(len(studies), 'study', 'studies')}{f': {kinds}' if kinds else ''}"
        )
        entries = [
            tag("li", tag("a", "the sentence above", href=f"#l{each[0]}"))
            if each is numbered[0]
            else _line(each, steer)
            for each in own
        ]
        listed = tag("ul", *entries) if entries else ""
        columns.append(
            tag(
                "section",
                tag("h3", title, " ", tag("span", count, class_="count")),
                listed,
                class_=side,
            )
        )
    return join(tag("div", *columns, class_="sides"), tag("p", _SORTED, class_="note"))


def _items(found: Sequence[Item]) -> Markup:
    """Return the names that answer a list question, with the number of sources for each."""
    if not found:
        return Markup()
    entries = [
        tag("li", item.name, " ", tag("span", counted(len(item.sources), "source")))
        for item in found
    ]
    return tag(
        "section", tag("h3", "Named in these sentences"), tag("ul", *entries), class_="items"
    )


def _line(each: _Numbered, steer: Steer, name: str = "li", *, full: bool = False) -> Markup:
    """Return a sentence with its source numbers, its study, its reason and its controls."""
    number, line = each
    source = tag("a", line.source.mark, href=f"#s{number}", title=vancouver(line.source))
    sentence = tag("a", line.shown, href=f"#s{number}", class_="quoted")
    about = _facts(line.source, titled=True) if full else ", ".join(_study(line.source))
    why = tag(
        "details", tag("summary", "Why"), tag("p", f"Chosen: {line.sentence.why}."), class_="why"
    )
    return tag(
        name,
        tag("p", sentence, tag("sup", source), id=f"l{number}", class_="sentence"),
        tag(
            "div",
            tag("span", about),
            steer(line.sentence),
            why if line.sentence.why else "",
            class_="facts",
        ),
        class_="line lead" if full else "line",
        data_place=place_name(line.sentence),
        data_citation=f"“{line.shown}” ({vancouver(line.source).rstrip('.')})",
    )


def _study(source: Source) -> list[str]:
    """Return what kind of study a source is, its journal and year, and any notice; unknown ones are
    left out.
    """
    # PubMed puts translated titles in brackets.
    translated = "translated title" if source.title.startswith("[") else ""
    journal = source.publication.journal.rstrip(".")
    known = *source.publication.remarks, source.size, journal, source.year, translated
    return list(filter(None, known))


def _strength(source: Source) -> int:
    """Return the place of its strongest kind of study among `KINDS`, from 0; their number if no
    kind is known.
    """
    return min((list(KINDS).index(kind) for kind in source.publication.kinds), default=len(KINDS))


def _facts(source: Source, *, titled: bool = False) -> Markup:
    """Return publication data: authors, kind of study, journal, year, notice, title,
    identifiers.
    """
    notice = source.publication.notice
    parts = [
        tag("strong", each, class_="notice") if each == notice else each for each in _study(source)
    ]
    title = [tag("cite", source.title.rstrip("."))] if titled and source.title else []
    links = [tag("a", name, href=url, rel="noreferrer") for name, url in source.links] or [
        tag("bdi", source.name)
    ]
    return join(
        *filter(None, (source.authors(3), *parts, *title, join(*links, between=", "))),
        between=" · ",
    )


def _records(answer: Answer) -> Markup:
    """Return all records found, folded: year, journal, kind and size of the study, and the number
    if quoted.
    """
    if not answer.search or not answer.records:
        return Markup()
    rows = []
    for source in answer.records:
        title = (
            tag("a", source.title or source.name, href=source.url, rel="noreferrer")
            if source.url
            else source.title
        )
        quoted = (
            tag("a", f"[{source.number}]", href=f"#source{source.number}") if source.number else ""
        )
        kind = tag("td", ", ".join(source.publication.remarks), data_value=-_strength(source))
        year = tag("td", source.year, data_value=int(source.year) if source.year.isdecimal() else 0)
        rows.append(
            [
                title,
                tag("td", quoted),
                year,
                tag("td", source.publication.journal),
                kind,
                tag("td", source.size),
            ]
        )
    heads = map(head, ("record", "quoted", "year", "journal", "kind of study", "size"))
    title = f"{counted(len(rows), 'record')} found, quoted or not"
    return tag(
        "details", tag("summary", title), table("Records found", [*heads], rows), class_="records"
    )


def _made(answer: Answer) -> Markup:
    """Return how the answer was made, folded: warnings, and the figures of the solver and the
    search.
    """
    words = counted(sum(len(line.text.split()) for line in answer.lines), "word")
    lines = (*answer.summary.warnings, f"{', '.join([words, *figures(answer)])}.")
    return tag("details", tag("summary", "How this answer was made"), notes(lines), class_="notes")


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
    known = [
        f"{name} {number(value, digits)}" for name, value, digits in values if math.isfinite(value)
    ]
    return (
        [f"{len(summary)} of {len(summary.candidates)} candidates", *known]
        if summary.candidates
        else known
    )


def notes(lines: Iterable[str]) -> Markup:
    """Return warnings with directories removed from file names, since pages may be shared."""
    return join(*(tag("p", _FOLDERS.sub("", line), class_="note") for line in lines if line))


def left_out(sentences: Sequence[Sentence], steer: Steer = fixed) -> Markup:
    """Return the best rejected candidates, collapsed, each with the reason; empty if there are
    none.
    """
    if not sentences:
        return Markup()
    entries = [
        tag(
            "li",
            tag("p", s.text),
            tag("div", f"{s.why}. From ", tag("bdi", s.document), " ", steer(s), class_="facts"),
        )
        for s in sentences
    ]
    heading = tag("summary", "Left out: the most relevant sentences that were not chosen")
    is_excluded = isinstance(sentences[0].why, notices.Excluded)
    return tag("details", heading, tag("ul", *entries), class_="left-out", open=is_excluded)


def _sources(answer: Answer) -> Markup:
    """Return the sources of an answer, or of its nearest sentences if it is empty, with their
    quotations marked.
    """
    marks: dict[int, list[Mark]] = {}
    for i, line in enumerate(answer.lines or answer.nearest, start=1):
        marks.setdefault(line.source.number, []).append(Mark(line.start, line.end, i))
    shown = [
        _source(each, excerpt(each, marks[each.number], answer.question)) for each in answer.quoted
    ]
    heading = tag("h2", "Sources", id="sources")
    return tag("section", heading, *shown, aria_labelledby="sources") if shown else Markup()


def _source(source: Source, shown: Markup) -> Markup:
    whole = tag("label", Markup('<input type="checkbox"> '), "the whole text", class_="whole")
    notice = source.publication.notice
    return tag(
        "article",
        tag("h3", f"[{source.number}] ", source.title or source.name),
        tag("p", _facts(source), class_="facts"),
        tag("p", f"{notice.capitalize()}.", class_="notice") if notice else "",
        tag("blockquote", shown),
        whole if 'class="far"' in shown else "",
        id=f"source{source.number}",
        data_year=source.year,
        data_journal=source.publication.journal,
        data_strength=f"{_strength(source):02}" if source.publication.kinds else None,
    )
