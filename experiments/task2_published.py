"""Score TAC 2014 Task 2 as Cohan and Goharian (EMNLP 2015) report it: medians of ROUGE-1, -2 and -L
F1 over topics.

    python -m experiments.task2_published [--data ../shared/data] [--systems NAME...]

A topic is summarised by a model that has seen none of its papers; 250 words, stems, the four human
summaries pooled. A human summary is scored against the other three. Prints Markdown.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.task2_held_out import FOLDS, WORDS, variants
from features.sentences import split_sentences
from ilpsum.metrics.rouge import References
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.examples import example
from ilpsum.pipeline.training.folds import fit_folds, fold_by_topic
from ilpsum.records import Topic
from ilpsum.tasks import read_topics

METRICS = ("ROUGE-1", "ROUGE-2", "ROUGE-L")
PUBLISHED = {"human": (0.534, 0.189, 0.488), "concepts": (0.472, 0.150, 0.432)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    )
    parser.add_argument("--systems", nargs="+", default=["lead", "task2", "concepts"])
    options = parser.parse_args()
    topics = [t for t in read_topics([options.data / "tac2014"]) if isinstance(t, Topic)]
    print(f"{len(topics)} topics; medians of F1, in brackets means.\n")
    print(
        "| summaries | "
        + " | ".join(METRICS)
        + " | published: human, best system |\n|---"
        + "|---:" * 4
        + "|"
    )
    _row("human", [_humans(topic) for topic in topics])
    for name, system in variants(options.systems):
        _row(name, _summaries(system, topics))


def _humans(topic: Topic) -> list[float]:
    """Return the mean scores of a topic's human summaries, each against the others."""
    own = topic.summaries
    return list(
        np.mean([_f1(text, [*own[:i], *own[i + 1 :]]) for i, text in enumerate(own)], axis=0)
    )


def _summaries(system: System, topics: Sequence[Topic]) -> list[list[float]]:
    examples = {topic.id: example(system, topic) for topic in topics} if system.relevance else {}
    fold_of = fold_by_topic(topics, FOLDS)
    models = fit_folds(system, examples, fold_of, words=WORDS) if examples else ()
    scores = []
    for topic in topics:
        model = models[fold_of[topic.id]] if models else None
        summary = Pipeline(system, model)(topic, WORDS)
        scores.append(_f1(summary.text, topic.summaries))
    return scores


def _f1(text: str, references: Sequence[str]) -> list[float]:
    scores = References(list(map(_lines, references)), METRICS, stem=True, words=WORDS).score(
        _lines(text)
    )
    return [scores[metric].f1 for metric in METRICS]


def _lines(text: str) -> str:
    """Return the first words of a text, a sentence a line, as ROUGE-L counts them."""
    text = " ".join(text.split()[:WORDS])
    return "\n".join(text[start:end] for start, end in split_sentences(text))


def _row(name: str, scores: Sequence[Sequence[float]]) -> None:
    cells = [
        f"{median:.3f} ({mean:.3f})"
        for median, mean in zip(np.median(scores, 0), np.mean(scores, 0), strict=True)
    ]
    published = ", ".join(f"{value:.3f}" for value in PUBLISHED.get(name, ()))
    print(f"| {name} | " + " | ".join(cells) + f" | {published} |", flush=True)


if __name__ == "__main__":
    main()
