"""Summaries by models that were trained on the other folds of the same topics."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ilpsum.answers.steps import STEPS
from ilpsum.errors import UsageError
from ilpsum.files.processes import HERE, Executor
from ilpsum.files.progress import Progress, no_progress
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import Kind, System, kind_of
from ilpsum.pipeline.training.examples import prepare
from ilpsum.pipeline.training.folds import fit_folds, folds_of
from ilpsum.records import RunSettings, Summary, SystemSettings, Topic


@dataclass(frozen=True)
class HeldOut:
    """A summarizer of the topics that trained it, each by the model of its fold.

    Attributes:
        system: the system that was trained, for each kind of topic.
        pipelines: for each kind, or None if all share a system, the pipeline of each fold.
        folds: the fold of each topic, by id.
    """

    system: System
    pipelines: Mapping[Kind | None, Sequence[Pipeline]]
    folds: Mapping[str, int]

    def __call__(self, topic: Topic, words: int) -> Summary:
        """Summarise a topic in at most `words` words."""
        of_kind = self.pipelines[_key(self.system, kind_of(topic))]
        return of_kind[self.folds[topic.id]](topic, words)

    def settings(self, words: int, like: SystemSettings) -> RunSettings:
        """Return the settings of topics of the same kind and fold as an earlier summary's; those of
        any other if there are none.
        """
        every = [one.settings(words) for several in self.pipelines.values() for one in several]
        same_kind = [one for one in every if one.system.kind == like.kind] or every
        same_fold = [one for one in same_kind if one.system.fold == like.fold] or same_kind
        return same_fold[0]


def held_out(
    system: System,
    topics: Sequence[Topic],
    folds: int,
    *,
    words: int,
    options: Mapping[str, Any],
    engine: Executor = HERE,
    progress: Progress = no_progress,
) -> HeldOut:
    """Train a system once for each fold of the topics, on those of the other folds.

    Args:
        system: a system with a model; one with `kinds` is trained for each kind of the topics.
        topics: the topics, some with gold summaries.
        folds: number of folds, 2 or more; see `folds_of`.
        words: word limit of the summaries, also of those compared in tuning.
        options: fields of `PipelineOptions`, without the steps of questions.
        engine: trains and computes features.
        progress: wraps each iteration; gets a description.

    Raises:
        UsageError: the system has no model to train, or there are too few topics.
    """
    if not system.learns:
        raise UsageError(f"the system {system.name} has no model to train; leave out --folds")
    options = {"question": STEPS, **options}
    fold_of = dict(zip((t.id for t in topics), folds_of(topics, folds), strict=True))
    of_kinds: defaultdict[Kind | None, list[Topic]] = defaultdict(list)
    for topic in topics:
        of_kinds[_key(system, kind_of(topic))].append(topic)
    pipelines: dict[Kind | None, Sequence[Pipeline]] = {}
    for kind, of_kind in of_kinds.items():
        part = system.for_kind(kind) if kind else system
        if part.relevance is None:
            pipelines[kind] = [Pipeline(part, kind=kind, **options)] * folds
            continue
        examples, _ = prepare(part, progress(of_kind, "features and targets"), engine=engine)
        models = fit_folds(
            part,
            {example.topic: example for example in examples},
            fold_of,
            words=words,
            engine=engine,
            progress=progress,
        )
        pipelines[kind] = [Pipeline(part, model, kind=kind, **options) for model in models]
    return HeldOut(system, pipelines, fold_of)


def _key(system: System, kind: Kind) -> Kind | None:
    return kind if system.has_own(kind) else None
