"""Sweeps: score many configurations of systems on the same topics and select the best.

`Sweep.load` reads a sweep file, `plan` lists its configurations, `run` scores them or resumes an interrupted sweep,
`nested` estimates the tuned system's score on new topics, and `table_at` evaluates the exact path at any lambda.
"""

from ilpsum.evaluation.sweeps.curve import TopicPath
from ilpsum.evaluation.sweeps.nested import Choice, Estimate, nested
from ilpsum.evaluation.sweeps.plan import Configuration, Data, Group, Sweep, plan
from ilpsum.evaluation.sweeps.rows import Result, table_at
from ilpsum.evaluation.sweeps.running import run

__all__ = [
    "Choice", "Configuration", "Data", "Estimate", "Group", "Result", "Sweep", "TopicPath",
    "nested", "plan", "run", "table_at",
]  # fmt: skip
