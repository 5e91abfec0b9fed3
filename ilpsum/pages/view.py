"""View models of answers and runs, free of HTML, from which pages, text, Markdown and JSON are rendered."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ilpsum.evaluation.scoring import Evaluation, Measure
from ilpsum.files.identifiers import ArticleIds, find_ids, links
from ilpsum.pages.excerpts import NOWHERE, Excerpt
from ilpsum.pages.steering import Steering
from ilpsum.records import UNPUBLISHED, Correction, Outcome, Publication, RunSettings, SearchResult, Sentence

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
        rank: rank by relevance among the candidates, from 1; 0 if the system predicts no relevance.
        cut: the removed connective, which referred to the preceding sentence; empty if there is none.
    """

    sentence: Sentence
    text: str
    quotes: tuple[Quote, ...] = ()
    rank: int = 0
    excerpt: Excerpt = NOWHERE
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
    def words(self) -> int:
        """Words as printed; the ILP's count may differ."""
        return len(self.text.split())

    @property
    def rules(self) -> str:
        """Names of the compression rules applied; empty for an uncompressed sentence."""
        return ", ".join(dict.fromkeys(cut.rule for cut in self.sentence.cuts))

    @property
    def why(self) -> str:
        """The reason for selecting it, and the compression rules applied."""
        return f"shortened by {self.rules}; {self.sentence.why}" if self.rules else self.sentence.why


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question, or a run's summary of a topic.

    Attributes:
        text: the summary in the run's file; empty if there is none.
        lines: sentences in order; empty for a run without provenance.
        sources: quoted sources by number: first the sentences' own, then the supporting ones.
        left_out: the most relevant rejected candidates by descending relevance; `why` gives the reason.
        objective, bound, gap: of the selection; nan if not applicable.
        unanswered: why there is no answer; empty if there is one or no reason is known.
        outcome: whether it answers the question; `related` if only related sentences (`nearest`) were found.
        search: the search result; None if the documents were given.
        nearest: the sentences nearest to an unanswered question.
        warnings: of the summary, plus one if the run's file differs from its provenance.
        others: sentences that the run selects only at other lambdas or word limits.
        candidates: number of candidate sentences; compressed variants are not counted.
        settings: None without provenance.
        cites: whether the run has citations; an empty answer has no sources even so.
        error: why the run has no summary.
        steering: the summary at other lambdas and word limits; None if unknown.
    """

    question: str = ""
    text: str = ""
    lines: tuple[AnswerLine, ...] = ()
    sources: tuple[Source, ...] = ()
    left_out: tuple[Sentence, ...] = ()
    objective: float = math.nan
    bound: float = math.nan
    gap: float = math.nan
    unanswered: str = ""
    corrections: tuple[Correction, ...] = ()
    outcome: Outcome = Outcome.ANSWER
    search: SearchResult | None = None
    nearest: tuple[AnswerLine, ...] = ()
    warnings: tuple[str, ...] = ()
    others: tuple[AnswerLine, ...] = ()
    candidates: int = 0
    settings: RunSettings | None = None
    cites: bool = False
    error: str = ""
    steering: Steering | None = None

    @property
    def words(self) -> int:
        """Words of all sentences as printed."""
        return sum(line.words for line in self.lines)

    @property
    def quoted(self) -> list[Source]:
        """The sources of the sentences, without those that only support them."""
        return list({line.source.number: line.source for line in (*self.lines, *self.nearest)}.values())

    @property
    def silence(self) -> str:
        """The line shown instead of an answer, without a full stop."""
        return self.outcome.said(self.unanswered or "the answer is empty")


@dataclass(frozen=True, slots=True)
class ShownTopic:
    """A topic with its question or citances, its gold summaries, and its answers by run."""

    id: str
    query: str = ""
    gold: tuple[str, ...] = ()
    answers: Mapping[str, Answer] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """The content of a report page.

    Attributes:
        topics: those with gold first, in their order; then the others, in the order of the runs.
        scores: for each metric, the evaluations in the order of the runs; empty without gold.
        measure, seed: used in charts and significance tests.
        settings: settings in words, by run name.
    """

    runs: tuple[str, ...]
    topics: tuple[ShownTopic, ...]
    scores: tuple[tuple[Evaluation, ...], ...] = ()
    measure: Measure = "recall"
    seed: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)
