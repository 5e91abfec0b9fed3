"""Summaries by models that were trained on the other folds of the same topics."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ilpsum.answers.steps import QuestionPipeline
from ilpsum.errors import ModelError, UsageError
from ilpsum.files.work import Work
from ilpsum.learning.seen import has_seen
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.summarizer import load_model
from ilpsum.pipeline.system import Kind, System, kind_of
from ilpsum.pipeline.training.examples import prepare
from ilpsum.pipeline.training.folds import fit_folds, fold_by_topic
from ilpsum.records import RunSettings, Summary, SystemSettings, Topic


@dataclass(frozen=True)
class HeldOut:
    """A summarizer that summarises each topic by the model trained on the other folds.

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
        of_kind = self.pipelines[self.system.own_kind(kind_of(topic))]
        return of_kind[self.folds[topic.id]](topic, words)

    def settings(self, words: int, like: SystemSettings) -> RunSettings:
        """Return the settings of topics of the same kind and fold as an earlier summary, or else of
        any other topic.
        """
        settings = [
            pipeline.settings(words) for of_kind in self.pipelines.values() for pipeline in of_kind
        ]
        # False sorts before True: the same kind first, then the same fold.
        return min(settings, key=lambda s: (s.system.kind != like.kind, s.system.fold != like.fold))


def needs_folds(system: System, topics: Sequence[Topic]) -> bool:
    """Return whether the included models of a system have seen one of the topics, or may have;
    True as well without an included model.
    """
    for topic in topics:
        part = system.for_kind(kind_of(topic))
        try:
            model = load_model(part)
        except ModelError:
            return True
        if model is not None and has_seen(model.topics, topic) is not False:
            return True
    return False


def held_out(
    system: System,
    topics: Sequence[Topic],
    folds: int,
    *,
    words: int,
    options: Mapping[str, Any],
    work: Work,
) -> HeldOut:
    """Train a system once for each fold of the topics, on those of the other folds. A system with a
    file of scores is only trained for the weights of concepts.

    Args:
        system: a system with a model; one with `kinds` is trained for each kind of the topics.
        topics: the topics, some with gold summaries.
        folds: number of folds, 2 or more; see `fold_by_topic`.
        words: word limit of the summaries, also of those compared in tuning.
        options: fields of `PipelineOptions`.
        work: trains and computes features.

    Raises:
        UsageError: the system has no model to train and no file of scores, or there are too few
            topics.
    """
    if not system.learns and not any(part.scores for part in system.parts):
        raise UsageError(f"the system {system.name} has no model to train; leave out --folds")
    fold_of = fold_by_topic(topics, folds)
    of_kinds: defaultdict[Kind | None, list[Topic]] = defaultdict(list)
    for topic in topics:
        of_kinds[system.own_kind(kind_of(topic))].append(topic)
    pipelines: dict[Kind | None, Sequence[Pipeline]] = {}
    for kind, of_kind in of_kinds.items():
        part = system.for_kind(kind) if kind else system
        if not part.needs_model():
            pipelines[kind] = [QuestionPipeline(part, kind=kind, **options)] * folds
            continue
        shown = work.progress(of_kind, "features and targets")
        examples, _ = prepare(part, shown, engine=work.engine)
        models = fit_folds(
            part,
            {example.topic: example for example in examples},
            fold_of,
            words=words,
            work=work,
        )
        pipelines[kind] = [QuestionPipeline(part, model, kind=kind, **options) for model in models]
    return HeldOut(system, pipelines, fold_of)
