"""Test the published order ILP-SUM-2 > ILP-SUM-1 > ILP-SUM-0 on every edition of BioASQ, trained on the others.

    python experiments/system_order.py [--data ../shared/data] [--out experiments/results] [--pools snippets merged]

Figure 3's protocol tests 300 questions; this experiment tests all questions of editions 1-8 whose pool exceeds the word
limit (the others offer no choice), at two values of lambda. It also reports the quality of relevance alone: the
correlation of predicted and true target within a question, averaged over questions. The systems have the initial
parameters of the SVR, which this experiment put in doubt; see `bioasq_options.py` and the included systems for the
result. Each variant of ILP-SUM-2 tests one hypothesis:

- `parameters of -1`: whether the SVR's parameters, and not the features, make the difference;
- `shuffled vectors`: word vectors assigned to random words, so that features 2.1-2.4 show only whether the same words
  occur; meaningless vectors would score like this;
- `more sentences`: twice the training sentences, because the system has three times the features.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from bioasq import WORDS, Case, Row, Source, add_options, answer, difference, edition, named, score, train
from bioasq import write as write_page
from bioasq_options import correlations

from features.arrays import Floats
from features.embeddings import Embeddings
from features.sets import EMBEDDINGS, FEATURES
from ilpsum.learning import embeddings
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System

LAMBDAS = (0.9, 0.95)
SHUFFLED = "ilp-sum-2, shuffled vectors"
NARROW: dict[str, object] = {"C": (1.0,), "gamma": (0.3,), "sample": 4000}
WIDER: dict[str, object] = {"C": (0.3,), "gamma": (0.1,), "sample": 4000}
VARIANTS = {
    "ilp-sum-0": named("ilp-sum-0", recipe=NARROW),
    "ilp-sum-1": named("ilp-sum-1", recipe=NARROW),
    "ilp-sum-2": named("ilp-sum-2", recipe=WIDER),
    "ilp-sum-2, parameters of -1": named("ilp-sum-2", recipe=NARROW),
    SHUFFLED: named("ilp-sum-2", recipe=WIDER),
    "ilp-sum-2, more sentences": named("ilp-sum-2", recipe={**WIDER, "sample": 8000}),
}
PAIRS = (
    ("ilp-sum-1", "ilp-sum-0"),
    ("ilp-sum-2", "ilp-sum-1"),
    ("ilp-sum-2", "ilp-sum-0"),
    ("ilp-sum-2", SHUFFLED),
    ("ilp-sum-2, parameters of -1", "ilp-sum-2"),
    ("ilp-sum-2, more sentences", "ilp-sum-2"),
)


@dataclass(frozen=True)
class Found:
    """Results of a system on the questions of an edition.

    Attributes:
        scores: (lambdas, questions).
        correlations: one for each question where prediction and target vary.
    """

    scores: Floats
    correlations: Floats


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--pools", nargs="+", default=["snippets", "merged"])
    options = parser.parse_args()
    blocks = [
        "Recall, mean of ROUGE-2 and ROUGE-SU4, first ideal answer, no stemming, 200 words; each edition after "
        f"training on the other seven; questions of more than {WORDS} words."
    ]
    source, vectors = Source(options.data), shuffled(embeddings.default())
    for pool in options.pools:
        editions = {n: source.cases(edition(n), pool) for n in range(1, 9)}
        meaningless = {n: [with_vectors(case, vectors) for case in cases] for n, cases in editions.items()}
        found: dict[str, list[Found]] = {}
        for name, system in VARIANTS.items():
            cases = meaningless if name == SHUFFLED else editions
            for n, test in cases.items():
                training = [case for other, some in cases.items() if other != n for case in some]
                model = train(system, training)
                found.setdefault(name, []).append(tested(system, model, [c for c in test if c.words > WORDS]))
        blocks += [f"## {pool}", *report(found)]
        command = f"python experiments/system_order.py --pools {' '.join(options.pools)}"
        write_page(options, "system-order", "The order of the systems", command, blocks)


def shuffled(loaded: Embeddings) -> Embeddings:
    """Assign the vectors to random words; each word keeps its IDF."""
    order = np.random.default_rng(0).permutation(len(loaded))
    return replace(loaded, vectors=np.asarray(loaded.vectors)[order])


def with_vectors(case: Case, vectors: Embeddings) -> Case:
    """Compute features 2.1-2.4 of a question with other vectors."""
    return replace(
        case,
        columns=case.columns | {EMBEDDINGS: FEATURES[EMBEDDINGS].compute(replace(case.around, embeddings=vectors))},
    )


def tested(system: System, model: SystemModel, cases: Sequence[Case]) -> Found:
    """Score a trained system on questions."""
    values = [[score(answer(Pipeline(system, model, lambda_=x), case), case) for case in cases] for x in LAMBDAS]
    return Found(np.array(values), np.array(correlations(system, model, cases)))


def report(found: dict[str, list[Found]]) -> list[str]:
    """Format the table of a pool, and the differences between systems."""
    questions = sum(part.scores.shape[1] for part in found["ilp-sum-0"])
    head = ["system", *(f"lambda {x} ({questions})" for x in LAMBDAS), *(f"edition {n}" for n in range(1, 9))]
    lines = [f"| {' | '.join([*head, 'correlation'])} |", "|---" * (len(head) + 1) + "|"]
    for name, parts in found.items():
        means = np.concatenate([part.scores for part in parts], axis=1).mean(axis=1)
        by_edition = [part.scores[0].mean() for part in parts]
        correlation = np.mean(np.concatenate([part.correlations for part in parts]))
        lines.append(f"| {' | '.join([name, *(f'{v:.4f}' for v in (*means, *by_edition, correlation))])} |")
    differences = []
    for a, b in PAIRS:
        for k, value in enumerate(LAMBDAS):
            one, other = (Row(x, np.concatenate([part.scores[k] for part in found[x]])) for x in (a, b))
            differences.append(f"- {a} over {b}, lambda {value}: {difference(one, other)}")
    return [
        "\n".join(lines),
        f"By edition at lambda {LAMBDAS[0]}. Differences of the means [95 %], p:",
        "\n".join(differences),
    ]


if __name__ == "__main__":
    main()
