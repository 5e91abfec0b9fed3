"""Cross-validation: folds of topics that share no document, nor near copies of one, and a model for
each, trained on the others.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import msgspec

from ilpsum.errors import UsageError, counted
from ilpsum.files.work import HERE, Work
from ilpsum.learning.models import SystemModel
from ilpsum.learning.seen import document_key, topic_key
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.copies import near_copies
from ilpsum.pipeline.training.examples import Example
from ilpsum.pipeline.training.fitting import fit
from ilpsum.records import Topic


def folds_of(topics: Sequence[Topic], folds: int, key: str = "folds") -> list[int]:
    """Return the fold of each topic, from 0 to `folds` - 1; the same for the same topics in the
    same order.

    Topics that share a document or near copies of one (`ilpsum.pipeline.training.copies`), or are
    the same topic, stay together. The largest group goes first, each into the fold with the fewest
    topics; if all topics differ, topic i is in fold i modulo `folds`. `key` is what the user calls
    their number, for messages.

    Raises:
        UsageError: there are more folds than groups, or fewer than two.
    """
    if folds < 2:
        raise UsageError(f"{key} is {folds}; expected 2 or more")
    groups = _groups(topics)
    if folds > len(groups):
        parts = counted(len(groups), "group")
        raise UsageError(
            f"{key} is {folds}, for {counted(len(topics), 'topic')} in {parts} that share no "
            "document: choose fewer"
        )
    sizes, fold_of = [0] * folds, [0] * len(topics)
    for group in sorted(groups, key=len, reverse=True):
        smallest = sizes.index(min(sizes))
        sizes[smallest] += len(group)
        for i in group:
            fold_of[i] = smallest
    return fold_of


def fold_by_topic(topics: Sequence[Topic], folds: int, key: str = "folds") -> dict[str, int]:
    """Return the folds of `folds_of` by topic id."""
    ids = [topic.id for topic in topics]
    return dict(zip(ids, folds_of(topics, folds, key), strict=True))


def _groups(topics: Sequence[Topic]) -> list[list[int]]:
    """Return the indices of topics by group, in the order of each group's first topic."""
    parents = list(range(len(topics)))
    first_with: dict[int | str, int] = {}

    def root(i: int) -> int:
        while parents[i] != i:
            parents[i] = parents[parents[i]]
            i = parents[i]
        return i

    def join(i: int, k: int) -> None:
        one, other = root(i), root(k)
        parents[max(one, other)] = min(one, other)

    texts: dict[str, tuple[int, str]] = {}
    for i, topic in enumerate(topics):
        for key in _keys(topic):
            join(i, first_with.setdefault(key, i))
        for document in topic.documents if topic.search is None else ():
            texts.setdefault(document_key(document), (i, document.text))
    holders = [i for i, _ in texts.values()]
    for one, other in near_copies([text for _, text in texts.values()]):
        join(holders[one], holders[other])
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for i in range(len(topics)):
        groups[root(i)].append(i)
    return list(groups.values())


def _keys(topic: Topic) -> Iterator[int | str]:
    """Yield the keys that a topic shares with others in its fold.

    Of a searched topic only the relevant documents count: the other documents found would link all
    questions to one collection.
    """
    yield topic_key(topic)
    if topic.search is not None:
        yield from topic.relevant
    else:
        yield from filter(None, map(document_key, topic.documents))


def fit_folds(
    system: System,
    examples: Mapping[str, Example],
    fold_of: Mapping[str, int],
    *,
    words: int = 250,
    work: Work = HERE,
) -> tuple[SystemModel, ...]:
    """Return a model for each fold, trained on the examples of topics in other folds.

    Args:
        system: the system to train.
        examples: its examples, by topic id.
        fold_of: the fold of each topic, by id.
        words: word limit of the summaries compared in tuning.
        work: trains several relevance models at a time, and shows the folds.

    Raises:
        UsageError: no example is outside a fold.
    """
    models, folds = list[SystemModel](), max(fold_of.values()) + 1
    for fold in work.progress(range(folds), "training"):
        others = [e for topic, e in examples.items() if fold_of[topic] != fold]
        if not others:
            raise UsageError(
                f"no sentences to train fold {fold + 1} on: add topics or choose other folds"
            )
        model = fit(system, others, words=words, work=Work(work.engine))
        metadata = msgspec.structs.replace(model.metadata, fold=f"{fold + 1}/{folds}")
        models.append(replace(model, metadata=metadata))
    return tuple(models)
