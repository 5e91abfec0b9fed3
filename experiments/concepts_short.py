"""Score short answers to questions of BioASQ by F1, by a model that has not seen their editions.

    python -m experiments.concepts_short --model MODEL --editions 3 [--data DIR] [--out DIR]

`concepts-short` has a price of a word; for comparison, other prices, and no rules of coherence. At
most 200 words. The other systems have no price and get lower limits. First ideal answer, no
stemming. MODEL is made by `ilpsum train` from other editions with `--pool snippets
--words 200 --system concepts`.
"""

import sys
from collections.abc import Sequence

import msgspec
import numpy as np

from experiments.bioasq import (
    SEEDS,
    WORDS,
    Case,
    Row,
    Source,
    answer,
    baseline,
    changed,
    difference,
    edition,
)
from experiments.page import Page, parser
from ilpsum.learning.models import SystemModel
from ilpsum.metrics.rouge import References
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.summarizer import load_model
from ilpsum.pipeline.system import System
from ilpsum.records.tables import CoherenceTable

LIMITS = (25, 50, 100, 200)
PRICES = (0.1, 0.2)


def f1(text: str, case: Case) -> tuple[float, float, float, int]:
    """Return F1 of ROUGE-2 and ROUGE-SU4, the mean of their recalls, and the words of an answer."""
    two, four = References(case.topic.summaries[:1]).score(text).values()
    return two.f1, four.f1, (two.recall + four.recall) / 2, len(text.split())


def leads(test: Sequence[Case]) -> dict[str, np.ndarray]:
    """Return the measures of the first words at several limits, each (questions, 4)."""
    lead = Pipeline(baseline("lead"))
    return {
        f"first {limit} words": np.array([f1(lead(case.topic, limit).text, case) for case in test])
        for limit in LIMITS
    }


def rows(system: System, model: SystemModel, test: Sequence[Case]) -> dict[str, np.ndarray]:
    """Return the measures of each system's answers, (questions, 4)."""
    found = leads(test)
    for price in PRICES:
        priced = changed(system, selection={"word_cost": price}, recipe={"tune_word_cost": ()})
        found[f"the same model, word cost {price:g}"] = measured(Pipeline(priced, model), test)
    free = msgspec.structs.replace(system, coherence=CoherenceTable())
    found["without rules of coherence"] = measured(Pipeline(free, model), test)
    found["concepts-short"] = measured(Pipeline(system, model), test)
    return found


def measured(summarizer: Pipeline, test: Sequence[Case]) -> np.ndarray:
    """Return the measures of the answers of a system, (questions, 4)."""
    return np.array([f1(answer(summarizer, case), case) for case in test])


def table(found: dict[str, np.ndarray]) -> str:
    """Format the measures as Markdown, with the gain in mean F1 over the best lead."""
    leads = [name for name in found if name.startswith("first")]
    both = {name: Row(name, values[:, :2].mean(axis=1)) for name, values in found.items()}
    best = max(leads, key=lambda name: both[name].scores.mean())
    lines = [
        f"| system | ROUGE-2 F1 | ROUGE-SU4 F1 | recall | words | F1 over {best} [95 %], p |",
        "|---|---|---|---|---|---|",
    ]
    for name, values in found.items():
        two, four, recall, words = values.mean(axis=0)
        over = "" if name == best else difference(both[name], both[best])
        lines.append(f"| {name} | {two:.4f} | {four:.4f} | {recall:.4f} | {words:.0f} | {over} |")
    return "\n".join(lines)


def main(argv: Sequence[str]) -> None:
    arguments = parser("experiments.concepts_short", __doc__)
    arguments.add_argument("--model", help="a model for snippets, trained on other editions")
    arguments.add_argument("--editions", nargs="+", type=int, default=[3])
    options = arguments.parse_args(argv)
    system = System.load("concepts-short").for_kind("snippets")
    source = Source(options.data, system.candidates)
    names = [str(number) for number in options.editions]
    page = Page.begin(options, argv, name=f"concepts-short-{'-'.join(names)}")
    model = load_model(system, options.model)
    test = source.cases(edition(*options.editions), "snippets")
    blocks = [table(rows(system, model, test)), f"At most {WORDS} words."]
    page.write(f"Short answers, BioASQ {' '.join(names)}", blocks, SEEDS)


if __name__ == "__main__":
    main(sys.argv[1:])
