"""Score ideas that are not part of `concepts-snippets`: trained on editions 1, 2 and 4, scored on 5 and 6.

    python experiments/concepts_trials.py [--data ../shared/data] [--out experiments/results]

- Named concepts: the MeSH terms of a sentence are concepts of the ILP in addition to bigrams, with learned weights.
- Structured learning: further training of the bigram weights on whole summaries, with the hope and fear selections of
  Chiang (2012): the model's weights plus or minus those of the gold, both solved exactly.
- Terms of bigrams: a ridge regression over the stems of a bigram as an additional feature of bigram weights.
- Word vectors: features 2.1-2.4 with the included vectors, trained on 22 million words.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
from bioasq import WORDS, Case, Row, Source, add_options, edition, options_of, relevance_of, score, scores, write
from concepts_ablation import SYSTEM, Trained, table, trained

from features.arrays import Floats
from features.concepts import Concepts, concepts
from features.sets import EMBEDDINGS, SETS, FeatureSet
from features.text import Passage
from ilpsum.learning import lexicon, log_linear
from ilpsum.learning.boosted_trees import TreeParameters as Trees
from ilpsum.learning.log_linear import ConceptWeights
from ilpsum.pipeline.objective import alphas
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System
from ilpsum.selection import Problem, select
from ilpsum.task1.thesaurus import Thesaurus

MESH = "mesh/mesh2019_entry_terms.tsv.gz"


@dataclass(frozen=True)
class Question:
    """A question with its bigrams.

    Attributes:
        case: the question.
        scores: (n,) relevance predicted by a model that was not trained on the question.
        concepts: its bigrams.
        shares: (m,) share of ideal answers that contain each bigram.
    """

    case: Case
    scores: Floats
    concepts: Concepts
    shares: Floats

    def problem(self, lambda_: float) -> Problem:
        """Return the ILP with every bigram at weight 1; `weighed` sets the weights."""
        rows = [s.stem_bigrams for s in self.case.around.sentences]
        lengths = [s.words for s in self.case.sentences]
        return Problem.build(rows, lengths, alphas(self.scores, "topic"), WORDS, price=lambda _: 1.0, lambda_=lambda_)

    def answer(self, problem: Problem) -> str:
        """Return the text of the optimum."""
        return "\n".join(self.case.sentences[i].text for i in select(problem).chosen)


def questions(base: Trained, training: Sequence[Case], test: Sequence[Case]) -> tuple[list[Question], list[Question]]:
    """Return both sets with scores of models that were not trained on them."""
    known = [
        Question(case, s.scores, s.concepts, s.shares)
        for case, s in zip(training, base.stack, strict=True)
        if s.concepts
    ]
    return known, [_unseen(base, case) for case in test]


def _unseen(base: Trained, case: Case) -> Question:
    predicted = relevance_of(base.model, base.system, case)
    found = concepts(case.around, alphas(predicted, "topic"), "stems", order=True)
    return Question(case, predicted, found, case.example(base.system).shares(found.names, "stems"))


def weighed(problem: Problem, shares: Floats) -> Problem:
    """Set the weights of a problem's bigrams; negative weights count as 0."""
    return replace(problem, weights=np.maximum(shares, 0.0) / WORDS)


# ---- Structured learning ----


def structured(
    known: Sequence[Question], model: ConceptWeights, lambda_: float, *, rate: float, weight: float, rounds: int
) -> ConceptWeights:
    """Train the coefficients of bigram weights further.

    Args:
        known: the training questions.
        model: the initial bigram weights.
        lambda_: lambda of the ILP.
        rate: step size, divided by the root of the round; the mean over all steps is returned.
        weight: weight of the gold in hope and fear, relative to that of all bigrams of the model's summary.
        rounds: passes over the questions, in batches of 32.
    """
    long = [q for q in known if q.case.words > WORDS]
    problems = [q.problem(lambda_) for q in long]
    inputs = [(q.concepts.matrix - model.mean) / model.deviation for q in long]
    golds = [_shares_of_gold(q) for q in long]
    theta, total, steps = model.coefficients.copy(), np.zeros_like(model.coefficients), 0
    rng = np.random.default_rng(0)
    for done in range(rounds):
        order = rng.permutation(len(long))
        for batch in (order[k : k + 32] for k in range(0, len(order), 32)):
            gradient = np.zeros_like(theta)
            for i in batch:
                w = np.exp(np.minimum(inputs[i] @ theta + model.intercept, 0.0))
                scale = max(float(w[_covered(problems[i], w)].sum()), 1e-9)
                hope = _covered(problems[i], w + scale * weight * golds[i])
                fear = _covered(problems[i], w - scale * weight * golds[i])
                gradient += (w * hope - w * fear) @ inputs[i] / scale
            theta = theta + rate / np.sqrt(1 + done) * gradient / 32
            total, steps = total + theta, steps + 1
    return replace(model, coefficients=total / steps)


def _covered(problem: Problem, weights: Floats) -> np.ndarray:
    """Return which bigrams the optimum covers, (m,)."""
    weighted = weighed(problem, weights)
    held = np.zeros(len(weights), dtype=bool)
    for i in select(weighted).chosen:
        held[weighted.concepts_of(i)] = True
    return held


def _shares_of_gold(question: Question) -> Floats:
    """Return each bigram's share of an ideal answer's bigrams, averaged over answers, (m,)."""
    golds = [frozenset(Passage(text).stem_bigrams) for text in question.case.topic.summaries]
    return np.array([np.mean([(b in g) / max(len(g), 1) for g in golds]) for b in question.concepts.names])


# ---- Named concepts ----


def _named(sentences: Sequence[Passage], thesaurus: Thesaurus) -> list[frozenset[str]]:
    """Return the MeSH descriptors of each sentence."""
    return [frozenset(c for match in thesaurus.find(s.words) for c in match.concepts) for s in sentences]


def _named_features(question: Question, held: Sequence[frozenset[str]], thesaurus: Thesaurus) -> dict[str, list[float]]:
    """Return features of each descriptor: relevance, number and position of its sentences, and the question."""
    stretched = alphas(question.scores, "topic")
    asked = _named([question.case.around.query], thesaurus)[0]
    found: dict[str, list[float]] = {}
    for name in sorted(frozenset().union(*held)):
        at = [i for i, names in enumerate(held) if name in names]
        documents = len({int(question.case.around.document[i]) for i in at})
        values = [stretched[at].max(), stretched[at].mean(), np.log(len(at)), len(at) / len(held), documents]
        found[name] = [*map(float, values), at[0] / len(held), float(name in asked)]
    return found


def named_concepts(
    base: ConceptWeights,
    known: Sequence[Question],
    test: Sequence[Question],
    thesaurus: Thesaurus,
    lambda_: float,
    parts: Sequence[float],
) -> Iterator[tuple[float, Floats]]:
    """Yield scores with MeSH terms as additional concepts, their weights multiplied by a factor."""
    matrices, shares = [], []
    for q in known:
        features = _named_features(q, _named(q.case.around.sentences, thesaurus), thesaurus)
        golds = _named([Passage(text) for text in q.case.topic.summaries], thesaurus)
        if features:
            matrices.append(np.array(list(features.values())))
            shares.append(np.array([np.mean([name in gold for gold in golds]) for name in features]))
    model = log_linear.fit_weights(matrices, shares, 0.003)
    values: dict[float, list[float]] = {part: [] for part in parts}
    for q in test:
        held = _named(q.case.around.sentences, thesaurus)
        features = _named_features(q, held, thesaurus)
        predicted = {}
        if features:
            predicted = dict(zip(features, model.predict(np.array(list(features.values()))).tolist(), strict=True))
        weights = base.predict(q.concepts.matrix)
        for part in parts:
            more = [[(name, part * predicted[name] / WORDS) for name in sorted(names)] for names in held]
            values[part].append(score(q.answer(with_concepts(weighed(q.problem(lambda_), weights), more)), q.case))
    yield from ((part, np.array(found)) for part, found in values.items())


def with_concepts(problem: Problem, more: Sequence[Sequence[tuple[str, float]]]) -> Problem:
    """Add concepts to the sentences of a problem, by name and weight."""
    ids: dict[str, int] = {}
    priced: dict[str, float] = {}
    rows = []
    for i, pairs in enumerate(more):
        added = [ids.setdefault(name, len(problem.weights) + len(ids)) for name, _ in pairs]
        priced |= dict(pairs)
        rows.append(np.concatenate([problem.concepts_of(i), np.array(added, dtype=np.int64)]))
    starts = np.append(0, np.cumsum([len(row) for row in rows]))
    weights = np.concatenate([problem.weights, [priced[name] for name in ids]])
    return replace(problem, starts=starts, concepts=np.concatenate(rows), weights=weights)


# ---- Terms of bigrams ----


def bigram_terms(
    known: Sequence[Question], test: Sequence[Question], penalty: float
) -> tuple[ConceptWeights, list[Floats]]:
    """Train bigram weights with one additional feature; return them with the features of the test questions."""
    folds = [i % 5 for i in range(len(known))]
    parameters = lexicon.LexiconParameters(penalty=penalty, topics=3)
    topics = [[Passage(" ".join(b)) for b in q.concepts.names] for q in known]
    learned, held_out = lexicon.Terms(topics, [q.shares for q in known]).fit(range(len(known)), folds, parameters)
    matrices = [np.column_stack([q.concepts.matrix, t]) for q, t in zip(known, held_out, strict=True)]
    model = log_linear.fit_weights(matrices, [q.shares for q in known], 0.003)
    new = [
        np.column_stack([q.concepts.matrix, learned([Passage(" ".join(b)) for b in q.concepts.names])]) for q in test
    ]
    return model, new


def rows(training: Sequence[Case], test: Sequence[Case], thesaurus: Thesaurus) -> Iterator[Row]:
    """Yield the lead, the full system, and each idea."""
    yield Row("lead", scores(Pipeline(System.load("lead")), test))
    system = System.load(SYSTEM)
    trees = system.recipe.trees or Trees()
    base = trained(system, training, trees)
    yield Row(SYSTEM, scores(Pipeline(system, base.model), test))
    model, lambda_ = base.model.weights, system.selection.lambda_
    if model is None:
        raise ValueError(f"{SYSTEM} learns no concepts")
    known, unseen = questions(base, training, test)
    for part, values in named_concepts(model, known, unseen, thesaurus, lambda_, (0.5, 1.0, 2.0)):
        yield Row(f"MeSH terms as concepts, weights times {part:g}", values)
    for rate, weight in ((0.02, 0.3), (0.02, 3.0), (0.1, 1.0)):
        further = structured(known, model, lambda_, rate=rate, weight=weight, rounds=6)
        further_model = replace(base.model, weights=further)
        name = f"structured learning, rate {rate:g}, gold times {weight:g}"
        yield Row(name, scores(Pipeline(system, further_model), test))
    for penalty in (5.0, 20.0):
        with_terms, features = bigram_terms(known, unseen, penalty)
        values = [
            score(q.answer(weighed(q.problem(lambda_), with_terms.predict(x))), q.case)
            for q, x in zip(unseen, features, strict=True)
        ]
        yield Row(f"terms of bigrams, penalty {penalty:g}", np.array(values))
    yield Row("with word vectors (features 2.1-2.4)", _with_vectors(system, training, test, trees))


def _with_vectors(system: System, training: Sequence[Case], test: Sequence[Case], trees: Trees) -> Floats:
    name = "concepts-vectors"
    if name not in SETS:
        SETS.add(name, FeatureSet(name, (*SETS[options_of(system).features].features, EMBEDDINGS)))
    wider = msgspec.structs.replace(system, relevance=msgspec.structs.replace(options_of(system), features=name))
    found = trained(wider, training, trees)
    return scores(Pipeline(wider, found.model), test)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, systems=False)
    options = parser.parse_args()
    source = Source(options.data)
    thesaurus = Thesaurus.read([options.data / MESH])
    blocks = ["Recall, mean of ROUGE-2 and ROUGE-SU4, first ideal answer, no stemming, 200 words."]
    for pool in ("snippets", "merged"):
        training, test = source.cases(edition(1, 2, 4), pool), source.cases(edition(5, 6), pool)
        found = []
        for row in rows(training, test, thesaurus):
            found.append(row)
            print(f"{pool}: {row.name} {row.scores.mean():.4f}", flush=True)
        blocks += [f"## {pool}", table(found, np.array([case.words > WORDS for case in test]))]
    write(
        options,
        "concepts-trials",
        "Ideas beyond concepts, on BioASQ 5 and 6",
        "python experiments/concepts_trials.py",
        blocks,
    )


if __name__ == "__main__":
    main()
