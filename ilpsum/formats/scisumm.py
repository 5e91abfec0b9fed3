"""Read CL-SciSumm: a reference paper, the papers that cite it, and the reference sentences that each citance cites.

A topic is a folder `C00-2123/{Reference_XML,Citance_XML,annotation,summary}`; the input path is a topic, a folder of
topics, or a `.tar.gz` of either. A document's text is the sentences of the XML joined by newlines, with boundaries and
sections. Annotations refer to sentences by number; they become character spans. Citances come from
`annotation/*.ann*.txt`, else from `citing_sentences.json` (in Citance_XML or in the topic's folder). The gold
annotations (reference offsets, facets, summaries) may be missing.

The data are irregular, so this reader is more tolerant than TAC's and reports oddities as the topic's warnings. These
break a topic: no reference paper, or one without sentences; no citances; a line that is not an annotation, repeats a
field, or lacks the citance's number, citing article or text; a malformed number; a citing article that is not a plain
name; one citance number for two citing papers; NUL bytes; a file that cannot be read (see `ilpsum.files.folders`).

There are three kinds of gold summary, in this order: `abstract`, the paper's own; `community`, the cited sentences that
annotators chose; `human`, written by an annotator.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import get_args

import msgspec

from features.text import words
from ilpsum.errors import InputError, UsageError
from ilpsum.files.folders import Shape, TopicFiles, holds, topic_folders
from ilpsum.files.reading import decode, decode_text
from ilpsum.files.records import checked
from ilpsum.formats import GoldKind
from ilpsum.formats.annotation import Line, folded, parse_lines, shown, topic_of
from ilpsum.formats.paper_xml import Paper, parse_paper, plain, sentences_of
from ilpsum.records import Annotation, BrokenTopic, Citance, Facet, PendingTopic, Span, Topic

_BESIDE = re.compile(r"citing_sentences.*\.json", re.IGNORECASE)
SHAPE = Shape(frozenset({"reference_xml", "citance_xml", "annotation", "summary"}), _BESIDE)
_SENTENCE = re.compile(r"<S\s[^<>]*>|</S>")
_NONE = ("", "NA", "0")
_KINDS = ("abstract", "community", "human")
# Minimum length, in letters and digits, of a sentence that is searched for in quotes.
_SHORTEST = 20
# Minimum word overlap, relative to the shorter text, of a sentence and its quote (their texts are different scans).
_SHARED = 0.5
_EXPECTED = 'a list of {"citance_number", "citing_paper_id", "raw_text"}', "correct it or leave it out"

OPTIONS: tuple[str, ...] = ("summaries",)


def recognises(path: Path) -> bool:
    """Return whether a path is a topic folder, or a folder or archive of topics."""
    return holds(path, "reference_xml")


def read(path: str | Path, *, summaries: GoldKind = "all") -> Iterator[PendingTopic]:
    """Yield the topics of a path, sorted by name; topics of an archive in its order.

    Args:
        path: a topic folder, a folder of topics, or an archive of either; `-` is an archive on standard input.
        summaries: the kinds of gold summary to read.

    Raises:
        InputError: the path cannot be read or has no topics.
        UsageError: an unknown kind of summary.
    """
    if summaries not in get_args(GoldKind):
        raise UsageError(f"unknown kind of summary {summaries!r}; expected one of {', '.join(get_args(GoldKind))}")
    for files in topic_folders(Path(path), SHAPE):
        yield PendingTopic(files.name, partial(_topic, files, summaries))


def _topic(files: TopicFiles, summaries: GoldKind) -> Topic | BrokenTopic:
    return topic_of(files, lambda read: _SciSummTopic(read, summaries).topic())


class _CitingSentence(msgspec.Struct):
    citing_paper_id: str = ""
    citance_number: int | str = ""
    citance_No: int | str = ""  # noqa: N815  # field name in the corpus
    raw_text: str | None = None
    clean_text: str | None = None


@dataclass(slots=True)
class _SciSummTopic:
    files: TopicFiles
    kind: GoldKind
    warnings: list[str] = field(default_factory=list)

    def topic(self) -> Topic:
        """Return the topic, or raise the error that breaks it."""
        self.warnings += self.files.warnings
        reference = self._reference()
        citing = self._citing()
        groups: dict[int, list[Line]] = {}
        for line in self._lines():
            groups.setdefault(line.integer("Citance Number"), []).append(line)
        if not groups:
            expected = "expected annotation/TOPIC.ann.txt or citing_sentences.json"
            raise InputError(f"no citances; {expected}", self.files.place)
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
            raise InputError("no Reference_XML/*.xml; expected the paper to summarise", self.files.place)
        name = self.files.name if self.files.name in papers else next(iter(papers))
        if len(papers) > 1:
            self.warnings.append(f"{self.files.place}: several reference papers; using {name}")
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
        """Yield the annotations from the preferred kind of file that is present."""
        annotations = list(self.files.texts("annotation"))
        beside = [*self.files.texts(""), *self.files.texts("citance_xml")]
        kinds = ((annotations, ".txt", parse_lines), (beside, ".json", _list))
        for files, ending, parse in kinds:
            chosen = [(place, data) for place, data in files if place.lower().endswith(ending)]
            for place, data in chosen:
                yield from parse(data, place)
            if chosen:
                return

    def _citance(self, number: int, lines: Sequence[Line], reference: Paper, citing: dict[str, Paper]) -> Citance:
        first = lines[0]
        name = _stem(first.name("Citing Article"))
        for line in lines[1:]:
            if (other := _stem(line.name("Citing Article"))) != name:
                where = f"line {first.number} says {shown(name)}"
                raise line.error(f"citance {number} is in {shown(other)}, but {where}; number each citance once")
        if len(lines) > 1:
            self.warnings.append(lines[1].warning(f"citance {number} occurs {len(lines)} times; using all"))
        paper = citing.get(name)
        if paper is None:
            self.warnings.append(first.warning(f"the citing paper {shown(name)} is missing; using its quoted text"))
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
        """Return the spans of the sentences that an offset field lists; adjacent ones are joined."""
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
                raise line.error(f"the {key} {shown(item)} is not the number of a sentence, such as '39'")
            span = paper.spans.get(int(item))
            if span is None:
                self.warnings.append(line.warning(f"{paper.document.id} has no sentence {item}; left out"))
            else:
                found.append(span)
        said = set(words(_untagged(quoted)))
        for span in found:
            there = set(words(paper.document.text[span.start : span.end]))
            if len(said & there) < _SHARED * min(len(said), len(there)):
                message = f"the quoted sentence differs from {paper.document.id} at {span.start}-{span.end}"
                self.warnings.append(line.warning(message))
        return _joined(found)

    def _quoted(self, line: Line, quoted: str, paper: Paper) -> list[Span]:
        """Return the spans of sentences that a line quotes without their numbers."""
        said = folded(_untagged(quoted))
        text = paper.document.text
        whole = ((span, folded(text[span.start : span.end])) for span in paper.document.sentences)
        long = ((span, sentence) for span, sentence in whole if said and len(sentence) > _SHORTEST)
        found = [span for span, sentence in long if sentence in said or said in sentence]
        if said and not found:
            self.warnings.append(line.warning(f"the quoted sentence is not in {paper.document.id}"))
        return _joined(found)

    def _marker(self, line: Line, text: str, paper: Paper | None) -> Span | None:
        """Return the span of the citation marker within the listed sentence."""
        if paper is None or not text or line.fields.get("Citation Marker Offset", "") in _NONE:
            return None
        for item in line.items("Citation Marker Offset"):
            span = paper.spans.get(int(item)) if re.fullmatch("[0-9]{1,9}", item) else None
            place = paper.document.text.find(text, span.start, span.end) if span else -1
            if place >= 0:
                return Span(place, place + len(text))
        return None

    def _summaries(self) -> Iterator[tuple[int, str]]:
        """Yield the requested gold summaries, each with the rank of its kind."""
        seen = set()
        for place, data in self.files.texts("summary"):
            text, recoded = decode_text(data, place)
            kind = _kind(PurePosixPath(place).name, text)
            if not kind:
                self.warnings.append(f"{place}: repeats the other summaries, skipped")
                continue
            if self.kind not in ("all", kind):
                continue
            if recoded:
                self.warnings.append(f"{place}: {recoded}")
            text = "\n".join(sentences_of(text)) or _paragraphs(text)
            if not text or text in seen:
                self.warnings.append(f"{place}: {'a repeated' if text else 'an empty'} summary, left out")
                continue
            seen.add(text)
            yield _KINDS.index(kind), text


def _kind(name: str, text: str) -> str:
    """Return the kind of a summary, by file name or else by text; empty for a file that combines all three."""
    lower = name.lower()
    if "combined" in lower:
        return ""
    by_text = "community" if "<COMMUNITY" in text else "abstract" if "<ABSTRACT" in text else "human"
    return next((kind for kind in _KINDS if kind in lower), by_text)


def _list(data: bytes, place: str) -> Iterator[Line]:
    """Yield the citances of `citing_sentences.json` as annotation lines."""
    text = decode(data)[0].removeprefix("\ufeff")
    entries = checked(lambda: msgspec.json.decode(text, type=list[_CitingSentence]), _EXPECTED, place)
    for number, entry in enumerate(entries, 1):
        named = {
            "Citance Number": str(entry.citance_number or entry.citance_No),
            "Citing Article": entry.citing_paper_id,
            "Citation Text": (entry.clean_text or "").strip() or entry.raw_text or "",
        }
        yield Line(place, number, {key: value.strip() for key, value in named.items() if value.strip()})


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Sort spans and join neighbours (one newline apart)."""
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
