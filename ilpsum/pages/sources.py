"""The sources of an answer: publication data, and the quotations marked in their context."""

import re
from collections.abc import Iterator, Sequence

from features.sentences import split_sentences
from features.text import STOP_WORDS, Passage, porter, words
from ilpsum.pages import markup
from ilpsum.pages.markup import Markup, join, tag
from ilpsum.pages.references import vancouver
from ilpsum.pages.view import Answer, AnswerLine, Quote, Source

# Text further from a quotation is collapsed, or dropped if it is longer than this (characters).
_LONGEST = 4000
_SILENT = "The collection does not say who wrote these texts, when, or what kind of study they are."
_WORD = re.compile(r"([^\W_]+)")

# A marked passage of a source: start, end, number of the supported sentence, anchor, tooltip.
_Mark = tuple[int, int, int, str, str]


def section(answer: Answer) -> Markup:
    """Return the sources of an answer, or of its nearest sentences if it is empty."""
    marks: dict[int, list[_Mark]] = {}
    for i, line in enumerate(answer.lines or answer.nearest, start=1):
        for quote in line.quotes:
            what = f"sentence {i} of the answer"
            if quote.similarity is not None:
                what = f"says the same as sentence {i}, similarity {quote.similarity:.2f}"
            mark = quote.start, quote.end, i, _anchor(quote, i), what
            marks.setdefault(quote.source.number, []).append(mark)
    asked = frozenset(Passage(answer.question).content_stems)
    shown = [_source(source, sorted(marks[source.number]), asked) for source in answer.sources]
    silent = not any(source.year or source.byline or source.publication.remarks for source in answer.sources)
    note = tag("p", _SILENT, class_="note") if silent else ""
    heading = tag("h2", "Sources", id="sources")
    return tag("section", heading, note, *shown, aria_labelledby="sources") if shown else Markup()


def link(quote: Quote, sentence: int, *, full: bool = False) -> Markup:
    """Return a source number that links to the quotation; `full` adds the similarity."""
    number = tag("a", quote.source.mark, href=f"#{_anchor(quote, sentence)}", title=vancouver(quote.source))
    return join(number, f" (similarity {quote.similarity:.2f})") if full and quote.similarity is not None else number


def _anchor(quote: Quote, sentence: int) -> str:
    return f"s{sentence}" if quote.similarity is None else f"s{sentence}-{quote.source.number}"


def facts(line: AnswerLine) -> Markup:
    """Return publication data: authors and journal, year, kind of study, notice, title, identifiers."""
    source = line.source
    title = [join(tag("cite", source.title.rstrip(".")), " · ")] if source.title else []
    return tag("p", *_known(source), *title, _named(source), class_="facts")


def _known(source: Source) -> Iterator[Markup]:
    # PubMed puts translated titles in brackets.
    translated = "translated title" if source.title.startswith("[") else ""
    for part in filter(None, (source.byline.rstrip("."), source.year, *source.publication.remarks, translated)):
        yield join(tag("strong", part, class_="notice") if part == source.publication.notice else part, " · ")


def _named(source: Source) -> Markup:
    links = [tag("a", name, href=url, rel="noreferrer") for name, url in source.links] or [tag("bdi", source.name)]
    return join(*links, between=", ")


def _source(source: Source, marks: Sequence[_Mark], asked: frozenset[str]) -> Markup:
    # The text of an abstract starts with the title, which is already in the heading.
    begin = len(source.title) if source.title and source.text.startswith(source.title) else 0
    excerpt = join(*_marked(source.text, begin, marks, asked))
    whole = tag("label", Markup('<input type="checkbox"> '), "the whole text", class_="whole")
    return tag(
        "article",
        tag("h3", f"[{source.number}] ", source.title or source.name),
        tag("p", *_known(source), _named(source), class_="facts"),
        tag("p", f"{source.publication.notice.capitalize()}.", class_="notice") if source.publication.notice else "",
        tag("blockquote", excerpt),
        whole if 'class="far"' in excerpt else "",
        id=f"source{source.number}",
        data_year=source.year,
        data_journal=source.publication.journal,
        data_kind=", ".join(source.publication.remarks),
    )


def _marked(whole: str, begin: int, marks: Sequence[_Mark], asked: frozenset[str]) -> Iterator[object]:
    """Yield the text from `begin` on, with marks linked to their sentences; equal spans share one mark."""
    done = begin
    at: dict[tuple[int, int], list[tuple[int, str, str]]] = {}
    for start, end, sentence, anchor, title in marks:
        at.setdefault((start, end), []).append((sentence, anchor, title))
    for (start, end), of_span in at.items():
        if start < done and start >= begin:
            continue
        yield from _between(whole[done:start], asked, after=done > begin, before=True)
        anchors = [tag("span", id=anchor) for _, anchor, _ in of_span]
        titles = "; ".join(title for *_, title in of_span)
        yield tag("mark", *anchors, highlighted(whole[start:end] if start >= begin else "", asked), title=titles)
        links = join(*(tag("a", number, href=f"#l{number}") for number, *_ in of_span), between=", ")
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


def before(quote: Quote, cut: str) -> str:
    """Return the sentence before a quotation whose connective was removed; empty at the start of the source."""
    text = quote.source.text[: quote.start - len(cut)]
    spans = split_sentences(text)
    return " ".join(text[slice(*spans[-1])].split()) if spans else ""


def lacking(question: str, sentence: str) -> list[str]:
    """Return the content words of a question that a sentence lacks, compared by stem.

    >>> lacking("Does velin help singing newts?", "Newts sing.")
    ['velin', 'help']
    """
    held = set(Passage(sentence).stems)
    return [word for word in dict.fromkeys(words(question)) if word not in STOP_WORDS and porter(word) not in held]
