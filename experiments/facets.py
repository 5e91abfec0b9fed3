"""Reproduce Table 5 and Figure 1 of Cohan et al. (2014): classifiers of discourse facets (Task 1b).

    python -m experiments facets [--methods NAME...] [--found]

Published weighted accuracy on 20 topics, ten folds: SVM .5256, ensemble by rank .5, random forest
.4864, LogitBoost .4489, ensemble by probability .4224, decision tree .4065, supervised LDA .3842,
random .1094, oracle .6665. Figure 1 shows the best three by topic, between oracle and random. Here:
the 14 topics in --data, in ten folds over citances as published, and leaving each topic out, the
honest setting for new papers. All annotators of a citance are in one fold. Classifiers are trained
on gold spans; --found also tests on the spans that `best` finds. Supervised LDA needs tomotopy.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from experiments.facet_classifiers import CLASSIFIERS, fit
from experiments.page import Page, Progress, markdown, parser
from experiments.plots import curves
from ilpsum.metrics.spans import facet_score
from ilpsum.records import Facet, Topic
from ilpsum.task1.facets import FACETS, FacetExample, examples, gold_examples
from ilpsum.task1.linker import Query, spans
from ilpsum.task1.ranker import examples as span_examples
from ilpsum.task1.ranker import train
from ilpsum.task1.reformulation import Background
from ilpsum.tasks import read_topics

PUBLISHED = {
    "random": ".1094",
    "ensemble-probability": ".4224",
    "logitboost": ".4489",
    "slda": ".3842",
    "random-forest": ".4864",
    "svm": ".5256",
    "decision-tree": ".4065",
    "ensemble-rank": ".5",
    "oracle": ".6665",
}
TOP_THREE = ("svm", "ensemble-rank", "random-forest")
# Features of sections, which are ours: `best` is the SVM with this weight of them.
BEST = "best"
SECTIONS = Query.load(BEST).facets.sections
FOLDS = 10
SEED = 1
DRAWS = 1000


def weighted_accuracy(example: FacetExample, answer: str) -> float:
    """Return the share of a citance's annotators who chose a facet (equation 4)."""
    labels = [[facet] for facet, votes in example.votes.items() for _ in range(round(votes))]
    return facet_score(answer, labels)


def accuracies(gold: Sequence[FacetExample], answers: Sequence[str]) -> np.ndarray:
    """Return the weighted accuracy of each answer, (citances,)."""
    return np.array([weighted_accuracy(e, a) for e, a in zip(gold, answers, strict=True)])


def oracle(gold: Sequence[FacetExample]) -> list[str]:
    """Return the facet that most annotators chose."""
    return [max(example.votes, key=lambda facet: example.votes[facet]) for example in gold]


def random_answers(count: int, seed: int) -> list[Facet]:
    """Draw facets, each of the five equally likely."""
    return [FACETS[i] for i in np.random.default_rng(seed).integers(len(FACETS), size=count)]


def agreement_with_others(topics: Sequence[Topic]) -> float:
    """Return the mean weighted accuracy of an annotator against the others of the citance."""
    shares = []
    for citance in (citance for topic in topics for citance in topic.citances):
        labels = [annotation.facets[0] for annotation in citance.annotations if annotation.facets]
        if len(labels) > 1:
            shares += [(labels.count(label) - 1) / (len(labels) - 1) for label in labels]
    return float(np.mean(shares))


def found_examples(topics: Sequence[Topic], progress: Progress) -> list[FacetExample]:
    """Return examples with the spans that a ranker trained on the other topics finds."""
    query = Query.load(BEST)
    by_topic = [span_examples(topic) for topic in topics]
    made = []
    for k, topic in enumerate(topics):
        progress(f"spans of {topic.id}")
        ranker = train([e for i, e in enumerate(by_topic) if i != k])
        answers = spans(topic, query, ranker, Background())
        made += examples(topic.reference, topic.citances, answers, topic.documents)
    return made


def cross_validated(
    gold: Sequence[FacetExample],
    tests: Sequence[Sequence[FacetExample]],
    folds: np.ndarray,
    method: str,
    sections: float,
) -> list[list[str]]:
    """Return the answers to each test set of classifiers trained on the gold spans of other folds."""
    answers = [[""] * len(gold) for _ in tests]
    for fold in np.unique(folds):
        training = [e for e, own in zip(gold, folds, strict=True) if own != fold]
        model = fit(training, method, sections=sections, seed=SEED)
        inside = np.flatnonzero(folds == fold)
        for answer, test in zip(answers, tests, strict=True):
            for i, facet in zip(inside, model.predict([test[i] for i in inside]), strict=True):
                answer[i] = facet
    return answers


def scored_answers(
    gold: Sequence[FacetExample],
    tests: Sequence[Sequence[FacetExample]],
    shuffled: np.ndarray,
    by_topic: np.ndarray,
    method: str,
    sections: float,
) -> list[list[str]]:
    """Return the answers in ten folds, then for each test set those with topics left out."""
    (ten,) = cross_validated(gold, [gold], shuffled, method, sections)
    return [ten, *cross_validated(gold, tests, by_topic, method, sections)]


def bounds(gold: Sequence[FacetExample], columns: int) -> list[list[object]]:
    """Return the rows of random answers and of the oracle, whose scores no setting changes."""
    draws = [accuracies(gold, random_answers(len(gold), seed)).mean() for seed in range(DRAWS)]
    rows = []
    for name, value in (
        ("random", float(np.mean(draws))),
        ("oracle", float(accuracies(gold, oracle(gold)).mean())),
    ):
        rows.append([name, PUBLISHED[name], *[value] * columns])
    return rows


def figure(page: Page, topics: Sequence[Topic], answers: dict[str, np.ndarray]) -> str:
    """Draw the accuracy by topic, and return it as Markdown; `answers` has that of each citance."""
    sizes = [len(gold_examples(topic)) for topic in topics]
    starts = np.cumsum([0, *sizes]).tolist()
    by_topic = {
        name: [float(values[i:j].mean()) for i, j in pairwise(starts)]
        for name, values in answers.items()
    }
    numbers = range(1, len(topics) + 1)
    curves(
        page.plot("facets.svg"), numbers, {"": by_topic}, "topic", "weighted accuracy, ten folds"
    )
    rows = [
        [topic.id, *(f"{values[k]:.3f}" for values in by_topic.values())]
        for k, topic in enumerate(topics)
    ]
    return markdown(["topic", *by_topic], rows)


def main(argv: Sequence[str]) -> None:
    options = parser("experiments facets", __doc__)
    methods = list(CLASSIFIERS)
    options.add_argument("--methods", nargs="+", default=methods, choices=methods, metavar="NAME")
    options.add_argument("--found", action="store_true", help="also test on the spans of `best`")
    arguments = options.parse_args(argv)
    plots = ["facets.svg"] if set(TOP_THREE) <= set(arguments.methods) else []
    packages = ["matplotlib", "tomotopy"]
    page = Page.begin(arguments, argv, packages=packages, plots=plots)
    progress = Progress()
    topics = [t for t in read_topics([arguments.data / "tac2014"]) if isinstance(t, Topic)]
    gold = [example for topic in topics for example in gold_examples(topic)]
    by_topic = np.repeat(np.arange(len(topics)), [len(gold_examples(topic)) for topic in topics])
    shuffled = np.random.default_rng(SEED).permutation(len(gold)) % FOLDS
    tests = [gold, *([found_examples(topics, progress)] if arguments.found else [])]
    rows = bounds(gold, 1 + len(tests))
    top = {"oracle": accuracies(gold, oracle(gold))}
    for method in arguments.methods:
        progress(method)
        ten, *out = scored_answers(gold, tests, shuffled, by_topic, method, 0.0)
        scores = [float(accuracies(gold, answers).mean()) for answers in (ten, *out)]
        rows.append([method, PUBLISHED[method], *scores])
        if method in TOP_THREE:
            top[method] = accuracies(gold, ten)
    if "svm" in arguments.methods:
        answers = scored_answers(gold, tests, shuffled, by_topic, "svm", SECTIONS)
        rows.append([BEST, "", *(float(accuracies(gold, a).mean()) for a in answers)])
    top["random"] = accuracies(gold, random_answers(len(gold), SEED))
    head = ["classifier", "published (ten folds)", "ten folds", "topics left out"]
    human = agreement_with_others(topics)
    blocks = [
        f"{len(gold)} citances of {len(topics)} of the 20 training topics of TAC 2014. One annotator "
        f"against the others: {human:.4f}. Random: the mean of {DRAWS:,} draws. `{BEST}`: the SVM "
        "with features of the cited and citing sections, which are ours.",
        markdown([*head, *(["the same, found spans"] if arguments.found else [])], rows),
    ]
    if plots:
        blocks += [
            "## Figure 1: the best three by topic",
            "![Weighted accuracy by topic](facets.svg)",
            figure(page, topics, top),
        ]
    title = "Table 5 and Figure 1 of Cohan et al. (2014): classifiers of facets"
    page.write(title, blocks, f"seed {SEED}")
