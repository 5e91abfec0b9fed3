"""BioASQ Task B: topics from the official JSON of questions, `.gz` or not, and submissions of ideal
answers.

The pool determines a question's documents:

- `snippets`: each gold snippet is a document, in the file's order;
- `merged`: one document per PMID, in ascending order (independent of the gold standard), with the
  title's snippets first, then the other sections by name, snippets by offset, overlaps merged;
- `abstracts`: title and abstract of each listed document that is in the given files, in the
  question's order;
- `searched`: none; `ilpsum.answers` attaches the documents that a search finds.

The ideal answers are the gold summaries, the expert's first; factoid and list questions also have
exact answers. Titles are part of the document texts.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path
from typing import Annotated, Any, get_args

import msgspec

from ilpsum.errors import InputError, UsageError, counted
from ilpsum.files.json_text import list_items
from ilpsum.files.records import checked
from ilpsum.files.start import Start
from ilpsum.literature import intake, pubmed
from ilpsum.literature.filtering import quotable
from ilpsum.literature.markup import PARAGRAPH, without_markup
from ilpsum.papers.headings import is_abstract_label
from ilpsum.records import BrokenTopic, Document, Section, Summary, Topic
from ilpsum.tasks import Pool, paths
from ilpsum.tasks.jsonl import read_entries
from ilpsum.tasks.registry import Format, FormatLimits, Paths, Reader
from ilpsum.tasks.submissions import Answers, Finding, JsonWriter, answers

WORDS = 200
"""Maximum words of an ideal answer."""

# A line break within a sentence: the next line starts neither a sentence nor a heading.
_WRAPPED = re.compile(r"(?<!\s)(?=[^\S\n]*+\n)\s++(?=[a-z(\[,;])")
_NUMBER = re.compile(r"\d+")
# Numbers are sorted as texts of so many digits.
_MOST_DIGITS = 18

_EXPECTED = 'a question with "id" and "body"', "correct it"


class _Snippet(msgspec.Struct, rename="camel"):
    """A gold snippet: a quoted passage of a section.

    Its offsets in the section are often slightly wrong.
    """

    document: str
    text: str
    begin_section: str | None = None
    offset_in_begin_section: Any = None
    offset_in_end_section: Any = None

    def __post_init__(self) -> None:
        if not self.pmid:
            raise ValueError('"document" must be the URL of its document')

    @property
    def pmid(self) -> str:
        """The document's PMID, or the last part of its URL (for a PMC article)."""
        return pubmed.pmid_of(self.document) or self.document.strip().rstrip("/").rpartition("/")[2]

    @property
    def section(self) -> str:
        """`title`, `abstract` or `sections.N`."""
        return self.begin_section or "abstract"

    @property
    def passage(self) -> tuple[int, int, str]:
        """Start and end in the section, and the text with the line breaks of sentences removed."""
        offsets = (self.offset_in_begin_section, self.offset_in_end_section)
        start, end = (offset if isinstance(offset, int) else 0 for offset in offsets)
        return start, max(start, end), _WRAPPED.sub(" ", self.text).strip()

    @property
    def order(self) -> tuple[object, ...]:
        """Key that sorts PMIDs ascending, then other documents; the title before other sections;
        then by offset.
        """
        pmid, (start, end, _) = self.pmid, self.passage
        is_other = not pmid.isdecimal()
        document = pmid if is_other else pmid.zfill(_MOST_DIGITS)
        # sections.2 sorts before sections.10.
        section = _NUMBER.sub(lambda number: number[0].zfill(_MOST_DIGITS), self.section)
        return is_other, document, self.section != "title", section, start, -end


class _Question(msgspec.Struct):
    """A question of a BioASQ file."""

    id: Annotated[str, msgspec.Meta(pattern=r"\S")]
    body: str | None = None
    type: str | None = None
    documents: list[str] | None = None
    snippets: list[_Snippet] | None = None
    ideal_answer: str | list[str] | None = None
    exact_answer: Any = None

    def __post_init__(self) -> None:
        # Refuses an exact answer of another form.
        tuple(self.exact)

    @property
    def marked(self) -> list[_Snippet]:
        """The snippets that have text."""
        return [snippet for snippet in self.snippets or () if snippet.text.strip()]

    @property
    def relevant(self) -> tuple[str, ...]:
        """The distinct PMIDs of the listed documents."""
        pmids = dict.fromkeys(map(pubmed.pmid_of, self.documents or ()))
        return tuple(filter(None, pmids))

    @property
    def ideal(self) -> tuple[str, ...]:
        """The ideal answers, the expert's first."""
        ideal = self.ideal_answer or ""
        answers = ideal if isinstance(ideal, list) else [ideal]
        return tuple(filter(None, map(str.strip, answers)))

    @property
    def exact(self) -> tuple[tuple[str, ...], ...]:
        """The items of the exact answer, each a tuple of synonyms.

        All texts of a factoid question are synonyms of one item; each entry of a list question is
        an item.
        """
        if self.exact_answer is None or self.type not in ("factoid", "list"):
            return ()
        is_list = self.type == "list" and isinstance(self.exact_answer, list)
        entries = self.exact_answer if is_list else [self.exact_answer]
        return tuple(filter(None, (tuple(_texts(entry)) for entry in entries)))


def _texts(value: object) -> Iterator[str]:
    """Yield the texts in nested lists; numbers become texts."""
    if isinstance(value, list):
        for entry in value:
            yield from _texts(entry)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        if text := str(value).strip():
            yield text
    elif value is not None:
        raise ValueError('"exact_answer" must be a text, or lists of texts')


def recognises(start: Start) -> bool:
    """Return whether a file starts like the official JSON."""
    begin = start.text
    return begin.startswith("{") and '"questions"' in begin


def read(
    path: str | Path,
    *,
    pool: Pool = "snippets",
    answers: str | Path | Sequence[str | Path] = (),
    documents: str | Path | Sequence[str | Path] = (),
    retracted: bool = False,
    problems: Sequence[str] = (),
) -> Iterator[Topic | BrokenTopic]:
    """Yield the questions of a file as topics, lazily, in file order.

    Args:
        path: official JSON, `{"questions": [...]}`; `-` is standard input.
        pool: how a question's documents are chosen.
        answers: official JSON files whose ideal and exact answers are joined by id to questions
            that lack them.
        documents: abstract files for the pool `abstracts` (`ilpsum.literature.abstracts`).
        retracted: whether to keep retracted abstracts.
        problems: warnings about the folders that the abstract files were found in.

    Yields:
        A topic per question; without snippets or abstracts it has no documents. The first topic
        carries the warnings about the abstract files.

    Raises:
        UsageError: an unknown pool, or not both the pool `abstracts` and documents.
        InputError: a file that cannot be read or has no questions.
    """
    if pool not in get_args(Pool):
        raise UsageError(f"unknown pool {pool!r}; expected one of {', '.join(get_args(Pool))}")
    if pool == "abstracts" and not documents:
        raise UsageError("the pool abstracts needs files of abstracts; name them with --documents")
    if documents and pool != "abstracts":
        raise UsageError(
            f"the pool {pool} reads no --documents; name --pool abstracts, which reads those of "
            "each question, or --pool searched"
        )
    answered = {question.id.strip(): question for question in _answers(paths(answers))}
    texts: dict[str, Document] = {}
    about_files = list(problems)
    if pool == "abstracts":
        texts, told = _abstracts(path, paths(documents))
        about_files += told
    make = partial(_topic, pool=pool, answered=answered, texts=texts)
    for topic in read_entries(questions(path), path, _EXPECTED, make):
        if isinstance(topic, Topic):
            quoted, notes = quotable(topic.documents, retracted=retracted)
            topic = replace(
                topic,
                documents=quoted,
                warnings=(*about_files, *notes),
            )
            about_files.clear()
        yield topic


def questions(path: str | Path) -> Iterator[tuple[int, Any]]:
    """Yield the questions of a file with their lines, decoded but not validated; `InputError` if it
    has no list of questions.
    """
    return list_items(path, "questions", 'BioASQ JSON {"questions": [...]}')


def _merge(pieces: Sequence[_Snippet]) -> Iterator[Document]:
    """Yield the pool `merged`: one document per PMID, in ascending order, with the text that its
    snippets cover.

    Non-overlapping snippets of a section become paragraphs.
    """
    in_order = sorted(pieces, key=lambda piece: piece.order)
    for pmid, of_document in groupby(in_order, key=lambda piece: piece.pmid):
        text, sections = "", list[Section]()
        for name, parts in groupby(of_document, key=lambda piece: piece.section):
            body = _clean("\n".join(join_overlapping(part.passage for part in parts)))
            start = len(text) + bool(text)
            text = f"{text}\n{body}" if text else body
            sections += _sections(body, name, start)
        yield Document(
            pmid,
            text,
            role="merged",
            source=pmid,
            sections=tuple(sections),
        )


def join_overlapping(pieces: Iterable[tuple[int, int, str]]) -> list[str]:
    """Merge overlapping passages, given as (start, end, text) by start and descending end, into
    stretches of text.

    Offsets decide what overlaps, as the pool `merged` is defined; where they are wrong, an overlap
    is cut a few letters early or late (experiments/results/tried.md). A passage within the
    preceding stretch is dropped; one that extends it is appended from the stretch's end on, after a
    space unless the overlapping letters match.

    >>> join_overlapping([(0, 20, "The mice were given "), (9, 28, "were given the drug"), (40, 50,
    ...     "They slept")])
    ['The mice were given the drug', 'They slept']
    """
    stretches: list[str] = []
    end = -1
    for start, stop, text in pieces:
        if not stretches or start >= end:
            stretches.append(text)
        elif stop > end:
            overlap, before = end - start, stretches[-1]
            seam = "" if before.endswith(text[:overlap]) else " "
            stretches[-1] = before + seam + text[overlap:]
        end = max(end, stop)
    return stretches


def _sections(text: str, name: str, offset: int = 0) -> list[Section]:
    """Split a section at lines that are labels of a structured abstract; the labels become section
    titles.
    """
    kind = "title" if name == "title" else "abstract"
    starts, position = [(0, "")], 0
    for line in text.split("\n"):
        if kind == "abstract" and is_abstract_label(line):
            starts.append((position, line.strip()))
        position += len(line) + 1
    sections = list[Section]()
    for (start, title), (end, _) in pairwise([*starts, (len(text), "")]):
        if start < end:
            sections.append(Section(title, kind, offset + start, offset + end))
    return sections


def _topic(
    value: Any,
    pool: Pool,
    answered: dict[str, _Question],
    texts: dict[str, Document],
) -> Topic:
    question = msgspec.convert(value, _Question)
    if question.body is None:
        raise KeyError("body")
    name = question.id.strip()
    other = answered.get(name, question)
    marked = dict.fromkeys(_clean(snippet.text) for snippet in question.marked)
    query = " ".join(question.body.split())
    documents = tuple(_documents(question, pool, texts))
    return Topic(
        name,
        query,
        documents,
        summaries=question.ideal or other.ideal,
        kind=question.type or "",
        answers=question.exact or other.exact,
        relevant=question.relevant,
        snippets=tuple(marked),
    )


def _documents(question: _Question, pool: Pool, texts: dict[str, Document]) -> Iterator[Document]:
    if pool == "abstracts":
        yield from (texts[pmid] for pmid in question.relevant if pmid in texts)
    elif pool == "merged":
        yield from _merge(question.marked)
    elif pool == "snippets":
        counted = Counter[str]()
        for piece in question.marked:
            pmid, text = piece.pmid, _clean(piece.passage[-1])
            counted[pmid] += 1
            name, sections = f"{pmid}-{counted[pmid]}", tuple(_sections(text, piece.section))
            yield Document(
                name,
                text,
                role="snippet",
                source=pmid,
                sections=sections,
            )


def _clean(text: str) -> str:
    """Return a passage without markup and entities; the offsets of snippets count them."""
    return without_markup(text).replace(PARAGRAPH, "\n").strip()


def _answers(files: Sequence[str | Path]) -> Iterator[_Question]:
    for file in files:
        for line, value in questions(file):
            yield checked(partial(msgspec.convert, value, _Question), _EXPECTED, file, line)


def _abstracts(
    path: str | Path,
    files: Sequence[str | Path],
) -> tuple[dict[str, Document], list[str]]:
    """Return the abstracts in `files` that the questions of `path` list, by PMID, and warnings
    about the files.
    """
    if str(path) == "-":
        raise UsageError(
            "the pool abstracts reads the questions twice, so they cannot come from standard input"
        )
    wanted = set[str]()
    for _, value in questions(path):
        urls = value.get("documents") if isinstance(value, dict) else None
        wanted.update(map(pubmed.pmid_of, urls if isinstance(urls, list) else ()))
    texts: dict[str, Document] = {}
    problems = list[str]()
    for file in files:
        try:
            for record in intake.read(file, titles=True):
                problems += (f"{Path(file).name}: {problem}" for problem in record.problems)
                document = record.document
                if document and document.id in wanted and document.text:
                    texts.setdefault(document.id, document)
        except InputError as error:
            problems.append(intake.left_out(file, error))
    return texts, problems


class BioasqWriter(JsonWriter):
    """Writes OUT/NAME.json: `{"questions": [{"id", "ideal_answer"}]}`, in the order of writing."""

    suffix = ".json"
    frame = '{"questions": ', "}"

    def fields(self, summary: Summary) -> dict[str, Any]:
        """Return the answer."""
        return {"id": summary.topic, "ideal_answer": " ".join(summary.text.split())}


class _Answer(msgspec.Struct):
    id: Annotated[str, msgspec.Meta(min_length=1)]
    ideal_answer: str | list[str] | msgspec.UnsetType = msgspec.UNSET
    exact_answer: str | list[Any] | None = None

    @property
    def ideal(self) -> list[str]:
        """The ideal answers, the first of which counts; empty if there are none."""
        if isinstance(self.ideal_answer, list):
            return self.ideal_answer
        return [] if self.ideal_answer is msgspec.UNSET else [self.ideal_answer]


def texts(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield topic, text and warning of each ideal answer of a submission; `InputError` if one is
    damaged.
    """
    for answer in answers(path, _Answer, "questions"):
        text = "".join(answer.ideal[:1])
        yield answer.id, text, "" if text else "no ideal_answer"


def check(path: Path, *, topics: Paths | None = None) -> list[Finding]:
    """Return the errors and warnings of a submission; arguments and exceptions as for
    `Format.check`.
    """
    findings = Answers(path, topics, noun="question")
    exact = 0
    for answer in findings.records(_Answer, "questions"):
        findings.answered(answer.id)
        has_exact = answer.exact_answer is not None
        exact += has_exact
        if not answer.ideal and not (has_exact and answer.ideal_answer is msgspec.UNSET):
            findings.add('expected a text or a list of texts as "ideal_answer"')
        for text in answer.ideal:
            words = len(text.split())
            findings.limit("the ideal answer", words, "words", WORDS)
            if not words:
                findings.add("empty ideal answer", warning=True)
    findings.place = ""
    if exact:
        what = f"{counted(exact, 'exact answer')} not checked: this checks ideal answers only"
        findings.add(what, warning=True)
    return findings.all()


BIOASQ = Format(
    "bioasq",
    Reader(
        recognises,
        read,
        ("pool", "answers", "documents", "retracted", "warnings"),
        '.json with "questions"',
    ),
    BioasqWriter,
    texts,
    check,
    output="bioasq",
    limits=FormatLimits(words=WORDS),
)
