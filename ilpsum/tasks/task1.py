"""Runs of TAC 2014 Task 1: a file with one line per citance, with its cited text spans and its
facet.

    Topic ID | Citance Number | Reference Offset | Reference Text | Discourse Facet | Run ID
    D1401_TRAIN | 1 | ['1179-1547', '26352-26530'] | one ... two | Results_Citation | SYSX1

There are at most three spans, each a fragment or up to five consecutive sentences. Fields are
written as bare values; the reader also accepts `Key: value`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ilpsum.errors import InputError, UsageError, counted
from ilpsum.files.atomic import write_errors, write_file
from ilpsum.files.reading import decode, decode_text, read_lines
from ilpsum.metrics.spans import touched
from ilpsum.records import BrokenTopic, Document, Facet, Span, Topic
from ilpsum.tasks import read_topics
from ilpsum.tasks.annotation import Line, letters_and_digits, shown
from ilpsum.tasks.registry import RUN_ID, Format, Paths
from ilpsum.tasks.submissions import Finding, Findings

FIELDS = (
    "Topic ID",
    "Citance Number",
    "Reference Offset",
    "Reference Text",
    "Discourse Facet",
    "Run ID",
)
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
    """A system's answer for one citance; `spans` may be empty, `text` is theirs (`text_of`)."""

    topic: str
    citance: int
    spans: tuple[Span, ...]
    facet: Facet
    run: str
    text: str = ""


def text_of(paper: Document, spans: Iterable[Span]) -> str:
    """Return the reference text of a link: that of its spans, on one line."""
    texts = (" ".join(paper.text[span.start : span.end].split()) for span in spans)
    return " ... ".join(texts)


def read(path: str | Path) -> Iterator[Link]:
    """Yield the links of a run in order; `InputError` if the file cannot be read or a line is not a
    link.
    """
    for number, data in read_lines(path):
        text = decode_text(data, path, number)[0].strip("\ufeff \t")
        if text:
            yield _link(text, str(path), number)


def write(path: str | Path, links: Iterable[Link], *, force: bool = False) -> None:
    """Write links atomically.

    Raises:
        UsageError: the file exists (without `force`), or a link has more than three spans or an
            invalid run id.
        IlpsumError: the file cannot be written.
    """
    path = Path(path)
    if path.exists() and not force:
        raise UsageError(f"{path} exists already; choose another name or replace it (--force)")
    with write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        # Compose all lines first, so that an error in one leaves no file.
        lines = [_written(link) + "\n" for link in links]
        write_file(path, "".join(lines).encode("utf-8", "replace"))


def _written(link: Link) -> str:
    if len(link.spans) > MAX_SPANS:
        spans = f"{len(link.spans)} spans; at most {MAX_SPANS} are allowed"
        raise UsageError(f"{link.topic}, citance {link.citance}: {spans}")
    if not RUN_ID.fullmatch(link.run):
        raise UsageError(f"the run id {link.run!r} is not {_RUN_ID_RULE}")
    offsets = ", ".join(f"'{span.start}-{span.end}'" for span in link.spans)
    # A bar would end the field, so replace it with the similar broken bar.
    text = link.text.replace("|", "\u00a6")
    facet = FACETS[link.facet]
    return f"{link.topic} | {link.citance} | [{offsets}] | {text} | {facet} | {link.run}"


def _link(text: str, file: str, number: int) -> Link:
    parts = [part.strip() for part in text.removesuffix("|").split("|")]
    if len(parts) < len(FIELDS):
        message = f"{counted(len(parts), 'field')}; expected `{' | '.join(FIELDS)}`"
        raise InputError(message, file, number)
    # The reference text may contain bars, so count the other fields from both ends.
    parts = [*parts[:3], " | ".join(parts[3:-2]), *parts[-2:]]
    values = (part.partition(":")[2].strip() if _NAMED.match(part) else part for part in parts)
    line = Line(file, number, dict(zip(FIELDS, values, strict=True)))
    has_spans = line.items("Reference Offset")
    facets = line.facets()
    if len(facets) != 1 or facets[0] not in FACETS:
        what = f"the facet {shown(line.text('Discourse Facet'))} is unknown"
        raise line.error(f"{what}; expected one of {', '.join(FACETS.values())}")
    return Link(
        line.name("Topic ID"),
        line.integer("Citance Number"),
        line.spans("Reference Offset") if has_spans else (),
        facets[0],
        line.text("Run ID"),
        line.text("Reference Text"),
    )


def check(path: Path, *, topics: Paths | None = None) -> list[Finding]:
    """Return the errors and warnings of a Task 1 run; arguments and exceptions as for
    `Format.check`.
    """
    topic_of = None if topics is None else {topic.id: topic for topic in read_topics(topics)}
    findings = Findings(path)
    first: dict[tuple[str, int], int] = {}
    run = ""
    for number, link in _links(findings):
        run = run or link.run
        before = first.setdefault((link.topic, link.citance), number)
        if before != number:
            what = f"the topic {link.topic}, citance {link.citance} appears twice"
            findings.add(f"{what}, first on line {before}")
        if link.run != run:
            what = f"the run id {shown(link.run)} after {shown(run)}"
            findings.add(f"{what}; expected one run a file")
        _check_link(link, findings)
        if topic_of is not None:
            _check_place(link, topic_of.get(link.topic), findings)
    findings.place = ""
    for topic, citance in sorted(_citances(topic_of or {}) - first.keys()):
        findings.add(f"the topic {topic}, citance {citance} is missing")
    if not first and not findings.list:
        findings.add(f"is empty; expected lines of `{' | '.join(FIELDS)}`")
    return findings.list


def _links(findings: Findings) -> Iterator[tuple[int, Link]]:
    """Yield the links of a run with their lines; lines that are none give findings."""
    for number, data in read_lines(findings.path):
        findings.place = str(number)
        text, recoded = decode(data)
        if recoded:
            findings.add(f"{recoded.partition(';')[0]}; expected UTF-8")
        if text.startswith("\ufeff"):
            findings.add("a byte order mark; expected plain UTF-8")
        try:
            if text := text.strip("\ufeff \t"):
                link = _link(text, str(findings.path), number)
                # Facets are read in any spelling, but the task has five.
                facet = text.removesuffix("|").rpartition("|")[0].rpartition("|")[2].strip()
                if facet.removeprefix("Discourse Facet:").strip() != FACETS[link.facet]:
                    what = f"the facet {shown(facet)} is not one of the task's"
                    findings.add(f"{what}; expected {FACETS[link.facet]}")
                yield number, link
        except InputError as error:
            findings.add(error.message)


def _citances(topics: Mapping[str, Topic | BrokenTopic]) -> set[tuple[str, int]]:
    return {
        (topic.id, citance.number)
        for topic in topics.values()
        if isinstance(topic, Topic)
        for citance in topic.citances
    }


def _check_link(link: Link, findings: Findings) -> None:
    if not RUN_ID.fullmatch(link.run):
        findings.add(f"the run id {shown(link.run)} is not {_RUN_ID_RULE}")
    if len(link.spans) > MAX_SPANS:
        findings.add(f"{len(link.spans)} spans; at most {MAX_SPANS} are allowed")
    if not link.spans:
        findings.add("no spans: the citance is not linked; expected one to three")


def _check_place(link: Link, topic: Topic | BrokenTopic | None, findings: Findings) -> None:
    """Check the place of a link: its citance, and its spans in the paper."""
    if isinstance(topic, BrokenTopic):
        return
    if topic is None or all(citance.number != link.citance for citance in topic.citances):
        findings.add(f"no citance {link.citance} in a topic {link.topic}")
    if topic is None or topic.reference is None:
        return
    paper, quoted, differs = topic.reference, letters_and_digits(link.text), False
    for span in link.spans:
        where = f"{span.start}-{span.end}"
        if span.end > len(paper.text):
            end = f"the end of {paper.id} at {len(paper.text)}"
            findings.add(f"the offset {where} is beyond {end}")
            return
        sentences = _sentences_in(span, paper)
        if sentences > MAX_SENTENCES:
            what = f"the span {where} has {sentences} sentences by our count"
            findings.add(f"{what}; at most {MAX_SENTENCES} are allowed", warning=True)
        differs = differs or letters_and_digits(paper.text[span.start : span.end]) not in quoted
    # The task allows an empty text: the offsets decide.
    if quoted and differs:
        findings.add(f"the Reference Text differs from the text of {paper.id} at the offsets")


def _sentences_in(span: Span, paper: Document) -> int:
    from features.sentences import split_sentences

    if paper.sentences:
        return len(touched([span], paper.sentences))
    return len(split_sentences(paper.text[span.start : span.end]))


TASK1 = Format("task1", checker=check)
