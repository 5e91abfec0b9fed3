"""Training examples: the candidates, features and targets of topics with gold summaries."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from features.arrays import Floats
from features.concepts import Concept, ConceptKind, concepts_of
from features.context import Context
from features.text import Passage
from ilpsum.corpora.identity import topic_digest
from ilpsum.metrics.answers import answer_recall
from ilpsum.metrics.rouge import References, mean
from ilpsum.parallel.executor import HERE, Executor
from ilpsum.pipeline.candidates import candidates, context
from ilpsum.pipeline.system import System
from ilpsum.records import Sentence, Topic
from ilpsum.training.cache import Cache, Known

# Chosen on BioASQ 7 and 8; precision alone and containment alone find fewer answers.
_ANSWER_BONUS = 0.3


@dataclass(frozen=True)
class Example:
    """A topic, ready to train on.

    Attributes:
        sentences: its n candidates; those of `topic`, an id, with its gold `summaries` and exact `answers`.
        around: the context of their features.
        matrix: (n, columns) raw features.
        targets: (n,) what the relevance model is to predict.
        digest: of the topic and its gold.
    """

    topic: str
    summaries: tuple[str, ...]
    answers: tuple[tuple[str, ...], ...]
    sentences: tuple[Sentence, ...]
    around: Context
    matrix: Floats
    targets: Floats
    digest: str

    def shares(self, concepts: Sequence[Concept], kind: ConceptKind) -> Floats:
        """Return the (m,) shares of gold summaries that contain each concept; a term of an exact answer has 1 more."""
        golds = [frozenset(concepts_of(Passage(text), kind)) for text in self.summaries]
        shares = np.array([sum(c in gold for gold in golds) / len(golds) for c in concepts], dtype=np.float64)
        if kind == "terms":
            exact = {c for item in self.answers for text in item for c in concepts_of(Passage(text), kind)}
            shares += [c in exact for c in concepts]
        return shares


def prepare(
    system: System, topics: Iterable[Topic], *, engine: Executor = HERE, cache: Cache | None = None
) -> tuple[list[Example], int]:
    """Return the examples of all topics that have gold and candidates, in order, and the number of the others.

    The engine computes what is not cached, and the cache stores it.
    """
    examples: list[Example | None] = []
    waiting: deque[tuple[int, Topic, Known]] = deque()

    def unknown() -> Iterator[tuple[Topic, Known]]:
        for topic in topics:
            parts = cache.parts(system, topic) if cache and topic.summaries else Known()
            examples.append(_completed(system, (topic, parts)) if parts.complete else None)
            if topic.summaries and not parts.complete:
                waiting.append((len(examples) - 1, topic, parts))
                yield topic, parts

    for computed in engine.map(partial(_completed, system), unknown()):
        place, topic, parts = waiting.popleft()
        examples[place] = computed
        if cache and computed:
            cache.keep_parts(system, topic, parts, computed)
    complete = [e for e in examples if e is not None]
    return complete, len(examples) - len(complete)


def example(system: System, topic: Topic) -> Example | None:
    """Return the training example of a topic; None without gold or candidates."""
    return _completed(system, (topic, Known()))


def _completed(system: System, item: tuple[Topic, Known]) -> Example | None:
    (topic, known), options = item, system.relevance
    if options is None or not topic.summaries or _is_missed(topic):
        return None
    sentences = candidates(topic, system.candidates) if known.sentences is None else known.sentences
    if not sentences:
        return None
    matrix, targets = known.matrix, known.targets
    around = context(topic, sentences, options.load_embeddings() if matrix is None else None)
    gold = topic.summaries
    if targets is None:
        targets = sentence_targets(sentences, topic, system.recipe.target, stem=system.selection.stems)
    return Example(
        topic=topic.id,
        summaries=gold,
        answers=topic.answers,
        sentences=sentences,
        # Word vectors are no longer needed, and would be sent along with the example.
        around=replace(around, embeddings=None),
        matrix=options.feature_set.matrix(around) if matrix is None else matrix,
        targets=targets,
        digest=topic_digest(topic, gold=True),
    )


def _is_missed(topic: Topic) -> bool:
    """Whether a search missed all documents known to be relevant: such a topic teaches what answers nothing."""
    found = {document.source or document.id for document in topic.documents}
    return topic.search is not None and bool(topic.relevant) and found.isdisjoint(topic.relevant)


def sentence_targets(sentences: Sequence[Sentence], topic: Topic, target: str, *, stem: bool) -> Floats:
    """Return the (n,) mean of ROUGE-2 and ROUGE-SU4 of each sentence alone against the pooled gold summaries.

    The target is `recall`, as published; `precision`, which does not favour long sentences; or `answer`, precision with
    a bonus for a sentence that holds an exact answer.
    """
    references = References(topic.summaries, stem=stem)
    scores = [mean(list(of.values())) for of in references.scores([sentence.text for sentence in sentences])]
    values = np.array([s.recall if target == "recall" else s.precision for s in scores], dtype=np.float64)
    if target == "answer":
        values += [_ANSWER_BONUS * (answer_recall(s.text, topic.answers) > 0) for s in sentences]
    return values


def sample(examples: Sequence[Example], most: int, seed: int) -> list[Example]:
    """Return the examples with at most `most` sentences in all (0 for no limit), sampled at random, in their order."""
    total = sum(len(e.targets) for e in examples)
    if not most or total <= most:
        return list(examples)
    chosen = np.sort(np.random.default_rng(seed).choice(total, most, replace=False))
    bounds = np.cumsum([0, *(len(e.targets) for e in examples)])
    sampled = []
    for e, first, last in zip(examples, bounds, bounds[1:], strict=False):
        rows = chosen[(chosen >= first) & (chosen < last)] - first
        sampled.append(replace(e, matrix=e.matrix[rows], targets=e.targets[rows]))
    return sampled
