"""Read CL-SciSumm: a reference paper, the papers that cite it, and the reference sentences that
each citance cites.

A topic is a folder `C00-2123/{Reference_XML,Citance_XML,annotation,summary}`; the input path is a
topic or a folder of topics. A document's text is the sentences of the XML
joined by newlines, with boundaries and sections. Annotations refer to sentences by number; they
become character spans. Citances come from `annotation/*.ann*.txt`, else from
`citing_sentences.json` (in Citance_XML or in the topic's folder). The gold annotations (reference
offsets, facets, summaries) may be missing.

The data are irregular, so this reader is more tolerant than TAC's and reports oddities as the
topic's warnings. These break a topic: no reference paper, or one without sentences or cut off; a
gold summary cut off; no citances; a line that is not an annotation, repeats a field, or lacks the
citance's number, citing article or text; a malformed number; a citing article that is not a plain
name; one citance number for two citing papers; NUL bytes; a file that cannot be read (see
`ilpsum.files.folders`).

There are three kinds of gold summary, in this order: `abstract`, the paper's own; `community`, the
cited sentences that annotators chose; `human`, written by an annotator.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import get_args

import msgspec

from features.text import words
from ilpsum.errors import InputError, UsageError
from ilpsum.files.folders import Shape, TopicFiles, holds, topic_folders
from ilpsum.files.numbers import whole_number
from ilpsum.files.reading import decode, decode_text
from ilpsum.files.records import checked
from ilpsum.files.start import Start
from ilpsum.metrics.spans import union
from ilpsum.records import Annotation, BrokenTopic, Citance, Facet, PendingTopic, Span, Topic
from ilpsum.tasks import GoldKind
from ilpsum.tasks.annotation import (
    SUFFIX,
    Line,
    TopicReader,
    letters_and_digits,
    parse_lines,
    shown,
)
from ilpsum.tasks.paper_xml import Paper, parse_paper, require_whole, sentences_of, strip_markup
from ilpsum.tasks.registry import Format, Reader

_BESIDE = re.compile(r"citing_sentences.*\.json", re.IGNORECASE)
SHAPE = Shape(frozenset({"reference_xml", "citance_xml", "annotation", "summary"}), _BESIDE)
_SENTENCE = re.compile(r"<S\s[^<>]*>|</S>")
_NONE = ("", "NA", "0")
_LISTED = ("Citance Number", "Citing Article", "Citation Text")
_KINDS = ("abstract", "community", "human")
# Characters between neighbouring sentences.
_NEWLINE = 1
# Minimum length, in letters and digits, of a sentence that is searched for in quotes.
_SHORTEST = 20
# Minimum word overlap, relative to the shorter text, of a sentence and its quote (their texts are
# different scans).
_SHARED = 0.5
_EXPECTED = (
    'a list of {"citance_number", "citing_paper_id", "raw_text"}',
    "correct it or leave it out",
)


def recognises(start: Start) -> bool:
    """Return whether a path is a topic folder, or a folder of topics."""
    return holds(start, "reference_xml")


def read(path: str | Path, *, summaries: GoldKind = "all") -> Iterator[PendingTopic]:
    """Yield the topics of a path, sorted by name.

    Args:
        path: a topic folder, or a folder of topics.
        summaries: the kinds of gold summary to read.

    Raises:
        InputError: the path cannot be read or has no topics.
        UsageError: an unknown kind of summary.
    """
    if summaries not in get_args(GoldKind):
        kinds = ", ".join(get_args(GoldKind))
        raise UsageError(f"unknown kind of summary {summaries!r}; expected one of {kinds}")
    for files in topic_folders(Path(path), SHAPE):
        yield PendingTopic(files.name, partial(_topic, files, summaries))


def _topic(files: TopicFiles, summaries: GoldKind) -> Topic | BrokenTopic:
    return _SciSummTopic(files, kind=summaries).read()


_LOOKS = "a topic folder with Reference_XML/ and annotation/, or a folder of such"
SCISUMM = Format("scisumm", Reader(recognises, read, ("summaries",), _LOOKS), output="tac")


class _CitingSentence(msgspec.Struct):
    citing_paper_id: str = ""
    citance_number: int | str = ""
    citance_No: int | str = ""  # noqa: N815  # field name in the corpus
    raw_text: str | None = None
    clean_text: str | None = None


@dataclass(slots=True)
class _SciSummTopic(TopicReader):
    """Reads the folder of a CL-SciSumm topic; `kind` names the gold summaries to keep."""

    kind: GoldKind = "all"

    def topic(self) -> Topic:
        """Build the topic; raises the error that breaks it."""
        reference, citing = self._reference(), self._citing()
        citances = tuple(
            self._citance(*group, reference, citing) for group in self.grouped(self._lines())
        )
        if not citances:
            expected = "expected annotation/TOPIC.ann.txt or citing_sentences.json"
            raise InputError(f"no citances; {expected}", self.files.place)
        documents = (reference.document, *(paper.document for paper in citing.values()))
        return self.built(documents, citances, (text for _, text in sorted(self._summaries())))

    def _reference(self) -> Paper:
        papers = {
            PurePosixPath(place).stem: (place, data) for place, data in self._xml("reference_xml")
        }
        if not papers:
            raise InputError(
                "no Reference_XML/*.xml; expected the paper to summarise",
                self.files.place,
            )
        name = self.files.name if self.files.name in papers else next(iter(papers))
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
                self.warnings.append(f"{error}; left out")
            else:
                self.warnings += papers[name].warnings
        return papers

    def _xml(self, part: str) -> Iterator[tuple[str, bytes]]:
        for place, data in self.files.texts(part):
            if place.lower().endswith(".xml"):
                yield place, data
            elif not _BESIDE.fullmatch(PurePosixPath(place).name):
                self.warnings.append(f"{place}: not .xml, skipped")

    def _lines(self) -> Iterator[Line]:
        """Yield the annotations, or else the listed citances."""
        annotations = [
            (place, data)
            for place, data in self.files.texts("annotation")
            if place.lower().endswith(".txt")
        ]
        for place, data in annotations:
            yield from parse_lines(data, place)
        if annotations:
            return
        for place, data in (*self.files.texts(""), *self.files.texts("citance_xml")):
            if place.lower().endswith(".json"):
                yield from _list(data, place)

    def _citance(
        self,
        number: int,
        citing: str,
        lines: Sequence[Line],
        reference: Paper,
        papers: dict[str, Paper],
    ) -> Citance:
        first, name = lines[0], SUFFIX.sub("", citing)
        if len(lines) > 1:
            self.warn(lines[1], f"citance {number} occurs {len(lines)} times; using all")
        paper = papers.get(name)
        if paper is None:
            self.warn(first, f"the citing paper {shown(name)} is missing; using its quoted text")
        spans = [span for line in lines for span in self._spans(line, "Citation", paper)]
        start = min((span.start for span in spans), default=0)
        end = max((span.end for span in spans), default=0)
        if paper and end:
            text = paper.document.text[start:end]
        else:
            text = _untagged(first.text("Citation Text"))
        marker_text = strip_markup(first.fields.get("Citation Marker", ""))
        marker = self._marker(first, marker_text, paper)
        annotations = tuple(self._annotation(line, Span(start, end), reference) for line in lines)
        return Citance(number, name, start, end, text, marker, marker_text, annotations)

    def _annotation(self, line: Line, citation: Span, reference: Paper) -> Annotation:
        annotator = line.fields.get("Annotator", "").strip(" ,")
        if "Reference Offset" not in line.fields and "Reference Text" not in line.fields:
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
            self.warnings.append(f"{error}; left out")
            return ()

    def _spans(self, line: Line, side: str, paper: Paper | None) -> list[Span]:
        """Return the spans of the sentences that an offset field lists; adjacent ones are
        joined.
        """
        if paper is None:
            return []
        key, quoted = f"{side} Offset", line.fields.get(f"{side} Text", "")
        offset = line.fields.get(key, "")
        if offset.startswith("'"):
            self.warn(line, f"the {key} has no brackets")
        if offset in _NONE:
            return self._quoted(line, quoted, paper)
        spans, quoted_words = [], set(words(_untagged(quoted)))
        for item in line.items(key):
            number = whole_number(item)
            if number is None:
                what = f"the {key} {shown(item)} is not the number of a sentence"
                raise line.error(f"{what}, such as '39'")
            span = paper.spans.get(number)
            if span is None:
                self.warn(line, f"{paper.document.id} has no sentence {item}; left out")
                continue
            spans.append(span)
            sentence = set(words(paper.document.text[span.start : span.end]))
            fewest = _SHARED * min(len(quoted_words), len(sentence))
            if len(quoted_words & sentence) < fewest:
                what = f"sentence {item} of {paper.document.id}"
                self.warn(line, f"the quoted sentence differs from {what}")
        return union(spans, _NEWLINE)

    def _quoted(self, line: Line, quoted: str, paper: Paper) -> list[Span]:
        """Return the spans of sentences that a line quotes without their numbers."""
        spans = list[Span]()
        quote = letters_and_digits(_untagged(quoted))
        if not quote:
            return spans
        for span in paper.document.sentences:
            sentence = letters_and_digits(paper.document.text[span.start : span.end])
            if len(sentence) > _SHORTEST and (sentence in quote or quote in sentence):
                spans.append(span)
        if not spans:
            self.warn(line, f"the quoted sentence is not in {paper.document.id}")
        return union(spans, _NEWLINE)

    def _marker(self, line: Line, text: str, paper: Paper | None) -> Span | None:
        """Return the span of the citation marker within the listed sentence."""
        if paper is None or not text or line.fields.get("Citation Marker Offset", "") in _NONE:
            return None
        for item in line.items("Citation Marker Offset"):
            span = paper.spans.get(whole_number(item) or 0)
            place = paper.document.text.find(text, span.start, span.end) if span else -1
            if place >= 0:
                return Span(place, place + len(text))
        return None

    def _summaries(self) -> Iterator[tuple[int, str]]:
        """Yield the requested gold summaries, each with the rank of its kind."""
        seen = set()
        for place, data in self.files.texts("summary"):
            text, recoded = decode_text(data, place)
            require_whole(text, place)
            name = PurePosixPath(place).name.lower()
            marked = "abstract" if "<ABSTRACT" in text else "human"
            marked = "community" if "<COMMUNITY" in text else marked
            kind = next((kind for kind in _KINDS if kind in name), marked)
            text = "\n".join(sentences_of(text)) or _paragraphs(text)
            if "combined" in name or not text or text in seen:
                what = "repeats other summaries" if text else "an empty summary"
                self.warnings.append(f"{place}: {what}, left out")
            elif self.kind in ("all", kind):
                if recoded:
                    self.warnings.append(f"{place}: {recoded}")
                seen.add(text)
                yield _KINDS.index(kind), text


def _list(data: bytes, place: str) -> Iterator[Line]:
    """Yield the citances of `citing_sentences.json` as annotation lines."""
    text = decode(data)[0].removeprefix("\ufeff")
    entries = checked(
        lambda: msgspec.json.decode(text, type=list[_CitingSentence]),
        _EXPECTED,
        place,
    )
    for number, entry in enumerate(entries, 1):
        citance = str(entry.citance_number or entry.citance_No)
        text = (entry.clean_text or "").strip() or (entry.raw_text or "").strip()
        fields = {}
        for key, value in zip(_LISTED, (citance, entry.citing_paper_id, text), strict=True):
            if value.strip():
                fields[key] = value.strip()
        yield Line(place, number, fields)


def _untagged(text: str) -> str:
    return strip_markup(_SENTENCE.sub(" ", text))


def _paragraphs(text: str) -> str:
    lines = re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))
    return "\n".join(line for line in map(strip_markup, lines) if line)
