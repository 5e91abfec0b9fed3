"""Sentences that only one of two runs selected for a topic, valued by the objective of one ILP."""

import math
from collections.abc import Mapping, Sequence

from ilpsum.errors import counted
from ilpsum.pages.markup import Markup, tag, text
from ilpsum.pages.tables import Cell, bar, colour, number, run_name, table
from ilpsum.pages.view import Answer, AnswerLine, Contrast, Side
from ilpsum.pipeline.programs import Programs


def contrasts_of(answers: Mapping[str, Answer]) -> tuple[Contrast, ...]:
    """Compare one run with each other run that has provenance: the first with an ILP, else the first."""
    known = [run for run, answer in answers.items() if answer.lines]
    first = next((run for run in known if answers[run].programs), known[0] if known else "")
    return tuple(_contrast(first, run, answers) for run in known if run != first)


def _contrast(first: str, second: str, answers: Mapping[str, Answer]) -> Contrast:
    programs, lines = answers[first].programs, [answers[run].lines for run in (first, second)]
    places = [{line.sentence.place for line in side} for side in lines]
    ours = _side(first, programs, lines[0], places[1])
    return Contrast(len(places[0] & places[1]), (ours, _side(second, programs, lines[1], places[0], ours.objective)))


def _side(
    run: str,
    programs: Programs | None,
    lines: Sequence[AnswerLine],
    others: set[tuple[str, int, int]],
    optimum: float | None = None,
) -> Side:
    """Return one side of a contrast; `optimum` defaults to the run's own objective."""
    alone = [i for i, line in enumerate(lines) if line.sentence.place not in others]
    taken, words = tuple(lines[i] for i in alone), sum(line.words for line in lines)
    rows = programs.rows(line.sentence for line in lines) if programs else None
    if programs is None or rows is None:
        return Side(run, words, taken, (math.nan,) * len(alone), math.nan, math.nan, math.nan)
    problem = programs.own
    relevance, coverage, _ = problem.terms(rows)
    objective = problem.value(rows)
    optimum = objective if optimum is None else optimum
    lost = (objective - problem.value(rows[:i] + rows[i + 1 :]) for i in alone)
    losses = tuple(loss / optimum if optimum > 0 else math.nan for loss in lost)
    return Side(run, words, taken, losses, relevance, coverage, objective)


def section(contrast: Contrast, topic: str, runs: Sequence[str]) -> Markup:
    """Return two runs side by side, collapsed; `runs` lists all run names, in the order of their colours."""
    priced = math.isfinite(contrast.sides[0].objective)
    note = (
        f"Bars: what the objective of {contrast.sides[0].run} would lose without the sentence, in per cent of the "
        "optimum. What several sentences of a set say is lost with none of them alone."
    )
    top = max((loss for side in contrast.sides for loss in side.losses if math.isfinite(loss)), default=0.0)
    columns = [_column(side, runs.index(side.run), top, priced=priced) for side in contrast.sides]
    return tag(
        "details",
        tag("summary", tag("bdi", _headline(contrast))),
        _worths(contrast, topic) if priced else "",
        tag("div", *columns, class_="columns"),
        tag("p", note, class_="note") if priced else "",
        class_="contrast",
    )


def _headline(contrast: Contrast) -> Markup:
    ours, theirs = contrast.sides
    only = ", ".join(f"only in {side.run}: {len(side.alone)}" for side in contrast.sides)
    head = f"{ours.run} beside {theirs.run}; sentences in both: {contrast.both}, {only}"
    share = theirs.objective / ours.objective if ours.objective else math.nan
    below = f"; {theirs.run} is {1 - share:.1%} below the optimum of the objective of {ours.run}"
    return text(head + below if math.isfinite(share) else head)


def _worths(contrast: Contrast, topic: str) -> Markup:
    rows: list[list[Cell]] = []
    for side in contrast.sides:
        if math.isfinite(side.objective):
            paid = sum(line.words for line in side.alone)
            rows.append([tag("bdi", side.run), side.words, paid, side.relevance, side.coverage, side.objective])
    head = ["run", "words", "words that the other did not take", "relevance", "coverage", "objective"]
    runs = " and ".join(side.run for side in contrast.sides)
    return table(f"What {runs} paid on {topic}, and what they got", head, rows)


def _column(side: Side, index: int, top: float, *, priced: bool) -> Markup:
    entries = []
    for line, loss in zip(side.alone, side.losses, strict=True):
        price = f" for {number(100 * loss, 1)}% of the objective"
        if not math.isfinite(loss):
            price = "; no candidate of the ILP" if priced else ""
        chart = bar(loss, top, index) if math.isfinite(loss) else ""
        facts = f"{counted(line.words, 'word')}{price}"
        entries.append(tag("li", tag("p", line.text), chart, tag("p", facts, class_="facts")))
    nothing = tag("p", "nothing that the other did not take", class_="note")
    listed = tag("ul", *entries, class_="alone") if entries else nothing
    return tag("article", tag("h3", "Only ", run_name(side.run, index)), listed, class_=colour(index))
