"""The selectors of a finished sweep as a report: each at the parameters that the other folds chose, if it is nested."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ilpsum.evaluation.scoring import Evaluation
from ilpsum.metrics.rouge import RougeOptions, mean
from ilpsum.metrics.signature import Signature, rouge_signature
from ilpsum.records import Sentence, Topic
from ilpsum.report.gathering import shown_topic
from ilpsum.report.view import Answer, AnswerLine, Curve, Report, ShownTopic
from ilpsum.selection import SELECTORS
from ilpsum.sweeps.curve import Stretch, score_steps
from ilpsum.sweeps.data import Data
from ilpsum.sweeps.nested import Estimate
from ilpsum.sweeps.plan import Sweep
from ilpsum.sweeps.rows import Result, best, by_method


def selectors_report(
    sweep: Sweep, data: Data, results: Sequence[Result], estimates: Sequence[Estimate]
) -> Report | None:
    """Return the report of a sweep's selectors; None if it has fewer than two.

    A nested sweep compares the summaries of the outer folds; any other the best of each selector on the same topics.
    """
    tuned = {name for name in SELECTORS if SELECTORS[name].tunes}
    found = {method: own for method, own in by_method(results).items() if method in tuned}
    if len(found) < 2:
        return None
    nested = {estimate.method: estimate for estimate in estimates}
    settings: dict[str, str] = {}
    curves: list[Curve] = []
    by_side: dict[str, Mapping[str, Stretch]] = {}
    for method, own in found.items():
        top, estimate = best(own), nested.get(method)
        by_side[method] = estimate.summaries if estimate else top.summaries
        settings[method] = _settings(method, top, estimate)
        curves += _curve(method, top, own)
    options = RougeOptions(sweep.stems, results[0].configuration.words)
    several = sweep.metrics if len(sweep.metrics) > 1 else ()
    scores = tuple(_evaluations(metrics, by_side, data, options) for metrics in (sweep.metrics, *zip(several)))
    systems = ", ".join(dict.fromkeys(result.configuration.system.name for result in results))
    models = "each summarised by models of the other folds" if sweep.folds else "all summarised by one model"
    choice = f"by {sweep.nested} outer folds" if nested else "on the topics that are scored, which raises the scores"
    return Report(
        tuple(by_side),
        tuple(_shown(topic, by_side) for topic in data.topics),
        scores,
        sweep.measure,
        settings=settings,
        curves=curves,
        about=f"{systems}, {models}; parameters chosen {choice}.",
    )


def _settings(method: str, top: Result, estimate: Estimate | None) -> str:
    """Return the parameter of a selector: those of the outer folds, or the best."""
    name = SELECTORS[method].tunes
    if estimate is None:
        return f"{name} {top.values()[name]}"
    values = Counter(choice.result.values()[name].split()[0] for choice in estimate.choices)
    times = (f"{value}{f' ({count} times)' if count > 1 else ''}" for value, count in values.items())
    return f"{name} {', '.join(times)} by outer fold; {top.values()[name]} best on all topics"


def _curve(method: str, top: Result, own: Sequence[Result]) -> list[Curve]:
    """Return the score over the parameter, of the configurations that otherwise are the best one."""
    name = SELECTORS[method].tunes
    if top.best:
        steps = score_steps(top.paths, top.measure)
        points = [(x, step.score) for step in steps for x in (step.start, step.end)]
    else:
        rest = _without(top, name)
        same = [result for result in own if _without(result, name) == rest and result.values()[name] != "-"]
        points = sorted((float(result.values()[name]), result.score) for result in same)
    if not points:
        return []
    x, y = max(points, key=lambda point: point[1])
    return [Curve(method, name, points, f"maximum {y:.4f} at {x:.4g}, on the topics that chose the values")]


def _without(result: Result, name: str) -> dict[str, str]:
    return {key: value for key, value in result.values().items() if key != name}


def _evaluations(
    metrics: Sequence[str], by_side: Mapping[str, Mapping[str, Stretch]], data: Data, options: RougeOptions
) -> tuple[Evaluation, ...]:
    """Return the evaluations by one metric, or by the mean of several, which ranked the configurations."""
    name = metrics[0] if len(metrics) == 1 else f"mean of {' and '.join(metrics)}"
    signature = Signature(name, rouge_signature(metrics[0], options).fields)
    return tuple(
        Evaluation(method, signature, [(t.id, mean([own[t.id].scores[m] for m in metrics])) for t in data.topics])
        for method, own in by_side.items()
    )


def _shown(topic: Topic, by_side: Mapping[str, Mapping[str, Stretch]]) -> ShownTopic:
    """Return what the selectors chose of a topic."""
    texts = {document.id: document.text for document in topic.documents}
    answers = {}
    for method, own in by_side.items():
        spans = [
            (place, " ".join(texts.get(place[0], "")[place[1] : place[2]].split())) for place in own[topic.id].chosen
        ]
        lines = tuple(AnswerLine(Sentence(text, *place, len(text.split())), text) for place, text in spans)
        answers[method] = {topic.id: Answer(text="\n".join(line.text for line in lines), lines=tuple(lines))}
    return shown_topic(topic, answers)
