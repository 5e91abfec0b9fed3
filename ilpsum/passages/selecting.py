"""Selects passages under a budget: measure costs, build and solve the problem, then count the
joined text.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Real

import numpy as np

from ilpsum.answers.steps import Summarizer
from ilpsum.errors import ArgumentError, require_whole
from ilpsum.passages import scoring
from ilpsum.passages.costs import LARGEST, Costs, Count, cost_of, measure, words
from ilpsum.passages.records import Passage, Passages, Sources, Text, sources
from ilpsum.passages.scoring import Candidates, Concepts, Relevance, Reranker
from ilpsum.selection import Limits, Problem, Selection
from ilpsum.selection import select as solve

Predicate = Callable[[Passage], bool]

# What passages tell of their selection.
_PROOF = ("objective", "bound", "gap", "status", "nodes")


def select(
    question: str,
    texts: Iterable[Text],
    budget: float = 300,
    count: Count | None = None,
    *,
    separator: str = " ",
    relevance: Relevance | Reranker | None = None,
    concepts: Concepts | None = None,
    lambda_: float | None = None,
    keep: Predicate | None = None,
    bar: Predicate | None = None,
    per_source: int | None = None,
    system: str | Summarizer = "concepts",
    nodes: int = 100_000,
) -> Passages:
    """Return the best passages of some texts for a question, verbatim, in source order and never
    over a budget.

    **The budget** applies to the joined text: `count(separator.join(p.text for p in passages)) <=
    budget`. Costs need not be additive: the integer program limits the sum of the costs that
    passages add to their predecessors, and is solved again with a lower limit while the joined text
    exceeds the budget. Objective, bound and gap refer to the last program, whose limit is
    `Passages.limit`.

    **The score** is by default computed by the system `concepts`, whose model, trained on
    biomedical questions, predicts sentence relevance and term weights. With an empty question,
    passages are chosen for content that the texts repeat. With your own `relevance` or `concepts`,
    the program is the published one.

    Args:
        question: the question that the passages should answer.
        texts: strings; documents; or mappings with a string `text` and optionally an `id` and a
            `title`; may be empty.
        budget: maximum cost of the joined passages, in the units of `count`.
        count: returns the cost of a text, 0 or more; by default its words. Fractional costs are
            rounded up to multiples of budget / 10,000, as are all costs under a budget over 2**50.
        separator: string between passages; its cost counts.
        relevance: a reranker that returns the relevance of all sentences, given the question and a
            list of their texts; or a function that returns it for one sentence, given its text. Any
            finite numbers, scaled over all sentences to [0, 1]. Every sentence is then a candidate,
            `system` is not used and no model is loaded.
        concepts: returns the concepts of a sentence, given its text: an iterable of hashables, each
            of weight 1, or a mapping from concepts to weights (the largest weight of a concept
            counts).
        lambda_: weight of relevance against coverage, in [0, 1]; by default the system's, or 0.8
            with own scores.
        keep: returns whether a candidate must be chosen.
        bar: returns whether a candidate must not be chosen.
        per_source: maximum number of passages per text.
        system: the name of an included system, or a `Summarizer`; it must select by the ILP.
        nodes: branch-and-bound nodes after which the proof is given up, with status `limit`.

    Raises:
        ArgumentError: an invalid argument, or a function returned an invalid value; also a
            `ValueError`.
        SolverError: no selection satisfies all constraints.
    """
    count = words if count is None else count
    _check(budget, count, separator, lambda_, per_source, nodes)
    given = sources(question, texts)
    found = scoring.candidates(given, system, relevance, concepts, lambda_)
    offer = _offered(given, found, count, budget, separator)
    costs, kept, barred = offer.costs, offer.those(keep), offer.those(bar)
    if both := sorted(kept & barred):
        raise ArgumentError(
            f"keep and bar both select {offer.passages[both[0]].text!r}; choose one"
        )
    if (least_cost := offer.cost(kept)) > budget:
        what = f"the passages to keep cost {least_cost:g} of a budget of {budget:g}"
        raise ArgumentError(f"{what}; keep fewer or raise it")
    documents = np.array([int(s.document) for s in found.sentences], dtype=np.int64)
    out = (barred | costs.too_long) - kept

    def problem(limit: int) -> Problem:
        posed = found.problem(costs.units, limit)
        excluded = {*posed.exclude, *out} - kept
        return replace(
            posed,
            include=tuple(sorted(kept)),
            exclude=tuple(sorted(excluded)),
            documents=documents,
            document_limit=per_source,
        )

    # The limit that fits only the passages to keep, or else only the shortest one.
    shortest = min((units for i, units in enumerate(costs.units) if i not in out), default=0)
    least = sum(costs.units[i] for i in kept) or shortest
    limit = max(costs.limit, least)
    if not least:
        reason = "no text holds a sentence"
        if offer.passages:
            reason = f"no candidate fits a budget of {budget:g}"
        unused = limit * costs.unit
        return Passages(
            (),
            0.0,
            budget,
            unused,
            separator=separator,
            warnings=(reason,),
        )
    selection, limit, warnings = _solved(problem, offer, limit, least, nodes)
    return offer.chosen(selection, found.reasons(selection), limit * costs.unit, warnings)


@dataclass(frozen=True)
class _Offer:
    """The candidates as passages, with their costs."""

    passages: tuple[Passage, ...]
    costs: Costs
    count: Count
    separator: str

    def those(self, predicate: Predicate | None) -> frozenset[int]:
        """Return the indices of passages that satisfy a predicate; empty without one."""
        if predicate is None:
            return frozenset()
        return frozenset(i for i, passage in enumerate(self.passages) if predicate(passage))

    def cost(self, chosen: Iterable[int]) -> float:
        """Return the cost of the joined passages."""
        text = self.separator.join(self.passages[i].text for i in sorted(chosen))
        return cost_of(text, self.count) if text else 0.0

    def chosen(
        self,
        selection: Selection,
        why: Mapping[int, str],
        limit: float,
        warnings: tuple[str, ...],
    ) -> Passages:
        """Return the passages of a selection with its proof; `limit` is in the units of `count`."""
        passages = [replace(self.passages[i], why=why[i]) for i in selection.chosen]
        cost = self.cost(selection.chosen)
        proof = {name: getattr(selection, name) for name in _PROOF}
        warnings += selection.warnings
        return Passages(
            chosen=tuple(passages),
            cost=cost,
            budget=self.costs.budget,
            limit=limit,
            separator=self.separator,
            warnings=warnings,
            **proof,
        )


def _offered(
    given: Sources,
    found: Candidates,
    count: Count,
    budget: float,
    separator: str,
) -> _Offer:
    texts = [given.text(s.document)[s.start : s.end] for s in found.sentences]
    costs = measure(texts, count, budget, separator)
    passages = []
    for s, text, cost in zip(found.sentences, texts, costs.alone, strict=True):
        source = given.name(s.document)
        passages.append(Passage(text, source, s.start, s.end, s.relevance, cost))
    return _Offer(tuple(passages), costs, count, separator)


def _solved(
    problem: Callable[[int], Problem],
    offer: _Offer,
    limit: int,
    least: int,
    nodes: int,
) -> tuple[Selection, int, tuple[str, ...]]:
    """Solve with decreasing limits until the joined text is within the budget; return the last
    limit, and warnings.

    Terminates because the limit `least` admits only the passages to keep or a single one, which
    fit.
    """
    costs = offer.costs
    limits = Limits(nodes=nodes)
    warnings = tuple[str, ...]()
    while True:
        selection = solve(problem(limit), limits=limits)
        joined = offer.cost(selection.chosen)
        if joined <= costs.budget:
            return selection, limit, warnings
        # The joined text costs more than the sum of its parts. At most halve the limit, so that
        # something still fits.
        used = sum(costs.units[i] for i in selection.chosen)
        limit = max(least, used - costs.excess(joined), used // 2)
        warnings = ("joined passages cost more than they add up to: solved with a lower limit",)


def _check(
    budget: float,
    count: Count,
    separator: str,
    lambda_: float | None,
    per_source: int | None,
    nodes: int,
) -> None:
    if not _is_number(budget) or not 0 <= budget <= LARGEST:
        raise ArgumentError(f"budget: expected a finite number, 0 or more, got {budget!r}")
    if not callable(count):
        raise ArgumentError(f"count: expected a function from a text to its cost, got {count!r}")
    if not isinstance(separator, str):
        raise ArgumentError(f"separator: expected a string, got {separator!r}")
    if lambda_ is not None and not (_is_number(lambda_) and 0.0 <= lambda_ <= 1.0):
        raise ArgumentError(f"lambda_: expected a number from 0 to 1, got {lambda_!r}")
    for name, value in (("per_source", per_source), ("nodes", nodes)):
        if value is not None:
            require_whole(name, value)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
