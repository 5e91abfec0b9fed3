"""Runs one system: from topic to summary through candidates, features, relevance, selection and
text.
"""

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, Self

import msgspec
import numpy as np

from features.concepts import concepts
from ilpsum.errors import UsageError, counted
from ilpsum.learning.models import ModelMetadata, SystemModel, chosen_on
from ilpsum.learning.seen import GIVEN, SETTINGS, has_seen
from ilpsum.pipeline import objective as steps
from ilpsum.pipeline import text
from ilpsum.pipeline.coherence.rules import REPEATS, Stage, first_stage
from ilpsum.pipeline.explanation import emptiness, feature_values, left_out, misfit, reasons
from ilpsum.pipeline.objective import FULL, Prepared
from ilpsum.pipeline.options import PipelineOptions
from ilpsum.pipeline.relevance import Candidates, Scores
from ilpsum.pipeline.relevance_step import CandidateFeatures, RelevanceStep
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.system import TRAINED_FOR, Kind, System, kind_of
from ilpsum.records import Program, Sentence, Summary, Topic
from ilpsum.records.notices import AnotherKind
from ilpsum.records.summaries import (
    ObjectiveSettings,
    RunSettings,
    SolverSettings,
    SystemSettings,
    TextSettings,
)
from ilpsum.records.tables import CoherenceTable
from ilpsum.selection import SOLVERS, Pool, Problem, Selection, SelectorSettings

# The empty selection for a question that the candidates do not answer.
REFUSED = Selection(chosen=(), status="refused")

TUNED = "tuned in training"
"""The origin of settings that training tuned."""

# Default word limit of a summary, as in TAC 2014.
WORDS = 250


class Pipeline:
    """A system with its model, ready to summarise topics of one kind.

    `kind` is set if the system is part of a system with `kinds`. For options and their errors see
    `PipelineOptions`.

    Raises:
        UsageError: the system needs a model.
    """

    def __init__(
        self,
        system: System,
        model: SystemModel | None = None,
        *,
        kind: Kind | None = None,
        **options: Any,
    ) -> None:
        self.options = PipelineOptions(**options)
        self.model, self.kind, self.selector = model, kind, system.selector
        self.system = with_tuned(system, model)
        self.relevance = RelevanceStep.of(self.system, model, self.options)
        selection, order = self.system.selection, self.system.order
        if order.by == "facet" and self.options.facets is None:
            raise UsageError(
                f"the system {system.name} orders by facet; pass the option "
                "facets=ilpsum.task1.labels.facets_of"
            )
        self.labels = text.LABELS if order.labels and not self.selector.copies else ()
        self.lambda_ = selection.lambda_
        may_stop = self.options.may_stop_early and self.relevance.in_units
        self.stop = selection.stop if may_stop else 0.0
        self._selector_settings = SelectorSettings(
            threshold=selection.threshold,
            seed=self.options.seed,
            solver=self.options.solver,
            limits=self.options.limits,
            parameters=self.system.parameters_of(selection.method),
        )

    def __call__(self, topic: Topic, words: int = WORDS) -> Summary:
        """Summarise a topic in at most `words` words; see `Summarizer`."""
        if words <= len(self.labels):
            raise UsageError(
                f"a limit of {words} words leaves no room for a summary; give "
                f"{len(self.labels) + 1} or more"
            )
        most = self.options.format_limits.words
        if most is not None and words > most:
            fewer = f"the format allows {most} words, not {words}"
            topic = replace(topic, warnings=(*topic.warnings, fewer))
            words = most
        prepared = self.prepare(topic, words=words)
        return self.summary(*self.fill(prepared, words), words)

    def candidates(self, topic: Topic) -> Candidates:
        """Return a topic's candidates with their relevance; see `Summarizer.candidates`."""
        candidates = self.relevance.candidates(topic, WORDS)
        if self.relevance.scorer is None:
            return candidates.scored(np.full(len(candidates), np.nan))
        return candidates.scored(self.relevance.scores(candidates).relevance)

    def prepare(
        self,
        topic: Topic,
        computed: CandidateFeatures | None = None,
        *,
        words: int = WORDS,
    ) -> Prepared:
        """Return a topic's candidates with everything needed for selection.

        `computed` are candidates, context and raw features, if the caller has them. The word limit
        matters only for selectors that supply their own candidates.
        """
        start = perf_counter()
        candidates = self.relevance.candidates(topic, words, computed)
        if not self.relevance.external:
            _ = candidates.features
        featured = perf_counter()
        candidates, scores = self.estimate(candidates)
        topic, sentences, around = candidates.topic, candidates.sentences, candidates.context
        if self.options.facets and self.system.order.by == "facet":
            facets = self.options.facets(topic, sentences)
            pairs = zip(sentences, facets, strict=True)
            sentences = tuple(replace(s, facet=facet) for s, facet in pairs)
        predicted = perf_counter()
        lengths, most = self.options.format_limits.lengths(candidates.texts, self.labels)
        prepared = Prepared(
            topic,
            sentences,
            around,
            scores,
            lengths=lengths,
            most=most,
            weights=self._weights(candidates),
            seconds={"features": featured - start, "relevance": predicted - featured},
        )
        stage = self._stage(prepared, self.system.coherence)
        warnings = (*topic.warnings, *scores.warnings, *self._unfit(topic), *_repeats(stage))
        return replace(prepared, topic=replace(topic, warnings=warnings), stages=(stage,))

    def estimate(self, candidates: Candidates) -> tuple[Candidates, Scores]:
        """Return the candidates with their relevance, and all scores."""
        scores = self.relevance.scores(candidates)
        return candidates.scored(scores.relevance), scores

    def _unfit(self, topic: Topic) -> tuple[str, ...]:
        """Return a warning if the model was trained on another kind of topic."""
        trained = self.model.metadata.kind if self.model else ""
        kind = kind_of(topic)
        if not trained or not topic.documents or trained in (kind, TRAINED_FOR.get(kind)):
            return ()
        for_kind = f"the model is for topics of the kind {trained}"
        return (AnotherKind(f"{for_kind}, this topic is of the kind {kind}"),)

    def _weights(self, candidates: Candidates) -> steps.Weights | None:
        """Return the learned weights of concepts, if the system uses them.

        They are the model's, from the relevance that it predicts, as in training: relevance from
        elsewhere takes the place of a_i only.
        """
        selection, predicted = self.system.selection, candidates.predicted
        model = self.model.weights if self.model and selection.weights == "learned" else None
        if model is None or predicted is None:
            return None
        importance = steps.alphas(predicted.relevance, "topic")
        bigrams = concepts(candidates.context, importance, selection.concepts, order=model.order)
        return model.of(bigrams)

    def select(
        self,
        prepared: Prepared,
        words: int,
        problem: Problem | None = None,
    ) -> Selection:
        """Return the selection among prepared candidates under a word limit, with the solved
        problem: the given one, by default `problem(prepared, words)`.

        The selection is empty if the candidates do not answer the question. With an objective, it
        has at least one sentence if any is allowed, whatever the word cost.
        """
        if prepared.refused:
            return REFUSED
        if problem is None:
            problem = self.problem(prepared, words)
        pool = self._pool(prepared, problem)
        selection = self.selector.select(pool, self._selector_settings)
        if self.selector.has_objective and self.system.selection.word_cost:
            selection = steps.least_loss(problem, selection)
        return replace(selection, problem=problem)

    def fill(self, prepared: Prepared, words: int) -> tuple[Prepared, Selection]:
        """Select sentences, then fill words that the coherence rules leave unused, relaxing the
        rules in `relax` one by one.

        Chosen sentences stay. If words have a cost or may stay unused, or the selector is not
        exact, rules are relaxed only if nothing was chosen.

        Returns:
            The candidates, with one more stage per relaxed rule, and the last selection, which is
            optimal under the last stage.
        """
        selection = self.select(prepared, words)
        if prepared.refused:
            return prepared, selection
        selects = self.system.selection
        fills = self.selector.is_exact and not (selects.word_cost or self.stop)
        full = FULL * (words - len(self.labels)) if fills else 1
        table, added = self.system.coherence, dict.fromkeys(selection.chosen, "")
        for rule in table.relax:
            table = msgspec.structs.replace(table, **{rule: False})
            if sum(prepared.sentences[i].words for i in added) >= full:
                break
            stage = self._stage(prepared, table).after(added, rule)
            prepared = replace(prepared, stages=(*prepared.stages, stage))
            selection = self.select(prepared, words).after(selection)
            added = dict.fromkeys(selection.chosen, rule) | added
        return prepared, selection

    def constrained(
        self, prepared: Prepared, keep: Sequence[int], barred: Sequence[int]
    ) -> Prepared:
        """Return the candidates with the indices of those that the reader keeps and bars.

        In an answer that may end early, barred candidates do not count towards the least relevance.
        """
        prepared = replace(prepared, keep=tuple(keep), bar=tuple(barred))
        if barred and self.stop:
            stage = self._stage(prepared, self.system.coherence)
            prepared = replace(prepared, stages=(stage,))
        return prepared

    def _stage(self, prepared: Prepared, table: CoherenceTable) -> Stage:
        """Return the constraints of the rules of a table on candidates."""
        return first_stage(
            prepared.topic,
            prepared.sentences,
            table,
            self.options.format_limits.allows,
            self.stop,
            prepared.bar,
            prepared.scores.excluded,
        )

    def problem(self, prepared: Prepared, words: int) -> Problem:
        """Return the problem of a topic under a word limit: the objective, if the selector has one,
        and all steps.
        """
        selects, stage = self.system.selection, prepared.stage
        keep = (*stage.kept, *prepared.keep)
        words -= len(self.labels)
        lengths = [s.words for s in prepared.sentences]
        limits: dict[str, Any] = {
            "second_lengths": prepared.lengths,
            "second_limit": prepared.most,
            "sentence_limit": self.options.format_limits.sentences,
        }
        if not self.selector.has_objective:
            n = len(lengths)
            problem = Problem.build([()] * n, lengths, np.zeros(n), words, **limits)
            return steps.with_rules(problem, stage.rules, keep, prepared.bar)
        relevance = prepared.relevance
        problem = steps.ilp_problem(
            relevance,
            lengths,
            prepared.context,
            words,
            alpha=selects.alpha,
            kind=selects.concepts,
            weights=prepared.weights,
            lambda_=selects.lambda_,
            **limits,
        )
        if not self.relevance.in_units:
            relevance = steps.alphas(relevance, "topic")
        problem = steps.with_names(problem, prepared.context, relevance.tolist(), selects.lists)
        problem = steps.with_rules(problem, stage.rules, keep, prepared.bar)
        problem = steps.with_lead(problem, selects.lead)
        return steps.with_word_cost(problem, selects.word_cost)

    def _pool(self, prepared: Prepared, problem: Problem) -> Pool:
        return Pool(
            prepared.topic,
            prepared.sentences,
            prepared.context.sentences,
            problem,
            stems=self.system.selection.stems,
            staged=bool(prepared.stage.relaxed),
            embeddings=self.system.vectors if self.selector.needs_embeddings else None,
        )

    def with_options(self, *, lambda_: float | None = None, **options: Any) -> Self:
        """Return a pipeline of the same model with another lambda, if any is given, and options;
        errors as for the class.
        """
        values = {} if lambda_ is None else {"selection.lambda": lambda_}
        return type(self)(
            with_settings(self.system, values),
            self.model,
            kind=self.kind,
            **{**vars(self.options), **options},
        )

    def arrange(
        self,
        prepared: Prepared,
        chosen: Sequence[int],
        sentences: Sequence[Sentence],
    ) -> tuple[Sentence, ...]:
        """Return the chosen sentences in the order of the text; `chosen` has their ascending
        indices.

        `sentences` are the chosen candidates, which may have explanations added.
        """
        if self.selector.copies:
            return tuple(sentences)
        return text.arrange(sentences, self.system.order.by, chosen, prepared.stage.rules)

    def summary(self, prepared: Prepared, selection: Selection, words: int) -> Summary:
        """Return the summary of a selection by `select`, with its explanation and proof."""
        topic = prepared.topic
        sentences, candidates = self._explained(prepared, selection)
        seconds = {"building": selection.seconds_build, "solving": selection.seconds_solve}
        warnings = (*topic.warnings, *selection.warnings)
        if not candidates:
            warnings += emptiness(topic)
        elif not sentences and (short := prepared.scores.refusal or misfit(candidates, words)):
            warnings = (*topic.warnings, short)
        return Summary(
            topic=topic.id,
            sentences=sentences,
            text=text.printed(sentences, labels=bool(self.labels)),
            candidates=candidates,
            chosen=selection.chosen,
            system=self.system.name,
            objective=selection.objective,
            bound=selection.bound,
            gap=selection.gap,
            status=selection.status,
            nodes=selection.nodes,
            settings=self.settings(words),
            question=topic.written or topic.query,
            search=topic.search,
            program=self._program(prepared, selection),
            publications=text.publications_of(topic),
            seconds={**prepared.seconds, **seconds},
            warnings=warnings,
            seen=self.seen(topic),
            notes=prepared.scores.notes,
        )

    def _explained(
        self,
        prepared: Prepared,
        selection: Selection,
    ) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
        """Return the sentences of the text, and all candidates, with the reasons why they were
        chosen or left out, unless `explained` is off.
        """
        candidates = prepared.sentences
        if not self.options.explained:
            chosen = [candidates[i] for i in selection.chosen]
            return self.arrange(prepared, selection.chosen, chosen), candidates
        why = self.reasons(prepared, selection)
        features = feature_values(self.model, prepared.scores.inputs, selection.chosen)
        chosen = [
            replace(candidates[i], why=why[i], features=features[i]) for i in selection.chosen
        ]
        sentences = self.arrange(prepared, selection.chosen, chosen)
        if self.relevance.scorer and selection.problem:
            pool = self._pool(prepared, selection.problem)
            settings = self._selector_settings
            why |= left_out(prepared, pool, selection.chosen, sentences, self.selector, settings)
        reasoned = (replace(s, why=why[i]) if i in why else s for i, s in enumerate(candidates))
        return sentences, tuple(reasoned)

    def _program(self, prepared: Prepared, selection: Selection) -> Program | None:
        """Return the last stage's ILP as provenance stores it; None unless the selector solves one
        exactly.
        """
        if not selection.problem or not (self.selector.has_objective and self.selector.is_exact):
            return None
        rules = [stage.rules for stage in prepared.stages]
        return steps.program_of(selection.problem, rules, learned=prepared.weights is not None)

    def seen(self, topic: Topic) -> dict[str, bool | None]:
        """Return, by name, whether the topic was in the training of each model used, and under
        `SETTINGS` whether the system's settings were chosen on it.
        """
        seen = dict[str, bool | None]()
        # The topics of a model do not matter to a baseline, which has none.
        of_model = self.system.chosen_on.startswith("model ")
        if self.system.chosen_on and (self.model is not None or not of_model):
            seen[SETTINGS] = chosen_on(self.system.chosen_on, topic)
        if scorer := self.relevance.external:
            seen[f"{GIVEN}{scorer.name}"] = None
        if self.model is None:
            return seen
        name = self.model.name or self.model.metadata.system
        seen[name] = has_seen(self.model.topics, topic)
        return seen

    def reasons(self, prepared: Prepared, selection: Selection) -> dict[int, str]:
        """Return the reason for each selected sentence, by candidate index."""
        selects, lead = self.system.selection, tuple[int, ...]()
        if selection.problem and self.selector.has_objective:
            free = replace(selection.problem, include=())
            lead = steps.with_lead(free, selects.lead).include
        return reasons(
            prepared,
            selection,
            kind=selects.concepts,
            predicted=self.relevance.scorer is not None,
            lead=lead,
        )

    def settings(self, words: int) -> RunSettings:
        """Return the settings of a summary with this word limit; a run adds its own
        (`ilpsum.runs.run_settings`).
        """
        selector, options, tables = self.selector, self.options, self.system
        metadata = self.model.metadata if self.model else ModelMetadata()
        selects, order = tables.selection, tables.order
        lambda_ = selects.lambda_ if selector.has_objective else None
        system = SystemSettings(
            name=tables.name,
            kind=self.kind or "",
            method=selects.method,
            threshold=selects.threshold if selector.tunes == "threshold" else None,
            seed=options.seed if selector.is_random else None,
            parameters=msgspec.to_builtins(self._selector_settings.parameters),
            fold=metadata.fold,
            model=metadata.digest,
            target=metadata.target,
            relevance=self.relevance.source,
        )
        solver = SolverSettings()
        if selector.is_exact:
            formulation, limits = SOLVERS[options.solver].formulation, options.limits
            solver = SolverSettings(options.solver, formulation, limits.nodes, limits.seconds)
        return RunSettings(
            words=words,
            system=system,
            objective=ObjectiveSettings(lambda_),
            text=TextSettings(order.by, bool(self.labels)),
            candidates=tables.candidates,
            relevance=tables.relevance,
            selection=selects,
            coherence=tables.coherence,
            order=order,
            judge=tables.judge,
            solver=solver,
            origins=tables.origins,
        )


def _repeats(stage: Stage) -> tuple[str, ...]:
    """Return the warning about sentences that are left out because they repeat others."""
    repeats = list(stage.excluded_by.values()).count(REPEATS)
    if not repeats:
        return ()
    sentences = counted(repeats, "sentence")
    return (f"{sentences} left out, each a repeat of several more relevant ones",)


def with_tuned(system: System, model: SystemModel | None) -> System:
    """Return a system with the values that training tuned, unless others are written."""
    tuned = model.tuned(system.recipe) if model else {}
    unwritten = {key: value for key, value in tuned.items() if key not in system.origins}
    return with_settings(system, unwritten, TUNED)
