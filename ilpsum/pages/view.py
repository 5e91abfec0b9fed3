"""The view of answers and runs, free of HTML, from which pages, text, Markdown and JSON are drawn.

`Answer` is what a reader of one answer needs: the page, the reading room and every printed form draw it. A report adds
what comparing runs needs (`RunSummary`, `RunLine`).
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ilpsum.answers.answering import conclusion
from ilpsum.answers.points import Finding, Points, points_of
from ilpsum.evaluation.scoring import Evaluation, Measure
from ilpsum.evaluation.steering import Steering
from ilpsum.files.identifiers import ArticleIds, find_ids, links
from ilpsum.records import UNPUBLISHED, Correction, Outcome, Publication, SearchResult, Sentence, Summary
from ilpsum.runs.excerpts import Excerpt

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

    @property
    def why(self) -> str:
        """The reason for selecting it."""
        return self.sentence.why


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


@dataclass(frozen=True, slots=True)
class RunLine:
    """A sentence of a run.

    Attributes:
        text: as printed.
        rank: rank by relevance among the candidates, from 1; 0 if the system predicts no relevance.
        excerpt: the sentence in the context of its document.
    """

    sentence: Sentence
    text: str
    rank: int
    excerpt: Excerpt


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run's summary of a topic; without provenance, or if the topic failed, its text alone.

    Attributes:
        text: as in the run's file; empty if there is none.
        error: why the run has no summary.
        answer: the summary as its provenance has it.
        steering: the summary at other lambdas and word limits; None if unknown.
        lines: the sentences of the answer, then those that the run selects only at other lambdas or word limits.
    """

    text: str = ""
    error: str = ""
    answer: Answer | None = None
    steering: Steering | None = None
    lines: tuple[RunLine, ...] = ()

    @property
    def own(self) -> tuple[RunLine, ...]:
        """The sentences of the answer."""
        return self.lines[: len(self.answer.lines)] if self.answer else ()

    @property
    def said(self) -> tuple[str, ...]:
        """The texts of its sentences; without provenance, the lines of the file."""
        return tuple(line.text for line in self.own) or tuple(filter(str.strip, self.text.splitlines()))

    @property
    def cites(self) -> bool:
        """Whether the run has citations; an empty answer has no sources even so."""
        return self.answer is not None and cites(self.answer.summary)


def cites(summary: Summary) -> bool:
    """Return whether the summary is from a run with citations, even if it is empty."""
    return bool(summary.responses) or summary.settings.support is not None


@dataclass(frozen=True, slots=True)
class ShownTopic:
    """A topic with its question or citances, its gold summaries, and its summaries by run.

    `title` is that of the paper it is about; empty if there is none.
    """

    id: str
    query: str = ""
    gold: tuple[str, ...] = ()
    runs: Mapping[str, RunSummary] = field(default_factory=dict)
    title: str = ""

    @property
    def shared(self) -> float:
        """The share of the words of the texts that stand in sentences of all runs; nan unless several runs have one."""
        texts = [own.said for own in self.runs.values() if own.said]
        common = set(texts[0]).intersection(*texts[1:]) if len(texts) > 1 else ()
        total = sum(len(text.split()) for own in texts for text in own)
        return len(texts) * sum(len(text.split()) for text in common) / total if len(texts) > 1 else math.nan


@dataclass(frozen=True)
class Report:
    """The content of a report page.

    Attributes:
        topics: those with gold first, in their order; then the others, in the order of the runs.
        scores: for each metric, the evaluations in the order of the runs; empty without gold.
        measure, seed: used in charts and significance tests.
        settings: settings of each run with provenance, by run name: system, lambda or threshold, all in words.
        swept: the table of all configurations if the runs are those of a sweep, each at its best lambda.
    """

    runs: tuple[str, ...]
    topics: tuple[ShownTopic, ...]
    scores: tuple[tuple[Evaluation, ...], ...] = ()
    measure: Measure = "recall"
    seed: int = 0
    settings: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    swept: tuple[tuple[str, ...], ...] = ()
