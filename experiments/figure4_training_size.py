"""Reproduce Figure 4 of Malakasiotis et al. (2015): the score over training batches, on batches 7
and 8 of BioASQ.

    python experiments/figure4_training_size.py [--data ../shared/data] [--out experiments/results]

Systems are trained on batches 1-3, 1-4, 1-5 and 1-6; values are means over the questions of batches
7 and 8. Documents are the gold snippets, while the paper used full abstracts. Published: about .33
to .37, with the ILP ahead (estimated from the figure).
"""

import argparse

from bioasq import (
    Row,
    Source,
    add_options,
    changed,
    difference,
    edition,
    pairs,
    published,
    rows,
    scores,
    table,
    train,
    write,
)
from plots import curves
from published import BESIDE, FIGURE_4

from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System

SIZES = (3, 4, 5, 6)
SYSTEMS = ("ilp-sum-2", "gr-sum-2", "ilp-sum-2-paper", "ilp-sum-2-paper, topic", "gr-sum-2-paper")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    options = parser.parse_args()
    source = Source(options.data)
    batches = edition(1, 2)
    test = source.cases(batches[6:], "snippets")
    found: dict[str, list[Row]] = {name: [] for name in SYSTEMS}
    for size in SIZES:
        training = source.cases(batches[:size], "snippets")
        model = train(System.load("ilp-sum-2"), training)
        paper = train(System.load("ilp-sum-2-paper"), training)
        for name in SYSTEMS:
            system = System.load(name.partition(",")[0])
            if name.endswith(", topic"):
                system = changed(system, selection={"alpha": "topic"})
            summarizer = Pipeline(system, paper if "paper" in name else model)
            found[name].append(Row(f"{name}, batches 1-{size}", scores(summarizer, test)))
    against = [("ilp-sum-2", "gr-sum-2"), ("ilp-sum-2-paper, topic", "gr-sum-2-paper")]
    heads = [*SYSTEMS, *(f"{a} over {b} [95 %], p" for a, b in against)]
    lines = [f"| training batches | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for k, size in enumerate(SIZES):
        values = " | ".join(f"{found[name][k].scores.mean():.4f}" for name in SYSTEMS)
        gains = " | ".join(difference(found[a][k], found[b][k]) for a, b in against)
        lines.append(f"| 1-{size} | {values} | {gains} |")
    means = {name: [float(row.scores.mean()) for row in some] for name, some in found.items()}
    curves(
        options.out / "figure4-training-size.svg",
        SIZES,
        means,
        "training batches",
        "mean R-2 and R-SU4 recall",
    )
    training = source.cases(batches[:6], "snippets")
    *whole, oracle = rows(training, test, learned=options.systems)
    paper_rows, chosen = published(training, test)
    whole += [*paper_rows, oracle]
    blocks = [
        "\n".join(lines),
        f"{FIGURE_4[0].upper()}{FIGURE_4[1:]}.",
        "![The score over the training batches](figure4-training-size.svg)",
        f"All systems, trained on batches 1-6. {BESIDE}",
        table(
            whole,
            test,
            {f"batch {b.number + 3}": (lambda case, b=b: case.batch == b) for b in batches[6:]},
        ),
        f"Searched on the training questions: {chosen}. `topic`: alpha stretched over the topic, not clipped.",
        pairs(whole),
    ]
    command = "python experiments/figure4_training_size.py"
    write(options, "figure4-training-size", "Figure 4: amount of training data", command, blocks)


if __name__ == "__main__":
    main()
