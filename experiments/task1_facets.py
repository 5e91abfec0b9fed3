"""Score discourse facets on TAC 2014 Task 1b: every classifier, by folds over citances and over topics.

    python experiments/task1_facets.py [--data ../shared/data] [--methods NAME...] [--confusion] [--figure FILE.svg]

All annotators of a citance are in one fold. Prints Markdown with the published numbers, the highest possible score, the
agreement of one annotator with the others, and random answers; --confusion adds the confusion matrix and the accuracy
by topic of `best`; --figure draws Figure 1 of Cohan et al. (2014), the published top three by topic between the best
possible and random answers, and prints its numbers. Supervised LDA needs `pip install tomotopy`.
"""

import argparse
import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from facet_classifiers import CLASSIFIERS, fit
from plots import curves

from ilpsum.formats import read_topics
from ilpsum.metrics.spans import facet_score
from ilpsum.records import BrokenTopic, Facet, Topic
from ilpsum.task1 import facets
from ilpsum.task1.facets import FACETS, FacetExample, examples, gold_examples
from ilpsum.task1.linker import LinkModel, Query, spans
from ilpsum.task1.ranker import examples as span_examples
from ilpsum.task1.ranker import train
from ilpsum.task1.reformulation import Background

PUBLISHED = {
    "svm": ".5256",
    "slda": ".3842",
    "tree": ".4065",
    "boosting": ".4489",
    "forest": ".4864",
    "ensemble-probability": ".4224",
    "ensemble-rank": ".5",
}
TOP_THREE = ("svm", "ensemble-rank", "forest")
SECTIONS = Query.load("best").facets.sections
FOLDS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    parser.add_argument("--confusion", action="store_true", help="confusion matrix and accuracy by topic of `best`")
    parser.add_argument("--figure", type=Path, metavar="FILE.svg", help="figure 1: the top three by topic")
    methods = list(CLASSIFIERS)
    parser.add_argument("--methods", nargs="*", default=methods, choices=methods, metavar="NAME", help="(default: all)")
    options = parser.parse_args()
    topics = [t for t in read_topics([options.data / "tac2014"]) if not isinstance(t, BrokenTopic)]
    gold = [gold_examples(topic) for topic in topics]
    _print_bounds(topics)
    owner = np.array([i for i, group in enumerate(gold) for _ in group])
    shuffled = np.random.default_rng(1).permutation(len(owner)) % FOLDS
    if options.figure:
        _figure(topics, gold, {m: _cross(gold, [gold], shuffled, m, 0.0)[0] for m in TOP_THREE}, options.figure)
    if not options.methods:
        return
    predicted = _predicted(topics)
    print("| classifier | sections | ten folds | topics left out | the same, predicted spans | published (ten folds) |")
    print("|---|---:|---:|---:|---:|---:|")
    for method in options.methods:
        for sections in (0.0, SECTIONS):
            (ten,) = (_mean(gold, a) for a in _cross(gold, [gold], shuffled, method, sections))
            out, blind = (_mean(gold, a) for a in _cross(gold, [gold, predicted], owner, method, sections))
            row = f"| {method} | {sections:g} | {ten:.4f} | {out:.4f} | {blind:.4f} |"
            print(f"{row} {PUBLISHED.get(method, '') if not sections else ''} |", flush=True)
    if options.confusion:
        _confusion(topics, gold, _cross(gold, [gold], owner, "svm", SECTIONS)[0])


def _print_bounds(topics: Sequence[Topic]) -> None:
    """Print the score of the best possible answers, and of one annotator against the others."""
    labels = [[a.facets[0] for a in c.annotations if a.facets] for t in topics for c in t.citances]
    labels = [own for own in labels if len(own) > 1]
    best = np.mean([max(own.count(facet) for facet in own) / len(own) for own in labels])
    others = [(own.count(facet) - 1) / (len(own) - 1) for own in labels for facet in own]
    print(f"{len(labels)} citances of {len(topics)} topics: best possible answers {best:.4f}", end=" ")
    print(f"(published for all 20 topics: .6665), one annotator against the others {np.mean(others):.4f}.")
    runs = [
        np.mean([own.count(answer) / len(own) for own, answer in zip(labels, _random(len(labels), seed), strict=True)])
        for seed in range(1000)
    ]
    spread = f"{np.mean(runs):.4f}, from {min(runs):.4f} to {max(runs):.4f}"
    print(f"Random facets, 1,000 draws: {spread} (published: .1094; {1 / len(FACETS):.1f} is expected).\n")


def _random(count: int, seed: int) -> list[Facet]:
    return [FACETS[i] for i in np.random.default_rng(seed).integers(len(FACETS), size=count)]


def _figure(
    topics: Sequence[Topic], gold: Sequence[Sequence[FacetExample]], answers: dict[str, list[str]], path: Path
) -> None:
    """Draw the accuracy by topic of classifiers in ten folds, of the best possible and of random answers."""
    examples = [e for group in gold for e in group]
    best = [max(e.votes, key=lambda facet, e=e: e.votes[facet]) for e in examples]
    named = {"oracle": best, **answers, "random": _random(len(examples), 1)}
    starts = np.cumsum([0, *map(len, gold)])
    by_topic = {
        name: [
            float(np.mean([_score(e, a) for e, a in zip(examples[i:j], own[i:j], strict=True)]))
            for i, j in pairwise(starts.tolist())
        ]
        for name, own in named.items()
    }
    print("| topic | " + " | ".join(by_topic) + " |\n|---" + "|---:" * len(by_topic) + "|")
    for place, topic in enumerate(topics):
        print(f"| {topic.id} | " + " | ".join(f"{values[place]:.3f}" for values in by_topic.values()) + " |")
    curves(path, range(1, len(topics) + 1), by_topic, "topic", "weighted accuracy, ten folds")
    print()


def _predicted(topics: Sequence[Topic]) -> list[list[FacetExample]]:
    """Return examples with the spans predicted by a ranker trained on the other topics."""
    query, known = Query.load("best"), [span_examples(topic) for topic in topics]
    result = []
    for k, topic in enumerate(topics):
        learned = train([e for i, e in enumerate(known) if i != k])
        unused = facets.fit([FacetExample("a", "b", {}, {"results": 1.0})])
        answers = spans(topic, query, LinkModel(unused, learned), Background())
        result.append(examples(topic.reference, topic.citances, answers))
    return result


def _cross(
    gold: Sequence[Sequence[FacetExample]],
    tests: Sequence[Sequence[Sequence[FacetExample]]],
    fold: np.ndarray,
    method: str,
    sections: float,
) -> list[list[str]]:
    """Predict the facets of every test set with a classifier trained on the gold spans of the other folds."""
    known = [e for group in gold for e in group]
    test_examples = [[e for group in test for e in group] for test in tests]
    answers = [[""] * len(known) for _ in tests]
    for k in sorted(set(fold.tolist())):
        model = fit([e for e, f in zip(known, fold, strict=True) if f != k], method, sections=sections)
        inside = [i for i, f in enumerate(fold) if f == k]
        for answer, test in zip(answers, test_examples, strict=True):
            for i, facet in zip(inside, model.predict([test[i] for i in inside]), strict=True):
                answer[i] = facet
    return answers


def _mean(gold: Sequence[Sequence[FacetExample]], answers: Sequence[str]) -> float:
    return float(np.mean([_score(e, a) for e, a in zip([e for g in gold for e in g], answers, strict=True)]))


def _score(example: FacetExample, answer: str) -> float:
    named = [[facet] for facet, votes in example.votes.items() for _ in range(round(votes))]
    return facet_score(answer, named)


def _confusion(topics: Sequence[Topic], gold: Sequence[Sequence[FacetExample]], answers: Sequence[str]) -> None:
    matrix = np.zeros((len(FACETS), len(FACETS)))
    for example, answer in zip([e for g in gold for e in g], answers, strict=True):
        for facet, votes in example.votes.items():
            matrix[FACETS.index(facet), FACETS.index(answer)] += votes
    print("\n| annotators say | " + " | ".join(FACETS) + " |\n|---|" + "---:|" * len(FACETS))
    for facet, row in zip(FACETS, matrix, strict=True):
        print(f"| {facet} | " + " | ".join(f"{value:.0f}" for value in row) + " |")
    print("\n| topic | weighted accuracy |\n|---|---:|")
    start = 0
    for topic, group in zip(topics, gold, strict=True):
        own = answers[start : start + len(group)]
        start += len(group)
        print(f"| {topic.id} | {np.mean([_score(e, a) for e, a in zip(group, own, strict=True)]):.4f} |")


if __name__ == "__main__":
    main()
