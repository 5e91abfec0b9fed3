"""The summarizer of Malakasiotis et al. (2015) in one file: features, SVR, then the ILP or the
greedy selector.

    model = train(topics, ILP_SUM_2)                   # rel(s)
    sentences = summarize(topic, model, ILP_SUM_2)     # ILP-SUM-2, equations 1-4
    sentences = summarize(topic, model, ILP_SUM_2, selector=greedy)   # GR-SUM-2

It implements the paper and nothing else; choices that the paper leaves open are marked "ours". The
systems `ilp-sum-0-paper`, `ilp-sum-1-paper`, `ilp-sum-2-paper` and `gr-sum-2-paper` give the same
summaries and add a faster exact search, proofs and explanations.

Malakasiotis, Archontakis, Androutsopoulos, Galanis, Papageorgiou (2015), Biomedical
question-focused multi-document summarization: ILSP and AUEB at BioASQ3. The ILP is that of Galanis,
Lampouras and Androutsopoulos (2012).
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pulp
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import LeaveOneGroupOut, ParameterGrid, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler
from sklearn.svm import SVR

from features import embeddings, place
from features.arrays import Floats
from features.context import Context
from features.matching import LEXICAL
from features.text import Passage
from ilpsum.learning.embeddings import default as word_vectors
from ilpsum.metrics.rouge import References, mean
from ilpsum.pipeline.candidates import candidates, context
from ilpsum.pipeline.system import CandidateTable
from ilpsum.records import Sentence, Topic

# Features: each function returns one or more columns, with a row per sentence.
Feature = Callable[[Context], Floats]


def word_vector_features(topic: Context) -> Floats:
    """Features 2.1-2.4: similarity of question and sentence in a space of word vectors, 18
    columns.
    """
    return embeddings.all_similarities(word_vectors(), topic.query, topic.sentences)


# 1.1-1.8: overlap and Levenshtein distance with the question, CF(s) and DF(s), each over words and
# over stems.
ILP_SUM_1: tuple[Feature, ...] = tuple(LEXICAL.values())
ILP_SUM_0: tuple[Feature, ...] = (
    place.position,
    place.entity_density,
    *ILP_SUM_1,
)  # Galanis et al. (2012)
ILP_SUM_2: tuple[Feature, ...] = (*ILP_SUM_1, word_vector_features)


def features(
    topic: Topic, wanted: Sequence[Feature]
) -> tuple[tuple[Sentence, ...], Context, Floats]:
    """Return the n sentences of a topic's documents, the context of their features, and the (n,
    columns) features.
    """
    sentences = candidates(topic, CandidateTable())
    about = context(topic, sentences)
    n = len(sentences)
    return (
        sentences,
        about,
        np.hstack([feature(about).reshape(n, -1) for feature in wanted]) if n else np.zeros((0, 0)),
    )


# Relevance: rel(s), predicted from the features.
def train(
    topics: Sequence[Topic], wanted: Sequence[Feature], folds: int = 5
) -> TransformedTargetRegressor:
    """Train rel(s): an SVR with a Gaussian kernel whose target is the ROUGE recall of the sentence
    alone.

    The target is (ROUGE-2 + ROUGE-SU4) / 2 of the sentence against the gold answers. Parameters are
    chosen by cross-validation over topics. Ours: the grid, features scaled to [0,1] over the
    training sentences, and targets divided by their maximum.
    """
    matrices, targets, fold = [], [], []
    for number, topic in enumerate(topics):
        sentences, _, matrix = features(topic, wanted)
        gold = References(topic.summaries)
        for sentence in sentences:
            scores = gold.score(sentence.text)
            targets.append(mean(list(scores.values())).recall)
        matrices += list(matrix)
        fold += [number % folds] * len(sentences)
    x, y = np.array(matrices), np.array(targets)

    def svr(parameters: Mapping[str, float]) -> TransformedTargetRegressor:
        model = make_pipeline(MinMaxScaler(clip=True), SVR(kernel="rbf", **parameters))
        return TransformedTargetRegressor(model, transformer=MaxAbsScaler())

    def error(parameters: Mapping[str, float]) -> float:
        predicted = cross_val_predict(svr(parameters), x, y, groups=fold, cv=LeaveOneGroupOut())
        return float(np.square(predicted - y).mean())

    grid = ParameterGrid(
        {"C": (0.03, 0.3, 3.0), "gamma": (0.01, 0.1, 1.0), "epsilon": (0.02, 0.05)}
    )
    return svr(min(grid, key=error)).fit(x, y)


# Selection.
def ilp(
    relevance: Floats, sentences: Sequence[Passage], l_max: int, lambda_: float = 0.8
) -> list[int]:
    """Return the indices of the sentences that maximise equation 1, ascending.

        maximise   lambda * sum_i a_i (l_i / l_max) x_i + (1 - lambda) * sum_j b_j / n      (1)
        subject to sum_i l_i x_i <= l_max                                                   (2)
                   sum_{j in B_i} b_j >= |B_i| x_i   for every sentence i                   (3)
                   sum_{i in S_j} x_i >= b_j         for every bigram j                     (4)

    x_i and b_j are binary: sentence i is chosen, bigram j is covered. Ours: a_i is rel(s_i) clipped
    to [0,1].
    """
    n = len(sentences)
    a, length = np.clip(relevance, 0.0, 1.0), [len(s.text.split()) for s in sentences]
    B = [set(s.bigrams) for s in sentences]
    bigrams = sorted(set().union(*B))
    model = pulp.LpProblem("summary", pulp.LpMaximize)
    x = [model.add_variable(f"x{i}", cat=pulp.LpBinary) for i in range(n)]
    b = {bigram: model.add_variable(f"b{j}", cat=pulp.LpBinary) for j, bigram in enumerate(bigrams)}
    importance = pulp.lpSum(a[i] * length[i] / l_max * x[i] for i in range(n))
    coverage = pulp.lpSum(b.values()) / max(1, n)
    scale = 1000.0  # coefficients of 1/n are near the absolute tolerances of solvers
    model += scale * (lambda_ * importance + (1.0 - lambda_) * coverage)  # (1)
    model += pulp.lpSum(length[i] * x[i] for i in range(n)) <= l_max  # (2)
    for i in range(n):
        model += pulp.lpSum(b[j] for j in B[i]) >= len(B[i]) * x[i]  # (3)
    for j in bigrams:
        model += pulp.lpSum(x[i] for i in range(n) if j in B[i]) >= b[j]  # (4)
    model.solve(pulp.HiGHS(msg=False, gapRel=0.0, gapAbs=0.0, threads=1))
    return [i for i in range(n) if x[i].value() > 0.5]


def greedy(
    relevance: Floats, sentences: Sequence[Passage], l_max: int, threshold: float = 0.4
) -> list[int]:
    """Take sentences by decreasing relevance, skipping ones too similar to a taken one, until one
    does not fit.

    The similarity is the cosine of Boolean bags of words. Ours: sentences longer than `l_max` are
    not candidates.
    """
    bags, length = [set(s.words) for s in sentences], [len(s.text.split()) for s in sentences]
    chosen: list[int] = []
    for i in sorted(
        (i for i in range(len(sentences)) if length[i] <= l_max), key=lambda i: -relevance[i]
    ):
        if any(
            len(bags[i] & bags[k]) > threshold * np.sqrt(len(bags[i]) * len(bags[k]))
            for k in chosen
        ):
            continue
        if sum(length[k] for k in chosen) + length[i] > l_max:
            break
        chosen.append(i)
    return sorted(chosen)


Selector = Callable[[Floats, Sequence[Passage], int], list[int]]


def summarize(
    topic: Topic,
    model: TransformedTargetRegressor,
    wanted: Sequence[Feature],
    words: int = 250,
    selector: Selector = ilp,
) -> list[Sentence]:
    """Summarise a topic by verbatim sentences of its documents, at most `words` words in total."""
    sentences, about, matrix = features(topic, wanted)
    if not sentences:
        return []
    return [sentences[i] for i in selector(model.predict(matrix), about.sentences, words)]
