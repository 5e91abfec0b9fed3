"""The report of runs as one HTML file that makes no network requests: the result first, then the
texts by topic.

Everything is drawn once in each metric; the page shows the metric that its switch names.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ilpsum.errors import counted
from ilpsum.evaluation.comparison import FEWEST_TESTED, Pair, compare
from ilpsum.evaluation.scoring import Evaluation
from ilpsum.files.atomic import write_errors, write_file
from ilpsum.pages import charts, topics
from ilpsum.pages.charts import Scale
from ilpsum.pages.gathering import NESTED, Report
from ilpsum.pages.markup import (
    Markup,
    cell,
    filled,
    framed,
    head,
    join,
    run_name,
    short,
    table,
    tag,
)
from ilpsum.version import __version__

_FEW = 5
# Pairs of runs that are not folded, and differences in the table of topics.
_MOST_PAIRS, _MOST_DIFFERENCES = 3, 2
_NO_SCORES = (
    "No scores: no topic has gold summaries. Name topics that have some with --gold TOPICS."
)
_IN_SAMPLE = (
    "Not tested against each other: the values of each configuration were chosen by its scores on "
    "these topics, which favours those with more values. Compare the intervals; for a held-out "
    "comparison, summarise with --folds 5 and use ilpsum compare."
)
_OF_NESTED = (
    " The nested choice is no configuration: it estimates the whole procedure of choosing, each "
    "topic by the configuration that is best on the other folds."
)
_OPEN = tag("button", "Open all reasons", type="button", id="all", aria_pressed="false")
_TESTS = (
    "Tests are two-sided and paired by topic; Holm's correction counts {pairs} of a metric; the "
    "effect is Cohen's d of the paired differences."
)


def write(path: str | Path, report: Report) -> None:
    """Write a report; `IlpsumError` if that fails, which keeps an existing file."""
    with write_errors(Path(path)):
        write_file(path, page(report).encode())


def page(report: Report) -> str:
    """Return the page of a report, deterministically."""
    anchors = {topic.id: f"topic-{i}" for i, topic in enumerate(report.topics, start=1)}
    names = f"{', '.join(report.runs[:4])}{', …' if len(report.runs) > 4 else ''}"
    title = (
        f"Sweep of {counted(len(report.swept) - 1, 'configuration')}"
        if report.swept
        else f"Summaries by {names}"
    )
    gold = sum(bool(topic.gold) for topic in report.topics)
    size = counted(len(report.topics), "topic")
    if not report.swept:
        size += f", {counted(len(report.runs), 'run')}"
    notes = [f"Made by ilpsum {__version__}."]
    notes += ["Intervals are 95% bootstrap intervals of the mean."] if report.scores else []
    if report.scores and len(report.runs) > 1 and not report.swept:
        pairs = "the pairs with the reference" if report.reference.baseline else "all pairs"
        notes.append(_TESTS.format(pairs=pairs))
    # Without a choice, the first metric is shown.
    rule = ".overview:not(:has(#metric-{0}:checked)) .m{0} {{ display: none; }}\n"
    metrics = range(len(report.scores) if len(report.scores) > 1 else 0)
    return framed(
        title,
        about=tag(
            "p", f"{size}, {f'gold summaries for {gold}' if gold else 'no gold summaries'}. ", _OPEN
        ),
        scripts=("page.js", "report.js"),
        style="".join(map(rule.format, metrics)),
        main=join(
            _overview(report, anchors),
            *(topics.section(report, t, anchors[t.id]) for t in report.topics),
        ),
        footer=tag("p", " ".join(notes)),
    )


def _overview(report: Report, anchors: Mapping[str, str]) -> Markup:
    said, runs = _result(report, anchors), _runs(report)
    parts = (_curves(report), runs, _configurations(report), said) if report.swept else (said, runs)
    title = tag("h2", "Result", id="result", tabindex="-1")
    # Of many topics, the script shows one at a time.
    many = "overview many" if len(report.topics) > _FEW else "overview"
    return tag(
        "section", title, _switch(report), *parts, _topics(report, anchors), _measured(report),
        class_=many, aria_labelledby="result",
    )  # fmt: skip


def _switch(report: Report) -> Markup:
    labels = [Markup()]
    for i, evaluations in enumerate(report.scores):
        button = (
            f'<input type="radio" name="metric" id="metric-{i}" '
            f'autocomplete="off"{"" if i else " checked"}>'
        )
        labels.append(tag("label", Markup(button), f" {evaluations[0].metric} {report.measure}"))
    return (
        tag("fieldset", tag("legend", "Score"), *labels, class_="metrics")
        if len(report.scores) > 1
        else Markup()
    )


def _configurations(report: Report) -> Markup:
    names, *rows = report.swept
    cells = [[first, *(tag("td", value) for value in rest)] for first, *rest in rows]
    shown = table("Configurations", [*map(head, names)], cells)
    return tag("details", tag("summary", f"All {counted(len(rows), 'configuration')}"), shown)


def _measured(report: Report) -> Markup:
    settings = [
        join(tag("dt", tag("bdi", name)), tag("dd", own[-1]))
        for name, own in report.settings.items()
    ]
    signatures = [*_signatures(report)]
    heading = tag("summary", "Settings of the runs, and how the scores were computed")
    return tag("details", heading, tag("dl", *settings), tag("ul", *signatures, class_="facts"))


def _signatures(report: Report) -> Iterator[Markup]:
    """Yield the signatures of the scores; one that not all runs share has the names of its runs."""
    for evaluations in report.scores:
        runs_of: dict[str, list[str]] = {}
        for evaluation in evaluations:
            runs_of.setdefault(str(evaluation.signed), []).append(evaluation.run)
        for signature, runs in runs_of.items():
            names = f" {', '.join(runs)}" if len(runs_of) > 1 else ""
            yield tag("li", tag("code", signature), names)


def _result(report: Report, anchors: Mapping[str, str]) -> Markup:
    """Return what the scores say of each pair of runs, in each metric, the reference first; the run
    with the higher mean comes first. Configurations of a sweep are not tested.
    """
    if report.swept:
        nested = NESTED in report.runs
        return tag("p", _IN_SAMPLE, _OF_NESTED if nested else "", class_="result")
    said = [tag("p", _NO_SCORES, class_="result")] if not report.scores else []
    for i, evaluations in enumerate(report.scores):
        ranked = _ranked(report, evaluations)
        compared = compare(ranked, report.measure, report.reference, seed=report.seed)
        pairs = [_pair(report, _upward(pair), anchors, evaluations) for pair in compared]
        shown = [*_reference(report, evaluations, len(pairs)), *pairs[:_MOST_PAIRS]]
        if rest := pairs[_MOST_PAIRS:]:
            heading = tag("summary", f"{counted(len(rest), 'more pair')} of runs")
            shown.append(tag("details", heading, *rest))
        said.append(tag("div", *shown, class_=f"m{i}"))
    return join(*said)


def _reference(report: Report, evaluations: Sequence[Evaluation], pairs: int) -> Iterator[Markup]:
    """Yield what the runs are compared with, and which runs are not tested."""
    reference = report.reference
    if reference.baseline:
        index = report.runs.index(reference.baseline)
        mean = getattr(evaluations[index].mean, report.measure)
        yield tag(
            "p",
            "Reference: ",
            run_name(reference.baseline, index),
            f", mean {evaluations[index].metric} {report.measure} {short(mean)}. The other runs "
            f"are compared with it; p-values are corrected for {counted(pairs, 'comparison')}.",
            class_="result",
        )
    for oracle in reference.oracles:
        name = run_name(oracle, report.runs.index(oracle))
        yield tag("p", name, " has seen the gold summaries: an upper bound, which is not tested.")


def _upward(pair: Pair) -> Pair:
    """Return a pair with the run of the higher mean first."""
    if pair.difference >= 0:
        return pair
    return replace(
        pair,
        first=pair.second,
        second=pair.first,
        difference=-pair.difference,
        low=-pair.high,
        high=-pair.low,
        effect=-pair.effect,
        wins=pair.losses,
        losses=pair.wins,
    )


def _pair(
    report: Report, pair: Pair, anchors: Mapping[str, str], evaluations: Sequence[Evaluation]
) -> Markup:
    i, j = report.runs.index(pair.first), report.runs.index(pair.second)
    ours, theirs = evaluations[i].topics, evaluations[j].topics
    gaps = sorted(
        (report.score(ours, topic) - report.score(theirs, topic), topic) for topic in ours
    )
    begins = ""
    if pair.holm is None:
        begins = f"Too few topics for a test ({len(ours)} of {FEWEST_TESTED}). "
    elif not pair.is_significant:
        begins = "No significant difference: "
    measured = f" {pair.metric} {report.measure} [{short(pair.low)}, {short(pair.high)}]"
    equal = f", {pair.ties} equal" if pair.ties else ""
    won = f", {pair.wins} of {counted(len(ours), 'topic')}{equal}"
    tested = "" if pair.holm is None else f"; p = {short(pair.holm, 4)}, corrected"
    ends = [_extreme("gain", *gaps[-1], anchors), _extreme("loss", *gaps[0], anchors)]
    return tag(
        "p",
        begins,
        run_name(pair.first, i),
        " is above " if pair.difference else " equals ",
        run_name(pair.second, j),
        " by ",
        tag("b", short(pair.difference)),
        measured,
        won,
        tested,
        ". ",
        tag("small", join(f"Effect {short(pair.effect, 2)}", *ends, between=", ")),
        class_="result",
    )


def _extreme(name: str, gap: float, topic: str, anchors: Mapping[str, str]) -> Markup:
    """Return the topic with the largest gain or loss, linked; or that there is none."""
    if gap <= 0 if name == "gain" else gap >= 0:
        return join(f"no {name}")
    link = tag("a", tag("bdi", topic), href=f"#{anchors[topic]}")
    return join(f"largest {name} ", link, f" ({short(gap, signed=True)})")


def _ranked(report: Report, evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    return sorted(
        evaluations, key=lambda evaluation: -float(getattr(evaluation.mean, report.measure))
    )


def _runs(report: Report) -> Markup:
    """Return the table of runs: system, lambda or threshold, words, and the mean of each metric
    with its interval.
    """
    names = [f"{evaluations[0].metric} {report.measure}" for evaluations in report.scores]
    intervals = [
        [e.interval(report.measure, seed=report.seed) for e in own] for own in report.scores
    ]
    rows = []
    for i, name in enumerate(report.runs):
        own = [topic.runs[name] for topic in report.topics if name in topic.runs]
        sizes = [len(each.text.split()) for each in own if each.text]
        words, failed = sum(sizes) / (len(sizes) or 1), sum(bool(each.error) for each in own)
        texts = cell(len(sizes), f"{len(sizes)}{f', {failed} failed' if failed else ''}")
        settings = (tag("td", value or "–") for value in report.settings.get(name, ("", ""))[:2])
        note = report.scores[0][i].training_note if report.scores else ""
        named = join(run_name(name, i), tag("small", note, class_="note") if note else "")
        if report.swept:
            named = join(report.heads[i], " ", named)
        row: list[object] = [named, *settings, cell(words, f"{words:.0f}"), texts]
        for each in intervals:
            scale = Scale.of(end for measured in each for end in (measured.low, measured.high))
            shown = (
                f" [{short(each[i].low)}, {short(each[i].high)}]",
                charts.interval(scale, i, each[i]),
            )
            row.append(
                tag(
                    "td",
                    tag("b", short(each[i].mean)),
                    *shown,
                    data_value=each[i].mean,
                    class_="mean",
                )
            )
        rows.append(row)
    return table(
        "Runs",
        [*map(head, ("run", "system", "lambda or threshold", "words", "texts", *names))],
        rows,
    )


def _differences(report: Report, evaluations: Sequence[Evaluation]) -> list[tuple[int, int]]:
    """Return the pairs of runs, by index, whose differences the table of topics shows: of the best
    runs but oracles with the baseline, or of the best run with the next.
    """
    ranked = [evaluations.index(own) for own in _ranked(report, evaluations)]
    if not report.reference.baseline:
        best, *others = ranked
        return [(best, other) for other in others[:_MOST_DIFFERENCES]]
    baseline = report.runs.index(report.reference.baseline)
    oracles = [report.runs.index(oracle) for oracle in report.reference.oracles]
    others = [index for index in ranked if index not in (baseline, *oracles)]
    return [(other, baseline) for other in others[:_MOST_DIFFERENCES]]


def _topics(report: Report, anchors: Mapping[str, str]) -> Markup:
    """Return the table of topics: dots, differences and scores in each metric, words shared,
    question or title.

    The topics stand in the order of their differences in the first metric; `anchors` are the ids of
    their sections.
    """
    # Of each column its head, its metric, whether it holds differences, and its values by topic.
    columns: list[tuple[object, int, bool, dict[str, float]]] = []
    plots: list[tuple[Scale, list[dict[str, float]]]] = []
    for i, evaluations in enumerate(report.scores):
        scores = [
            {topic: report.score(own.topics, topic) for topic in own.topics} for own in evaluations
        ]
        for minuend, subtrahend in _differences(report, evaluations):
            gaps = {
                topic: score - scores[subtrahend][topic] for topic, score in scores[minuend].items()
            }
            name = f"{report.heads[minuend]} −\N{NO-BREAK SPACE}{report.heads[subtrahend]}"
            columns.append((name, i, True, gaps))
        columns += [(run_name(report.heads[n], n), i, False, own) for n, own in enumerate(scores)]
        plots.append((Scale.of(score for own in scores for score in own.values()), scores))
    first = columns[0][-1] if columns else {}
    rows = []
    for topic in sorted(report.topics, key=lambda topic: -first.get(topic.id, -math.inf)):
        row: list[object] = [tag("a", tag("bdi", topic.id), href=f"#{anchors[topic.id]}")]
        dots = [
            charts.dots(
                scale, [own.get(topic.id, math.nan) for own in scores], f"grid-{i}", f"m{i}"
            )
            for i, (scale, scores) in enumerate(plots)
        ]
        row += [tag("td", *dots, class_="plot")] if plots else []
        for _, i, signed, values in columns:
            value = values.get(topic.id, math.nan)
            row.append(cell(value, short(value, signed=signed), f"m{i}"))
        row.append(
            cell(topic.shared, f"{topic.shared:.0%}" if math.isfinite(topic.shared) else "–")
        )
        rows.append(
            [
                *row,
                tag(
                    "td", topic.title or ("" if topic.has_citances else topic.query), class_="about"
                ),
            ]
        )
    axes = [charts.axis(scale, f"grid-{i}", f"m{i}") for i, (scale, _) in enumerate(plots)]
    heads = [
        head("topic"),
        *([head(tag("span", "plot", class_="spoken"), *axes, class_="plot")] if axes else []),
    ]
    for n, (shown, i, *_) in enumerate(columns):
        heads.append(head(shown, class_=f"m{i}", aria_sort=None if n else "descending"))
    return table(
        "Topics", [*heads, head("words shared"), head("question or title")], rows, id="topics"
    )


def _curves(report: Report) -> Markup:
    """Return the mean scores over lambda, in each metric; empty unless the sweep has several
    lambdas.
    """
    if not report.curves:
        return Markup()
    drawn = []
    for i, (evaluations, curves) in enumerate(zip(report.scores, report.curves, strict=True)):
        score = f"mean {evaluations[0].metric} {report.measure}"
        drawn.append(charts.curves(curves, score, f"m{i}"))
    steered = any(own.steering for topic in report.topics for own in topic.runs.values())
    slider = filled("report-everywhere.html") if steered else ""
    return filled("report-lambda.html", drawn=join(*drawn), slider=slider)
