"""The page of one answer: the opening sentence, the others as prose, and the sources beside them.

The page never gives a verdict: for a yes/no question it counts the studies whose sentences read as
yes or no.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ilpsum.answers.points import Points
from ilpsum.answers.stance import Stance
from ilpsum.errors import counted
from ilpsum.pages import plain
from ilpsum.pages.markup import Markup, asset, framed, head, join, number, table, tag
from ilpsum.pages.quotations import Mark, excerpt, heading
from ilpsum.pages.references import vancouver
from ilpsum.pages.view import Answer, AnswerLine, Source
from ilpsum.records import KINDS, Outcome, Sentence, notices
from ilpsum.version import __version__

Steer = Callable[[Sentence], Markup]
"""Renders the controls of a sentence."""

_SORTED = (
    "Rules on the words of the question decide whether a sentence reads as yes or no; read it "
    "before you rely on it."
)
# Directory part of a leading file name in a warning (`FILE: ...`, `FILE:LINE: ...`), or of an
# absolute path in it.
_FOLDERS = re.compile(
    r"^(?:(?:[A-Za-z]:[/\\]|/)(?:[^:]*[/\\])?|[^\s:]*[/\\])(?=[^/\\:]+:(?:\d+:)? "
    r")|(?<!\S)/(?:[^\s/:]+/)+(?=[^\s/])"
)


def page(answer: Answer) -> str:
    """Return the page of one answer; equal answers give equal pages."""
    footer = f"Made by ilpsum {__version__}. Every sentence is quoted from its source."
    title = answer.question or plain.UNASKED
    return framed(
        title,
        main=beside(answer),
        footer=tag("p", footer),
        skip="Skip to the answer",
        style=asset("answer.css"),
    )


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
    exports: Markup | str = "",
    further: Markup | str = "",
    most: int | None = None,
    searched: object = "",
) -> Markup:
    """Return an answer beside its sources.

    Args:
        answer: the answer.
        steer: renders the controls of a sentence.
        exports: links to the answer in other forms.
        further: links to forms that few want.
        most: the most rejected sentences shown; None for all.
        searched: where the answer comes from.
    """
    if answer.lines:
        content = _read(answer, steer)
    else:
        content = (_sentence(i, line, fixed) for i, line in enumerate(answer.nearest, start=1))
    article = tag(
        "article",
        tag("h2", answer.outcome.degree, id="answer", class_="label"),
        *_doubts(answer),
        *content,
        _tools(answer, exports),
        notes(_remarks(answer)),
        tag("p", searched, class_="meta") if searched else "",
        left_out(answer.left_out[:most], steer),
        _made(answer, further),
        class_=f"said is-{answer.outcome}",
        aria_labelledby="answer",
    )
    return tag("div", article, _sources(answer), _records(answer), class_="beside")


def _doubts(answer: Answer) -> Iterator[Markup]:
    """Yield what a reader must know before the first sentence: why there is no answer, or doubt."""
    if not answer.lines:
        yield tag("p", _begun(answer.unanswered), class_="state")
        if answer.nearest:
            near = "These sentences come near the question; they do not answer it."
            yield tag("p", near, class_="meta")
        return
    if answer.outcome is Outcome.WEAK:
        yield tag("p", _begun(notices.MAY_NOT_ANSWER), class_="doubt")
    if answer.search and answer.search.doubt:
        yield tag("p", _begun(answer.search.doubt), class_="doubt")


def _remarks(answer: Answer) -> Iterator[str]:
    """Yield the notes below an answer: corrected words, filters without data, the newest year."""
    yield from (f"{correction}." for correction in answer.corrections)
    # Why nothing was found already says which filters could not be checked.
    if answer.search and answer.search.found:
        yield from (f"{line}." for line in answer.search.missing_metadata)
    for warning in answer.summary.warnings:
        if isinstance(warning, notices.NothingNewer):
            yield _begun(warning)


def _begun(line: str) -> str:
    return f"{line[:1].upper()}{line[1:]}."


def _read(answer: Answer, steer: Steer) -> Iterator[Markup]:
    """Yield the opening sentence with its study, the count of sides, and the other sentences."""
    points = answer.points
    numbered = list(enumerate(answer.lines, start=1))
    # Open with the first sentence that takes a side and keeps its connective, if there is one.
    sided = [i for i, line in numbered if i - 1 in points.sides and not line.cut]
    opening = sided[0] if sided else 1
    source = answer.lines[opening - 1].source
    yield _sentence(opening, answer.lines[opening - 1], steer, class_="opening")
    repeated = dict.fromkeys(str(answer.lines[i].source.number) for i in points.repeats)
    also = f"{points.fact}: also in {', '.join(repeated)}" if repeated else ""
    yield tag("p", " · ".join(filter(None, (*_study(source), also))), class_="meta")
    yield _verdict(answer, points)
    others = [pair for pair in numbered if pair[0] != opening]
    if not others:
        return
    side = points.sides.get(opening - 1)
    prose = []
    for i, line in others:
        other = points.sides.get(i - 1)
        # A sentence that reads the other way than the opening says so.
        opposing = other if side and other is not side else None
        prose += [_sentence(i, line, steer, opposing=opposing), " "]
    yield tag("div", *prose, class_="prose")


def _verdict(answer: Answer, points: Points) -> Markup:
    """Return how many studies seem to say yes, no or neither, with a bar; empty without sides."""
    if not points.sides:
        return Markup()
    studies = {line.source.id for line in answer.lines}
    sided = {answer.lines[i].source.id for i in points.sides}
    counts = {side: points.studies[side].number for side in (Stance.YES, Stance.NO)}
    said, bars, start = list[Markup](), list[Markup](), 0.0
    for side, count in counts.items():
        if not count:
            continue
        seem = "" if said else " study seems to say" if count == 1 else " studies seem to say"
        kinds = points.studies[side].kinds
        title = ", ".join(f"{KINDS[kind]} ({n})" for kind, n in kinds.items())
        said.append(tag("span", tag("b", count), f"{seem} {side}", title=title or None))
        width = 100 * count / len(studies)
        bars.append(tag("rect", x=round(start, 2), width=round(width, 2), height=8, class_=side))
        start += width
    if unclear := len(studies - sided):
        said.append(tag("span", f"{unclear} unclear"))
    split = tag(
        "svg",
        *bars,
        class_="split",
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    return tag("p", split, tag("span", join(*said, between=" · ")), class_="verdict", title=_SORTED)


def _sentence(
    i: int,
    line: AnswerLine,
    steer: Steer,
    *,
    class_: str = "",
    opposing: Stance | None = None,
) -> Markup:
    """Return sentence `i` of an answer, with its source number and its controls."""
    source = tag("a", line.source.mark, href=f"#s{i}", title=vancouver(line.source))
    why = tag("details", tag("summary", "Why"), tag("p", f"Chosen: {line.sentence.why}."))
    controls = tag(
        "div",
        steer(line.sentence),
        why if line.sentence.why else "",
        class_="acts",
        role="group",
        aria_label=f"Sentence {i}",
    )
    return tag(
        "div",
        tag("a", line.shown, href=f"#s{i}", id=f"l{i}", class_="quoted"),
        tag("sup", source),
        tag("span", f"{opposing}", class_=f"side {opposing}", title=_SORTED) if opposing else "",
        controls,
        class_=f"line {class_}".strip(),
        data_place=place_name(line.sentence),
        data_citation=f"“{line.shown}” ({vancouver(line.source).rstrip('.')})",
    )


def _tools(answer: Answer, exports: Markup | str) -> Markup:
    """Return the row of exports, with the counts of sentences and records."""
    if not answer.lines:
        return Markup()
    state = [plain.counts(answer)]
    if answer.search and answer.records:
        records = tag("a", "all records", href="#records")
        state.append(tag("span", " · ", records, class_="on-screen"))
    # The text that the copy button copies.
    copied = tag("template", plain.text(answer, vancouver), class_="copied")
    return tag("div", exports, tag("span", *state, class_="state meta"), copied, class_="tools")


def _study(source: Source) -> list[str]:
    """Return the kinds and size of a study, its year, and any notice; unknown ones are left out."""
    translated = "translated title" if source.title.startswith("[") else ""
    remarks = [_begun(remark)[:-1] for remark in source.publication.remarks]
    return list(filter(None, (*remarks, source.size, source.year, translated)))


def _strength(source: Source) -> int:
    """Return the place of its strongest kind of study among `KINDS`, from 0; their number if no
    kind is known.
    """
    return min((list(KINDS).index(kind) for kind in source.publication.kinds), default=len(KINDS))


def _records(answer: Answer) -> Markup:
    """Return all records found, folded: year, journal, kind and size of the study, and the number
    if quoted.
    """
    if not answer.search or not answer.records:
        return Markup()
    rows = []
    for source in answer.records:
        title: Markup | str = source.title
        if source.url:
            title = tag("a", source.title or source.name, href=source.url, rel="noreferrer")
        quoted = Markup()
        if source.number:
            quoted = tag("a", f"[{source.number}]", href=f"#source{source.number}")
        year = int(source.year) if source.year.isdecimal() else 0
        rows.append(
            [
                title,
                tag("td", quoted),
                tag("td", source.year, data_value=year),
                tag("td", source.publication.journal),
                tag("td", ", ".join(source.publication.remarks), data_value=-_strength(source)),
                tag("td", source.size),
            ]
        )
    heads = map(head, ("record", "quoted", "year", "journal", "kind of study", "size"))
    summary = tag("summary", f"{counted(len(rows), 'record')} found, quoted or not")
    listed = table("Records found", [*heads], rows)
    return tag("details", summary, listed, class_="records", id="records")


def _made(answer: Answer, further: Markup | str) -> Markup:
    """Return how the answer was made, folded: warnings, the figures of the solver and the search,
    and further forms.
    """
    words = counted(sum(len(line.text.split()) for line in answer.lines), "word")
    lines = [*answer.summary.warnings, f"{', '.join([words, *figures(answer)])}."]
    if answer.points.sides:
        lines.append(_SORTED)
    summary = tag("summary", "How this answer was made")
    forms = tag("p", "Also as ", further) if further else ""
    return tag("details", summary, notes(lines), forms, class_="notes")


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
            tag("div", f"{s.why}. From ", tag("bdi", s.document), " ", steer(s), class_="meta"),
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
    quoted = answer.quoted
    if not quoted:
        return Markup()
    shown = [_source(source, marks[source.number]) for source in quoted]
    title = tag("h2", "Sources", id="sources")
    return tag("aside", title, *shown, aria_labelledby="sources", tabindex="0")


def _source(source: Source, marks: Sequence[Mark]) -> Markup:
    """Return a source: a line with its kind, size, year and title, which opens its text."""
    remarks = [remark for remark in source.publication.remarks if remark]
    notice = source.publication.notice
    tags = [
        tag("span", _begun(remark)[:-1], class_="notice" if remark == notice else "kind")
        for remark in remarks
    ]
    facts = " · ".join(filter(None, (str(source.number), source.year, source.size)))
    summary = tag(
        "summary",
        join(*tags, " ", tag("span", facts, class_="meta")),
        tag("b", heading(source, marks)),
    )
    text = excerpt(source, marks)
    whole = tag("label", Markup('<input type="checkbox"> '), "the whole text", class_="whole")
    links = [tag("a", name, href=url, rel="noreferrer") for name, url in source.links]
    about = (source.authors(3), source.publication.journal, *(links or [tag("bdi", source.name)]))
    return tag(
        "details",
        summary,
        tag("blockquote", text),
        whole if 'class="far"' in text else "",
        tag("p", join(*filter(None, about), between=" · "), class_="meta"),
        id=f"source{source.number}",
        class_="source",
        open=source.number == 1,
    )
