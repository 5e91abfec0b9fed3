"""Shared code of the BioASQ experiments: reading, features, training and scoring on the same
questions.

Editions of Task B have five batches each, except 1 with three, 10 with six and 11 with four. The
papers number batches consecutively: 1-3 are edition 1, 4-8 edition 2. The score of an answer is the
mean of ROUGE-2 and ROUGE-SU4 recall against the first ideal answer, without stemming, for at most
200 words.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from experiments.published import MEANS
from features.arrays import Floats
from features.context import Context
from features.sets import EMBEDDINGS, FEATURES, FeatureSet, feature_set
from ilpsum.errors import UsageError
from ilpsum.learning.models import SystemModel
from ilpsum.learning.seen import topic_key
from ilpsum.metrics.rouge import References
from ilpsum.metrics.significance import paired_bootstrap
from ilpsum.pipeline.candidates import as_read, candidates, context
from ilpsum.pipeline.objective import Prepared
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.examples import Example, sentence_targets
from ilpsum.pipeline.training.fitting import fit
from ilpsum.records import Sentence, Topic
from ilpsum.records.tables import CandidateTable, RelevanceTable
from ilpsum.tasks import bioasq

WORDS = 200
UNTITLED = CandidateTable(titles=False)
PAPER = ("ilp-sum-0", "ilp-sum-1", "ilp-sum-2")
CLIPPED = tuple(f"{name}, clipped" for name in PAPER)
# The systems that share a model with an ILP.
GREEDY = {"ilp-sum-2-tuned": "gr-sum-2-tuned", "ilp-sum-2": "gr-sum-2"}
MEASURE = (
    "Recall, mean of ROUGE-2 and ROUGE-SU4, first ideal answer, no stemming, at most 200 words."
)
SEEDS = "seed 1 for sampling, 0 for the bootstrap of 10,000 samples"

# Features of the position of a sentence; the order of gold snippets carries information about the
# gold.
PLACES = frozenset({"position", "position-in-section", "document-rank", "order"})


@dataclass(frozen=True)
class Batch:
    """A file of questions: edition, and number within the edition."""

    edition: int
    number: int


def edition(*numbers: int) -> list[Batch]:
    """Return all batches of editions."""
    return [Batch(e, n) for e in numbers for n in range(1, {1: 3, 10: 6, 11: 4}.get(e, 5) + 1)]


class Lazy(dict[Any, Floats]):
    """Arrays by key, each computed when it is first used."""

    def __init__(
        self, compute: Callable[[Any], Floats], known: Mapping[Any, Floats] | None = None
    ) -> None:
        super().__init__(known or {})
        self._compute = compute

    def __missing__(self, key: Any) -> Floats:
        self[key] = self._compute(key)
        return self[key]

    def __or__(self, others: Mapping[Any, Floats]) -> "Lazy":
        return Lazy(self.__getitem__, others)


@dataclass(frozen=True)
class Case:
    """A question with gold answers, its candidates and all their features.

    Attributes:
        batch: its batch.
        topic: the question.
        sentences: its n candidates.
        around: the context of the candidates.
        columns: (n,) or (n, k) raw values of each feature.
        targets: (n,) by target and whether stems are compared.
    """

    batch: Batch
    topic: Topic
    sentences: tuple[Sentence, ...]
    around: Context
    columns: Lazy
    targets: Lazy

    @cached_property
    def words(self) -> int:
        """Number of words in the pool."""
        return sum(len(d.text.split()) for d in self.topic.documents)

    def matrix(self, features: FeatureSet) -> Floats:
        """Return the raw values of a feature set, (n, columns)."""
        n = len(self.sentences)
        return np.hstack([self.columns[name].reshape(n, -1) for name in features.features]).reshape(
            n, -1
        )

    def example(self, system: System) -> Example:
        """Return the question as a training example."""
        options = options_of(system)
        return Example(
            topic=self.topic.id,
            summaries=self.topic.summaries,
            sentences=self.sentences,
            around=self.around,
            matrix=self.matrix(feature_set(options.features)),
            targets=self.targets[system.recipe.target, system.selection.stems],
            digest=self.topic.id,
            key=topic_key(self.topic),
        )

    def prepared(self, summarizer: Pipeline) -> Prepared:
        """Return the question as a summarizer prepares it."""
        table = summarizer.system.relevance
        matrix = (
            self.matrix(feature_set(table.features))
            if table
            else np.zeros((len(self.sentences), 0))
        )
        return summarizer.prepare(self.topic, (self.sentences, self.around, matrix))

    def without_places(self) -> "Case":
        """Return the case with all features of position set to 0."""
        columns = Lazy(lambda name: self.columns[name] * (name not in PLACES))
        n = len(self.sentences)
        documents = tuple(sorted(self.around.documents, key=lambda document: document.text))
        place = {"position": np.zeros(n), "document": np.zeros(n, dtype=np.int64)}
        around = replace(self.around, documents=documents, **place)
        return replace(self, columns=columns, around=around)


def options_of(system: System) -> RelevanceTable:
    """Return the table [relevance] of a trainable system."""
    if system.relevance is None:
        raise ValueError(f"{system.name} is not trainable")
    return system.relevance


@dataclass(frozen=True)
class Source:
    """The questions with their features, computed once per process.

    Attributes:
        data: folder that contains bioasq/.
        table: which sentences are candidates; by default without the titles of abstracts, as
            Malakasiotis et al. (2015) summarise abstracts (`--set candidates.titles=false`).
        known: questions already read, by batch and pool.
    """

    data: Path
    table: CandidateTable = UNTITLED
    known: dict[tuple[Batch, str], list[Case]] = field(default_factory=dict)

    def topics(self, batch: Batch, pool: str) -> list[Topic]:
        """Read the questions of a batch; for the pool `abstracts` those with all their abstracts."""
        folder = self.data / "bioasq"
        more = {"documents": folder / "abstracts.jsonl.gz"} if pool == "abstracts" else {}
        path = folder / f"{batch.edition}B{batch.number}_golden.json.gz"
        read = bioasq.read(path, pool=pool, answers=folder / "training2b.json.gz", **more)
        topics = [t for t in read if isinstance(t, Topic)]
        if pool != "abstracts":
            return topics
        rows = (folder / "questions_with_all_abstracts.tsv").read_text(encoding="utf-8").split("\n")
        complete = {field for row in rows for field in row.split("\t")}
        return [as_read(t, self.table) for t in topics if t.id in complete]

    def cases(self, batches: Iterable[Batch], pool: str) -> list[Case]:
        """Return the questions that have gold and candidates, with their features."""
        return [case for batch in batches for case in self._batch(batch, pool)]

    def _batch(self, batch: Batch, pool: str) -> list[Case]:
        if (batch, pool) not in self.known:
            cases = (_case(batch, topic, self.table) for topic in self.topics(batch, pool))
            self.known[batch, pool] = [case for case in cases if case]
        return self.known[batch, pool]


def _case(batch: Batch, topic: Topic, table: CandidateTable) -> Case | None:
    """Return a question whose features and targets are computed when used; None without gold or candidates."""
    found = candidates(topic, table)
    if not topic.summaries or not found:
        return None
    around = context(topic, found)
    targets = Lazy(lambda of: sentence_targets(found, topic, of[0], stem=of[1]))
    return Case(batch, topic, found, around, Lazy(partial(_feature, around)), targets)


def _feature(around: Context, name: str) -> Floats:
    """Return the raw values of a feature, (n,) or (n, k); features 2.1-2.4 with the word vectors that ship."""
    from ilpsum.learning import embeddings

    return FEATURES[name].compute(
        replace(around, embeddings=embeddings.load()) if name == EMBEDDINGS else around
    )


def train(system: System, cases: Sequence[Case]) -> SystemModel:
    """Train a system like `ilpsum train`."""
    return fit(system, [case.example(system) for case in cases], words=WORDS)


def relevance_of(model: SystemModel, system: System, case: Case) -> Floats:
    """Return the predicted relevance of a question's candidates, (n,)."""
    raw = case.matrix(feature_set(options_of(system).features))
    return model.relevance.predict(raw)


def answer(summarizer: Pipeline, case: Case) -> str:
    """Return the answer of a system to a question."""
    if summarizer.selector.copies:
        return summarizer(case.topic, WORDS).text
    # The oracle, too, sees only the first ideal answer.
    case = replace(case, topic=replace(case.topic, summaries=case.topic.summaries[:1]))
    prepared = case.prepared(summarizer)
    return "\n".join(prepared.sentences[i].text for i in summarizer.select(prepared, WORDS).chosen)


def recalls(summarizer: Pipeline, cases: Sequence[Case]) -> Floats:
    """Return recall of ROUGE-2 and of ROUGE-SU4 of each answer, (cases, 2)."""
    return np.array([recall(answer(summarizer, case), case) for case in cases]).reshape(-1, 2)


def recall(text: str, case: Case) -> tuple[float, float]:
    """Return recall of ROUGE-2 and of ROUGE-SU4 against the first ideal answer."""
    two, skip = References(case.topic.summaries[:1]).score(text).values()
    return two.recall, skip.recall


def score(text: str, case: Case) -> float:
    """Return the mean of ROUGE-2 and ROUGE-SU4 recall against the first ideal answer."""
    return sum(recall(text, case)) / 2


def scores(summarizer: Pipeline, cases: Sequence[Case]) -> Floats:
    """Return the score of each answer, (cases,)."""
    return recalls(summarizer, cases).mean(axis=1)


def changed(system: System, **tables: dict[str, object]) -> System:
    """Replace keys of a system's tables."""
    new = {
        name: msgspec.structs.replace(getattr(system, name), **keys)
        for name, keys in tables.items()
    }
    return msgspec.structs.replace(system, **new)


def baseline(method: str) -> System:
    """Return a baseline of the field, or the oracle, by its method."""
    return with_settings(System.load("ilp-sum-2"), {"selection.method": method})


def variant(name: str) -> System:
    """Load a system by its name, or `NAME, clipped`: the same with relevance cut to [0,1].

    The published systems stretch relevance to [0,1] over the topic (equation 1).

    Raises:
        UsageError: the system chooses its candidates otherwise, so that scores would not compare.
    """
    base, _, alpha = name.partition(", ")
    system = System.load(base)
    own = msgspec.structs.replace(system.candidates, titles=True)
    if own != CandidateTable():
        raise UsageError(f"{base} has candidates of its own; compare systems with the default ones")
    return changed(system, selection={"alpha": "clip"}) if alpha == "clipped" else system


@dataclass(frozen=True)
class Row:
    """A system's scores.

    Attributes:
        name: name in the table.
        values: (cases,) one per question, or (cases, 2) recall of ROUGE-2 and of ROUGE-SU4.
    """

    name: str
    values: Floats

    @property
    def scores(self) -> Floats:
        """The score of each question, (cases,)."""
        return self.values if self.values.ndim == 1 else self.values.mean(axis=1)


def rows(
    training: Sequence[Case],
    test: Sequence[Case],
    systems: Sequence[str],
    progress: Callable[[str], None],
) -> list[Row]:
    """Train systems on some questions and score them on others, with baselines and oracle.

    After ILP-SUM-2 comes GR-SUM-2, which has the same model; after a system with features of
    position, the same without them.
    """
    scored = [Row(name, recalls(Pipeline(baseline(name)), test)) for name in ("lead", "random")]
    models: dict[str, SystemModel] = {}
    for name in systems:
        system = variant(name)
        if system.name not in models:
            progress(f"{name}: training on {len(training)} questions, {len(test)} to answer")
            models[system.name] = train(system, training)
        model = models[system.name]
        scored.append(Row(name, recalls(Pipeline(system, model), test)))
        if name in GREEDY:
            greedy = GREEDY[name]
            scored.append(Row(greedy, recalls(Pipeline(System.load(greedy), model), test)))
        places = PLACES & set(feature_set(options_of(system).features).features)
        if places and name == system.name:
            blind = train(system, [case.without_places() for case in training])
            answers = recalls(Pipeline(system, blind), [case.without_places() for case in test])
            scored.append(Row(f"{name}, no places", answers))
    return [*scored, Row("oracle", recalls(Pipeline(baseline("oracle")), test))]


def table(
    found: Sequence[Row],
    cases: Sequence[Case],
    batches: dict[str, Callable[[Case], bool]] | None = None,
) -> str:
    """Format rows as Markdown: means, published mean, subsets of questions, share of the oracle,
    gain.

    Args:
        found: the rows; the first is the baseline, the last the oracle.
        cases: the questions.
        batches: further subsets of questions by name.
    """
    parts: dict[str, Callable[[Case], bool]] = {"all": lambda _: True} | (batches or {})
    for least in (200, 400, 800):
        parts[f"> {least} words"] = lambda case, least=least: case.words > least
    chosen = {name: np.array([is_in(case) for case in cases]) for name, is_in in parts.items()}
    first, last = found[0], found[-1]
    columns = [f"{name} ({int(mask.sum())})" for name, mask in chosen.items()]
    head = [
        "system",
        columns[0],
        "published",
        *columns[1:],
        "of oracle",
        f"over {first.name} [95 %], p",
    ]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in found:
        means = [f"{row.scores[mask].mean():.4f}" if mask.any() else "" for mask in chosen.values()]
        beside = f"{MEANS[row.name]:.4f}" if row.name in MEANS else ""
        share = f"{row.scores.mean() / last.scores.mean():.1%}"
        over = "" if row is first else difference(row, first)
        lines.append(f"| {' | '.join([row.name, means[0], beside, *means[1:], share, over])} |")
    return "\n".join(lines)


PAIRS = (
    ("ilp-sum-2", "gr-sum-2"),
    ("ilp-sum-2", "ilp-sum-1"),
    ("ilp-sum-1", "ilp-sum-0"),
    ("ilp-sum-2", "ilp-sum-2, clipped"),
    ("ilp-sum-2-tuned", "gr-sum-2-tuned"),
    ("ilp-sum-2-tuned", "ilp-sum-1-tuned"),
    ("ilp-sum-1-tuned", "ilp-sum-0-tuned"),
    ("ilp-sum-2-tuned", "ilp-sum-2"),
    ("concepts-snippets", "ilp-sum-2-tuned"),
    ("concepts-abstracts", "ilp-sum-2-tuned"),
    ("concepts-snippets", "concepts-abstracts"),
)


def pairs(found: Sequence[Row]) -> str:
    """Format the differences of pairs of systems as Markdown: difference [95 %], p."""
    by_name = {row.name: row for row in found}
    known = [(by_name[a], by_name[b]) for a, b in PAIRS if a in by_name and b in by_name]
    return "\n".join(f"- {a.name} over {b.name}: {difference(a, b)}" for a, b in known)


def difference(row: Row, other: Row) -> str:
    """Format the mean difference of two systems, with interval and p-value of the paired bootstrap."""
    test = paired_bootstrap(row.scores.tolist(), other.scores.tolist())
    return f"{test.difference:+.4f} [{test.low:+.4f}, {test.high:+.4f}], {test.p_value:.4f}"
