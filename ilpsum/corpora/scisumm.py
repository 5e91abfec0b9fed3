"""CL-SciSumm: a reference paper, the papers that cite it, and the sentences of it that each citance cites.

A topic is a folder `C00-2123/{Reference_XML,Citance_XML,annotation,summary}`; a path is one, a folder of such, or a
`.tar.gz` of either. Documents are the sentences of the XML joined by newlines, with the sentences' boundaries and the
sections. Annotations name sentences by number; they become spans of characters. Citances come from
`annotation/*.ann*.txt`, else from `annotation/*.csv`, else from `citing_sentences.json` (in Citance_XML or in the
topic's folder), and the gold of a topic (reference offsets, facets, summaries) may be missing.

The data are uneven, so the reader is more tolerant than TAC's: what is odd is told in the topic's remarks. A topic is
broken if it has no reference paper or one without sentences, no citances at all, a line that is no annotation, lacks
the citance's number, citing article or text, or has a field twice; a number that is none; a citing article that is no
plain name; one citance number for two citing papers; NUL bytes; or a file that cannot be read (see
`ilpsum.io.folders`).

There are three kinds of gold summary: `abstract`, the paper's own; `community`, the cited sentences that annotators
chose; `human`, written by an annotator. They stand in this order.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, get_args

from features.text import words
from ilpsum.corpora.annotation import KEYS, Line, folded, parse_lines, shown
from ilpsum.corpora.options import GoldKind
from ilpsum.corpora.paper_xml import Paper, parse_paper, plain, sentences_of
from ilpsum.errors import InputError, UsageError
from ilpsum.io.files import decode
from ilpsum.io.folders import Shape, TopicFiles, holds, topic_folders
from ilpsum.records import Annotation, BrokenTopic, Citance, Facet, Span, Topic

_BESIDE = re.compile(r"citing_sentences.*\.json", re.IGNORECASE)
SHAPE = Shape(frozenset({"reference_xml", "citance_xml", "annotation", "summary"}), _BESIDE)
_SENTENCE = re.compile(r"<S\s[^<>]*>|</S>")
_NONE = ("", "NA", "0")
_KINDS = ("abstract", "community", "human")
# A sentence shorter than this, in letters and digits, is not looked for in quotes.
_SHORTEST = 20
# The share of the shorter one's words that a sentence and its quote have in common (texts are from different scans).
_SHARED = 0.5


OPTIONS: tuple[str, ...] = ("summaries",)


def recognises(path: Path) -> bool:
    """Whether a path is a topic folder, or a folder or archive of such."""
    return holds(path, "reference_xml")


def read(path: str | Path, *, summaries: GoldKind = "all") -> Iterator[Topic | BrokenTopic]:
    """The topics of a path, one at a time, in the order of their names (in an archive, in its order).

    Args:
        path: a topic folder, a folder of such, or an archive of either; `-` is an archive on standard input.
        summaries: which gold summaries a topic has.

    Raises:
        InputError: the path holds no topic folders, or cannot be read at all.
        UsageError: no such kind of summary.
    """
    if summaries not in get_args(GoldKind):
        raise UsageError(f"unknown kind of summary {summaries!r}; there are: {', '.join(get_args(GoldKind))}")
    for files in topic_folders(Path(path), SHAPE):
        try:
            if files.error is not None:
                raise files.error
            yield _Reading(files, summaries).topic()
        except InputError as error:
            yield BrokenTopic(files.name, error)


@dataclass(slots=True)
class _Reading:
    """A topic while it is read."""

    files: TopicFiles
    kind: GoldKind
    warnings: list[str] = field(default_factory=list)

    def topic(self) -> Topic:
        """The topic.

        Raises:
            InputError: it is damaged, as the module's head says.
        """
        self.warnings += self.files.warnings
        reference = self._reference()
        citing = self._citing()
        groups: dict[int, list[Line]] = {}
        for line in self._lines():
            groups.setdefault(line.integer("Citance Number"), []).append(line)
        if not groups:
            message = "no citances; annotation/TOPIC.ann.txt or citing_sentences.json was expected"
            raise InputError(message, self.files.place)
        citances = [self._citance(number, lines, reference, citing) for number, lines in sorted(groups.items())]
        return Topic(
            self.files.name,
            query="\n".join(citance.text for citance in citances),
            documents=(reference.document, *(paper.document for paper in citing.values())),
            citances=tuple(citances),
            summaries=tuple(text for _, text in sorted(self._summaries()) if text),
            warnings=tuple(self.warnings),
        )

    def _reference(self) -> Paper:
        papers = {PurePosixPath(place).stem: (place, data) for place, data in self._xml("reference_xml")}
        if not papers:
            raise InputError("no Reference_XML/*.xml; it is the paper that is summarised", self.files.place)
        name = self.files.name if self.files.name in papers else next(iter(papers))
        if len(papers) > 1:
            self.warnings.append(f"{self.files.place}: several reference papers: {name} is taken")
        place, data = papers[name]
        paper = parse_paper(data, place, name, "reference")
        self.warnings += paper.warnings
        return paper

    def _citing(self) -> dict[str, Paper]:
        papers = {}
        for place, data in self._xml("citance_xml"):
            name = PurePosixPath(place).stem
            try:
                papers[name] = parse_paper(data, place, name, "citing")
            except InputError as error:
                if b"\0" in data:
                    raise
                self.warnings.append(f"{error}: left out")
                continue
            self.warnings += papers[name].warnings
        return papers

    def _xml(self, part: str) -> Iterator[tuple[str, bytes]]:
        for place, data in self.files.texts(part):
            if place.lower().endswith(".xml"):
                yield place, data
            elif not _BESIDE.fullmatch(PurePosixPath(place).name):
                self.warnings.append(f"{place}: no .xml, not read")

    def _lines(self) -> Iterator[Line]:
        """The annotations, from the best file there is."""
        files = list(self.files.texts("annotation"))
        texts = [(place, data) for place, data in files if place.lower().endswith(".txt")]
        tables = [(place, data) for place, data in files if place.lower().endswith(".csv")]
        lists = [
            (p, d) for part in ("", "citance_xml") for p, d in self.files.texts(part) if p.lower().endswith(".json")
        ]
        for place, data in texts:
            yield from parse_lines(data, place)
        if not texts:
            for place, data in tables:
                yield from _table(data, place)
        if not texts and not tables:
            for place, data in lists:
                yield from _list(data, place)

    def _citance(self, number: int, lines: Sequence[Line], reference: Paper, citing: dict[str, Paper]) -> Citance:
        first = lines[0]
        name = _stem(first.name("Citing Article"))
        for line in lines[1:]:
            if (other := _stem(line.name("Citing Article"))) != name:
                where = f"line {first.number} says {shown(name)}"
                raise line.error(f"citance {number} is in {shown(other)}, but {where}; number each citance once")
        if len(lines) > 1:
            self.warnings.append(lines[1].warning(f"citance {number} stands {len(lines)} times: all are taken"))
        paper = citing.get(name)
        if paper is None:
            self.warnings.append(first.warning(f"the citing paper {shown(name)} is not there: its quoted text is used"))
        found = [span for line in lines for span in self._spans(line, "Citation", paper)]
        start = min((span.start for span in found), default=0)
        end = max((span.end for span in found), default=0)
        text = paper.document.text[start:end] if paper and found else _untagged(first.text("Citation Text"))
        marker_text = plain(first.fields.get("Citation Marker", ""))
        marker = self._marker(first, marker_text, paper)
        annotations = tuple(self._annotation(line, Span(start, end), reference) for line in lines)
        return Citance(number, name, start, end, text, marker, marker_text, annotations)

    def _annotation(self, line: Line, citation: Span, reference: Paper) -> Annotation:
        annotator = line.fields.get("Annotator", "").strip(" ,")
        if not line.has("Reference Offset") and not line.has("Reference Text"):
            return Annotation(annotator, citation)
        spans = self._spans(line, "Reference", reference)
        text = _untagged(line.fields.get("Reference Text", ""))
        return Annotation(annotator, citation, tuple(spans), self._facets(line), text)

    def _facets(self, line: Line) -> tuple[Facet, ...]:
        if line.fields.get("Discourse Facet", "") in _NONE:
            return ()
        try:
            return line.facets()
        except InputError as error:
            self.warnings.append(f"{error}: left out")
            return ()

    def _spans(self, line: Line, side: str, paper: Paper | None) -> list[Span]:
        """The sentences that an offset names, those next to each other as one span."""
        if paper is None:
            return []
        key, quoted = f"{side} Offset", line.fields.get(f"{side} Text", "")
        offset = line.fields.get(key, "")
        if offset.startswith("'"):
            self.warnings.append(line.warning(f"the {key} has no brackets"))
        if offset in _NONE:
            return self._quoted(line, quoted, paper)
        found = []
        for item in line.items(key):
            if not re.fullmatch("[0-9]{1,9}", item):
                raise line.error(f"the {key} {shown(item)} is not the number of a sentence, like '39'")
            span = paper.spans.get(int(item))
            if span is None:
                self.warnings.append(line.warning(f"{paper.document.id} has no sentence {item}: left out"))
            else:
                found.append(span)
        said = set(words(_untagged(quoted)))
        for span in found:
            there = set(words(paper.document.text[span.start : span.end]))
            if len(said & there) < _SHARED * min(len(said), len(there)):
                message = f"{paper.document.id} has another sentence at {span.start}-{span.end} than the line quotes"
                self.warnings.append(line.warning(message))
        return _joined(found)

    def _quoted(self, line: Line, quoted: str, paper: Paper) -> list[Span]:
        """The sentences whose text a line quotes without their numbers."""
        said = folded(_untagged(quoted))
        text = paper.document.text
        whole = ((span, folded(text[span.start : span.end])) for span in paper.document.sentences)
        found = [
            span for span, sentence in whole if len(sentence) > _SHORTEST and (sentence in said or said in sentence)
        ]
        if said and not found:
            self.warnings.append(line.warning(f"{paper.document.id} has no sentence that the line quotes"))
        return _joined(found) if said else []

    def _marker(self, line: Line, text: str, paper: Paper | None) -> Span | None:
        """Where the marker is printed in the sentence that it is said to stand in."""
        if paper is None or not text or line.fields.get("Citation Marker Offset", "") in _NONE:
            return None
        for item in line.items("Citation Marker Offset"):
            span = paper.spans.get(int(item)) if re.fullmatch("[0-9]{1,9}", item) else None
            place = paper.document.text.find(text, span.start, span.end) if span else -1
            if place >= 0:
                return Span(place, place + len(text))
        return None

    def _summaries(self) -> Iterator[tuple[int, str]]:
        """The gold summaries that are wanted, each with the rank of its kind."""
        seen = set()
        for place, data in self.files.texts("summary"):
            if b"\0" in data:
                raise InputError("NUL bytes; UTF-8 text was expected (save UTF-16 as UTF-8)", place)
            text, recoded = decode(data)
            kind = _kind(PurePosixPath(place).name, text)
            if not kind:
                self.warnings.append(f"{place}: the other summaries together, not read")
                continue
            if self.kind not in ("all", kind):
                continue
            if recoded:
                self.warnings.append(f"{place}: {recoded}")
            text = "\n".join(sentences_of(text)) or _paragraphs(text)
            if not text or text in seen:
                self.warnings.append(f"{place}: {'the same summary again' if text else 'an empty summary'}, left out")
                continue
            seen.add(text)
            yield _KINDS.index(kind), text


def _kind(name: str, text: str) -> str:
    """The kind of a summary, by its file's name, else by its text; empty for the three kinds in one file."""
    lower = name.lower()
    if "combined" in lower:
        return ""
    for kind in _KINDS:
        if kind in lower:
            return kind
    return "community" if "<COMMUNITY" in text else "abstract" if "<ABSTRACT" in text else "human"


def _table(data: bytes, place: str) -> Iterator[Line]:
    """The citances of a table with a header, as test sets have them."""
    rows = csv.DictReader(io.StringIO(decode(data)[0].removeprefix("\ufeff"), newline=""))
    try:
        for row in rows:
            fields = {key: value.strip() for key in KEYS if isinstance(value := row.get(key), str)}
            yield Line(place, rows.line_num, {**fields, **_clean(row.get("Citation Text Clean"))})
    except csv.Error as error:
        raise InputError(f"no table of citances: {error}", place, rows.line_num) from None


def _list(data: bytes, place: str) -> Iterator[Line]:
    """The citances of `citing_sentences.json`."""
    message = 'a list of {"citance_number", "citing_paper_id", "raw_text"} was expected'
    try:
        entries = json.loads(decode(data)[0].removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{message}: {error}", place) from None
    if not isinstance(entries, list):
        raise InputError(message, place)
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            raise InputError(f"{message}, entry {number} is none", place)
        named = {
            "Citance Number": _first(entry, "citance_number", "citance_No"),
            "Citing Article": _first(entry, "citing_paper_id"),
            "Citation Text": _first(entry, "raw_text"),
        }
        yield Line(place, number, {**{k: v for k, v in named.items() if v}, **_clean(entry.get("clean_text"))})


def _first(entry: dict[str, Any], *keys: str) -> str:
    return next((str(entry[key]).strip() for key in keys if isinstance(entry.get(key), str | int)), "")


def _clean(text: Any) -> dict[str, str]:
    return {"Citation Text": text.strip()} if isinstance(text, str) and text.strip() else {}


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Spans in the order of the text, neighbours (a newline apart) as one."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda span: span.start):
        if joined and span.start <= joined[-1].end + 1:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def _stem(name: str) -> str:
    return re.sub(r"\.(txt|xml)$", "", name, flags=re.IGNORECASE)


def _untagged(text: str) -> str:
    return plain(_SENTENCE.sub(" ", text))


def _paragraphs(text: str) -> str:
    lines = re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))
    return "\n".join(line for line in map(plain, lines) if line)
