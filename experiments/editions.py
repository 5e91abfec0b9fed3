"""Score editions 9, 10 and 11 of BioASQ with `concepts` trained on earlier editions, in two pools.

    python -m experiments.editions [--data ../shared/data] [--out experiments/results]

All three are answered after training on editions 1-8. Lambda is chosen on editions 9 and 10;
edition 11 is untouched by that choice. `ilp-sum-2-tuned` is the model that ships, trained on editions
1-8.
"""

import sys
from collections.abc import Sequence

import numpy as np

from experiments import concepts_short
from experiments.bioasq import (
    SEEDS,
    WORDS,
    Case,
    Row,
    Source,
    baseline,
    changed,
    difference,
    edition,
    score,
    scores,
    train,
)
from experiments.page import Page, parser
from features.arrays import Floats
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System

TRAINED, TESTED = range(1, 9), (9, 10, 11)
LAMBDAS = (0.02, 0.05, 0.1)
SYSTEMS = {"snippets": "concepts-snippets", "merged": "concepts-merged"}


def answers(
    source: Source, pool: str, model: SystemModel
) -> tuple[list[Case], dict[str, list[Row]]]:
    """Return the questions of all test editions, and for each of them the rows of all systems."""
    found: dict[str, list[Row]] = {}
    test: list[Case] = []
    system, shipped = System.load(SYSTEMS[pool]), Pipeline.load("ilp-sum-2-tuned")
    for number in TESTED:
        cases = source.cases(edition(number), pool)
        test += cases
        rows = [Row("lead", scores(Pipeline(baseline("lead")), cases))]
        rows.append(Row("ilp-sum-2-tuned", _whole(shipped, cases)))
        for value in LAMBDAS:
            tried = Pipeline(changed(system, selection={"lambda_": value}), model)
            rows.append(Row(f"concepts, lambda {value:g}", scores(tried, cases)))
        if lead := system.selection.lead:
            free = Pipeline(changed(system, selection={"lead": 0.0}), model)
            rows.append(
                Row(f"concepts, lambda {free.lambda_:g}, lead 0 for {lead:g}", scores(free, cases))
            )
        rows.append(Row("oracle", scores(Pipeline(baseline("oracle")), cases)))
        found[str(number)] = rows
        print(pool, number, *(f"{row.name} {row.scores.mean():.4f}" for row in rows), flush=True)
    found["9-11"] = [
        Row(rows[0].name, np.concatenate([r.scores for r in rows]))
        for rows in zip(*found.values(), strict=True)
    ]
    return test, found


def short_answers(source: Source, model: SystemModel) -> str:
    """Return the table of short answers to edition 11, scored by F1."""
    test = source.cases(edition(11), "snippets")
    system = System.load("concepts-short").for_kind("snippets")
    found = concepts_short.leads(test)
    found["concepts-short"] = concepts_short.measured(Pipeline(system, model), test)
    return concepts_short.table(found)


def _whole(summarizer: Pipeline, cases: Sequence[Case]) -> Floats:
    """Return the scores of a system that computes its own features, word vectors included."""
    return np.array([score(summarizer(case.topic, WORDS).text, case) for case in cases])


def best(found: dict[str, list[Row]]) -> str:
    """Return the name of the system with the highest score on editions 9 and 10 among those that differ by lambda."""
    tried = zip(*(found[name][2 : 2 + len(LAMBDAS)] for name in ("9", "10")), strict=True)
    return max(tried, key=lambda rows: float(np.concatenate([row.scores for row in rows]).mean()))[
        0
    ].name


def table(test: Sequence[Case], found: dict[str, list[Row]], long: bool) -> str:
    """Format the rows of each edition as Markdown, of all questions or of those with more words than the limit."""
    lines = [
        "| edition | system | questions | score | over the lead [95 %], p | over ilp-sum-2-tuned [95 %], p |",
        "|---" * 6 + "|",
    ]
    for name, rows in found.items():
        cases = [case for case in test if name == "9-11" or case.batch.edition == int(name)]
        mask = np.array([not long or case.words > WORDS for case in cases])
        part = [Row(row.name, row.scores[mask]) for row in rows]
        for row in part:
            lead = "" if row is part[0] else difference(row, part[0])
            ilp = difference(row, part[1]) if row.name.startswith("concepts") else ""
            lines.append(
                f"| {name} | {row.name} | {mask.sum()} | {row.scores.mean():.4f} | {lead} | {ilp} |"
            )
    return "\n".join(lines)


def main(argv: Sequence[str]) -> None:
    options = parser("experiments.editions", __doc__).parse_args(argv)
    page = Page.begin(options, argv)
    source = Source(options.data)
    blocks = ["Recall, mean of ROUGE-2 and ROUGE-SU4, first ideal answer, no stemming, 200 words."]
    for pool in SYSTEMS:
        model = train(System.load(SYSTEMS[pool]), source.cases(edition(*TRAINED), pool))
        test, found = answers(source, pool, model)
        blocks += [f"## {pool}", f"Best on editions 9 and 10: {best(found)}."]
        for long, what in (
            (True, f"Questions whose documents have more than {WORDS} words:"),
            (False, "All questions:"),
        ):
            blocks += [what, table(test, found, long)]
        if pool == "snippets":
            blocks += [
                "Short answers, edition 11, scored by F1, at most 200 words:",
                short_answers(source, model),
            ]
    page.write("BioASQ 9, 10 and 11", blocks, SEEDS)


if __name__ == "__main__":
    main(sys.argv[1:])
