"""Runs one system: from topic to summary through candidates, features, relevance, selection and
text.
"""

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import msgspec
import numpy as np

from features.answers import asks_for_number
from features.arrays import Floats
from features.concepts import concepts
from features.context import Context
from features.sets import feature_set
from ilpsum.errors import UsageError, counted
from ilpsum.learning.models import ModelMetadata, SystemModel
from ilpsum.learning.seen import SETTINGS, has_chosen, has_seen
from ilpsum.papers.printed import clean
from ilpsum.pipeline import objective as steps
from ilpsum.pipeline import text
from ilpsum.pipeline.candidates import bounded, candidates, context
from ilpsum.pipeline.coherence.rules import REPEATS, Stage, discounted, first_stage
from ilpsum.pipeline.explanation import emptiness, feature_values, left_out, reasons
from ilpsum.pipeline.objective import FULL, Prepared
from ilpsum.pipeline.options import PipelineOptions
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.system import TRAINED_FOR, Kind, System, kind_of, vectors_of
from ilpsum.records import Sentence, Summary, Topic
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
REFUSED = Selection((), "refused", "", "")

TUNED = "tuned in training"
"""The origin of settings that training tuned."""

# Precomputed candidates of a topic, their context and raw features.
CandidateFeatures = tuple[tuple[Sentence, ...], Context, Floats]


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
        if system.relevance and model is None:
            raise UsageError(f"the system {system.name} needs a model")
        self.model, self.kind = model, kind
        self.options, self.selector = PipelineOptions(**options), system.selector
        self.system = system = _with_tuned(system, model, self.options)
        own = system.selection
        self.lambda_, self.threshold, self.word_cost = own.lambda_, own.threshold, own.word_cost
        self.labels = text.LABELS if system.order.labels and not self.selector.copies else ()
        if system.order.by == "facet" and self.options.facets is None:
            raise UsageError(
                f"the system {system.name} orders by facet; pass the option "
                "facets=ilpsum.task1.labels.facets_of"
            )
        self.stop = own.stop if self.options.may_stop_early else 0.0
        self._selector_settings = SelectorSettings(
            self.threshold,
            self.options.seed,
            self.options.solver,
            self.options.limits,
            system.parameters_of(system.selection.method),
        )

    def __call__(self, topic: Topic, words: int = 250) -> Summary:
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
        return self.summary(*self.fill(prepared, self.select(prepared, words), words), words)

    def prepare(
        self, topic: Topic, known: CandidateFeatures | None = None, *, words: int = 250
    ) -> Prepared:
        """Return a topic's candidates with everything needed for selection.

        Candidates, context and raw features are computed unless `known`. The word limit matters
        only for selectors that supply their own candidates.
        """
        start = perf_counter()
        topic, (found, around, features) = (
            (topic, known) if known else self._candidates(topic, words)
        )
        featured = perf_counter()
        if self.model:
            features = self.model.relevance.extended(features, around.sentences)
            found = self._predicted(topic, found, around, self.model.predict(features, around))
        if self.options.question:
            topic = self.options.question.decide(topic, found, around, self.model is not None)
        if self.options.facets and self.system.order.by == "facet":
            facets = self.options.facets(topic, found)
            found = tuple(replace(s, facet=name) for s, name in zip(found, facets, strict=True))
        found = discounted(topic, found, self.system.selection.discount)
        predicted = perf_counter()
        stage = self._stage(topic, found, self.system.coherence)
        repeats = [*stage.excluded_by.values()].count(REPEATS)
        warnings = self._unfit(topic)
        if repeats:
            left_out = counted(repeats, "sentence")
            warnings += (f"{left_out} left out, each a repeat of several more relevant ones",)
        prepared = Prepared(
            replace(topic, warnings=(*topic.warnings, *warnings)),
            found,
            around,
            features,
            (stage,),
            *self.options.format_limits.lengths([s.text for s in found], self.labels),
            seconds={"features": featured - start, "relevance": predicted - featured},
        )
        return self._weighted(prepared)

    def _candidates(self, topic: Topic, words: int) -> tuple[Topic, CandidateFeatures]:
        """Return a topic's candidates with their context and raw features; the topic is warned if
        they are too many.
        """
        limits, options = self.options.format_limits, self.system.relevance
        own = self.selector.candidates(topic, words, limits.holds)
        every = candidates(topic, self.system.candidates) if own is None else own
        if own and limits.allows:
            every = tuple(s for s in own if clean(s.text))
        found = bounded(every)
        if len(found) < len(every):
            warning = (
                f"{counted(len(every), 'sentence')}: only {len(found)}, the first of each "
                "document, are candidates"
            )
            topic = replace(topic, warnings=(*topic.warnings, warning))
        around = context(topic, found, vectors_of(options) if options else None)
        features = np.zeros((len(found), 0))
        if options:
            features = feature_set(options.features).matrix(around)
        return topic, (found, around, features)

    def _predicted(
        self, topic: Topic, found: Sequence[Sentence], around: Context, predicted: Floats
    ) -> tuple[Sentence, ...]:
        """Return the candidates with their relevance and, for questions, the probability that each
        answers.
        """
        question, table, held = (
            self.options.question,
            self.system.relevance,
            list[float | None]([None] * len(found)),
        )
        if question and table:
            predicted = question.weigh(topic.query, predicted, around, table.claims)
            if self.system.order.by == "answer":
                held = [*question.open(topic.query, predicted, around)]
        known = zip(found, predicted.tolist(), held, strict=True)
        return tuple(s.predicted(value, p) for s, value, p in known)

    def _unfit(self, topic: Topic) -> tuple[str, ...]:
        """Return a warning if the model was trained on another kind of topic."""
        trained, kind = self.model.metadata.kind if self.model else "", kind_of(topic)
        if not trained or not topic.documents or trained in (kind, TRAINED_FOR.get(kind)):
            return ()
        for_kind = f"the model is for topics of the kind {trained}"
        return (AnotherKind(f"{for_kind}, this topic is of the kind {kind}"),)

    def _weighted(self, prepared: Prepared) -> Prepared:
        """Add the learned weights of concepts, if the system uses them."""
        model, own, around, relevance = (
            self.model,
            self.system.selection,
            prepared.context,
            prepared.relevance,
        )
        if model is None or model.weights is None or own.weights != "learned":
            return prepared
        known = concepts(
            around, steps.alphas(relevance, "topic"), own.concepts, order=model.weights.order
        )
        values = model.weights.predict(known.matrix)
        weights = dict(zip(known.names, values.tolist(), strict=True))
        return replace(prepared, weights=weights)

    def select(self, prepared: Prepared, words: int) -> Selection:
        """Return the selection among prepared candidates under a word limit, with the solved
        problem.

        The selection is empty if the candidates do not answer the question.
        """
        if prepared.refused:
            return REFUSED
        pool = self._pool(prepared, self.problem(prepared, words))
        selection = self.selector.select(pool, self._selector_settings)
        return replace(self._never_empty(pool.problem, selection), problem=pool.problem)

    def fill(
        self, prepared: Prepared, selection: Selection, words: int
    ) -> tuple[Prepared, Selection]:
        """Fill words that the coherence rules leave unused, relaxing the rules in `relax` one by
        one.

        Chosen sentences stay. Returns the candidates, with one more stage per relaxed rule, and the
        last selection, which is optimal under the last stage. If words have a cost or may stay
        unused, or the selector is not exact, rules are relaxed only if nothing was chosen.
        """
        if prepared.refused:
            return prepared, selection
        fills = self.selector.is_exact and not (self.word_cost or self.stop)
        full = FULL * (words - len(self.labels)) if fills else 1
        table, added = self.system.coherence, dict.fromkeys(selection.chosen, "")
        for rule in table.relax:
            table = msgspec.structs.replace(table, **{rule: False})
            if sum(prepared.sentences[i].words for i in added) >= full:
                break
            stage = self._stage(prepared.topic, prepared.sentences, table).after(added, rule)
            prepared = replace(prepared, stages=(*prepared.stages, stage))
            selection = self.select(prepared, words).after(selection)
            added = dict.fromkeys(selection.chosen, rule) | added
        return prepared, selection

    def steered(self, prepared: Prepared, keep: Sequence[int], barred: Sequence[int]) -> Prepared:
        """Return the candidates with those marked that the reader keeps and bars, by index.

        The least relevance of an answer that may end early is that of the candidates left.
        """
        stages = prepared.stages
        if barred and self.stop:
            table = self.system.coherence
            stages = (self._stage(prepared.topic, prepared.sentences, table, barred),)
        return replace(prepared, keep=tuple(keep), bar=tuple(barred), stages=stages)

    def _stage(
        self,
        topic: Topic,
        sentences: Sequence[Sentence],
        table: CoherenceTable,
        barred: Sequence[int] = (),
    ) -> Stage:
        allows = self.options.format_limits.allows
        return first_stage(topic, sentences, table, allows, self.stop, barred)

    def problem(self, prepared: Prepared, words: int) -> Problem:
        """Return the problem of a topic under a word limit: the objective, if the selector has one,
        plus all steps.
        """
        own, around, relevance = self.system.selection, prepared.context, prepared.relevance
        words -= len(self.labels)
        lengths, has_objective = [s.words for s in prepared.sentences], self.selector.has_objective
        if has_objective:
            given, weights = (relevance, lengths, around, words), prepared.weights
            problem = steps.ilp_problem(*given, alpha=own.alpha, kind=own.concepts, weights=weights)
            problem = steps.named(problem.at(self.lambda_), around, relevance.tolist(), own.lists)
        else:
            problem = Problem.build([()] * len(lengths), lengths, [0.0] * len(lengths), words)
        problem = steps.limited(
            problem, prepared.lengths, prepared.most, self.options.format_limits.sentences
        )
        keep = *prepared.stage.kept, *prepared.keep
        problem = steps.ruled(problem, prepared.stage.rules, keep, prepared.bar)
        if not has_objective:
            return problem
        problem = steps.led(problem, own.lead)
        return steps.priced(problem, self.word_cost)

    def _pool(self, prepared: Prepared, problem: Problem) -> Pool:
        return Pool(
            prepared.topic,
            prepared.sentences,
            prepared.context.sentences,
            problem,
            stems=self.system.selection.stems,
            staged=bool(prepared.stage.relaxed),
            embeddings=self.system.load_embeddings() if self.selector.needs_embeddings else None,
        )

    def with_options(self, **options: Any) -> "Pipeline":
        """Return a pipeline with some options changed that shares system and model; errors as for
        the class.
        """
        return Pipeline(
            self.system, self.model, kind=self.kind, **{**vars(self.options), **options}
        )

    def solve(self, problem: Problem) -> Selection:
        """Solve a topic's problem by a selector with an objective.

        The selection has at least one sentence if any is allowed, whatever the word cost.
        """
        return self._never_empty(problem, self._solve(problem))

    def _solve(self, problem: Problem) -> Selection:
        return self.system.tuner.solve(problem, self._selector_settings)

    def _never_empty(self, problem: Problem, selection: Selection) -> Selection:
        emptied = self.selector.has_objective and self.word_cost and not selection.chosen
        return steps.least_loss(problem, selection) if emptied else selection

    def arrange(
        self, prepared: Prepared, chosen: Sequence[int], sentences: Sequence[Sentence]
    ) -> tuple[Sentence, ...]:
        """Return the chosen sentences in the order of the text; `chosen` has their ascending
        indices.

        `sentences` are the chosen candidates, which may have explanations added.
        """
        if self.selector.copies:
            return tuple(sentences)
        numbers = asks_for_number(prepared.topic.query)
        return text.arrange(
            sentences, self.system.order.by, chosen, prepared.stage.rules, numbers=numbers
        )

    def summary(self, prepared: Prepared, selection: Selection, words: int) -> Summary:
        """Return the summary of a selection by `select`, with its explanation and proof."""
        prepared, selection = self._reviewed(prepared, selection)
        found, problem = prepared.sentences, selection.problem
        chosen, why = [found[i] for i in selection.chosen], dict[int, str]()
        if self.options.explained:
            why = self.reasons(prepared, selection)
            features = feature_values(self.model, prepared, selection.chosen)
            chosen = [
                replace(s, why=why[i], features=features[i])
                for i, s in zip(why, chosen, strict=True)
            ]
        sentences = self.arrange(prepared, selection.chosen, chosen)
        if self.model and self.options.explained and problem:
            pool = self._pool(prepared, problem)
            why |= left_out(
                prepared, pool, selection.chosen, sentences, self.selector, self._selector_settings
            )
        warnings = [*prepared.topic.warnings, *selection.warnings]
        warnings += emptiness(prepared.topic) if not found else ()
        program = None
        if problem and self.selector.has_objective and self.selector.is_exact:
            stages = [stage.rules for stage in prepared.stages]
            program = steps.program_of(problem, stages, learned=prepared.weights is not None)
        return Summary(
            topic=prepared.topic.id,
            sentences=sentences,
            text=text.printed(sentences, labels=bool(self.labels)),
            candidates=tuple(
                replace(s, why=why[i]) if i in why else s for i, s in enumerate(found)
            ),
            chosen=selection.chosen,
            system=self.system.name,
            objective=selection.objective,
            bound=selection.bound,
            gap=selection.gap,
            status=selection.status,
            nodes=selection.nodes,
            settings=self.settings(words),
            question=prepared.topic.written or prepared.topic.query,
            search=prepared.topic.search,
            program=program,
            publications=text.publications_of(prepared.topic),
            seconds={
                **prepared.seconds,
                "building": selection.seconds_build,
                "solving": selection.seconds_solve,
            },
            warnings=tuple(warnings),
            seen=self.seen(prepared.topic),
        )

    def seen(self, topic: Topic) -> dict[str, bool | None]:
        """Return whether a topic was in the training of each model that it uses, by name, and, as
        `SETTINGS`, whether it chose the settings.
        """
        seen = dict[str, bool | None]()
        if self.system.chosen_on:
            seen[SETTINGS] = has_chosen(self.system.chosen_on, topic)
        if self.model is None:
            return seen
        name = self.model.name or self.model.metadata.system
        seen[name] = has_seen(self.model.topics, topic)
        if self.options.question and topic.search:
            seen |= self.options.question.seen(topic)
        return seen

    def _reviewed(self, prepared: Prepared, selection: Selection) -> tuple[Prepared, Selection]:
        """Add doubts about the answer, and withdraw it if it is none, unless it is the reader's or
        a baseline's.
        """
        search, question = prepared.topic.search, self.options.question
        if not search or not question or prepared.refused:
            return prepared, selection
        wanted = bool(prepared.keep or prepared.bar or not self.model)
        search = question.review(
            search, prepared.context, prepared.sentences, selection.chosen, wanted
        )
        doubts = (search.doubt,) if search.doubt else ()
        topic = replace(prepared.topic, search=search, warnings=(*prepared.topic.warnings, *doubts))
        prepared = replace(prepared, topic=topic)
        return prepared, REFUSED if prepared.refused else selection

    def reasons(self, prepared: Prepared, selection: Selection) -> dict[int, str]:
        """Return the reason for each selected sentence, by candidate index."""
        own = {i: s.why for i in selection.chosen if (s := prepared.sentences[i]).why}
        if own:
            return own
        kind, stage, problem = self.system.selection.concepts, prepared.stage, selection.problem
        why = reasons(prepared, selection, kind=kind, predicted=self.model is not None)
        for i, rule in (dict.fromkeys(selection.chosen, stage.relaxed) | dict(stage.kept)).items():
            why[i] += [f"added after the rule {rule} was relaxed"] if rule else []
        if problem and self.selector.has_objective:
            first = steps.led(replace(problem, include=()), self.system.selection.lead).include
            for i in {*first}.intersection(selection.chosen).difference(prepared.keep):
                why[i].append("one of the first sentences, which are kept")
        return {i: "; ".join(parts) for i, parts in why.items()}

    def settings(self, words: int) -> RunSettings:
        """Return the settings of a summary with this word limit; a run adds its own
        (`ilpsum.runs.settings`).
        """
        system, selector, options, model = self.system, self.selector, self.options, self.model
        solver = SolverSettings()
        if selector.is_exact:
            formulation, limits = SOLVERS[options.solver].formulation, options.limits
            solver = SolverSettings(options.solver, formulation, limits.nodes, limits.seconds)
        threshold = self.threshold if selector.tunes == "threshold" else None
        seed = options.seed if selector.is_random else None
        metadata = model.metadata if model else ModelMetadata()
        return RunSettings(
            words=words,
            system=SystemSettings(
                name=system.name,
                kind=self.kind or "",
                method=system.selection.method,
                threshold=threshold,
                seed=seed,
                parameters=msgspec.to_builtins(self._selector_settings.parameters),
                fold=metadata.fold,
                model=metadata.digest,
            ),
            objective=ObjectiveSettings(self.lambda_ if selector.has_objective else None),
            text=TextSettings(system.order.by, bool(self.labels)),
            candidates=system.candidates,
            relevance=system.relevance,
            selection=system.selection,
            coherence=system.coherence,
            order=system.order,
            solver=solver,
            origins=dict(self.system.origins),
        )


def _with_tuned(system: System, model: SystemModel | None, options: PipelineOptions) -> System:
    """Return a system with the values that count: an option's before what is written, that before
    what training tuned.
    """
    tuned = model.tuned(system.recipe) if model else {}
    keys = {name: f"selection.{name.rstrip('_')}" for name in (*tuned, "lambda_", "threshold")}
    new = {keys[name]: value for name, value in tuned.items() if not system.writes(keys[name])}
    given = {keys[name]: getattr(options, name) for name in ("lambda_", "threshold")}
    given = {key: value for key, value in given.items() if value is not None}
    return with_settings(with_settings(system, new, TUNED), given)
