"""Training examples: the candidates, features and targets of topics with gold summaries."""

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache as once
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from features.arrays import Floats
from features.concepts import Concept, ConceptKind, concepts_of
from features.context import Context
from features.text import Passage, words
from ilpsum import resources
from ilpsum.files.arrays import fitted
from ilpsum.files.persistence import Stored
from ilpsum.files.processes import HERE, Executor
from ilpsum.files.records import Count
from ilpsum.formats.identity import topic_digest
from ilpsum.metrics.rouge import References, mean
from ilpsum.pipeline.candidates import candidates, context
from ilpsum.pipeline.system import RelevanceTable, System
from ilpsum.pipeline.training.cache import Cache, digest
from ilpsum.records import Sentence, Topic

# Minimum share of a sentence's trigrams that must occur in a single snippet.
_MARKED = 0.5

# Text, document, start, end, word count and section of a sentence.
_Row = tuple[str, str, Count, Count, Count, str]


@dataclass(frozen=True)
class Example:
    """A topic prepared for training.

    Attributes:
        sentences: the n candidates of the topic with id `topic` and gold `summaries`.
        matrix: (n, columns) raw features.
        targets: (n,) targets of the relevance model.
        digest: digest of the topic and its gold summaries.
    """

    topic: str
    summaries: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    around: Context
    matrix: Floats
    targets: Floats
    digest: str

    def shares(self, concepts: Sequence[Concept], kind: ConceptKind) -> Floats:
        """Return the (m,) shares of gold summaries that contain each concept."""
        golds = [frozenset(concepts_of(Passage(text), kind)) for text in self.summaries]
        return np.array([sum(c in gold for gold in golds) / len(golds) for c in concepts], dtype=np.float64)


def prepare(
    system: System, topics: Iterable[Topic], *, engine: Executor = HERE, cache: Cache | None = None
) -> tuple[list[Example], int]:
    """Return the examples of all topics with gold summaries and candidates, in order, and the number of other topics.

    Cached examples are reused; the engine computes the others, which are then cached.
    """
    examples: list[Example | None] = []
    waiting: deque[tuple[int, str]] = deque()

    def unknown() -> Iterator[Topic]:
        for topic in topics:
            key, known = "", None
            if cache and system.relevance and topic.summaries:
                key = _key(system, system.relevance, topic)
                known = cache.get("examples", key, partial(_restored, topic))
            examples.append(known)
            if topic.summaries and known is None:
                waiting.append((len(examples) - 1, key))
                yield topic

    for computed in engine.map(partial(example, system), unknown()):
        place, key = waiting.popleft()
        examples[place] = computed
        if cache and computed:
            cache.put("examples", key, *_state(computed))
    complete = [e for e in examples if e is not None]
    return complete, len(examples) - len(complete)


def example(system: System, topic: Topic) -> Example | None:
    """Return a topic's training example; None without gold summaries, candidates or retrieved relevant documents."""
    if system.relevance is None or not topic.summaries or _is_missed(topic):
        return None
    sentences = candidates(topic, system.candidates)
    if not sentences:
        return None
    around = context(topic, sentences, system.relevance.load_embeddings())
    targets = sentence_targets(sentences, topic, system.recipe.target, stem=system.selection.stems)
    return _made(topic, sentences, around, system.relevance.feature_set.matrix(around), targets)


def _made(topic: Topic, sentences: tuple[Sentence, ...], around: Context, matrix: Floats, targets: Floats) -> Example:
    # Word vectors are no longer needed, and would be pickled with the example.
    around, gold = replace(around, embeddings=None), topic_digest(topic, gold=True)
    return Example(topic.id, topic.summaries, sentences, around, matrix, targets, gold)


def _key(system: System, options: RelevanceTable, topic: Topic) -> str:
    """Return the cache key of an example: its topic, and all settings that affect its candidates and values."""
    # The repr of a record contains all its fields, nested ones included, in a fixed order.
    settings = (system.candidates, options.features, options.feature_set.columns, vectors_digest(options))
    return digest(repr(replace(topic, warnings=())), settings, system.recipe.target, system.selection.stems)


def _state(example: Example) -> tuple[dict[str, Any], dict[str, Floats]]:
    """Return the cached part of an example: JSON-ready values and arrays."""
    sentences = [(s.text, s.document, s.start, s.end, s.words, s.section) for s in example.sentences]
    return {"sentences": sentences}, {"matrix": example.matrix, "targets": example.targets}


def _restored(topic: Topic, stored: Stored) -> Example:
    rows = msgspec.convert(stored.description["sentences"], list[_Row])
    fitted(stored.arrays, {"matrix": "f n columns", "targets": "f n"}, n=len(rows))
    sentences = tuple(Sentence(*row) for row in rows)
    around = context(topic, sentences, None)
    return _made(topic, sentences, around, stored.arrays["matrix"], stored.arrays["targets"])


@once
def vectors_digest(options: RelevanceTable) -> str:
    """Return a digest of the word vector file; empty if no feature needs it."""
    path = Path(options.embeddings or resources.embeddings())
    if not (options.feature_set.needs_embeddings and path.is_file()):
        return ""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _is_missed(topic: Topic) -> bool:
    """Whether a search retrieved no relevant document; such topics are excluded from training."""
    found = {document.source or document.id for document in topic.documents}
    return topic.search is not None and bool(topic.relevant) and found.isdisjoint(topic.relevant)


def sentence_targets(sentences: Sequence[Sentence], topic: Topic, target: str, *, stem: bool) -> Floats:
    """Return the (n,) mean of ROUGE-2 and ROUGE-SU4 of each sentence alone against the pooled gold summaries.

    The target is `recall`, as published, or `precision`, which does not favour long sentences. For the target
    `snippet`, return 1 for sentences that experts marked, else 0.
    """
    if target == "snippet":
        return _marked([sentence.text for sentence in sentences], topic.snippets)
    references = References(topic.summaries, stem=stem)
    scores = [mean(list(of.values())) for of in references.scores([sentence.text for sentence in sentences])]
    return np.array([s.recall if target == "recall" else s.precision for s in scores], dtype=np.float64)


def _marked(sentences: Sequence[str], snippets: Sequence[str]) -> Floats:
    """Return (n,) 1 for each sentence with at least half of its word trigrams in a single snippet, else 0."""
    marked = [trigrams(text) for text in snippets]
    found = np.zeros(len(sentences))
    for i, text in enumerate(sentences):
        own = trigrams(text)
        found[i] = bool(own) and max((len(own & other) for other in marked), default=0) >= _MARKED * len(own)
    return found


def trigrams(text: str) -> frozenset[tuple[str, ...]]:
    """Return the distinct word trigrams of a text."""
    tokens = words(text)
    return frozenset(zip(tokens, tokens[1:], tokens[2:], strict=False))


def sample(examples: Sequence[Example], most: int, seed: int) -> list[Example]:
    """Sample at most `most` sentences in all (0 for no limit) at random, and return the examples in order."""
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
