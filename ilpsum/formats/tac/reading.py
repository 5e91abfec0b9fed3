"""Read TAC 2014 BiomedSumm: a reference paper, ten papers that cite it, and annotations of each citance.

A topic is a folder `D1401_TRAIN/{Annotation,Documents_Text,Summary}`; the input path is a topic, a folder of topics, or
a `.tar.gz` of either. A bare annotation file (as for evaluation topics) gives topics with citances but no documents.

Offsets are code points of the document decoded as UTF-8, with its BOM kept as a character and every CR deleted; a
document that is not valid UTF-8 is decoded as cp1252. In a summary a CR ends a paragraph. A citance is the union of the
annotators' spans in the citing document. Fields 9-12 of a line and the folder `Summary` are gold: a topic is read the
same without them.

A paper may also be JATS or TEI. Offsets are ignored there, and may be missing: quoted text is looked up instead.

Damage breaks a topic, with file and line, or gives a warning if the topic can still be used safely. These break it:

- no annotation; a line that is not a list of fields, lacks or repeats a field, or belongs to another topic;
- a topic or document name that is not a plain file name;
- several reference papers; a citance number used for several citing papers, or twice by one annotator;
- a missing reference paper, an empty document that is cited from, NUL bytes;
- an offset that is malformed, empty or beyond its document; some but not all gold fields; an unknown facet;
- a file that cannot be read (see `ilpsum.files.folders`).

These are warnings: a folder named differently from its lines (the lines count); a missing citing paper (its quoted
text is used); an empty document that nobody cites; a text that is not UTF-8; a quoted text that differs from the text
at its offsets, or is not found in an XML article; annotators who disagree on the marker (the most frequent counts) or
whose spans do not touch (the stretch marked by most counts); a marker beyond its document (left out); a line whose
annotator differs from the file's.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, pairwise
from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.files.folders import Shape, TopicFiles, holds, is_archive, topic_folders
from ilpsum.files.reading import decode_text, head, read_lines
from ilpsum.formats.annotation import Line, folded, located, parse_line, parse_lines, shown, topic_of
from ilpsum.formats.articles import article_in
from ilpsum.records import Annotation, BrokenTopic, Citance, Document, Incoming, PendingTopic, Role, Span, Topic

SHAPE = Shape(frozenset({"annotation", "documents_text", "summary"}))
_GOLD = ("Reference Offset", "Reference Text", "Discourse Facet")
_LETTER = re.compile(r"\.([A-Za-z])\.ann\b")
_MAX_SPANS = 3
_NOWHERE = Span(0, 0)
# Separator between quotes from several places.
_APART = re.compile(r"\s\.\.\.\s")
_TOPIC_ID = re.compile(rb"^(\xef\xbb\xbf)?\s*Topic\s+ID\s*:", re.IGNORECASE)

OPTIONS: tuple[str, ...] = ()


def recognises(path: Path) -> bool:
    """Return whether a path is a topic folder, a folder or archive of topics, or starts like an annotation file."""
    return bool(_TOPIC_ID.match(head(path))) or holds(path, "documents_text")


def read(path: str | Path) -> Iterator[Incoming]:
    """Yield the topics of a path, sorted by name; topics of an archive or a bare file in its order."""
    path = Path(path)
    if path.is_dir() or is_archive(path):
        for files in topic_folders(path, SHAPE):
            yield PendingTopic(files.name, partial(_topic, files)) if _is_named(files) else _topic(files)
    else:
        yield from _bare(path)


def _is_named(files: TopicFiles) -> bool:
    """Return whether the first annotation line has the folder's topic name; if not, finding the id needs all lines."""
    try:
        texts = files.read("annotation").texts("annotation")
        first = islice((line for file, data in texts for line in parse_lines(data, file)), 1)
        return any(line.name("Topic ID") == files.name for line in first)
    except InputError:
        return False


def _topic(files: TopicFiles, bare: Sequence[Line] = ()) -> Topic | BrokenTopic:
    return topic_of(files, lambda read: _TacTopic(read, bare).topic())


def _bare(path: Path) -> Iterator[Topic | BrokenTopic]:
    """Yield the topics of a bare annotation file, whose lines are grouped by topic."""
    place = "standard input" if str(path) == "-" else str(path)
    lines: list[Line] = []
    name, broken = "", None
    for number, data in read_lines(path):
        try:
            line = parse_line(data, place, number)
            if line is None:
                continue
            found = line.name("Topic ID")
        except InputError as error:
            if not name:
                expected = "expected a TAC topic's folder, an archive of them, or a file of annotation lines"
                raise InputError(f"{expected}: {error.message}", place, number) from None
            # The line's own topic is unknown, so it counts as a line of the current one.
            broken = broken or error
            continue
        if found != name and name:
            yield _topic(TopicFiles(name, place, error=broken), lines)
            lines, broken = [], None
        name = found
        lines.append(line)
    if not name:
        raise InputError("no annotations; expected lines `Topic ID: ... | Citance Number: ... |`", place)
    yield _topic(TopicFiles(name, place, error=broken), lines)


@dataclass(slots=True)
class _Mark:
    """An annotation line and the values parsed from it."""

    line: Line
    annotator: str
    number: int
    citing: str
    span: Span


@dataclass(slots=True)
class _TacTopic:
    """State of reading a topic from its files, or from its annotation lines alone."""

    files: TopicFiles
    bare: Sequence[Line] = ()
    warnings: list[str] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)

    def topic(self) -> Topic:
        """Build the topic; raises the error that breaks it."""
        self.warnings += self.files.warnings
        lines = self.bare or [line for file, data in self.files.texts("annotation") for line in parse_lines(data, file)]
        if not lines:
            raise InputError("no annotation lines; expected a file Annotation/TOPIC.A.ann.txt", self.files.place)
        name, reference = self._names(lines)
        marks = [self._mark(line) for line in lines]
        self._documents(reference, marks)
        citances = [self._citance(number, group) for number, group in sorted(self._groups(marks).items())]
        return Topic(
            name,
            query="\n".join(citance.text for citance in citances),
            documents=tuple(self.documents.values()),
            citances=tuple(citances),
            summaries=tuple(self._summaries()),
            warnings=tuple(self.warnings),
        )

    def _names(self, lines: Sequence[Line]) -> tuple[str, str]:
        """Return the topic id and the reference paper's name, on which all lines must agree."""
        first = lines[0]
        name, reference = first.name("Topic ID"), first.name("Reference Article")
        for line in lines:
            if line.name("Topic ID") != name:
                other = shown(line.text("Topic ID"))
                raise line.error(f"the topic {other} among lines of {shown(name)}; expected one topic per folder")
            if line.name("Reference Article") != reference:
                other = shown(line.text("Reference Article"))
                raise line.error(f"the reference article {other}, after {shown(reference)}; expected one")
        if name != self.files.name:
            message = f"the folder is named {self.files.name}, but its lines name the topic {name}; using {name}"
            self.warnings.append(first.warning(message))
        if recoded := next((line for line in lines if line.recoded), None):
            self.warnings.append(recoded.warning("not UTF-8; read as cp1252"))
        return name, reference

    def _mark(self, line: Line) -> _Mark:
        letter = _LETTER.search(Path(line.file).name)
        annotator = line.fields.get("Annotator", "").strip(" ,") or (letter[1] if letter else "")
        if letter and annotator != letter[1]:
            self.warnings.append(line.warning(f"the annotator {shown(annotator)} in the file of {letter[1]}"))
        line.text("Citation Text")
        span = line.span("Citation Offset") if "Citation Offset" in line.fields else _NOWHERE
        return _Mark(line, annotator, line.integer("Citance Number"), line.name("Citing Article"), span)

    def _documents(self, reference: str, marks: Sequence[_Mark]) -> None:
        if self.bare:
            advice = "summarising its citances only; give the topic's folder to use the reference paper too"
            self.warnings.append(f"{self.files.place}: {self.bare[0].text('Topic ID')} has no documents; {advice}")
            return
        given = dict(self.files.texts("documents_text"))
        by_name = {Path(place).name: place for place in given}
        if reference not in by_name:
            message = f"the reference paper {shown(reference)} is not in Documents_Text; it is the paper to summarise"
            raise marks[0].line.error(message)
        cited_from = {reference, *(mark.citing for mark in marks)}
        for file in (reference, *(file for file in by_name if file != reference)):
            place = by_name[file]
            role: Role = "reference" if file == reference else "citing"
            if article := article_in(given[place], place):
                self.documents[file] = replace(article, id=file, role=role)
                continue
            # Offsets count the BOM but not CR.
            text = self._decoded(place, given[place]).replace("\r", "")
            if not text.strip("\ufeff \t\n"):
                if file in cited_from:
                    raise InputError("an empty document; expected a paper's text", place)
                self.warnings.append(f"{place}: an empty document")
            self.documents[file] = Document(file, text, role=role)
        for mark in {mark.citing: mark for mark in reversed(marks)}.values():
            if mark.citing not in by_name:
                message = f"the citing paper {shown(mark.citing)} is not in Documents_Text; using its quoted text"
                self.warnings.append(mark.line.warning(message))

    def _decoded(self, place: str, data: bytes) -> str:
        text, warning = decode_text(data, place)
        if warning:
            self.warnings.append(f"{place}: {warning}")
        return text

    def _groups(self, marks: Sequence[_Mark]) -> dict[int, list[_Mark]]:
        """Group the marks by citance number; `InputError` for a number in two papers, or twice by one annotator."""
        groups: dict[int, list[_Mark]] = {}
        for mark in marks:
            group = groups.setdefault(mark.number, [])
            for other in group:
                where = f"{Path(other.line.file).name}:{other.line.number}"
                if other.citing != mark.citing:
                    both = f"in {shown(mark.citing)}, but in {shown(other.citing)} in {where}"
                    raise mark.line.error(f"citance {mark.number} is {both}; number each citance once")
                if mark.annotator and other.annotator == mark.annotator:
                    message = f"citance {mark.number} of annotator {mark.annotator} is also at {where}"
                    raise mark.line.error(f"{message}; number each citance once")
            group.append(mark)
        return groups

    def _citance(self, number: int, marks: Sequence[_Mark]) -> Citance:
        document = self.documents.get(marks[0].citing)
        marks = [self._placed(mark, document) for mark in marks]
        span = self._union(number, [mark for mark in marks if mark.span != _NOWHERE] or marks)
        if document is not None and span != _NOWHERE:
            text = document.text[span.start : span.end]
        else:
            longest = max(marks, key=lambda mark: (mark.span.end - mark.span.start, -marks.index(mark)))
            text = longest.line.text("Citation Text")
        marker, marker_text = self._marker(number, marks, document, span)
        annotations = tuple(self._annotation(mark) for mark in marks)
        return Citance(number, marks[0].citing, span.start, span.end, text, marker, marker_text, annotations)

    def _placed(self, mark: _Mark, document: Document | None) -> _Mark:
        """Return a mark with its span in the citing document: checked, or looked up in an XML article."""
        line, quoted = mark.line, mark.line.text("Citation Text")
        if document is not None and document.sections:
            return replace(mark, span=self._looked_up(line, quoted, document) or _NOWHERE)
        if document is not None:
            line.text("Citation Offset")
            self._check_span(line, "Citation Offset", mark.span, document, quoted)
        return mark

    def _looked_up(self, line: Line, quoted: str, document: Document) -> Span | None:
        if (found := located(quoted, document.text)) is None:
            self.warnings.append(line.warning(f"the quoted text is not in {document.id}"))
        return found

    def _check_span(self, line: Line, key: str, span: Span, document: Document | None, quoted: str) -> None:
        if document is None:
            return
        if span.end > len(document.text):
            message = f"the {key} {span.start}-{span.end} is beyond the end of {document.id} at {len(document.text)}"
            raise line.error(f"{message}; offsets are in characters, counting the BOM but not CR")
        if folded(document.text[span.start : span.end]) not in folded(quoted):
            message = f"the quoted text differs from {document.id} at {span.start}-{span.end}"
            self.warnings.append(line.warning(message))

    def _union(self, number: int, marks: Sequence[_Mark]) -> Span:
        """Return the union of the annotators' spans; of disjoint stretches, the one that most annotators marked."""
        stretches: list[tuple[Span, int]] = []
        for span in sorted((mark.span for mark in marks), key=lambda span: (span.start, span.end)):
            if stretches and span.start <= stretches[-1][0].end:
                before, count = stretches[-1]
                stretches[-1] = (Span(before.start, max(before.end, span.end)), count + 1)
            else:
                stretches.append((span, 1))
        union = max(stretches, key=lambda stretch: stretch[1])[0]
        if len(stretches) > 1:
            message = f"the annotators of citance {number} mark stretches that do not touch"
            self.warnings.append(marks[0].line.warning(f"{message}; using {union.start}-{union.end}"))
        return union

    def _marker(
        self, number: int, marks: Sequence[_Mark], document: Document | None, citance: Span
    ) -> tuple[Span | None, str]:
        """Return the marker that most annotators give; in an XML article, its first occurrence in the citance."""
        if document is not None and document.sections:
            text = marks[0].line.fields.get("Citation Marker", "")
            start = document.text.find(text, citance.start, citance.end) if text else -1
            return (Span(start, start + len(text)) if start >= 0 else None), text
        named = [
            (mark.line.span("Citation Marker Offset"), mark.line.text("Citation Marker"))
            for mark in marks
            if "Citation Marker Offset" in mark.line.fields
        ]
        if not named:
            self.warnings.append(marks[0].line.warning(f"citance {number} has no Citation Marker Offset"))
            return None, ""
        (span, text), count = Counter(named).most_common(1)[0]
        if count < len(named):
            message = f"the annotators of citance {number} disagree on the marker"
            self.warnings.append(marks[0].line.warning(f"{message}; using {span.start}-{span.end}"))
        if document is not None and span.end > len(document.text):
            message = f"the marker {span.start}-{span.end} of citance {number} is beyond the end of {document.id}"
            self.warnings.append(marks[0].line.warning(f"{message}; left out"))
            return None, text
        return span, text

    def _annotation(self, mark: _Mark) -> Annotation:
        """Return an annotator's gold annotation; only the citation span if the line has no gold fields."""
        line = mark.line
        if line.fields.keys().isdisjoint(_GOLD):
            return Annotation(mark.annotator, mark.span)
        reference = next(iter(self.documents.values()), None)
        text = line.text("Reference Text")
        if reference is not None and reference.sections:
            found = (self._looked_up(line, part, reference) for part in _APART.split(text))
            return Annotation(mark.annotator, mark.span, tuple(filter(None, found)), line.facets(), text)
        for key in _GOLD:
            line.text(key)
        spans = line.spans("Reference Offset")
        for span in spans:
            self._check_span(line, "Reference Offset", span, reference, text)
        ordered = sorted(spans, key=lambda span: span.start)
        if any(after.start < before.end for before, after in pairwise(ordered)):
            self.warnings.append(line.warning("spans of the Reference Offset overlap"))
        if len(spans) > _MAX_SPANS:
            self.warnings.append(line.warning(f"{len(spans)} spans in the Reference Offset; expected at most three"))
        return Annotation(mark.annotator, mark.span, spans, line.facets(), text)

    def _summaries(self) -> Iterator[str]:
        for place, data in self.files.texts("summary"):
            text = self._decoded(place, data).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
            if text.strip():
                yield text
            else:
                self.warnings.append(f"{place}: an empty summary, left out")
