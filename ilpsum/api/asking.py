"""Answers to questions and summaries of texts, with their sources."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from features.registry import unknown
from ilpsum.answers.sources import MOST_TEXTS, Sources
from ilpsum.answers.steps import Summarizer
from ilpsum.api.systems import summarizer
from ilpsum.errors import UsageError, counted
from ilpsum.files.arguments import checked
from ilpsum.files.records import Natural
from ilpsum.literature.filtering import quotable
from ilpsum.literature.identity import topic_digest
from ilpsum.pages.forms import FORMS as ANSWER_FORMS
from ilpsum.pages.forms import Form
from ilpsum.pages.view import Answer, answer_of, today
from ilpsum.pipeline.candidates import nearest
from ilpsum.pipeline.settings import Values
from ilpsum.records import Document, Outcome, Summary, Topic
from ilpsum.runs import DEFAULT_SYSTEM
from ilpsum.runs.provenance import summary_line
from ilpsum.tasks.registry import FORMATS
from ilpsum.tasks.texts import documents

WORDS = FORMATS["bioasq"].words
"""Default word limit of an answer."""

PROVENANCE = Form("provenance", ".jsonl", "application/jsonl", lambda _: "", explains=True)
FORMS = {**ANSWER_FORMS, "provenance": PROVENANCE}
"""The forms of an answer by name."""


def form_of(name: str | None, file: Path | None) -> str:
    """Return the name of a form: the given one, else that of a file's suffix, else `text`;
    `UsageError` if unknown.
    """
    if name is None and file is not None:
        fits = [
            candidate
            for candidate, form in FORMS.items()
            if file.name.lower().endswith(form.suffix)
        ]
        if not fits:
            endings = ", ".join(form.suffix for form in FORMS.values())
            problem = (
                f"its suffix names no form of an answer; expected {endings}, or name one with --to"
            )
            raise UsageError(f"-o {file}: {problem}")
        return fits[0]
    if name is not None and name not in FORMS:
        raise UsageError(unknown("form", name, FORMS))
    return name or "text"


@dataclass(frozen=True)
class Answered:
    """An answer; its string form lists the sentences with source numbers, then the sources.

    Attributes:
        summary: the selected sentences with their offsets and reasons, and the proof of the
            optimum.
        topic: the question with the retrieved documents.
        asked: the services asked and the date; empty if only files were searched.
    """

    summary: Summary
    topic: Topic
    asked: tuple[str, ...] = ()

    @cached_property
    def view(self) -> Answer:
        """The answer as shown to readers."""
        return answer_of(self.summary, self.topic.documents, self.asked)

    @property
    def outcome(self) -> Outcome:
        """The degree: `answer`, `weak` evidence, only `related` sentences, or `nothing`;
        `view.unanswered` says why.
        """
        return self.view.outcome

    def __str__(self) -> str:
        return self.written("text").decode()

    def written(self, form: str = "text") -> bytes:
        """Return the answer in a form of `FORMS`, as `ilpsum ask --to` writes it."""
        if form == "provenance":
            return summary_line(replace(self.summary, topic_digest=topic_digest(self.topic)))
        return FORMS[form].written(self.view)

    def to_dict(self) -> dict[str, Any]:
        """Return the output of `ilpsum ask --json` as plain Python types."""
        return msgspec.json.decode(self.written("json"), type=dict[str, Any])


@checked
def ask(
    question: str,
    sources: Sources | Document | str | Path | Sequence[Document | str | Path],
    *,
    words: Natural = WORDS,
    system: str | Path | Summarizer = DEFAULT_SYSTEM,
    model: str | Path | None = None,
    fill: bool = False,
    settings: Values | None = None,
) -> Answered:
    """Answer a question from sentences of texts, of retrieved abstracts, or of literature services.

    Args:
        question: the question.
        sources: documents, or paths of texts and abstracts; `Sources` for indexed collections,
            services and filters.
        words: the word limit.
        system: a name, a .toml file, or a summarizer, which keeps its own settings.
        model: a model file or the name of a bundled model; default: the system's.
        fill: whether to fill the word limit even if only less relevant sentences are left.
        settings: values that override the system's, by key or short name, such as
            `{"coherence.overlap": 0.7}`; see `ilpsum.pipeline.settings` and
            `ilpsum.pipeline.settings.SHORT`.

    Raises:
        UsageError: the question is empty, there are no sources, or the system does not exist.
        InputError: a file cannot be read.
        ServiceError: a service cannot be reached or rejects the request.
    """
    # Runs of topics, which search nothing, import this module for its forms.
    from ilpsum.answers.retrieval import topic_of
    from ilpsum.answers.searching import require_short

    question = " ".join(question.split())
    if not question:
        raise UsageError("the question is empty; `summarize` needs none")
    require_short(question)
    if not isinstance(sources, Sources):
        sources = Sources(_listed(sources))
    if not isinstance(system, Summarizer):
        system = summarizer(
            system,
            model,
            searched=True,
            settings=settings,
            may_stop_early=not fill,
        )
    topic = topic_of(question, sources)
    asked = tuple[str, ...]()
    if sources.services:
        from ilpsum.answers.finding import SERVICES

        # What a service finds depends on the day.
        asked = (*(SERVICES[name].name for name in sources.services), today())
    return Answered(system(topic, words), topic, asked)


@checked
def summarize(
    texts: Document | str | Path | Sequence[Document | str | Path],
    *,
    words: Natural = WORDS,
    system: str | Path | Summarizer = DEFAULT_SYSTEM,
    model: str | Path | None = None,
    retracted: bool = False,
    settings: Values | None = None,
) -> Answered:
    """Summarise several texts as one, without a question; above 50 texts, uses those nearest to
    their centroid.

    Args:
        texts: documents, or files and folders of plain texts and abstracts.
        words: the word limit.
        system: as in `ask`.
        model: as in `ask`.
        retracted: whether retracted articles may be quoted.
        settings: as in `ask`.

    Raises:
        UsageError: the system does not exist.
        InputError: a file cannot be read.
    """
    if not isinstance(system, Summarizer):
        system = summarizer(system, model, settings=settings)
    read = documents(_listed(texts))
    quoted, notes = quotable(read.documents, retracted=retracted)
    lines = [*read.problems, *notes]
    if len(quoted) > MOST_TEXTS:
        texts_given = counted(len(quoted), "text")
        lines.append(f"{texts_given}: summarising only the {MOST_TEXTS} nearest to their centroid")
        quoted = nearest(quoted, MOST_TEXTS)
    topic = Topic(
        "texts",
        documents=quoted,
        kind="texts",
        warnings=tuple(lines),
    )
    return Answered(system(topic, words), topic)


def _listed(
    texts: Document | str | Path | Sequence[Document | str | Path],
) -> Sequence[Document | str | Path]:
    return [texts] if isinstance(texts, Document | str | Path) else texts
