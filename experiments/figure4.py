"""Reproduce Figure 4 of Malakasiotis et al. (2015): the score over the amount of training data.

    python -m experiments figure4 [--pools snippets abstracts] [--systems NAME...]

Published: ILP-SUM-2 and GR-SUM-2 on batches 7 and 8 of BioASQ, trained on batches 1-3, 1-4, 1-5 and
1-6; from about .33 to .37, the ILP ahead (read off the figure). `snippets` has these batches, with
the gold snippets as documents. `abstracts` has the paper's documents, complete abstracts, on other
questions: editions 7 and 8, trained on editions 1-3, 1-4, 1-5 and 1-6.
"""

from collections.abc import Sequence

from experiments.bioasq import (
    GREEDY,
    MEASURE,
    SEEDS,
    Case,
    Row,
    Source,
    difference,
    edition,
    recalls,
    train,
    variant,
)
from experiments.page import Page, Progress, markdown, parser
from experiments.plots import curves
from experiments.published import FIGURE_4
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System

SIZES = (3, 4, 5, 6)
DOCUMENTS = {
    "snippets": "Batches 7-8, trained on the batches named; documents are the gold snippets.",
    "abstracts": "Editions 7-8, trained on the editions named; documents are the abstracts, and titles "
    "are no candidates.",
}


def questions(source: Source, pool: str) -> tuple[dict[str, list[Case]], list[Case]]:
    """Return the training questions by their batches (snippets) or editions, and the test questions."""
    if pool == "snippets":
        groups = [[batch] for batch in edition(1, 2)]
    else:
        groups = [edition(number) for number in range(1, 9)]
    training = {}
    for size in SIZES:
        batches = [batch for group in groups[:size] for batch in group]
        training[f"1-{size}"] = source.cases(batches, pool)
    test = [batch for group in groups[SIZES[-1] :] for batch in group]
    return training, source.cases(test, pool)


def section(
    page: Page, source: Source, pool: str, systems: Sequence[str], progress: Progress
) -> list[str]:
    """Train, score and draw one figure; return its part of the page."""
    training, test = questions(source, pool)
    by_system: dict[str, list[Row]] = {}
    for size, cases in training.items():
        progress(f"{pool}: training on {size}, {len(cases)} questions")
        models = {}
        for name in systems:
            system = variant(name)
            if system.name not in models:
                models[system.name] = train(system, cases)
            model = models[system.name]
            values = recalls(Pipeline(system, model), test)
            by_system.setdefault(name, []).append(Row(name, values))
            if greedy := GREEDY.get(name):
                values = recalls(Pipeline(System.load(greedy), model), test)
                by_system.setdefault(greedy, []).append(Row(greedy, values))
    means = {name: [float(row.scores.mean()) for row in rows] for name, rows in by_system.items()}
    curves(
        page.plot(f"figure4-{pool}.svg"),
        SIZES,
        {DOCUMENTS[pool].partition(";")[0]: means},
        f"training {'batches' if pool == 'snippets' else 'editions'}, 1 to",
        "R-2 and R-SU4 recall",
    )
    against = [(name, GREEDY[name]) for name in systems if name in GREEDY]
    head = ["trained on", "questions", "sentences", *means]
    lines = []
    for k, (size, cases) in enumerate(training.items()):
        sentences = sum(len(case.sentences) for case in cases)
        gains = [difference(by_system[a][k], by_system[b][k]) for a, b in against]
        lines.append([size, len(cases), sentences, *(m[k] for m in means.values()), *gains])
    return [
        f"## {pool}",
        f"{DOCUMENTS[pool]} {len(test)} questions.",
        markdown([*head, *(f"{a} over {b} [95 %], p" for a, b in against)], lines),
        f"{FIGURE_4[0].upper()}{FIGURE_4[1:]}.",
        f"![The score over the training data, {pool}](figure4-{pool}.svg)",
    ]


def main(argv: Sequence[str]) -> None:
    options = parser("experiments figure4", __doc__)
    options.add_argument("--pools", nargs="+", default=list(DOCUMENTS), choices=list(DOCUMENTS))
    options.add_argument("--systems", nargs="+", default=["ilp-sum-2"], metavar="NAME")
    arguments = options.parse_args(argv)
    plots = [f"figure4-{pool}.svg" for pool in arguments.pools]
    page = Page.begin(arguments, argv, packages=["matplotlib"], plots=plots)
    progress = Progress()
    source = Source(arguments.data)
    blocks = [MEASURE]
    for pool in arguments.pools:
        blocks += section(page, source, pool, arguments.systems, progress)
    page.write("Figure 4: amount of training data", blocks, SEEDS)
