"""The summarizer of Malakasiotis et al. (2015) in one file: features, SVR, then the ILP or the
greedy selector.

    model = train(topics, ILP_SUM_2)                   # rel(s)
    sentences = summarize(topic, model, ILP_SUM_2)     # ILP-SUM-2, equations 1-4
    sentences = summarize(topic, model, ILP_SUM_2, selector=greedy)   # GR-SUM-2

It implements the paper and nothing else; choices that the paper leaves open are marked "Ours". The
systems `ilp-sum-0`, `ilp-sum-1`, `ilp-sum-2`, `gr-sum-2` and, trained on
news, `baseline-1` and `baseline-2` give the same summaries and add a faster exact
search, proofs and explanations.

Malakasiotis, Archontakis, Androutsopoulos, Galanis, Papageorgiou (2015), Biomedical
question-focused multi-document summarization: ILSP and AUEB at BioASQ3. The ILP is that of Galanis,
Lampouras and Androutsopoulos (2012).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pulp
from numpy.typing import NDArray
from sklearn.model_selection import ParameterGrid
from sklearn.svm import SVR

from features import embeddings, lexical, news, place
from features.arrays import Floats
from features.context import Context
from features.embeddings import Embeddings
from features.text import Passage
from ilpsum.learning.embeddings import load
from ilpsum.metrics.rouge import References, mean
from ilpsum.pipeline.candidates import as_read, candidates, context
from ilpsum.records import Sentence, Topic
from ilpsum.records.tables import CandidateTable

# Features of each sentence s for the question q: a function returns (n,) values or (n, columns).
# Their modules begin with the formulas. Ours: words are ROUGE's tokens; the list of stop words.
Feature = Callable[[Context], Floats]

ILP_SUM_0: tuple[Feature, ...] = (  # Galanis et al. (2012)
    place.position,
    news.entity_density,  # Ours: names are recognised by their form.
    lexical.word_overlap,
    lexical.word_distance,
    lexical.content_word_frequency,
    lexical.document_word_frequency,
)
ILP_SUM_1: tuple[Feature, ...] = (
    lexical.word_overlap,  # 1.1 |W(q) & W(s)|, W(x) the distinct content words of x
    lexical.stem_overlap,  # 1.2
    lexical.word_distance,  # 1.3 Levenshtein distance of q and s over words
    lexical.stem_distance,  # 1.4
    lexical.content_word_frequency,  # 1.5 CF(s), the mean of m(w) / M
    lexical.content_stem_frequency,  # 1.6
    lexical.document_word_frequency,  # 1.7 DF(s), the mean of d(w) / D
    lexical.document_stem_frequency,  # 1.8
)


def ilp_sum_2(vectors: Embeddings | None = None) -> tuple[Feature, ...]:
    """Return the features of ILP-SUM-2: those of ILP-SUM-1, and 2.1-2.4 by word vectors.

    2.1 and 2.2 are 1 / (1 + distance of the centroids of q and s), plain and weighted by IDF;
    2.3 and 2.4 are 8 statistics of 1 / (1 + distance) over pairs of tokens, plain and weighted:
    18 columns. `vectors` are read by `ilpsum.learning.embeddings.load`. Ours: the default ones.
    """

    def similarities(topic: Context) -> Floats:
        return embeddings.all_similarities(vectors or load(), topic.query, topic.sentences)

    return (*ILP_SUM_1, similarities)


ILP_SUM_2 = ilp_sum_2()


def features(
    topic: Topic,
    wanted: Sequence[Feature],
) -> tuple[tuple[Sentence, ...], Context, Floats]:
    """Return the n sentences of a topic's documents, the context of their features, and the (n,
    columns) features.

    Ours: titles, headings, captions, repeated sentences and sentences of more than 100 words are
    left out. The paper summarises abstracts.
    """
    abstracts = CandidateTable(titles=False)
    topic = as_read(topic, abstracts)
    sentences = candidates(topic, abstracts)
    about = context(topic, sentences)
    if not sentences or not wanted:
        return sentences, about, np.zeros((len(sentences), 0))
    columns = [feature(about).reshape(len(sentences), -1) for feature in wanted]
    return sentences, about, np.hstack(columns)


# Relevance: rel(s), predicted from the features.
@dataclass(frozen=True)
class Relevance:
    """A trained SVR, with the range of each feature and the largest target in training.

    Ours: features are scaled to [0,1] over the training sentences, in single precision as in model
    files, and targets are divided by their maximum.
    """

    low: Floats
    high: Floats
    unit: float
    svr: SVR

    def predict(self, matrix: Floats) -> Floats:
        """Return (n,) rel(s) from (n, columns) features."""
        return np.asarray(self.svr.predict(scaled(matrix, self.low, self.high)) * self.unit)


def scaled(matrix: Floats, low: Floats, high: Floats) -> NDArray[np.float32]:
    """Return (n, columns) features in [0,1]; constant ones are 0."""
    spread = np.where(high > low, high - low, np.inf)
    return np.clip((matrix - low) / spread, 0.0, 1.0).astype(np.float32)


def fit(x: Floats, y: Floats, parameters: Mapping[str, float]) -> Relevance:
    """Train an SVR with a Gaussian kernel on (n, columns) features and (n,) targets."""
    low, high = x.min(axis=0), x.max(axis=0)
    unit = float(y.max()) or 1.0
    svr = SVR(kernel="rbf", cache_size=1000, **parameters)
    svr.fit(scaled(x, low, high), y / unit)
    return Relevance(low, high, unit, svr)


def train(
    topics: Sequence[Topic],
    wanted: Sequence[Feature],
    folds: int = 5,
    searched: int = 1500,
) -> Relevance:
    """Train rel(s) on all sentences of two or more topics with gold summaries.

    The target of a sentence is (ROUGE-2 + ROUGE-SU4) / 2, recall, of the sentence alone against the
    gold answers. The parameters have the least squared error in cross-validation over topics. Ours:
    the grid, and the search on `searched` sentences only (libsvm's tool takes all).
    """
    matrices, targets, topic_of = list[Floats](), list[float](), list[int]()
    for number, topic in enumerate(topics):
        sentences, _, matrix = features(topic, wanted)
        gold = References(topic.summaries)
        for sentence in sentences:
            rouge = gold.score(sentence.text)
            targets.append(mean(list(rouge.values())).recall)
        matrices += list(matrix)
        topic_of += [number] * len(sentences)
    x, y = np.array(matrices), np.array(targets)
    rows = np.arange(len(y))
    if len(rows) > searched:
        rows = np.sort(np.random.default_rng(1).choice(len(y), searched, replace=False))
    fold = np.array(topic_of)[rows] % folds

    def error(parameters: Mapping[str, float]) -> float:
        total = 0.0
        for k in set(fold.tolist()):
            inside, outside = rows[fold == k], rows[fold != k]
            model = fit(x[outside], y[outside], parameters)
            total += float(np.square(model.predict(x[inside]) - y[inside]).sum())
        return total

    grid = ParameterGrid(
        {"C": (0.03, 0.3, 3.0), "gamma": (0.01, 0.1, 1.0), "epsilon": (0.02, 0.05)}
    )
    return fit(x, y, min(grid, key=error))


def normalised(relevance: Floats) -> Floats:
    """Return a_i, relevance in [0,1]: 1 for the topic's most relevant sentence, 0 for its least.

    Ours: the paper says "normalized in [0, 1]" only. Clipped instead, predicted recall of about .05
    would hardly count below lambda 1 (docs/guides/published.md).
    """
    low, high = relevance.min(), relevance.max()
    return (relevance - low) / (high - low) if high > low else np.ones(len(relevance))


# Selection.
def ilp(
    relevance: Floats,
    sentences: Sequence[Passage],
    l_max: int,
    lambda_: float = 0.8,
) -> list[int]:
    """Return the indices of the sentences that maximise equation 1, ascending.

        maximise   lambda * sum_i a_i (l_i / l_max) x_i + (1 - lambda) * sum_j b_j / n      (1)
        subject to sum_i l_i x_i <= l_max                                                   (2)
                   sum_{j in B_i} b_j >= |B_i| x_i   for every sentence i                   (3)
                   sum_{i in S_j} x_i >= b_j         for every bigram j                     (4)

    x_i and b_j are binary: sentence i is chosen, bigram j is covered. a_i is `normalised` rel(s_i),
    l_i the words of sentence i, n the number of sentences, B_i the bigrams of sentence i, and S_j
    the sentences with bigram j.
    """
    n = len(sentences)
    if not n:
        return []
    a = normalised(relevance)
    length = [len(s.text.split()) for s in sentences]
    B = [set(s.bigrams) for s in sentences]
    bigrams = sorted(set().union(*B))
    model = pulp.LpProblem("summary", pulp.LpMaximize)
    x = [model.add_variable(f"x{i}", cat=pulp.LpBinary) for i in range(n)]
    b = {bigram: model.add_variable(f"b{j}", cat=pulp.LpBinary) for j, bigram in enumerate(bigrams)}
    importance = pulp.lpSum(a[i] * length[i] / l_max * x[i] for i in range(n))
    coverage = pulp.lpSum(b.values()) / n
    equation_1 = lambda_ * importance + (1.0 - lambda_) * coverage
    model += pulp.lpSum(length[i] * x[i] for i in range(n)) <= l_max  # (2)
    for i in range(n):
        model += pulp.lpSum(b[j] for j in B[i]) >= len(B[i]) * x[i]  # (3)
    for j in bigrams:
        model += pulp.lpSum(x[i] for i in range(n) if j in B[i]) >= b[j]  # (4)
    # Ours: of sets of equal value, that with the most coverage (at lambda 0, importance); then that
    # with the fewest words, and then that of the first sentences.
    shortest = pulp.lpSum(-length[i] * x[i] for i in range(n))
    first = pulp.lpSum(0.5 ** (i + 2) * x[i] for i in range(n))
    for term in (equation_1, coverage if lambda_ else importance, shortest + first):
        # Coefficients of 1/n are near the absolute tolerances of solvers.
        objective = 1000.0 * term
        model.setObjective(objective)
        model.solve(pulp.HiGHS(msg=False, gapRel=0.0, gapAbs=0.0, threads=1))
        model.roundSolution()
        model += objective >= pulp.value(objective) - 1e-6
    return [i for i in range(n) if x[i].value() > 0.5]


def greedy(
    relevance: Floats,
    sentences: Sequence[Passage],
    l_max: int,
    threshold: float = 0.4,
) -> list[int]:
    """Take sentences by decreasing relevance, skipping ones too similar to a taken one, until one
    does not fit.

    The similarity is the cosine of Boolean bags of words. Ours: sentences longer than `l_max` are
    not candidates.
    """
    bags = [set(s.words) for s in sentences]
    length = [len(s.text.split()) for s in sentences]

    def similar(i: int, k: int) -> bool:
        cosine = len(bags[i] & bags[k]) / max(1.0, math.sqrt(len(bags[i]) * len(bags[k])))
        return cosine > threshold

    chosen = list[int]()
    for i in sorted(range(len(sentences)), key=lambda i: -relevance[i]):
        if length[i] > l_max or any(similar(i, k) for k in chosen):
            continue
        if sum(length[k] for k in chosen) + length[i] > l_max:
            break
        chosen.append(i)
    return sorted(chosen)


Selector = Callable[[Floats, Sequence[Passage], int], list[int]]


def summarize(
    topic: Topic,
    model: Relevance | Callable[[str, list[str]], Floats],
    wanted: Sequence[Feature] = (),
    words: int = 200,
    selector: Selector = ilp,
) -> list[Sentence]:
    """Summarise a topic by verbatim sentences of its documents, at most `words` words in total.

    `model` is the SVR, or a function of the question and the n sentences that returns their (n,)
    relevance, for which no features are `wanted`.
    """
    sentences, about, matrix = features(topic, wanted)
    if not sentences:
        return []
    if isinstance(model, Relevance):
        relevance = model.predict(matrix)
    else:
        relevance = np.asarray(model(about.query.text, [s.text for s in sentences]))
    return [sentences[i] for i in selector(relevance, about.sentences, words)]
