"""Baseline 1 on substitutes for news: what its paper leaves open, by cross-validation.

    python experiments/baseline_news.py [--data ../shared/data] [--out experiments/results]

DUC cannot be passed on. Its stand-ins are questions of BioASQ with more than 300 words of complete abstracts (several
documents and a question) and papers with human summaries (one long document; the title is the question).
"""

import argparse
import random
from collections.abc import Sequence

import msgspec
import numpy as np
from bioasq import add_options, write
from general import papers, questions

from ilpsum.metrics.rouge import References
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.examples import Example, prepare
from ilpsum.pipeline.training.fitting import fit
from ilpsum.records import Topic

LAMBDAS = (0.8, 0.9, 0.95, 1.0)
FOLDS = 5
ONE = {"C": (1.0,), "gamma": (0.3,), "epsilon": (0.05,)}
SETTINGS: dict[str, dict[str, object]] = {
    "scaling `topic`, target `precision`, C 1, gamma 0.3": {"scaling": "topic"},
    "scaling `topic`, gamma 1": {"scaling": "topic", "gamma": (1.0,)},
    "scaling `training`": {"scaling": "training"},
    "scaling `training`, gamma 1": {"scaling": "training", "gamma": (1.0,)},
    "scaling `training`, C 10": {"scaling": "training", "C": (10.0,)},
    "scaling `training`, target `recall`": {"scaling": "training", "target": "recall"},
}


def scores(system: System, topics: dict[str, Topic], words: int) -> dict[float, float]:
    """Return mean ROUGE-2 recall by lambda, each topic summarised by a model of the other folds."""
    examples: Sequence[Example] = prepare(system, topics.values())[0]
    found: dict[float, list[float]] = {lambda_: [] for lambda_ in LAMBDAS}
    for fold in range(FOLDS):
        model = fit(system, [e for i, e in enumerate(examples) if i % FOLDS != fold])
        for e in examples[fold::FOLDS]:
            references = References(e.summaries, ("ROUGE-2",), stem=True, words=words)
            for lambda_ in LAMBDAS:
                summarizer = Pipeline(system, model, lambda_=lambda_)
                prepared = summarizer.prepare(topics[e.topic], (e.sentences, e.around, e.matrix))
                text = "\n".join(e.sentences[i].text for i in summarizer.select(prepared, words).chosen)
                found[lambda_].append(references.score(text)["ROUGE-2"].recall)
    return {lambda_: float(np.mean(values)) for lambda_, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, systems=False)
    options = parser.parse_args()
    asked = [t for t in questions(options.data) if sum(len(d.text.split()) for d in t.documents) > 300]
    random.Random(3).shuffle(asked)
    read = [*papers(options.data / "tac2014", "tac"), *papers(options.data / "scisumm", "scisumm")]
    blocks = ["ROUGE-2 recall, stemmed, five folds of topics; the system `baseline-1` with one setting changed."]
    for name, topics, words in (("questions", asked[:200], 150), ("papers", read, 250)):
        lines = [f"| {name} ({len(topics)}), {words} words | " + " | ".join(f"lambda {x}" for x in LAMBDAS) + " |"]
        lines.append("|---" * (1 + len(LAMBDAS)) + "|")
        for what, changed in SETTINGS.items():
            base = System.load("baseline-1")
            system = msgspec.structs.replace(base, recipe=msgspec.structs.replace(base.recipe, **{**ONE, **changed}))
            row = scores(system, {topic.id: topic for topic in topics}, words)
            lines.append(f"| {what} | " + " | ".join(f"{value:.4f}" for value in row.values()) + " |")
        blocks.append("\n".join(lines))
    write(options, "baseline-news", "Baseline 1 on substitutes for news", "python experiments/baseline_news.py", blocks)


if __name__ == "__main__":
    main()
