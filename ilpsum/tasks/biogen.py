"""TREC BioGen: topics of 2024 and 2025, which are questions without documents, and runs, whose
sentences cite PMIDs.

Topics: `{"topics": [{"id": 116, "topic", "question", "narrative"}]}` (2024), a list of such objects
(2025), or one object per line; `ilpsum.answers` attaches documents.

Runs of 2024 are one document:

    {"team_id", "run_name", "contact_email", "results": [{"topic_id", "answer", "references"}, ...]}

In an answer, square brackets contain comma-separated PMIDs, of which the first three count:
`A sentence [32091909,28678410].` A citation is valid only inside a sentence: after its first letter
or digit and before its last `.`, `!` or `?`.

Runs of 2025 are JSON lines:

    {"metadata": {"team_id", "run_id", "topic_id"}, "responses": [RESPONSE, ...]}

where a RESPONSE is `{"text", "citations": [PMID, ...]}`. The limits come from the track's pages and
validator.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec

from features.sentences import split_sentences
from ilpsum.errors import InputError, UsageError
from ilpsum.files.json_text import list_items, read_json_lines
from ilpsum.files.pmids import is_pmid
from ilpsum.files.reading import read_lines
from ilpsum.files.start import Start
from ilpsum.papers.printed import MOST_PMIDS, clean, is_sentence
from ilpsum.records import BrokenTopic, Summary, Topic
from ilpsum.tasks.jsonl import read_entries
from ilpsum.tasks.registry import Format, FormatLimits, Paths, Reader
from ilpsum.tasks.submissions import Answers, Finding, JsonWriter, answers, quoted

WORDS_2024 = 150
"""Maximum words of an answer without citations."""
SENTENCES_2024 = 10
"""Maximum sentences of an answer."""
SAFE_SENTENCES_2024 = 8
"""Maximum sentences selected: the validator's parser splits 2 % of the sentences in two."""
WORDS_2025 = 250
"""Maximum words of all responses to a topic together."""
EXAMPLE_EMAIL = "contact@example.org"
"""Default contact address, which the track requires; the check warns about it."""

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_BRACKET = re.compile(r"(?<!\s)\s*\[([^\[\]]*)\]")
_CITED = re.compile(r"\[\s*\d+(?:\s*,\s*\d+)*\s*\]")
_STOP = re.compile(r"[.!?]+")
# Approximates spaCy's tokens without punctuation: numbers, words (split at hyphens and slashes) and
# `can|not`; `count_words` adds single symbols.
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[Cc]an(?=not\b)|[^\W\d_]+")
_NO_LETTER = re.compile(r"[\W_]+")

_EXPECTED = 'an object with "id" and "question"', "correct this topic"
_NotBlank = Annotated[str, msgspec.Meta(pattern=r"\S")]


class _Question(msgspec.Struct):
    id: int | _NotBlank
    question: _NotBlank
    topic: str | None = None


def recognises(start: Start) -> bool:
    """Return whether a file starts like BioGen topics."""
    begin = start.text
    return begin[:1] in ("{", "[") and '"question"' in begin and '"narrative"' in begin


def read(path: str | Path) -> Iterator[Topic | BrokenTopic]:
    """Yield the topics of a file, in file order; the question is the query, the field "topic" the
    subject.
    """
    start = Start.of(path)
    entries: Iterable[tuple[int, Any]]
    if start.text.startswith("{") and "question" in start.record:
        entries = read_json_lines(path)
    else:
        entries = list_items(path, "topics", '{"topics": [...]}, a list, or one object per line')
    return read_entries(entries, path, _EXPECTED, _topic)


def _topic(value: Any) -> Topic:
    entry = msgspec.convert(value, _Question)
    return Topic(
        str(entry.id).strip(),
        query=" ".join(entry.question.split()),
        subject=" ".join((entry.topic or "").split()),
    )


@dataclass(frozen=True, slots=True)
class Citation:
    """A bracketed citation in an answer of 2024: its comma-separated strings, and the offset of its
    opening bracket.

    It is discarded unless it is `valid`, that is, inside a sentence.
    """

    entries: tuple[str, ...]
    start: int
    valid: bool


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """A parsed answer: its text without citations, its number of sentences, and its citations, in
    order.
    """

    text: str
    sentences: int
    citations: tuple[Citation, ...]


def parse(answer: str) -> CitedAnswer:
    """Parse an answer; unbalanced brackets are kept in the text.

    >>> for citation in parse("Newts sing [12,7]. Toads hum. [9]").citations:
    ...     print(citation)
    Citation(entries=('12', '7'), start=11, valid=True)
    Citation(entries=('9',), start=30, valid=False)
    """
    text = _BRACKET.sub("", answer)
    spans = split_sentences(text)
    citations, removed = [], 0
    for match in _BRACKET.finditer(answer):
        offset = match.start() - removed
        removed += match.end() - match.start()
        entries = tuple(entry.strip() for entry in match[1].split(","))
        start = match.start() + match[0].index("[")
        citations.append(Citation(entries, start, _is_enclosed(text, spans, offset)))
    return CitedAnswer(text, len(spans), tuple(citations))


def _is_enclosed(text: str, spans: Sequence[tuple[int, int]], offset: int) -> bool:
    for start, end in spans:
        if start < offset <= end and _NO_LETTER.fullmatch(text[start:offset]) is None:
            return offset <= max(text.rfind(stop, start, end) for stop in ".!?")
    return False


def count_words(text: str) -> int:
    """Estimate the 2024 validator's word count (spaCy tokens without punctuation), erring on the
    high side.
    """
    symbols = sum(not c.isalnum() and unicodedata.category(c).startswith("S") for c in text)
    return len(_TOKEN.findall(text)) + symbols


def cite(sentence: str, pmids: Sequence[str]) -> str:
    """Insert a citation into a clean sentence, before its final punctuation.

    No space precedes the bracket: after a space, the validator's parser often starts a new
    sentence, `[12].`, and discards the citation (experiments/results/biogen.md).
    """
    if not pmids:
        return sentence
    last = list(_STOP.finditer(sentence))[-1].start()
    return f"{sentence[:last].rstrip()}[{','.join(pmids[:MOST_PMIDS])}]{sentence[last:]}"


def _printed_words(text: str) -> int:
    return count_words(clean(text))


def _is_one_sentence(text: str) -> bool:
    """Whether a candidate prints as exactly one sentence."""
    return is_sentence(text) and len(split_sentences(clean(text))) == 1


class _Writer(JsonWriter):
    """Writes summaries with responses, as returned by `ilpsum.pipeline.text.with_citations`."""

    @property
    def team(self) -> str:
        """The run's name without the final digit, the run number."""
        return self.name[:-1] if self.name[1:] and self.name[-1].isdecimal() else self.name

    def require(self, summary: Summary) -> None:
        """Raise `InputError` for a sentence without citations, or one of what is no PMID."""
        if len(summary.responses) != len(summary.sentences):
            raise InputError(
                f"topic {summary.topic}: sentences without citations; expected PMIDs for each"
            )
        for pmid in _cited(summary):
            if not is_pmid(pmid):
                what = "answers cite PMIDs, so the ids of documents must be PMIDs"
                message = f"the document {pmid!r} is not a PMID; {what}"
                raise InputError(f"topic {summary.topic}: {message}")


def _cited(summary: Summary) -> list[str]:
    """Return the distinct PMIDs that a summary cites, in order."""
    pmids = (pmid for response in summary.responses for pmid in response.pmids)
    return list(dict.fromkeys(pmids))


class Writer2024(_Writer):
    """Writes OUT/NAME.json."""

    suffix = ".json"

    def __init__(self, name: str, contact_email: str | None = None) -> None:
        super().__init__(name)
        email = EXAMPLE_EMAIL if contact_email is None else contact_email
        if not _EMAIL.fullmatch(email):
            raise UsageError(f"run.contact_email: expected an e-mail address, got {email!r}")
        head = {"team_id": self.team, "run_name": name, "contact_email": email}
        self.frame = json.dumps(head, ensure_ascii=False)[:-1] + ', "results": ', "}"

    def fields(self, summary: Summary) -> dict[str, Any]:
        """Return the answer."""
        text = " ".join(cite(response.text, response.pmids) for response in summary.responses)
        return {"topic_id": summary.topic, "answer": text, "references": _cited(summary)}


class Writer2025(_Writer):
    """Writes OUT/NAME.jsonl."""

    def fields(self, summary: Summary) -> dict[str, Any]:
        """Return the answer."""
        metadata = {"team_id": self.team, "run_id": self.name, "topic_id": summary.topic}
        responses = [
            {"text": response.text, "citations": list(response.pmids)}
            for response in summary.responses
        ]
        return {"metadata": metadata, "responses": responses}


class _Result(msgspec.Struct):
    topic_id: _NotBlank
    answer: str
    references: list[str]


def _texts_2024(path: Path) -> Iterator[tuple[str, str, str]]:
    for result in answers(path, _Result, "results"):
        yield result.topic_id, parse(result.answer).text, ""


def check_2024(
    path: Path,
    *,
    topics: Paths | None = None,
    pmids: Path | None = None,
) -> list[Finding]:
    """Return the errors and warnings of a 2024 run.

    An answer to an unknown topic is an error, an unanswered topic a warning. Arguments and
    exceptions as for `Format.check`.
    """
    findings = Answers(path, topics, pmids)
    for result in findings.records(_Result, "results"):
        findings.answered(result.topic_id)
        _check_pmids(result.references, '"references"', findings)
        answer = parse(result.answer)
        cited: dict[str, None] = {}
        for citation in answer.citations:
            if citation.valid:
                cited |= dict.fromkeys(citation.entries[:MOST_PMIDS])
        for citation in answer.citations:
            _check_citation(citation, cited, findings)
        for pmid in cited:
            if pmid not in result.references:
                findings.add(f'{pmid} is cited but missing from "references"')
        for pmid in dict.fromkeys(result.references):
            if pmid not in cited:
                findings.add(f'{pmid} is in "references" but no valid citation names it')
        _check_text(answer, findings)
    _check_head(findings)
    return findings.all()


def _check_head(findings: Answers) -> None:
    for key in ("team_id", "run_name", "contact_email"):
        value = findings.members.get(key)
        places = (line for line, data in read_lines(findings.path) if key.encode() in data)
        findings.place = str(next(places, ""))
        if not isinstance(value, str) or not value.strip():
            findings.add(f'expected a non-empty string as "{key}"')
        elif key == "contact_email" and not _EMAIL.fullmatch(value.strip()):
            findings.add(f'expected an e-mail address as "contact_email", got {quoted(value)}')
        elif value == EXAMPLE_EMAIL:
            advice = "give yours: --set run.contact_email=..."
            findings.add(f'"contact_email" is the example {value}; {advice}', warning=True)


def _check_text(answer: CitedAnswer, findings: Answers) -> None:
    if "[" in answer.text or "]" in answer.text:
        findings.add("unbalanced square bracket in the answer")
    words = len(answer.text.split())
    findings.limit("the answer", words, "words", WORDS_2024)
    findings.limit("the answer", answer.sentences, "sentences", SENTENCES_2024)
    counted = count_words(answer.text)
    if words <= WORDS_2024 < counted:
        what = f"the validator may count up to {counted} words; at most {WORDS_2024} are allowed"
        findings.add(what, warning=True)
    if SAFE_SENTENCES_2024 < answer.sentences <= SENTENCES_2024:
        what = f"the validator may count more than {answer.sentences} sentences"
        findings.add(f"{what}; at most {SENTENCES_2024} are allowed", warning=True)
    if not words:
        findings.add("empty answer", warning=True)


def _check_citation(citation: Citation, cited: Collection[str], findings: Answers) -> None:
    """Check a citation; `cited` has the PMIDs of the citations that count.

    The rules discard a citation outside a sentence, which is a fault only if a PMID in it is cited
    nowhere else.
    """
    text = quoted(f"[{','.join(citation.entries)}]")
    where = f"{text} at character {citation.start + 1} of the answer"
    if not all(map(is_pmid, citation.entries)):
        findings.add(f"{where}: expected comma-separated PMIDs in square brackets")
        return
    if not citation.valid:
        findings.add(
            f"{where} is discarded: a citation must be inside its sentence, before the final "
            "punctuation",
            warning=all(pmid in cited for pmid in citation.entries),
        )
    if len(citation.entries) > MOST_PMIDS:
        findings.add(f"{where}: only the first {MOST_PMIDS} count", warning=True)
    for pmid in citation.entries:
        findings.released(pmid, f"{where}: ")


def _check_pmids(entries: list[str], where: str, findings: Answers) -> None:
    for entry, count in Counter(entries).items():
        if not is_pmid(entry):
            findings.add(f"{where}: {quoted(entry)} is not a PMID (1 to 8 digits, the first not 0)")
        elif count > 1:
            findings.add(f"{where}: {entry} appears {count} times")
        else:
            findings.released(entry, f"{where}: ")


class _Metadata(msgspec.Struct):
    team_id: _NotBlank
    run_id: _NotBlank
    topic_id: int | _NotBlank


class _Response(msgspec.Struct):
    text: _NotBlank
    citations: list[int | str]


class _Responses(msgspec.Struct):
    metadata: _Metadata
    responses: list[_Response]


def _texts_2025(path: Path) -> Iterator[tuple[str, str, str]]:
    for answer in answers(path, _Responses):
        text = " ".join(response.text for response in answer.responses)
        yield str(answer.metadata.topic_id), text, ""


def check_2025(
    path: Path,
    *,
    topics: Paths | None = None,
    pmids: Path | None = None,
) -> list[Finding]:
    """Return the errors and warnings of a 2025 run; arguments and exceptions as for
    `check_2024`.
    """
    findings = Answers(path, topics, pmids)
    first: tuple[str, str] | None = None
    for answer in findings.records(_Responses):
        findings.answered(str(answer.metadata.topic_id))
        run = answer.metadata.team_id, answer.metadata.run_id
        first = first or run
        if run != first:
            findings.add(f"the team and run {run} after {first}; expected one run a file")
        words = 0
        for number, response in enumerate(answer.responses, 1):
            _check_response(response, f"response {number}", findings)
            words += len(response.text.split())
        findings.limit("the answer", words, "words", WORDS_2025)
        if not words:
            findings.add("empty answer", warning=True)
    return findings.all()


def _check_response(response: _Response, where: str, findings: Answers) -> None:
    _check_pmids(list(map(str, response.citations)), where, findings)
    findings.limit(where, len(response.citations), "citations", MOST_PMIDS)
    if not response.citations:
        findings.add(f"{where}: no citations", warning=True)
    if _CITED.search(response.text):
        findings.add(f'{where}: PMIDs in the text; put them in "citations"', warning=True)


TOPICS = Format(
    "biogen",
    Reader(
        recognises,
        read,
        looks='.json of topics with "question" and "narrative"',
        searched=True,
    ),
    output="biogen-2025",
)
OF_2024 = Format(
    "biogen-2024",
    writer=Writer2024,
    texts=_texts_2024,
    checker=check_2024,
    limits=FormatLimits(
        words=WORDS_2024,
        sentences=SAFE_SENTENCES_2024,
        count=_printed_words,
        count_limit=WORDS_2024,
        allows=_is_one_sentence,
    ),
    cites=True,
)
OF_2025 = Format(
    "biogen-2025",
    writer=Writer2025,
    texts=_texts_2025,
    checker=check_2025,
    limits=FormatLimits(words=WORDS_2025, allows=is_sentence),
    cites=True,
)
