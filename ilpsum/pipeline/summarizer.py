"""The whole main job: a topic in, its summary out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
import numpy as np

from features.arrays import Floats
from features.concepts import bigrams_of, concepts
from features.context import Context
from ilpsum import resources
from ilpsum.errors import ModelError, SolverError, UsageError
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline import baselines as baselines
from ilpsum.pipeline import ordering, variants
from ilpsum.pipeline.candidates import candidates, context
from ilpsum.pipeline.coherence import Constraints, Room, constraints
from ilpsum.pipeline.explanation import reasons
from ilpsum.pipeline.system import CoherenceTable, OrderTable, System
from ilpsum.records import FeatureValue, Sentence, Summary, Topic
from ilpsum.selection import Limits, Problem, Selection, greedy, require, select


class Summarizer:
    """A system with its model, ready to summarise topics one by one.

    Args:
        system: what is a candidate, how relevance is predicted, how sentences are selected.
        model: the trained model of the system; None for the yardsticks, which need none.
        lambda_: overrides the lambda of the system, or the one its training found.
        solver: what solves the ILP, a name of `ilpsum.selection.SOLVERS`.
        formulation: the ILP as published (`paper`) or the same optimum fast (`compact`).
        limits: when to give up the proof of an optimum.
        fallback: where the solver is missing or fails, take sentences greedily, and say so in the summary's remarks.
        seed: of what is random, which is only the yardstick `random`.
        room: what the format of the run has room for, beside the limit in words.

    Raises:
        UsageError: a lambda outside [0,1], no model for a system that needs one, or a solver that the formulation does
            not use.
        UnknownNameError: no such formulation or solver.
        SolverError: the solver is not installed, and no `fallback` is wanted.
    """

    def __init__(
        self,
        system: System,
        model: SystemModel | None = None,
        *,
        lambda_: float | None = None,
        solver: str = "highs",
        formulation: str = "compact",
        limits: Limits | None = None,
        fallback: bool = False,
        seed: int = 1,
        room: Room | None = None,
    ) -> None:
        if lambda_ is not None and not 0.0 <= lambda_ <= 1.0:
            raise UsageError(f"lambda is {lambda_}; expected a number from 0 to 1")
        # What cannot be solved with is told before any work is done.
        try:
            require(formulation, solver)
        except SolverError:
            if not fallback:
                raise
        if system.relevance and model is None:
            raise UsageError(f"the system {system.name} needs a model")
        if system.compression and system.coherence.references:
            # A shortened sentence is none that another one could follow.
            raise UsageError(
                "the rule of coherence `references` does not go with compression; name the others "
                "(--coherence statements,focus,duplicates) or leave compression out"
            )
        self.system, self.model = system, model
        self.solver, self.formulation, self.limits = solver, formulation, limits
        self.fallback, self.seed, self.room = fallback, seed, room
        options = system.selection
        tuned = model.lambda_ if model and options.tune else None
        self.lambda_ = next(x for x in (lambda_, tuned, options.lambda_) if x is not None)
        cost = model.word_cost if model and options.tune_word_cost else None
        self.word_cost = options.word_cost if cost is None else cost

    @classmethod
    def load(
        cls, system: str | Path | System, model: str | Path | None = None, *, kind: str = "abstracts", **options: Any
    ) -> "Summarizer":
        """A system by name or .toml file, with the model that ships for it or one of your own.

        Args:
            system: the name, the file, or the system itself.
            model: a model file written by `ilpsum train`; None for a shipped one.
            kind: what the topics are, of `ilpsum.learning.models.KINDS`: where a model ships that was trained on such
                (`NAME-papers`, say), it is taken before the one that serves all (`NAME`).
            options: as of the class.

        Raises:
            UsageError: no such system.
            ModelError: no model ships for the system, or the file does not fit it.
        """
        if not isinstance(system, System):
            system = System.load(system)
        if system.relevance is None:
            return cls(system, **options)
        shipped = _shipped(system.model or system.name, kind)
        if model is None and shipped is None:
            raise ModelError(
                f"no model ships for the system {system.name!r}; train one with `ilpsum train TOPICS --system "
                f"{system.name} --out MODEL`, then hand it over with --model MODEL"
            )
        columns = system.relevance.feature_set.columns
        trained = SystemModel.load(model or shipped or "", columns, concepts=system.concepts is not None)
        return cls(system, trained, **options)

    def __call__(self, topic: Topic, words: int = 250) -> Summary:
        """Summarises a topic in at most so many words, as `str.split` counts them.

        Raises:
            SolverError: the solver is not there or failed.
            UsageError: a limit below one word, or the oracle was asked about a topic without gold.
        """
        if words < 1:
            raise UsageError(f"a limit of {words} words leaves no room for a summary: give 1 or more")
        clock = [perf_counter()]
        found = candidates(topic, self.system.candidates)
        options = self.system.relevance
        around = context(topic, found, options.load_embeddings() if options else None)
        raw = options.feature_set.matrix(around) if options else np.zeros((len(found), 0))
        clock.append(perf_counter())
        relevance = np.zeros(len(found))
        if self.model:
            raw = self.model.relevance.read(raw, around.sentences)
            relevance = self.model.relevance.predict(raw)
        found = tuple(replace(s, relevance=float(r)) for s, r in zip(found, relevance, strict=True))
        clock.append(perf_counter())
        if self.system.selection.method == "lead":
            return self._lead(topic, words)
        found, around, raw = self.with_variants(found, around, raw)
        clock.append(perf_counter())
        limit = words - ordering.words_for_labels(self.system.order)
        kept = self.constraints(topic, found, around)
        selection = self.select(topic, found, around, limit, kept)
        return self._summary(topic, words, found, around, raw, selection, kept, clock)

    def with_variants(
        self, found: tuple[Sentence, ...], around: Context, raw: Floats
    ) -> tuple[tuple[Sentence, ...], Context, Floats]:
        """The candidates, whose relevance is known, with their shortened forms where the system compresses.

        Args:
            found: the n candidates.
            around: their context.
            raw: (n, columns) their features.
        """
        if not self.system.compression or not self.system.relevance or not self.model:
            return found, around, raw
        features = self.system.relevance.feature_set
        return variants.with_variants(found, around, raw, self.system.compression, features, self.model.relevance)

    def constraints(self, topic: Topic, found: Sequence[Sentence], around: Context) -> Constraints:
        """What the system's rules of coherence, and the format, ask of a selection."""
        return constraints(topic, found, around, self.system.coherence, self.room)

    def select(
        self,
        topic: Topic,
        found: Sequence[Sentence],
        around: Context,
        words: int,
        kept: Constraints | None = None,
    ) -> Selection:
        """The selection among candidates whose relevance is known already.

        Args:
            topic: the topic, of which only the oracle asks for more than its candidates.
            found: the n candidates with their predicted relevance.
            around: their context.
            words: the word limit.
            kept: what the selection must keep; None for what `constraints` says.
        """
        options = self.system.selection
        lengths = [s.words for s in found]
        if options.method == "random":
            return baselines.random_order(found, words, self.seed)
        if options.method == "oracle":
            return baselines.oracle(topic, around.sentences, lengths, words, stems=options.stems)
        if options.method == "greedy":
            kept = self.constraints(topic, found, around) if kept is None else kept
            relevance, bags = [s.relevance for s in found], [s.words for s in around.sentences]
            allowed, groups = kept.allowed(len(found)), variants.groups(found)
            return greedy(relevance, lengths, bags, words, options.threshold, allowed, groups)
        return self.solve(self.problem(topic, found, around, words, kept))

    def problem(
        self,
        topic: Topic,
        found: Sequence[Sentence],
        around: Context,
        words: int,
        kept: Constraints | None = None,
    ) -> Problem:
        """The ILP of a topic; the arguments are those of `select`."""
        problem = ilp_problem(
            np.array([s.relevance for s in found]),
            [s.words for s in found],
            around,
            words,
            alpha=self.system.selection.alpha,
            stems=self.system.selection.stems,
            weights=self.concept_weights(found, around),
            groups=variants.groups(found),
        )
        kept = self.constraints(topic, found, around) if kept is None else kept
        return kept.apply(replace(problem, lambda_=self.lambda_, word_cost=self.word_cost / words))

    def solve(self, problem: Problem) -> Selection:
        """The optimum of a topic's ILP; at least one sentence, whatever words cost, where one may be chosen."""
        selection = select(
            problem, formulation=self.formulation, solver=self.solver, limits=self.limits, fallback=self.fallback
        )
        return selection if selection.chosen or not self.word_cost else least_loss(problem, selection)

    def concept_weights(self, found: Sequence[Sentence], around: Context) -> dict[tuple[str, str], float] | None:
        """The learned weight of each bigram of the whole candidates; None where the system counts each alike.

        Args:
            found: the n candidates with their predicted relevance.
            around: their context.
        """
        if self.model is None or self.model.concepts is None or self.system.concepts is None:
            return None
        rows = variants.whole(found)
        relevance = np.array([found[i].relevance for i in rows])
        around, order = variants.at_rows(around, rows), self.model.concepts.order
        known = concepts(around, alphas(relevance, "topic"), stems=self.system.selection.stems, order=order)
        return dict(zip(known.bigrams, self.model.concepts.predict(known.matrix).tolist(), strict=True))

    def details(self, words: int) -> dict[str, Any]:
        """What a run must say of how it was made: the settings that a summary's details have, by name."""
        method = self.system.selection.method
        details: dict[str, Any] = {"method": method, "words": words}
        if method == "ilp":
            details |= {"lambda": self.lambda_, "formulation": self.formulation, "solver": self.solver}
            details |= {"alpha": self.system.selection.alpha, "concepts": self.system.selection.concepts}
            details |= {"word_cost": self.word_cost} if self.word_cost else {}
        elif method == "greedy":
            details["threshold"] = self.system.selection.threshold
        elif method == "random":
            details["seed"] = self.seed
        if self.system.coherence != CoherenceTable():
            details["coherence"] = msgspec.to_builtins(self.system.coherence)
        if self.system.order != OrderTable():
            details["order"] = self.system.order.by
        if self.system.compression:
            details["compression"] = list(self.system.compression.rules)
        if self.model and self.system.relevance:
            details |= {"features": self.system.relevance.features, "model": self.model.metadata.get("digest", "")}
        return details

    def _lead(self, topic: Topic, words: int) -> Summary:
        sentence = baselines.lead(topic, words)
        found = (sentence,) if sentence else ()
        return Summary(
            topic=topic.id,
            sentences=found,
            text=sentence.text if sentence else "",
            candidates=found,
            chosen=tuple(range(len(found))),
            system=self.system.name,
            details=self.details(words),
            warnings=topic.warnings if found else (*topic.warnings, "no document: the answer is empty"),
        )

    def _summary(
        self,
        topic: Topic,
        words: int,
        found: tuple[Sentence, ...],
        around: Context,
        raw: Floats,
        selection: Selection,
        kept: Constraints,
        clock: Sequence[float],
    ) -> Summary:
        weights = self.concept_weights(found, around)
        told = reasons(
            found, around, selection, weights, stems=self.system.selection.stems, predicted=self.model is not None
        )
        whole = raw[variants.whole(found)]
        explained = [replace(found[i], why=why, features=self._features_of(raw, i, whole)) for i, why in told.items()]
        joined = [place for place, i in enumerate(told) if kept.before.get(i) in told]
        explained = [
            s if n in joined else kept.alone(i, s) for n, (i, s) in enumerate(zip(told, explained, strict=True))
        ]
        dates = {document.id: document.date for document in topic.documents}
        sentences = ordering.arrange(explained, self.system.order, joined=joined, dates=dates)
        warnings = [*topic.warnings, *selection.warnings]
        if not found:
            warnings.append("no document with prose: the answer is empty")
        return Summary(
            topic=topic.id,
            sentences=sentences,
            text=ordering.render(sentences, self.system.order),
            candidates=found,
            chosen=selection.chosen,
            system=self.system.name,
            objective=selection.objective,
            bound=selection.bound,
            gap=selection.gap,
            details=self.details(words) | {"status": selection.status, "nodes": selection.nodes},
            seconds={
                "features": clock[1] - clock[0],
                "relevance": clock[2] - clock[1],
                **({"compressing": clock[3] - clock[2]} if self.system.compression else {}),
                "building": selection.seconds_build,
                "solving": selection.seconds_solve,
            },
            warnings=tuple(warnings),
        )

    def _features_of(self, raw: Floats, i: int, whole: Floats) -> tuple[FeatureValue, ...]:
        """The raw features of a candidate, each with its rank among those of the whole sentences."""
        columns = self.model.relevance.columns if self.model else ()
        ranks = 1 + (whole > raw[i]).sum(axis=0)
        values = zip(columns, raw[i].tolist(), ranks.tolist(), strict=True)
        return tuple(FeatureValue(name, float(f"{value:.6g}"), rank) for name, value, rank in values)


def _shipped(name: str, kind: str) -> Path | None:
    """The model that ships under a name for a kind of topics; None where there is none."""
    paths = (resources.models() / f"{n}.npz" for n in (f"{name}-{kind}", name))
    return next((path for path in paths if path.exists()), None)


def ilp_problem(
    relevance: Floats,
    lengths: Sequence[int],
    around: Context,
    words: int,
    *,
    alpha: str,
    stems: bool,
    weights: Mapping[tuple[str, str], float] | None = None,
    groups: tuple[tuple[int, ...], ...] = (),
) -> Problem:
    """The ILP of a topic: published, with every bigram at 1/n, or with learned weights.

    Shortened forms of a sentence count as one in n.

    Learned weights are divided by the word limit, as relevance is by equation 1, so that lambda weighs two means over
    the words of a summary, whatever the number of candidates.

    Args:
        relevance: (n,) predictions in the units of the training target.
        lengths: (n,) lengths in words.
        around: the context of the n candidates.
        words: the limit.
        alpha: `clip` or `topic`, see `ilpsum.pipeline.system.SelectionTable`.
        stems: whether bigrams are of stems.
        weights: the weight of each bigram of the candidates; None for the published 1/n. A bigram without a weight,
            which only a cut has made, is worth nothing.
        groups: candidates of which one may be chosen, the forms of a sentence.
    """
    rows = [bigrams_of(s, stems=stems) for s in around.sentences]
    each = 1.0 / max(1, len(rows) - sum(len(forms) - 1 for forms in groups))
    price = (lambda _: each) if weights is None else (lambda bigram: weights.get(bigram, 0.0) / words)
    return Problem.build(rows, lengths, alphas(relevance, alpha), words, price=price, groups=groups)


def least_loss(problem: Problem, selection: Selection) -> Selection:
    """The best set of at least one sentence, where the price of words makes the empty one the best of all.

    It is a single sentence: a concept counts once, so two sets together are worth at most the sum of what each is worth
    alone, and no sentence alone is worth more than nothing. Only what may stand alone is considered.
    """
    alone = [i for i in range(len(problem)) if problem.allows((i,))]
    if not alone:
        return selection
    best = max(alone, key=lambda i: (problem.value((i,)), -int(problem.words[i]), -i))
    value = problem.value((best,))
    warning = "no sentence is worth its words: the one that loses least is the answer"
    return replace(
        selection, chosen=(best,), objective=value, bound=value, gap=0.0, warnings=(*selection.warnings, warning)
    )


def alphas(relevance: Floats, normalisation: str) -> Floats:
    """Predicted relevance as the ILP's a_i in [0,1]: cut off (`clip`) or stretched over the topic (`topic`)."""
    if normalisation == "clip" or not len(relevance):
        clipped: Floats = np.clip(relevance, 0.0, 1.0)
        return clipped
    low, high = float(relevance.min()), float(relevance.max())
    stretched: Floats = (relevance - low) / (high - low) if high > low else np.ones(len(relevance))
    return stretched
