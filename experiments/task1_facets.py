"""Discourse facets of TAC 2014 Task 1b: every classifier, folds over citances and over topics, the published beside.

    python experiments/task1_facets.py [DATA] [--methods NAME...] [--confusion]

DATA is a folder with tac2014/, by default $ILPSUM_TEST_DATA or ../shared/data. A citance with all its annotators is
in one fold. Prints Markdown; with --confusion also the confusion matrix and the accuracy a topic of `best`.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ilpsum.citances import facets
from ilpsum.citances.facet_data import examples, gold_examples
from ilpsum.citances.facets import FACETS, FacetExample
from ilpsum.citances.linker import spans
from ilpsum.citances.models import LinkModel
from ilpsum.citances.queries import Query
from ilpsum.citances.ranker import examples as taught_by
from ilpsum.citances.ranker import train
from ilpsum.citances.reformulation import Sources
from ilpsum.corpora import read_topics
from ilpsum.metrics.facets import facet_score
from ilpsum.records import BrokenTopic, Topic

PUBLISHED = {
    "svm": ".5256",
    "slda": ".3842",
    "tree": ".4065",
    "boosting": ".4489",
    "forest": ".4864",
    "ensemble-probability": ".4224",
    "ensemble-rank": ".5",
}
SECTIONS = Query.load("best").facets.sections
FOLDS = 10


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", nargs="?", default=os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    options.add_argument("--confusion", action="store_true")
    options.add_argument("--methods", nargs="+", default=list(facets.CLASSIFIERS), choices=list(facets.CLASSIFIERS))
    given = options.parse_args()
    topics = [t for t in read_topics([Path(given.data) / "tac2014"]) if not isinstance(t, BrokenTopic)]
    gold = [gold_examples(topic) for topic in topics]
    found = _predicted(topics)
    owner = np.array([i for i, group in enumerate(gold) for _ in group])
    shuffled = np.random.default_rng(1).permutation(len(owner)) % FOLDS
    print("| classifier | sections | ten folds | topics left out | the same, found spans | published (ten folds) |")
    print("|---|---:|---:|---:|---:|---:|")
    for method in given.methods:
        for sections in (0.0, SECTIONS):
            (ten,) = (_mean(gold, a) for a in _cross(gold, [gold], shuffled, method, sections))
            out, blind = (_mean(gold, a) for a in _cross(gold, [gold, found], owner, method, sections))
            row = f"| {method} | {sections:g} | {ten:.4f} | {out:.4f} | {blind:.4f} |"
            print(f"{row} {PUBLISHED.get(method, '') if not sections else ''} |", flush=True)
    if given.confusion:
        _confusion(topics, gold, _cross(gold, [gold], owner, "svm", SECTIONS)[0])


def _predicted(topics: Sequence[Topic]) -> list[list[FacetExample]]:
    """The citances with the spans that a ranker finds which was trained on the other topics."""
    query, taught = Query.load("best"), [taught_by(topic) for topic in topics]
    result = []
    for k, topic in enumerate(topics):
        learned = train([t for i, t in enumerate(taught) if i != k])
        nothing = facets.fit([FacetExample("a", "b", {}, {"results": 1.0})], "svm")
        answers = spans(topic, query, LinkModel(nothing, learned), Sources())
        result.append(examples(topic.reference, topic.citances, answers))
    return result


def _cross(
    gold: Sequence[Sequence[FacetExample]],
    tests: Sequence[Sequence[Sequence[FacetExample]]],
    fold: np.ndarray,
    method: str,
    sections: float,
) -> list[list[str]]:
    """For each test the facet of every citance, by a classifier trained on the gold spans of the other folds."""
    known = [e for group in gold for e in group]
    asked = [[e for group in test for e in group] for test in tests]
    answers = [[""] * len(known) for _ in tests]
    for k in sorted(set(fold.tolist())):
        model = facets.fit([e for e, f in zip(known, fold, strict=True) if f != k], method, sections=sections)
        inside = [i for i, f in enumerate(fold) if f == k]
        for found, test in zip(answers, asked, strict=True):
            for i, facet in zip(inside, model.predict([test[i] for i in inside]), strict=True):
                found[i] = facet
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
