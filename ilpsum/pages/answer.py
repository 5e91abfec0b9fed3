"""The page of one answer: the opening sentence, the others as prose, and the sources beside them.

The page gives no verdict: the answer to a yes/no question opens with a sentence that takes a side,
and a sentence of the other side says so.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ilpsum.answers.stance import Stance
from ilpsum.errors import counted
from ilpsum.files.numbers import whole_number
from ilpsum.pages import plain
from ilpsum.pages.markup import Markup, asset, framed, head, join, number, table, tag
from ilpsum.pages.quotations import Mark, excerpt, heading
from ilpsum.pages.references import vancouver
from ilpsum.pages.view import Answer, AnswerLine, Source
from ilpsum.records import KINDS, Outcome, Sentence, notices
from ilpsum.version import __version__

Steer = Callable[[Sentence], Markup]
"""Renders the controls of a sentence."""

# A gap that is rounding.
_PROVED = 1e-6
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
    return framed(
        answer.question or plain.UNASKED,
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
    as_written: Markup | str = "",
) -> Markup:
    """Return an answer beside its sources.

    Args:
        answer: the answer.
        steer: renders the controls of a sentence.
        exports: links to the answer in other forms.
        further: what few want, shown under how the answer was made.
        most: the most rejected sentences shown; None for all.
        searched: where the answer comes from.
        as_written: a link that searches for the question without corrections.
    """
    parts: list[object] = [tag("h2", answer.outcome.degree, id="answer", class_="label")]
    if answer.corrections:
        corrected = begun("; ".join(map(str, answer.corrections)))
        parts.append(tag("p", corrected, " ", as_written, class_="corrected"))
    parts += _doubts(answer)
    if answer.lines:
        parts += _read(answer, steer)
        parts.append(_tools(answer, exports))
    else:
        parts += [_sentence(i, line, fixed) for i, line in enumerate(answer.nearest, start=1)]
    parts.append(notes(_remarks(answer)))
    if answer.graded:
        parts.append(tag("p", f"{answer.graded}.", class_="meta"))
    if searched:
        parts.append(tag("p", searched, class_="meta"))
    # What a short answer lacks may stand in the next sentences.
    used = sum(line.sentence.words for line in answer.lines)
    is_short = used < answer.summary.settings.words / 2
    parts.append(left_out(answer, steer, most, is_open=is_short))
    parts.append(_made(answer, further))
    class_ = f"said is-{answer.outcome}"
    article = tag("article", *parts, class_=class_, aria_labelledby="answer")
    return tag("div", article, _sources(answer), _records(answer), class_="beside")


def _doubts(answer: Answer) -> Iterator[Markup]:
    """Yield what a reader must know before the first sentence: why there is no answer, or doubt."""
    if not answer.lines:
        yield tag("p", begun(answer.unanswered), class_="state")
        if answer.search:
            yield tag("p", begun(notices.TRY_OTHER_WORDS), class_="meta")
        if answer.nearest:
            near = "These sentences come near the question, and may not answer it."
            yield tag("p", near, class_="meta")
        return
    if answer.outcome is Outcome.WEAK:
        yield tag("p", begun(notices.MAY_NOT_ANSWER), class_="doubt")
    if answer.search and answer.search.doubt:
        yield tag("p", begun(answer.search.doubt), class_="doubt")


def _remarks(answer: Answer) -> Iterator[str]:
    """Yield the notes below an answer: filters without data, the newest year."""
    # Why nothing was found already says which filters could not be checked.
    if answer.search and answer.search.found:
        yield from map(begun, answer.search.missing_metadata)
    for warning in answer.summary.warnings:
        if isinstance(warning, notices.NothingNewer):
            yield begun(warning)


def begun(line: object) -> str:
    """Return a message as a sentence."""
    line = str(line)
    return f"{line[:1].upper()}{line[1:]}."


def _read(answer: Answer, steer: Steer) -> Iterator[Markup]:
    """Yield the opening sentence with its study, and the other sentences."""
    points = answer.points
    lines = answer.lines
    # Open with the first sentence that takes a side and keeps its connective, if there is one.
    opening = next((i for i in points.sides if not lines[i].cut), 0)
    yield _sentence(opening + 1, lines[opening], steer, class_="opening")
    facts = _study(lines[opening])
    if points.repeats:
        repeated = dict.fromkeys(str(lines[i].source.number) for i in points.repeats)
        facts.append(f"{points.fact}: also in {', '.join(repeated)}")
    if facts:
        yield tag("p", " · ".join(facts), class_="meta")
    side = points.sides.get(opening)
    prose: list[object] = []
    for i, line in enumerate(lines):
        if i == opening:
            continue
        other = points.sides.get(i)
        # A sentence that contradicts the opening is marked.
        opposing = other if side and other is not side else None
        prose += [_sentence(i + 1, line, steer, opposing=opposing), " "]
    if prose:
        yield tag("div", *prose, class_="prose")


def _sentence(
    i: int,
    line: AnswerLine,
    steer: Steer,
    *,
    class_: str = "",
    opposing: Stance | None = None,
) -> Markup:
    """Return sentence `i` of an answer, with its source number and its controls."""
    reference = vancouver(line.source)
    number = tag("a", line.source.mark, href=f"#s{i}", title=reference)
    parts = [tag("a", line.shown, href=f"#s{i}", id=f"l{i}", class_="quoted"), tag("sup", number)]
    if opposing:
        parts.append(tag("span", f"{opposing}", class_=f"side {opposing}", title=_SORTED))
    controls = [tag("span", line.section, class_="section")] if line.section else []
    controls.append(steer(line.sentence))
    if line.sentence.why:
        why = tag("p", f"Chosen: {line.sentence.why}.")
        controls.append(tag("details", tag("summary", "Why"), why))
    parts.append(tag("div", *controls, class_="acts", role="group", aria_label=f"Sentence {i}"))
    return tag(
        "div",
        *parts,
        class_=f"line {class_}".strip(),
        data_place=place_name(line.sentence),
        data_citation=f"“{line.shown}” ({reference.rstrip('.')})",
    )


def _tools(answer: Answer, exports: Markup | str) -> Markup:
    """Return the row of exports, with the counts of sentences and records."""
    state: list[object] = [plain.counts(answer)]
    if answer.search and answer.records:
        records = tag("a", "all records", href="#records")
        state.append(tag("span", " · ", records, class_="on-screen"))
    # The text that the copy button copies.
    copied = tag("template", plain.text(answer, vancouver), class_="copied")
    return tag("div", exports, tag("span", *state, class_="state meta"), copied, class_="tools")


def _study(line: AnswerLine) -> list[str]:
    """Return the kinds, year and journal of a sentence's study, any notice, and the sentence's
    section; unknown ones are left out.
    """
    source = line.source
    facts = [begun(remark)[:-1] for remark in source.publication.remarks]
    facts += [source.year, source.publication.journal, line.section]
    # The brackets that mark a translated title are not quoted.
    if source.title.startswith("[") and line.start < len(source.title):
        facts.append("translated title")
    return list(filter(None, facts))


def _strength(source: Source) -> int:
    """Return the place of its strongest kind of study among `KINDS`, from 0; their number if no
    kind is known.
    """
    return min((list(KINDS).index(kind) for kind in source.publication.kinds), default=len(KINDS))


def _records(answer: Answer) -> Markup:
    """Return all records found, folded: year, journal, kind of study, and the number if quoted."""
    if not answer.search or not answer.records:
        return Markup()
    heads = [*map(head, ("record", "quoted", "year", "journal", "kind of study"))]
    listed = table("Records found", heads, [_record(source) for source in answer.records])
    summary = tag("summary", f"{counted(len(answer.records), 'record')} found, quoted or not")
    return tag("details", summary, listed, class_="records", id="records")


def _record(source: Source) -> list[object]:
    """Return the row of a record found."""
    title = _link(source.title or source.name, source.url) if source.url else source.title
    quoted: object = ""
    if source.number:
        quoted = tag("a", f"[{source.number}]", href=f"#source{source.number}")
    year = whole_number(source.year) or 0
    return [
        title,
        tag("td", quoted),
        tag("td", source.year, data_value=year),
        tag("td", source.publication.journal),
        tag("td", ", ".join(source.publication.remarks), data_value=-_strength(source)),
    ]


def _made(answer: Answer, further: Markup | str) -> Markup:
    """Return how the answer was made, folded: warnings, what was chosen and searched, and `further`
    forms and settings.
    """
    lines = [*answer.summary.warnings, *_account(answer)]
    if answer.points.sides:
        lines.append(_SORTED)
    summary = tag("summary", "How this answer was made")
    return tag("details", summary, notes(lines), further, class_="notes")


def _account(answer: Answer) -> Iterator[str]:
    """Yield what is known of the selection and the search, in sentences."""
    summary, search = answer.summary, answer.search
    if answer.lines:
        words = counted(sum(len(line.text.split()) for line in answer.lines), "word")
        chosen = counted(len(answer.lines), "sentence")
        of = f" of the {len(summary.candidates):,} read" if summary.candidates else ""
        yield f"{chosen}{of}, {words} in all."
    if math.isfinite(summary.objective) and math.isfinite(summary.bound):
        score = f"Together they score {number(summary.objective, 3)} for relevance and coverage"
        if summary.gap > _PROVED:
            best = f"the best choice scores at most {number(summary.bound, 3)}"
            yield f"{score}; {best}, {summary.gap:.1%} more."
        else:
            yield f"{score}; it is proved that no other choice of this length scores more."
    if search and math.isfinite(search.coverage):
        yield f"The best {search.what} covers {search.coverage:.0%} of the question's words."
    if search and math.isfinite(search.answerable):
        yield f"Estimated probability of an answer: {search.answerable:.0%}."


def notes(lines: Iterable[str]) -> Markup:
    """Return warnings with directories removed from file names, since pages may be shared."""
    return join(*(tag("p", _FOLDERS.sub("", line), class_="note") for line in lines if line))


def left_out(
    answer: Answer,
    steer: Steer = fixed,
    most: int | None = None,
    *,
    is_open: bool = False,
) -> Markup:
    """Return at most `most` of the best rejected candidates, each with its source and the reason;
    empty if there are none. They are collapsed, unless `is_open` or the reader excluded one.
    """
    rejected = answer.left_out[:most]
    if not rejected:
        return Markup()
    records = {source.id: source for source in answer.records}
    entries = []
    for sentence in rejected:
        source = records.get(sentence.document, Source(sentence.document))
        title = tag("cite", source.headline or source.name)
        year = f", {source.year}" if source.year else ""
        parts = (begun(sentence.why), " From ", title, year, " ", steer(sentence))
        entries.append(tag("li", tag("p", sentence.text), tag("div", *parts, class_="meta")))
    heading = tag("summary", "Left out: the most relevant sentences that were not chosen")
    is_excluded = isinstance(rejected[0].why, notices.Excluded)
    return tag(
        "details",
        heading,
        tag("ul", *entries),
        class_="left-out",
        open=is_excluded or is_open,
    )


def _sources(answer: Answer) -> Markup:
    """Return the sources of an answer, or of its nearest sentences if it is empty, with their
    quotations marked.
    """
    marks: dict[int, list[Mark]] = {}
    for i, line in enumerate(answer.lines or answer.nearest, start=1):
        marks.setdefault(line.source.number, []).append(Mark(line.start, line.sentence.end, i))
    quoted = answer.quoted
    if not quoted:
        return Markup()
    shown = [_source(source, marks[source.number]) for source in quoted]
    title = tag("h2", "Sources", id="sources")
    return tag("aside", title, *shown, aria_labelledby="sources", tabindex="0")


def _source(source: Source, marks: Sequence[Mark]) -> Markup:
    """Return a source: a line with its number, kind, year, journal and title, which opens its
    text.
    """
    publication = source.publication
    tags = [tag("b", source.number, class_="place")]
    for remark in publication.remarks:
        class_ = "notice" if remark == publication.notice else "kind"
        tags.append(tag("span", begun(remark)[:-1], class_=class_))
    dated = " · ".join(filter(None, (source.year, publication.journal)))
    tags.append(tag("span", dated, class_="meta"))
    summary = tag("summary", *tags, tag("cite", heading(source, marks)))
    text = excerpt(source, marks)
    parts = [tag("blockquote", text)]
    if 'class="far"' in text:
        parts.append(tag("label", tag("input", type="checkbox"), " the whole text", class_="whole"))
    about = [source.authors(3), *_links(source)]
    parts.append(tag("p", join(*filter(None, about), between=" · "), class_="meta"))
    is_first = source.number == 1
    return tag(
        "details",
        summary,
        *parts,
        id=f"source{source.number}",
        class_="source",
        open=is_first,
    )


def _links(source: Source) -> Iterator[Markup]:
    """Yield the links of a source, those to its full text together; its id if it has none."""
    full = source.full_text
    if not source.links:
        yield tag("bdi", source.name)
    for name, url in source.links:
        if (name, url) not in full:
            yield _link(name, url)
    if full:
        links = [_link(name, url) for name, url in full]
        yield join("Full text: ", join(*links, between=", "))


def _link(name: str, url: str) -> Markup:
    return tag("a", name, href=url, rel="noreferrer")
