"""Score TAC 2014 Task 2; each topic is summarised by a model that has seen none of its papers.

    python -m experiments.task2_held_out [--data ../shared/data] [--out experiments/results/task2]

Nine of the 14 topics share cited papers, so they are held out together: six folds. Writes a
table (.md) and the scores of every topic (.tsv). ROUGE-2 and ROUGE-SU4 are those of
ROUGE-1.5.5 with the options `-n 2 -2 4 -u -m -l 250 -f A` (we assume that TAC used these).
Intervals and p-values: paired bootstrap over topics.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from joblib import Parallel, delayed

from experiments.bioasq import baseline
from ilpsum.metrics.rouge import References
from ilpsum.metrics.significance import paired_bootstrap
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.examples import Example, example
from ilpsum.pipeline.training.fitting import fit
from ilpsum.pipeline.training.folds import folds_of
from ilpsum.records import Topic
from ilpsum.selection import SELECTORS
from ilpsum.tasks import read_topics
from ilpsum.version import library_versions

SYSTEMS = (
    "lead",
    "random",
    "greedy",
    "ilp-sum-0-tuned",
    "ilp-sum-1-tuned",
    "task2",
    "concepts",
    "oracle",
)
WORDS = 250
FOLDS = 6
# The papers fix features and selection of the published systems, but not the target of training.
TARGETS = ("recall", "precision")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = os.environ.get("ILPSUM_TEST_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(data))
    parser.add_argument(
        "--out", default="experiments/results/task2", help="path of the results, without extension"
    )
    parser.add_argument("--systems", nargs="+", default=SYSTEMS)
    parser.add_argument("--folds", type=int, default=FOLDS)
    options = parser.parse_args()
    topics = [t for t in read_topics([options.data / "tac2014"], "tac") if isinstance(t, Topic)]
    fold_of = folds_of(topics, options.folds)
    rows = {}
    for name, system in variants(options.systems):
        rows[name] = run(system, topics, fold_of)
        print(f"{name}: {np.mean(rows[name], axis=0).round(4).tolist()}", flush=True)
    table = render(rows, len(topics), options.folds)
    Path(f"{options.out}.md").write_text(table, encoding="utf-8")
    lines = ["system\ttopic\tROUGE-2\tROUGE-SU4\n"]
    for name, scores in rows.items():
        for topic, (two, four) in zip(topics, scores, strict=True):
            lines.append(f"{name}\t{topic.id}\t{two:.6f}\t{four:.6f}\n")
    Path(f"{options.out}.tsv").write_text("".join(lines), encoding="utf-8")
    print(table)


def named(name: str) -> System:
    """Return a system, a baseline of the field, or `greedy`: with the relevance of ILP-SUM-1."""
    if name == "greedy":
        values = {"selection.method": name, "selection.threshold": 0.4}
        return with_settings(System.load("ilp-sum-1-tuned"), values)
    return baseline(name) if name in SELECTORS else System.load(name)


def variants(names: Sequence[str]) -> list[tuple[str, System]]:
    """Return the systems to run; those of the papers with both training targets."""
    found = []
    for name in names:
        system = named(name).for_kind("papers")
        if system.relevance and name not in ("task2", "concepts"):
            for target in TARGETS:
                recipe = msgspec.structs.replace(system.recipe, target=target)
                found.append((f"{name}, {target}", msgspec.structs.replace(system, recipe=recipe)))
        else:
            # ROUGE compares stems, so the oracle covers stems.
            selection = msgspec.structs.replace(system.selection, concepts="stems")
            found.append((name, msgspec.structs.replace(system, selection=selection)))
    return found


def run(
    system: System, topics: Sequence[Topic], fold_of: Sequence[int]
) -> list[tuple[float, float]]:
    """Return ROUGE-2 and ROUGE-SU4 recall of each topic, summarised by a model trained without its
    fold.
    """
    examples = [example(system, topic) for topic in topics] if system.relevance else []
    parts = Parallel(n_jobs=2)(
        delayed(one_fold)(system, topics, examples, fold_of, fold)
        for fold in range(max(fold_of) + 1)
    )
    scores = {i: score for part in parts for i, score in part.items()}
    return [scores[i] for i in range(len(topics))]


def one_fold(
    system: System,
    topics: Sequence[Topic],
    examples: Sequence[Example],
    fold_of: Sequence[int],
    fold: int,
) -> dict[int, tuple[float, float]]:
    """Return the scores of the topics of a fold by their index."""
    outside = [i for i, at in enumerate(fold_of) if at != fold]
    training = [examples[i] for i in outside] if examples else []
    summarizer = Pipeline(system, fit(system, training, words=WORDS) if training else None)
    results = {}
    for i, topic in enumerate(topics):
        if fold_of[i] == fold:
            references = References(topic.summaries, stem=True, words=WORDS)
            scores = references.score(summarizer(topic, WORDS).text)
            results[i] = (scores["ROUGE-2"].recall, scores["ROUGE-SU4"].recall)
    return results


def render(rows: dict[str, list[tuple[float, float]]], topics: int, folds: int) -> str:
    """Format the Markdown table."""
    two = {name: [r[0] for r in scores] for name, scores in rows.items()}
    lead, oracle = two.get("lead"), two.get("oracle")
    versions = ", ".join(
        f"{k} {v}" for k, v in library_versions("scikit-learn", "numpy", "highspy").items()
    )
    lines = [
        f"{topics} topics in {folds} folds that share no paper, recall, `-m -l {WORDS}`, four references pooled; {versions}.",
        "",
        "| system | ROUGE-2 | ROUGE-SU4 | share of oracle | over lead (95 % interval) | p | topics above lead |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, scores in rows.items():
        mean = np.mean(scores, axis=0)
        share = f"{mean[0] / np.mean(oracle):.0%}" if oracle else ""
        gain = ["", "", ""]
        if lead and name != "lead":
            test = paired_bootstrap(two[name], lead, seed=1)
            above = sum(a > b for a, b in zip(two[name], lead, strict=True))
            gain = [
                f"{test.difference:+.4f} ({test.low:+.4f}, {test.high:+.4f})",
                f"{test.p_value:.4f}",
                str(above),
            ]
        lines.append(
            f"| {name} | {mean[0]:.4f} | {mean[1]:.4f} | {share} | " + " | ".join(gain) + " |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
