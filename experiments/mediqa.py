"""MEDIQA 2021, multi-answer summarization: the validation questions, each by models that have not seen it.

    python experiments/mediqa.py [--data ../shared/data] [--out experiments/results]

Each setting is trained in ten folds, and scored by ROUGE-2 F1 against the extractive summary. The setting of a fold is
the one with the highest mean on the other folds, so that no question has a part in its own choice.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from bioasq import add_options, changed, write

from features.arrays import Floats
from ilpsum.formats import read_topics
from ilpsum.learning.boosted_trees import TreeParameters
from ilpsum.learning.models import SystemModel
from ilpsum.metrics.rouge import References
from ilpsum.metrics.significance import paired_bootstrap
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.fitting import train
from ilpsum.records import Topic

FOLDS = 10
LIMITS = (175, 250, 500)
# How many times the predicted words of a summary F1 is maximised for.
STRETCHES = (1.0, 1.5)
MOST = 600
TREES = TreeParameters(rounds=100, rate=0.03, leaves=4, least=20, share=0.3, members=3)
RECIPE = {"trees": TREES, "concept_penalty": 0.01, "length": True}
PRIORS = {"no prior": "", "prior general": "concepts-general"}
UNSEEN = ("concepts-general",)


def f1(text: str, topic: Topic) -> tuple[float, float, int]:
    """Return F1 and recall of ROUGE-2, and the words of a summary."""
    score = References(topic.summaries, ("ROUGE-2",)).score(text)["ROUGE-2"]
    return score.f1, score.recall, len(text.split())


def stretched(model: SystemModel, times: float) -> SystemModel:
    """Return a model that predicts so many times the words of a summary."""
    if model.length is None:
        raise ValueError("the system predicts no lengths")
    return replace(model, length=replace(model.length, intercept=model.length.intercept + np.log(times)))


def settings(system: System, model: SystemModel) -> Iterator[tuple[str, Pipeline, int]]:
    """Yield the name, pipeline and word limit of each way to select with a model."""
    filled = Pipeline(changed(system, selection={"maximise": "value"}), model, explained=False)
    for limit in LIMITS:
        yield f"{limit} words", filled, limit
    for times in STRETCHES:
        best = Pipeline(system, stretched(model, times), explained=False)
        yield f"F1, {times:g} times", best, MOST


def cross_validated(topics: list[Topic]) -> dict[str, Floats]:
    """Return the (questions, 3) measures of each setting, by models trained on the other folds."""
    found: dict[str, Floats] = {}
    for name, prior in PRIORS.items():
        recipe = {**RECIPE, "prior": prior}
        system = changed(System.load("concepts-general"), selection={"maximise": "f1"}, recipe=recipe)
        for fold in range(FOLDS):
            model = train(system, [t for i, t in enumerate(topics) if i % FOLDS != fold])
            for how, pipeline, limit in settings(system, model):
                rows = found.setdefault(f"{name}, {how}", np.zeros((len(topics), 3)))
                for i in range(fold, len(topics), FOLDS):
                    rows[i] = f1(pipeline(topics[i], limit).text, topics[i])
    return found


def unseen(topics: list[Topic]) -> dict[str, Floats]:
    """Return the measures of what was not trained on such questions: the first words, models that ship, the oracle."""
    found = {}
    for name in ("lead", *UNSEEN, "oracle"):
        pipeline = Pipeline.load(name, explained=False)
        for limit in LIMITS:
            found[f"{name}, {limit} words"] = np.array([f1(pipeline(topic, limit).text, topic) for topic in topics])
    found["all answers"] = np.array([f1("\n".join(d.text for d in topic.documents), topic) for topic in topics])
    return found


def chosen(found: dict[str, Floats]) -> tuple[Floats, list[str]]:
    """Return the measures of each question by the setting that is best on the other folds, and the settings."""
    rows, names = np.zeros_like(next(iter(found.values()))), []
    for fold in range(FOLDS):
        own = np.arange(len(rows)) % FOLDS == fold
        names.append(max(found, key=lambda name: found[name][~own, 0].mean()))
        rows[own] = found[names[-1]][own]
    return rows, names


def table(found: dict[str, Floats], base: Floats) -> str:
    """Return a row of means for each system, with the difference of F1 from the first words."""
    lines = ["| system | F1 | over the first words [95 %] | recall | words |", "|---|---|---|---|---|"]
    for name, rows in found.items():
        test = paired_bootstrap(rows[:, 0].tolist(), base[:, 0].tolist())
        over = f"{test.difference:+.3f} [{test.low:+.3f}, {test.high:+.3f}]"
        lines.append(
            f"| {name} | {rows[:, 0].mean():.4f} | {over} | {rows[:, 1].mean():.3f} | {rows[:, 2].mean():.0f} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, systems=False)
    options = parser.parse_args()
    topics = [t for t in read_topics(options.data / "evidence" / "mediqa-mas-val.jsonl.gz") if isinstance(t, Topic)]
    baselines, learned = unseen(topics), cross_validated(topics)
    best, names = chosen(learned)
    base = baselines["lead, 500 words"]
    blocks = [
        f"{len(topics)} questions, {FOLDS} folds, at most {MOST} words. Differences are from the first 500 words.",
        table({"chosen on the other folds": best, **learned, **baselines}, base),
        "Chosen: " + ", ".join(f"{name} ({names.count(name)} folds)" for name in dict.fromkeys(names)) + ".",
    ]
    write(options, "mediqa", "MEDIQA 2021, several answers", "python experiments/mediqa.py", blocks)


if __name__ == "__main__":
    main()
