"""Score TAC 2014 Task 2; each topic is summarised by models trained on the others.

    python experiments/task2_leave_one_out.py ../shared/data/tac2014 --out experiments/results/task2

Writes a table (.md) and the scores of every topic (.tsv). ROUGE-2 and ROUGE-SU4 are those of
ROUGE-1.5.5 with the options `-n 2 -2 4 -u -m -l 250 -f A` (we assume that TAC used these).
Intervals and p-values: paired bootstrap over topics.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from joblib import Parallel, delayed

from ilpsum.metrics.rouge import References
from ilpsum.metrics.significance import paired_bootstrap
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.examples import Example, example
from ilpsum.pipeline.training.fitting import fit
from ilpsum.records import Topic
from ilpsum.tasks import read_topics
from ilpsum.version import library_versions

SYSTEMS = ("lead", "random", "greedy", "ilp-sum-0", "ilp-sum-1", "task2", "concepts", "oracle")
WORDS = 250
# The papers fix features and selection of the published systems, but not the target of training.
TARGETS = ("recall", "precision")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("topics", nargs="?", default="../shared/data/tac2014")
    parser.add_argument(
        "--out", default="experiments/results/task2", help="path of the results, without extension"
    )
    parser.add_argument("--systems", nargs="+", default=SYSTEMS)
    parser.add_argument(
        "--folds", type=int, default=0, help="folds over topics (default: leave one topic out)"
    )
    options = parser.parse_args()
    topics = [t for t in read_topics([options.topics], "tac") if isinstance(t, Topic)]
    rows = {}
    for name, system in variants(options.systems):
        rows[name] = run(system, topics, options.folds or len(topics))
        print(f"{name}: {np.mean(rows[name], axis=0).round(4).tolist()}", flush=True)
    table = render(rows, topics, options)
    Path(f"{options.out}.md").write_text(table, encoding="utf-8")
    lines = [
        f"{name}\t{topic.id}\t{two:.6f}\t{four:.6f}\n"
        for name, scores in rows.items()
        for topic, (two, four) in zip(topics, scores, strict=True)
    ]
    Path(f"{options.out}.tsv").write_text(
        "system\ttopic\tROUGE-2\tROUGE-SU4\n" + "".join(lines), encoding="utf-8"
    )
    print(table)


def variants(names: Sequence[str]) -> list[tuple[str, System]]:
    """Return the systems to run; those of the papers with both training targets."""
    found = []
    for name in names:
        system = System.load(name).for_kind("papers")
        if system.relevance and name not in ("task2", "concepts"):
            for target in TARGETS:
                recipe = msgspec.structs.replace(system.recipe, target=target)
                found.append((f"{name}, {target}", msgspec.structs.replace(system, recipe=recipe)))
        else:
            # ROUGE compares stems, so the oracle covers stems.
            selection = msgspec.structs.replace(system.selection, concepts="stems")
            found.append((name, msgspec.structs.replace(system, selection=selection)))
    return found


def run(system: System, topics: Sequence[Topic], folds: int) -> list[tuple[float, float]]:
    """Return ROUGE-2 and ROUGE-SU4 recall of each topic, summarised by a model trained without its fold."""
    examples = [example(system, t) for t in topics] if system.relevance else []
    parts = Parallel(n_jobs=2)(
        delayed(one_fold)(system, topics, examples, k, folds) for k in range(folds)
    )
    scores = {i: score for part in parts for i, score in part.items()}
    return [scores[i] for i in range(len(topics))]


def one_fold(
    system: System, topics: Sequence[Topic], examples: Sequence[Example], fold: int, folds: int
) -> dict[int, tuple[float, float]]:
    inside = [e for i, e in enumerate(examples) if i % folds != fold]
    summarizer = Pipeline(system, fit(system, inside, words=WORDS) if examples else None)
    found = {}
    for i in range(fold, len(topics), folds):
        scores = References(topics[i].summaries, stem=True, words=WORDS).score(
            summarizer(topics[i], WORDS).text
        )
        found[i] = (scores["ROUGE-2"].recall, scores["ROUGE-SU4"].recall)
    return found


def render(
    rows: dict[str, list[tuple[float, float]]], topics: Sequence[Topic], options: argparse.Namespace
) -> str:
    """Format the Markdown table."""
    two = {name: [r[0] for r in scores] for name, scores in rows.items()}
    lead, oracle = two.get("lead"), two.get("oracle")
    folds = options.folds or len(topics)
    versions = ", ".join(
        f"{k} {v}" for k, v in library_versions("scikit-learn", "numpy", "highspy").items()
    )
    lines = [
        f"{len(topics)} topics, {folds} folds, recall, `-m -l {WORDS}`, four references pooled; {versions}.",
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
