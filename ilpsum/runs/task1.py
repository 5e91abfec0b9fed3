"""Runs of TAC 2014 Task 1: one file, a line for each citance, with the spans it cites and its facet.

`Topic ID | Citance Number | Reference Offset | Reference Text | Discourse Facet | Run ID`, as
`D1401_TRAIN | 1 | ['1179-1547', '26352-26530'] | first text ... second text | Results_Citation | SYSX1`. At most three
spans, each of one to five consecutive sentences or a fragment. Fields may be bare values or `Key: value`; bare ones are
written, both are read.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ilpsum.corpora import read_topics
from ilpsum.corpora.annotation import Line, folded, shown
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.io.atomic import write_atomically
from ilpsum.io.files import decode, read_lines
from ilpsum.metrics.sentence_overlap import touched
from ilpsum.records import BrokenTopic, Document, Facet, Span, Topic
from ilpsum.runs.formats import Finding

FIELDS = ("Topic ID", "Citance Number", "Reference Offset", "Reference Text", "Discourse Facet", "Run ID")
FACETS: dict[Facet, str] = {
    "hypothesis": "Hypothesis_Citation",
    "method": "Method_Citation",
    "results": "Results_Citation",
    "implication": "Implication_Citation",
    "discussion": "Discussion_Citation",
}
MAX_SPANS = 3
MAX_SENTENCES = 5

_NAMED = re.compile(rf"(?:{'|'.join(FIELDS)})\s*:", re.IGNORECASE)
_RUN_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*[1-5]")


@dataclass(frozen=True, slots=True)
class Link:
    """What a system says of one citance.

    Attributes:
        topic: the topic's id.
        citance: the citance's number.
        spans: what it cites in the reference paper, none if nothing was found.
        facet: its discourse facet.
        run: the run's id, team and number.
        text: the spans' texts; made from the document when written.
    """

    topic: str
    citance: int
    spans: tuple[Span, ...]
    facet: Facet
    run: str
    text: str = ""


def read(path: str | Path) -> Iterator[Link]:
    """The links of a run, in the order of the file.

    Raises:
        InputError: the file cannot be read, or a line is no link.
    """
    for number, data in read_lines(path):
        text = decode(data)[0].strip("\ufeff \t")
        if text:
            yield _link(_line(text, str(path), number))


def write(path: str | Path, links: Iterable[tuple[Link, Document]], *, force: bool = False) -> None:
    """Writes a run, each link with the reference paper that its spans stand in; the file appears when it is complete.

    Args:
        path: the file.
        links: in the order in which they are to stand.
        force: replace a file that is there.

    Raises:
        UsageError: there is a file, or a link has more than three spans or another run's id.
        IlpsumError: the file cannot be written.
    """
    path = Path(path)
    if path.exists() and not force:
        raise UsageError(f"{path} is there already; choose another name or replace it (--force)")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with write_atomically(path) as stream:
            for link, document in links:
                stream.write((_written(link, document) + "\n").encode("utf-8", "replace"))
    except OSError as error:
        raise IlpsumError(f"{error.filename or path}: cannot be written ({error.strerror or error})") from None


def check(path: Path, *, topics: Path | None = None, pmids: Path | None = None) -> list[Finding]:
    """The faults of a run of Task 1.

    Args:
        path: the run's file.
        topics: the topics, for the citances that the run must have and the texts of their papers.
        pmids: not for this format.

    Raises:
        InputError: the run or the topics cannot be read at all.
        UsageError: PMIDs were given.
    """
    if pmids is not None:
        raise UsageError("--pmids is for runs that cite PMIDs; a run of Task 1 does not")
    checking = _Checking(str(path), None if topics is None else list(read_topics([topics])))
    for number, data in read_lines(path):
        checking.line(data, number)
    checking.end()
    return checking.findings


def _written(link: Link, document: Document) -> str:
    if len(link.spans) > MAX_SPANS:
        raise UsageError(f"{link.topic}, citance {link.citance}: {len(link.spans)} spans; three at most are allowed")
    if not _RUN_ID.fullmatch(link.run):
        raise UsageError(f"the run id {link.run!r} is no team name followed by a number 1-5")
    offsets = ", ".join(f"'{span.start}-{span.end}'" for span in link.spans)
    texts = (" ".join(document.text[span.start : span.end].split()) for span in link.spans)
    # A bar would end the field; the broken bar is the nearest to it.
    text = " ... ".join(texts).replace("|", "\u00a6")
    return f"{link.topic} | {link.citance} | [{offsets}] | {text} | {FACETS[link.facet]} | {link.run}"


def _line(text: str, file: str, number: int) -> Line:
    parts = [part.strip() for part in text.removesuffix("|").split("|")]
    if len(parts) < len(FIELDS):
        raise InputError(f"{len(parts)} fields; `{' | '.join(FIELDS)}` was expected", file, number)
    # A bar within the reference text belongs to it: the other fields are counted from both ends.
    parts = [*parts[:3], " | ".join(parts[3:-2]), *parts[-2:]]
    values = (part.partition(":")[2].strip() if _NAMED.match(part) else part for part in parts)
    return Line(file, number, dict(zip(FIELDS, values, strict=True)))


def _link(line: Line) -> Link:
    spans = line.spans("Reference Offset") if line.items("Reference Offset") else ()
    facets = line.facets()
    if len(facets) != 1 or facets[0] not in FACETS:
        known = ", ".join(FACETS.values())
        raise line.error(f"the facet {shown(line.text('Discourse Facet'))} is not one of {known}")
    number = line.integer("Citance Number")
    return Link(line.name("Topic ID"), number, spans, facets[0], line.text("Run ID"), line.text("Reference Text"))


class _Checking:
    """A check while the lines come."""

    def __init__(self, file: str, topics: Sequence[Topic | BrokenTopic] | None) -> None:
        self.findings: list[Finding] = []
        self._file = file
        self._known = topics is not None
        self._broken = {topic.id for topic in topics or () if isinstance(topic, BrokenTopic)}
        whole = [topic for topic in topics or () if isinstance(topic, Topic)]
        self._papers = {topic.id: topic.reference for topic in whole}
        self._wanted = {(topic.id, citance.number) for topic in whole for citance in topic.citances}
        self._first: dict[tuple[str, int], int] = {}
        self._run = ""

    def line(self, data: bytes, number: int) -> None:
        """Looks at one line."""
        text, recoded = decode(data)
        if recoded:
            self._fault(number, recoded.replace("read as cp1252", "UTF-8 was expected"))
        if text.startswith("\ufeff"):
            self._fault(number, "a byte order mark; plain UTF-8 was expected")
        text = text.strip("\ufeff \t")
        if not text:
            return
        try:
            link = _link(_line(text, self._file, number))
        except InputError as error:
            self._fault(number, error.message)
            return
        self._key(link, number)
        self._spans(link, number)
        paper = self._papers.get(link.topic)
        if paper is not None:
            self._text(link, number, paper)

    def end(self) -> None:
        """Looks at what should have come."""
        for topic, citance in sorted(self._wanted - self._first.keys()):
            self.findings.append(Finding(self._file, f"the topic {topic}, citance {citance} is missing"))
        if not self._first and not self.findings:
            self.findings.append(Finding(self._file, f"is empty; `{' | '.join(FIELDS)}` lines were expected"))

    def _fault(self, number: int, message: str, *, warning: bool = False) -> None:
        self.findings.append(Finding(f"{self._file}:{number}", message, warning))

    def _key(self, link: Link, number: int) -> None:
        key = (link.topic, link.citance)
        if key in self._first:
            at = self._first[key]
            self._fault(number, f"the topic {link.topic}, citance {link.citance} stands on line {at} already")
        self._first.setdefault(key, number)
        if self._known and link.topic not in self._broken and key not in self._wanted:
            self._fault(number, f"there is no topic {link.topic} with a citance {link.citance}")
        if not _RUN_ID.fullmatch(link.run):
            self._fault(number, f"the run id {shown(link.run)} is no team name followed by a number 1-5")
        if self._run and link.run != self._run:
            self._fault(number, f"the run id {shown(link.run)}; before it was {shown(self._run)}: one run a file")
        self._run = self._run or link.run

    def _spans(self, link: Link, number: int) -> None:
        if len(link.spans) > MAX_SPANS:
            self._fault(number, f"{len(link.spans)} spans; three at most are allowed")
        if not link.spans:
            self._fault(number, "no spans: the citance is not linked", warning=True)
        ordered = sorted(link.spans, key=lambda span: span.start)
        if any(after.start < before.end for before, after in pairwise(ordered)):
            self._fault(number, "spans that overlap", warning=True)

    def _text(self, link: Link, number: int, paper: Document) -> None:
        """Compares a link with the paper that it points into."""
        from features.sentences import split_sentences

        texts = []
        for span in link.spans:
            if span.end > len(paper.text):
                message = f"the offset {span.start}-{span.end} is beyond the end of {paper.id} at {len(paper.text)}"
                self._fault(number, message)
                continue
            texts.append(paper.text[span.start : span.end])
            own = touched([span], paper.sentences) if paper.sentences else split_sentences(texts[-1])
            count = len(own)
            if count > MAX_SENTENCES:
                message = f"the span {span.start}-{span.end} has {count} sentences by our count; five are allowed"
                self._fault(number, message, warning=True)
        said = folded(link.text)
        if len(texts) == len(link.spans) and any(folded(text) not in said for text in texts):
            self._fault(number, f"the Reference Text is not the text of {paper.id} at the offsets")
