"""Sweeps: many configurations of systems over the same topics, each one scored, the best one kept.

`Sweep.load` reads what to try, `plan` spells it out, `run` does it and takes up what was cut short, `nested` says what
the tuned score is worth, `table_at` reads the exact path over lambda anywhere.
"""

from ilpsum.sweeps.curve import Step, TopicPath, best_step, mean_curve
from ilpsum.sweeps.data import Data
from ilpsum.sweeps.nested import Choice, nested
from ilpsum.sweeps.plan import Configuration, Group, Sweep, plan
from ilpsum.sweeps.results import Result, table_at
from ilpsum.sweeps.running import run

__all__ = [
    "Choice",
    "Configuration",
    "Data",
    "Group",
    "Result",
    "Step",
    "Sweep",
    "TopicPath",
    "best_step",
    "mean_curve",
    "nested",
    "plan",
    "run",
    "table_at",
]
