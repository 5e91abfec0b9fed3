"""Answers to questions and summaries of texts, with their sources."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Unpack, get_args

from ilpsum.api.arguments import several, typed
from ilpsum.api.sources import MOST_TEXTS, Sources
from ilpsum.api.systems import Settings, summarizer
from ilpsum.corpora.abstracts import Damaged
from ilpsum.corpora.filtering import quotable
from ilpsum.corpora.identity import topic_digest
from ilpsum.corpora.text import documents
from ilpsum.errors import UsageError, require_whole
from ilpsum.pipeline.candidates import nearest
from ilpsum.pipeline.summarizer import Summarizer
from ilpsum.records import Document, Outcome, Summary, Topic
from ilpsum.report import answers as pages
from ilpsum.report import plain
from ilpsum.report.reading import answer_of
from ilpsum.report.view import Answer
from ilpsum.runs.formats import DEFAULT_SYSTEM, FORMATS
from ilpsum.runs.provenance import summary_line

WORDS = FORMATS["bioasq"].words
"""The word limit of an answer unless another is given."""

Form = Literal["text", "json", "markdown", "ris", "bibtex", "csl"]
FORMS: tuple[Form, ...] = get_args(Form)
STYLED = ("text", "markdown")
"""The forms that list sources in a style."""


@dataclass(frozen=True)
class Answered:
    """An answer; as a string, its sentences with the numbers of their sources, then the sources.

    Attributes:
        summary: the chosen sentences with their places and reasons, and the proof of the optimum.
        topic: the question, with the documents that the search found.
    """

    summary: Summary
    topic: Topic

    @cached_property
    def view(self) -> Answer:
        """What a reader sees of it."""
        return answer_of(self.summary, self.topic)

    @property
    def outcome(self) -> Outcome:
        """Whether it is an `answer`, only `related` sentences, or `nothing`; `view.unanswered` says why."""
        return self.view.outcome

    def __str__(self) -> str:
        return self.printed()

    def printed(self, form: Form = "text", *, vancouver: bool = False) -> str:
        """Return it as `ilpsum ask` prints it; `vancouver` lists the sources of text and Markdown in that style."""
        if form in plain.FORMS:
            return plain.FORMS[form](self.view)
        return (plain.text if form == "text" else plain.markdown)(self.view, vancouver=vancouver)

    def page(self) -> str:
        """Return the page that `--html` writes: the text beside its sources, and what was left out."""
        return pages.page(self.view, plain.UNASKED)

    def provenance(self) -> bytes:
        """Return the line that `--provenance` writes."""
        return summary_line(replace(self.summary, topic_digest=topic_digest(self.topic)))

    def to_dict(self) -> dict[str, Any]:
        """Return what `ilpsum ask --json` prints, in plain types."""
        found: dict[str, Any] = json.loads(self.printed("json"))
        return found


def ask(
    question: str,
    sources: Sources | Document | str | Path | Sequence[Document | str | Path],
    *,
    words: int = WORDS,
    system: str | Path | Summarizer = DEFAULT_SYSTEM,
    model: str | Path | None = None,
    fill: bool = False,
    **settings: Unpack[Settings],
) -> Answered:
    """Answer a question from the sentences of texts, of abstracts that a search finds, or of services.

    Args:
        question: the question.
        sources: documents, or paths of texts and abstracts; `Sources` for collections on disk, services and filters.
        words: the word limit.
        system: a name, a .toml file, or a summarizer, whose settings are then used.
        model: a model file or the name of one that ships; by default the system's.
        fill: whether to use the words also where only less relevant sentences are left.
        settings: instead of the system's; see `ilpsum.api.systems.Settings`.

    Raises:
        UsageError: the question is empty, there is nothing to answer from, or there is no such system.
        InputError: a file cannot be read.
        ServiceError: a service cannot be reached, or refuses.
    """
    require_whole("words", words)
    question = " ".join(typed("question", question, str).split())
    if not question:
        raise UsageError("the question is empty; to summarise texts without one: ilpsum summarize FILE...")
    if not isinstance(sources, Sources):
        sources = Sources(_each(sources))
    if not isinstance(system, Summarizer):
        system = summarizer(system, model, searched=True, options={"ends": not fill}, **settings)
    topic = sources.topic(question)
    return Answered(system(topic, words), topic)


def summarize(
    texts: Document | str | Path | Sequence[Document | str | Path],
    *,
    words: int = WORDS,
    system: str | Path | Summarizer = DEFAULT_SYSTEM,
    model: str | Path | None = None,
    retracted: bool = False,
    damaged: Damaged | None = None,
    **settings: Unpack[Settings],
) -> Answered:
    """Summarise texts without a question, together; of many the nearest to the subject of all.

    Args:
        texts: documents, or files and folders of plain texts and abstracts.
        words: the word limit.
        system: as in `ask`.
        model: as in `ask`.
        retracted: whether retracted articles may be quoted.
        damaged: gets the files in folders that cannot be read, which are left out; by default warnings name them.
        settings: as in `ask`.

    Raises:
        UsageError: there is no such system.
        InputError: a file cannot be read.
    """
    if not isinstance(system, Summarizer):
        system = summarizer(system, model, **settings)
    require_whole("words", words)
    given = _each(texts)
    several("texts", given, (Document, str, Path))
    broken, warnings = damaged or Damaged(), list[str]()
    found = [each for each in given if isinstance(each, Document)]
    if files := [each for each in given if not isinstance(each, Document)]:
        found += documents(files, warnings, broken)
    own, notes = quotable(found, retracted=retracted)
    warnings += [*notes, *([] if damaged else [f"{error} (left out)" for error in broken.errors])]
    if len(own) > MOST_TEXTS:
        warnings.append(f"{len(own)} texts: summarising only the {MOST_TEXTS} nearest to their centroid")
        own = nearest(own, MOST_TEXTS)
    topic = Topic("texts", documents=own, kind="texts", warnings=tuple(warnings))
    return Answered(system(topic, words), topic)


def _each(texts: Any) -> Any:
    """Return one text, or what can be iterated over, as a list; other things as they are, for the checks."""
    if isinstance(texts, Document | str | Path):
        return [texts]
    return list(texts) if isinstance(texts, Iterable) else texts
