"""Training examples: the candidates, features and targets of topics with gold summaries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from features.arrays import Floats
from features.concepts import Concept, ConceptKind, concepts_of
from features.context import Context
from features.text import Passage, words
from ilpsum.files.processes import HERE, Executor
from ilpsum.learning.seen import topic_key
from ilpsum.literature.identity import topic_digest
from ilpsum.metrics.rouge import References, mean
from ilpsum.pipeline.candidates import as_read, candidates, context
from ilpsum.pipeline.system import System
from ilpsum.records import Sentence, Topic

# Minimum share of a sentence's trigrams that must occur in a single snippet.
_MARKED = 0.5


@dataclass(frozen=True)
class Example:
    """A topic prepared for training.

    Attributes:
        sentences: the n candidates of the topic with id `topic` and gold `summaries`.
        matrix: (n, columns) raw features.
        targets: (n,) targets of the relevance model.
        digest: digest of the topic and its gold summaries.
        key: identifies the topic in the model; see `ilpsum.learning.seen`.
    """

    topic: str
    summaries: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    around: Context
    matrix: Floats
    targets: Floats
    digest: str
    key: int

    @property
    def lengths(self) -> list[int]:
        """The length of each candidate in words."""
        return [s.words for s in self.sentences]

    def shares(self, concepts: Sequence[Concept], kind: ConceptKind) -> Floats:
        """Return the (m,) shares of gold summaries that contain each concept."""
        golds = [frozenset(concepts_of(Passage(text), kind)) for text in self.summaries]
        return np.array(
            [sum(c in gold for gold in golds) / len(golds) for c in concepts],
            dtype=np.float64,
        )


def prepare(
    system: System,
    topics: Iterable[Topic],
    *,
    engine: Executor = HERE,
) -> tuple[list[Example], int]:
    """Return the examples of topics with gold summaries and candidates, in order, and the number of
    other topics.
    """
    results = list(engine.map(partial(example, system), topics))
    examples = [e for e in results if e is not None]
    return examples, len(results) - len(examples)


def example(system: System, topic: Topic) -> Example | None:
    """Return a topic's training example; None if it has no gold summaries or no candidates, or the
    search retrieved no relevant document.
    """
    if system.relevance is None or not topic.summaries or is_missed(topic):
        return None
    read = as_read(topic, system.candidates)
    sentences = candidates(read, system.candidates)
    if not sentences:
        return None
    around = context(read, sentences, system.vectors)
    features = system.feature_set
    matrix = features.matrix(around) if features else np.zeros((len(sentences), 0))
    targets = sentence_targets(sentences, topic, system.recipe.target, stem=system.selection.stems)
    return Example(
        topic=topic.id,
        summaries=topic.summaries,
        sentences=sentences,
        # Word vectors are no longer needed, and would be pickled with the example.
        around=replace(around, embeddings=None),
        matrix=matrix,
        targets=targets,
        digest=topic_digest(topic, gold=True),
        key=topic_key(topic),
    )


def is_missed(topic: Topic) -> bool:
    """Whether a search retrieved no relevant document; such topics are excluded from training."""
    retrieved = {document.source or document.id for document in topic.documents}
    return (
        topic.search is not None and bool(topic.relevant) and retrieved.isdisjoint(topic.relevant)
    )


def sentence_targets(
    sentences: Sequence[Sentence],
    topic: Topic,
    target: str,
    *,
    stem: bool,
) -> Floats:
    """Return the (n,) mean of ROUGE-2 and ROUGE-SU4 of each sentence alone against the pooled gold
    summaries.

    The target is `recall`, as published, or `precision`, which does not favour long sentences. For
    the target `snippet`, return 1 for sentences that experts marked, else 0.
    """
    if target == "snippet":
        return _marked([sentence.text for sentence in sentences], topic.snippets)
    references = References(topic.summaries, stem=stem)
    targets = []
    for sentence in sentences:
        score = mean(list(references.score(sentence.text).values()))
        targets.append(score.recall if target == "recall" else score.precision)
    return np.array(targets, dtype=np.float64)


def _marked(sentences: Sequence[str], snippets: Sequence[str]) -> Floats:
    """Return (n,) 1 for each sentence with at least half of its word trigrams in a single snippet,
    else 0.
    """
    marked = [trigrams(text) for text in snippets]
    targets = np.zeros(len(sentences))
    for i, text in enumerate(sentences):
        of_sentence = trigrams(text)
        shared = max((len(of_sentence & other) for other in marked), default=0)
        targets[i] = bool(of_sentence) and shared >= _MARKED * len(of_sentence)
    return targets


def trigrams(text: str) -> frozenset[tuple[str, ...]]:
    """Return the distinct word trigrams of a text."""
    tokens = words(text)
    return frozenset(zip(tokens, tokens[1:], tokens[2:], strict=False))


def sample(examples: Sequence[Example], most: int, seed: int) -> list[Example]:
    """Sample at most `most` sentences in all (0 for no limit) at random, and return the examples in
    order.
    """
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
