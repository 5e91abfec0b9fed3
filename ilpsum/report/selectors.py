"""The selectors of a finished sweep, compared: each at the parameters that the other folds chose, if it is nested."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ilpsum.evaluation.comparison import Place
from ilpsum.evaluation.scoring import Evaluation
from ilpsum.metrics.rouge import RougeOptions, mean
from ilpsum.metrics.signature import Signature, rouge_signature
from ilpsum.pipeline.system import SELECTORS
from ilpsum.records import Topic
from ilpsum.report.comparison import Compared, Side
from ilpsum.sweeps import Data, Estimate, Result, Sweep, TopicPath
from ilpsum.sweeps.curve import Outcome, score_steps
from ilpsum.sweeps.results import PATHS, TOPICS, best, by_method, require_all

_PARAMETER = {"ilp": "lambda", "gain": "lambda", "greedy": "threshold"}


def compared(
    sweep: Sweep,
    data: Data,
    results: Sequence[Result],
    estimates: Sequence[Estimate],
    paths: Mapping[str, Sequence[TopicPath]],
    outcomes: Mapping[tuple[str, str], Outcome],
) -> Compared | None:
    """Return the comparison of a sweep's selectors; None if it has fewer than two.

    A nested sweep compares the summaries of the outer folds; any other the best of each selector on the same topics.
    The paths and outcomes are those of the sweep, by run, and by run and topic.

    Raises:
        InputError: they lack topics.
    """
    found = {method: own for method, own in by_method(results).items() if method in SELECTORS}
    if len(found) < 2:
        return None
    nested = {estimate.method: estimate for estimate in estimates}
    sides = []
    by_side: dict[str, dict[str, Outcome]] = {}
    for method, own in found.items():
        top, estimate = best(own), nested.get(method)
        by_side[method] = estimate.outcomes if estimate else _outcomes(top, paths, outcomes)
        chosen = {topic: outcome.chosen for topic, outcome in by_side[method].items()}
        if top.best:
            require_all({path.topic for path in paths.get(top.run, ())}, top, PATHS)
        sides.append(Side(method, _settings(method, top, estimate), chosen, _curve(method, top, own, paths)))
    options = RougeOptions(sweep.stems, results[0].config.words)
    several = sweep.metrics if len(sweep.metrics) > 1 else ()
    scores = [_evaluations(metrics, by_side, data, options) for metrics in (sweep.metrics, *zip(several))]
    texts = {(t.id, place): text for t in data.topics for place, text in _texts(t, by_side.values())}
    systems = ", ".join(dict.fromkeys(result.config.system.name for result in results))
    models = "each summarised by models of the other folds" if sweep.folds else "all summarised by one model"
    choice = f"by {sweep.nested} outer folds" if nested else "on the topics that are scored, which raises the scores"
    about = f"{systems}, {len(data.topics)} topics, {models}; parameters chosen {choice}."
    return Compared(about, sides, scores, texts, {t.id: t.query for t in data.topics}, sweep.measure)


def _outcomes(
    result: Result, paths: Mapping[str, Sequence[TopicPath]], outcomes: Mapping[tuple[str, str], Outcome]
) -> dict[str, Outcome]:
    """Return the summaries of a result by topic."""
    if result.lambda_ is None or not result.best:
        found = {topic: outcome for (run, topic), outcome in outcomes.items() if run == result.run}
        require_all(found, result, TOPICS)
        return found
    at = {path.topic: path.at(result.lambda_) for path in paths.get(result.run, ())}
    require_all(at, result, PATHS)
    return {topic: Outcome(dict(stretch.scores), stretch.chosen) for topic, stretch in at.items()}


def _settings(method: str, top: Result, estimate: Estimate | None) -> str:
    """Return the parameter of a selector: those of the outer folds, or the best."""
    name = _PARAMETER[method]
    if estimate is None:
        return f"{name} {top.values()[name]}"
    values = Counter(choice.values[name].split()[0] for choice in estimate.choices)
    times = (f"{value}{f' ({count} times)' if count > 1 else ''}" for value, count in values.items())
    return f"{name} {', '.join(times)} by outer fold; {top.values()[name]} best on all topics"


def _curve(
    method: str, top: Result, own: Sequence[Result], paths: Mapping[str, Sequence[TopicPath]]
) -> list[tuple[float, float]]:
    """Return the score over the parameter, of the configurations that otherwise are the best one."""
    if top.best:
        steps = score_steps(paths[top.run], top.measure)
        return [(x, step.score) for step in steps for x in (step.start, step.end)]
    name = _PARAMETER[method]
    rest = _without(top, name)
    points = [(result.values()[name], result.score) for result in own if _without(result, name) == rest]
    return sorted((float(x), score) for x, score in points if x != "-")


def _without(result: Result, name: str) -> dict[str, str]:
    return {key: value for key, value in result.values().items() if key != name}


def _evaluations(
    metrics: Sequence[str], by_side: Mapping[str, Mapping[str, Outcome]], data: Data, options: RougeOptions
) -> list[Evaluation]:
    """Return the evaluations by one metric, or by the mean of several, which ranked the configurations."""
    name = metrics[0] if len(metrics) == 1 else f"mean of {' and '.join(metrics)}"
    signature = Signature(name, rouge_signature(metrics[0], options).fields)
    return [
        Evaluation(method, signature, [(t.id, mean([own[t.id].scores[m] for m in metrics])) for t in data.topics])
        for method, own in by_side.items()
    ]


def _texts(topic: Topic, sides: Iterable[Mapping[str, Outcome]]) -> list[tuple[Place, str]]:
    """Return the text of each sentence that a selector chose of a topic."""
    documents = {document.id: document.text for document in topic.documents}
    if topic.reference:
        documents[topic.reference.id] = topic.reference.text
    places = dict.fromkeys(place for own in sides for place in own[topic.id].chosen)
    return [(place, " ".join(documents.get(place[0], "")[place[1] : place[2]].split()) or "–") for place in places]
