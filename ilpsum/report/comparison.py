"""The page of a comparison of runs or selectors: scores, curves, differences by topic, and what each chose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from ilpsum.evaluation.comparison import Place, compare
from ilpsum.evaluation.scoring import Evaluation, Measure
from ilpsum.report import charts, contrasts, tables, topics
from ilpsum.report.content import Contrast
from ilpsum.report.frame import framed
from ilpsum.report.markup import Markup, join, tag
from ilpsum.version import __version__


@dataclass(frozen=True)
class Side:
    """A run or a selector.

    Attributes:
        name: its name.
        settings: its parameters, and how they were chosen.
        chosen: its sentences by topic; topics whose sentences are unknown are absent.
        curve: points of its parameter, lambda or threshold, and its score; empty if unknown.
    """

    name: str
    settings: str = ""
    chosen: Mapping[str, Sequence[Place]] | None = None
    curve: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True)
class Compared:
    """The content of the page.

    Attributes:
        about: a sentence on data, models and scores.
        sides: two or more.
        scores: for each metric, the first of which leads, the evaluations of the sides in their order.
        texts: the text of each sentence, by topic and place.
        questions: the query of each topic; empty for papers.
        measure, seed: of the tests.
        contrasts: by topic, what the first side with an ILP and each other one took and paid; empty if unknown.
    """

    about: str
    sides: Sequence[Side]
    scores: Sequence[Sequence[Evaluation]]
    texts: Mapping[tuple[str, Place], str]
    questions: Mapping[str, str]
    measure: Measure = "recall"
    seed: int = 0
    contrasts: Mapping[str, Sequence[Contrast]] = field(default_factory=dict)


def comparison_page(compared: Compared) -> str:
    """Return the page; equal comparisons give equal pages."""
    first = compared.scores[0][0]
    anchors = {topic: f"topic-{i}" for i, topic in enumerate(first.topics, start=1)}
    title = " against ".join(side.name for side in compared.sides)
    scores = join(*(_scores(compared, evaluations) for evaluations in compared.scores))
    return framed(
        title,
        about=tag("p", compared.about),
        navigation=_navigation(compared),
        main=join(
            _section("compared", "Compared", _sides(compared)),
            _section("scores", "Scores", scores),
            _curves(compared),
            _section("topics", "Topics", _topics(compared, anchors)),
        ),
        footer=_footer(compared),
    )


def _section(anchor: str, title: str, content: Markup) -> Markup:
    return tag("section", tag("h2", title, id=anchor, tabindex="-1"), content, aria_labelledby=anchor)


def _navigation(compared: Compared) -> Markup:
    parts = [("compared", "Compared"), ("scores", "Scores")]
    parts += [("curves", "Curves")] if any(side.curve for side in compared.sides) else []
    entries = [tag("li", tag("a", name, href=f"#{anchor}")) for anchor, name in [*parts, ("topics", "Topics")]]
    return tag("ul", *entries)


def _sides(compared: Compared) -> Markup:
    rows: list[list[tables.Cell]] = []
    for i, side in enumerate(compared.sides):
        sizes = [len(places) for places in (side.chosen or {}).values()]
        size = f"{sum(sizes) / len(sizes):.1f}" if sizes else "–"
        rows.append([tables.run_name(side.name, i), tag("div", side.settings or "–", class_="settings"), size])
    return tables.table("Settings", ["name", "chosen", "mean sentences"], rows)


def _scores(compared: Compared, evaluations: Sequence[Evaluation]) -> Markup:
    metric, measure = evaluations[0].metric, compared.measure
    means = tables.scores(evaluations, measure, compared.seed, "name")
    rows: list[list[tables.Cell]] = []
    for pair in compare(evaluations, measure, seed=compared.seed):
        interval = " to ".join(tables.number(end, sign="+") for end in (pair.bootstrap.low, pair.bootstrap.high))
        tests = [pair.bootstrap.p_value, pair.bootstrap_holm, pair.randomisation.p_value, pair.randomisation_holm]
        counts = f"{pair.wins} / {pair.ties} / {pair.losses}"
        names = f"{pair.first} − {pair.second}"
        rows.append([names, tables.number(pair.bootstrap.difference, sign="+"), interval, *tests, pair.effect, counts])
    head = ["pair", "difference", "95% interval", "p, bootstrap", "Holm", "p, randomisation", "Holm", "effect"]
    caption = f"{metric} {measure}: differences and their significance"
    return join(tag("h3", metric), means, tables.table(caption, [*head, "wins / ties / losses"], rows))


def _curves(compared: Compared) -> Markup:
    known = [(i, side) for i, side in enumerate(compared.sides) if side.curve]
    if not known:
        return Markup()
    metric = f"{compared.scores[0][0].metric} {compared.measure}"
    best = {side.name: max(side.curve, key=lambda point: point[1]) for _, side in known}
    caption = "; ".join(f"{name}: maximum {y:.4f} at {x:.4g}" for name, (x, y) in best.items())
    legend = tag("p", *(join(tables.run_name(side.name, i), " ") for i, side in known))
    chart = charts.plot([(i, side.curve) for i, side in known], "lambda or threshold", f"{metric}. {caption}")
    figure = tag("figure", tag("figcaption", f"{metric} on topics that chose the values: {caption}."), legend, chart)
    return _section("curves", "Score over lambda and threshold", figure)


def _topics(compared: Compared, anchors: Mapping[str, str]) -> Markup:
    evaluations, names = compared.scores[0], [side.name for side in compared.sides]
    rows: list[list[tables.Cell]] = []
    for topic, anchor in anchors.items():
        scores = [float(getattr(e.topics[topic], compared.measure)) for e in evaluations]
        chosen = [set((side.chosen or {}).get(topic, ())) for side in compared.sides]
        shared = [f"{len(a & b)} of {len(a | b)}" if a | b else "–" for a, b in combinations(chosen, 2)]
        differences = [a - b for a, b in combinations(scores, 2)]
        link = tag("a", tag("bdi", topic), href=f"#{anchor}")
        rows.append([link, *scores, *differences, *shared])
    pairs = [f"{a} − {b}" for a, b in combinations(names, 2)]
    head = ["topic", *names, *pairs, *(f"both, {a} and {b}" for a, b in combinations(names, 2))]
    caption = f"{evaluations[0].metric} {compared.measure} by topic; both: sentences that two chose, of all they chose"
    details = [_chosen(compared, topic, anchor) for topic, anchor in anchors.items()]
    return join(tables.table(caption, head, rows), *details)


def _chosen(compared: Compared, topic: str, anchor: str) -> Markup:
    """Return what each side took of a topic; collapsed.

    Without an ILP that prices them, all sentences in the order of the documents, with who chose them.
    """
    names = [side.name for side in compared.sides]
    query = topics.asked(compared.questions.get(topic, ""))
    if known := compared.contrasts.get(topic):
        priced = (contrasts.drawn(c, topic, [names.index(run) for run in c.runs]) for c in known)
        return tag("details", tag("summary", tag("bdi", topic)), tag("div", query, *priced, id=anchor))
    chosen = [(side.chosen or {}).get(topic, ()) for side in compared.sides]
    places = sorted(dict.fromkeys(place for places in chosen for place in places))
    rows: list[list[tables.Cell]] = []
    for place in places:
        marks = ["yes" if place in own else "" for own in chosen]
        rows.append([tag("bdi", compared.texts.get((topic, place), "–")), *marks, place[0]])
    table = tables.table(f"Sentences of {topic}", ["sentence", *names, "document"], rows) if rows else "no sentences"
    # A link to what is inside opens the details.
    return tag("details", tag("summary", tag("bdi", topic)), tag("div", query, table, id=anchor))


def _footer(compared: Compared) -> Markup:
    notes = (
        f"Made by ilpsum {__version__}. Tests are two-sided and paired by topic; Holm's correction counts all pairs of "
        "a metric; the effect is Cohen's d of the differences."
    )
    signatures = [tag("li", tag("code", str(evaluations[0].signature))) for evaluations in compared.scores]
    return join(tag("p", notes), tag("ul", *signatures))
