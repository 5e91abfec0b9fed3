"""Compare relevance from three sources under three selectors: what the ILP makes of each.

    python -m experiments.given_relevance [--data ../shared/data] [--out experiments/results]

The sources are the SVR of the published features, which has seen neither the topic nor a document
of it; BM25 of the topic's query; and the gold, the target that the SVR learns: what it would say if
it made no error. The selectors differ in nothing but how they choose. Lambda of `ilp` and `gain`
and the threshold of `greedy` are, for each source, the best on the topics of the other folds.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments import bioasq
from experiments.ilp_against_greedy import EQUAL, THRESHOLDS, system_of
from experiments.page import Page, Progress, markdown, parser
from features.arrays import Floats
from features.retrieval import bm25
from ilpsum.metrics.rouge import References
from ilpsum.metrics.significance import bootstrap_interval, paired_bootstrap
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.relevance import Candidates, Scorer, Scores
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.examples import Example, example
from ilpsum.pipeline.training.fitting import fit_relevance
from ilpsum.pipeline.training.folds import folds_of
from ilpsum.records import Topic
from ilpsum.tasks import read_topics

SOURCES = {"svr": "our SVR, held out", "bm25": "BM25", "gold": "the gold (the limit)"}
VALUES = {
    "ilp": ("selection.lambda", EQUAL),
    "gain": ("selection.lambda", EQUAL),
    "greedy": ("selection.threshold", THRESHOLDS),
}
MODEL = "ilp-sum-2-tuned"
# The pairs of sources that the second table compares, under the ILP.
PAIRS = (("svr", "bm25"), ("gold", "svr"))

Results = Mapping[tuple[str, str], Sequence[float]]
"""The score of each topic, by source and selector."""


@dataclass(frozen=True)
class Collection:
    """Topics that are summarised under one limit and scored alike.

    Attributes:
        title: for the page.
        topics: the topics, each with gold summaries.
        system: the system whose SVR, candidates and objective count.
        words: the word limit.
        folds: number of folds.
        is_tac: whether ROUGE-2 recall against all summaries counts, with stemming; otherwise the
            mean of ROUGE-2 and ROUGE-SU4 recall against the first one, without.
    """

    title: str
    topics: Sequence[Topic]
    system: System
    words: int
    folds: int
    is_tac: bool = False

    def score(self, topic: Topic, text: str) -> float:
        """Return the score of a summary."""
        if self.is_tac:
            references = References(topic.summaries, stem=True, words=self.words)
            return references.score(text)["ROUGE-2"].recall
        scores = References(topic.summaries[:1]).score(text).values()
        return sum(score.recall for score in scores) / len(scores)


@dataclass(frozen=True, eq=False)
class Known(Scorer):
    """Relevance that is known before: (n,) numbers by topic id."""

    relevance: Mapping[str, Floats]

    def score(self, candidates: Candidates) -> Scores:
        """Return the relevance of the topic."""
        return Scores(self.relevance[candidates.topic.id])


def main(argv: Sequence[str]) -> None:
    arguments = parser("experiments.given_relevance", __doc__).parse_args(argv)
    page = Page.begin(arguments, argv, name="given-relevance", packages=("highspy",))
    progress = Progress()
    selectors, sources = [], []
    for collection in collections(arguments.data):
        title = f"{collection.title} ({len(collection.topics)})"
        progress(title)
        best = results(collection)
        selectors += selector_rows(title, best)
        sources += source_rows(title, best)
    head = ["topics", "relevance", *VALUES, "ILP over greedy", "p", "ILP over gain", "p"]
    over = ["topics", "relevance, under the ILP", "difference", "p"]
    blocks = [HEAD, markdown(head, selectors), markdown(over, sources)]
    page.write("Your own relevance", blocks, bioasq.SEEDS)


HEAD = """Means over topics and their 95 % intervals (bootstrap over topics); differences with the interval and p of the paired
bootstrap, p not corrected for the number of tests.

* **TAC 2014, Task 2**: recall of ROUGE-2, four summaries, 250 words, options `-m -l 250`.
* **BioASQ**: mean of the recall of ROUGE-2 and ROUGE-SU4, first ideal answer, no stemming, 200 words. The documents are
  all abstracts of a question, and titles are no candidates. The questions are those of editions 1 to 8 all of whose
  abstracts we have and whose abstracts have more than 200 words, so that there is a choice.

Every source gives a number for each candidate and nothing else; scaled over the topic, it is the relevance of one and
the same objective. Lead sentences and coherence rules are off.

* The SVR is that of `ilp-sum-1-tuned` (TAC) and `ilp-sum-2-tuned` (BioASQ), trained on the other folds: six and five,
  which share no document.
* BM25 is `features.retrieval.bm25` of the question (TAC: the citances).
* The gold is what the SVR is trained to predict, the mean precision of ROUGE-2 and ROUGE-SU4 of the sentence alone
  against the gold summaries. It is the limit of such a model, not of a selection: the oracle chooses sentences by the
  gold together.

Lambda of `ilp` and `gain` (.6, .8, .9, .95, .98) and t of `greedy` (.2 to 1) are, for each source and selector, the best
on the topics of the other folds. The SVR scores of those come from models that have seen this fold's topics; its own
do not."""


def collections(data: Path) -> Iterator[Collection]:
    """Yield TAC's topics and BioASQ's questions with all abstracts."""
    topics = [t for t in read_topics([data / "tac2014"], "tac") if isinstance(t, Topic)]
    yield Collection("TAC 2014", topics, system_of(MODEL, "papers"), 250, 6, is_tac=True)
    source = bioasq.Source(data)
    long = []
    for batch in bioasq.edition(*range(1, 9)):
        for topic in source.topics(batch, "abstracts"):
            words = sum(len(document.text.split()) for document in topic.documents)
            if topic.summaries and words > bioasq.WORDS:
                long.append(topic)
    yield Collection("BioASQ", long, system_of(MODEL, "abstracts"), bioasq.WORDS, 5)


def results(collection: Collection) -> Results:
    """Return the scores of a collection, each at the value that is the best on the other folds."""
    examples = [example(collection.system, topic) for topic in collection.topics]
    folds = np.array(folds_of(collection.topics, collection.folds))
    predicted = held_out(collection.system, examples, folds)
    by_topic = []
    for topic, of_topic, svr in zip(collection.topics, examples, predicted, strict=True):
        relevance = {"svr": svr, "bm25": bm25(of_topic.around), "gold": of_topic.targets}
        by_topic.append(scores(collection, topic, of_topic, relevance))
    best = {}
    for key in by_topic[0]:
        tried = np.array([of_topic[key] for of_topic in by_topic])
        best[key] = chosen(tried, folds)
    return best


def held_out(system: System, examples: Sequence[Example], folds: np.ndarray) -> list[Floats]:
    """Return the relevance of each example's candidates by the SVR of the other folds."""
    (parameters,) = system.recipe.grid
    others = [np.flatnonzero(folds != fold).tolist() for fold in range(folds.max() + 1)]
    models = fit_relevance(system, examples, others, parameters)
    return [models[fold].predict(e.matrix) for e, fold in zip(examples, folds, strict=True)]


def scores(
    collection: Collection,
    topic: Topic,
    of_topic: Example,
    relevance: Mapping[str, Floats],
) -> dict[tuple[str, str], list[float]]:
    """Return the scores of a topic by source and selector, one for each value of `VALUES`."""
    computed = (of_topic.sentences, of_topic.around, of_topic.matrix)
    scored = {}
    for source, values in relevance.items():
        scorer = Known({topic.id: values})
        prepared = Pipeline(collection.system, relevance=scorer).prepare(topic, computed)
        for selector, (key, tried) in VALUES.items():
            of_values = []
            for value in tried:
                settings = {"selection.method": selector, key: value}
                pipeline = Pipeline(with_settings(collection.system, settings), relevance=scorer)
                selection = pipeline.select(prepared, collection.words)
                text = "\n".join(prepared.sentences[i].text for i in selection.chosen)
                of_values.append(collection.score(topic, text))
            scored[source, selector] = of_values
    return scored


def chosen(tried: Floats, folds: np.ndarray) -> list[float]:
    """Return the score of each topic at the value that is the best on the other folds.

    `tried` has the (topics, values) scores.

    >>> chosen(np.array([[0.1, 0.9], [0.5, 0.2]]), np.array([0, 1]))
    [0.1, 0.2]
    """
    at_best = []
    for of_values, fold in zip(tried, folds, strict=True):
        best = tried[folds != fold].mean(axis=0).argmax()
        at_best.append(float(of_values[best]))
    return at_best


def selector_rows(title: str, best: Results) -> Iterator[list[str]]:
    """Yield a row for each source: the selectors, and the ILP over the others."""
    for source, what in SOURCES.items():
        means = [with_interval(best[source, selector]) for selector in VALUES]
        ilp = best[source, "ilp"]
        over = [*paired(ilp, best[source, "greedy"]), *paired(ilp, best[source, "gain"])]
        yield [title, what, *means, *over]


def source_rows(title: str, best: Results) -> Iterator[list[str]]:
    """Yield a row for each pair of sources, under the ILP."""
    for one, other in PAIRS:
        what = f"{SOURCES[one]}, over {SOURCES[other]}"
        yield [title, what, *paired(best[one, "ilp"], best[other, "ilp"])]


def with_interval(values: Sequence[float]) -> str:
    """Format a mean and its interval."""
    interval = bootstrap_interval(values)
    return f"{interval.mean:.4f} [{interval.low:.4f}, {interval.high:.4f}]"


def paired(one: Sequence[float], other: Sequence[float]) -> tuple[str, str]:
    """Format a paired difference with its interval, and its p."""
    test = paired_bootstrap(one, other)
    difference = f"{test.difference:+.4f} [{test.low:+.4f}, {test.high:+.4f}]"
    return difference, f"{test.p_value:.4f}"


if __name__ == "__main__":
    main(sys.argv[1:])
