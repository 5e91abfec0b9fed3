"""What a reader sees of answers and runs, as records without HTML: pages, text, Markdown and JSON draw from these."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ilpsum.evaluation.scoring import Evaluation, Measure
from ilpsum.io.identifiers import ArticleIds, find_ids, links
from ilpsum.pipeline.programs import Programs
from ilpsum.records import UNPUBLISHED, Correction, Outcome, Publication, RunSettings, SearchResult, Sentence
from ilpsum.report.excerpts import NOWHERE, Excerpt
from ilpsum.report.steering import Steering

_YEAR = re.compile(r"\d{4}")
_NAME = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Source:
    """A document that an answer quotes; what is unknown is empty.

    Attributes:
        date: as its source writes it.
        text: the whole text, which begins with the title of an abstract.
        abstract: whether it is an abstract, whose sentences are printed without labels and citation lists.
        number: in the answer, from 1.
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
        """The year of its date, or the date itself if it names none; that of its publication if there is no date."""
        match = _YEAR.search(self.date)
        return match[0] if match else self.date or self.publication.year

    @property
    def links(self) -> list[tuple[str, str]]:
        """How references name it (`PMID 7`, `DOI 10.1234/x`), each with the address of that page; the best first."""
        known = links(self.publication)
        return known or links(ArticleIds(pmid=self.pmid, doi="" if self.pmid else find_ids(self.id).doi))

    @property
    def name(self) -> str:
        """How to find it: its best identifier, or the document's id."""
        return next((name for name, _ in self.links), self.id)

    @property
    def url(self) -> str:
        """The address of its page; empty if unknown."""
        return next((url for _, url in self.links), "")

    def authors(self, most: int) -> str:
        """Return at most so many authors, with initials: `Newt AB, Toad C, et al`."""
        named = [f"{a.family} {initials(a.given)}".strip() for a in self.publication.authors]
        return ", ".join(named[:most] + ["et al"] * (len(named) > most))

    @property
    def byline(self) -> str:
        """The first authors, with initials, and the journal: `Newt AB, Toad C. J Newts.`; empty if unknown."""
        parts = (self.authors(3), self.publication.journal)
        return " ".join(f"{part.rstrip('.')}." for part in parts if part)

    @property
    def mark(self) -> str:
        """The number with the notice that every quotation carries: `1`, or `1, retracted`."""
        return ", ".join(filter(None, (str(self.number), self.publication.notice)))


def initials(given: str) -> str:
    """Return the initials of given names, as references print them.

    >>> initials("Ann-Marie B."), initials("AB"), initials("Jean")
    ('AMB', 'AB', 'J')
    """
    return given if given.isupper() and given.isalpha() else "".join(name[0] for name in _NAME.findall(given))


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage behind a sentence: its own place, or, with a similarity, a passage that says the same."""

    source: Source
    start: int
    end: int
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """A sentence of an answer.

    Attributes:
        text: as printed: an answer from abstracts has no labels.
        quotes: the passages behind it, its own place first; empty where the run cites nothing.
        rank: rank of its relevance among the candidates, from 1; 0 if the system predicts none.
        cut: the connective that was cut, which needs the sentence before it; empty if there is none.
    """

    sentence: Sentence
    text: str
    quotes: tuple[Quote, ...] = ()
    rank: int = 0
    excerpt: Excerpt = NOWHERE
    cut: str = ""

    @property
    def source(self) -> Source:
        """The source of an answer's sentence, whose own quotation is the first."""
        return self.quotes[0].source

    @property
    def shown(self) -> str:
        """The text as a reader sees it: an ellipsis stands where the connective was."""
        return f"… {self.text}" if self.cut else self.text

    @property
    def words(self) -> int:
        """Its words as printed; an ILP may count others."""
        return len(self.text.split())

    @property
    def rules(self) -> str:
        """The rules that shortened it, by name; empty for a whole sentence."""
        return ", ".join(dict.fromkeys(cut.rule for cut in self.sentence.cuts))

    @property
    def why(self) -> str:
        """The reason for choosing it, and how it was shortened."""
        return f"shortened by {self.rules}; {self.sentence.why}" if self.rules else self.sentence.why


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question, or a run's summary of a topic.

    Attributes:
        text: the summary, as the run's file has it; empty if there is none.
        lines: its sentences in order; empty for a run without provenance.
        sources: the sources of its quotes by number: those of its own sentences, then those that say the same.
        left_out: the most relevant sentences that were not chosen, by falling relevance; `why` says the reason.
        objective, bound, gap: of the selection; nan if it has none.
        unanswered: why there is no answer; empty if there is one, or if the documents do not say.
        outcome: whether it answers the question; `related` if the sentences in `nearest` only touch it.
        search: how the documents were found; None if they were given.
        nearest: the sentences that come nearest to the question where it has no answer.
        warnings: of the summary, and of its file if that differs.
        others: the sentences that the run has at other lambdas or word limits only.
        candidates: their number; the variants of a sentence count once.
        settings: None without provenance.
        cites: whether it is an answer with citations; an empty one has no sources.
        error: why the run has no summary.
        steering: the summary at other lambdas and word limits; None if unknown.
        programs: its ILP, until it is compared with the other runs; None if unknown.
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
    programs: Programs | None = None

    @property
    def words(self) -> int:
        """The words of its sentences as printed."""
        return sum(line.words for line in self.lines)

    @property
    def silence(self) -> str:
        """The line that stands in place of an answer, without a stop."""
        return self.outcome.said(self.unanswered or "the answer is empty")


@dataclass(frozen=True, slots=True)
class Side:
    """One of two runs on a topic; numbers are nan without an ILP, or if a sentence is no candidate of it.

    Attributes:
        words: of its sentences as printed.
        alone: the sentences that only this run took.
        losses: what its set loses of the objective without each of them, as a share of the optimum.
        relevance, coverage, objective: what its set is worth to the ILP: the two terms, and their weighted sum.
    """

    run: str
    words: int
    alone: tuple[AnswerLine, ...]
    losses: tuple[float, ...]
    relevance: float
    coverage: float
    objective: float


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two runs on a topic, measured by the objective of the first if it is an ILP; `both` sentences are in both."""

    both: int
    sides: tuple[Side, Side]


@dataclass(frozen=True, slots=True)
class ShownTopic:
    """A topic, its question or citances, gold summaries, and the answers of the runs that have one, by name in order.

    Its contrasts are one run, the first with an ILP if there is one, beside each other run.
    """

    id: str
    query: str = ""
    gold: tuple[str, ...] = ()
    answers: Mapping[str, Answer] = field(default_factory=dict)
    contrasts: tuple[Contrast, ...] = ()


@dataclass(frozen=True)
class Report:
    """Everything that the page of a report shows.

    Attributes:
        topics: in the order of the gold, then of the runs.
        scores: for each metric the evaluations of the runs, in their order; empty without gold.
        measure, seed: of the charts and significance tests.
        settings: of each run in words, by its name.
    """

    runs: tuple[str, ...]
    topics: tuple[ShownTopic, ...]
    scores: tuple[tuple[Evaluation, ...], ...] = ()
    measure: Measure = "recall"
    seed: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)
