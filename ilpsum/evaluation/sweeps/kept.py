"""What a finished sweep keeps for readers: its results with their settings, and the texts of its
sentences.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from ilpsum.errors import InputError
from ilpsum.evaluation.scoring import Measure
from ilpsum.evaluation.sweeps.nested import Estimate
from ilpsum.evaluation.sweeps.plan import Configuration
from ilpsum.evaluation.sweeps.results import ROWS, Result, TopicPath, read_rows
from ilpsum.files.atomic import write_atomically
from ilpsum.files.reading import read_lines
from ilpsum.files.records import Count, checked, decode, encode
from ilpsum.papers.layout import title
from ilpsum.pipeline.candidates import candidates
from ilpsum.records import Topic

TEXTS, CHOICE = "texts.jsonl", "nested.jsonl"
_AGAIN = "repeat the command of the sweep, which takes its summaries from the cache"


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
    """What a line of `rows.jsonl` says of a configuration; `signatures` are those of the scores, by
    metric.
    """

    run: str
    asked: str
    config: Configuration
    measure: Measure
    signatures: Mapping[str, str]


class NestedRow(msgspec.Struct, frozen=True, tag_field="kind", tag="nested"):
    """What a line of `rows.jsonl` says of a nested estimate."""

    fold_of: Mapping[str, Count]


@dataclass(frozen=True, slots=True)
class KeptSweep:
    """A finished sweep as its folder has it.

    Attributes:
        rows: what the lines of `rows.jsonl` say of each result.
        results: the results of its configurations.
        nested: the outer fold of each topic, by id; empty without nested estimates.
    """

    rows: tuple[KeptRow, ...]
    results: tuple[Result, ...]
    nested: Mapping[str, int]


def write_texts(folder: Path, results: Sequence[Result], topics: Iterable[Topic]) -> None:
    """Write `texts.jsonl`: of each topic the sentences that some result chose at some lambda."""
    systems = {result.configuration.system.name: result.configuration.system for result in results}
    chosen: dict[tuple[str, str], set[tuple[str, int, int]]] = {}
    for result in results:
        for path in result.paths:
            places = chosen.setdefault((result.configuration.system.name, path.topic), set())
            places.update(place for interval in path.intervals for place in interval.chosen)
    with write_atomically(folder / TEXTS) as file:
        for topic in topics:
            documents, paper = (
                {document.id: document.text for document in topic.documents},
                topic.reference,
            )
            sentences = {}
            for name, system in systems.items():
                # As the system reads them: it may remove labels and citations. Passages of
                # baselines are no candidates.
                read = {s.place: s.text for s in candidates(topic, system.candidates)}
                held = sorted(chosen[name, topic.id])
                if lost := next((d for d, _, _ in held if d not in documents), None):
                    raise InputError(
                        f"the sweep's cache names a document {lost!r}; remove the cache and repeat",
                        folder,
                    )
                texts = (
                    read.get((d, a, b)) or " ".join(documents[d][a:b].split()) for d, a, b in held
                )
                sentences[name] = tuple(
                    (*place, text) for place, text in zip(held, texts, strict=True)
                )
            named = title(paper) if paper else ""
            file.write(
                encode(TopicTexts(topic.id, topic.query, named, topic.summaries, sentences)) + b"\n"
            )


def read_sweep(folder: Path) -> KeptSweep:
    """Read the results of a finished sweep, each with its settings; `InputError` if a line is
    damaged.
    """
    by_run: dict[str, list[TopicPath]] = {}
    for row in read_rows(folder):
        by_run.setdefault(row.run, []).append(row.summaries)
    rows = read_kept(folder)
    results = []
    for kept in rows:
        if kept.run not in by_run:
            raise InputError(f"its topics are missing; {_AGAIN}", folder / ROWS)
        paths = tuple(by_run[kept.run])
        results.append(Result(kept.run, kept.config, kept.measure, paths, kept.asked))
    # The estimates of the selectors have the same folds.
    folds = (row.fold_of for row in _read(folder) if isinstance(row, NestedRow))
    return KeptSweep(tuple(rows), tuple(results), next(folds, {}))


def read_kept(folder: Path) -> list[KeptRow]:
    """Read the rows of configurations in a folder, if it has some; `InputError` if a line is
    damaged.
    """
    return [row for row in _read(folder) if isinstance(row, KeptRow)]


_ROW = msgspec.json.Decoder(KeptRow | NestedRow)


def _read(folder: Path) -> list[KeptRow | NestedRow]:
    path = folder / ROWS
    if not path.exists():
        return []
    rows = []
    expected = "a row of a sweep", _AGAIN
    for number, data in read_lines(path):
        rows.append(checked(partial(_ROW.decode, data), expected, path, number))
    return rows


def read_texts(folder: Path) -> list[TopicTexts]:
    """Read the texts of a finished sweep; `InputError` if they are missing or damaged."""
    path = folder / TEXTS
    if not path.exists():
        raise InputError(f"the sweep has no texts; {_AGAIN}", path)
    return [
        decode(data, TopicTexts, ("a topic of a sweep", _AGAIN), path, number)
        for number, data in read_lines(path)
    ]


def chosen_text(estimate: Estimate, topic: TopicTexts) -> str:
    """Return the summary of a topic by the configuration that is best on the other folds."""
    result = estimate.choice_of(topic.topic)
    kept = topic.sentences[result.configuration.system.name]
    texts = {(document, start, end): text for document, start, end, text in kept}
    places = estimate.summaries[topic.topic].chosen
    return "\n".join(texts[place] for place in places)


def write_choice(folder: Path, estimate: Estimate) -> None:
    """Write `nested.jsonl`, a run in JSON lines: each topic by the choice on the other folds."""
    with write_atomically(folder / CHOICE) as file:
        for topic in read_texts(folder):
            line = {"id": topic.topic, "summary": chosen_text(estimate, topic)}
            file.write(encode(line) + b"\n")
