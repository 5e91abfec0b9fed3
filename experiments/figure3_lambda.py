"""Reproduce Figure 3 of Malakasiotis et al. (2015): the score over lambda, on batches 4, 5 and 6 of
BioASQ.

    python experiments/figure3_lambda.py [--data ../shared/data] [--out experiments/results]

Each of the three batches is tested after training on the other five of batches 1-6, at lambda 0.0
to 1.0 in steps of 0.1; values are means over the batches' means. Documents are the gold snippets,
while the paper used full abstracts. Published: ILP-SUM-2 above ILP-SUM-1 above ILP-SUM-0, best at
0.8, slightly above .41 (estimated from the figure). A second table compares each system at its best
lambda with the baselines. The systems as published (`-paper`) have relevance cut to [0,1] or (`,
topic`) stretched over the topic; GR-SUM-2 has the threshold that training chose.
"""

import argparse
from collections.abc import Sequence

import numpy as np
from bioasq import (
    Case,
    Row,
    Source,
    add_options,
    changed,
    edition,
    pairs,
    scores,
    table,
    train,
    write,
)
from plots import curves
from published import BESIDE, FIGURE_3

from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System

LAMBDAS = tuple(k / 10 for k in range(11))
BLIND = "ilp-sum-0, no places"
PAPER = tuple(f"ilp-sum-{n}-paper{alpha}" for n in range(3) for alpha in ("", ", topic"))
SYSTEMS = ("ilp-sum-0", BLIND, "ilp-sum-1", "ilp-sum-2", *PAPER)
GREEDY = {"ilp-sum-2": "gr-sum-2", "ilp-sum-2-paper": "gr-sum-2-paper"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    options = parser.parse_args()
    source = Source(options.data)
    batches = edition(1, 2)[:6]
    questions = {batch: source.cases([batch], "snippets") for batch in batches}
    found: dict[str, list[list[np.ndarray]]] = {name: [[] for _ in LAMBDAS] for name in SYSTEMS}
    greedy: dict[str, list[np.ndarray]] = {name: [] for name in GREEDY.values()}
    thresholds: dict[str, list[float]] = {name: [] for name in GREEDY.values()}
    for test in batches[3:]:
        training = [case for batch in batches if batch != test for case in questions[batch]]
        for name in SYSTEMS:
            system = System.load(name.partition(",")[0])
            if name.endswith(", topic"):
                # By the model of the system before, with relevance clipped.
                system = changed(system, selection={"alpha": "topic"})
            else:
                model = train(system, seen(name, training))
            if name in GREEDY:
                summarizer = Pipeline(System.load(GREEDY[name]), model)
                greedy[GREEDY[name]].append(scores(summarizer, questions[test]))
                thresholds[GREEDY[name]].append(summarizer.threshold)
            for k, value in enumerate(LAMBDAS):
                answers = scores(
                    Pipeline(system, model, lambda_=value), seen(name, questions[test])
                )
                found[name][k].append(answers)
    means = {
        name: [float(np.mean([b.mean() for b in at])) for at in rows]
        for name, rows in found.items()
    }
    lines = [f"| lambda | {' | '.join(SYSTEMS)} |", "|---" * (len(SYSTEMS) + 1) + "|"]
    for k, value in enumerate(LAMBDAS):
        lines.append(f"| {value:.1f} | {' | '.join(f'{means[name][k]:.4f}' for name in SYSTEMS)} |")
    best = {name: int(np.argmax(values)) for name, values in means.items()}
    best_lines = [
        f"- {name}, best at {LAMBDAS[k]}: {means[name][k]:.4f}" for name, k in best.items()
    ]
    cases = [case for batch in batches[3:] for case in questions[batch]]
    rows = [Row(name, scores(Pipeline(System.load(name)), cases)) for name in ("lead", "random")]
    rows += [Row(name, np.concatenate(parts)) for name, parts in greedy.items()]
    rows += [Row(name, np.concatenate(found[name][best[name]])) for name in SYSTEMS]
    rows += [Row("oracle", scores(Pipeline(System.load("oracle")), cases))]
    curves(
        options.out / "figure3-lambda.svg",
        LAMBDAS,
        means,
        "lambda",
        "mean of ROUGE-2 and ROUGE-SU4 recall",
    )
    blocks = [
        "\n".join(lines),
        "\n".join([*best_lines, f"- {FIGURE_3}."]),
        "; ".join(
            f"{name} t {', '.join(f'{t:g}' for t in values)}" for name, values in thresholds.items()
        )
        + ".",
        "![The score over lambda](figure3-lambda.svg)",
        f"All questions of the three batches, each system at its best lambda. {BESIDE}",
        table(
            rows,
            cases,
            {f"batch {b.number + 3}": (lambda case, b=b: case.batch == b) for b in batches[3:]},
        ),
        pairs(rows),
    ]
    write(
        options,
        "figure3-lambda",
        "Figure 3: lambda",
        "python experiments/figure3_lambda.py",
        blocks,
    )


def seen(name: str, cases: Sequence[Case]) -> list[Case]:
    """Return the questions for a system, without features of position for `BLIND`."""
    return [case.without_places() for case in cases] if name == BLIND else list(cases)


if __name__ == "__main__":
    main()
