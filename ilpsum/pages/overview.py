"""What a report says first: the result in words, the runs with their means, and the topics, a row and a plot each.

Everything is drawn once in each metric; the page shows the metric that its switch names.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

from ilpsum.errors import counted
from ilpsum.evaluation.comparison import FEWEST_TESTED, Pair, compare
from ilpsum.evaluation.scoring import Evaluation
from ilpsum.pages import charts
from ilpsum.pages.charts import Scale
from ilpsum.pages.markup import Markup, filled, join, tag
from ilpsum.pages.tables import cell, head, run_name, short, table
from ilpsum.pages.view import Report, ShownTopic

_SURE = 0.05
_LONG_QUERY = 300
# Pairs of runs that are not folded, and differences in the table of topics.
_MOST_PAIRS, _MOST_DIFFERENCES = 3, 2
_NO_SCORES = "No scores: no topic has gold summaries. Name topics that have some with --gold TOPICS."


def is_long(query: str) -> bool:
    """Return whether a query is too long for a question: the citances of a paper."""
    return len(query) > _LONG_QUERY


def switch(report: Report) -> Markup:
    """Return the switch between metrics; empty if there is only one."""
    named = [f"{evaluations[0].metric} {report.measure}" for evaluations in report.scores]
    inputs = [
        Markup(f'<input type="radio" name="metric" id="metric-{i}" autocomplete="off"{" checked" if not i else ""}>')
        for i in range(len(named))
    ]
    labels = [tag("label", button, " ", name) for button, name in zip(inputs, named, strict=True)]
    return tag("fieldset", tag("legend", "Score"), *labels, class_="metrics") if len(named) > 1 else Markup()


def style(report: Report) -> str:
    """Return the style by which the page shows one metric; without a choice the first."""
    shown = (f".overview:not(:has(#metric-{i}:checked)) .m{i} {{ display: none; }}\n" for i in range(len(report.scores)))
    return "".join(shown) if len(report.scores) > 1 else ""


def result(report: Report, anchors: Mapping[str, str]) -> Markup:
    """Return the result in words, in each metric."""
    if not report.scores:
        return tag("p", _NO_SCORES, class_="result")
    return join(*(tag("div", *_said(report, own, anchors), class_=f"m{i}") for i, own in enumerate(report.scores)))


def _said(report: Report, evaluations: Sequence[Evaluation], anchors: Mapping[str, str]) -> Iterator[Markup]:
    """Yield what the scores in one metric say of each pair of runs; the run with the higher mean comes first."""
    ranked = _ranked(report, evaluations)
    pairs = [_pair(report, pair, anchors, evaluations) for pair in compare(ranked, report.measure, seed=report.seed)]
    yield from pairs[:_MOST_PAIRS]
    if rest := pairs[_MOST_PAIRS:]:
        yield tag("details", tag("summary", f"{counted(len(rest), 'more pair')} of runs"), *rest)


def _pair(report: Report, pair: Pair, anchors: Mapping[str, str], evaluations: Sequence[Evaluation]) -> Markup:
    first, second = (run_name(name, report.runs.index(name)) for name in (pair.first, pair.second))
    by_name = {evaluation.run: evaluation.topics for evaluation in evaluations}
    topics = len(by_name[pair.first])
    counts = f"{pair.wins} of {counted(topics, 'topic')}{f', {pair.ties} equal' if pair.ties else ''}"
    size = join(
        tag("b", short(pair.difference)), f" {pair.metric} {report.measure} [{short(pair.low)}, {short(pair.high)}], "
    )  # fmt: skip
    above = join(first, " is above " if pair.difference else " equals ", second, " by ", size, counts)
    if pair.p_value is None or pair.holm is None:
        few = f"Nothing can be said: {counted(topics, 'topic')}, and a test needs {FEWEST_TESTED}. "
        said = join(few, above)
    else:
        sure = above if pair.holm < _SURE else join("No significant difference: ", above)
        said = join(sure, f"; p = {short(pair.holm, 4)}, corrected")
    differences = {t: _of(report, by_name[pair.first], t) - _of(report, by_name[pair.second], t) for t in anchors}
    known = sorted((gap, t) for t, gap in differences.items() if math.isfinite(gap))
    ends = (("largest gain", known[-1]), ("largest loss", known[0]))
    links = [
        join(name, " ", tag("a", tag("bdi", t), href=f"#{anchors[t]}"), f" ({short(gap, signed=True)})")
        for name, (gap, t) in ends
    ]
    return tag(
        "p", said, ". ", tag("small", join(f"Effect {short(pair.effect, 2)}", *links, between=", ")), class_="result"
    )


def _ranked(report: Report, evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    return sorted(evaluations, key=lambda evaluation: -float(getattr(evaluation.mean, report.measure)))


def _of(report: Report, scores: Mapping[str, object], topic: str) -> float:
    """Return the score of a topic; nan without one."""
    return float(getattr(scores.get(topic), report.measure, math.nan))


def runs(report: Report) -> Markup:
    """Return the table of runs: system, lambda or threshold, words, and the mean of each metric with its interval."""
    intervals = [[e.interval(report.measure, seed=report.seed) for e in own] for own in report.scores]
    scales = [Scale.of(end for own in each for end in (own.low, own.high)) for each in intervals]
    rows = []
    for i, name in enumerate(report.runs):
        own = [topic.runs[name] for topic in report.topics if name in topic.runs]
        texts = [each.text for each in own if each.text]
        words = sum(len(text.split()) for text in texts) / (len(texts) or 1)
        failed = sum(bool(each.error) for each in own)
        system, tuned, _ = report.settings.get(name, ("", "", ""))
        counts = f"{len(texts)}{f', {failed} failed' if failed else ''}"
        row: list[object] = [run_name(name, i), tag("td", system or "–"), tag("td", tuned or "–")]
        row += [cell(words, f"{words:.0f}"), cell(len(texts), counts)]
        for scale, each in zip(scales, intervals, strict=True):
            shown = join(tag("b", short(each[i].mean)), f" [{short(each[i].low)}, {short(each[i].high)}]")
            row.append(tag("td", shown, charts.interval(scale, i, each[i]), data_value=each[i].mean, class_="mean"))
        rows.append(row)
    names = [f"{evaluations[0].metric} {report.measure}" for evaluations in report.scores]
    heads = [head(name) for name in ("run", "system", "lambda or threshold", "words", "texts")]
    return table("Runs", [*heads, *map(head, names)], rows)


def topics(report: Report, anchors: Mapping[str, str]) -> Markup:
    """Return the table of topics: dots, differences and scores in each metric, words shared, question or title.

    The topics stand in the order of their differences in the first metric; `anchors` are the ids of their sections.
    """
    heads, scales = (
        [head("topic")],
        [Scale.of(_of(report, e.topics, t) for e in own for t in e.topics) for own in report.scores],
    )
    compared = [_compared(report, own) for own in report.scores]
    if scales:
        axes = [charts.axis(scale, f"grid-{i}", f"m{i}") for i, scale in enumerate(scales)]
        heads.append(head(tag("span", "plot", class_="spoken"), *axes, class_="plot"))
    for i, (evaluations, pairs) in enumerate(zip(report.scores, compared, strict=True)):
        names = [f"{first.run} − {second.run}" for first, second in pairs]
        names += [run_name(own.run, n) for n, own in enumerate(evaluations)]
        order = [None if i or n else "descending" for n in range(len(names))]
        heads += [head(name, class_=f"m{i}", aria_sort=to) for name, to in zip(names, order, strict=True)]
    heads += [head("words shared")] if len(report.runs) > 1 else []
    rows = [_row(report, topic, anchors[topic.id], scales, compared) for topic in report.topics]
    rows.sort(key=lambda row: (math.isnan(row[0]), -row[0] if report.scores else 0))
    return table("Topics", [*heads, head("question or title")], [row for _, row in rows], id="topics")


def _row(
    report: Report,
    topic: ShownTopic,
    anchor: str,
    scales: Sequence[Scale],
    compared: Sequence[Sequence[tuple[Evaluation, Evaluation]]],
) -> tuple[float, list[object]]:
    """Return the row of a topic after the number by which it is sorted."""
    row: list[object] = [tag("a", tag("bdi", topic.id), href=f"#{anchor}")]
    order, drawn, numbers = math.nan, [], list[Markup]()
    for i, (evaluations, pairs, scale) in enumerate(zip(report.scores, compared, scales, strict=True)):
        gaps = [_of(report, a.topics, topic.id) - _of(report, b.topics, topic.id) for a, b in pairs]
        own = [_of(report, evaluation.topics, topic.id) for evaluation in evaluations]
        drawn.append(charts.dots(scale, own, f"grid-{i}", f"m{i}"))
        numbers += [cell(gap, short(gap, signed=True), f"m{i}") for gap in gaps]
        numbers += [cell(score, short(score), f"m{i}") for score in own]
        order = order if i else (gaps or own)[0]
    row += [tag("td", *drawn, class_="plot"), *numbers] if drawn else []
    if len(report.runs) > 1:
        row.append(cell(topic.shared, f"{topic.shared:.0%}" if math.isfinite(topic.shared) else "–"))
    return order, [*row, tag("td", topic.title or ("" if is_long(topic.query) else topic.query), class_="about")]


def _compared(report: Report, evaluations: Sequence[Evaluation]) -> list[tuple[Evaluation, Evaluation]]:
    """Return the best run of a metric with each of the next."""
    best, *others = _ranked(report, evaluations)
    return [(best, other) for other in others[:_MOST_DIFFERENCES]]


def curves(report: Report) -> Markup:
    """Return the mean scores of the runs over lambda, in each metric; empty unless a run has its exact path."""
    drawn = []
    for i in range(len(report.scores)):
        steps = [(n, _mean_steps(report, name, i)) for n, name in enumerate(report.runs)]
        found = [(n, path) for n, path in steps if path]
        if found:
            own = [_lambdas(report, report.runs[n]) for n, _ in found]
            drawn.append(charts.steps(found, own, f"m{i}"))
    if not drawn:
        return Markup()
    lambda_ = filled("report-lambda.html")
    about = "Mean score at every lambda, from the exact paths; below, the breakpoints. A mark is a run's own lambda."
    return tag("figure", tag("figcaption", about), *drawn, lambda_, class_="curves")


def _lambdas(report: Report, run: str) -> float:
    """Return the lambda of a run that has one for all topics."""
    return next(own.steering.lambda_ for topic in report.topics if (own := topic.runs.get(run)) and own.steering)


def _mean_steps(report: Report, run: str, metric: int) -> list[tuple[float, float]]:
    """Return the lambdas at which a run's mean score changes, each with the score from there; empty without paths."""
    scored = [topic for topic in report.topics if topic.id in report.scores[metric][0].topics]
    steered = [own.steering if (own := topic.runs.get(run)) else None for topic in scored]
    begins = []
    for n, steering in enumerate(steered):
        if steering is None or not steering.scores:
            return []
        begins += [(s.start, n, steering.scores[s.chosen][metric]) for s in steering.paths[steering.words]]
    current, means = [0.0] * len(scored), dict[float, float]()
    for start, n, score in sorted(begins):
        current[n] = score
        means[start] = round(sum(current) / len(scored), 6)
    return list(means.items())
