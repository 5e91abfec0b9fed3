"""Reproduce Figure 3 of Malakasiotis et al. (2015): the score over lambda, ILP-SUM-0, -1 and -2.

    python -m experiments figure3 [--pools snippets abstracts] [--systems NAME...]

Published: batches 4, 5 and 6 of BioASQ, each tested after training on the other five of batches
1-6, lambda from 0.0 to 1.0 in steps of 0.1, the mean of the batches' means. ILP-SUM-2 is above
ILP-SUM-1, which is above ILP-SUM-0; the differences grow with lambda; the best is ILP-SUM-2 at 0.8,
slightly above .41 (read off the figure). The paper summarised complete abstracts, of which few can be
had for these batches. So the figure is drawn twice: `snippets`, on the paper's batches with the gold
snippets as documents, and `abstracts`, on the questions with complete abstracts, editions 6 and 7,
each tested after training on all other editions from 1 to 8.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from experiments.bioasq import (
    CLIPPED,
    GREEDY,
    MEASURE,
    PAPER,
    SEEDS,
    Case,
    Row,
    Source,
    baseline,
    edition,
    pairs,
    recalls,
    table,
    train,
    variant,
)
from experiments.page import Page, Progress, markdown, parser
from experiments.plots import curves
from experiments.published import BESIDE, FIGURE_3
from features.arrays import Floats
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System

LAMBDAS = tuple(k / 10 for k in range(11))
PANELS = {"as published": PAPER, "relevance clipped": CLIPPED}
DOCUMENTS = {
    "snippets": "Batches 4-6; documents are the gold snippets, not the paper's complete abstracts.",
    "abstracts": "Editions 6 and 7, questions with complete abstracts; "
    "documents are the abstracts, and titles are no candidates.",
}


@dataclass(frozen=True)
class Split:
    """Questions to test on, and those to train on."""

    name: str
    training: tuple[Case, ...]
    test: tuple[Case, ...]


def splits(source: Source, pool: str) -> list[Split]:
    """Return the paper's three splits of snippets, or two of complete abstracts."""
    if pool == "snippets":
        groups = {f"batch {k + 1}": [batch] for k, batch in enumerate(edition(1, 2)[:6])}
        tested = ("batch 4", "batch 5", "batch 6")
    else:
        groups = {f"edition {number}": edition(number) for number in range(1, 9)}
        tested = ("edition 6", "edition 7")
    cases = {name: source.cases(batches, pool) for name, batches in groups.items()}
    made = []
    for name in tested:
        others = [case for other in cases if other != name for case in cases[other]]
        made.append(Split(name, tuple(others), tuple(cases[name])))
    return made


def curve(system: System, model: SystemModel, cases: Sequence[Case]) -> Floats:
    """Return recall of ROUGE-2 and ROUGE-SU4 by lambda and question, (11, cases, 2)."""
    pipeline = Pipeline(system, model)
    values = [recalls(pipeline.with_options(lambda_=value), cases) for value in LAMBDAS]
    return np.array(values)


def section(
    page: Page, pool: str, parts: Sequence[Split], systems: Sequence[str], progress: Progress
) -> list[str]:
    """Train, score and draw one figure; return its part of the page."""
    by_lambda: dict[str, list[Floats]] = {name: [] for name in systems}
    greedy: dict[str, list[Floats]] = {}
    for split in parts:
        models: dict[str, SystemModel] = {}
        for name in systems:
            system = variant(name)
            progress(f"{pool}, {split.name}: {name}")
            if system.name not in models:
                models[system.name] = train(system, split.training)
            model = models[system.name]
            by_lambda[name].append(curve(system, model, split.test))
            if name in GREEDY:
                summarizer = Pipeline(System.load(GREEDY[name]), model)
                greedy.setdefault(GREEDY[name], []).append(recalls(summarizer, split.test))
    means = {name: mean_of_means(values) for name, values in by_lambda.items()}
    draw(page, pool, means)

    cases = [case for split in parts for case in split.test]
    rows = [Row(name, recalls(Pipeline(baseline(name)), cases)) for name in ("lead", "random")]
    rows += [Row(name, np.concatenate(values)) for name, values in greedy.items()]
    for name in systems:
        best = int(means[name].argmax())
        rows.append(Row(name, np.concatenate([values[best] for values in by_lambda[name]])))
    rows.append(Row("oracle", recalls(Pipeline(baseline("oracle")), cases)))
    tested = {split.name: partial(among, {case.topic.id for case in split.test}) for split in parts}
    best_at = [f"{name} {LAMBDAS[int(m.argmax())]} ({m.max():.4f})" for name, m in means.items()]
    return [
        f"## {pool}",
        f"{DOCUMENTS[pool]} The mean of the test sets' means:",
        markdown(
            ["lambda", *systems],
            [
                [f"{value:.1f}", *(means[name][k] for name in systems)]
                for k, value in enumerate(LAMBDAS)
            ],
        ),
        f"Best at lambda: {', '.join(best_at)}. {FIGURE_3[0].upper()}{FIGURE_3[1:]}.",
        f"![The score over lambda, {pool}](figure3-{pool}.svg)",
        f"All questions, each system at its best lambda. {BESIDE}",
        table(rows, cases, tested),
        pairs(rows),
    ]


def among(topics: set[str], case: Case) -> bool:
    """Return whether a question is one of some topics."""
    return case.topic.id in topics


def mean_of_means(values: Sequence[Floats]) -> Floats:
    """Return the score by lambda, (11,): the mean over test sets of the mean over their questions."""
    return np.mean([split.mean(axis=(1, 2)) for split in values], axis=0)


def draw(page: Page, pool: str, means: dict[str, Floats]) -> None:
    """Draw a panel for each group of systems."""
    panels = {}
    for title, names in PANELS.items():
        panels[title] = {name: means[name] for name in names if name in means}
    panels["others"] = {n: m for n, m in means.items() if not any(n in p for p in panels.values())}
    shown = {title: series for title, series in panels.items() if series}
    curves(page.plot(f"figure3-{pool}.svg"), LAMBDAS, shown, "lambda", "R-2 and R-SU4 recall")


def main(argv: Sequence[str]) -> None:
    options = parser("experiments figure3", __doc__)
    options.add_argument("--pools", nargs="+", default=list(DOCUMENTS), choices=list(DOCUMENTS))
    options.add_argument(
        "--systems",
        nargs="+",
        default=list(PAPER),
        metavar="NAME",
        help='trainable systems; "NAME, clipped" cuts relevance to [0,1]',
    )
    arguments = options.parse_args(argv)
    plots = [f"figure3-{pool}.svg" for pool in arguments.pools]
    page = Page.begin(arguments, argv, packages=["matplotlib"], plots=plots)
    progress = Progress()
    source = Source(arguments.data)
    blocks = [MEASURE]
    for pool in arguments.pools:
        parts = splits(source, pool)
        blocks += section(page, pool, parts, arguments.systems, progress)
    page.write("Figure 3: lambda", blocks, SEEDS)
