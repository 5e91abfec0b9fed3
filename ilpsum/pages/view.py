"""The view of an answer, free of HTML, from which its page, the reading room and every printed form
are drawn.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from ilpsum.answers.points import Points, Quotation, points_of
from ilpsum.files.identifiers import ArticleIds, find_ids, links
from ilpsum.papers.headings import without_label
from ilpsum.papers.printed import quotation
from ilpsum.pipeline.coherence.anaphora import connective
from ilpsum.pipeline.text import pmid_of
from ilpsum.records import (
    UNPUBLISHED,
    Correction,
    Document,
    Outcome,
    Publication,
    SearchResult,
    Sentence,
    Summary,
)
from ilpsum.records.notices import MAY_NOT_ANSWER, Excluded

_YEAR = re.compile(r"\d{4}")
_NAME = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Source:
    """A quoted document; unknown fields are empty.

    Attributes:
        date: as written in the source.
        text: the whole text; abstracts begin with the title.
        abstract: whether it is an abstract; its sentences are printed without section labels and
            citation lists.
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
    def headline(self) -> str:
        """The title without the stop that PubMed sets."""
        is_one_stop = self.title.endswith(".") and not self.title.endswith("..")
        return self.title[:-1] if is_one_stop else self.title

    @property
    def year(self) -> str:
        """The year of the date, or the date itself if it has no year; without a date, the year of
        publication.
        """
        match = _YEAR.search(self.date)
        return match[0] if match else self.date or self.publication.year

    @property
    def links(self) -> list[tuple[str, str]]:
        """Identifiers as in references (`PMID 7`, `DOI 10.1234/x`), each with its URL; the best
        first.
        """
        doi = "" if self.pmid else find_ids(self.id).doi
        return links(self.publication) or links(ArticleIds(pmid=self.pmid, doi=doi))

    @property
    def full_text(self) -> list[tuple[str, str]]:
        """The links that lead to the article itself, not to its abstract in PubMed."""
        return [link for link in self.links if not link[0].startswith("PMID")]

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
        """The first three authors and the journal: `Newt AB, Toad C. J Newts.`; empty if
        unknown.
        """
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
    if given.isupper() and given.isalpha():
        return given
    return "".join(name[0] for name in _NAME.findall(given))


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """A sentence of an answer.

    Attributes:
        text: as printed, without section labels if from an abstract.
        source: what it is quoted from.
        start: where what is printed begins in the source's text; it ends with the sentence.
        cut: the removed connective, which referred to the preceding sentence; empty if there is
            none.
        section: the label of its section in the abstract, such as `Results`; empty if it has none.
    """

    sentence: Sentence
    text: str
    source: Source
    start: int
    cut: str = ""
    section: str = ""

    @property
    def shown(self) -> str:
        """The text with an ellipsis in place of a removed connective."""
        return f"… {self.text}" if self.cut else self.text


@dataclass(frozen=True)
class Answer:
    """A summary for readers: an answer to a question, or a text without one.

    Attributes:
        lines: sentences in order.
        nearest: the sentences nearest to an unanswered question.
        records: all documents found, quoted or not, the best first.
        asked: where and when the question was asked: what each service has, the date; empty if
            only files were searched.
    """

    summary: Summary
    lines: tuple[AnswerLine, ...] = ()
    nearest: tuple[AnswerLine, ...] = ()
    records: tuple[Source, ...] = ()
    asked: tuple[str, ...] = ()

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
        """Whether it answers the question: an answer without sentences is none."""
        outcome = self.search.outcome if self.search else Outcome.ANSWER
        return Outcome.NOTHING if outcome.is_answer and not self.lines else outcome

    @property
    def unanswered(self) -> str:
        """Why there is no answer, without a full stop; empty if there is one."""
        if self.lines:
            return ""
        if self.search and self.search.unanswered:
            return self.search.unanswered
        nothing_fits = "no relevant sentence fits the limits"
        return nothing_fits if self.summary.candidates else "the texts have no sentence"

    @property
    def opening(self) -> str:
        """The line above the answer, without a full stop: why there is none, or what weak evidence
        lacks, if that is known; empty for others.
        """
        if not self.lines:
            return self.outcome.describe(self.unanswered)
        if self.outcome is not Outcome.WEAK:
            return ""
        lacking = self.search.doubt if self.search else ""
        return Outcome.WEAK.describe(lacking or MAY_NOT_ANSWER)

    @property
    def graded(self) -> str:
        """Who graded the sentences, without a full stop; empty if no judge did."""
        notes = self.summary.notes
        if "judge" not in notes:
            return ""
        return f"Sentences graded by {notes['model'] or 'the model'} at {notes['host']}"

    @cached_property
    def points(self) -> Points:
        """What the sentences say: the side that each takes, a fact that several give."""
        quotations = []
        for line in self.lines:
            source = line.source
            quotations.append(Quotation(line.text, line.sentence, source.number, source.text))
        return points_of(self.question, quotations)

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """Words of the question that were corrected."""
        return self.search.corrections if self.search else ()

    @property
    def quoted(self) -> list[Source]:
        """The sources of the sentences, by number."""
        lines = (*self.lines, *self.nearest)
        return list({line.source.number: line.source for line in lines}.values())

    @property
    def left_out(self) -> tuple[Sentence, ...]:
        """The rejected candidates that have a reason: those that the reader excluded, then by
        descending relevance.
        """
        chosen = set(self.summary.chosen)
        others = (s for i, s in enumerate(self.summary.candidates) if i not in chosen and s.why)

        def order(sentence: Sentence) -> tuple[bool, float]:
            return not isinstance(sentence.why, Excluded), -sentence.relevance

        return tuple(sorted(others, key=order))


def today() -> str:
    """Return the date as readers write it: `27 November 2026`."""
    day = date.today()
    return f"{day.day} {day:%B} {day.year}"


def answer_of(
    summary: Summary,
    documents: Iterable[Document],
    asked: tuple[str, ...] = (),
) -> Answer:
    """Convert a summary to an answer; `documents` are those found, among them those of its
    sentences.

    Section labels and citation lists are removed from sentences of abstracts; other sentences are
    verbatim.
    """
    texts = {document.id: document for document in documents}
    sources = {id_: _source(document) for id_, document in texts.items()}
    passages = summary.search.nearest if summary.search else ()
    near = [Sentence(s.text, s.document, s.start, s.end, 0) for s in passages]
    quoted = dict.fromkeys(sentence.document for sentence in (*summary, *near))
    for number, document in enumerate(quoted, start=1):
        sources[document] = replace(sources[document], number=number)

    def line(sentence: Sentence) -> AnswerLine:
        section = _section(texts[sentence.document], sentence)
        return replace(_line(sentence, sources[sentence.document]), section=section)

    lines, nearest = tuple(map(line, summary)), tuple(map(line, near))
    return Answer(summary, lines, nearest, tuple(sources.values()), asked)


def _section(document: Document, sentence: Sentence) -> str:
    """Return the heading that the section of a sentence has in its source, as words are written."""
    for section in document.sections:
        if section.start <= sentence.start < section.end and section.kind != "title":
            return section.title.capitalize()
    return ""


def _line(sentence: Sentence, source: Source) -> AnswerLine:
    """Return a sentence as printed, with the place of that: without section label and removed
    connective.
    """
    text = quotation(sentence.text) if source.abstract else sentence.text
    whole = source.text[sentence.start : sentence.end]
    cut = connective(whole)
    if cut and text.casefold().startswith(cut.split(maxsplit=1)[0].casefold()):
        cut = ""  # it is still there
    start = sentence.end - len(without_label(whole)) + len(cut)
    return AnswerLine(sentence, text, source, start, cut)


def _source(document: Document) -> Source:
    # Only abstracts have sections, and a numeric id of an abstract is its PMID.
    abstract = bool(document.sections)
    pmid = pmid_of(document) if abstract else ""
    return Source(
        document.id,
        pmid if pmid.isdecimal() else "",
        document.title,
        document.date,
        document.text,
        abstract,
        publication=document.publication,
    )
