"""How well the facets of a structured summary agree with the annotators of TAC 2014.

    python experiments/facets_of_sentences.py [--data ../shared/data] [--out FILE.md]

A candidate of a reference paper has the votes of the annotators whose spans contain more than half
of it. A facet scores its share of the votes (weighted accuracy, as in Task 1b); models are trained
on the other topics.
"""

import argparse
from collections import Counter
from pathlib import Path

import numpy as np

from features.matching import ROLES
from ilpsum.pipeline.candidates import candidates
from ilpsum.pipeline.coherence.statements import roles_in
from ilpsum.records import Citance, Facet, Sentence, Topic
from ilpsum.records.tables import CandidateTable
from ilpsum.task1.facets import FacetExample, fit, gold_examples
from ilpsum.task1.linker import Query
from ilpsum.tasks import read_topics
from ilpsum.version import __version__, library_versions

# The facet of each rhetorical role: the mapping that agrees best.
OF_ROLE: dict[str, Facet] = {
    "background": "discussion",
    "aim": "hypothesis",
    "method": "method",
    "result": "results",
    "conclusion": "discussion",
}


def votes_of(sentence: Sentence, citances: tuple[Citance, ...]) -> Counter[Facet]:
    """Count the facets of annotated spans that contain more than half of a sentence."""
    votes = Counter[Facet]()
    for annotation in (a for citance in citances for a in citance.annotations):
        for span in annotation.spans:
            inside = min(sentence.end, span.end) - max(sentence.start, span.start)
            if 2 * inside > sentence.end - sentence.start:
                votes.update(annotation.facets)
    return votes


def main() -> None:
    """Print the table, or write it to a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    topics = [t for t in read_topics([arguments.data / "tac2014"]) if isinstance(t, Topic)]
    gold = [gold_examples(topic) for topic in topics]
    weight = Query.load("best").facets.sections
    scores: dict[str, list[list[float]]] = {}
    for i, topic in enumerate(topics):
        assert topic.reference is not None
        others = [example for k, own in enumerate(gold) if k != i for example in own]
        sentences = [s for s in candidates(topic, CandidateTable()) if votes_of(s, topic.citances)]
        alone = [FacetExample(s.text, s.text, {s.section: 1}, {}, s.section) for s in sentences]
        model = fit(others, sections=weight)
        roles = roles_in(topic.reference, sentences).argmax(axis=1)
        by_name = {
            "always Results": ["results"] * len(sentences),
            "always Discussion": ["discussion"] * len(sentences),
            "rhetorical role": [OF_ROLE[ROLES[k]] for k in roles],
            "Task 1b, text alone": fit(others).predict(alone),
            "Task 1b, text and section": model.predict(alone),
        }
        votes = [votes_of(s, topic.citances) for s in sentences]
        for name, facets in by_name.items():
            pairs = zip(facets, votes, strict=True)
            of_topic = [count[facet] / count.total() for facet, count in pairs]
            scores.setdefault(name, []).append(of_topic)
    rows = []
    random = np.random.default_rng(1)
    for name, by_topic in scores.items():
        means = []
        for _ in range(2000):
            drawn = random.choice(len(by_topic), len(by_topic))
            means.append(np.mean(np.concatenate([by_topic[k] for k in drawn])))
        low, high = np.percentile(means, (2.5, 97.5))
        rows.append(f"| {name} | {np.mean(np.concatenate(by_topic)):.3f} | {low:.3f}, {high:.3f} |")
    count = sum(map(len, scores["always Results"]))
    versions = ", ".join(
        " ".join(pair) for pair in library_versions("numpy", "scikit-learn").items()
    )
    page = [
        "# Facets of a summary's sentences",
        "",
        f"`python experiments/facets_of_sentences.py`: {count} sentences of {len(topics)} papers "
        "with annotators' facets; weighted accuracy, models of the other topics, interval by "
        f"2,000 samples of topics (seed 1). ilpsum {__version__}, {versions}.",
        "",
        "| facet of a sentence | weighted accuracy | 95 % |",
        "|---|---:|---:|",
        *rows,
        "",
    ]
    text = "\n".join(page)
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
