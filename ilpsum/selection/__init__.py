"""Which sentences make the summary: the exact integer linear program, and the greedy selector.

`Problem.build` states what is to be selected, `select` finds the provably best set, `greedy` is the published
baseline, `lambda_path` gives all optimal sets over lambda.
"""

from ilpsum.selection.greedy import cosine, greedy
from ilpsum.selection.path import Segment, lambda_path, segment_at
from ilpsum.selection.problem import Limits, Problem, Selection
from ilpsum.selection.selector import FORMULATIONS, require, select
from ilpsum.selection.solvers import SOLVERS, available_solvers

__all__ = [
    "FORMULATIONS",
    "SOLVERS",
    "Limits",
    "Problem",
    "Segment",
    "Selection",
    "available_solvers",
    "cosine",
    "greedy",
    "lambda_path",
    "require",
    "segment_at",
    "select",
]
