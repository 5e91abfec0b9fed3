"""Collects the content of the report of a finished sweep: its configurations take the place of runs."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ilpsum.evaluation.scoring import Evaluation
from ilpsum.evaluation.sweeps.kept import TopicTexts, read_results, read_texts
from ilpsum.evaluation.sweeps.results import Result, TopicPath, table
from ilpsum.metrics.signature import Signature
from ilpsum.pages.gathering import shown_topic
from ilpsum.pages.reading import answer_of_run
from ilpsum.pages.steering import Steering
from ilpsum.pages.view import Report, RunSummary
from ilpsum.records import ObjectiveSettings, RunSettings, Sentence, Summary, Topic
from ilpsum.selection import Segment

# Configurations shown side by side: the best.
_MOST = 8


def gather_sweep(folder: str | Path) -> Report:
    """Collect the content of the report of a finished sweep: at most eight configurations, the best, in their order.

    Raises `InputError` if a file of the sweep is missing or damaged.
    """
    kept, texts = read_results(Path(folder)), read_texts(Path(folder))
    results = [result for _, result in kept]
    ranked = sorted(range(len(kept)), key=lambda i: (-results[i].score, i))[:_MOST]
    names = _names(results)
    shown = {names[i]: kept[i] for i in sorted(ranked)}
    paths = {name: {path.topic: path for path in result.paths} for name, (_, result) in shown.items()}
    topics = []
    for topic in texts:
        runs = {
            name: {topic.topic: _summary(result, paths[name][topic.topic], topic)}
            for name, (_, result) in shown.items()
        }
        own = shown_topic(Topic(topic.topic, topic.query, summaries=topic.gold), runs)
        topics.append(replace(own, title=topic.title))
    scores = [
        tuple(
            Evaluation(
                name, Signature.parse(row.signatures[metric]), [(t, s.scores[metric]) for t, s in own.summaries.items()]
            )
            for name, (row, own) in shown.items()
        )
        for metric in results[0].scores
    ]
    settings = {name: _settings(result) for name, (_, result) in shown.items()}
    rows = tuple(map(tuple, table(results)))
    return Report(tuple(shown), tuple(topics), tuple(scores), kept[0][0].measure, settings=settings, swept=rows)


def _names(results: Sequence[Result]) -> list[str]:
    """Return a name for each configuration: the values that differ, without lambda if it is chosen on the path."""
    cells = [result.values() | ({"lambda": "-"} if result.best else {}) for result in results]
    varied = [column for column in cells[0] if len({own[column] for own in cells}) > 1] or ["system"]
    bare = ("system", "method", "features")
    named = (
        [own[c] if c in bare else f"{c} {own[c]}" for c in varied if own[c] != "-"] or [own["system"]] for own in cells
    )
    return [", ".join(parts) for parts in named]


def _settings(result: Result) -> tuple[str, str, str]:
    """Return system, lambda or threshold, and all values of a configuration in words."""
    values = {name: value for name, value in result.values().items() if value != "-"}
    tuned = (f"{name} {values[name].split()[0]}" for name in ("lambda", "threshold") if name in values)
    return values["system"], ", ".join(tuned), "; ".join(f"{name} {value}" for name, value in values.items())


def _summary(result: Result, path: TopicPath, topic: TopicTexts) -> RunSummary:
    """Return the summary of a topic at the best lambda, with those at all others on an exact path."""
    texts = {(document, start, end): text for document, start, end, text in topic.sentences}
    lambda_, words = result.lambda_ or 0.0, result.configuration.words
    own = path.at(lambda_)
    places = dict.fromkeys([*own.chosen, *(place for interval in path.intervals for place in interval.chosen)])
    numbers = {place: number for number, place in enumerate(places)}
    sentences = tuple(Sentence(texts[place], *place, len(texts[place].split()), relevance=math.nan) for place in places)
    text = "\n".join(sentence.text for sentence in sentences[: len(own.chosen)])
    settings = RunSettings(words, objective=ObjectiveSettings(result.lambda_))
    summary = Summary(path.topic, sentences[: len(own.chosen)], text, settings=settings)
    if not result.best:
        return RunSummary(text, answer=answer_of_run(summary))
    chosen = [tuple(numbers[place] for place in s.chosen) for s in path.intervals]
    segments = tuple(
        Segment(numbered, s.relevance, s.coverage, s.costs, s.start, s.end)
        for numbered, s in zip(chosen, path.intervals, strict=True)
    )
    scores = {
        numbered: tuple(round(float(getattr(score, result.measure)), 4) for score in s.scores.values())
        for numbered, s in zip(chosen, path.intervals, strict=True)
    }
    return RunSummary(
        text, answer=answer_of_run(summary), steering=Steering(lambda_, words, {words: segments}, sentences, scores)
    )
