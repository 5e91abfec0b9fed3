"""Greedy selection by gain per word on the objective of the ILP (Lin and Bilmes 2010, algorithm 1)."""

import time
from math import nan

import numpy as np

from ilpsum.selection.base import ObjectiveSelector, SelectorSettings
from ilpsum.selection.exact.compact import Compact
from ilpsum.selection.exact.incumbent import fill
from ilpsum.selection.problem import Problem, Selection


def gain(problem: Problem) -> Selection:
    """Take in turn the sentence that raises the objective most per word, until none that fits raises it.

    A sentence that does not fit, or that requires one not yet taken, is passed over; of equal gains the earlier one is
    taken. As in the paper, a single sentence of higher value than the whole selection replaces it: then, where words
    cost nothing and only they are limited, the value is at least 1 - 1/sqrt(e) of the optimum. The paper's exponent of
    the words is 1. The selection has the status `gain`, and no bound or gap.

    Raises:
        SolverError: the included sentences break a limit.
    """
    start = time.perf_counter()
    core = Compact.build(problem).core(problem.lambda_)
    one_by_one = core.sentences(fill(core, np.zeros(0, dtype=np.int64)).tolist())
    alone = (core.sentences([item]) for item in range(len(core)))
    chosen = max((one_by_one, *filter(problem.allows, alone)), key=problem.value)
    seconds = time.perf_counter() - start
    return Selection(chosen, problem.value(chosen), nan, nan, "gain", "gain", "gain", seconds_solve=seconds)


class Gain(ObjectiveSelector):
    """Greedy on the objective of the ILP; see `gain`."""

    name, title = "gain", "greedy selection by gain per word"
    falls_short = "this selector takes sentences one by one"

    def solve(self, problem: Problem, settings: SelectorSettings) -> Selection:  # noqa: ARG002
        """Return the selection by gain per word."""
        return gain(problem)
