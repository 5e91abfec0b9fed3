"""Topic to summary: candidates, features, relevance, selection, text."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import numpy as np

from features.arrays import Floats
from features.context import Context
from ilpsum.errors import SolverError, UsageError
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline import baselines, loading, ordering, variants
from ilpsum.pipeline.candidates import bounded, candidates, context
from ilpsum.pipeline.coherence import constraints
from ilpsum.pipeline.explanation import emptiness, feature_values, left_out, reasons
from ilpsum.pipeline.filling import fill
from ilpsum.pipeline.limits import FormatLimits
from ilpsum.pipeline.objective import at_best_ratio, ilp_problem, keep_lead, least_loss
from ilpsum.pipeline.prepared import Prepared, concept_weights_of, gold_words_of
from ilpsum.pipeline.programs import program_of
from ilpsum.pipeline.system import KINDS, Kind, System
from ilpsum.records import Program, RunSettings, Sentence, Summary, Topic
from ilpsum.selection import SOLVERS, Limits, Problem, Selection, gain, greedy, require, select

UNFIT = "the model was trained on topics of the kind"


class Summarizer:
    """A system with its model, ready to summarise topics one by one.

    Args:
        system: what is a candidate, how relevance is predicted, how sentences are selected.
        model: the system's trained model; None for baselines, which need none.
        lambda_, threshold: override those of the system or of its training.
        solver: a name of `ilpsum.selection.SOLVERS`.
        limits: when to give up the proof of an optimum.
        fallback: if the solver is missing or fails, select greedily and warn.
        seed: random seed of the baseline `random`.
        format_limits: limits of the run's format, which become constraints.
        facets: returns the facets of a topic's candidates, empty where unknown, for a system whose order is by facet.

    Raises:
        UsageError: a lambda or threshold outside [0,1], or no model for a system that needs one.
        UnknownNameError: an unknown solver.
        SolverError: the solver is not installed (unless `fallback`).
    """

    def __init__(
        self,
        system: System,
        model: SystemModel | None = None,
        *,
        lambda_: float | None = None,
        threshold: float | None = None,
        solver: str = "highs",
        limits: Limits | None = None,
        fallback: bool = False,
        seed: int = 1,
        format_limits: FormatLimits | None = None,
        facets: Callable[[Topic, Sequence[Sentence]], Sequence[str]] | None = None,
    ) -> None:
        for name, value in (("lambda", lambda_), ("threshold", threshold)):
            if value is not None and not 0.0 <= value <= 1.0:
                raise UsageError(f"{name} is {value}; expected a number from 0 to 1")
        # Fail before any work, not at the first topic.
        try:
            require(solver)
        except SolverError:
            if not fallback:
                raise
        if system.relevance and model is None:
            raise UsageError(f"the system {system.name} needs a model")
        if system.compression and system.coherence.anaphora:
            # A compressed sentence cannot be the antecedent of the next one.
            remedy = "name other rules (--coherence statements,titles,redundancy) or leave out --compress"
            raise UsageError(f"the coherence rule `anaphora` excludes compression; {remedy}")
        self.system, self.model = system, model
        self.solver, self.limits = solver, limits or Limits()
        self.fallback, self.seed, self.format_limits = fallback, seed, format_limits or FormatLimits()
        self.facets = facets if system.order.by == "facet" else None
        options, recipe = system.selection, system.recipe
        tuned = model.lambda_ if model and recipe.tune else None
        self.lambda_ = next(x for x in (lambda_, tuned, options.lambda_) if x is not None)
        best = model.threshold if model and recipe.tune_threshold else None
        self.threshold = next(x for x in (threshold, best, options.threshold) if x is not None)
        cost = model.word_cost if model and recipe.tune_word_cost else None
        self.maximises_f1 = options.maximise == "f1" and model is not None and model.length is not None
        self.word_cost = 0.0 if self.maximises_f1 else options.word_cost if cost is None else cost
        self.kind: Kind | Literal[""] = ""
        self._load_kind: partial[Summarizer] | None = None
        self._kinds: dict[Kind, Summarizer] = {}
        self._known: tuple[Kind, ...] = KINDS
        self._built: tuple[Prepared, int, Problem] | None = None

    @classmethod
    def load(cls, system: str | Path | System, model: str | Path | None = None, **options: Any) -> "Summarizer":
        """Load a system by name or .toml file, with the model that ships for it or one of your own.

        If the system has one for each kind of topic, the kind is inferred from each topic, and a model is loaded with
        the first topic of its kind. Model files are written by `ilpsum train`; the options are those of the class.

        Raises:
            UsageError: no such system.
            ModelError: no model ships for the system, or the file does not fit it.
        """
        if not isinstance(system, System):
            system = System.load(system)
        if system.kinds is None:
            return cls(system, loading.load_model(system, model), **options)
        kinds = loading.kinds_with(system, model)
        summarizer = cls(system, **options)
        summarizer._known = kinds
        summarizer._load_kind = partial(cls.load, model=model, **options)
        return summarizer

    def for_kind(self, kind: Kind) -> "Summarizer":
        """Return the summarizer of topics of a kind: this one unless its system has one for each kind."""
        if self._load_kind is None:
            return self
        if kind not in self._kinds:
            self._kinds[kind] = self._load_kind(self.system.for_kind(kind))
            self._kinds[kind].kind = kind
        return self._kinds[kind]

    def each_kind(self) -> "tuple[Summarizer, ...]":
        """Return the summarizers of the kinds of topic that have a model: this one unless it has one for each kind."""
        return (self,) if self._load_kind is None else tuple(map(self.for_kind, self._known))

    def _require_one_kind(self) -> None:
        if self._load_kind is not None:
            remedy = "choose it by for_kind(kind)"
            raise UsageError(f"the system {self.system.name} has one for each kind of topic; {remedy}")

    def __call__(self, topic: Topic, words: int = 250) -> Summary:
        """Summarise a topic in at most `words` words, as `str.split` counts them.

        Raises:
            SolverError: the solver is missing or failed.
            UsageError: a limit below one word, or the oracle was given a topic without gold summaries.
        """
        if words < 1:
            raise UsageError(f"a limit of {words} words leaves no room for a summary; give 1 or more")
        if self._load_kind is not None:
            return self.for_kind(loading.kind_of(topic))(topic, words)
        most = self.format_limits.words
        if most is not None and words > most:
            topic = replace(topic, warnings=(*topic.warnings, f"the format allows {most} words, not {words}"))
            words = most
        if self.system.selection.method == "lead":
            return self._lead(topic, words)
        prepared = self.prepare(topic)
        summary = self.summary(*fill(self, prepared, self.select(prepared, words), words), words)
        self._built = None
        return summary

    def unfit(self, topic: Topic) -> str:
        """Return a warning if the model was trained on topics of another kind than this one; else an empty text."""
        trained, kind = self.model.metadata.kind if self.model else "", loading.kind_of(topic)
        if not trained or not topic.documents or trained == kind:
            return ""
        return f"{UNFIT} {trained}, and this one is of the kind {kind}"

    def prepare(self, topic: Topic, known: tuple[tuple[Sentence, ...], Context, Floats] | None = None) -> Prepared:
        """Return a topic's candidates with everything that a selection needs.

        Candidates, context and raw features are computed unless they are given as `known`.
        """
        self._require_one_kind()
        clock = [perf_counter()]
        options = self.system.relevance
        if known is None:
            every = candidates(topic, self.system.candidates)
            found = bounded(every)
            if len(found) < len(every):
                told = f"{len(every)} sentences: only {len(found)}, the first of each document, are candidates"
                topic = replace(topic, warnings=(*topic.warnings, told))
            around = context(topic, found, options.load_embeddings() if options else None)
            features = options.feature_set.matrix(around) if options else np.zeros((len(found), 0))
        else:
            found, around, features = known
        clock.append(perf_counter())
        if self.model:
            features = self.model.relevance.extended(features, around.sentences)
            relevance = self.model.relevance.predict(features).tolist()
            found = tuple(replace(s, relevance=value) for s, value in zip(found, relevance, strict=True))
        if self.facets:
            found = tuple(replace(s, facet=name) for s, name in zip(found, self.facets(topic, found), strict=True))
        clock.append(perf_counter())
        if (compression := self.system.compression) and options and self.model:
            predicted = (options.feature_set, self.model.relevance)
            found, around, features = variants.with_variants(found, around, features, compression, *predicted)
        clock.append(perf_counter())
        seconds = {"features": clock[1] - clock[0], "relevance": clock[2] - clock[1]}
        if compression:
            seconds["compressing"] = clock[3] - clock[2]
        rules = constraints(
            topic, found, self.system.coherence, self.format_limits, ordering.labels_of(self.system.order)
        )
        if unfit := self.unfit(topic):
            topic = replace(topic, warnings=(*topic.warnings, unfit))
        weights = concept_weights_of(self.system, self.model, found, around)
        gold_words = gold_words_of(self.model, found, around, weights, topic.kind) if self.maximises_f1 else None
        return Prepared(topic, found, around, features, weights, gold_words, rules, seconds)

    def select(self, prepared: Prepared, words: int) -> Selection:
        """Return the selection among prepared candidates under a word limit."""
        options = self.system.selection
        limit = words - ordering.words_for_labels(self.system.order)
        lengths = [s.words for s in prepared.sentences]
        rules = prepared.constraints
        if options.method == "random":
            return baselines.random_order(prepared.sentences, limit, self.seed, rules)
        if options.method == "oracle":
            passages = prepared.context.sentences
            return baselines.oracle(prepared.topic, passages, lengths, limit, rules, stems=options.stems)
        if options.method == "greedy":
            return greedy(
                [s.relevance for s in prepared.sentences],
                lengths,
                [s.words for s in prepared.context.sentences],
                limit,
                self.threshold,
                rules.allowed(len(lengths)),
                variants.groups(prepared.sentences),
                rules.fits,
            )
        return self.solve(self.problem(prepared, limit))

    def problem(self, prepared: Prepared, limit: int) -> Problem:
        """Return the ILP of a topic under a word limit; where F1 is maximised, at the price of a word that does it."""
        # The explanation needs the problem that was just solved.
        built = self._built
        if built is None or built[0] is not prepared or built[1] != limit:
            self._built = built = prepared, limit, self._build(prepared, limit)
        return built[2]

    def _build(self, prepared: Prepared, limit: int) -> Problem:
        problem = ilp_problem(
            np.array([s.relevance for s in prepared.sentences]),
            [s.words for s in prepared.sentences],
            prepared.context,
            limit,
            alpha=self.system.selection.alpha,
            kind=self.system.selection.concepts,
            weights=prepared.weights,
            groups=variants.groups(prepared.sentences),
        )
        problem = replace(problem, lambda_=self.lambda_, word_cost=self.word_cost / limit)
        problem = prepared.constraints.apply(problem)
        if prepared.keep or prepared.bar:
            exclude = {*problem.exclude, *prepared.bar} - {*prepared.keep}
            include = (*problem.include, *prepared.keep)
            problem = replace(problem, include=include, exclude=tuple(sorted(exclude)))
        problem = keep_lead(problem, self.system.selection.lead)
        if prepared.gold_words is None:
            return problem
        return at_best_ratio(problem, prepared.gold_words, self._selected)

    def at(self, lambda_: float) -> "Summarizer":
        """Return the same summarizer with another lambda, which shares its model.

        Raises:
            UsageError: a lambda outside [0,1].
        """
        if not 0.0 <= lambda_ <= 1.0:
            raise UsageError(f"lambda is {lambda_}; expected a number from 0 to 1")
        self._require_one_kind()
        other = copy(self)
        other.lambda_, other._built = lambda_, None
        return other

    def solve(self, problem: Problem) -> Selection:
        """Return the optimum of a topic's ILP, or the selection by gain per word.

        It has at least one sentence if any may be chosen, whatever words cost.
        """
        selection = self._selected(problem)
        return selection if selection.chosen or not self.word_cost else least_loss(problem, selection)

    def _selected(self, problem: Problem) -> Selection:
        if self.system.selection.method == "gain":
            return gain(problem)
        return select(problem, solver=self.solver, limits=self.limits, fallback=self.fallback)

    def arrange(self, prepared: Prepared, chosen: Sequence[int], sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
        """Return the chosen sentences in the order of the text, given their ascending indices among the candidates.

        The sentences may say more than the candidates (why they were chosen).
        """
        dates = {document.id: document.date for document in prepared.topic.documents}
        return ordering.arrange_chosen(chosen, sentences, prepared.constraints, self.system.order, dates)

    def summary(self, prepared: Prepared, selection: Selection, words: int) -> Summary:
        """Return the summary of a selection, with its explanation and proof."""
        found, whole = prepared.sentences, prepared.features[variants.whole(prepared.sentences)]
        columns = self.model.relevance.columns if self.model else ()
        why = reasons(prepared, selection, kind=self.system.selection.concepts, predicted=self.model is not None)
        rules, ilp = prepared.constraints, None
        if self.system.selection.has_objective:
            ilp = self.problem(prepared, words - ordering.words_for_labels(self.system.order))
        for i, rule in (dict.fromkeys(selection.chosen, rules.yielded) | dict(rules.filled)).items():
            why[i] += f"; uses words that the rule {rule} had left" if rule else ""
        first = keep_lead(replace(ilp, include=()), self.system.selection.lead).include if ilp else ()
        for i in {*first}.intersection(selection.chosen) - {*prepared.keep}:
            why[i] += "; one of the first sentences, which are kept"
        explained = [
            replace(found[i], why=why[i], features=feature_values(columns, prepared.features[i], whole))
            for i in selection.chosen
        ]
        sentences = self.arrange(prepared, selection.chosen, explained)
        why |= self._left_out(prepared, selection, sentences, words, ilp)
        warnings = [*prepared.topic.warnings, *selection.warnings]
        warnings += emptiness(prepared.topic) if not found else ()
        return Summary(
            topic=prepared.topic.id,
            sentences=sentences,
            text=ordering.render(sentences, self.system.order),
            candidates=tuple(replace(s, why=why[i]) if i in why else s for i, s in enumerate(found)),
            chosen=selection.chosen,
            system=self.system.name,
            objective=selection.objective,
            bound=selection.bound,
            gap=selection.gap,
            status=selection.status,
            nodes=selection.nodes,
            settings=self.settings(words),
            question=prepared.topic.query,
            search=prepared.topic.search,
            program=self._program(prepared, ilp),
            seconds={**prepared.seconds, "building": selection.seconds_build, "solving": selection.seconds_solve},
            warnings=tuple(warnings),
        )

    def _program(self, prepared: Prepared, ilp: Problem | None) -> Program | None:
        """The record of a topic's ILP; where F1 is maximised, it holds for one lambda and one limit only."""
        if ilp is None or self.system.selection.method != "ilp" or self.maximises_f1:
            return None
        return program_of(ilp, prepared.constraints, learned=prepared.weights is not None)

    def _left_out(
        self, prepared: Prepared, selection: Selection, text: Sequence[Sentence], words: int, ilp: Problem | None
    ) -> dict[int, str]:
        """Why the most relevant of the other candidates were left out; empty for a baseline, which predicts none."""
        if self.model is None:
            return {}
        options, limit = self.system.selection, words - ordering.words_for_labels(self.system.order)
        if options.method == "greedy":
            return left_out(prepared, selection, text, limit, threshold=self.threshold)
        return left_out(prepared, selection, text, limit, problem=ilp)

    def settings(self, words: int) -> RunSettings:
        """Return the settings of a summary of this length; a run adds its own (`ilpsum.runs.settings`)."""
        self._require_one_kind()
        system, method = self.system, self.system.selection.method
        ilp, objective = method == "ilp", system.selection.has_objective
        relevance = system.relevance if self.model else None
        return RunSettings(
            system=system.name,
            method=method,
            words=words,
            lambda_=self.lambda_ if objective else None,
            alpha=system.selection.alpha if objective else "",
            concepts=system.selection.concepts if objective else "",
            word_cost=self.word_cost if objective else 0.0,
            maximise="f1" if objective and self.maximises_f1 else "",
            lead=system.selection.lead if objective else 0.0,
            solver=self.solver if ilp else "",
            formulation=SOLVERS[self.solver].formulation if ilp else "",
            threshold=self.threshold if method == "greedy" else None,
            seed=self.seed if method == "random" else None,
            coherence=system.coherence.rules,
            strict=system.coherence.strict,
            overlap=system.coherence.overlap,
            order=system.order.by,
            labels=system.order.labels,
            compression=system.compression.rules if system.compression else (),
            features=relevance.features if relevance else "",
            model=self.model.metadata.digest if relevance and self.model else "",
            kind=self.kind,
        )

    def _lead(self, topic: Topic, words: int) -> Summary:
        sentence = baselines.lead(topic, words, self.format_limits)
        chosen = (sentence,) if sentence else ()
        return Summary(
            topic=topic.id,
            sentences=chosen,
            text=sentence.text if sentence else "",
            candidates=chosen,
            chosen=tuple(range(len(chosen))),
            system=self.system.name,
            status="lead",
            settings=self.settings(words),
            question=topic.query,
            search=topic.search,
            warnings=topic.warnings if chosen else (*topic.warnings, *emptiness(topic)),
        )
