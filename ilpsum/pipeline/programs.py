"""Stores the ILP of a summary as a record, and rebuilds the ILP at any word limit.

Most concepts of a topic occur in a single candidate. The record sums their weights per candidate, and the weights of
concepts shared by the same candidates, which leaves every objective value unchanged.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ilpsum.errors import InputError
from ilpsum.pipeline.objective import FULL, alphas, led, priced, ruled
from ilpsum.pipeline.text import arrange
from ilpsum.records import Program, Rules, Sentence, Summary
from ilpsum.selection import Limits, Problem, Segment, lambda_path


def program_of(problem: Problem, stages: Iterable[Rules], *, learned: bool) -> Program:
    """Return the record of a topic's ILP, with the rules of every stage; `learned` marks learned concept weights."""
    n = len(problem)
    owners = np.repeat(np.arange(n), np.diff(problem.starts))
    counts = np.bincount(problem.concepts, minlength=len(problem.weights))
    alone = counts[problem.concepts] == 1
    own = np.bincount(owners[alone], problem.weights[problem.concepts[alone]], minlength=n)
    holders: dict[int, list[int]] = defaultdict(list)
    several = ~alone & (problem.weights[problem.concepts] != 0.0)
    for concept, owner in zip(problem.concepts[several].tolist(), owners[several].tolist(), strict=True):
        holders[concept].append(owner)
    shared: dict[tuple[int, ...], float] = defaultdict(float)
    weights = problem.weights.tolist()
    for concept, held_by in holders.items():
        shared[tuple(held_by)] += weights[concept]
    return Program(
        tuple(own.tolist()),
        tuple((weight, held_by) for held_by, weight in shared.items()),
        learned,
        tuple(stages),
        tuple(problem.second_lengths.tolist()),
        problem.second_limit,
        problem.sentence_limit,
    )


class Programs:
    """The ILPs of a summary at any word limit; `InputError` if its program is missing or inconsistent."""

    def __init__(self, summary: Summary) -> None:
        program, settings, n = summary.program, summary.settings, len(summary.candidates)
        if program is None or len(program.own) != n or not program.stages:
            raise InputError(f"topic {summary.topic}: the program does not fit the candidates; write the run again")
        self._program, self._settings = program, settings
        rows = [[i] for i in range(n)]
        for concept, (_, held_by) in enumerate(program.shared, start=n):
            for i in held_by:
                rows[i].append(concept)
        self._candidates = summary.candidates
        self._problem = Problem(
            words=np.array([s.words for s in summary.candidates], dtype=np.int64),
            relevance=alphas(np.array([s.relevance for s in summary.candidates]), settings.objective.alpha),
            starts=np.cumsum([0, *map(len, rows)]),
            concepts=np.array([concept for row in rows for concept in row], dtype=np.int64),
            weights=np.array([*program.own, *(weight for weight, _ in program.shared)]),
            limit=settings.words,
            lambda_=settings.objective.lambda_ or 0.0,
            second_lengths=np.array(program.lengths, dtype=np.int64),
            second_limit=program.most,
            sentence_limit=program.sentences,
        )

    def at(self, words: int, stage: int = 0, taken: Collection[int] = ()) -> Problem:
        """Return the ILP of a stage under a word limit; `taken` has the sentences chosen in earlier stages.

        Learned weights and the word cost are divided by the limit, so they scale with it.
        """
        weights = self._problem.weights * (self._problem.limit / words if self._program.learned else 1.0)
        own = self._settings.objective
        problem = ruled(replace(self._problem, limit=words, weights=weights), self._program.stages[stage], taken)
        return priced(led(problem, own.lead), own.word_cost)

    def path(self, words: int, limits: Limits) -> list[tuple[Segment, Rules]]:
        """Return all optimal selections over lambda under a word limit (see `lambda_path`), each with its rules.

        If a selection leaves many words unused, rules are relaxed as in `ilpsum.pipeline.pipeline`.

        Raises:
            SolverError: a search limit was reached, or no selection satisfies all constraints.
        """
        return list(self._path(words, limits, 0, (), (0.0, 1.0)))

    def _path(
        self, words: int, limits: Limits, stage: int, taken: Collection[int], within: tuple[float, float]
    ) -> Iterator[tuple[Segment, Rules]]:
        problem, stages = self.at(words, stage, taken), self._program.stages
        for segment in lambda_path(problem, limits=limits):
            start, end = max(segment.start, within[0]), min(segment.end, within[1])
            if start >= end:
                continue
            if stage + 1 < len(stages) and problem.words[list(segment.chosen)].sum() < FULL * problem.limit:
                yield from self._path(words, limits, stage + 1, segment.chosen, (start, end))
            else:
                yield replace(segment, start=start, end=end), stages[stage]

    def arranged(self, chosen: Sequence[int], rules: Rules) -> tuple[Sentence, ...]:
        """Return the sentences of a selection as printed, in the order of the text."""
        return arrange([self._candidates[i] for i in chosen], self._settings.text.order, chosen, rules)
