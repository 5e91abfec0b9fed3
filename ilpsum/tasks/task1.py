"""Runs of TAC 2014 Task 1: a file with one line per citance, with its cited text spans and its
facet.

`Topic ID | Citance Number | Reference Offset | Reference Text | Discourse Facet | Run ID`, for
example `D1401_TRAIN | 1 | ['1179-1547', '26352-26530'] | first text ... second text |
Results_Citation | SYSX1`. There are at most three spans, each a fragment or up to five consecutive
sentences. Fields are written as bare values; the reader also accepts `Key: value`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ilpsum.errors import InputError, UsageError, counted
from ilpsum.files.atomic import write_errors, write_file
from ilpsum.files.reading import decode, read_lines
from ilpsum.metrics.spans import touched
from ilpsum.records import BrokenTopic, Document, Facet, Span, Topic
from ilpsum.tasks import read_topics
from ilpsum.tasks.annotation import Line, folded, shown
from ilpsum.tasks.registry import RUN_ID, Format, Paths
from ilpsum.tasks.submissions import Finding

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
    """A system's answer for one citance; `spans` may be empty; the writer ignores `text` and uses
    the paper's.
    """

    topic: str
    citance: int
    spans: tuple[Span, ...]
    facet: Facet
    run: str
    text: str = ""


def read(path: str | Path) -> Iterator[Link]:
    """Yield the links of a run in order; `InputError` if the file cannot be read or a line is not a
    link.
    """
    for number, data in read_lines(path):
        text = decode(data)[0].strip("\ufeff \t")
        if text:
            yield _link(text, str(path), number)


def write(path: str | Path, links: Iterable[tuple[Link, Document]], *, force: bool = False) -> None:
    """Write links atomically; each comes with its reference paper, which provides the text of the
    spans.

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
        lines = [_written(link, document) + "\n" for link, document in links]
        write_file(path, "".join(lines).encode("utf-8", "replace"))


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
    return (
        f"{link.topic} | {link.citance} | [{offsets}] | {text} | {FACETS[link.facet]} | {link.run}"
    )


def _link(text: str, file: str, number: int) -> Link:
    parts = [part.strip() for part in text.removesuffix("|").split("|")]
    if len(parts) < len(FIELDS):
        raise InputError(
            f"{counted(len(parts), 'field')}; expected `{' | '.join(FIELDS)}`", file, number
        )
    # The reference text may contain bars, so count the other fields from both ends.
    parts = [*parts[:3], " | ".join(parts[3:-2]), *parts[-2:]]
    values = (part.partition(":")[2].strip() if _NAMED.match(part) else part for part in parts)
    line = Line(file, number, dict(zip(FIELDS, values, strict=True)))
    spans, facets = (
        line.spans("Reference Offset") if line.items("Reference Offset") else (),
        line.facets(),
    )
    if len(facets) != 1 or facets[0] not in FACETS:
        known = ", ".join(FACETS.values())
        raise line.error(
            f"the facet {shown(line.text('Discourse Facet'))} is unknown; expected one of {known}"
        )
    number = line.integer("Citance Number")
    return Link(
        line.name("Topic ID"),
        number,
        spans,
        facets[0],
        line.text("Run ID"),
        line.text("Reference Text"),
    )


def check(path: Path, *, topics: Paths | None = None) -> list[Finding]:
    """Return the errors and warnings of a Task 1 run; arguments and exceptions as for
    `Format.check`.
    """
    known = None if topics is None else {topic.id: topic for topic in read_topics(topics)}
    findings, first, run = list[Finding](), dict[tuple[str, int], int](), ""
    for number, data in read_lines(path):
        text, recoded = decode(data)
        faults = [(f"{recoded.partition(';')[0]}; expected UTF-8", False)] if recoded else []
        if text.startswith("\ufeff"):
            faults.append(("a byte order mark; expected plain UTF-8", False))
        text = text.strip("\ufeff \t")
        link = None
        try:
            link = _link(text, str(path), number) if text else None
        except InputError as error:
            faults.append((error.message, False))
        if link:
            key, run = (link.topic, link.citance), run or link.run
            if (at := first.setdefault(key, number)) != number:
                faults.append(
                    (
                        f"the topic {key[0]}, citance {key[1]} appears twice, first on line {at}",
                        False,
                    )
                )
            if link.run != run:
                faults.append(
                    (
                        f"the run id {shown(link.run)} after {shown(run)}; expected one run a file",
                        False,
                    )
                )
            faults += _faults(link, known)
        findings += (Finding(f"{path}:{number}", message, warning) for message, warning in faults)
    whole = (topic for topic in (known or {}).values() if isinstance(topic, Topic))
    for topic, citance in sorted(
        {(t.id, c.number) for t in whole for c in t.citances} - first.keys()
    ):
        findings.append(Finding(str(path), f"the topic {topic}, citance {citance} is missing"))
    if not first and not findings:
        findings.append(Finding(str(path), f"is empty; expected lines of `{' | '.join(FIELDS)}`"))
    return findings


def _faults(link: Link, known: dict[str, Topic | BrokenTopic] | None) -> Iterator[tuple[str, bool]]:
    """Yield the faults of a link by itself and in its topic, and whether each is only a warning."""
    if not RUN_ID.fullmatch(link.run):
        yield f"the run id {shown(link.run)} is not {_RUN_ID_RULE}", False
    if len(link.spans) > MAX_SPANS:
        yield f"{len(link.spans)} spans; at most {MAX_SPANS} are allowed", False
    if not link.spans:
        yield "no spans: the citance is not linked", True
    topic = (known or {}).get(link.topic)
    if known is not None and not isinstance(topic, BrokenTopic):
        if topic is None or all(citance.number != link.citance for citance in topic.citances):
            yield f"no citance {link.citance} in a topic {link.topic}", False
        if topic is not None and topic.reference is not None:
            yield from _faults_of_spans(link, topic.reference)


def _faults_of_spans(link: Link, paper: Document) -> Iterator[tuple[str, bool]]:
    from features.sentences import split_sentences

    beyond, quoted = False, folded(link.text)
    for start, end in ((span.start, span.end) for span in link.spans):
        if end > len(paper.text):
            beyond = True
            yield (
                f"the offset {start}-{end} is beyond the end of {paper.id} at {len(paper.text)}",
                False,
            )
            continue
        text = paper.text[start:end]
        sentences = (
            touched([Span(start, end)], paper.sentences)
            if paper.sentences
            else split_sentences(text)
        )
        if len(sentences) > MAX_SENTENCES:
            count = f"{len(sentences)} sentences by our count; at most {MAX_SENTENCES} are allowed"
            yield f"the span {start}-{end} has {count}", True
    texts = (paper.text[span.start : span.end] for span in link.spans)
    # The task allows an empty text: the offsets decide.
    if quoted and not beyond and any(folded(text) not in quoted for text in texts):
        yield f"the Reference Text differs from the text of {paper.id} at the offsets", False


TASK1 = Format("task1", checker=check)
