"""What a finished sweep keeps for readers: its results with their settings, and the texts of its
sentences.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ilpsum.errors import InputError
from ilpsum.evaluation.scoring import Measure
from ilpsum.evaluation.sweeps.nested import Estimate
from ilpsum.evaluation.sweeps.plan import Configuration
from ilpsum.evaluation.sweeps.results import (
    AGAIN,
    ROWS,
    LambdaInterval,
    Place,
    Result,
    TopicPath,
    read_rows,
    records,
)
from ilpsum.files.atomic import write_atomically
from ilpsum.files.records import Count, encode
from ilpsum.papers.layout import title
from ilpsum.pipeline.candidates import candidates
from ilpsum.pipeline.system import System
from ilpsum.records import Topic

TEXTS, CHOICE = "texts.jsonl", "nested.jsonl"


class TopicTexts(msgspec.Struct, frozen=True):
    """A topic with the sentences of its summaries by system: document, start, end and text of
    each.
    """

    topic: str
    query: str
    title: str
    gold: tuple[str, ...]
    sentences: Mapping[str, tuple[tuple[str, Count, Count, str], ...]]


class KeptRow(msgspec.Struct, frozen=True, tag_field="kind", tag="row"):
    """A configuration in a line of `rows.jsonl`; `signatures` are those of the scores, by
    metric.
    """

    run: str
    asked: str
    config: Configuration
    measure: Measure
    signatures: Mapping[str, str]


class NestedRow(msgspec.Struct, frozen=True, tag_field="kind", tag="nested"):
    """A nested estimate in a line of `rows.jsonl`."""

    fold_of: Mapping[str, Count]


def write_texts(folder: Path, results: Sequence[Result], topics: Iterable[Topic]) -> None:
    """Write `texts.jsonl`: of each topic the sentences that some result chose at some lambda."""
    systems = {result.configuration.system.name: result.configuration.system for result in results}
    chosen: dict[tuple[str, str], set[Place]] = {}
    for result in results:
        for path in result.paths:
            places = chosen.setdefault((result.configuration.system.name, path.topic), set())
            places.update(place for interval in path.intervals for place in interval.chosen)
    with write_atomically(folder / TEXTS) as file:
        for topic in topics:
            sentences = {}
            for name, system in systems.items():
                sentences[name] = _texts(topic, system, sorted(chosen[name, topic.id]), folder)
            paper = topic.reference
            heading = title(paper) if paper else ""
            texts = TopicTexts(topic.id, topic.query, heading, topic.summaries, sentences)
            file.write(encode(texts) + b"\n")


def _texts(
    topic: Topic,
    system: System,
    places: Sequence[Place],
    folder: Path,
) -> tuple[tuple[str, int, int, str], ...]:
    """Return chosen places of a topic with their texts as the system reads them: it may remove
    labels and citations.
    """
    documents = {document.id: document.text for document in topic.documents}
    read = {s.place: s.text for s in candidates(topic, system.candidates)}
    texts = []
    for document, start, end in places:
        if document not in documents:
            raise InputError(
                f"the sweep's cache names a document {document!r}; remove the cache and repeat",
                folder,
            )
        # Passages of baselines are no candidates.
        passage = " ".join(documents[document][start:end].split())
        texts.append((document, start, end, read.get((document, start, end)) or passage))
    return tuple(texts)


def read_sweep(folder: Path) -> tuple[list[Result], Mapping[str, int]]:
    """Read the results of a finished sweep, and the outer fold of each topic, by id, for its nested
    estimates; `InputError` if a line is damaged.
    """
    by_run: dict[str, list[TopicPath]] = {}
    for row in read_rows(folder):
        by_run.setdefault(row.run, []).append(row.summaries)
    results = []
    for kept in read_kept(folder):
        if kept.run not in by_run:
            raise InputError(f"its topics are missing; {AGAIN}", folder / ROWS)
        paths = tuple(by_run[kept.run])
        result = Result(kept.run, kept.config, kept.measure, paths, kept.asked, kept.signatures)
        results.append(result)
    # The estimates of the selectors have the same folds.
    folds = (row.fold_of for row in _read(folder) if isinstance(row, NestedRow))
    return results, next(folds, {})


def read_kept(folder: Path) -> list[KeptRow]:
    """Read the rows of configurations in a folder, if it has some; `InputError` if a line is
    damaged.
    """
    return [row for row in _read(folder) if isinstance(row, KeptRow)]


def _read(folder: Path) -> list[KeptRow | NestedRow]:
    return records(folder / ROWS, KeptRow | NestedRow, _current)


def _current(line: bytes) -> bytes:
    """Return a row with its system as it is written today; ilpsum 0.3 listed pairs."""
    if b'"origins":[' not in line:
        return line
    try:
        row = msgspec.json.decode(line)
        system = row["config"]["system"]
        parameters = dict[str, dict[str, Any]]()
        for key, value in system["parameters"]:
            selector, _, name = key.partition(".")
            parameters.setdefault(selector, {})[name] = value
        system |= {"parameters": parameters, "origins": dict(system["origins"])}
    except (ValueError, TypeError, LookupError, AttributeError):
        return line  # damaged; its reader says how
    return encode(row)


def read_texts(folder: Path) -> list[TopicTexts]:
    """Read the texts of a finished sweep; `InputError` if they are missing or damaged."""
    path = folder / TEXTS
    if not path.exists():
        raise InputError(f"the sweep has no texts; {AGAIN}", path)
    return records(path, TopicTexts)


def sentences_of(
    interval: LambdaInterval,
    topic: TopicTexts,
    system: str,
) -> list[tuple[Place, str]]:
    """Return the places and texts of the sentences of a topic's summary."""
    texts = {(document, start, end): text for document, start, end, text in topic.sentences[system]}
    sentences = []
    for i, place in enumerate(interval.chosen):
        sentences.append((place, interval.changed.get(i, texts[place])))
    return sentences


def chosen_text(estimate: Estimate, topic: TopicTexts) -> str:
    """Return the summary of a topic by the configuration that is best on the other folds."""
    system = estimate.choice_of(topic.topic).configuration.system.name
    sentences = sentences_of(estimate.summaries[topic.topic], topic, system)
    return "\n".join(text for _, text in sentences)


def write_choice(folder: Path, estimate: Estimate) -> None:
    """Write `nested.jsonl`, a run in JSON lines: each topic by the choice on the other folds."""
    with write_atomically(folder / CHOICE) as file:
        for topic in read_texts(folder):
            line = {"id": topic.topic, "summary": chosen_text(estimate, topic)}
            file.write(encode(line) + b"\n")
