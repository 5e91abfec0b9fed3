"""Selects passages under a budget: measure costs, build and solve the problem, then count the
joined text.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Annotated

import msgspec
import numpy as np

from ilpsum.answers.steps import Summarizer
from ilpsum.errors import ArgumentError
from ilpsum.files.arguments import checked
from ilpsum.files.records import Natural, Share
from ilpsum.learning.judging.judge import Judge
from ilpsum.passages import scoring
from ilpsum.passages.costs import Costs, Count, cost_of, measure, words
from ilpsum.passages.records import Passage, Passages, Sources, Text, sources
from ilpsum.passages.scoring import Candidates, Concepts, Relevance, Reranker
from ilpsum.selection import Limits, Problem, Selection
from ilpsum.selection import select as solve
from ilpsum.selection.problem import MOST_WORDS

Predicate = Callable[[Passage], bool]


@checked
def select(
    question: str,
    texts: Iterable[Text],
    budget: Annotated[float, msgspec.Meta(ge=0.0, le=MOST_WORDS)] = 300,
    count: Count | None = None,
    *,
    separator: str = " ",
    relevance: Relevance | Reranker | Judge | None = None,
    concepts: Concepts | None = None,
    lambda_: Share | None = None,
    keep: Predicate | None = None,
    bar: Predicate | None = None,
    per_source: Natural | None = None,
    system: str | Summarizer = "concepts",
    nodes: Natural = 100_000,
) -> Passages:
    """Return the best passages of some texts for a question, verbatim, in source order and never
    over a budget.

    **The budget** applies to the joined text:

        count(separator.join(p.text for p in passages)) <= budget

    Costs need not be additive. The integer program limits the sum of the costs that passages add to
    their predecessors, and is solved again with a lower limit while the joined text exceeds the
    budget. Objective, bound and gap refer to the last program, whose limit is
    `Passages.limit`.

    **The score** is by default computed by the system `concepts`, whose model, trained on
    biomedical questions, predicts sentence relevance and term weights. With an empty question,
    passages are chosen for content that the texts repeat. With functions of your own for
    `relevance` or `concepts`, the program is the published one.

    Args:
        question: the question that the passages should answer.
        texts: strings; documents; or mappings with a string `text` and optionally an `id` and a
            `title`; may be empty.
        budget: maximum cost of the joined passages, in the units of `count`; at most a million.
        count: returns the cost of a text, 0 or more; by default its words. Fractional costs are
            rounded up to multiples of budget / 10,000.
        separator: string between passages; its cost counts.
        relevance: a reranker that returns the relevance of all sentences, given the question and a
            list of their texts; or a function that returns it for one sentence, given its text. Any
            finite numbers, scaled over all sentences to [0, 1]. Every sentence is then a candidate,
            `system` is not used and no model is loaded. Or a `Judge`, whose grades take the place
            of the relevance that the system predicts: sentences of grade 0 or 1 are not chosen.
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
        ServiceError: the judge gave no grades.
        SolverError: no selection satisfies all constraints.
    """
    count = words if count is None else count
    documents = sources(question, texts)
    candidates = scoring.candidates(documents, system, relevance, concepts, lambda_)
    offer = _offered(documents, candidates, count, budget, separator).constrained(keep, bar)
    if not offer.least:
        reason = "no text holds a sentence"
        if offer.passages:
            reason = f"no candidate fits a budget of {budget:g}"
        unused = max(offer.costs.limit, 0) * offer.costs.unit
        return Passages((), 0.0, budget, unused, separator=separator, warnings=(reason,))
    return offer.solved(per_source, nodes)


@dataclass(frozen=True)
class _Offer:
    """The candidates as passages with their costs, and the indices of those to include and to
    exclude.
    """

    candidates: Candidates
    passages: tuple[Passage, ...]
    costs: Costs
    count: Count
    separator: str
    include: frozenset[int] = frozenset()
    exclude: frozenset[int] = frozenset()

    def constrained(self, keep: Predicate | None, bar: Predicate | None) -> "_Offer":
        """Return the offer that includes the passages that satisfy `keep`, and excludes those that
        satisfy `bar` or exceed the budget.
        """
        include, exclude = self._those(keep), self._those(bar)
        if in_both := sorted(include & exclude):
            raise ArgumentError(
                f"keep and bar both select {self.passages[in_both[0]].text!r}; choose one"
            )
        cost, budget = self.cost(include), self.costs.budget
        if cost > budget:
            what = f"the passages to keep cost {cost:g} of a budget of {budget:g}"
            raise ArgumentError(f"{what}; keep fewer or raise it")
        exclude = (exclude | self.costs.too_long) - include
        return replace(self, include=include, exclude=exclude)

    def _those(self, predicate: Predicate | None) -> frozenset[int]:
        """Return the indices of passages that satisfy a predicate; empty without one."""
        if predicate is None:
            return frozenset()
        return frozenset(i for i, passage in enumerate(self.passages) if predicate(passage))

    def cost(self, chosen: Iterable[int]) -> float:
        """Return the cost of the joined passages."""
        text = self.separator.join(self.passages[i].text for i in sorted(chosen))
        return cost_of(text, self.count) if text else 0.0

    @property
    def least(self) -> int:
        """The limit that fits only the included passages, or else only the shortest one; 0 if
        there is none.
        """
        units = self.costs.units
        if self.include:
            return sum(units[i] for i in self.include)
        return min((cost for i, cost in enumerate(units) if i not in self.exclude), default=0)

    def problem(self, limit: int, per_source: int | None) -> Problem:
        """Return the problem under a limit in units."""
        problem = self.candidates.problem(self.costs.units, limit)
        exclude = {*problem.exclude, *self.candidates.excluded, *self.exclude} - self.include
        documents = np.array([int(s.document) for s in self.candidates.sentences], dtype=np.int64)
        problem = replace(problem, documents=documents, document_limit=per_source)
        include = tuple(sorted(self.include))
        return replace(problem, include=include, exclude=tuple(sorted(exclude)))

    def solved(self, per_source: int | None, nodes: int) -> Passages:
        """Solve with decreasing limits until the joined text is within the budget.

        Terminates because the limit `least` admits only the included passages or a single one,
        which fit.
        """
        costs = self.costs
        limit = max(costs.limit, self.least)
        warnings = tuple[str, ...]()
        while True:
            selection = solve(self.problem(limit, per_source), limits=Limits(nodes=nodes))
            joined = self.cost(selection.chosen)
            if joined <= costs.budget:
                return self._chosen(selection, limit, warnings)
            # The joined text costs more than the sum of its parts. At most halve the limit, so that
            # something still fits.
            used = sum(costs.units[i] for i in selection.chosen)
            limit = max(self.least, used - costs.excess(joined), used // 2)
            warnings = ("joined passages cost more than they add up to: solved with a lower limit",)

    def _chosen(self, selection: Selection, limit: int, warnings: tuple[str, ...]) -> Passages:
        """Return the passages of a selection with its proof."""
        why = self.candidates.reasons(selection)
        passages = [replace(self.passages[i], why=why[i]) for i in selection.chosen]
        return Passages(
            chosen=tuple(passages),
            cost=self.cost(selection.chosen),
            budget=self.costs.budget,
            limit=limit * self.costs.unit,
            objective=selection.objective,
            bound=selection.bound,
            gap=selection.gap,
            status=selection.status,
            nodes=selection.nodes,
            separator=self.separator,
            warnings=(*self.candidates.warnings, *warnings, *selection.warnings),
        )


def _offered(
    documents: Sources,
    candidates: Candidates,
    count: Count,
    budget: float,
    separator: str,
) -> _Offer:
    texts = [documents.text(s.document)[s.start : s.end] for s in candidates.sentences]
    costs = measure(texts, count, budget, separator)
    passages = []
    for s, text, cost in zip(candidates.sentences, texts, costs.alone, strict=True):
        source = documents.name(s.document)
        passages.append(Passage(text, source, s.start, s.end, s.relevance, cost))
    return _Offer(candidates, tuple(passages), costs, count, separator)
