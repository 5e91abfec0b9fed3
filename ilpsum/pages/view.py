"""The view of an answer, free of HTML, from which its page, the reading room and every printed form are drawn."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ilpsum.answers.answering import conclusion
from ilpsum.answers.points import Finding, Points, points_of
from ilpsum.files.identifiers import ArticleIds, find_ids, links
from ilpsum.formats.papers.headings import without_label
from ilpsum.formats.papers.printed import clean
from ilpsum.pipeline.coherence.anaphora import connective
from ilpsum.pipeline.text import pmid_of
from ilpsum.records import UNPUBLISHED, Correction, Document, Outcome, Publication, SearchResult, Sentence, Summary

_YEAR = re.compile(r"\d{4}")
_NAME = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Source:
    """A quoted document; unknown fields are empty.

    Attributes:
        date: as written in the source.
        text: the whole text; abstracts begin with the title.
        abstract: whether it is an abstract; its sentences are printed without section labels and citation lists.
        number: position in the answer, from 1.
    """

    id: str
    pmid: str = ""
    title: str = ""
    date: str = ""
    text: str = ""
    abstract: bool = False
    number: int = 0
    publication: Publication = UNPUBLISHED

    @property
    def year(self) -> str:
        """The year of the date, or the date itself if it has no year; without a date, the year of publication."""
        match = _YEAR.search(self.date)
        return match[0] if match else self.date or self.publication.year

    @property
    def links(self) -> list[tuple[str, str]]:
        """Identifiers as in references (`PMID 7`, `DOI 10.1234/x`), each with its URL; the best first."""
        known = links(self.publication)
        return known or links(ArticleIds(pmid=self.pmid, doi="" if self.pmid else find_ids(self.id).doi))

    @property
    def name(self) -> str:
        """The best identifier, or the document id if there is none."""
        return next((name for name, _ in self.links), self.id)

    @property
    def url(self) -> str:
        """The URL of the best identifier; empty if unknown."""
        return next((url for _, url in self.links), "")

    def authors(self, most: int) -> str:
        """Return at most `most` authors, with initials: `Newt AB, Toad C, et al`."""
        named = [f"{a.family} {initials(a.given)}".strip() for a in self.publication.authors]
        return ", ".join(named[:most] + ["et al"] * (len(named) > most))

    @property
    def byline(self) -> str:
        """The first three authors and the journal: `Newt AB, Toad C. J Newts.`; empty if unknown."""
        parts = (self.authors(3), self.publication.journal)
        return " ".join(f"{part.rstrip('.')}." for part in parts if part)

    @property
    def mark(self) -> str:
        """The source number with any notice: `1`, or `1, retracted`."""
        return ", ".join(filter(None, (str(self.number), self.publication.notice)))


def initials(given: str) -> str:
    """Return the initials of given names as written in references.

    >>> initials("Ann-Marie B."), initials("AB"), initials("Jean")
    ('AMB', 'AB', 'J')
    """
    return given if given.isupper() and given.isalpha() else "".join(name[0] for name in _NAME.findall(given))


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage that supports a sentence: its own span or, with a similarity, a similar passage."""

    source: Source
    start: int
    end: int
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """A sentence of an answer.

    Attributes:
        text: as printed, without section labels if from an abstract.
        quotes: supporting passages, its own span first; empty for a run without citations.
        cut: the removed connective, which referred to the preceding sentence; empty if there is none.
    """

    sentence: Sentence
    text: str
    quotes: tuple[Quote, ...] = ()
    cut: str = ""

    @property
    def source(self) -> Source:
        """The source of the sentence itself (its first quotation)."""
        return self.quotes[0].source

    @property
    def shown(self) -> str:
        """The text with an ellipsis in place of a removed connective."""
        return f"… {self.text}" if self.cut else self.text


@dataclass(frozen=True, slots=True)
class Answer:
    """A summary for readers: an answer to a question, or a text without one.

    Attributes:
        lines: sentences in order.
        sources: quoted sources by number: first the sentences' own, then the supporting ones; none without citations.
        nearest: the sentences nearest to an unanswered question.
    """

    summary: Summary
    lines: tuple[AnswerLine, ...] = ()
    sources: tuple[Source, ...] = ()
    nearest: tuple[AnswerLine, ...] = ()

    @property
    def question(self) -> str:
        """The question; empty if there is none."""
        return self.summary.question

    @property
    def search(self) -> SearchResult | None:
        """The search result; None if the documents were given."""
        return self.summary.search

    @property
    def outcome(self) -> Outcome:
        """Whether it answers the question."""
        return conclusion(self.summary).outcome

    @property
    def unanswered(self) -> str:
        """Why there is no answer, without a full stop; empty if there is one."""
        return conclusion(self.summary).why

    @property
    def silence(self) -> str:
        """The line shown instead of an answer, without a full stop."""
        return self.outcome.said(self.unanswered)

    @property
    def points(self) -> Points:
        """What the sentences say: the side that each takes, the items of a list, a fact that several give."""
        lines = [Finding(line.text, line.sentence, line.source.number, line.source.text) for line in self.lines]
        return points_of(self.question, lines)

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """Words of the question that were corrected."""
        return self.search.corrections if self.search else ()

    @property
    def quoted(self) -> list[Source]:
        """The sources of the sentences, without those that only support them."""
        return list({line.source.number: line.source for line in (*self.lines, *self.nearest)}.values())

    @property
    def left_out(self) -> tuple[Sentence, ...]:
        """The rejected candidates that have a reason, by descending relevance."""
        chosen = set(self.summary.chosen)
        others = (s for i, s in enumerate(self.summary.candidates) if i not in chosen and s.why)
        return tuple(sorted(others, key=lambda s: -s.relevance))


def answer_of(summary: Summary, documents: Iterable[Document]) -> Answer:
    """Convert a summary to an answer; `documents` must contain those of its sentences.

    Its responses, if any, add supporting passages from other documents. Section labels and citation lists are removed
    from sentences of abstracts; other sentences are verbatim.
    """
    sources = {document.id: _source(document) for document in documents}
    numbered: dict[str, Source] = {}

    def quote(document: str, start: int, end: int, similarity: float | None = None) -> Quote:
        source = numbered.setdefault(document, replace(sources[document], number=len(numbered) + 1))
        return Quote(source, start, end, similarity)

    lines = [AnswerLine(s, s.text, (quote(*s.place),)) for s in summary]
    lines = [replace(line, text=clean(line.text)) if line.source.abstract else line for line in lines]
    found = summary.search.nearest if summary.search else ()
    near = [Sentence(s.text, s.document, s.start, s.end, len(s.text.split())) for s in found]
    nearest = [AnswerLine(s, s.text, (quote(*s.place),)) for s in near]
    for i, response in enumerate(summary.responses):
        others = (quote(s.document, s.start, s.end, s.similarity) for s in response.support)
        lines[i] = replace(lines[i], text=response.text, quotes=(*lines[i].quotes, *others))
    return Answer(summary, tuple(map(_as_quoted, lines)), tuple(numbered.values()), tuple(map(_as_quoted, nearest)))


def _as_quoted(line: AnswerLine) -> AnswerLine:
    """Narrow the first quotation of a line to the text printed, without section label and removed connective."""
    own, *others = line.quotes
    whole = own.source.text[own.start : own.end]
    opening = connective(whole)
    cut = "" if line.text.casefold().startswith(opening.split(maxsplit=1)[0].casefold() if opening else "") else opening
    start = own.end - len(without_label(whole)) + len(cut)
    return replace(line, quotes=(replace(own, start=start), *others), cut=cut)


def _source(document: Document) -> Source:
    # Only abstracts have sections, and a numeric id of an abstract is its PMID.
    pmid = pmid_of(document) if document.sections and pmid_of(document).isdecimal() else ""
    abstract, published = bool(document.sections), document.publication
    return Source(document.id, pmid, document.title, document.date, document.text, abstract, publication=published)
