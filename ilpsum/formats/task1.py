"""Runs of TAC 2014 Task 1: a file with one line per citance, with its cited text spans and its facet.

`Topic ID | Citance Number | Reference Offset | Reference Text | Discourse Facet | Run ID`, for example
`D1401_TRAIN | 1 | ['1179-1547', '26352-26530'] | first text ... second text | Results_Citation | SYSX1`. There are at
most three spans, each a fragment or up to five consecutive sentences. Fields are written as bare values; the reader
also accepts `Key: value`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ilpsum.errors import InputError, UsageError, counted
from ilpsum.files.atomic import write_errors, write_file
from ilpsum.files.reading import decode, read_lines
from ilpsum.formats import read_topics
from ilpsum.formats.annotation import Line, folded, shown
from ilpsum.formats.registry import RUN_ID, Finding, Paths
from ilpsum.metrics.spans import touched
from ilpsum.records import BrokenTopic, Document, Facet, Span, Topic

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
_RUN_ID_RULE = "a team id followed by a run number 1-5"


@dataclass(frozen=True, slots=True)
class Link:
    """A system's answer for one citance; `spans` may be empty; the writer ignores `text` and uses the paper's."""

    topic: str
    citance: int
    spans: tuple[Span, ...]
    facet: Facet
    run: str
    text: str = ""


def read(path: str | Path) -> Iterator[Link]:
    """Yield the links of a run in order; `InputError` if the file cannot be read or a line is not a link."""
    for number, data in read_lines(path):
        text = decode(data)[0].strip("\ufeff \t")
        if text:
            yield _link(_line(text, str(path), number))


def write(path: str | Path, links: Iterable[tuple[Link, Document]], *, force: bool = False) -> None:
    """Write links atomically; each comes with its reference paper, which provides the text of the spans.

    Raises:
        UsageError: the file exists (without `force`), or a link has more than three spans or an invalid run id.
        IlpsumError: the file cannot be written.
    """
    path = Path(path)
    if path.exists() and not force:
        raise UsageError(f"{path} exists already; choose another name or replace it (--force)")
    with write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        # Compose all lines first, so that an error in one leaves no file.
        lines = [_written(link, document) + "\n" for link, document in links]
        write_file(path, "".join(lines).encode("utf-8", "replace"))


def check(path: Path, *, topics: Paths | None = None) -> list[Finding]:
    """Return the errors and warnings of a Task 1 run; arguments and exceptions as for `Format.check`."""
    checker = _Checker(str(path), None if topics is None else list(read_topics(topics)))
    for number, data in read_lines(path):
        checker.check_line(data, number)
    checker.check_missing()
    return checker.findings


def _written(link: Link, document: Document) -> str:
    if len(link.spans) > MAX_SPANS:
        spans = f"{len(link.spans)} spans; at most {MAX_SPANS} are allowed"
        raise UsageError(f"{link.topic}, citance {link.citance}: {spans}")
    if not RUN_ID.fullmatch(link.run):
        raise UsageError(f"the run id {link.run!r} is not {_RUN_ID_RULE}")
    offsets = ", ".join(f"'{span.start}-{span.end}'" for span in link.spans)
    texts = (" ".join(document.text[span.start : span.end].split()) for span in link.spans)
    # A bar would end the field, so replace it with the similar broken bar.
    text = " ... ".join(texts).replace("|", "\u00a6")
    return f"{link.topic} | {link.citance} | [{offsets}] | {text} | {FACETS[link.facet]} | {link.run}"


def _line(text: str, file: str, number: int) -> Line:
    parts = [part.strip() for part in text.removesuffix("|").split("|")]
    if len(parts) < len(FIELDS):
        raise InputError(f"{counted(len(parts), 'field')}; expected `{' | '.join(FIELDS)}`", file, number)
    # The reference text may contain bars, so count the other fields from both ends.
    parts = [*parts[:3], " | ".join(parts[3:-2]), *parts[-2:]]
    values = (part.partition(":")[2].strip() if _NAMED.match(part) else part for part in parts)
    return Line(file, number, dict(zip(FIELDS, values, strict=True)))


def _link(line: Line) -> Link:
    spans = line.spans("Reference Offset") if line.items("Reference Offset") else ()
    facets = line.facets()
    if len(facets) != 1 or facets[0] not in FACETS:
        known = ", ".join(FACETS.values())
        raise line.error(f"the facet {shown(line.text('Discourse Facet'))} is unknown; expected one of {known}")
    number = line.integer("Citance Number")
    return Link(line.name("Topic ID"), number, spans, facets[0], line.text("Run ID"), line.text("Reference Text"))


class _Checker:
    """Checks a run line by line."""

    def __init__(self, file: str, topics: Sequence[Topic | BrokenTopic] | None) -> None:
        self.findings: list[Finding] = []
        self._file = file
        self._known = topics is not None
        self._broken = {topic.id for topic in topics or () if isinstance(topic, BrokenTopic)}
        whole = [topic for topic in topics or () if isinstance(topic, Topic)]
        self._papers = {topic.id: topic.reference for topic in whole}
        self._citances = {(topic.id, citance.number) for topic in whole for citance in topic.citances}
        self._first: dict[tuple[str, int], int] = {}
        self._run = ""

    def check_line(self, data: bytes, number: int) -> None:
        """Add the findings about one line."""
        text, recoded = decode(data)
        if recoded:
            self._add(number, f"{recoded.partition(';')[0]}; expected UTF-8")
        if text.startswith("\ufeff"):
            self._add(number, "a byte order mark; expected plain UTF-8")
        text = text.strip("\ufeff \t")
        if not text:
            return
        try:
            link = _link(_line(text, self._file, number))
        except InputError as error:
            self._add(number, error.message)
            return
        self._check_key(link, number)
        self._check_run(link, number)
        self._check_spans(link, number)
        if (paper := self._papers.get(link.topic)) is not None:
            self._check_text(link, number, paper)

    def check_missing(self) -> None:
        """Add findings about missing citances; call after the last line."""
        for topic, citance in sorted(self._citances - self._first.keys()):
            self.findings.append(Finding(self._file, f"the topic {topic}, citance {citance} is missing"))
        if not self._first and not self.findings:
            self.findings.append(Finding(self._file, f"is empty; expected lines of `{' | '.join(FIELDS)}`"))

    def _add(self, number: int, message: str, *, warning: bool = False) -> None:
        self.findings.append(Finding(f"{self._file}:{number}", message, warning))

    def _check_key(self, link: Link, number: int) -> None:
        key = (link.topic, link.citance)
        if (at := self._first.setdefault(key, number)) != number:
            self._add(number, f"the topic {link.topic}, citance {link.citance} appears twice, first on line {at}")
        if self._known and link.topic not in self._broken and key not in self._citances:
            self._add(number, f"no citance {link.citance} in a topic {link.topic}")

    def _check_run(self, link: Link, number: int) -> None:
        if not RUN_ID.fullmatch(link.run):
            self._add(number, f"the run id {shown(link.run)} is not {_RUN_ID_RULE}")
        if self._run and link.run != self._run:
            self._add(number, f"the run id {shown(link.run)} after {shown(self._run)}; expected one run a file")
        self._run = self._run or link.run

    def _check_spans(self, link: Link, number: int) -> None:
        if len(link.spans) > MAX_SPANS:
            self._add(number, f"{len(link.spans)} spans; at most {MAX_SPANS} are allowed")
        if not link.spans:
            self._add(number, "no spans: the citance is not linked", warning=True)
        ordered = sorted(link.spans, key=lambda span: span.start)
        if any(after.start < before.end for before, after in pairwise(ordered)):
            self._add(number, "overlapping spans", warning=True)

    def _check_text(self, link: Link, number: int, paper: Document) -> None:
        from features.sentences import split_sentences

        texts = []
        for span in link.spans:
            if span.end > len(paper.text):
                end = f"the end of {paper.id} at {len(paper.text)}"
                self._add(number, f"the offset {span.start}-{span.end} is beyond {end}")
                continue
            texts.append(paper.text[span.start : span.end])
            sentences = touched([span], paper.sentences) if paper.sentences else split_sentences(texts[-1])
            if len(sentences) > MAX_SENTENCES:
                where = f"the span {span.start}-{span.end}"
                message = f"{where} has {len(sentences)} sentences by our count; at most {MAX_SENTENCES} are allowed"
                self._add(number, message, warning=True)
        quoted = folded(link.text)
        if len(texts) == len(link.spans) and any(folded(text) not in quoted for text in texts):
            self._add(number, f"the Reference Text differs from the text of {paper.id} at the offsets")
