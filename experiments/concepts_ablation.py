"""Ablation of `concepts-snippets`: trained on editions 1, 2 and 4 of BioASQ, scored on 5 and 6, in two pools.

    python experiments/concepts_ablation.py [--data ../shared/data] [--out experiments/results]

Editions 5 and 6 are the development split; editions 3, 7 and 8 are not used. Each row removes one group of features or
one component. Rows with other seeds of the trees show how much of a difference is noise.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from bioasq import Case, Row, Source, add_options, difference, edition, named, scores, write

from features.concepts import COLUMNS
from features.order import BIGRAM_COLUMNS
from ilpsum.learning import support_vectors
from ilpsum.learning.boosted_trees import TreeParameters as Trees
from ilpsum.learning.lexicon import LexiconParameters as Lexicon
from ilpsum.learning.models import SystemModel
from ilpsum.learning.relevance import RegressionParameters
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.fitting import Stacked, fit_relevance, fit_weights, outside_folds, stack_of

SYSTEM = "concepts-snippets"

# Groups of features of bigrams.
GROUPS = {
    "relevance of its sentences": ("best-score", "mean-score", "top-three-score", "total-score", "best-rank"),
    "how many sentences and documents contain it": ("holders", "share-of-holders", "document-share"),
    "sections and position": ("earliest", *(name for name in COLUMNS if name.startswith("holders-in-"))),
    "order of the documents": BIGRAM_COLUMNS,
    "the question": ("in-query", "words-in-query"),
    "kinds and rarity of its words": COLUMNS[COLUMNS.index("first-is-stop-word") : COLUMNS.index("words-in-query")],
    "characters and digits": ("characters", "has-digit"),
}

# Groups of features of sentences, columns of `bioasq.Case`.
SENTENCE_GROUPS = {
    "similarity to the question": ("word-overlap", "stem-overlap", "word-distance", "stem-distance", "bm25"),
    "frequency of its words": (
        "content-word-frequency",
        "content-stem-frequency",
        "document-word-frequency",
        "document-stem-frequency",
    ),
    "similarity to other sentences and documents": ("centrality", "document-support"),
    "section and position": ("section", "is-title", "position", "position-in-section"),
    "rank of its document": ("document-rank",),
    "its length": ("length",),
    "the kind of question, the size of the topic": ("question",),
}


@dataclass(frozen=True)
class Trained:
    """A trained system.

    Attributes:
        system: the system.
        model: its models of relevance and bigram weights.
        stack: the training questions, scored by models trained on the others.
    """

    system: System
    model: SystemModel
    stack: list[Stacked]


def trained(system: System, training: Sequence[Case], parameters: RegressionParameters) -> Trained:
    """Train a system with given parameters of its regression."""
    examples = [case.example(system) for case in training]
    whole, *of_folds = fit_relevance(system, examples, [range(len(examples)), *outside_folds(examples)], parameters)
    stack = stack_of(system, examples, of_folds)
    concepts = fit_weights(system, stack) if system.selection.weights == "learned" else None
    return Trained(system, SystemModel(whole, concepts), stack)


def without(base: Trained, columns: Iterable[str]) -> SystemModel:
    """Train the bigram weights again without some columns."""
    every = (*COLUMNS, *BIGRAM_COLUMNS)
    removed = [every.index(name) for name in columns]
    stack = []
    for s in base.stack:
        if s.concepts:
            matrix = s.concepts.matrix.copy()
            # A constant column gets the coefficient 0.
            matrix[:, removed] = 0.0
            s = replace(s, concepts=replace(s.concepts, matrix=matrix))
        stack.append(s)
    return replace(base.model, weights=fit_weights(base.system, stack))


def rows(training: Sequence[Case], test: Sequence[Case]) -> Iterator[Row]:
    """Yield the lead, the full system, and the system with one change each."""
    yield Row("lead", scores(Pipeline(System.load("lead")), test))
    trees = System.load(SYSTEM).recipe.trees or Trees()
    base = trained(System.load(SYSTEM), training, trees)
    yield Row(SYSTEM, scores(Pipeline(base.system, base.model), test))
    for name, columns in GROUPS.items():
        yield Row(f"bigrams without: {name}", scores(Pipeline(base.system, without(base, columns)), test))
    for text, changes in {
        "every bigram alike, lambda .9": {"lambda_": 0.9, "weights": "equal"},
        "greedy by relevance": {"method": "greedy", "weights": "equal"},
        "lambda 0": {"lambda_": 0.0},
        "lambda .1": {"lambda_": 0.1},
        "lambda .5": {"lambda_": 0.5},
        "relevance clipped": {"alpha": "clip"},
    }.items():
        system = named(SYSTEM, selection=changes)
        yield Row(text, scores(Pipeline(system, base.model), test))
    yield Row("concepts of words", _again(named(SYSTEM, selection={"concepts": "words"}), training, test, trees))
    yield Row("target recall", _again(named(SYSTEM, recipe={"target": "recall"}), training, test, trees))
    svr = named(SYSTEM, recipe={"scaling": "training", "sample": 4000, "trees": None, "lexicon": None})
    yield Row("SVR instead of trees", _again(svr, training, test, support_vectors.SvrParameters(1.0, 0.3, 0.05)))
    for scaling in ("training", "topic"):
        system = named(SYSTEM, recipe={"scaling": scaling})
        yield Row(f"trees, features scaled by {scaling} only", _again(system, training, test, trees))
    for name, columns in SENTENCE_GROUPS.items():
        blind, unseen = ([_blinded(c, columns) for c in cases] for cases in (training, test))
        yield Row(f"sentences without: {name}", _again(System.load(SYSTEM), blind, unseen, trees))
    yield Row("sentences without: lexicon", _again(named(SYSTEM, recipe={"lexicon": None}), training, test, trees))
    for least in (10, 20):
        system = named(SYSTEM, recipe={"lexicon": Lexicon(topics=least)})
        yield Row(f"lexicon of terms of {least} questions", _again(system, training, test, trees))
    for seed in (10, 20):
        yield Row(f"seeds from {seed}", _again(System.load(SYSTEM), training, test, _seeded(trees, seed)))


def _blinded(case: Case, columns: Iterable[str]) -> Case:
    """Set some features of a question's sentences to 0; trees ignore constant features."""
    return replace(case, columns=case.columns | {name: case.columns[name] * 0 for name in columns})


def _seeded(trees: Trees, seed: int) -> Trees:
    return Trees(**{name: getattr(trees, name) for name in trees.__struct_fields__} | {"seed": seed})


def _again(
    system: System, training: Sequence[Case], test: Sequence[Case], parameters: RegressionParameters
) -> np.ndarray:
    found = trained(system, training, parameters)
    return scores(Pipeline(system, found.model), test)


def table(found: Sequence[Row], long: np.ndarray) -> str:
    """Format rows as Markdown, with the difference from the full system."""
    base = found[1]
    lines = [
        f"| | all ({len(long)}) | > 200 words ({int(long.sum())}) | over the base [95 %], p |",
        "|---|---|---|---|",
    ]
    for row in found:
        over = "" if row is base else difference(row, base)
        lines.append(f"| {row.name} | {row.scores.mean():.4f} | {row.scores[long].mean():.4f} | {over} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, systems=False)
    options = parser.parse_args()
    source = Source(options.data)
    blocks = ["Recall, mean of ROUGE-2 and ROUGE-SU4, first ideal answer, no stemming, 200 words."]
    for pool in ("snippets", "merged"):
        training, test = source.cases(edition(1, 2, 4), pool), source.cases(edition(5, 6), pool)
        found = []
        for row in rows(training, test):
            found.append(row)
            print(f"{pool}: {row.name} {row.scores.mean():.4f}", flush=True)
        blocks += [f"## {pool}", table(found, np.array([case.words > 200 for case in test]))]
        write(
            options,
            "concepts-ablation",
            "Parts of concepts, on BioASQ 5 and 6",
            "python experiments/concepts_ablation.py",
            blocks,
        )


if __name__ == "__main__":
    main()
