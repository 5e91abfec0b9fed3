"""Greedy selection by gain per word on the objective of the ILP (Lin and Bilmes 2010, algorithm 1)."""

import time
from collections.abc import Mapping

import numpy as np

from ilpsum.selection.base import Pool, Selector, SelectorSettings
from ilpsum.selection.exact.compact import Compact
from ilpsum.selection.exact.incumbent import fill
from ilpsum.selection.exchange import Exchange
from ilpsum.selection.problem import Problem, Selection


def gain(problem: Problem) -> Selection:
    """Take in turn the sentence that raises the objective most per word, until none that fits raises it.

    A sentence that does not fit, or that requires one not yet taken, is passed over; of equal gains the earlier one is
    taken. As in the paper, a single sentence of higher value than the whole selection replaces it: then, where words
    cost nothing and only they are limited, the value is at least 1 - 1/sqrt(e) of the optimum. The paper's exponent of
    the words is 1.

    Returns:
        A selection of status `gain`, whose bound and gap are nan.

    Raises:
        SolverError: the included sentences break a limit.
    """
    start = time.perf_counter()
    core = Compact.build(problem).core(problem.lambda_)
    one_by_one = core.sentences(fill(core, np.zeros(0, dtype=np.int64)).tolist())
    alone = (core.sentences([item]) for item in range(len(core)))
    chosen = max((one_by_one, *filter(problem.allows, alone)), key=problem.value)
    nan, seconds = float("nan"), time.perf_counter() - start
    return Selection(chosen, problem.value(chosen), nan, nan, "gain", "gain", "gain", seconds_solve=seconds)


class Gain(Selector):
    """Greedy on the objective of the ILP; see `gain`."""

    name, title = "gain", "greedy selection by gain per word"
    needs_relevance = has_objective = True
    tunes = "lambda"

    def solve(self, problem: Problem, settings: SelectorSettings) -> Selection:  # noqa: ARG002
        """Return the selection by gain per word."""
        return gain(problem)

    def left_out(self, pool: Pool, i: int, numbers: Mapping[int, int], settings: SelectorSettings) -> str:  # noqa: ARG002
        """Return what the candidate would change, alone or in place of a chosen one."""
        why = "this selector takes sentences one by one"
        return Exchange(pool.problem, i, numbers).outweighed(why, staged=pool.staged)
