"""Writes the candidate sentences of topics, for relevance from elsewhere; the folds of topics."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ilpsum.answers.steps import Summarizer
from ilpsum.api.inputs import Topics, resolved
from ilpsum.api.systems import summarizer
from ilpsum.errors import IlpsumError, UsageError
from ilpsum.files.atomic import write_atomically
from ilpsum.files.rows import written_rows
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.relevance import Candidates
from ilpsum.pipeline.scores import text_digest
from ilpsum.pipeline.settings import Values
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.folds import fold_by_topic
from ilpsum.records import BrokenTopic, Topic
from ilpsum.runs import DEFAULT_SYSTEM
from ilpsum.tasks.registry import default_output


@dataclass(frozen=True, slots=True)
class WrittenCandidates:
    """A file of candidates.

    Attributes:
        path: the file.
        candidates: number of its candidates.
        failed: topics without candidates because of an error.
    """

    path: Path
    candidates: int
    failed: tuple[BrokenTopic, ...]


def write_candidates(
    topics: Topics,
    out: str | Path,
    system: str | Path | System = DEFAULT_SYSTEM,
    *,
    model: str | Path | SystemModel | None = None,
    top: int | None = None,
    features: bool = False,
    folds: int | None = None,
    settings: Values | None = None,
) -> WrittenCandidates:
    """Write the candidates of topics, as `ilpsum candidates` does: a row each, with its topic,
    question, place, text, relevance, and the digest of its document's text.

    Args:
        topics: the topics, or paths.
        out: the file: JSON lines, or a table by its suffix (.tsv, .csv); gzipped with .gz.
        system: a name, a .toml file, or a system; it finds the candidates as for a run.
        model: a model, its file, or the name of an included model; default: the system's.
        top: only so many of a topic, those of the highest relevance; default: all.
        features: whether to write the system's features, too.
        folds: number of folds; adds the fold of the topic, from 1.
        settings: values that override the system's; see `ilpsum.ask`.

    Raises:
        UsageError: `top` for a system without relevance, `features` for one without features.
        InputError: a file cannot be read.
    """
    inputs = resolved(topics)
    by = summarizer(
        system,
        model,
        default_output(inputs.input.form),
        searched=inputs.search is not None,
        settings=settings,
    )
    _require_available(by.system, top, features=features)
    incoming: Iterable[Topic | BrokenTopic] = inputs
    fold_of: Mapping[str, int] = {}
    if folds is not None:
        incoming = list(inputs)
        fold_of = fold_by_topic([t for t in incoming if isinstance(t, Topic)], folds)
    failed = list[BrokenTopic]()
    number = 0

    def rows() -> Iterator[dict[str, Any]]:
        """Yield the rows of the file, and count them."""
        nonlocal number
        for scored in _found(incoming, by, failed):
            fold = fold_of.get(scored.topic.id)
            for row in _rows(scored, top, features=features, fold=fold):
                number += 1
                yield row

    with write_atomically(out) as stream:
        for line in written_rows(rows(), out):
            stream.write(line)
    return WrittenCandidates(Path(out), number, tuple(failed))


def _require_available(system: System, top: int | None, *, features: bool) -> None:
    """Raise `UsageError` if a system lacks the relevance or the features that are asked for."""
    if top is not None and not all(part.selector.needs_relevance for part in system.parts):
        raise UsageError(f"--top: the system {system.name} has no relevance; leave it out")
    if features and not all(part.feature_set for part in system.parts):
        raise UsageError(f"--features: the system {system.name} has none; leave it out")


def _found(
    incoming: Iterable[Topic | BrokenTopic],
    by: Summarizer,
    failed: list[BrokenTopic],
) -> Iterator[Candidates]:
    """Yield the candidates of each topic; add topics that cannot be read or scored to `failed`."""
    for topic in incoming:
        if isinstance(topic, BrokenTopic):
            failed.append(topic)
            continue
        try:
            yield by.candidates(topic)
        except IlpsumError as error:
            failed.append(BrokenTopic(topic.id, error))


def _rows(
    candidates: Candidates,
    top: int | None,
    *,
    features: bool,
    fold: int | None,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a topic's candidates, in document order."""
    relevance = candidates.relevance
    best = np.argsort(-relevance, kind="stable")[:top]
    digests = {document.id: text_digest(document.text) for document in candidates.topic.documents}
    for i in sorted(best.tolist()):
        sentence = candidates.sentences[i]
        value = float(relevance[i])
        row: dict[str, Any] = {
            "topic": candidates.topic.id,
            "question": candidates.question,
            "document": sentence.document,
            "start": sentence.start,
            "end": sentence.end,
            "text": sentence.text,
            "relevance": None if np.isnan(value) else value,
        }
        if digest := digests.get(sentence.document):
            row["digest"] = digest
        if fold is not None:
            row["fold"] = fold + 1
        if features:
            values = candidates.features[i].tolist()
            row["features"] = dict(zip(candidates.columns, values, strict=True))
        yield row


def folds_of_topics(topics: Topics, folds: int) -> dict[str, int]:
    """Return the fold of each topic, from 1, by id, as `--folds` divides them.

    Raises:
        UsageError: there are more folds than topics that share no document.
        InputError: a file cannot be read.
    """
    intact = [topic for topic in resolved(topics) if isinstance(topic, Topic)]
    return {topic: fold + 1 for topic, fold in fold_by_topic(intact, folds).items()}
