"""Sentence selection: the exact integer linear program and two greedy methods.

`Problem.build` takes the sentences, their concepts and the limits; `select` returns a provably
optimal set. Example: three sentences of 4, 3 and 5 words with concepts `a` to `d`, each of weight
1/3, and a limit of 8 words:

>>> problem = Problem.build([{"a", "b"}, {"b", "c"}, {"c", "d"}], [4, 3, 5], [0.9, 0.2, 0.6],
...     limit=8, lambda_=0.5)
>>> selection = select(problem)
>>> selection.chosen, selection.status, selection.gap
((0, 1), 'optimal', 0.0)
>>> round(selection.objective, 4)
0.7625

Value of the pair: relevance (.9 * 4 + .2 * 3) / 8 = .525 and coverage 3/3, each with weight .5.
Options of the problem add constraints: sentences to keep (`include`) or bar (`exclude`), and limits
on sentences per document, on sentences in total, or on a second length (here characters).

>>> concepts, words, relevance = [{"a", "b"}, {"b", "c"}, {"c", "d"}], [4, 3, 5], [0.9, 0.2, 0.6]
>>> select(Problem.build(concepts, words, relevance, 8, lambda_=0.5, include=(2,))).chosen
(1, 2)
>>> select(Problem.build(concepts, words, relevance, 8, lambda_=0.5, exclude=(1,))).chosen
(0,)
>>> select(Problem.build(concepts, words, relevance, 12, lambda_=0.5, documents="AAB",
...     document_limit=1)).chosen
(0, 2)
>>> select(Problem.build(concepts, words, relevance, 12, lambda_=0.5, sentence_limit=1)).chosen
(0,)
>>> characters = dict(second_lengths=[45, 20, 35], second_limit=60)
>>> select(Problem.build(concepts, words, relevance, 12, lambda_=0.5, **characters)).chosen
(1, 2)

`select(problem, solver="glpk")` proves the same optimum with another solver; `SOLVERS` lists them.
`lambda_path` returns the optimal sets for all lambdas; `greedy` is the published baseline, `gain`
is greedy on the ILP's objective. `SELECTORS` maps names to `Selector`s.
"""

from features.registry import Registry
from ilpsum.files.records import Help
from ilpsum.selection.baselines import Lead, Oracle, Random
from ilpsum.selection.centrality import Centroid, LexRank, TextRank
from ilpsum.selection.coverage import KlSum, Mmr, Submodular, SumBasic
from ilpsum.selection.paper import SOLVERS, available_solvers
from ilpsum.selection.path import Segment, lambda_path, segment_at
from ilpsum.selection.problem import Limits, Problem, Selection
from ilpsum.selection.selectors import (
    Gain,
    Greedy,
    Ilp,
    ObjectiveSelector,
    Parameters,
    Pool,
    Selector,
    SelectorSettings,
    cosine,
    greedy,
    one_by_one,
)
from ilpsum.selection.solving import gain, select

__all__ = [
    "SELECTORS", "SOLVERS", "Help", "Ilp", "Limits", "ObjectiveSelector", "Parameters", "Pool",
    "Problem", "Segment", "Selection", "Selector", "SelectorSettings", "available_solvers",
    "cosine", "gain", "greedy", "lambda_path", "one_by_one", "segment_at", "select",
]  # fmt: skip

# An entry point of another package refers to a subclass of `Selector`.
SELECTORS: Registry[Selector] = Registry(
    "selector",
    group="ilpsum.selectors",
    load=lambda point: point.load()(),
)

_SELECTORS: tuple[type[Selector], ...] = (
    Ilp,
    Gain,
    Greedy,
    Lead,
    Random,
    Oracle,
    LexRank,
    TextRank,
    SumBasic,
    KlSum,
    Mmr,
    Centroid,
    Submodular,
)
for _selector in _SELECTORS:
    SELECTORS.add(_selector.name, _selector())
