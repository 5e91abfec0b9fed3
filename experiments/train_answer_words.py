"""Train and measure the included trees that predict which words answer, and so what opens an answer
(results/readability.md).

    python experiments/train_answer_words.py [--data ../shared/data] [--cache FOLDER] [--out FILE]

The questions of editions 1-8 of BioASQ in four folds of two editions; a model of relevance answers
those of a fold that has seen no question that shares a document with them. From its relevance,
trees learn which words of the most relevant sentences are part of an exact answer, of the folds in
turn and, to be kept in a file, of all. The table compares what opens the answers in at most 100
words, which may end early, to the questions of each fold by the trees of the others. The folder
keeps features and models (`evidence.py`).
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from experiments.evidence import COVERED, FOLDS, SYSTEM, Case, Data, predicted, unlike
from features.answer_words import COLUMNS
from features.arrays import Floats
from ilpsum.answers.steps import KIND, PROTOCOL, answer_probabilities, words_of
from ilpsum.files import persistence
from ilpsum.learning.boosted_trees import BoostedTrees, TreeParameters
from ilpsum.learning.stored import flatten
from ilpsum.metrics.answers import answer_recall, searchable
from ilpsum.metrics.rouge import rouge
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.records import Sentence

PARAMETERS = TreeParameters(rounds=150, rate=0.08, leaves=16, least=100, share=0.4, members=1)
WORDS = 100
MEASURES = ("holds an exact answer", "to the point", "ROUGE-2 with the ideal answer")

Answer = tuple[Sentence | None, Sentence | None]
"""What opens an answer without and with the trees; None if there is no answer."""


def examples(case: Case, relevance: Floats) -> tuple[Floats, Floats]:
    """Return the features of the words of the most relevant sentences, and whether they are of an exact answer."""
    context = case.example.around
    features, owners = words_of(relevance, context, range(len(relevance)))
    synonyms = [
        tuple(synonym.split()) for item in searchable(case.topic.answers) for synonym in item
    ]
    marked = {i: _marked(context.sentences[i].words, synonyms) for i in set(owners.tolist())}
    places = features[:, COLUMNS.index("place")].astype(int).tolist()
    targets = [place in marked[i] for i, place in zip(owners.tolist(), places, strict=True)]
    return features, np.array(targets, dtype=np.float64)


def _marked(words: Sequence[str], synonyms: Sequence[Sequence[str]]) -> set[int]:
    """Return the places of the words that are part of a synonym."""
    starts = (
        (k, len(s)) for s in synonyms for k in range(len(words)) if words[k : k + len(s)] == s
    )
    return {place for k, size in starts for place in range(k, k + size)}


def trained(cases: Sequence[Case], relevance: dict[str, Floats]) -> BoostedTrees:
    """Train on the questions that have exact answers."""
    rows = [
        examples(case, relevance[case.topic.id]) for case in cases if searchable(case.topic.answers)
    ]
    features, targets = (np.concatenate(of) for of in zip(*rows, strict=True))
    print(
        f"{len(rows)} questions, {len(targets)} words, {targets.mean():.3f} of exact answers",
        flush=True,
    )
    return PARAMETERS.fit(features, targets)


def openings(pipeline: Pipeline, trees: BoostedTrees, case: Case) -> Answer:
    """Return what opens the answer to a question, without and with the trees."""
    e = case.example
    prepared = pipeline.prepare(case.topic, (e.sentences, e.around, e.matrix))
    prepared, selection = pipeline.fill(prepared, WORDS)
    relevance = predicted(pipeline.model, case) if pipeline.model else np.zeros(0)
    held = answer_probabilities(case.topic.query, relevance, e.around, range(len(relevance)), trees)
    found = []
    for values in ([None] * len(held), held):
        chosen = [replace(prepared.sentences[i], holds_answer=values[i]) for i in selection.chosen]
        found.append(next(iter(pipeline.arrange(prepared, selection.chosen, chosen)), None))
    return found[0], found[1]


def measures(case: Case, first: Sentence | None) -> tuple[float, ...]:
    """Return `MEASURES` of what opens an answer; nan without exact answers."""
    if first is None:
        return (0.0 if searchable(case.topic.answers) else np.nan), 0.0, 0.0
    marked = {
        (s.document, s.start): t > 0
        for s, t in zip(case.example.sentences, case.example.targets, strict=True)
    }
    exact = (
        answer_recall(first.text, case.topic.answers) > 0
        if searchable(case.topic.answers)
        else np.nan
    )
    shared = rouge(first.text, list(case.topic.summaries[:1]))["ROUGE-2"].f1
    return float(exact), float(marked[first.document, first.start]), shared


def table(cases: Sequence[Case], answers: dict[str, Answer]) -> None:
    """Print the means without and with the trees, and the difference with its standard error."""
    groups: dict[str, Callable[[Case], bool]] = {
        "all questions": lambda case: case.edition > 0,
        "most documents in the pile": lambda case: case.covered >= COVERED,
        "without exact answers": lambda case: not searchable(case.topic.answers),
    }
    print(f"\n| | questions | {' | '.join(MEASURES)} |\n|---{'|---' * 4}|")
    for name, fits in groups.items():
        own = [case for case in cases if fits(case)]
        before, after = (
            np.array([measures(c, answers[c.topic.id][k]) for c in own]) for k in (0, 1)
        )
        cells = []
        for old, new in zip(before.T, after.T, strict=True):
            known = ~np.isnan(old)
            more = (new - old)[known]
            means = f"{old[known].mean():.3f}, {new[known].mean():.3f}" if known.any() else ""
            cells.append(
                f"{means} ({more.mean():+.3f}, {more.std() / len(more) ** 0.5:.3f})"
                if means
                else ""
            )
        print(f"| {name} | {len(own)} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, default=Path("evidence-cache"))
    parser.add_argument("--out", type=Path, default=Path("ilpsum/data/models/answer-words.npz"))
    options = parser.parse_args()
    data = Data(options.data, options.cache)
    folds = [[c for c in data.questions if c.edition in editions] for editions in FOLDS]
    others = [
        unlike([c for c in data.questions if c.edition not in of], fold)
        for of, fold in zip(FOLDS, folds, strict=True)
    ]
    models = [data.trained(cases) for cases in others]
    relevance = {
        c.topic.id: predicted(m, c) for m, fold in zip(models, folds, strict=True) for c in fold
    }
    trees = trained(data.questions, relevance)
    description, arrays = flatten(trees)
    persistence.save(options.out, KIND, PROTOCOL, {"trees": description, "editions": "1-8"}, arrays)
    answers: dict[str, Answer] = {}
    for model, cases, fold in zip(models, others, folds, strict=True):
        own = trained(cases, relevance)
        pipeline = Pipeline(SYSTEM, model, kind="searched", explained=False, may_stop_early=True)
        answers |= {case.topic.id: openings(pipeline, own, case) for case in fold}
    table(data.questions, answers)


if __name__ == "__main__":
    main()
