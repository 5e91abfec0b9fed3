"""What two runs took on a topic that the other did not, and what each paid for it, by the objective of one ILP."""

import math
from collections.abc import Mapping, Sequence

from ilpsum.pipeline.programs import Programs
from ilpsum.report import charts
from ilpsum.report.content import Alone, Answer, Chosen, Contrast, Worth
from ilpsum.report.markup import Markup, tag, text
from ilpsum.report.tables import number, run_name, table
from ilpsum.selection import Problem


def contrasts_of(answers: Mapping[str, Answer]) -> tuple[Contrast, ...]:
    """Return the first run with an ILP beside each other run that has provenance."""
    first = next((run for run, answer in answers.items() if answer.programs and answer.sentences), None)
    if first is None:
        return ()
    others = [run for run, answer in answers.items() if run != first and answer.sentences]
    return tuple(_contrast(first, run, answers) for run in others)


def _contrast(first: str, second: str, answers: Mapping[str, Answer]) -> Contrast:
    programs = answers[first].programs
    assert programs is not None
    sides = [answers[run].sentences for run in (first, second)]
    places = [{chosen.sentence.place for chosen in side} for side in sides]
    problem = programs.own
    worths = [_worth(problem, programs, side) for side in sides]
    best = worths[0].objective if worths[0] else math.nan
    alone = [_alone(problem, programs, side, best, places[1 - k]) for k, side in enumerate(sides)]
    return Contrast((first, second), len(places[0] & places[1]), (alone[0], alone[1]), (worths[0], worths[1]))


def _worth(problem: Problem, programs: Programs, side: Sequence[Chosen]) -> Worth | None:
    rows = programs.rows(chosen.sentence for chosen in side)
    if rows is None:
        return None
    relevance, coverage, _ = problem.terms(rows)
    return Worth(sum(chosen.words for chosen in side), relevance, coverage, problem.value(rows))


def _alone(
    problem: Problem, programs: Programs, side: Sequence[Chosen], best: float, others: set[tuple[str, int, int]]
) -> tuple[Alone, ...]:
    """Return the sentences of a run that the other did not take, each with what its set loses without it."""
    rows = programs.rows(chosen.sentence for chosen in side)
    alone = []
    for i, chosen in enumerate(side):
        if chosen.sentence.place in others:
            continue
        loss = math.nan
        if rows is not None and best > 0:
            loss = (problem.value(rows) - problem.value(rows[:i] + rows[i + 1 :])) / best
        alone.append(Alone(chosen, loss))
    return tuple(alone)


def drawn(contrast: Contrast, topic: str, indices: Sequence[int]) -> Markup:
    """Return two runs beside each other on a topic, folded; `indices` are the numbers of their colours."""
    first = contrast.runs[0]
    heading = tag("summary", tag("bdi", _headline(contrast)))
    top = max((one.loss for side in contrast.alone for one in side if math.isfinite(one.loss)), default=0.0)
    columns = [
        tag(
            "article",
            tag("h3", "Only ", run_name(run, index)),
            tag("ul", *(_entry(one, top, index) for one in side), class_="alone")
            if side
            else tag("p", "nothing that the other did not take", class_="note"),
            class_=charts.colour(index),
        )
        for run, index, side in zip(contrast.runs, indices, contrast.alone, strict=True)
    ]
    note = (
        f"Bars: what the objective of {first} would lose without the sentence, in per cent of the optimum. "
        "What several sentences of a set say is lost with none of them alone."
    )
    return tag(
        "details",
        heading,
        _worths(contrast, topic),
        tag("div", *columns, class_="columns"),
        tag("p", note, class_="note"),
        class_="contrast",
    )


def _headline(contrast: Contrast) -> Markup:
    first, second = contrast.runs
    counts = [len(side) for side in contrast.alone]
    both = f"sentences in both: {contrast.both}"
    head = f"{first} beside {second}; {both}, only in {first}: {counts[0]}, only in {second}: {counts[1]}"
    ours, theirs = contrast.worth
    if ours is None or theirs is None or not ours.objective:
        return text(head)
    below = f"{1 - theirs.objective / ours.objective:.1%} below the optimum"
    return text(f"{head}; {second} is {below} of the objective of {first}")


def _worths(contrast: Contrast, topic: str) -> Markup:
    rows: list[list[str | float | Markup]] = []
    for run, worth, side in zip(contrast.runs, contrast.worth, contrast.alone, strict=True):
        if worth:
            paid = sum(one.chosen.words for one in side)
            rows.append([tag("bdi", run), worth.words, paid, worth.relevance, worth.coverage, worth.objective])
    head = ["run", "words", "words that the other did not take", "relevance", "coverage", "objective"]
    return table(f"What {' and '.join(contrast.runs)} paid on {topic}, and what they got", head, rows)


def _entry(alone: Alone, top: float, index: int) -> Markup:
    words = f"{alone.chosen.words} words"
    if not math.isfinite(alone.loss):
        return tag("li", tag("p", alone.chosen.text), tag("p", f"{words}; no candidate of the ILP", class_="facts"))
    worth = f"{words} for {number(100 * alone.loss, 1)}% of the objective"
    bar = charts.bar(alone.loss, top, index)
    return tag("li", tag("p", alone.chosen.text), bar, tag("p", worth, class_="facts"))
