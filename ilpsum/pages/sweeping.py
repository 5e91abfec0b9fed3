"""Collects the content of the report of a finished sweep: its configurations take the place of
runs.
"""

import math
from dataclasses import replace
from pathlib import Path

from ilpsum.evaluation.scoring import Evaluation
from ilpsum.evaluation.steering import Steering
from ilpsum.evaluation.sweeps.kept import TopicTexts, read_results, read_texts
from ilpsum.evaluation.sweeps.results import Result, TopicPath, labels, table
from ilpsum.metrics.signature import Signature
from ilpsum.pages.gathering import Report, RunSummary, shown_topic
from ilpsum.pages.view import Answer
from ilpsum.records import ObjectiveSettings, RunSettings, Sentence, Summary, Topic
from ilpsum.selection import Segment

# Configurations shown side by side: the best.
_MOST = 8


def gather_sweep(folder: str | Path) -> Report:
    """Collect the content of the report of a finished sweep: at most eight configurations, the
    best, in their order.

    Raises `InputError` if a file of the sweep is missing or damaged.
    """
    kept, texts = read_results(Path(folder)), read_texts(Path(folder))
    results = [result for _, result in kept]
    names, ranked = (
        labels(results),
        sorted(range(len(kept)), key=lambda i: -results[i].score)[:_MOST],
    )
    shown = {names[i]: kept[i] for i in sorted(ranked)}
    paths = {name: {path.topic: path for path in own.paths} for name, (_, own) in shown.items()}
    topics = []
    for topic in texts:
        id_ = topic.topic
        runs = {
            name: {id_: _swept(own, paths[name][id_], topic)} for name, (_, own) in shown.items()
        }
        found = shown_topic(Topic(id_, topic.query, summaries=topic.gold), runs)
        topics.append(replace(found, title=topic.title))
    scores = []
    for metric in results[0].scores:
        of_runs = []
        for name, (row, own) in shown.items():
            units = [(id_, summary.scores[metric]) for id_, summary in own.summaries.items()]
            of_runs.append(Evaluation(name, Signature.parse(row.signatures[metric]), units))
        scores.append(tuple(of_runs))
    settings = {name: _settings(own) for name, (_, own) in shown.items()}
    rows = tuple(map(tuple, table(results)))
    return Report(
        tuple(shown),
        tuple(topics),
        tuple(scores),
        kept[0][0].measure,
        settings=settings,
        swept=rows,
    )


def _settings(result: Result) -> tuple[str, str, str]:
    """Return system, lambda or threshold, and all values of a configuration in words."""
    values = {name: value for name, value in result.values().items() if value != "-"}
    tuned = (
        f"{name} {values[name].split()[0]}" for name in ("lambda", "threshold") if name in values
    )
    return (
        values["system"],
        ", ".join(tuned),
        "; ".join(f"{name} {value}" for name, value in values.items()),
    )


def _swept(result: Result, path: TopicPath, topic: TopicTexts) -> RunSummary:
    """Return the summary of a topic at the best lambda, with those at all others on an exact
    path.
    """
    kept = topic.sentences[result.configuration.system.name]
    texts = {(document, start, end): text for document, start, end, text in kept}
    lambda_, words = result.lambda_ or 0.0, result.configuration.words
    own = path.at(lambda_).chosen
    numbers = {
        place: i
        for i, place in enumerate(dict.fromkeys(sum((s.chosen for s in path.intervals), own)))
    }
    sentences = [
        Sentence(texts[place], *place, len(texts[place].split()), relevance=math.nan)
        for place in numbers
    ]
    chosen, text = tuple(sentences[: len(own)]), "\n".join(texts[place] for place in own)
    settings = RunSettings(words, objective=ObjectiveSettings(result.lambda_))
    summary = Summary(path.topic, chosen, text, settings=settings)
    steering = None
    if result.best:
        segments, scores = [], {}
        for s in path.intervals:
            rows = tuple(numbers[place] for place in s.chosen)
            segments.append(Segment(rows, s.relevance, s.coverage, s.costs, s.start, s.end))
            scores[rows] = tuple(
                round(float(getattr(score, result.measure)), 4) for score in s.scores.values()
            )
        steering = Steering(lambda_, words, {words: tuple(segments)}, tuple(sentences), scores)
    return RunSummary(text, answer=Answer(summary), steering=steering)
