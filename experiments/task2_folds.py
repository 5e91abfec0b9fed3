"""Papers: what each part of the prediction could bring, and what was tried with all choices within the folds.

    python experiments/task2_folds.py --work DIR [--prior MODEL] [--variants NAME ...] [--out experiments/results]

TAC 2014, each topic summarised by models of the 13 others, clean and with the rules of coherence, as `concepts` ships.
What trains the weights of bigrams for a topic are the other 13 with relevance by models that have seen neither that
topic nor theirs. --prior is a model of `concepts-linguistics` trained on all 998 topics of ScisummNet and CL-SciSumm:

    ilpsum train scisummnet.tar.gz scisumm --from scisumm --summaries human --system concepts-linguistics --out MODEL

Writes the scores of every topic (task2-folds.tsv) and prints the table of all variants in --work. Nothing is random but
the bootstrap and the trees (seeds 1 and 0).
"""

import argparse
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.optimize import LinearConstraint, milp
from task2_leave_one_out import WORDS

from features.arrays import Floats
from features.concepts import Concept, concepts
from features.text import Passage
from ilpsum.formats import read_topics
from ilpsum.learning import log_linear, relevance
from ilpsum.learning.boosted_trees import TreeParameters
from ilpsum.learning.log_linear import ConceptWeights
from ilpsum.learning.models import SystemModel
from ilpsum.metrics.rouge import References
from ilpsum.metrics.significance import paired_bootstrap
from ilpsum.pipeline.coherence.rules import first_stage
from ilpsum.pipeline.objective import alphas, ilp_problem, ruled
from ilpsum.pipeline.ordering import arrange_chosen, render
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.examples import Example, example
from ilpsum.pipeline.training.fitting import prior_of
from ilpsum.records import Rules, Topic
from ilpsum.selection import Problem, select

SYSTEM = System.load("concepts").for_kind("papers")
LAMBDA, PENALTY = SYSTEM.selection.lambda_, SYSTEM.recipe.concept_penalty
LAMBDAS = (0.05, 0.1, 0.2)
OCCURRENCES = 4
TREES = TreeParameters(rounds=150, rate=0.05, leaves=8, least=200, share=0.4, members=2)
Chosen = tuple[int, ...]
Weigh = Callable[[int], Floats]
"""Predicts the (m,) weights of the bigrams of a topic."""


@dataclass(frozen=True)
class Task:
    """The topics, the prior that their models build on, and the file that keeps their relevance."""

    topics: Sequence[Topic]
    examples: Sequence[Example]
    rules: Sequence[Rules]
    references: Sequence[References]
    prior: SystemModel
    kept: Path

    @classmethod
    def read(cls, data: Path, prior: SystemModel, kept: Path) -> "Task":
        """Read the topics of TAC."""
        topics = [t for t in read_topics([data / "tac2014"], "tac") if isinstance(t, Topic)]
        examples = [e for t in topics if (e := example(SYSTEM, t))]
        rules = [first_stage(t, e.sentences, SYSTEM.coherence).rules for t, e in zip(topics, examples, strict=True)]
        references = [References(t.summaries, stem=True, words=WORDS) for t in topics]
        return cls(topics, examples, rules, references, prior, kept)

    @cached_property
    def relevance(self) -> dict[tuple[int, int], Floats]:
        """By two topics, or one twice: the second's (n,) relevance by a model that has seen neither."""
        if self.kept.exists():
            return {tuple(map(int, name.split())): array for name, array in np.load(self.kept).items()}
        columns = SYSTEM.relevance.feature_set.columns if SYSTEM.relevance else ()
        own = (self.prior.relevance.predict_from(columns, e.matrix, e.around.sentences) for e in self.examples)
        matrices = [np.column_stack((e.matrix, p)) for e, p in zip(self.examples, own, strict=True)]
        found = {}
        for k in self.all:
            for i in range(k, len(self.topics)):
                some = [j for j in self.all if j not in (k, i)]
                targets = [self.examples[j].targets for j in some]
                names = (*columns, relevance.PRIOR)
                model = relevance.fit(names, [matrices[j] for j in some], targets, "topic", SYSTEM.recipe.grid[0])
                found[k, i], found[i, k] = model.predict(matrices[i]), model.predict(matrices[k])
        np.savez(self.kept, **{f"{k} {i}": array for (k, i), array in found.items()})
        return found

    @cached_property
    def matrices(self) -> dict[tuple[int, int], Floats]:
        """By two topics: the features of the second's bigrams, (m, columns), from its `relevance`."""
        pairs = self.relevance.items()
        return {(k, i): concepts(self.examples[i].around, alphas(r, "topic"), "stems").matrix for (k, i), r in pairs}

    @cached_property
    def names(self) -> list[tuple[Concept, ...]]:
        """The bigrams of each topic."""
        return [concepts(e.around, e.targets, "stems").names for e in self.examples]

    @cached_property
    def shares(self) -> list[Floats]:
        """By topic the (m,) shares of human summaries that hold each bigram."""
        return [e.shares(names, "stems") for e, names in zip(self.examples, self.names, strict=True)]

    @property
    def all(self) -> range:
        """The numbers of the topics."""
        return range(len(self.topics))

    def others(self, *topics: int) -> list[int]:
        """Return all topics but these."""
        return [i for i in self.all if i not in topics]

    def problem(self, i: int, scores: Floats, weights: Floats, lambda_: float = LAMBDA) -> Problem:
        """Return the ILP of a topic with relevance and weights."""
        e, lengths = self.examples[i], [s.words for s in self.examples[i].sentences]
        priced = dict(zip(self.names[i], weights.tolist(), strict=True))
        problem = ilp_problem(scores, lengths, e.around, WORDS, alpha="topic", kind="stems", weights=priced)
        return ruled(self.rules[i])(replace(problem, lambda_=lambda_))

    def text(self, i: int, chosen: Chosen) -> str:
        """Return the text of a selection."""
        sentences = [self.examples[i].sentences[k] for k in chosen]
        return render(arrange_chosen(chosen, sentences, self.rules[i], SYSTEM.order), SYSTEM.order)

    def score(self, i: int, chosen: Chosen) -> tuple[float, float]:
        """Return ROUGE-2 and ROUGE-SU4 of a selection."""
        found = self.references[i].score(self.text(i, chosen))
        return found["ROUGE-2"].recall, found["ROUGE-SU4"].recall


Train = Callable[[Task, int, Sequence[int]], Weigh]
"""Trains weights for a topic on other topics."""


def poisson(penalty: float, *, prior: bool = True) -> Train:
    """Return the training of the system, with a penalty; without one, the prior's own weights."""

    def train(task: Task, k: int, some: Sequence[int]) -> Weigh:
        model = task.prior.weights
        if penalty:
            matrices, shares = [task.matrices[k, i] for i in some], [task.shares[i] for i in some]
            model = log_linear.fit_weights(matrices, shares, penalty, model if prior else None)
        return lambda i: model.predict(task.matrices[k, i])

    return train


def trees(task: Task, k: int, some: Sequence[int]) -> Weigh:
    """Train boosted trees."""
    model = TREES.fit(np.vstack([task.matrices[k, i] for i in some]), np.concatenate([task.shares[i] for i in some]))
    return lambda i: np.clip(model.predict(task.matrices[k, i]), 0.0, 1.0)


def structured(rate: float, rounds: int = 4) -> Train:
    """Return a training for the ILP's summaries, from the system's own weights (Chiang 2012; hope and fear).

    Each step goes from the bigrams of the summary that is best with those of the human ones subtracted from its value
    to that which is best with them added. The mean over all steps is returned.
    """

    def train(task: Task, k: int, some: Sequence[int]) -> Weigh:
        matrices, shares = [task.matrices[k, i] for i in some], [task.shares[i] for i in some]
        model = log_linear.fit_weights(matrices, shares, PENALTY, task.prior.weights)
        inputs = {i: (task.matrices[k, i] - model.mean) / model.deviation for i in some}
        problems = {i: task.problem(i, task.relevance[k, i], task.shares[i]) for i in some}
        theta, total, rng = model.coefficients.copy(), np.zeros_like(model.coefficients), np.random.default_rng(0)
        for done in range(rounds):
            for i in rng.permutation(some).tolist():
                w, gold = np.exp(np.minimum(inputs[i] @ theta + model.intercept, 0.0)), task.shares[i]
                gold = gold * w.sum() / gold.sum() / 2
                hope, fear = _held(problems[i], w + gold), _held(problems[i], w - gold)
                theta = theta + rate / np.sqrt(1 + done) * (w * hope - w * fear) @ inputs[i] / (w * fear).sum()
                total += theta
        learned = ConceptWeights(model.mean, model.deviation, total / (rounds * len(some)), model.intercept)
        return lambda i: learned.predict(task.matrices[k, i])

    return train


def _held(problem: Problem, weights: Floats) -> Floats:
    """Return 1 for bigrams that the optimum holds, else 0, (m,)."""
    weighted = replace(problem, weights=np.maximum(weights, 0.0) / WORDS)
    held = np.zeros(len(weights))
    for i in select(weighted).chosen:
        held[weighted.concepts_of(i)] = 1.0
    return held


def repeats(task: Task, k: int) -> Chosen:
    """Choose for the expected matches as ROUGE counts them, repeated bigrams too, clipped: sum of P(count >= c)."""
    golds = [[Counter(Passage(text).stem_bigrams) for text in t.summaries] for t in task.topics]
    columns = []
    for c in range(1, OCCURRENCES + 1):
        reached = {i: np.array([np.mean([g[b] >= c for g in golds[i]]) for b in task.names[i]]) for i in task.others(k)}
        matrices, prior = [task.matrices[k, i] for i in reached], task.prior.weights if c == 1 else None
        model = log_linear.fit_weights(matrices, list(reached.values()), PENALTY if prior else 0.003, prior)
        columns.append(model.predict(task.matrices[k, k]))
    return _clipped(task, k, np.minimum.accumulate(np.column_stack(columns), axis=1))


def _clipped(task: Task, k: int, reached: Floats) -> Chosen:
    """Return the best selection with (m, c) values of the first, second, ... occurrence of each bigram, falling."""
    problem, passages = task.problem(k, task.relevance[k, k], reached[:, 0]), task.examples[k].around.sentences
    n, m, place = len(problem), len(reached), {b: j for j, b in enumerate(task.names[k])}
    counts = sparse.lil_matrix((m, n))
    for i, passage in enumerate(passages):
        for bigram, count in Counter(passage.stem_bigrams).items():
            counts[place[bigram], i] = count
    once = sparse.kron(sparse.eye(m), np.ones((1, OCCURRENCES)))
    size = n + m * OCCURRENCES
    rules = [(np.append(problem.words, np.zeros(size - n)), problem.limit)]
    rules += [(np.bincount(group, minlength=size), 1) for group in problem.groups]
    rules += [(np.eye(1, size, i)[0] - np.eye(1, size, needed)[0], 0) for i, needed in problem.requires]
    highest = np.ones(size)
    highest[list(problem.exclude)] = 0
    prices = np.concatenate([LAMBDA * problem.relevance_prices, (1 - LAMBDA) * reached.ravel() / WORDS])
    found = milp(
        -prices,
        integrality=np.append(np.ones(n), np.zeros(size - n)),
        bounds=(0, highest),
        constraints=[
            LinearConstraint(sparse.hstack([-counts, once]).tocsc(), ub=0),
            LinearConstraint(np.array([row for row, _ in rules]), ub=[most for _, most in rules]),
        ],
    )
    return tuple(np.flatnonzero(found.x[:n] > 0.5).tolist())


def with_weights(train: Train, lambda_: float = LAMBDA) -> Callable[[Task, int], Chosen]:
    """Return a variant with other weights."""
    return lambda task, k: (
        select(task.problem(k, task.relevance[k, k], train(task, k, task.others(k))(k), lambda_)).chosen
    )


def chosen_within(trains: Iterable[Train]) -> Callable[[Task, int], Chosen]:
    """Return a variant with training and lambda of the highest ROUGE-2, each of the 13 topics left out in turn."""

    def variant(task: Task, k: int) -> Chosen:
        known: list[tuple[float, int, Train, float]] = []
        for train in trains:
            scores = []
            for i in task.others(k):
                weights = train(task, k, task.others(k, i))(i)
                found = (select(task.problem(i, task.relevance[k, i], weights, x)).chosen for x in LAMBDAS)
                scores.append([task.score(i, chosen)[0] for chosen in found])
            means = np.mean(scores, axis=0).tolist()
            known += [(mean, -len(known), train, x) for mean, x in zip(means, LAMBDAS, strict=True)]
        _, _, best, lambda_ = max(known, key=lambda row: row[:2])
        return with_weights(best, lambda_)(task, k)

    return variant


SHIPS = "as it ships: penalty .03, lambda .1"
NESTED = [poisson(PENALTY), poisson(0.0)]
VARIANTS: dict[str, Callable[[Task, int], Chosen]] = {
    "the human summaries' own shares as weights": lambda t, k: (
        select(t.problem(k, t.relevance[k, k], t.shares[k])).chosen
    ),
    "true targets as relevance, lambda .2": lambda t, k: (
        select(t.problem(k, t.examples[k].targets, poisson(PENALTY)(t, k, t.others(k))(k), 0.2)).chosen
    ),
    "weights trained on the topic itself": lambda t, k: (
        select(t.problem(k, t.relevance[k, k], poisson(0.003, prior=False)(t, k, [k])(k))).chosen
    ),
    SHIPS: with_weights(poisson(PENALTY)),
    "weights of the prior": with_weights(poisson(0.0)),
    "own weights or the prior's, and lambda, chosen within the folds": chosen_within(NESTED),
    "boosted trees": with_weights(trees),
    "structured learning, rate .02": with_weights(structured(0.02)),
    "structured learning, rate .1": with_weights(structured(0.1)),
    "expected matches with repeats": repeats,
}
FURTHER = {f"prior of 998 topics: {name}": name for name in (SHIPS, "weights of the prior")}
CEILINGS = tuple(VARIANTS)[:3]
CONSENSUS = "consensus of the variants"


def consensus(task: Task, k: int, found: Sequence[Chosen]) -> Chosen:
    """Return the selection whose text has the highest mean ROUGE-2 recall of those of the others."""
    texts = [task.text(k, chosen) for chosen in found]
    means = []
    for i, text in enumerate(texts):
        others = [other for j, other in enumerate(texts) if j != i]
        means.append(References(others, ("ROUGE-2",), stem=True, words=WORDS).score(text)["ROUGE-2"].recall)
    return found[int(np.argmax(means))]


def table(rows: dict[str, Floats]) -> str:
    """Return a row for each variant: means, and the differences from the system as it ships."""
    lines = ["| variant | ROUGE-2 | over the shipped [95 %], p | ROUGE-SU4 | over the shipped [95 %], p |"]
    lines.append("|---|---|---|---|---|")
    for name, scores in rows.items():
        cells = []
        for column in range(2):
            test = paired_bootstrap(scores[:, column].tolist(), rows[SHIPS][:, column].tolist(), seed=1)
            over = f"{test.difference:+.4f} [{test.low:+.4f}, {test.high:+.4f}], {test.p_value:.2f}"
            cells.append(f"{scores[:, column].mean():.4f} | {'' if name == SHIPS else over}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    parser.add_argument("--prior", type=Path, help="a model of concepts-linguistics for the rows of 998 topics")
    parser.add_argument("--variants", nargs="+", choices=(*VARIANTS, *FURTHER), default=(*VARIANTS, *FURTHER))
    parser.add_argument("--out", type=Path, default=Path("experiments/results"))
    parser.add_argument("--work", type=Path, required=True, help="folder that keeps relevance and selections")
    options = parser.parse_args()
    task = Task.read(options.data, prior_of(SYSTEM), options.work / "relevance.npz")
    file = options.work / "chosen.json"
    found: dict[str, list[Chosen]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    for name in options.variants:
        if name in FURTHER and options.prior:
            given = SystemModel.load(options.prior, task.prior.relevance.features, weights=True)
            other = replace(task, prior=given, kept=options.work / "relevance-998.npz")
            found[name] = [VARIANTS[FURTHER[name]](other, k) for k in task.all]
        elif name in VARIANTS:
            found[name] = [VARIANTS[name](task, k) for k in task.all]
        file.write_text(json.dumps(found), encoding="utf-8")
    voting = [rows for name, rows in found.items() if name not in CEILINGS]
    found[CONSENSUS] = [consensus(task, k, [rows[k] for rows in voting]) for k in task.all]
    found = {name: found[name] for name in (*VARIANTS, *FURTHER, CONSENSUS) if name in found}
    rows = {name: np.array([task.score(k, of[k]) for k in task.all]) for name, of in found.items()}
    lines = [
        f"{name}\t{topic.id}\t{two:.6f}\t{four:.6f}\n"
        for name, scores in rows.items()
        for topic, (two, four) in zip(task.topics, scores.tolist(), strict=True)
    ]
    (options.out / "task2-folds.tsv").write_text("".join(lines), encoding="utf-8")
    print(table(rows))


if __name__ == "__main__":
    main()
