"""Measure the agreement of annotators of TAC 2014 Task 1, as Cohan et al. (2014) do; facets by count: Table 3.

    python experiments/task1_agreement.py [--data ../shared/data]

Prints Markdown.
"""

import argparse
import os
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

from annotators import agreement, fleiss_kappa

from ilpsum.formats import read_topics
from ilpsum.metrics.spans import union
from ilpsum.records import BrokenTopic, Citance, Topic

# (citances, average overlap in %) on the 20 training topics, and facets, as printed.
PUBLISHED = {
    "full, all": (0, None),
    "partial, all": (66, 21.8),
    "full, majority": (1, None),
    "partial, majority, 1 combination": (104, 19.1),
    "partial, majority, 2 combinations": (17, 21.3),
    "full, minority": (1, None),
    "partial, minority, 1 combination": (45, 31.8),
    "partial, minority, 2 combinations": (46, 26.3),
    "partial, minority, 3 combinations": (19, 21.1),
    "partial, minority, 4 combinations": (3, 14.5),
    "none": (11, None),
}
# Annotations of all 20 topics, counted in the files.
ALL_TOPICS = {"hypothesis": 21, "method": 155, "results": 490, "implication": 140, "discussion": 446}
PUBLISHED_FACETS = {"all": 45, "majority": 123, "minority": 97, "tie": 45, "none": 4}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    options = parser.parse_args()
    topics = [topic for topic in read_topics([options.data / "tac2014"]) if not isinstance(topic, BrokenTopic)]
    citances = [citance for topic in topics for citance in topic.citances]
    print(f"{len(topics)} topics, {len(citances)} citances of four annotators each.\n")
    _spans(citances)
    _facets(topics)


def _spans(citances: list[Citance]) -> None:
    overlaps: defaultdict[str, list[float]] = defaultdict(list)
    for citance in citances:
        kind, overlap = classify([marked(annotation.spans) for annotation in citance.annotations])
        overlaps[kind].append(100 * overlap)
    print("| agreement on spans | citances | mean overlap, % | published (20 topics) | overlap |")
    print("|---|---:|---:|---:|---:|")
    for kind, (count, overlap) in PUBLISHED.items():
        mine = overlaps.pop(kind, [])
        mean = f"{sum(mine) / len(mine):.1f}" if mine and kind != "none" else ""
        print(f"| {kind} | {len(mine)} | {mean} | {count} | {overlap or ''} |")
    for kind, mine in sorted(overlaps.items()):
        print(f"| {kind} | {len(mine)} | {sum(mine) / len(mine):.1f} | not published | |")
    print()


def marked(spans: tuple) -> frozenset[int]:
    """Return the characters of spans."""
    return frozenset(i for span in union(spans) for i in range(span.start, span.end))


def classify(annotators: list[frozenset[int]]) -> tuple[str, float]:
    """Return the agreement class of a citance, and |intersection| / |union| averaged over groups of annotators.

    The class is the largest number of annotators whose marks share a character (four: all, three: majority, two:
    minority); a combination is a group of that many annotators. Agreement is full if their marks are equal.
    """
    for size, name in ((4, "all"), (3, "majority"), (2, "minority")):
        overlaps = []
        for group in combinations(annotators, size):
            common = frozenset.intersection(*group)
            if common:
                overlaps.append(len(common) / len(frozenset.union(*group)))
        if overlaps:
            mean = sum(overlaps) / len(overlaps)
            if min(overlaps) == 1.0:
                return f"full, {name}", 1.0
            if size == 4:
                return "partial, all", mean
            return f"partial, {name}, {len(overlaps)} combination{'s' * (len(overlaps) > 1)}", mean
    return "none", 0.0


def _facets(topics: list[Topic]) -> None:
    labels = [[a.facets[0] for a in c.annotations if a.facets] for t in topics for c in t.citances]
    counts = Counter(agreement(names) for names in labels if names)
    print("| agreement on facets | citances | published (20 topics) |\n|---|---:|---:|")
    for kind, published in PUBLISHED_FACETS.items():
        print(f"| {kind} | {counts[kind]} | {published} |")
    print(f"\nFleiss' kappa: {fleiss_kappa(labels):.3f} (published: .187).")
    named = Counter(name for names in labels for name in names)
    print("\n| facet | annotations | share | of all 20 topics | share |\n|---|---:|---:|---:|---:|")
    for facet, count in ALL_TOPICS.items():
        shares = named[facet] / named.total(), count / sum(ALL_TOPICS.values())
        print(f"| {facet} | {named[facet]} | {shares[0]:.1%} | {count} | {shares[1]:.1%} |")


if __name__ == "__main__":
    main()
