"""Read TAC 2014 BiomedSumm: a reference paper, ten papers that cite it, and annotations of each
citance.

A topic is a folder `D1401_TRAIN/{Annotation,Documents_Text,Summary}`; the input path is a topic or
a folder of topics. A bare annotation file (as for evaluation topics) gives topics with citances but
no documents.

Offsets are code points of the document decoded as UTF-8, with its BOM kept as a character and every
CR deleted; a document that is not valid UTF-8 is decoded as cp1252. In a summary a CR ends a
paragraph. A citance is the union of the annotators' spans in the citing document. Fields 9-12 of a
line and the folder `Summary` are gold: a topic is read the same without them.

Damage breaks a topic, with file and line, where the citances or the paper would be wrong: a line
that is no annotation or contradicts another one, a missing reference paper, an offset that is
malformed or beyond its document, some but not all gold fields. What can still be used safely gives
a warning, such as a quoted text that differs from the text at its offsets.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from ilpsum.errors import InputError
from ilpsum.files.folders import Shape, TopicFiles, holds, is_archive, topic_folders
from ilpsum.files.reading import decode_text, read_lines
from ilpsum.files.start import Start
from ilpsum.metrics.spans import union
from ilpsum.records import (
    Annotation,
    BrokenTopic,
    Citance,
    Document,
    Incoming,
    PendingTopic,
    Role,
    Span,
    Topic,
)
from ilpsum.tasks import see, task2
from ilpsum.tasks.annotation import (
    Line,
    TopicReader,
    letters_and_digits,
    parse_line,
    parse_lines,
    shown,
)
from ilpsum.tasks.registry import Format, FormatLimits, Reader

SHAPE = Shape(frozenset({"annotation", "documents_text", "summary"}))
_GOLD = ("Reference Offset", "Reference Text", "Discourse Facet")
_LETTER = re.compile(r"\.([A-Za-z])\.ann\b")
_TOPIC_ID = re.compile(rb"^(\xef\xbb\xbf)?\s*Topic\s+ID\s*:", re.IGNORECASE)


def recognises(start: Start) -> bool:
    """Return whether a path is a topic folder, a folder of topics, or starts like an annotation
    file.
    """
    return bool(_TOPIC_ID.match(start.data)) or holds(start, "documents_text")


def read(path: str | Path) -> Iterator[Incoming]:
    """Yield the topics of a path, sorted by name; topics of a bare file in its order."""
    path = Path(path)
    if path.is_dir() or is_archive(Start.of(path)):
        for files in topic_folders(path, SHAPE):
            yield PendingTopic(files.name, partial(_topic, files))
        return
    place = "standard input" if str(path) == "-" else str(path)
    parsed = (parse_line(data, place, number) for number, data in read_lines(path))
    name = ""
    for name, lines in groupby(filter(None, parsed), key=lambda line: line.name("Topic ID")):
        yield _topic(TopicFiles(name, place), list(lines))
    if not name:
        expected = "expected lines `Topic ID: ... | Citance Number: ... |`"
        raise InputError(f"no annotations; {expected}", place)


def _topic(files: TopicFiles, bare: Sequence[Line] = ()) -> Topic | BrokenTopic:
    return _TacTopic(files, bare=bare).read()


class _Mark(NamedTuple):
    """An annotation line, its annotator, and the span of the citance."""

    line: Line
    annotator: str
    span: Span


@dataclass(slots=True)
class _TacTopic(TopicReader):
    """Reads a topic from its files, or from its annotation lines alone."""

    bare: Sequence[Line] = ()
    documents: dict[str, Document] = field(default_factory=dict)

    def topic(self) -> Topic:
        """Build the topic; raises the error that breaks it."""
        texts = self.files.texts("annotation")
        lines = self.bare or [line for file, data in texts for line in parse_lines(data, file)]
        if not lines:
            raise InputError(
                "no annotation lines; expected a file Annotation/TOPIC.A.ann.txt",
                self.files.place,
            )
        name, reference = self.files.name, lines[0].name("Reference Article")
        for line in lines:
            for key, expected in (("Topic ID", name), ("Reference Article", reference)):
                if line.name(key) != expected:
                    place = "the topic's folder" if key == "Topic ID" else "the first line"
                    what = f"the {key} {shown(line.text(key))}; expected {shown(expected)}"
                    raise line.error(f"{what}, as in {place}")
        if recoded := next((line for line in lines if line.recoded), None):
            self.warn(recoded, "not UTF-8; read as cp1252")
        if self.bare:
            what = f"{name} has no documents; summarising its citances only"
            advice = "give the topic's folder to use the reference paper too"
            self.warnings.append(f"{self.files.place}: {what}; {advice}")
        else:
            self._read_documents(reference, lines)
        citances = tuple(self._citance(*group) for group in self.grouped(lines))
        return self.built(tuple(self.documents.values()), citances, self._summaries())

    def _read_documents(self, reference: str, lines: Sequence[Line]) -> None:
        for place, data in self.files.texts("documents_text"):
            name = Path(place).name
            role: Role = "reference" if name == reference else "citing"
            text = self._decoded(place, data).replace("\r", "")  # offsets count the BOM but not CR
            if text.strip("\ufeff \t\n"):
                self.documents[name] = Document(name, text, role=role)
            else:
                self.warnings.append(f"{place}: an empty document, left out")
        if reference not in self.documents:
            what = "is not in Documents_Text, or empty; it is the paper to summarise"
            raise lines[0].error(f"the reference paper {shown(reference)} {what}")
        self.documents = {reference: self.documents.pop(reference), **self.documents}
        for name, line in {line.name("Citing Article"): line for line in reversed(lines)}.items():
            if name not in self.documents:
                what = f"the citing paper {shown(name)} is not in Documents_Text"
                self.warn(line, f"{what}; using its quoted text")

    def _decoded(self, place: str, data: bytes) -> str:
        text, warning = decode_text(data, place)
        if warning:
            self.warnings.append(f"{place}: {warning}")
        return text

    def _citance(self, number: int, citing: str, lines: Sequence[Line]) -> Citance:
        document = self.documents.get(citing)
        marks = [self._mark(line, document) for line in lines]
        annotators = set[str]()
        for mark in marks:
            if mark.annotator in annotators:
                what = f"a second citance {number} of annotator {mark.annotator}"
                raise mark.line.error(f"{what}; number each citance once")
            annotators |= {mark.annotator} - {""}
        span = self._union(number, marks)
        longest = max(marks, key=lambda mark: mark.span.end - mark.span.start)
        text = (
            document.text[span.start : span.end] if document else longest.line.text("Citation Text")
        )
        marker, marker_text = self._marker(number, lines, document)
        annotations = tuple(self._annotation(mark) for mark in marks)
        return Citance(number, citing, span.start, span.end, text, marker, marker_text, annotations)

    def _mark(self, line: Line, document: Document | None) -> _Mark:
        letter = _LETTER.search(Path(line.file).name)
        annotator = line.fields.get("Annotator", "").strip(" ,") or (letter[1] if letter else "")
        span = line.span("Citation Offset")
        self._check(line, "Citation", span, document)
        return _Mark(line, annotator, span)

    def _check(self, line: Line, side: str, span: Span, document: Document | None) -> None:
        """Check that a span is in its document and has the quoted text."""
        quoted, where = line.text(f"{side} Text"), f"{span.start}-{span.end}"
        if document is None:
            return
        if span.end > len(document.text):
            end = f"the end of {document.id} at {len(document.text)}"
            advice = "offsets are in characters, counting the BOM but not CR"
            raise line.error(f"the {side} Offset {where} is beyond {end}; {advice}")
        if letters_and_digits(document.text[span.start : span.end]) not in letters_and_digits(
            quoted
        ):
            self.warn(line, f"the quoted text differs from {document.id} at {where}")

    def _union(self, number: int, marks: Sequence[_Mark]) -> Span:
        """Return the union of the annotators' spans; of disjoint stretches, the one that most
        annotators marked.
        """
        starts = [mark.span.start for mark in marks]
        stretches = union(mark.span for mark in marks)
        if len(stretches) > 1:
            what = f"the annotators of citance {number} mark stretches that do not touch"
            self.warn(marks[0].line, f"{what}; using one")
        return max(
            stretches,
            key=lambda stretch: sum(stretch.start <= start <= stretch.end for start in starts),
        )

    def _marker(
        self,
        number: int,
        lines: Sequence[Line],
        document: Document | None,
    ) -> tuple[Span | None, str]:
        """Return the marker that most annotators give."""
        key = "Citation Marker Offset"
        named = Counter(
            (line.span(key), line.text("Citation Marker")) for line in lines if key in line.fields
        )
        if not named:
            self.warn(lines[0], f"citance {number} has no {key}")
            return None, ""
        (span, text), _ = named.most_common(1)[0]
        if document is not None and span.end > len(document.text):
            what = f"the marker of citance {number} is beyond the end of {document.id}"
            self.warn(lines[0], f"{what}; left out")
            return None, text
        return span, text

    def _annotation(self, mark: _Mark) -> Annotation:
        """Return an annotator's gold annotation; only the citation span if the line has no gold
        fields.
        """
        line, annotator, citation = mark
        if line.fields.keys().isdisjoint(_GOLD):
            return Annotation(annotator, citation)
        reference = next(iter(self.documents.values()), None)
        spans = line.spans("Reference Offset")
        for span in spans:
            self._check(line, "Reference", span, reference)
        return Annotation(annotator, citation, spans, line.facets(), line.text("Reference Text"))

    def _summaries(self) -> Iterator[str]:
        for place, data in self.files.texts("summary"):
            text = self._decoded(place, data).removeprefix("\ufeff")
            text = text.replace("\r\n", "\n").replace("\r", "\n")
            if text.strip():
                yield see.text_of(text)
            else:
                self.warnings.append(f"{place}: an empty summary, left out")


TAC = Format(
    "tac",
    Reader(
        recognises,
        read,
        looks="a folder with Annotation/ and Documents_Text/, a folder of such, or "
        "`Topic ID: ...` lines",
    ),
    task2.TacWriter,
    task2.texts,
    task2.check,
    output="tac",
    limits=FormatLimits(words=task2.WORDS),
    stem=True,
    cut=task2.WORDS,
)
