"""What a report says first: the result in words, the runs with their means, and the topics, a row and a plot each.

Everything is drawn once in each metric; the page shows the metric that its switch names.
"""

import math
from collections.abc import Mapping, Sequence

from ilpsum.errors import counted
from ilpsum.evaluation.comparison import FEWEST_TESTED, Pair, compare
from ilpsum.evaluation.scoring import Evaluation
from ilpsum.evaluation.steering import mean_steps
from ilpsum.pages import charts
from ilpsum.pages.charts import Curve, Scale
from ilpsum.pages.markup import Markup, filled, join, tag
from ilpsum.pages.tables import cell, head, run_name, short, table
from ilpsum.pages.view import Report

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
    labels = [Markup()]
    for i, evaluations in enumerate(report.scores):
        button = f'<input type="radio" name="metric" id="metric-{i}" autocomplete="off"{"" if i else " checked"}>'
        labels.append(tag("label", Markup(button), f" {evaluations[0].metric} {report.measure}"))
    return tag("fieldset", tag("legend", "Score"), *labels, class_="metrics") if len(report.scores) > 1 else Markup()


def style(report: Report) -> str:
    """Return the style by which the page shows one metric; without a choice the first."""
    rule = ".overview:not(:has(#metric-{0}:checked)) .m{0} {{ display: none; }}\n"
    return "".join(rule.format(i) for i in range(len(report.scores))) if len(report.scores) > 1 else ""


def result(report: Report, anchors: Mapping[str, str]) -> Markup:
    """Return what the scores say of each pair of runs, in each metric; the run with the higher mean comes first."""
    said = [tag("p", _NO_SCORES, class_="result")] if not report.scores else []
    for i, evaluations in enumerate(report.scores):
        compared = compare(_ranked(report, evaluations), report.measure, seed=report.seed)
        pairs = [_pair(report, pair, anchors, evaluations) for pair in compared]
        rest = pairs[_MOST_PAIRS:]
        folded = [tag("details", tag("summary", f"{counted(len(rest), 'more pair')} of runs"), *rest)] if rest else []
        said.append(tag("div", *pairs[:_MOST_PAIRS], *folded, class_=f"m{i}"))
    return join(*said)


def _pair(report: Report, pair: Pair, anchors: Mapping[str, str], evaluations: Sequence[Evaluation]) -> Markup:
    ours, theirs = (evaluations[report.runs.index(name)].topics for name in (pair.first, pair.second))
    first, second = (run_name(name, report.runs.index(name)) for name in (pair.first, pair.second))
    gaps = sorted((_of(report, ours, topic) - _of(report, theirs, topic), topic) for topic in ours)
    said = [Markup(), first, " is above " if pair.difference else " equals ", second, " by "]
    said += [tag("b", short(pair.difference)), f" {pair.metric} {report.measure} [{short(pair.low)}, "]
    said += [f"{short(pair.high)}], {pair.wins} of {counted(len(ours), 'topic')}"]
    said += [f", {pair.ties} equal" if pair.ties else ""]
    if pair.holm is None:
        said[0] = f"Nothing can be said: {counted(len(ours), 'topic')}, and a test needs {FEWEST_TESTED}. "
    else:
        said[0] = "No significant difference: " if pair.holm >= _SURE else ""
        said.append(f"; p = {short(pair.holm, 4)}, corrected")
    ends = []
    for name, (gap, topic) in (("gain", gaps[-1]), ("loss", gaps[0])):
        link = tag("a", tag("bdi", topic), href=f"#{anchors[topic]}")
        there = gap > 0 if name == "gain" else gap < 0
        ends.append(join(f"largest {name} ", link, f" ({short(gap, signed=True)})") if there else f"no {name}")
    more = join(f"Effect {short(pair.effect, 2)}", *ends, between=", ")
    return tag("p", *said, ". ", tag("small", more), class_="result")


def _ranked(report: Report, evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    return sorted(evaluations, key=lambda evaluation: -float(getattr(evaluation.mean, report.measure)))


def _of(report: Report, scores: Mapping[str, object], topic: str) -> float:
    """Return the score of a topic; nan without one."""
    return float(getattr(scores.get(topic), report.measure, math.nan))


def runs(report: Report) -> Markup:
    """Return the table of runs: system, lambda or threshold, words, and the mean of each metric with its interval."""
    names = [f"{evaluations[0].metric} {report.measure}" for evaluations in report.scores]
    intervals = [[e.interval(report.measure, seed=report.seed) for e in own] for own in report.scores]
    rows = []
    for i, name in enumerate(report.runs):
        own = [topic.runs[name] for topic in report.topics if name in topic.runs]
        sizes = [len(each.text.split()) for each in own if each.text]
        words, failed = sum(sizes) / (len(sizes) or 1), sum(bool(each.error) for each in own)
        texts = cell(len(sizes), f"{len(sizes)}{f', {failed} failed' if failed else ''}")
        settings = (tag("td", value or "–") for value in report.settings.get(name, ("", ""))[:2])
        row: list[object] = [run_name(name, i), *settings, cell(words, f"{words:.0f}"), texts]
        for each in intervals:
            scale = Scale.of(end for measured in each for end in (measured.low, measured.high))
            shown = f" [{short(each[i].low)}, {short(each[i].high)}]", charts.interval(scale, i, each[i])
            row.append(tag("td", tag("b", short(each[i].mean)), *shown, data_value=each[i].mean, class_="mean"))
        rows.append(row)
    return table("Runs", [*map(head, ("run", "system", "lambda or threshold", "words", "texts", *names))], rows)


def topics(report: Report, anchors: Mapping[str, str]) -> Markup:
    """Return the table of topics: dots, differences and scores in each metric, words shared, question or title.

    The topics stand in the order of their differences in the first metric; `anchors` are the ids of their sections.
    """
    # Of each column its head, its metric, whether it holds differences, and its values by topic.
    columns: list[tuple[object, int, bool, dict[str, float]]] = []
    plots: list[tuple[Scale, list[dict[str, float]]]] = []
    for i, evaluations in enumerate(report.scores):
        scores = [{topic: _of(report, own.topics, topic) for topic in own.topics} for own in evaluations]
        best, *others = (evaluations.index(own) for own in _ranked(report, evaluations))
        for other in others[:_MOST_DIFFERENCES]:
            gaps = {topic: score - scores[other][topic] for topic, score in scores[best].items()}
            name = f"{report.runs[best]} −\N{NO-BREAK SPACE}{report.runs[other]}"
            columns.append((name, i, True, gaps))
        columns += [(run_name(report.runs[n], n), i, False, own) for n, own in enumerate(scores)]
        plots.append((Scale.of(score for own in scores for score in own.values()), scores))
    first = columns[0][-1] if columns else {}
    rows = []
    for topic in sorted(report.topics, key=lambda topic: -first.get(topic.id, -math.inf)):
        row: list[object] = [tag("a", tag("bdi", topic.id), href=f"#{anchors[topic.id]}")]
        for i, (scale, scores) in enumerate(plots):
            row.append(charts.dots(scale, [own.get(topic.id, math.nan) for own in scores], f"grid-{i}", f"m{i}"))
        row[1:] = [tag("td", *row[1:], class_="plot")] if plots else []
        for _, i, signed, values in columns:
            value = values.get(topic.id, math.nan)
            row.append(cell(value, short(value, signed=signed), f"m{i}"))
        row.append(cell(topic.shared, f"{topic.shared:.0%}" if math.isfinite(topic.shared) else "–"))
        rows.append([*row, tag("td", topic.title or ("" if is_long(topic.query) else topic.query), class_="about")])
    axes = [charts.axis(scale, f"grid-{i}", f"m{i}") for i, (scale, _) in enumerate(plots)]
    heads = [head("topic"), *([head(tag("span", "plot", class_="spoken"), *axes, class_="plot")] if axes else [])]
    for n, (shown, i, *_) in enumerate(columns):
        heads.append(head(shown, class_=f"m{i}", aria_sort=None if n else "descending"))
    return table("Topics", [*heads, head("words shared"), head("question or title")], rows, id="topics")


def curves(report: Report) -> Markup:
    """Return the mean scores of the runs over lambda, in each metric; empty unless a run has its exact path."""
    drawn = []
    for i, evaluations in enumerate(report.scores):
        found = [_curve(report, evaluation, n, i) for n, evaluation in enumerate(evaluations)]
        if known := [curve for curve in found if curve]:
            drawn.append(charts.curves(known, f"m{i}"))
    return filled("report-lambda.html", drawn=join(*drawn)) if drawn else Markup()


def _curve(report: Report, evaluation: Evaluation, index: int, metric: int) -> Curve | None:
    """Return the mean score of a run over lambda; None unless all scored topics have exact paths."""
    runs = (topic.runs.get(evaluation.run) for topic in report.topics if topic.id in evaluation.topics)
    found = [own.steering for own in runs if own and own.steering and own.steering.scores]
    if len(found) < len(evaluation.topics):
        return None
    paths = [[(s.start, own.scores[s.chosen][metric]) for s in own.paths[own.words]] for own in found]
    return Curve(index, found[0].lambda_, mean_steps(paths), sorted({start for path in paths for start, _ in path[1:]}))
