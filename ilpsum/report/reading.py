"""What a reader gets of an answer: numbered sentences, numbered sources, and what was left out, without a format."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ilpsum.pipeline.citing import clean, pmid_of
from ilpsum.records import Document, Response, Sentence, Summary, Topic
from ilpsum.report.content import Answer

_YEAR = re.compile(r"\d{4}")
_DOI = re.compile(r"10\.\d{4,9}/")


@dataclass(frozen=True, slots=True)
class Source:
    """A document that an answer quotes.

    Attributes:
        number: from 1, in the order in which the sentences cite the sources.
        id: of the document.
        pmid: its PMID; empty if it has none.
        title: its title, or empty.
        date: as its source writes it, or empty.
        text: the whole text, which begins with the title of an abstract.
    """

    number: int
    id: str
    pmid: str = ""
    title: str = ""
    date: str = ""
    text: str = ""

    @property
    def year(self) -> str:
        """The year of its date; the date itself if it names none."""
        match = _YEAR.search(self.date)
        return match[0] if match else self.date

    @property
    def name(self) -> str:
        """How to find it: `PMID 7`, `DOI 10.1234/x`, or the document's id."""
        return f"PMID {self.pmid}" if self.pmid else f"DOI {self.id}" if _DOI.match(self.id) else self.id

    @property
    def url(self) -> str:
        """The address of its page at PubMed or its publisher's; empty if unknown."""
        if self.pmid:
            return f"https://pubmed.ncbi.nlm.nih.gov/{self.pmid}/"
        return f"https://doi.org/{self.id}" if _DOI.match(self.id) else ""


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage that a sentence rests on: its own place, or, with a similarity, a passage that says the same."""

    source: Source
    start: int
    end: int
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of an answer: its text for readers, what it rests on (its own place first), relevance and reason."""

    text: str
    quotes: tuple[Quote, ...]
    relevance: float
    why: str


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer as a reader gets it.

    Attributes:
        question: the question.
        lines: the sentences, in order.
        sources: what they cite, by number.
        left_out: the most relevant sentences that were not chosen, by falling relevance; `why` says the reason.
        objective, bound, gap: of the selection; nan if it has none.
        unanswered: why there is no answer, if so.
        warnings: of the summary.
    """

    question: str
    lines: tuple[Line, ...] = ()
    sources: tuple[Source, ...] = ()
    left_out: tuple[Sentence, ...] = ()
    objective: float = math.nan
    bound: float = math.nan
    gap: float = math.nan
    unanswered: str = ""
    warnings: tuple[str, ...] = ()

    def with_support(self, responses: Sequence[Response], topic: Topic) -> "Reading":
        """Return the reading with the passages of other abstracts that say the same, one response a line.

        Their sources are numbered after those that are quoted.
        """
        documents = {pmid_of(document): document for document in reversed(topic.documents)}
        sources = {source.pmid: source for source in self.sources}
        for response in responses:
            for other in response.support:
                sources.setdefault(other.pmid, _source(len(sources) + 1, documents[other.pmid]))
        lines = []
        for line, response in zip(self.lines, responses, strict=False):
            others = (Quote(sources[s.pmid], s.start, s.end, s.similarity) for s in response.support)
            lines.append(replace(line, quotes=(*line.quotes, *others)))
        return replace(self, lines=tuple(lines) or self.lines, sources=tuple(sources.values()))


def reading_of(summary: Summary, topic: Topic) -> Reading:
    """Return the answer of a summary of a topic, which has the documents of its sentences.

    Sentences of abstracts lose labels and citation lists; others are verbatim.
    """
    documents = {document.id: document for document in topic.documents}
    cited = dict.fromkeys(sentence.document for sentence in summary)
    sources = {name: _source(number, documents[name]) for number, name in enumerate(cited, start=1)}
    lines = tuple(
        Line(
            clean(s.text) if documents[s.document].sections else s.text,
            (Quote(sources[s.document], s.start, s.end),),
            s.relevance,
            _why(s),
        )
        for s in summary
    )
    return Reading(
        summary.question,
        lines,
        tuple(sources.values()),
        left_out(summary),
        summary.objective,
        summary.bound,
        summary.gap,
        "" if lines else _unanswered(summary),
        summary.warnings,
    )


def reading_with_citations(answer: Answer) -> Reading:
    """Return an answer with citations, one of a run, as a reading: a sentence may rest on several abstracts."""
    cited = dict.fromkeys(pmid for response in answer.responses for pmid in response.pmids)
    abstracts = {abstract.pmid: abstract for abstract in answer.abstracts}
    sources = {
        pmid: Source(number, pmid, pmid, abstracts[pmid].title, text=abstracts[pmid].text)
        for number, pmid in enumerate(cited, start=1)
    }
    lines = []
    for chosen, response in zip(answer.sentences, answer.responses, strict=True):
        own = Quote(sources[response.pmids[0]], chosen.sentence.start, chosen.sentence.end)
        others = (Quote(sources[s.pmid], s.start, s.end, s.similarity) for s in response.support)
        lines.append(Line(response.text, (own, *others), chosen.sentence.relevance, _why(chosen.sentence)))
    return Reading(
        answer.question,
        tuple(lines),
        tuple(sources.values()),
        answer.left_out,
        answer.objective,
        gap=answer.gap,
        unanswered="" if lines else answer.unanswered or "the answer is empty",
        warnings=answer.warnings,
    )


def left_out(summary: Summary) -> tuple[Sentence, ...]:
    """Return the candidates that were not chosen and say why, by falling relevance."""
    chosen = set(summary.chosen)
    others = (s for i, s in enumerate(summary.candidates) if i not in chosen and s.why)
    return tuple(sorted(others, key=lambda s: -s.relevance))


def _source(number: int, document: Document) -> Source:
    # Only abstracts have sections, and an abstract's id that is a number is its PMID.
    pmid = pmid_of(document) if document.sections and pmid_of(document).isdecimal() else ""
    return Source(number, document.id, pmid, document.title, document.date, document.text)


def _why(sentence: Sentence) -> str:
    rules = ", ".join(dict.fromkeys(cut.rule for cut in sentence.cuts))
    return f"shortened by {rules}; {sentence.why}" if rules else sentence.why


def _unanswered(summary: Summary) -> str:
    """Return why a summary without sentences has none."""
    if summary.search and summary.search.unanswered:
        return summary.search.unanswered
    return "no sentence to the point fits the limits" if summary.candidates else "the texts have no sentence"
