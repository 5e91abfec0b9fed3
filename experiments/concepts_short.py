"""Score short answers by F1: BioASQ 3 from snippets, trained on editions 1 and 2.

    python experiments/concepts_short.py [--data ../shared/data] [--out experiments/results]

`concepts-short` maximises the expected F1 of each answer, with the length of the ideal answer that its model predicts;
for comparison, with a word cost tuned by cross-validated F1 on the training questions. At most 200 words. The other
systems have no word cost and get lower limits. First ideal answer, no stemming.
"""

import argparse
from collections.abc import Sequence

import numpy as np
from bioasq import WORDS, Case, Row, Source, add_options, answer, changed, difference, edition, train, write

from ilpsum.metrics.rouge import References
from ilpsum.pipeline.summarizer import Summarizer
from ilpsum.pipeline.system import System

LIMITS = (25, 50, 100, 200)


def f1(text: str, case: Case) -> tuple[float, float, float, int]:
    """Return F1 of ROUGE-2 and ROUGE-SU4, the mean of their recalls, and the words of an answer."""
    two, four = References(case.topic.summaries[:1]).score(text).values()
    return two.f1, four.f1, (two.recall + four.recall) / 2, len(text.split())


def leads(test: Sequence[Case]) -> dict[str, np.ndarray]:
    """Return the measures of the first words at several limits, each (questions, 4)."""
    lead = Summarizer(System.load("lead"))
    return {
        f"first {limit} words": np.array([f1(lead(case.topic, limit).text, case) for case in test]) for limit in LIMITS
    }


def rows(training: Sequence[Case], test: Sequence[Case]) -> tuple[dict[str, np.ndarray], list[str]]:
    """Return the measures of each system's answers, (questions, 4), and the tuned word costs."""
    found = leads(test)
    system = System.load("concepts-short").for_kind("snippets")
    model = train(system, training)
    tuned = [f"Word cost, F1 in training: {', '.join(f'{c:g} {s:.4f}' for _, c, s in model.metadata.tuned)}."]
    costless = {"word_cost": 0.0, "maximise": "value"}
    free = Summarizer(changed(system, selection=costless, recipe={"tune_word_cost": ()}), model)
    found["the same model, no word cost, 200 words"] = measured(free, test)
    priced = Summarizer(changed(system, selection={"maximise": "value"}), model)
    found[f"the same model, word cost {priced.word_cost:g}"] = measured(priced, test)
    found["concepts-short"] = measured(Summarizer(system, model), test)
    return found, tuned


def measured(summarizer: Summarizer, test: Sequence[Case]) -> np.ndarray:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, systems=False)
    options = parser.parse_args()
    source = Source(options.data)
    training, test = source.cases(edition(1, 2), "snippets"), source.cases(edition(3), "snippets")
    found, tuned = rows(training, test)
    command = "python experiments/concepts_short.py"
    write(
        options, "concepts-short", "Short answers, BioASQ 3", command, [*tuned, table(found), f"At most {WORDS} words."]
    )


if __name__ == "__main__":
    main()
